// The attention stage: all heads as small maps, and the chosen ones large, as a map or as lines. Hovering stays in the
// browser; choices are sent to the server. Text is set as text, never as HTML: a token may be anything. Requires
// picture.js.
const MASKED = 65535; // code of a masked cell
const LOOKS = { map: "Map", lines: "Lines", compare: "Compare heads" };
const MAX_COMPARED = 4; // heads, one for each color
const NARROW = 640; // pixels: in less width, the large head is below the small ones
const MIN_LINE = 0.02; // the lowest weight that gets a line, as a share of the highest
const CELL = 6; // pixels of a bitmap per cell, so that no viewer blurs it
const PRESENTED_HEIGHT = 0.8; // of the window's height, on a projector
const PAGE_AROUND = 15; // rem of the window above and below the stage otherwise
const SENTENCE_HEIGHT = 3; // of the sentence and the gap above it, in font sizes
const REST_MS = 300; // after which a choice is sent
const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

// Return the weights of each head by its id, "2.3" for head 3 of layer 2; NaN where masked.
function decodeHeads(kind) {
  const codes = new DataView(bytesOf(kind.weights).buffer);
  const size = kind.rows.length * kind.columns.length;
  const names = kind.roles.flatMap((roles, layer) => kind.names.map((name) => `${layer + 1}.${name}`));
  return new Map(names.map((name, head) => [name, Float32Array.from({ length: size }, (_, cell) => {
    const code = codes.getUint16(2 * (head * size + cell), true);
    return code === MASKED ? NaN : (code / (MASKED - 1)) * kind.highest;
  })]));
}

// Draw the stage into `place`; `onChoice` gets the choices when they have not changed for a moment.
function drawStage(place, data, onChoice) {
  const dark = getComputedStyle(place).colorScheme === "dark";
  if (isUnchanged(place, { ...data, state: 0 }, dark)) return;
  place.dispose?.();
  place.classList.toggle("presenting", data.presenting);
  place.replaceChildren();
  const scene = make("div", {}, place);
  const [bar, words, drawing] = ["bar", "words", "drawing"].map((name) => make("div", { class: name }, scene));
  const status = make("p", { class: "status", "aria-live": "polite" }, scene);
  const colors = data.colors[dark ? "dark" : "light"];
  // A shade on which text is readable even at full strength.
  words.style.setProperty("--shade", data.colors[dark ? "light" : "dark"][0]);
  const state = { ...data.state };
  let kind, values, kept; // the kind of attention, its weights, the heads shown large
  let preview, pointed, cell; // the head, the word and the cell under the mouse or the focus
  let parts; // elements of the drawing
  let unit; // the font size in pixels
  let timer = 0;
  const pen = document.createElement("canvas").getContext("2d");

  // Choices.

  function choose(changes) {
    const before = [state.attention, state.look].join();
    Object.assign(state, changes);
    normalizeChoice();
    clearTimeout(timer);
    timer = setTimeout(() => onChoice({ ...state }), REST_MS);
    if (before === [state.attention, state.look].join()) show();
    else build();
  }

  function normalizeChoice() {
    [preview, pointed, cell] = [null, null, null];
    if (kind !== data.kinds[state.attention]) {
      // For a long sentence, a kind of attention is sent only when it is chosen.
      kind = data.kinds[state.attention];
      values = kind ? decodeHeads(kind) : new Map();
    }
    kept = state.heads.split(" ").filter((head) => values.has(head));
    if (kept.length > 1) state.look = "compare";
    if (!LOOKS[state.look]) state.look = "map";
    if (kept.length === 0 && kind) kept = [kind.first];
    state.heads = kept.join(" ") === kind?.first ? "" : kept.join(" ");
  }

  function keepHead(head, adds) {
    const look = adds ? "compare" : state.look;
    const others = kept.filter((each) => each !== head);
    const together = others.length < kept.length ? others : [...others.slice(1 - MAX_COMPARED), head];
    choose({ look, heads: (look === "compare" ? together : [head]).join(" ") });
  }

  // Measuring and drawing.

  const widthOf = (text) => pen.measureText(text).width;
  const widest = (texts, most) => Math.min(most, Math.max(0, ...texts.map(widthOf)));
  const shadeOf = (value) => data.colors.scale[Math.round(255 * Math.min(1, value / kind.highest))];
  const valueAt = (head, row, column) => values.get(head)[row * kind.columns.length + column];

  function fitted(text, width) {
    let shown = text;
    for (let length = text.length - 1; length > 0 && widthOf(shown) > width; length -= 1) {
      shown = `${text.slice(0, length)}…`;
    }
    return shown;
  }

  function build() {
    parts = {};
    drawBar();
    const width = drawing.clientWidth;
    // Without a width, the stage is not on the page yet.
    if (!width) return;
    const root = rootSize();
    unit = (data.presenting ? 1 : 0.82) * root;
    pen.font = `${unit}px ${getComputedStyle(place).fontFamily}`;
    const svg = make("svg", { role: "group", "font-size": unit });
    parts = { svg, chips: {}, labels: [], heads: new Map(), lines: new Map() };
    drawing.replaceChildren(svg);
    words.replaceChildren();
    if (!kind?.rows.length || !kind.columns.length) {
      status.textContent = kind ? data.empty : "";
      return;
    }
    const isWide = width >= NARROW;
    drawWords();
    const screen = data.presenting ? PRESENTED_HEIGHT * innerHeight : innerHeight - PAGE_AROUND * root;
    const free = screen - bar.offsetHeight - words.offsetHeight - SENTENCE_HEIGHT * unit;
    const room = Math.max(free, (4 + 4 * kind.roles.length) * unit);
    const small = drawHeads(isWide, room, width);
    const x = isWide ? small.right + 2 * unit : 0;
    const y = isWide ? 0 : small.bottom + unit;
    const high = isWide ? room : Math.min(width, 1.5 * unit * kind.rows.length) + 8 * unit;
    const height = Math.max(small.bottom, drawLarge({ x, y, width: width - x, height: high }));
    parts.size = { width, height };
    drawing.style.height = `${height}px`;
    for (const [name, length] of Object.entries(parts.size)) svg.setAttribute(name, length);
    show();
  }

  function drawBar() {
    const focused = bar.getRootNode().activeElement?.dataset.choice;
    bar.replaceChildren();
    addChoices("Attention", data.titles, state.attention, (name) => choose({ attention: name, heads: "", word: "" }));
    addChoices("Look", LOOKS, state.look, (look) => choose({ look, heads: kept[kept.length - 1] }));
    addChoices("Save as a picture", { png: "PNG", svg: "SVG" }, "", saveDrawing);
    bar.querySelector(`[data-choice="${focused}"]`)?.focus();
  }

  function addChoices(name, titles, chosen, action) {
    const group = make("span", { role: "group", "aria-label": name }, bar);
    for (const [value, title] of Object.entries(titles)) {
      const button = make("button", { type: "button", "data-choice": value }, group, title);
      if (chosen) button.setAttribute("aria-pressed", String(value === chosen));
      button.onclick = () => action(value);
    }
  }

  function drawWords() {
    for (const [line, side] of ["column", "row"].entries()) {
      make("span", { class: "title" }, words, kind[`${side}_title`]);
      const row = make("div", {}, words);
      parts.chips[side] = kind[`${side}s`].map((token, index) => make("span", { class: "chip", role: "button",
        "data-word": `${side}.${index + 1}`, "data-grid": "words", "data-line": line, "data-place": index,
        tabindex: line || index ? -1 : 0 }, row, token));
    }
  }

  // Draw the words along a side of a map, as many as fit.
  function drawLabels(parent, side, at, spacing, room, anchor, turn = 0) {
    const labels = kind[`${side}s`].map((token, index) => {
      const [x, y] = at(index);
      return make("text", { x, y, "text-anchor": anchor, "dominant-baseline": "central", class: "label",
        "data-word": `${side}.${index + 1}`, transform: `rotate(${turn} ${x} ${y})` }, parent, fitted(token, room));
    });
    parts.labels.push({ side, labels, every: Math.ceil((1.05 * unit) / spacing) });
  }

  function drawHeads(isWide, room, width) {
    const { names } = kind;
    const beside = isWide ? widest(kind.rows, 4.6 * unit) + 0.5 * unit : 0;
    const above = isWide ? widest(kind.columns, 3.2 * unit) + 0.5 * unit : 0;
    const [left, first, gap] = [1.6 * unit + beside, 1.4 * unit + above, 0.6 * unit];
    const caption = (isWide ? 1.7 : 2.7) * unit; // one line, or two in little width
    const across = isWide ? names.length : Math.min(names.length, Math.floor((width - left) / (4.2 * unit)));
    const bands = Math.ceil(names.length / across); // rows of maps per layer
    const wide = Math.min(9 * unit, ((isWide ? 0.58 : 1) * width - left) / across - gap);
    const fits = (room - 1.4 * unit - above) / kind.roles.length - caption;
    const high = isWide ? Math.max(2.2 * unit, Math.min(fits, 1.1 * wide)) : wide;
    const place = (layer, number) => ({ x: left + (number % across) * (wide + gap), width: wide, height: high,
      y: first + (layer * bands + Math.floor(number / across)) * (high + caption) });
    const grid = make("g", { role: "grid", "aria-label": `${kind.name}: layers and heads` }, parts.svg);
    for (const layer of kind.roles.keys()) {
      const line = make("g", { role: "row" }, grid);
      names.forEach((name, number) => drawHead(line, layer, name, number, place(layer, number), isWide));
      const [x, y] = [0.7 * unit, place(layer, 0).y + high / 2];
      make("text", { x, y, "text-anchor": "middle", "dominant-baseline": "central", class: "title",
        transform: `rotate(-90 ${x} ${y})` }, line, fitted(`layer ${layer + 1}`, high + caption));
      const down = high / kind.rows.length;
      const at = (row) => [left - 0.4 * unit, place(layer, 0).y + (row + 0.5) * down];
      if (isWide) drawLabels(line, "row", at, down, beside - 0.5 * unit, "end");
    }
    names.slice(0, bands === 1 ? across : 0).forEach((name, number) => {
      const { x } = place(0, number);
      const title = Number(name) ? `head ${name}` : name;
      make("text", { x: x + wide / 2, y: unit, "text-anchor": "middle", class: "title" }, grid, title);
      const right = wide / kind.columns.length;
      const at = (column) => [x + (column + 0.5) * right, first - 0.4 * unit];
      if (isWide) drawLabels(grid, "column", at, right, above - 0.5 * unit, "start", -90);
    });
    const last = place(kind.roles.length - 1, names.length - 1);
    return { right: left + across * (wide + gap) - gap, bottom: last.y + high + caption };
  }

  function drawHead(parent, layer, name, number, box, isWide) {
    const id = `${layer + 1}.${name}`;
    const head = make("g", { class: "head", role: "gridcell", "data-head": id, "data-grid": "heads", "data-line": layer,
      "data-place": number, "aria-label": [nameOf(id), roleOf(id)].filter(Boolean).join(": ") }, parent);
    const picture = pictureOf(values.get(id), kind.columns.length);
    make("image", { ...box, href: picture, preserveAspectRatio: "none" }, head);
    const fade = make("path", { class: "fade", "fill-rule": "evenodd" }, head);
    const edge = make("rect", { ...box, class: "edge" }, head);
    (isWide ? [roleOf(id)] : roleOf(id).split(/ (?=\S+$)/)).forEach((words, line) => {
      const at = { x: box.x + box.width / 2, y: box.y + box.height + (1.2 + line) * unit, "text-anchor": "middle" };
      make("text", at, head, fitted(words, box.width + 0.5 * unit));
    });
    parts.heads.set(id, { head, edge, fade, box, picture });
  }

  function pictureOf(numbers, across) {
    const [width, height] = [across * CELL, (numbers.length / across) * CELL];
    const canvas = Object.assign(document.createElement("canvas"), { width, height });
    const brush = canvas.getContext("2d");
    numbers.forEach((value, at) => {
      brush.fillStyle = Number.isNaN(value) ? "transparent" : shadeOf(value);
      brush.fillRect((at % across) * CELL, Math.floor(at / across) * CELL, CELL, CELL);
    });
    return canvas.toDataURL();
  }

  // Draw the large head: its name, its map or lines, and the color scale. Return its bottom edge.
  function drawLarge({ x, y, width, height }) {
    const isMap = state.look === "map";
    const [scale, beside] = [isMap ? 4 * unit : 0, widest(kind.rows, 0.28 * width) + 0.7 * unit];
    const right = isMap ? 0 : widest([...kind.columns, "attended to"], 0.28 * width) + unit;
    const above = isMap ? widest(kind.columns, 5.5 * unit) + 2.6 * unit : 3.6 * unit;
    parts.name = make("text", { x, y: y + unit, class: "name" }, parts.svg);
    const most = Math.max(kind.rows.length, isMap ? 0 : kind.columns.length) * 3.2 * unit;
    const box = { x: x + beside, y: y + above, height: Math.min(height - above - 0.4 * unit, most),
      width: Math.min(width - beside - right - scale, isMap ? 5 * unit * kind.columns.length : width) };
    parts.large = { ...box, across: box.width / kind.columns.length, down: box.height / kind.rows.length };
    const layer = make("g", {}, parts.svg);
    if (isMap) {
      drawMap(layer, box, beside - 0.7 * unit, above - 2.5 * unit);
      drawScale(x + width - scale + 1.2 * unit, box.y);
    } else drawEnds(layer, box);
    return Math.max(box.y + box.height + 0.8 * unit, box.y + 7 * unit);
  }

  function drawMap(parent, box, beside, above) {
    const { across, down } = parts.large;
    parts.picture = make("image", { ...box, preserveAspectRatio: "none" }, parent);
    parts.heads.set("large", { fade: make("path", { class: "fade", "fill-rule": "evenodd" }, parent), box });
    make("rect", { ...box, class: "area", "data-map": "" }, parent);
    drawLabels(parent, "row", (row) => [box.x - 0.5 * unit, box.y + (row + 0.5) * down], down, beside, "end");
    const isUpright = widest(kind.columns, Infinity) > across - 0.3 * unit;
    const at = (column) => [box.x + (column + 0.5) * across, box.y - (isUpright ? 0.5 : 0.8) * unit];
    if (isUpright) drawLabels(parent, "column", at, across, above, "start", -90);
    else drawLabels(parent, "column", at, 2 * unit, across, "middle");
    parts.mark = make("g", { class: "mark" }, parent);
    make("rect", { width: across, height: down }, parts.mark);
    make("rect", { class: "sign", x: across / 2 - 1.4 * unit, y: -1.8 * unit, width: 2.8 * unit, height: 1.5 * unit },
      parts.mark);
    make("text", { x: across / 2, y: -0.7 * unit, "text-anchor": "middle" }, parts.mark);
  }

  function drawEnds(parent, box) {
    parts.curves = make("g", {}, parent);
    const ends = [["row", "attends", box.x, -1], ["column", "attended to", box.x + box.width, 1]];
    for (const [side, title, edge, away] of ends) {
      const [x, anchor] = [edge + away * 0.5 * unit, away < 0 ? "end" : "start"];
      const spacing = box.height / kind[`${side}s`].length;
      make("text", { x, y: box.y - 0.8 * unit, "text-anchor": anchor, class: "title" }, parent, title);
      drawLabels(parent, side, (index) => [x, box.y + (index + 0.5) * spacing], spacing, 9 * unit, anchor);
    }
  }

  function drawScale(x, y) {
    const high = 6.5 * unit;
    const href = pictureOf(Float32Array.from({ length: 64 }, (_, step) => kind.highest * (1 - step / 63)), 1);
    make("image", { x, y, width: 0.8 * unit, height: high, href, preserveAspectRatio: "none" }, parts.svg);
    for (const share of [1, 0.5, 0]) {
      const number = Number((share * kind.highest).toPrecision(2));
      make("text", { x: x + 1.1 * unit, y: y + 0.4 * unit + (1 - share) * (high - 0.1 * unit) }, parts.svg, number);
    }
    make("text", { x: x + 2 * unit, y: y - 0.8 * unit, "text-anchor": "end", class: "title" }, parts.svg, kind.says);
  }

  // Highlights.

  function wordOf(name) {
    const [side, number] = name.split(".");
    return parts.chips[side]?.[number - 1] ? { side, index: number - 1 } : null;
  }

  function show() {
    const heads = preview ? [preview] : kept;
    const head = heads[heads.length - 1];
    const word = pointed ?? wordOf(state.word);
    for (const [id, each] of parts.heads) {
      each.fade.setAttribute("d", word ? pathAround(each.box, word) : "");
      if (!each.head) continue;
      each.head.classList.toggle("kept", kept.includes(id));
      each.head.setAttribute("aria-selected", String(kept.includes(id)));
      each.head.setAttribute("tabindex", id === kept[0] ? 0 : -1);
      each.edge.style.stroke = colors[kept.indexOf(id)] ?? "";
    }
    for (const { side, labels, every } of parts.labels) {
      const lit = word?.side === side ? word.index : -1;
      labels.forEach((label, index) => {
        const last = labels.length - 1;
        const isNamed = index === last || (index % every === 0 && last - index >= every);
        const isFree = lit < 0 || Math.abs(index - lit) >= every;
        label.style.display = index === lit || (isNamed && isFree) ? "" : "none";
        label.classList.toggle("lit", index === lit);
      });
    }
    showChips(head, word);
    if (state.look === "map") showMap(head);
    else showLines(heads, word);
    parts.name.replaceChildren(...heads.map((id, place) => {
      const text = heads.length > 1 ? `${place ? " · " : ""}${shortNameOf(id)}` : nameOf(id);
      const part = make("tspan", {}, parts.name, text);
      if (state.look !== "map") part.style.fill = colors[Math.max(0, kept.indexOf(id))];
      return part;
    }));
    status.textContent = `${sentenceOf(head, heads, word)} ${word ? "" : kind.notes}`;
  }

  // Return the path of a box without the row or the column of a word.
  function pathAround({ x, y, width, height }, { side, index }) {
    const [across, down] = [width / kind.columns.length, height / kind.rows.length];
    const inner = side === "row" ? [x, y + index * down, width, down] : [x + index * across, y, across, height];
    return [[x, y, width, height], inner].map(([a, b, wide, high]) => `M${a} ${b}h${wide}v${high}h${-wide}z`).join("");
  }

  function showChips(head, word) {
    for (const [side, chips] of Object.entries(parts.chips)) {
      chips.forEach((chip, index) => {
        const isOther = word && word.side !== side;
        const [row, column] = side === "row" ? [index, word?.index] : [word?.index, index];
        const share = isOther ? Math.min(1, (valueAt(head, row, column) || 0) / kind.highest) : 0;
        chip.style.setProperty("--share", `${(100 * share).toFixed(1)}%`);
        chip.classList.toggle("lit", Boolean(word) && !isOther && word.index === index);
        chip.setAttribute("aria-pressed", String(state.word === chip.dataset.word));
      });
    }
  }

  function showMap(head) {
    parts.picture.setAttribute("href", parts.heads.get(head).picture);
    const value = cell ? valueAt(head, cell.row, cell.column) : NaN;
    parts.mark.style.display = Number.isNaN(value) ? "none" : "";
    if (Number.isNaN(value)) return;
    const { x, y, across, down } = parts.large;
    parts.mark.setAttribute("transform", `translate(${x + cell.column * across} ${y + cell.row * down})`);
    parts.mark.lastChild.textContent = value.toFixed(2);
  }

  // Draw a line for each weight: the higher the weight, the wider and stronger. Half of the highest has full color.
  function showLines(heads, word) {
    for (const line of parts.lines.values()) line.style.display = "none";
    heads.forEach((head, number) => values.get(head).forEach((value, at) => {
      const share = Math.min(1, value / kind.highest);
      if (!(share >= MIN_LINE)) return;
      const [row, column] = [Math.floor(at / kind.columns.length), at % kind.columns.length];
      const key = `${number}.${at}`;
      if (!parts.lines.has(key)) {
        const shift = (number - (heads.length - 1) / 2) * 0.16 * unit; // beside the other heads' lines
        parts.lines.set(key, make("path", { class: "line", d: pathOf(row, column, shift) }, parts.curves));
      }
      const isFar = word && word.index !== (word.side === "row" ? row : column);
      Object.assign(parts.lines.get(key).style, {
        display: "",
        stroke: colors[Math.max(0, kept.indexOf(head))],
        strokeWidth: `${(0.04 + 0.3 * share) * Math.min(unit, 1.6 * parts.large.down)}px`,
        opacity: isFar ? 0.05 : Math.min(1, 0.06 + 1.9 * share),
      });
    }));
  }

  function pathOf(row, column, shift) {
    const { x, y, width, height, down } = parts.large;
    const [begin, end] = [y + (row + 0.5) * down + shift, y + ((column + 0.5) * height) / kind.columns.length + shift];
    return `M${x} ${begin}C${x + width / 2} ${begin} ${x + width / 2} ${end} ${x + width} ${end}`;
  }

  // Texts.

  function nameOf(id) {
    const [layer, name] = id.split(".");
    return `Layer ${layer}, ${Number(name) ? `head ${name}` : `${name} of the heads`}`;
  }

  function shortNameOf(id) {
    const [layer, name] = id.split(".");
    return Number(name) ? `${id} ${roleOf(id)}` : `layer ${layer} ${name}`;
  }

  function roleOf(id) {
    const [layer, name] = id.split(".");
    return kind.roles[layer - 1][kind.names.indexOf(name)];
  }

  function sentenceOf(head, heads, word) {
    const found = Array.from(values.get(head), (value, at) => ({
      value, row: Math.floor(at / kind.columns.length), column: at % kind.columns.length,
    })).filter(({ value }) => value >= 0).sort((one, other) => other.value - one.value);
    if (word) {
      const [verb, other] = word.side === "row" ? ["attends to", "column"] : ["is attended to by", "row"];
      const most = found.filter((each) => each[word.side] === word.index).slice(0, 3);
      const words = most.map((each) => `${kind[`${other}s`][each[other]]} ${each.value.toFixed(2)}`).join(", ");
      return `${nameOf(head)}: ${kind[`${word.side}s`][word.index]} ${verb} ${words}.`;
    }
    const isWord = (token) => /[\p{L}\p{N}]/u.test(token) && !/^\[[A-Z]+\]$/.test(token);
    const best = found.find(({ row, column }) => isWord(kind.rows[row]) && isWord(kind.columns[column])) ?? found[0];
    const link = `${kind.rows[best.row]} → ${kind.columns[best.column]}, ${best.value.toFixed(2)}`;
    const does = data.roles[roleOf(head)];
    if (heads.length === 1 && state.look === "compare") return `${nameOf(head)}. Click more heads to compare them.`;
    if (heads.length === 1) return `${nameOf(head)}: ${does ? `${does}; ` : ""}strongest: ${link}.`;
    const names = heads.map((id) => `${nameOf(id)}${roleOf(id) ? ` (${roleOf(id)})` : ""}`).join("; ");
    return `${names}. Strongest in ${nameOf(head)}: ${link}.`;
  }

  // Events.

  function listen() {
    const targetOf = (event) => event.target.closest("[data-head], [data-word], [data-map]");
    const lookAt = (target, event) => {
      preview = target?.dataset.head ?? null;
      cell = target && "map" in target.dataset ? cellAt(event) : null;
      pointed = cell ? { side: "row", index: cell.row } : target?.dataset.word ? wordOf(target.dataset.word) : null;
      // Without a size, another kind of attention is still on its way from the server.
      if (parts.size) show();
    };
    scene.onpointermove = (event) => { if (event.pointerType === "mouse") lookAt(targetOf(event), event); };
    scene.onpointerleave = () => lookAt(null);
    scene.addEventListener("focusin", (event) => event.target.matches(":focus-visible") && lookAt(targetOf(event)));
    scene.addEventListener("focusout", () => lookAt(null));
    scene.onclick = (event) => {
      const target = targetOf(event);
      const { head, word } = target?.dataset ?? {};
      if (head) keepHead(head, event.shiftKey || event.ctrlKey || event.metaKey);
      else if (word) choose({ word: state.word === word ? "" : word });
      else if (target) lookAt(target, event); // a tap on the map
    };
    scene.onkeydown = (event) => {
      const target = event.target.closest("[data-grid]");
      if (!target) return;
      const isPinned = state.word || kept.length > 1; // with nothing to let go of, Escape leaves presenter mode
      if (event.key === "Escape" && isPinned) choose({ word: "", heads: kept.slice(-1).join(" ") });
      else if (event.key === "Enter" || event.key === " ") target.dispatchEvent(new MouseEvent("click", event));
      else if (ARROWS[event.key]) goFrom(target.dataset, ARROWS[event.key]);
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
  }

  function cellAt({ clientX, clientY }) {
    const { left, top } = parts.svg.getBoundingClientRect();
    const row = Math.floor((clientY - top - parts.large.y) / parts.large.down);
    const column = Math.floor((clientX - left - parts.large.x) / parts.large.across);
    return { row: Math.min(row, kind.rows.length - 1), column: Math.min(column, kind.columns.length - 1) };
  }

  function goFrom({ grid, line, place: number }, [down, right]) {
    const next = `[data-grid=${grid}][data-line="${Number(line) + down}"][data-place="${Number(number) + right}"]`;
    scene.querySelector(next)?.focus();
  }

  function saveDrawing(ending) {
    // On its way to the button, the mouse has crossed words.
    [preview, pointed, cell] = [null, null, null];
    show();
    const link = new URL(location.href);
    link.searchParams.delete("present");
    // The address of a page on a disk is of no use to others.
    const address = link.protocol === "file:" ? [] : [link.href];
    const lines = [status.textContent, `${data.source} → ${data.target}`, data.model, ...address];
    savePicture(parts.svg, lines.map((text) => fitted(text, parts.size.width)), link.href, `attention.${ending}`);
  }

  listen();
  normalizeChoice();
  build();
  const sizeNow = () => [place.clientWidth, innerHeight, rootSize()].join();
  let size = sizeNow();
  const resizing = new ResizeObserver(() => {
    if (size === sizeNow()) return;
    size = sizeNow();
    build();
  });
  for (const each of [place, document.documentElement]) resizing.observe(each);
  // In presenter mode, arrow keys go to the heads beside the large one.
  listenToRemote(place, (key) => {
    if (ARROWS[key]) goFrom(parts.heads.get(kept[0]).head.dataset, ARROWS[key]);
    return key in ARROWS;
  });
  place.dispose = () => {
    resizing.disconnect();
    clearTimeout(timer);
  };
}

// Tokens in columns and the links between them, drawn into `place`. Pointing at a token, or focusing it, follows its
// links in both directions and fades the rest; a press keeps it so, Escape lets go. Text is set as text, never as HTML.
function drawLinkedTokens(place, data) {
  const SVG = "http://www.w3.org/2000/svg";
  const make = (name, attributes, parent) => {
    const node = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (parent) parent.appendChild(node);
    return node;
  };
  const shortened = (text, most) => (text.length > most ? text.slice(0, most - 1) + "…" : text);
  const columns = data.columns;
  const most = Math.max(1, ...columns.map((column) => column.tokens.length));
  const rowHeight = Math.min(34, Math.max(17, Math.floor(data.height / most)));
  let pinned = null;

  function build() {
    const width = Math.max(300, place.clientWidth || 780);
    const margin = Math.min(170, Math.round(width * 0.26));
    const letters = Math.max(5, Math.floor(margin / 8.5) - 1);
    const top = 28;
    const height = top + most * rowHeight + 6;
    const x = (c) => margin + columns[c].x * (width - 2 * margin);
    const y = (c, i) => top + (i + 0.5) * rowHeight + ((most - columns[c].tokens.length) * rowHeight) / 2;
    const svg = make("svg", { width, height, role: "group", "aria-label": data.title });
    const lines = make("g", {}, svg);
    const edges = data.links.map(([queryColumn, query, keyColumn, key, weight, marked]) => ({
      from: `${queryColumn}-${query}`,
      to: `${keyColumn}-${key}`,
      weight,
      marked,
      line: make(
        "line",
        {
          x1: x(queryColumn), y1: y(queryColumn, query), x2: x(keyColumn), y2: y(keyColumn, key),
          class: marked ? "link marked" : "link",
        },
        lines,
      ),
    }));
    const outgoing = new Map();
    const incoming = new Map();
    for (const edge of edges) {
      if (!outgoing.has(edge.from)) outgoing.set(edge.from, []);
      outgoing.get(edge.from).push(edge);
      if (!incoming.has(edge.to)) incoming.set(edge.to, []);
      incoming.get(edge.to).push(edge);
    }
    const nodes = new Map();
    const order = []; // keys before the queries that read them
    const room = (width - 2 * margin) / Math.max(1, columns.length - 1);
    columns.forEach((column, c) => {
      if (column.title && (room > 48 || column.side)) {
        make("text", { x: x(c), y: 14, "text-anchor": "middle", class: "title" }, svg).textContent = column.title;
      }
      column.tokens.forEach((token, i) => {
        const id = `${c}-${i}`;
        const group = make("g", { class: "token", tabindex: 0, role: "button", "data-token": id }, svg);
        const side = column.side;
        if (side) {
          const text = make(
            "text",
            { x: x(c) + (side === "left" ? -10 : 10), y: y(c, i) + 5, "text-anchor": side === "left" ? "end" : "start" },
            group,
          );
          text.textContent = shortened(token, letters);
        }
        make("circle", { cx: x(c), cy: y(c, i), r: side ? 4 : 5 }, group);
        // A finger needs more than a letter's height.
        const left = side === "left" ? x(c) - margin : x(c) - 8;
        make("rect", { x: left, y: y(c, i) - rowHeight / 2, width: side ? margin : 16, height: rowHeight, class: "reach" }, group);
        const heaviest = (outgoing.get(id) || []).slice().sort((a, b) => b.weight - a.weight).slice(0, 3);
        const name = (other) => columns[+other.split("-")[0]].tokens[+other.split("-")[1]];
        const label =
          (column.title ? column.title + ": " : "") + token +
          (heaviest.length ? ". Attends to " + heaviest.map((e) => `${name(e.to)} ${e.weight.toFixed(2)}`).join(", ") : "");
        group.setAttribute("aria-label", label);
        make("title", {}, group).textContent = label;
        nodes.set(id, group);
        order.push(id);
      });
    });

    function follow(start, linksOf, end, ids) {
      const share = new Map([[start, 1]]);
      for (const id of ids) {
        const here = share.get(id) || 0;
        if (here < 0.001) continue;
        for (const edge of linksOf.get(id) || []) {
          edge.flow = Math.max(edge.flow, here * edge.weight);
          share.set(edge[end], (share.get(edge[end]) || 0) + here * edge.weight);
        }
      }
      return share;
    }

    function show(id) {
      for (const edge of edges) edge.flow = id ? 0 : edge.weight;
      let share = null;
      if (id) {
        share = new Map([...follow(id, incoming, "from", order), ...follow(id, outgoing, "to", order.slice().reverse())]);
      }
      for (const edge of edges) {
        const strength = edge.marked ? (edge.flow > 0 ? 1 : 0) : Math.min(1, edge.flow / data.highest);
        edge.line.style.opacity = strength < 0.004 ? 0 : Math.pow(strength, 0.8) * (id ? 1 : 0.85);
      }
      for (const [each, group] of nodes) {
        const near = share ? (share.get(each) || 0) / (each === id ? 1 : data.highest) : 1;
        group.style.opacity = share ? 0.2 + 0.8 * Math.min(1, Math.pow(near, 0.5)) : 1;
        group.classList.toggle("chosen", each === id);
        group.setAttribute("aria-pressed", String(each === pinned));
      }
      svg.dataset.shown = id || "";
    }

    for (const [id, group] of nodes) {
      group.onpointerenter = (event) => event.pointerType === "mouse" && show(id);
      group.onpointerleave = (event) => event.pointerType === "mouse" && show(pinned);
      group.onfocus = () => show(id);
      group.onblur = () => show(pinned);
      const press = () => {
        pinned = pinned === id ? null : id;
        show(pinned);
      };
      group.onclick = press;
      group.onkeydown = (event) => {
        if (event.key === "Enter" || event.key === " ") {
          event.preventDefault();
          press();
        } else if (event.key === "Escape") {
          pinned = null;
          show(null);
        }
      };
    }
    show(pinned);
    place.replaceChildren(svg);
    return width;
  }

  let drawn = build();
  place.resizing?.disconnect();
  place.resizing = new ResizeObserver(() => {
    if (Math.abs((place.clientWidth || drawn) - drawn) > 4 && place.clientWidth >= 300) drawn = build();
  });
  place.resizing.observe(place);
}

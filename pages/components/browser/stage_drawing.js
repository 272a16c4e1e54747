// @ts-check
// The stage's elements at the places of its plan, and what is lit on them.
import { brushOf, make, makeSvg, say, shadeOf } from "./dom.js";
import { cellOf, linksOf, nameOf, roleOf, shortNameOf, tokensOf } from "./stage_heads.js";
import { labelsThatFit } from "./stage_layout.js";
import { hasLine, linePath, lineStyle } from "./stage_lines.js";

/** @import { Box, Cell, Kind, Side, StageState, Word } from "./types" */
/** @import { Labels, Plan, PlannedHead } from "./stage_layout.js" */

const CELL = 6; // pixels of a bitmap per cell, so that no viewer blurs it

/**
 * Return the path of a box without the row or the column of a word.
 * @param {Kind} kind @param {Box} box @param {Word} word
 */
function pathAround(kind, { x, y, width, height }, { side, index }) {
  const [across, down] = [width / kind.columns.length, height / kind.rows.length];
  const inner = side === "row" ? [x, y + index * down, width, down] : [x + index * across, y, across, height];
  return [[x, y, width, height], inner].map(([a, b, wide, high]) => `M${a} ${b}h${wide}v${high}h${-wide}z`).join("");
}

/** Draw the words of both sides as buttons, and return them. @param {Element} place @param {Kind} kind */
export function drawWords(place, kind) {
  place.replaceChildren();
  const drawSide = (/** @type {"row" | "column"} */ side, /** @type {number} */ line) => {
    make("span", { class: "title" }, place, kind[`${side}_title`]);
    const row = make("div", {}, place);
    return tokensOf(kind, side).map((token, index) => make("span", { class: "chip", role: "button",
      "data-word": `${side}.${index + 1}`, "data-grid": "words", "data-line": line, "data-place": index,
      tabindex: line || index ? -1 : 0 }, row, token));
  };
  return { column: drawSide("column", 0), row: drawSide("row", 1) };
}

/** The elements of the stage, drawn once for a plan; `show` lights what the state has chosen. */
export class StageDrawing {
  /** @param {Plan} plan @param {StageState} state @param {ReturnType<typeof drawWords>} chips */
  constructor(plan, state, chips) {
    this.plan = plan;
    this.state = state;
    this.chips = chips;
    this.svg = makeSvg("svg", { role: "group", "font-size": plan.unit, ...plan.size });
    /** @type {Map<string, { head: SVGElement, edge: SVGElement }>} */
    this.heads = new Map();
    /** @type {{ path: SVGElement, box: Box }[]} */
    this.fades = []; // over each map, all but the row or the column of a word
    /** @type {{ side: Side, every: number, isSmall: boolean, nodes: SVGElement[] }[]} */
    this.labels = [];
    /** @type {Map<string, SVGElement>} */
    this.lines = new Map();
    this.drawHeads();
    this.name = makeSvg("text", { ...plan.large.name, class: "name" }, this.svg);
    this.large = makeSvg("g", {}, this.svg);
    this.curves = makeSvg("g", {}, this.large);
    for (const labels of plan.large.labels) this.drawLabels(this.large, labels, false);
    this.drawTitles();
  }

  // Elements.

  drawHeads() {
    const { kind, heads } = this.plan;
    const grid = makeSvg("g", { role: "grid", "aria-label": say("{attention}: layers and heads", { attention: kind.name }) }, this.svg);
    for (const [line, { heads: ofLayer, title, labels }] of heads.layers.entries()) {
      const row = makeSvg("g", { role: "row" }, grid);
      ofLayer.forEach((head, place) => this.drawHead(row, head, line, place));
      const { x, y, text } = title;
      makeSvg("text", { x, y, "text-anchor": "middle", "dominant-baseline": "central", class: "title",
        transform: `rotate(-90 ${x} ${y})` }, row, text);
      for (const each of labels) this.drawLabels(row, each, true);
    }
    for (const { title, labels } of heads.columns) {
      makeSvg("text", { x: title.x, y: title.y, "text-anchor": "middle", class: "title" }, grid, title.text);
      for (const each of labels) this.drawLabels(grid, each, true);
    }
  }

  /** @param {Element} parent @param {PlannedHead} planned @param {number} line @param {number} place in it */
  drawHead(parent, { id, box, caption }, line, place) {
    const { kind, unit } = this.plan;
    const role = roleOf(kind, id);
    const label = role ? say("{head}: {text}", { head: nameOf(id), text: role }) : nameOf(id);
    const head = makeSvg("g", { class: "head", role: "gridcell", "data-head": id, "data-grid": "heads",
      "data-line": line, "data-place": place, "aria-label": label }, parent);
    const href = this.pictureOf(this.weightsOf(id), kind.columns.length);
    makeSvg("image", { ...box, href, preserveAspectRatio: "none" }, head);
    this.fades.push({ path: makeSvg("path", { class: "fade", "fill-rule": "evenodd" }, head), box });
    const edge = makeSvg("rect", { ...box, class: "edge" }, head);
    caption.forEach((text, number) => {
      const at = { x: box.x + box.width / 2, y: box.y + box.height + (1.2 + number) * unit };
      makeSvg("text", { ...at, "text-anchor": "middle" }, head, text);
    });
    this.heads.set(id, { head, edge });
  }

  /** @param {Element} parent @param {Labels} labels @param {boolean} isSmall whether they are those of small maps */
  drawLabels(parent, { side, anchor, turn, every, texts }, isSmall) {
    const nodes = texts.map(({ x, y, text }, index) => makeSvg("text", { x, y, "text-anchor": anchor,
      "dominant-baseline": "central", class: "label", "data-word": `${side}.${index + 1}`,
      transform: `rotate(${turn} ${x} ${y})` }, parent, text));
    this.labels.push({ side, every, isSmall, nodes });
  }

  drawTitles() {
    const { unit, large } = this.plan;
    const titles = [say("attends"), say("attended to")];
    large.labels.forEach(({ anchor, texts }, end) => {
      const at = { x: texts[0].x, y: large.box.y - 0.8 * unit };
      makeSvg("text", { ...at, "text-anchor": anchor, class: "title" }, this.large, titles[end]);
    });
  }

  /** Return a bitmap of weights as an address. @param {Float32Array} weights @param {number} across cells in a row */
  pictureOf(weights, across) {
    const { highest } = this.plan.kind;
    const { shades } = this.state;
    const [width, height] = [across * CELL, (weights.length / across) * CELL];
    const canvas = Object.assign(document.createElement("canvas"), { width, height });
    const brush = brushOf(canvas);
    weights.forEach((value, at) => {
      const shade = shades[Math.round((shades.length - 1) * Math.min(1, value / highest))];
      brush.fillStyle = Number.isNaN(value) ? "transparent" : shade;
      brush.fillRect((at % across) * CELL, Math.floor(at / across) * CELL, CELL, CELL);
    });
    return canvas.toDataURL();
  }

  /** @param {string} head */
  weightsOf(head) {
    return /** @type {Float32Array} */ (this.state.values.get(head));
  }

  /** @param {string} head @param {number} row @param {number} column */
  valueAt(head, row, column) {
    return this.weightsOf(head)[row * this.plan.kind.columns.length + column];
  }

  /** Return the color of a head that is compared. @param {string} head */
  colorOf(head) {
    return this.state.colors[Math.max(0, this.state.kept.indexOf(head))];
  }

  // Highlights.

  /** Light some heads and a word, whose weights in the last head the words have as colors. @param {string[]} heads @param {Word | null} word */
  show(heads, word) {
    const head = heads[heads.length - 1];
    for (const { path, box } of this.fades) path.setAttribute("d", word ? pathAround(this.plan.kind, box, word) : "");
    this.showHeads();
    this.showLabels(head, word);
    this.showChips(head, word);
    this.showLines(heads, word);
    this.name.replaceChildren(...heads.map((id, place) => this.nameOfLarge(id, place, heads.length)));
  }

  showHeads() {
    const { kept, colors } = this.state;
    for (const [id, { head, edge }] of this.heads) {
      head.classList.toggle("kept", kept.includes(id));
      head.setAttribute("aria-selected", String(kept.includes(id)));
      head.setAttribute("tabindex", id === kept[0] ? "0" : "-1");
      edge.style.stroke = colors[kept.indexOf(id)] ?? "";
    }
  }

  /**
   * Show the labels that fit, with those of a word and of the one that it is linked to most. Small maps without room for
   * all of their words have only these two.
   * @param {string} head @param {Word | null} word
   */
  showLabels(head, word) {
    const lit = word ? linksOf(this.plan.kind, this.weightsOf(head), word)[0] : { row: -1, column: -1 };
    for (const { side, every, isSmall, nodes } of this.labels) {
      const isLit = nodes.map((_, index) => index === lit[side]);
      const fit = isSmall && every > 1 ? isLit : labelsThatFit(nodes.length, every, lit[side]);
      nodes.forEach((node, index) => {
        node.style.display = fit[index] ? "" : "none";
        node.classList.toggle("lit", isLit[index]);
      });
    }
  }

  /** @param {string} head @param {Word | null} word */
  showChips(head, word) {
    const { shades, strong } = this.state.data.colors;
    for (const [side, chips] of Object.entries(this.chips)) {
      chips.forEach((chip, index) => {
        const other = word && word.side !== side ? word.index : -1;
        const weight = side === "row" ? this.valueAt(head, index, other) : this.valueAt(head, other, index);
        const share = other < 0 ? 0 : (weight || 0) / this.plan.kind.highest;
        chip.style.background = share ? shadeOf(shades, share) : "";
        chip.style.color = share > strong ? "white" : share ? "light-dark(black, white)" : "";
        chip.classList.toggle("lit", word?.side === side && word.index === index);
        chip.setAttribute("aria-pressed", String(this.state.choice.word === chip.dataset.word));
      });
    }
  }

  /** Draw a line for each weight of some heads. @param {string[]} heads @param {Word | null} word */
  showLines(heads, word) {
    const { kind, unit, large } = this.plan;
    for (const line of this.lines.values()) line.style.display = "none";
    heads.forEach((head, number) => this.weightsOf(head).forEach((value, at) => {
      const share = Math.min(1, value / kind.highest);
      if (!hasLine(share)) return;
      const cell = cellOf(kind, at);
      const isFar = word !== null && word.index !== cell[word.side];
      const { width, opacity } = lineStyle(share, isFar, unit, large.box.height / kind.rows.length);
      const shift = (number - (heads.length - 1) / 2) * 0.16 * unit;
      const look = { display: "", stroke: this.colorOf(head), strokeWidth: `${width}px`, opacity };
      // Its path depends on how many heads are shown side by side.
      Object.assign(this.lineAt(`${number}.${heads.length}.${at}`, cell, shift).style, look);
    }));
  }

  /** @param {string} key @param {Cell} cell @param {number} shift */
  lineAt(key, { row, column }, shift) {
    const { kind, large } = this.plan;
    const kept = this.lines.get(key);
    if (kept) return kept;
    const d = linePath(large.box, kind, row, column, shift);
    const line = makeSvg("path", { class: "line", d }, this.curves);
    this.lines.set(key, line);
    return line;
  }

  /** @param {string} id @param {number} place @param {number} count */
  nameOfLarge(id, place, count) {
    const text = count > 1 ? `${place ? " · " : ""}${shortNameOf(this.plan.kind, id)}` : nameOf(id);
    const part = makeSvg("tspan", {}, undefined, text);
    part.style.fill = this.colorOf(id);
    return part;
  }
}

// @ts-check
// Buttons that save a figure as a picture, as its own toolbar does, which has one format.
import { make, say } from "./dom.js";

/** @import { Mount } from "./types" */
/** @typedef {HTMLElement & { _context: { toImageButtonOptions: { format: string } } }} Plot Plotly's element */

/** @type {Mount<{ figure: string }>} */
export function mount(place, { figure }) {
  place.setAttribute("aria-label", say("Save as a picture"));
  for (const format of ["png", "svg"]) {
    const button = make("button", { type: "button" }, place, format.toUpperCase());
    button.onclick = () => save(figure, format);
  }
  return { update: () => {}, dispose: () => {} };
}

/** @param {string} figure the class of what is around it @param {string} format */
function save(figure, format) {
  const plot = /** @type {Plot | null} */ (document.querySelector(`.${figure} .js-plotly-plot`));
  if (!plot) return;
  plot._context.toImageButtonOptions.format = format;
  /** @type {HTMLElement | null} */ (plot.querySelector(".modebar-btn"))?.click();
}

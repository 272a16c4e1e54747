// @ts-check
// A drawing of the server's, some parts of which may be clicked. It comes as data, because all sessions of a server
// share a component's own HTML.
/** @import { Mount } from "./types" */

/** @type {Mount<string>} */
export function mount(place, data, send) {
  const update = (/** @type {string} */ svg) => {
    const root = /** @type {Document | ShadowRoot} */ (place.getRootNode());
    const focused = /** @type {HTMLElement | null} */ (root.activeElement)?.dataset.part;
    place.innerHTML = svg;
    for (const part of /** @type {NodeListOf<HTMLElement>} */ (place.querySelectorAll("[data-part]"))) {
      const select = () => send.trigger("part", part.dataset.part);
      part.onclick = select;
      part.onkeydown = (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        select();
      };
      if (focused && part.dataset.part === focused && part.tabIndex === 0) part.focus();
    }
  };
  update(data);
  return { update, dispose: () => {} };
}

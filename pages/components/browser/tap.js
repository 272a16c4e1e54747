// @ts-check
// A finger's tap on a figure. Plotly (Streamlit 1.67) chooses what the mouse was over before, and a finger was nowhere: the first tap
// would only say what is there, and the next one choose it, wherever it is.

/** Let a figure know where a finger comes down. @param {PointerEvent} event */
function pointAt({ pointerType, target, clientX, clientY }) {
  const figure = target instanceof Element ? target.closest(".js-plotly-plot .drag") : null;
  if (pointerType === "touch") figure?.dispatchEvent(new MouseEvent("mousemove", { clientX, clientY, bubbles: true }));
}

/** Listen to fingers, once in a tab. */
export function start() {
  const { dataset } = document.documentElement;
  if (dataset.tap) return;
  dataset.tap = "ready";
  addEventListener("pointerdown", pointAt, true);
}

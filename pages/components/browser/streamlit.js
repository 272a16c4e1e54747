// @ts-check
// How Streamlit runs a component: it calls a function at each run of the page, and what that function has returned when
// the component leaves the page.

import { speakTo } from "./dom.js";

/** @import { Component, Mount, Run } from "./types" */

/**
 * Return what Streamlit calls: it mounts a component once and updates it later.
 * @param {Mount<any>} mount @param {string} selector of the element to draw in; without one, it is what is around it
 */
export function asComponent(mount, selector) {
  /** @type {WeakMap<HTMLElement, { run: Run, component?: Component<any>, language?: string }>} */
  const mounted = new WeakMap();
  return (/** @type {Run} */ run) => {
    const place = /** @type {HTMLElement} */ (run.parentElement.querySelector(selector) ?? run.parentElement);
    const own = mounted.get(place) ?? { run };
    own.run = run; // what is sent belongs to the latest run
    mounted.set(place, own);
    const { reader, shown } = run.data;
    speakTo(reader);
    if (own.component && own.language !== reader.language) {
      own.component.dispose();
      own.component = undefined; // it begins anew
      if (place !== run.parentElement) place.replaceChildren();
    }
    own.language = reader.language;
    if (own.component) own.component.update(shown);
    own.component ??= mount(place, shown, {
      state: (name, value) => own.run.setStateValue(name, value),
      trigger: (name, value) => own.run.setTriggerValue(name, value),
    });
    return () => {
      // Streamlit ends a run that a newer one overtook only after it has been called, while the component is still
      // shown, and maybe before it calls the newer one.
      if (place.isConnected) return;
      own.component?.dispose();
      mounted.delete(place);
    };
  };
}

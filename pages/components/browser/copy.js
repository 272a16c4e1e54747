// @ts-check
// The button that copies a link; `st.code` has no clipboard without https.
import { copyText } from "./clipboard.js";
import { say } from "./dom.js";

/** @import { Mount } from "./types" */

/** @type {Mount<{ address: string }>} */
export function mount(button, data) {
  const latest = { ...data };
  button.textContent = say("Copy the link");
  button.onclick = async () => {
    await copyText(latest.address, button);
    button.textContent = say("Copied");
  };
  return { update: (next) => Object.assign(latest, next), dispose: () => {} };
}

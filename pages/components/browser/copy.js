// @ts-check
// The button that copies a link. Without https, as on a teacher's laptop, pages and `st.code` have no clipboard; the
// older execCommand still works.
import { say } from "./dom.js";

/** @import { Mount } from "./types" */

/** @type {Mount<{ address: string }>} */
export function mount(button, data) {
  const latest = { ...data };
  button.textContent = say("Copy the link");
  button.onclick = async () => {
    const copied = await navigator.clipboard?.writeText(latest.address).then(() => true, () => false);
    if (!copied) copyByCommand(button, latest.address);
    button.textContent = say("Copied");
  };
  return { update: (next) => Object.assign(latest, next), dispose: () => {} };
}

/** @param {HTMLElement} button @param {string} address */
function copyByCommand(button, address) {
  const box = document.createElement("textarea");
  box.value = address;
  button.after(box);
  box.select();
  document.execCommand("copy");
  box.remove();
}

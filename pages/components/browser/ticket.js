// @ts-check
// Like tab_memory.js. Where a browser forbids sessionStorage, the code must be typed again after a reload.
/** @import { Mount } from "./types" */

const KEY = "transformer-classroom-class";

/** @type {Mount<{ ticket: string, asked: boolean }>} */
export function mount(_place, data, send) {
  const update = (/** @type {typeof data} */ { ticket, asked }) => {
    try {
      const kept = sessionStorage.getItem(KEY);
      if (ticket) sessionStorage.setItem(KEY, ticket);
      else if (!asked && kept) send.state("kept", kept);
    } catch (error) {
      console.info("This browser keeps nothing for this tab.", error);
    }
  };
  update(data);
  return { update, dispose: () => {} };
}

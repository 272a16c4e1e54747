// @ts-check
// The keys that the teacher's remote presses: the projector does what presenting.js does for its own.
import { press } from "./presenting.js";
/** @import { Mount } from "./types" */

/** @type {Mount<{ number: number, key: string }>} */
export function mount(_place, data) {
  let done = data.number; // of the presses before this page
  const update = (/** @type {typeof data} */ { number, key }) => {
    if (number > done) press(key);
    done = number;
  };
  return { update, dispose: () => {} };
}

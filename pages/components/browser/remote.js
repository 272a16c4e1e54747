// @ts-check
// The keys that the teacher's remote presses: the projector does what presenting.js does for its own, and says what they
// do now.
import { labelOf, press } from "./presenting.js";
/** @import { Mount } from "./types" */

const LOOKS = 400; // ms between two

/** @type {Mount<{ number: number, key: string }>} */
export function mount(_place, data, send) {
  let done = data.number; // of the presses before this page
  let told = "";
  const looking = setInterval(() => {
    const keys = { next: labelOf("PageDown"), train: labelOf("Train") };
    if (JSON.stringify(keys) !== told) send.state("keys", keys);
    told = JSON.stringify(keys);
  }, LOOKS);
  const update = (/** @type {typeof data} */ { number, key }) => {
    if (number > done) press(key);
    done = number;
  };
  return { update, dispose: () => clearInterval(looking) };
}

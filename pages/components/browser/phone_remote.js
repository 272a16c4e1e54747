// @ts-check
// The teacher's remote: what leads on, what a vote needs next, and what the class does.
import { make, say } from "./dom.js";
/** @import { Line } from "./phone_line.js" */
/** @import { PhoneRemote } from "./types" */

/** @param {Element} place @param {PhoneRemote} remote @param {Line} line */
export function drawRemote(place, remote, line) {
  make("p", { class: "here" }, place, [say("{count} here", { count: remote.here }), remote.about].filter(Boolean).join(" · "));
  if (remote.trouble) make("p", { class: "trouble" }, place, remote.trouble);
  const buttons = make("div", { class: "keys" }, place);
  for (const { act, label, is_main: isMain } of remote.acts) {
    const button = make("button", { type: "button", id: act, class: isMain ? "main" : "" }, buttons, label);
    button.onclick = () => void line.press({ act });
  }
  for (const { number, text } of remote.sentences) {
    make("bdi", {}, make("p", {}, place), text);
    const choice = make("div", { class: "keys" }, place);
    for (const [act, label] of [["accept", say("Accept")], ["refuse", say("Refuse")]]) {
      const button = make("button", { type: "button", id: `${act}_${number}` }, choice, label);
      button.onclick = () => void line.press({ act, key: String(number) });
    }
  }
}

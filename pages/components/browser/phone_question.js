// @ts-check
// A question on a phone: its answers as large buttons, one's own marked; then how the class has answered.
import { make, percent, say } from "./dom.js";
/** @import { Marked, PhoneAnswer, PhoneQuestion } from "./types" */

/** Set a text with its bold words, code and indexes. @param {Element} place @param {Marked} parts */
export function setText(place, parts) {
  for (const [mark, text] of parts) {
    if (mark) make(mark, {}, place, text);
    else place.append(text);
  }
}

/**
 * @param {Element} place @param {PhoneQuestion} asked @param {PhoneAnswer | undefined} own
 * @param {(answer: string | number) => void} act
 */
export function drawQuestion(place, asked, own, act) {
  const form = make("fieldset", { class: "question" }, place);
  setText(make("legend", {}, form), asked.text);
  if (asked.before) make("p", { class: "note" }, form, asked.before);
  if (asked.votes) drawBars(form, asked, own);
  else ASK[asked.kind]?.(form, asked, own, act);
  const said = asked.why || own?.said;
  if (said) setText(make("p", { class: "why" }, form), said);
  else if (own?.now !== undefined && !asked.votes) make("p", { class: "note" }, form, asked.note);
}

/**
 * @param {Element} form @param {PhoneQuestion} asked @param {PhoneAnswer | undefined} own
 * @param {(answer: number) => void} act
 */
function askChoice(form, asked, own, act) {
  asked.options.forEach((option, number) => {
    const attributes = { type: "button", id: `${asked.key}_${number}`, "aria-pressed": own?.now === number };
    const button = make("button", attributes, form, `${String.fromCharCode(65 + number)}\u2002`);
    setText(button, option);
    button.disabled = stands(asked, own);
    button.onclick = () => act(number);
  });
}

/**
 * @param {Element} form @param {PhoneQuestion} asked @param {PhoneAnswer | undefined} own
 * @param {(answer: string) => void} act
 */
function askTyped(form, asked, own, act) {
  const row = make("div", { class: "number" }, form); // not a form: a frame without `allow-forms` would block it
  const attributes = { id: asked.key, inputmode: asked.box?.keyboard ?? "text", "aria-label": say("Your answer"), autocomplete: "off" };
  const box = make("input", attributes, row);
  if (own?.typed) box.value = own.typed;
  const label = own?.now === undefined ? say("Answer") : say("Answered");
  const button = make("button", { type: "button", id: `${asked.key}_answer`, "aria-pressed": own?.now !== undefined }, row, label);
  button.disabled = box.disabled = stands(asked, own);
  const answer = () => {
    if (box.value.trim()) act(box.value.trim());
  };
  button.onclick = answer;
  box.onkeydown = ({ key }) => {
    if (key === "Enter") answer();
  };
}

/** Return whether the own answer stands. @param {PhoneQuestion} asked @param {PhoneAnswer | undefined} own */
function stands(asked, own) {
  return Boolean(asked.is_final) && own?.now !== undefined;
}

// How each kind of question is asked.
/** @type {Record<string, (form: Element, asked: PhoneQuestion, own: PhoneAnswer | undefined, act: (answer: any) => void) => void>} */
const ASK = { choice: askChoice, typed: askTyped };

/** @param {Element} form @param {PhoneQuestion} asked @param {PhoneAnswer | undefined} own */
function drawBars(form, asked, own) {
  const { votes } = asked;
  asked.options.forEach((option, number) => {
    const isRight = asked.right === number;
    const row = make("div", { class: isRight ? "option right" : "option" }, form);
    setText(make("p", {}, row, `${isRight ? "✓ " : ""}${String.fromCharCode(65 + number)}\u2002`), option);
    (votes ?? []).forEach((counts, vote) => {
      const all = counts.reduce((sum, each) => sum + each, 0);
      const share = all ? counts[number] / all : 0;
      const count = counts[number];
      const named = vote ? say("second vote: {count}", { count }) : say("first vote: {count}", { count });
      const you = own?.votes?.[vote] === number ? ` · ${say("you")}` : "";
      const bar = make("div", { class: vote + 1 === votes?.length ? "bar" : "bar before" }, row);
      bar.style.width = `${100 * share}%`;
      make("p", { class: "count" }, row, `${votes && votes.length > 1 ? named : count} · ${percent(share)}${you}`);
    });
  });
}

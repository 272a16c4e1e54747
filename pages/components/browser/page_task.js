// @ts-check
// The task of a page without a server: steps with questions, which the page checks, and the answers to take away.
import { copyText } from "./clipboard.js";
import { make, say } from "./dom.js";
import { drawQuestion, setText } from "./phone_question.js";

/** @import { PageQuestion, PageTask, PhoneAnswer } from "./types" */

/** Draw a task into an element. @param {HTMLElement} place @param {PageTask} task @param {string} decimal the reader's mark */
export function drawTask(place, task, decimal) {
  if (task.title) make("h2", {}, place, task.title);
  /** @type {Map<PageQuestion, string>} the first answer to each, with whether it is right */
  const firsts = new Map();
  const questions = task.steps.flatMap((step) => step.questions);
  task.steps.forEach((step, number) => {
    make("h3", {}, place, task.steps.length > 1 ? `${number + 1}. ${step.title}` : step.title);
    if (step.task.length) setText(make("p", {}, place), step.task);
    for (const asked of step.questions) {
      drawAsked(make("div", {}, place), asked, decimal, (first) => {
        if (!firsts.has(asked)) firsts.set(asked, first);
        tell();
      });
    }
  });
  if (!questions.length) return;
  const answers = make("details", { class: "answers" }, place);
  const tell = drawAnswers(answers, () => [task.title, ...questions.map((asked, number) => {
    return `${number + 1}. ${asked.plain}\n${firsts.get(asked) ?? say("no answer yet")}`;
  })]);
}

/**
 * Ask a question until it is answered right.
 * @param {HTMLElement} place @param {PageQuestion} asked @param {string} decimal @param {(first: string) => void} note
 */
function drawAsked(place, asked, decimal, note) {
  const draw = (/** @type {PhoneAnswer | undefined} */ own) => {
    const focused = document.activeElement?.id;
    place.replaceChildren();
    drawQuestion(place, asked, own, (given) => {
      const option = typeof given === "number" ? given : Number(!isNear(given, asked, decimal));
      const isRight = option === asked.right_option;
      const written = typeof given === "number" ? asked.plain_options[given] : given;
      note(`${written} (${isRight ? say("right") : say("wrong")})`);
      draw({ now: option, is_final: isRight, said: asked.said[option], typed: typeof given === "string" ? given : undefined });
    });
    if (focused) document.getElementById(focused)?.focus();
  };
  draw(undefined);
}

/** Return whether a typed number is the right one. @param {string} typed @param {PageQuestion} asked @param {string} decimal */
function isNear(typed, { number, tolerance }, decimal) {
  const digits = typed.replace(/\s/g, "").replace("\u2212", "-").replace(decimal, ".");
  return digits !== "" && Math.abs(Number(digits) - number) <= tolerance;
}

/**
 * Show all answers, with a name, to copy or to print. Nothing is sent.
 * @param {HTMLElement} place @param {() => string[]} lines
 * @returns {() => void} shows them anew
 */
function drawAnswers(place, lines) {
  make("summary", {}, place, say("My answers"));
  const name = make("input", { autocomplete: "off", maxlength: 80 }, make("label", {}, place, `${say("Name")} `));
  const text = make("pre", { tabindex: 0 }, place);
  const keys = make("p", { class: "keys" }, place);
  const copy = make("button", { type: "button" }, keys, say("Copy my answers"));
  copy.onclick = async () => {
    await copyText(text.textContent ?? "", copy);
    copy.textContent = say("Copied");
  };
  // A page in a frame may not print.
  if (window.top === window) make("button", { type: "button" }, keys, say("Print")).onclick = () => print();
  make("p", { class: "note" }, place, say("Nothing is sent or kept: copy your answers before you close this page."));
  const tell = () => {
    text.textContent = [name.value, ...lines()].filter(Boolean).join("\n\n");
    copy.textContent = say("Copy my answers");
  };
  name.oninput = tell;
  tell();
  return tell;
}

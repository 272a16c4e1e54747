// @ts-check
// The task of a page without a server: steps with questions, which the page checks, and the answers to take away.
import { copyText } from "./clipboard.js";
import { make, say } from "./dom.js";
import { drawQuestion, setText } from "./phone_question.js";

/** @import { PageQuestion, PageTask } from "./types" */

/** Draw a task into an element. @param {HTMLElement} place @param {PageTask} task */
export function drawTask(place, task) {
  if (task.title) make("h2", {}, place, task.title);
  /** @type {Map<PageQuestion, string>} the first answer to each, with whether it is right */
  const firsts = new Map();
  const questions = task.steps.flatMap((step) => step.questions);
  task.steps.forEach((step, number) => {
    make("h3", {}, place, task.steps.length > 1 ? `${number + 1}. ${step.title}` : step.title);
    if (step.task.length) setText(make("p", {}, place), step.task);
    for (const asked of step.questions) {
      drawAsked(make("div", {}, place), asked, (first) => {
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
 * Ask a question, and say what is right or wrong about each answer.
 * @param {HTMLElement} place @param {PageQuestion} asked @param {(answer: string) => void} note
 */
function drawAsked(place, asked, note) {
  const question = make("div", {}, place);
  const result = make("div", { "aria-live": "polite" }, place);
  const draw = (/** @type {number | undefined} */ now) => {
    question.replaceChildren();
    drawQuestion(question, asked, { now }, (answer) => {
      const option = Number(answer);
      note(`${asked.plain_options[option]} (${option === asked.right_option ? say("right") : say("wrong")})`);
      draw(option);
      /** @type {HTMLElement | null} */ (question.querySelector('[aria-pressed="true"]'))?.focus();
      result.replaceChildren();
      setText(make("p", { class: "why" }, result), asked.said[option]);
    });
  };
  draw(undefined);
}

/**
 * Show all answers, with a name, to copy or to print. Nothing is sent.
 * @param {HTMLElement} place @param {() => string[]} lines
 * @returns {() => void} shows them anew
 */
function drawAnswers(place, lines) {
  make("summary", {}, place, say("My answers"));
  const name = make("input", { autocomplete: "off", maxlength: 80 }, make("label", {}, place, `${say("Name")} `));
  const text = make("pre", {}, place);
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

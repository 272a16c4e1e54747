import assert from "node:assert/strict";
import test from "node:test";

import { mount } from "../remote.js";
import { start } from "../presenting.js";
import { find, openPage, press, rest } from "./page.js";

const button = (key) => `<div class="st-key-${key}"><button></button></div>`;
const LEAVE = button("leave_presenting");
const LESSON = button("lesson_next") + button("lesson_back");

/** Open a page in presenter mode; return the buttons that are pressed and the keys that a drawing gets. */
function present(html, isPresenting = true) {
  openPage((isPresenting ? LEAVE : "") + html);
  start();
  const pressed = [];
  document.body.addEventListener("click", ({ target }) => pressed.push(target.parentElement.className.replace("st-key-", "")));
  addEventListener("remote", ({ detail }) => pressed.push(`remote ${detail}`));
  return pressed;
}

test("the page keys lead through a lesson, first through what a class has answered and what the step needs", () => {
  const pressed = present(button("leads_on") + button("room_show") + button("screen_done") + LESSON);
  press("PageDown");
  find(".st-key-screen_done").remove(); // the room's code, which stood over all
  press("PageDown");
  find(".st-key-room_show").remove();
  press("PageDown");
  find(".st-key-leads_on").remove();
  press("PageDown");
  press("PageUp");
  press("PageDown", document.body, { repeat: true }); // held down
  press("PageDown", document.body, { ctrlKey: true });
  assert.deepEqual(pressed, ["screen_done", "room_show", "leads_on", "lesson_next", "lesson_back"]);
});

test("a page key has no other meaning in a lesson, and scrolls without one", () => {
  present(LESSON + "<input>");
  assert.equal(press("PageDown", find("input")), false);
  present("");
  assert.equal(press("PageDown"), true);
});

test("the projector tells the teacher's remote what its next press does", async () => {
  present(`<div class="st-key-lesson_next"><button><p data-testid="stMarkdownContainer">Next: <strong>Masks</strong></p></button></div>`);
  const told = [];
  const component = mount(document.body, { number: 0, key: "" }, { state: (...said) => told.push(said), trigger: () => {} });
  while (!told.length) await rest(50);
  component.dispose();
  assert.deepEqual(told, [["keys", { next: "Masks", train: "" }]]);
});

test("a button that is disabled is not pressed", () => {
  const pressed = present(`<div class="st-key-leads_on"><button disabled></button></div>${LESSON}`);
  press("PageDown");
  assert.deepEqual(pressed, ["lesson_next"]);
});

test("arrow keys press a view's steps, else they go to a drawing, which may take them", () => {
  const pressed = present(`<div class="st-key-step_Right"><button></button></div>`);
  press("ArrowRight");
  assert.equal(press("ArrowLeft"), true);
  assert.deepEqual(pressed, ["step_Right", "remote ArrowLeft"]);
  addEventListener("remote", (event) => event.preventDefault());
  assert.equal(press("ArrowLeft"), false);
});

test("what uses arrow keys itself keeps them", () => {
  const pressed = present(`<div class="st-key-step_Right"><button></button></div><input><div role="slider" tabindex="0"></div>`);
  for (const control of ["input", "[role=slider]"]) press("ArrowRight", find(control));
  assert.deepEqual(pressed, []);
});

test("a projector that is loaded anew does not press the remote's last key again", () => {
  const pressed = present(LESSON);
  const drawing = mount(null, { number: 3, key: "PageDown" }, { state() {} });
  for (const number of [3, 4]) drawing.update({ number, key: "PageDown" });
  drawing.dispose();
  assert.deepEqual(pressed, ["lesson_next"]);
});

test("after Enter in a text box, the keys are the remote's again", async () => {
  present("<input>");
  find("input").focus();
  press("Enter");
  await rest();
  assert.notEqual(document.activeElement, find("input"));
});

test("Esc closes what is open first, then the sentence, then it ends presenting", () => {
  const sentence = `<div class="st-key-bar_sentence"><details open><summary></summary></details></div>`;
  const pressed = present(`<div role="dialog"></div>${sentence}`);
  press("Escape");
  assert.ok(find("details").open);
  find("[role=dialog]").remove();
  press("Escape");
  assert.equal(find("details[open]"), null);
  assert.ok(!pressed.includes("leave_presenting"));
  press("Escape");
  assert.ok(pressed.includes("leave_presenting"));
});

test("outside presenter mode, keys are the page's", () => {
  const pressed = present(LESSON, false);
  for (const key of ["PageDown", "ArrowRight", "Escape"]) assert.equal(press(key), true);
  assert.deepEqual(pressed, []);
});

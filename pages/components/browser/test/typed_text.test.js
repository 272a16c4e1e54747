import assert from "node:assert/strict";
import test from "node:test";

import { start } from "../typed_text.js";
import { find, openPage, press, rest } from "./page.js";

const REST = 350; // ms, a little more than the page's

/** Draw the page's box as the server knows it, with a label of its own in each test. */
async function draw(label, text, { inForm = false } = {}) {
  const box = `<div><input type="text" aria-label="${label}" value="${text}"></div>`;
  find("main").innerHTML = inForm ? `<div data-testid="stForm">${box}<button>Send</button></div>` : box;
  await rest(REST);
}

/** Type into a box, do something, leave the page and come back; return what the box has. */
async function comeBack(label, { inForm = false, then = () => {}, now = "before" } = {}) {
  openPage(`<main data-testid="stMain"></main>`);
  start();
  await draw(label, "before", { inForm });
  find("input").value = "half typed";
  find("input").dispatchEvent(new Event("input", { bubbles: true }));
  then();
  find("main").innerHTML = "another page";
  await rest(REST);
  await draw(label, now, { inForm });
  return find("input").value;
}

test("what is half typed is there again when the page is", async () => {
  assert.equal(await comeBack("kept"), "half typed");
});

test("a box that has another text by now keeps it", async () => {
  assert.equal(await comeBack("changed", { now: "the class's" }), "the class's");
});

test("what was sent is not typed again", async () => {
  assert.equal(await comeBack("entered", { then: () => press("Enter", find("input")) }), "before");
  assert.equal(await comeBack("pressed", { inForm: true, then: () => find("button").click() }), "before");
});

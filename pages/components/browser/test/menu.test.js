import assert from "node:assert/strict";
import test from "node:test";

import { start } from "../menu.js";
import { find, openPage, rest } from "./page.js";

const MENU = `<div data-testid="stSidebar" data-collapsed="false">
  <div data-testid="stSidebarCollapseButton"><button></button></div></div>`;

/** Return whether the menu is closed once the page is there, drawn before the script or after it. */
async function isClosed(width, comesLate) {
  openPage(comesLate ? "" : MENU, { width });
  const pressed = [];
  document.body.addEventListener("click", () => pressed.push("close"));
  start();
  if (comesLate) document.body.innerHTML = MENU;
  await rest();
  assert.equal(document.documentElement.dataset.menu, "ready");
  find("[data-testid=stSidebar]").dataset.collapsed = "false"; // opened by hand: it stays open
  document.body.append("more");
  start();
  await rest();
  assert.ok(pressed.length <= 1);
  return pressed.length === 1;
}

test("a small screen begins with a closed menu, once", async () => {
  for (const comesLate of [false, true]) assert.equal(await isClosed(820, comesLate), true);
});

test("a large screen keeps its menu open", async () => {
  assert.equal(await isClosed(1280, false), false);
});

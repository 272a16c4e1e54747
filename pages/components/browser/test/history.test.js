import assert from "node:assert/strict";
import test from "node:test";

import { start } from "../history.js";
import { find, openPage, rest } from "./page.js";

const HEADING = `<main data-testid="stMain"><h1>Masks</h1><a></a></main>`;

/** Open a page in a fresh tab. */
function openTab(path) {
  openPage(HEADING, { path });
  start();
}

/** Return the addresses of a tab's entries, from now on back. */
async function goBack(steps) {
  const seen = [location.pathname + location.search];
  for (let step = 0; step < steps; step += 1) {
    const arrived = new Promise((resolve) => addEventListener("popstate", resolve, { once: true }));
    history.back();
    await arrived;
    seen.push(location.pathname + location.search);
  }
  return seen;
}

const click = () => find("a").dispatchEvent(new Event("click", { bubbles: true }));
const push = (address) => history.pushState(null, "", address);

test("values that the server writes into the address make no history entry", () => {
  openTab("/masks");
  for (const length of [3, 4]) push(`/masks?length=${length}`);
  assert.equal(history.length, 1);
  assert.equal(location.search, "?length=4");
});

test("Back goes to a page as it was left, in one press", async () => {
  openTab("/masks");
  push("/masks?length=3");
  click(); // on the next page's link
  push("/masks?rate=1"); // the next page's value, which comes before the browser has left this one
  push("/learning_rate?rate=1");
  push("/learning_rate?rate=2");
  click();
  push("/data");
  assert.deepEqual(await goBack(2), ["/data", "/learning_rate?rate=2", "/masks?length=3"]);
});

test("Back leads past a page that was left without a click: its first address would join a room once more", async () => {
  openTab("/?room=K7QF");
  push("/"); // it has joined
  push("/masks");
  assert.deepEqual(await goBack(1), ["/masks", "/"]);
});

test("the next page's heading gets the focus, unless someone goes on meanwhile", async () => {
  for (const isBusy of [false, true]) {
    openTab("/masks");
    click();
    push("/data");
    assert.notEqual(document.activeElement, find("h1")); // still the page before
    if (isBusy) dispatchEvent(new Event("keydown"));
    find("main").innerHTML = "<h1>Data</h1>";
    await rest();
    assert.equal(document.activeElement === find("h1"), !isBusy);
  }
});

import assert from "node:assert/strict";
import test from "node:test";

import { mount } from "../copy.js";
import { find, openPage } from "./page.js";

/** Press the button of an address that has changed; return what the older command copied. */
async function pressCopy(clipboard) {
  openPage("<button>Copy the link</button>");
  Object.defineProperty(globalThis, "navigator", { value: { clipboard }, configurable: true });
  const commanded = [];
  document.execCommand = () => commanded.push(find("textarea").value);
  mount(find("button"), { address: "http://old" }).update({ address: "http://new" });
  await find("button").onclick();
  assert.equal(find("button").textContent, "Copied");
  assert.equal(find("textarea"), null);
  return commanded;
}

test("the link of now goes to the clipboard", async () => {
  const written = [];
  assert.deepEqual(await pressCopy({ writeText: async (text) => written.push(text) }), []);
  assert.deepEqual(written, ["http://new"]);
});

test("without a clipboard, or where it is forbidden, the older command copies", async () => {
  assert.deepEqual(await pressCopy(undefined), ["http://new"]);
  assert.deepEqual(await pressCopy({ writeText: () => Promise.reject(new Error("forbidden")) }), ["http://new"]);
});

import assert from "node:assert/strict";
import test from "node:test";

import { mount as mountTab } from "../tab_memory.js";
import { mount as mountTicket } from "../ticket.js";
import { openPage } from "./page.js";

/** Run a component after others in the same tab, as after a reload; return what each told the server. */
function inOneTab(mount, ...runs) {
  openPage('<div class="stApp"></div>');
  return runs.map((data) => {
    const sent = [];
    mount(null, data, { state: (name, value) => sent.push([name, value]) });
    return sent;
  });
}

const mine = { workspace: "a", settled: false };

test("after a reload, the server hears which workspace the tab had", () => {
  assert.deepEqual(inOneTab(mountTab, mine, mine, { workspace: "b", settled: false }), [[], [], [["remembered", mine]]]);
});

test("what the server has settled replaces what the tab remembers", () => {
  const settled = { workspace: "b", settled: true };
  assert.deepEqual(inOneTab(mountTab, mine, settled, { ...settled, settled: false }), [[], [], []]);
});

test("another tab hears which one leads a room, at once and later", () => {
  const [first, led, other] = inOneTab(
    mountTab,
    { workspace: "a", settled: true, leads: false },
    { workspace: "a", settled: true, leads: true },
    { workspace: "b", settled: true, leads: false },
  );
  assert.deepEqual([led, other], [[], [["leads", "a"]]]);
  localStorage.setItem("transformer-classroom-leads", "b");
  dispatchEvent(new Event("storage"));
  assert.deepEqual(first, [["leads", "b"]]);
});

test("a tab that came in once gives its ticket, until the server has asked", () => {
  const runs = [{ ticket: "", asked: false }, { ticket: "t", asked: true }, { ticket: "", asked: false }, { ticket: "", asked: true }];
  assert.deepEqual(inOneTab(mountTicket, ...runs), [[], [], [["kept", "t"]], []]);
});

test("a browser that forbids memory goes on without", (t) => {
  const noted = t.mock.method(console, "info", () => {});
  openPage('<div class="stApp"></div>');
  const forbid = () => { throw new Error("forbidden"); };
  Object.defineProperty(globalThis, "sessionStorage", { value: { getItem: forbid, setItem: forbid }, configurable: true });
  mountTab(null, mine, {});
  mountTicket(null, { ticket: "t", asked: false }, {});
  assert.equal(noted.mock.callCount(), 2);
});

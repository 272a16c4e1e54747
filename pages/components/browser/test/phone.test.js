import assert from "node:assert/strict";
import test from "node:test";

import { start } from "../phone.js";
import { find, openPage, press, rest } from "./page.js";

const ASKED = { key: "predict_masks", text: [["", "Which "], ["strong", "cells"], ["", " are open?"]], kind: "choice",
  options: [[["", "all"]], [["", "below"]]], note: "You can change it.", vote: 1 };
const STATE = { step: "Step 3 of 10", title: "Masks", task: [["", "Look at the "], ["code", "mask"]], model: "", asked: [ASKED],
  languages: ["French", "English"], is_at_end: false, open: "/?room=K7QF", answers: "/my_answers?room=K7QF", ended: false, is_out: false };
const OWN = { answers: {}, sentences: [] };
const ENGLISH = { language: "en", words: {}, decimal: ".", percent: "%" };
const HOSTILE = "<img src=x onerror=alert(1)>**bold**";

/** What a phone speaks with: what it has posted, and what it hears. */
class Server {
  isReached = true;
  posts = [];
  sockets = [];
  time = 0;
  answers = { enter: { state: STATE, own: OWN } };

  news = (values = {}) => ({ state: STATE, own: OWN, at: (this.time += 1), ...values });

  fetch = async (address, { body } = {}) => {
    if (!this.isReached) throw new TypeError("Failed to fetch");
    const path = new URL(address).pathname.split("/").pop();
    this.posts.push([path, body && JSON.parse(body)]);
    return { status: 200, json: async () => this.news(this.answers[path]) };
  };

  /** Tell the phone something by its open line. */
  say(values) {
    this.line.onmessage({ data: JSON.stringify(values) });
  }

  get line() {
    return this.sockets.at(-1);
  }

  get acts() {
    return this.posts.filter(([path]) => path === "acts").map(([, act]) => act);
  }
}

function socketOf(server) {
  return class {
    static OPEN = 1;
    readyState = 0;

    constructor(address) {
      this.address = address;
      server.sockets.push(this);
      setTimeout(() => (server.isReached ? this.open() : this.close(1006)));
    }

    open() {
      this.readyState = 1;
      this.onopen();
    }

    close(code = 1000) {
      this.readyState = 3;
      this.onclose({ code });
    }
  };
}

/** Open the page of a phone, again where it has been closed: what its tab keeps is given. */
async function openPhone({ server = new Server(), path = "/room/K7QF", kept = {}, reader = ENGLISH } = {}) {
  const words = `<script type="application/json" id="reader">${JSON.stringify(reader)}</script>`;
  openPage(`<html lang="${reader.language}"><main></main>${words}</html>`, { path });
  for (const [key, value] of Object.entries(kept)) sessionStorage.setItem(key, value);
  Object.assign(globalThis, { fetch: server.fetch, WebSocket: socketOf(server) });
  start();
  await rest();
  return server;
}

const options = () => [...document.querySelectorAll("fieldset button")];
const marked = () => options().map((each) => each.getAttribute("aria-pressed") === "true");
const text = (selector) => find(selector).textContent;

/** End what a page does, as it ends with a page. */
const end = (server) => server.say(server.news({ state: { ...STATE, ended: true } }));

/** Lose the network: the line ends, and nothing is reached. */
function lose(server) {
  server.isReached = false;
  server.line.close(1006);
}

test("it shows where the class is, and what it is asked", async () => {
  const server = await openPhone();
  assert.equal(text(".place"), "Step 3 of 10MasksLook at the mask");
  assert.deepEqual(options().map((each) => each.textContent), ["A\u2002all", "B\u2002below"]);
  assert.equal(find("legend strong").textContent, "cells");
  assert.equal(find("nav a").getAttribute("href"), "/?room=K7QF");
  assert.equal(server.line.address, "ws://class.example/room/K7QF/news?lang=en");
  server.say(server.news({ state: { ...STATE, title: "Train", asked: [] } }));
  assert.equal(text("h1"), "Train");
  assert.deepEqual(options(), []);
  server.say(server.news({ state: { ...STATE, is_at_end: true } }));
  assert.equal(find("nav a").getAttribute("href"), "/my_answers?room=K7QF");
});

test("one's own answer is marked at once, keeps the focus, and is the server's then", async () => {
  const server = await openPhone();
  server.answers.acts = { own: { ...OWN, answers: { predict_masks: { now: 1, said: [["strong", "Right."]] } } } };
  options()[1].focus();
  options()[1].click();
  assert.deepEqual(marked(), [false, true]);
  assert.equal(document.activeElement, options()[1]);
  await rest();
  assert.deepEqual(server.acts, [{ act: "answer", key: "predict_masks", vote: 1, answer: 1 }]);
  assert.equal(text(".why"), "Right.");
  server.say({ ...server.news(), at: 1 }); // sent before, and slower
  assert.deepEqual(marked(), [false, true]);
  const asked = [{ ...ASKED, votes: [[3, 1]] }, { ...ASKED, key: "ask_masks", options: [], kind: "typed" }];
  server.say(server.news({ state: { ...STATE, asked } }));
  assert.equal(document.activeElement, document.body, "not the box of the next question");
});

test("what a server says that was started again is newer, though its clock is not", async () => {
  const server = await openPhone();
  const gone = { ...STATE, title: "The room has ended.", asked: [], ended: true };
  server.say({ state: gone, own: OWN, at: 0.5, boot: "another" });
  assert.equal(text("h1"), gone.title);
});

test("what is answered offline is kept, also by a page that is loaded again, and sent once", async () => {
  const server = await openPhone();
  lose(server);
  for (const answer of [0, 1]) options()[answer].click();
  await rest();
  assert.match(text(".status"), /No connection/);
  assert.deepEqual(marked(), [false, true]);
  const kept = { ...sessionStorage };
  end(server);
  server.isReached = true;
  await openPhone({ server, kept });
  await rest(2600); // longer than a page waits before it tries again: the closed one says nothing more
  assert.deepEqual(server.acts, [{ act: "answer", key: "predict_masks", vote: 1, answer: 1 }]);
  assert.equal(text(".status"), "");
  assert.equal(sessionStorage.getItem(Object.keys(kept)[0]), "[]");
});

test("answers to several questions, given offline, are all sent", async () => {
  const server = await openPhone();
  const two = { ...STATE, asked: [ASKED, { ...ASKED, key: "predict_padding" }] };
  server.say(server.news({ state: two }));
  lose(server);
  for (const button of [options()[0], options()[3]]) button.click();
  server.isReached = true;
  await rest(2600);
  assert.deepEqual(server.acts.map(({ key, answer }) => [key, answer]), [["predict_masks", 0], ["predict_padding", 1]]);
  end(server);
});

test("an answer that is changed while it is on its way is sent once", async () => {
  const server = await openPhone();
  for (const answer of [0, 1]) options()[answer].click();
  await rest();
  assert.deepEqual(server.acts.map(({ answer }) => answer), [0, 1]);
  end(server);
});

test("where the first answer counts, no other can be chosen", async () => {
  const state = { ...STATE, asked: [{ ...ASKED, is_final: true }] };
  const server = await openPhone({ server: Object.assign(new Server(), { answers: { enter: { state } } }) });
  lose(server);
  for (const answer of [1, 0]) options()[answer].click();
  assert.ok(options().every((each) => each.disabled), "also before the server has it");
  server.isReached = true;
  await rest(2600);
  assert.deepEqual(server.acts.map(({ answer }) => answer), [1]);
  end(server);
});

test("a line that ends comes back by itself, and one that slept is opened anew", async () => {
  const server = await openPhone();
  const [first] = server.sockets;
  dispatchEvent(new Event("online"));
  await rest();
  assert.equal(server.sockets.length, 2);
  first.onmessage({ data: JSON.stringify({ elsewhere: "In another tab." }) }); // what the old one hears is over
  assert.equal(text(".status"), "");
  server.line.close(1006);
  await rest(350);
  assert.equal(server.sockets.length, 3);
  assert.equal(text(".status"), "");
});

test("bars come with the teacher's word, both votes and one's own, then what is right and why", async () => {
  const server = await openPhone();
  const shown = { ...ASKED, votes: [[3, 1], [1, 3]] };
  const own = { ...OWN, answers: { predict_masks: { now: 1, votes: [0, 1] } } };
  server.say(server.news({ state: { ...STATE, asked: [shown] }, own }));
  const counts = () => [...document.querySelectorAll(".count")].map((each) => each.textContent);
  assert.deepEqual(counts(), ["first vote: 3 · 75% · you", "second vote: 1 · 25%",
    "first vote: 1 · 25%", "second vote: 3 · 75% · you"]);
  assert.equal(find(".right, .why"), null);
  server.say(server.news({ state: { ...STATE, asked: [{ ...shown, right: 1, why: [["", "It is "], ["em", "causal"]] }] }, own }));
  assert.match(text(".right"), /^✓ B/);
  assert.equal(find(".why em").textContent, "causal");
});

test("it speaks its page's language, and asks for it", async () => {
  const words = { "second vote: {count}": "second tour : {count}", "you": "toi" };
  const server = await openPhone({ path: "/room/K7QF?lang=fr&code=x", reader: { language: "fr", words, decimal: ",", percent: " %" } });
  assert.match(server.line.address, /\/news\?lang=fr$/);
  const shown = { ...ASKED, votes: [[3, 1], [1, 3]] };
  server.say(server.news({ state: { ...STATE, asked: [shown] }, own: { ...OWN, answers: { predict_masks: { now: 1, votes: [0, 1] } } } }));
  assert.equal([...document.querySelectorAll(".count")].at(-1).textContent, "second tour : 3 · 75 % · toi");
  server.answers.enter = { enter: "" };
  server.say({ enter: "" });
  assert.equal(location.search, "?lang=fr", "the code goes, the language stays");
  end(server);
});

test("a number is typed, stays to be seen, and is given once where the first counts", async () => {
  const number = { ...ASKED, options: [], kind: "typed", box: { keyboard: "decimal" }, is_final: true };
  const server = await openPhone({ server: Object.assign(new Server(), {
    answers: { enter: { state: { ...STATE, asked: [number] } } } }) });
  const state = { ...STATE, asked: [number] };
  server.answers.acts = { state, own: { ...OWN, answers: { predict_masks: { now: 0 } } } };
  find("fieldset input").value = " 0,5 ";
  press("Enter", find("fieldset input"));
  await rest();
  assert.deepEqual(server.acts, [{ act: "answer", key: "predict_masks", vote: 1, answer: "0,5" }]);
  assert.equal(find("fieldset input").value, "0,5");
  assert.ok(find("fieldset input").disabled && options()[0].disabled);
});

test("the boxes of a sentence are called by the languages of the teacher's pairs, and keep what is typed", async () => {
  const server = await openPhone();
  const titles = () => [...document.querySelectorAll(".sentences label")].map((label) => label.textContent);
  assert.deepEqual(titles(), ["French", "English"]);
  find(".sentences input").value = "olá";
  server.say(server.news({ state: { ...STATE, languages: ["Portuguese", "English"] } }));
  assert.deepEqual(titles(), ["Portuguese", "English"]);
  assert.equal(find(".sentences input").value, "olá");
  end(server);
});

test("a sentence is sent, and what becomes of it is text", async () => {
  const server = await openPhone();
  server.answers.acts = { said: "Sent. Your teacher decides." };
  const [source, target] = document.querySelectorAll(".sentences input");
  [source.value, target.value] = [" oui ", "yes"];
  find(".sentences form").dispatchEvent(new Event("submit", { cancelable: true }));
  await rest();
  assert.deepEqual(server.acts, [{ act: "send", source: "oui", target: "yes" }]);
  const sentences = [{ source: HOSTILE, target: "\u202eyes", fate: "accepted", written: HOSTILE }];
  server.say(server.news({ own: { ...OWN, sentences } }));
  assert.equal(text(".status"), "Sent. Your teacher decides.");
  assert.equal(text("li"), `${HOSTILE} → \u202eyes: accepted The model writes: ${HOSTILE}`);
  assert.equal(text("li bdi:nth-of-type(2)"), "\u202eyes");
  server.say(server.news({ state: { ...STATE, title: HOSTILE, model: HOSTILE } }));
  assert.equal(find("img"), null);
  assert.equal(text(".status"), "", "it was about what has gone");
});

test("the room in another tab is said, and can be taken back", async () => {
  const server = await openPhone();
  server.say({ elsewhere: "This room is open in another tab." });
  server.line.close(4001);
  await rest(350);
  assert.equal(server.sockets.length, 1);
  assert.match(text(".status"), /^This room is open in another tab/);
  find(".status button").click();
  await rest();
  assert.equal(server.sockets.length, 2);
  assert.equal(text(".status"), "");
});

test("a class code is asked, or taken from the address, where it does not stay", async () => {
  const server = new Server();
  server.answers.enter = { enter: "" };
  await openPhone({ server, path: "/room/K7QF?code=blue%20whale" });
  assert.deepEqual(server.posts.slice(0, 2), [["enter", { code: "" }], ["enter", { code: "blue whale" }]]);
  assert.equal(location.search, "");
  server.answers.enter = { enter: "Wrong class code." };
  find("input").value = "red whale";
  find("form").dispatchEvent(new Event("submit", { cancelable: true }));
  await rest();
  assert.equal(text(".status"), "Wrong class code.");
  assert.equal(find("input").type, "password");
  server.answers.enter = { state: STATE, own: OWN };
  find("form").dispatchEvent(new Event("submit", { cancelable: true }));
  await rest();
  assert.equal(text("h1"), "Masks");
  assert.equal(text(".status"), "");
});

test("where no WebSocket comes through, the phone asks", { timeout: 20_000 }, async (t) => {
  const server = new Server();
  await openPhone({ server });
  server.answers.news = { state: { ...STATE, title: "Train" } };
  WebSocket.prototype.open = function () {
    this.close(1006);
  };
  server.line.close(1006);
  const wait = setTimeout;
  t.after(() => Object.assign(globalThis, { setTimeout: wait }));
  globalThis.setTimeout = (act, ms = 0) => wait(act, ms / 100);
  while (text("h1") !== "Train") await rest(100); // the runner ends a test that hangs
  assert.equal(text(".status"), "");
  end(server);
});

test("the remote's buttons act now or never; without the remote, the page is over", async () => {
  const counts = { predict_masks: { votes: [[3, 1]], right: 1, options: ASKED.options } };
  const acts = [{ act: "next", label: "Next: Translate →", is_main: true }, { act: "again", label: "Vote again", is_main: false }];
  const remote = { here: 4, task: [["", "Click Start"]], about: "4 answered", acts, counts, sentences: [] };
  const server = new Server();
  server.answers.enter = server.answers.acts = { own: { ...OWN, remote } };
  await openPhone({ server });
  assert.equal(text(".here"), "4 here · 4 answered");
  assert.match(text(".place"), /Click Start/, "what a teacher does");
  assert.match(text(".questions"), /✓ B/, "before the class sees it");
  assert.equal(find("form, nav a"), null);
  find(".keys button").click();
  await rest();
  assert.deepEqual(server.acts, [{ act: "next" }]);
  server.isReached = false;
  find(".keys button").click();
  await rest();
  assert.equal(text(".status"), "No connection. Press it again.");
  server.isReached = true;
  dispatchEvent(new Event("online"));
  await rest();
  assert.deepEqual(server.acts, [{ act: "next" }]);
  const gone = { ...STATE, title: "This phone has left the room", asked: [], ended: true };
  server.say(server.news({ state: gone }));
  server.line.close(1006);
  assert.equal(find("button, form, nav a"), null);
  assert.equal(text("main"), "Step 3 of 10This phone has left the roomLook at the mask");
});

test("a phone that the teacher has taken out offers nothing until it is brought back", async () => {
  const server = await openPhone();
  const offers = () => ["section.sentences", "nav"].map((part) => !find(part).hidden);
  assert.deepEqual([offers(), options().length], [[true, true], 2]);
  server.say(server.news({ state: { ...STATE, asked: [], is_out: true } }));
  assert.deepEqual([offers(), options().length], [[false, false], 0]);
  server.line.close(1006);
  await rest(500);
  server.say(server.news());
  assert.deepEqual([offers(), options().length], [[true, true], 2]);
  end(server);
});

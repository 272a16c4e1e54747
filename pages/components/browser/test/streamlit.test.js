import assert from "node:assert/strict";
import test from "node:test";

import { say } from "../dom.js";
import { asComponent } from "../streamlit.js";

const ENGLISH = { language: "en", words: {}, decimal: ".", percent: "%" };

/** A component that notes what happens to it, at a place on the page, and what Streamlit would call. */
function noted() {
  const place = { isConnected: true, replaceChildren: () => notes.push("clear") };
  const notes = [];
  const sent = [];
  const script = asComponent((_place, data, send) => {
    notes.push(`mount ${data}`);
    return {
      update: (next) => { notes.push(`update ${next}`); send.state("shown", next); },
      dispose: () => notes.push("dispose"),
    };
  }, ".player");
  const run = (data, language = "en", words = {}) => script({
    data: { shown: data, reader: { ...ENGLISH, language, words } },
    parentElement: { querySelector: () => place },
    setStateValue: (name, value) => sent.push(`run ${data}: ${name} ${value}`),
    setTriggerValue: () => {},
  });
  return { place, notes, sent, run };
}

// Streamlit (1.67) loads a component's script, calls it, and keeps what it returned; where a newer run has begun
// meanwhile, it calls that instead, and there is no order between this and the call of the newer run.
test("a run that a newer one overtook leaves the component where it is, in either order", () => {
  for (const isEndedFirst of [false, true]) {
    const { notes, run } = noted();
    const end = run(1);
    if (isEndedFirst) end();
    run(2);
    if (!isEndedFirst) end();
    run(3);
    assert.deepEqual(notes, ["mount 1", "update 2", "update 3"]);
  }
});

test("a component that has left the page is disposed of, and mounted anew when it comes back", () => {
  const { place, notes, run } = noted();
  run(1);
  const end = run(2);
  place.isConnected = false;
  end();
  place.isConnected = true;
  run(3);
  assert.deepEqual(notes, ["mount 1", "update 2", "dispose", "mount 3"]);
});

test("what is sent belongs to the latest run", () => {
  const { sent, run } = noted();
  run(1);
  run(2);
  run(3);
  assert.deepEqual(sent, ["run 2: shown 2", "run 3: shown 3"]);
});

test("another language has it begin anew", () => {
  const { notes, run } = noted();
  const words = { "Head {head}": "Tête {head}" };
  run(1, "fr", words);
  run(2, "fr", words);
  assert.equal(say("Head {head}", { head: "{head}" }), "Tête {head}");
  run(3);
  assert.equal(say("Head {head}", { head: 2 }), "Head 2");
  assert.deepEqual(notes, ["mount 1", "update 2", "dispose", "clear", "mount 3"]);
});

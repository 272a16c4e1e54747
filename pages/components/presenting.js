// The keys of a presenter's remote, whatever has the focus. Page Up and Page Down lead through the lesson, arrow keys
// through the steps of a view, Esc ends presenter mode. A text box, a slider and a table keep their arrow keys.
if (!window.hearsRemote) {
  window.hearsRemote = true;
  const BUTTONS = {
    // The first of them that is on the page: what the step needs comes before the next step.
    PageDown: [".st-key-leads_on", ".st-key-begin", ".st-key-strip_next"],
    PageUp: [".st-key-strip_back"],
    ArrowLeft: ["[class*='_Left']"],
    ArrowRight: ["[class*='_Right']"],
    Escape: [".st-key-leave_presenting"],
  };
  const USES_ARROWS = "input, textarea, select, canvas, [contenteditable=true], [role=slider], [role=combobox], [role=radio]";
  const OPENED = "[role=dialog], [role=listbox], [data-testid=stPopoverBody]"; // what Esc closes first
  const sentenceBox = () => document.querySelector("[class*='st-key-bar_sentence'] details[open]");
  const isPresenting = () => document.querySelector(".st-key-leave_presenting");
  let isCovered = false;

  // Click the button of a key; return whether there is one.
  const press = (key) => {
    const found = (BUTTONS[key] ?? []).map((each) => document.querySelector(`${each} button:enabled`)).find(Boolean);
    found?.click();
    return Boolean(found);
  };

  addEventListener("keydown", (event) => {
    isCovered = Boolean(document.querySelector(OPENED));
    if (!isPresenting() || !event.key.startsWith("Page") || event.ctrlKey || event.altKey || event.metaKey) return;
    if (!event.repeat && !press(event.key)) return; // outside a lesson, the key scrolls
    event.preventDefault();
    event.stopPropagation();
  }, true);

  addEventListener("keydown", (event) => {
    const target = event.composedPath()[0];
    if (!isPresenting() || event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return;
    // After Enter in a text box, the arrow keys are the remote's again.
    if (event.key === "Enter" && target.matches?.("input")) setTimeout(() => target.blur());
    if (event.key === "Escape" ? isCovered : target.matches?.(USES_ARROWS)) return;
    if (event.key === " " && target.closest?.("button, a, summary, [role=button]")) return;
    if (event.key === "Escape" && sentenceBox()) return sentenceBox().querySelector("summary").click();
    const remote = new CustomEvent("remote", { detail: event.key, cancelable: true });
    // A drawing that takes the key keeps the page from scrolling by it.
    if (!press(event.key) && !dispatchEvent(remote)) event.preventDefault();
  });

  // A press beside the sentence's box closes it; a menu's options are beside it too.
  addEventListener("pointerdown", ({ target }) => {
    const box = sentenceBox();
    if (box && !box.contains(target) && !target.closest(OPENED)) box.querySelector("summary").click();
  }, true);
}

// @ts-check
// The keys of a presenter's remote, whatever has the focus. Page Up and Page Down lead through the lesson, arrow keys
// through the steps of a view, Esc ends presenter mode. A text box, a slider and a table keep their arrow keys.
/** @type {{ [key: string]: string[] }} */
const BUTTONS = {
  // The first of them that is on the page: away from the room's code, what the class has answered, what the step needs,
  // the next step.
  PageDown: [".st-key-screen_done", ".st-key-room_show", ".st-key-leads_on", ".st-key-room_solve", ".st-key-begin", ".st-key-lesson_next"],
  PageUp: [".st-key-lesson_back"],
  Train: [".st-key-room_train"], // the teacher's remote alone has this key
  ArrowLeft: ["[class*='_Left']"],
  ArrowRight: ["[class*='_Right']"],
  Escape: [".st-key-leave_presenting"],
};
const USES_ARROWS = "input, textarea, select, canvas, [contenteditable=true], " +
  "[role=slider], [role=combobox], [role=radio]";
const OPENED = "[role=dialog], [role=listbox], [data-testid=stPopoverBody]"; // what Esc closes first

const find = (/** @type {string} */ selector) => /** @type {HTMLElement | null} */ (document.querySelector(selector));
const sentenceBox = () => find("[class*='st-key-bar_sentence'] details[open]");
const closeSentence = () => find("[class*='st-key-bar_sentence'] details[open] summary")?.click();
const isPresenting = () => find(".st-key-leave_presenting") !== null;
const isCombined = (/** @type {KeyboardEvent} */ event) => event.ctrlKey || event.altKey || event.metaKey;

const buttonOf = (/** @type {string} */ key) =>
  (BUTTONS[key] ?? []).map((each) => find(`${each} button:enabled`)).find(Boolean);

/** Click the button of a key; return whether there is one. @param {string} key */
export function press(key) {
  const button = buttonOf(key);
  button?.click();
  return Boolean(button);
}

/** Return what a key leads to: what is bold in the label of its button, else all of it. @param {string} key */
export function labelOf(key) {
  const label = buttonOf(key)?.querySelector("[data-testid=stMarkdownContainer]");
  return (label?.querySelector("strong") ?? label)?.textContent ?? "";
}

/** Lead through the lesson. @param {KeyboardEvent} event */
function handlePageKey(event) {
  if (!isPresenting() || !event.key.startsWith("Page") || isCombined(event)) return;
  if (!event.repeat && !press(event.key)) return; // outside a lesson, the key scrolls
  event.preventDefault();
  event.stopPropagation();
}

/** Lead through the steps of a view, or end presenter mode. @param {KeyboardEvent} event @param {boolean} isCovered */
function handleKey(event, isCovered) {
  const target = /** @type {HTMLElement} */ (event.composedPath()[0]);
  if (!isPresenting() || event.defaultPrevented || isCombined(event) || !(target instanceof Element)) return;
  // After Enter in a text box, the arrow keys are the remote's again.
  if (event.key === "Enter" && target.matches("input")) setTimeout(() => target.blur());
  if (event.key === "Escape" ? isCovered : target.matches(USES_ARROWS)) return;
  if (event.key === " " && target.closest("button, a, summary, [role=button]")) return;
  if (event.key === "Escape" && sentenceBox()) return closeSentence();
  const remote = new CustomEvent("remote", { detail: event.key, cancelable: true });
  // A drawing that takes the key keeps the page from scrolling by it.
  if (!press(event.key) && !dispatchEvent(remote)) event.preventDefault();
}

/** Tell the styles how high the bar is: the figure below it gets the rest of the screen. */
function measureBar() {
  const { style } = document.documentElement;
  // Each new bar begins with this animation.
  addEventListener("animationstart", ({ animationName, target }) => {
    if (animationName !== "bar" || !(target instanceof Element)) return;
    new ResizeObserver(([bar]) => style.setProperty("--bar", `${bar?.contentRect.height ?? 0}px`)).observe(target);
  });
}

/** Listen to the keys, once in a tab. */
export function start() {
  if (document.documentElement.dataset.remote) return;
  document.documentElement.dataset.remote = "ready";
  measureBar();
  let isCovered = false;
  addEventListener("keydown", (event) => {
    isCovered = find(OPENED) !== null;
    handlePageKey(event);
  }, true);
  addEventListener("keydown", (event) => handleKey(event, isCovered));
  // A press beside the sentence's box closes it; a menu's options are beside it too.
  addEventListener("pointerdown", ({ target }) => {
    const isBeside = target instanceof Element && !sentenceBox()?.contains(target) && !target.closest(OPENED);
    if (sentenceBox() && isBeside) closeSentence();
  }, true);
}

// @ts-check
// What is half typed on a page is only in the browser, and Streamlit drops it when the class moves on. This keeps it,
// and puts it back into its box when the page is open again.
const BOX = "[data-testid=stMain] :is(input[type=text], textarea):not([role=combobox])";
const FORM = "[data-testid=stForm]";

const REST = 300; // ms: a page at rest; before, React would set a new box back to what the server knows

/** @typedef {HTMLInputElement | HTMLTextAreaElement} TextBox */

/** @type {{ [name: string]: { text: string, before: string } }} Half-typed texts, by the page and the label of their box. */
const kept = {};
const known = new WeakMap(); // boxes that are here, with what the server had put into them

const nameOf = (/** @type {Element} */ box) => `${location.pathname} ${box.getAttribute("aria-label")}`;
const isBox = (/** @type {EventTarget | null} */ target) => target instanceof Element && target.matches(BOX);

/** @param {Event} event */
function keep({ target }) {
  if (!isBox(target) || !known.has(/** @type {TextBox} */ (target))) return;
  const box = /** @type {TextBox} */ (target);
  kept[nameOf(box)] = { text: box.value, before: known.get(box) };
}

/** Forget the texts in a part of the page: the server has them. @param {Element | null} part */
function forgetIn(part) {
  for (const box of part?.querySelectorAll("input, textarea") ?? []) delete kept[nameOf(box)];
}

/** Type a text as a person does. @param {TextBox} box @param {string} text */
function type(box, text) {
  // React looks at the value that it has set itself, unless the one of the prototype is set.
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(box), "value")?.set?.call(box, text);
  box.dispatchEvent(new Event("input", { bubbles: true }));
}

function putBack() {
  for (const found of document.querySelectorAll(BOX)) {
    const box = /** @type {TextBox} */ (found);
    if (known.has(box)) continue;
    known.set(box, box.value);
    const typed = kept[nameOf(box)];
    if (typed?.before === box.value) type(box, typed.text); // else it has another sentence by now
  }
}

/** Begin, once in a tab. */
export function start() {
  const { dataset } = document.documentElement;
  if (dataset.typedText) return;
  dataset.typedText = "kept";
  addEventListener("input", keep, true);
  addEventListener("keydown", ({ key, target }) => {
    const box = /** @type {Element} */ (target);
    if (key === "Enter" && isBox(target)) forgetIn(box.closest(FORM) ?? box.parentElement);
  }, true);
  addEventListener("click", ({ target }) => {
    if (target instanceof Element && target.closest("button")) forgetIn(target.closest(FORM));
  }, true);
  addEventListener("focusout", ({ target }) => {
    const box = /** @type {Element} */ (target);
    if (!isBox(target) || box.closest(FORM)) return;
    // Outside a form, a box sends its text when it is left; not when its page goes away.
    setTimeout(() => box.isConnected && forgetIn(box.parentElement), REST);
  }, true);
  let timer = 0;
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(putBack, REST);
  };
  new MutationObserver(wait).observe(document.body, { childList: true, subtree: true });
}

// A page for tests, in jsdom: what modules read as globals in a browser.
import { JSDOM } from "jsdom";

const VALUES = ["window", "document", "location", "history", "navigator", "sessionStorage", "localStorage", "innerWidth", "Element",
  "HTMLElement", "Event", "CustomEvent", "KeyboardEvent", "MutationObserver"];
const FUNCTIONS = ["addEventListener", "removeEventListener", "dispatchEvent", "getComputedStyle",
  "requestAnimationFrame", "cancelAnimationFrame"];

/** Open a page in a fresh tab. */
export function openPage(html, { path = "/", width = 1280 } = {}) {
  const tab = new JSDOM(html, { url: `http://class.example${path}`, pretendToBeVisual: true }).window;
  tab.innerWidth = width;
  tab.Element.prototype.scrollTo = () => {}; // jsdom does not lay out
  const setGlobal = (name, value) => Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  for (const name of VALUES) setGlobal(name, tab[name]);
  for (const name of FUNCTIONS) setGlobal(name, tab[name].bind(tab));
}

export const find = (selector) => document.querySelector(selector);

/** Press a key where the focus is; return whether the page leaves it to the browser. */
export function press(key, target = document.activeElement ?? document.body, more = {}) {
  return target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, composed: true, ...more }));
}

/** Wait until observers have run, or for some milliseconds. */
export const rest = (ms = 10) => new Promise((resolve) => setTimeout(resolve, ms));

// @ts-check
// Elements, texts, data and changes: what every drawing needs. Text is set as text, never as HTML: a token may be
// anything.
/** @import { Reader } from "./types" */

const LEAST_SHARE = 0.005; // is rounded to 1%
const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Record<string, string | number | boolean>} Attributes */

/**
 * Make an HTML element.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name @param {Attributes} attributes @param {Element} [parent] @param {string | number} [text]
 */
export function make(name, attributes, parent, text) {
  return complete(document.createElement(name), attributes, parent, text);
}

/**
 * Make an element of a drawing.
 * @template {keyof SVGElementTagNameMap} Name
 * @param {Name} name @param {Attributes} attributes @param {Element} [parent] @param {string | number} [text]
 */
export function makeSvg(name, attributes, parent, text) {
  return complete(document.createElementNS(SVG, name), attributes, parent, text);
}

/**
 * @template {Element} Node
 * @param {Node} node @param {Attributes} attributes @param {Element} [parent] @param {string | number} [text]
 */
function complete(node, attributes, parent, text) {
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
  if (text !== undefined) node.textContent = String(text);
  parent?.append(node);
  return node;
}

/** Whoever reads; English until another language is told. @type {Reader} */
let reader = { language: "en", words: {}, decimal: ".", percent: "%" };

/** Speak a language from now on. @param {Reader} latest */
export function speakTo(latest) {
  reader = latest;
}

/**
 * Return a text in the reader's language, with its `{names}` filled in. files.py finds the texts of a module: each is
 * written out as the first argument, without a backslash.
 * @param {string} english @param {Record<string, string | number>} [values]
 */
export function say(english, values = {}) {
  const text = reader.words[english] ?? english;
  return text.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
}

/** Return a number as the reader's language writes it. @param {number} value @param {number} [digits] after the point */
export function numeral(value, digits) {
  return (digits === undefined ? String(value) : value.toFixed(digits)).replace(".", reader.decimal);
}

/** Return a share from 0 to 1 in percent, as the reader's language writes it. @param {number} share */
export function percent(share) {
  const isTiny = share > 0 && share < LEAST_SHARE;
  return `${isTiny ? "< 1" : Math.round(100 * share)}${reader.percent}`;
}

/** Return what draws on a canvas. @param {HTMLCanvasElement} canvas */
export function brushOf(canvas) {
  return /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
}

/** Return 1rem in pixels; presenter mode makes it larger. */
export function rootSize() {
  return parseFloat(getComputedStyle(document.documentElement).fontSize);
}

/** Return whether the visitor wants things to stay in place. */
export function isCalm() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** @param {string} base64 */
export function bytesOf(base64) {
  const letters = atob(base64);
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; at += 1) bytes[at] = letters.charCodeAt(at);
  return bytes;
}

/** Return a function that says whether it got the same data as the last time. */
export function rememberData() {
  let latest = "";
  return (/** @type {unknown[]} */ ...data) => {
    const text = JSON.stringify(data);
    const isSame = latest === text;
    latest = text;
    return isSame;
  };
}

/**
 * Call `onKey` with the keys of a presenter's remote (presenting.js); it returns whether the key means anything here.
 * @param {Element} place @param {(key: string) => boolean} onKey
 * @returns {() => void} ends it
 */
export function listenToRemote(place, onKey) {
  const listen = (/** @type {Event} */ event) => {
    const key = /** @type {CustomEvent<string>} */ (event).detail;
    if (place.isConnected && place.classList.contains("presenting") && onKey(key)) event.preventDefault();
  };
  addEventListener("remote", listen);
  return () => removeEventListener("remote", listen);
}

/**
 * Return the color of a share from 0 to 1 in the palette of attention, for CSS on a light and on a dark page.
 * @param {import("./types").Shades} shades @param {number} share
 */
export function shadeOf({ light, dark }, share) {
  const step = Math.round((light.length - 1) * Math.min(1, share));
  return `light-dark(${light[step]}, ${dark[step]})`;
}

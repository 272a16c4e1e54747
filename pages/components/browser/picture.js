// @ts-check
// A drawing saved as a file.
import { brushOf, makeSvg } from "./dom.js";

const PNG_SCALE = 2; // pixels of a PNG per pixel of the screen
// Styles to copy from the page into a file.
const STYLES = ["fill", "fill-opacity", "stroke", "stroke-opacity", "stroke-width", "stroke-linecap", "opacity", "display", "font-size",
  "font-weight", "visibility", "image-rendering"];

/**
 * Save a drawing on the page's background, with lines of text below it.
 * @param {SVGSVGElement} svg @param {string[]} lines @param {string} link of the last line
 * @param {string} name of the file, which ends in svg or png
 */
export function savePicture(svg, lines, link, name) {
  const style = getComputedStyle(svg);
  const unit = parseFloat(style.fontSize);
  const { width, height } = svg.getBoundingClientRect();
  const whole = { x: -unit, y: -unit, width: width + 2 * unit, height: height + (3 + 1.5 * lines.length) * unit };
  const picture = makeSvg("svg", { width: whole.width, height: whole.height, viewBox: Object.values(whole).join(" "),
    fill: style.color, "font-size": unit, "font-family": style.fontFamily });
  makeSvg("rect", { ...whole, fill: style.getPropertyValue("--st-background-color") }, picture);
  picture.append(withStyles(svg));
  lines.forEach((text, line) => {
    const parent = line === lines.length - 1 ? makeSvg("a", { href: link }, picture) : picture;
    makeSvg("text", { x: 0, y: height + (1.8 + 1.5 * line) * unit }, parent, text);
  });
  const file = new Blob([new XMLSerializer().serializeToString(picture)], { type: "image/svg+xml" });
  const address = URL.createObjectURL(file);
  if (name.endsWith("svg")) saveAs(address, name);
  else saveAsPixels(address, name);
}

/** @param {SVGSVGElement} original */
function withStyles(original) {
  const copy = /** @type {SVGSVGElement} */ (original.cloneNode(true));
  const copies = [copy, ...copy.querySelectorAll("*")];
  [original, ...original.querySelectorAll("*")].forEach((node, at) => {
    const style = getComputedStyle(node);
    copies[at].removeAttribute("style");
    for (const name of STYLES) copies[at].setAttribute(name, style.getPropertyValue(name));
    if (!(node instanceof SVGTextElement) || style.display === "none" || !node.textContent) return;
    // If the page's font is missing, its substitute takes up the same width.
    copies[at].setAttribute("textLength", String(node.getComputedTextLength()));
    copies[at].setAttribute("lengthAdjust", "spacingAndGlyphs");
  });
  return copy;
}

/** @param {string} address @param {string} name */
function saveAsPixels(address, name) {
  const image = new Image();
  image.onload = () => {
    const [width, height] = [PNG_SCALE * image.width, PNG_SCALE * image.height];
    const canvas = Object.assign(document.createElement("canvas"), { width, height });
    brushOf(canvas).drawImage(image, 0, 0, width, height);
    saveAs(canvas.toDataURL(), name);
  };
  image.src = address;
}

/** @param {string} address @param {string} name */
function saveAs(address, name) {
  Object.assign(document.createElement("a"), { href: address, download: name }).click();
}

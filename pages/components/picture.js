// Helpers of the three components: making elements, decoding data, a presenter's remote, saving a drawing.
const SVG = "http://www.w3.org/2000/svg";
const PNG_SCALE = 2; // pixels of a PNG per pixel of the screen
// Styles to copy from the page into a file.
const STYLES = ["fill", "fill-opacity", "stroke", "stroke-opacity", "stroke-width", "opacity", "display", "font-size",
  "font-weight", "visibility", "image-rendering"];

// Make an element, in the SVG namespace if its parent is in it.
function make(name, attributes, parent, text) {
  const isDrawn = name === "svg" || parent?.namespaceURI === SVG;
  const node = isDrawn ? document.createElementNS(SVG, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  parent?.append(node);
  return node;
}

// Return 1rem in pixels; presenter mode makes it larger.
function rootSize() {
  return parseFloat(getComputedStyle(document.documentElement).fontSize);
}

function bytesOf(base64) {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

// Return whether `place` last got the same data: on a rerun of the page, the choices made since then stay.
function isUnchanged(place, ...data) {
  const latest = JSON.stringify(data);
  const isSame = place.latest === latest;
  place.latest = latest;
  return isSame;
}

// Call `onKey` with the keys of a presenter's remote (presenting.js) until `place` is removed; it returns whether the key
// means anything here.
function listenToRemote(place, onKey) {
  removeEventListener("remote", place.onRemoteKey);
  place.onRemoteKey = (event) => {
    if (!place.isConnected) removeEventListener("remote", place.onRemoteKey);
    else if (place.classList.contains("presenting") && onKey(event.detail)) event.preventDefault();
  };
  addEventListener("remote", place.onRemoteKey);
}

// Save a drawing on the page's background, with lines of text below it, the last of which links to `link`. The file
// name ends in svg or png.
function savePicture(svg, lines, link, name) {
  const style = getComputedStyle(svg);
  const unit = parseFloat(style.fontSize);
  const { width, height } = svg.getBoundingClientRect();
  const whole = { x: -unit, y: -unit, width: width + 2 * unit, height: height + (3 + 1.5 * lines.length) * unit };
  const picture = make("svg", { width: whole.width, height: whole.height, viewBox: Object.values(whole).join(" "),
    fill: style.color, "font-size": unit, "font-family": style.fontFamily });
  make("rect", { ...whole, fill: style.getPropertyValue("--st-background-color") }, picture);
  picture.append(withStyles(svg));
  lines.forEach((text, line) => {
    const parent = line === lines.length - 1 ? make("a", { href: link }, picture) : picture;
    make("text", { x: 0, y: height + (1.8 + 1.5 * line) * unit }, parent, text);
  });
  const file = new Blob([new XMLSerializer().serializeToString(picture)], { type: "image/svg+xml" });
  const address = URL.createObjectURL(file);
  if (name.endsWith("svg")) saveAs(address, name);
  else saveAsPixels(address, name);
}

function withStyles(original) {
  const copy = original.cloneNode(true);
  const copies = [copy, ...copy.querySelectorAll("*")];
  [original, ...original.querySelectorAll("*")].forEach((node, at) => {
    const style = getComputedStyle(node);
    copies[at].removeAttribute("style");
    for (const name of STYLES) copies[at].setAttribute(name, style.getPropertyValue(name));
    if (node.tagName !== "text" || style.display === "none" || !node.textContent) return;
    // If the page's font is missing, its substitute takes up the same width.
    copies[at].setAttribute("textLength", node.getComputedTextLength());
    copies[at].setAttribute("lengthAdjust", "spacingAndGlyphs");
  });
  return copy;
}

function saveAsPixels(address, name) {
  const image = new Image();
  image.onload = () => {
    const [width, height] = [PNG_SCALE * image.width, PNG_SCALE * image.height];
    const canvas = Object.assign(document.createElement("canvas"), { width, height });
    canvas.getContext("2d").drawImage(image, 0, 0, width, height);
    saveAs(canvas.toDataURL(), name);
  };
  image.src = address;
}

function saveAs(address, name) {
  Object.assign(document.createElement("a"), { href: address, download: name }).click();
}

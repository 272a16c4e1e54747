// What components share: how they draw, read what is sent and hear a presenter; how a drawing becomes a file.
const SVG = "http://www.w3.org/2000/svg";
const CONTROLS = "input, textarea, button, a, [contenteditable], [role=slider], [role=combobox]"; // which use keys
const SHARP = 2; // pixels of a PNG for one of the screen
const STYLES = ["fill", "fill-opacity", "stroke", "stroke-opacity", "stroke-width", "opacity", "display", "font-size",
  "font-weight", "visibility", "image-rendering"]; // that a file takes from the page

// Make an element; one in a drawing is drawn too.
function make(name, attributes, parent, text) {
  const isDrawn = name === "svg" || parent?.namespaceURI === SVG;
  const node = isDrawn ? document.createElementNS(SVG, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  parent?.append(node);
  return node;
}

// Pixels of 1rem, which presenter mode makes larger.
function rootSize() {
  return parseFloat(getComputedStyle(document.documentElement).fontSize);
}

function bytesOf(base64) {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

// Whether a place has been told this already, as when the page runs again: what people chose in it since stays.
function wasTold(place, ...data) {
  const told = JSON.stringify(data);
  const isSame = place.told === told;
  place.told = told;
  return isSame;
}

// A presenter's remote presses keys wherever the focus is; `place` hears them until it goes away.
function hearRemote(place, press) {
  removeEventListener("keydown", place.hears);
  place.hears = (event) => {
    if (!place.isConnected) removeEventListener("keydown", place.hears);
    else if (place.classList.contains("presenting") && !event.composedPath()[0].closest?.(CONTROLS)) press(event);
  };
  addEventListener("keydown", place.hears);
}

// Save a drawing on the page's background, with lines of text below it; the last one leads to `link`. The name of the
// file ends in svg or png.
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
    // Where the page's font is missing, another one takes as much room.
    copies[at].setAttribute("textLength", node.getComputedTextLength());
    copies[at].setAttribute("lengthAdjust", "spacingAndGlyphs");
  });
  return copy;
}

function saveAsPixels(address, name) {
  const image = new Image();
  image.onload = () => {
    const [width, height] = [SHARP * image.width, SHARP * image.height];
    const canvas = Object.assign(document.createElement("canvas"), { width, height });
    canvas.getContext("2d").drawImage(image, 0, 0, width, height);
    saveAs(canvas.toDataURL(), name);
  };
  image.src = address;
}

function saveAs(address, name) {
  Object.assign(document.createElement("a"), { href: address, download: name }).click();
}

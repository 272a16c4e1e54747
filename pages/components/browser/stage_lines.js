// @ts-check
// How a line between two words is drawn: whether there is one, its path, its width and how strong it is.

/** @import { Box, Kind } from "./types" */

const MIN_LINE = 0.02; // the lowest weight that gets a line, as a share of the highest
const FAR = 0.05; // opacity of the lines of other words while one is lit

/** Return whether a weight gets a line. @param {number} share of the highest weight; NaN where masked */
export function hasLine(share) {
  return share >= MIN_LINE;
}

/**
 * Return the width in pixels and the opacity of a line. Half of the highest weight has full color.
 * @param {number} share @param {boolean} isFar whether another word is lit @param {number} unit the font size
 * @param {number} down the height of a row
 */
export function lineStyle(share, isFar, unit, down) {
  return {
    width: (0.04 + 0.3 * share) * Math.min(unit, 1.6 * down),
    opacity: isFar ? FAR : Math.min(1, 0.06 + 1.9 * share),
  };
}

/**
 * Return the path of a line from a row's word on the left to a column's word on the right.
 * @param {Box} box @param {Kind} kind @param {number} row @param {number} column
 * @param {number} shift down, beside the other heads' lines
 */
export function linePath({ x, y, width, height }, { rows, columns }, row, column, shift) {
  const begin = y + ((row + 0.5) * height) / rows.length + shift;
  const end = y + ((column + 0.5) * height) / columns.length + shift;
  return `M${x} ${begin}C${x + width / 2} ${begin} ${x + width / 2} ${end} ${x + width} ${end}`;
}

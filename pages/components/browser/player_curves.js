// @ts-check
// The curves of the training player: where an epoch and a loss are, in pixels, and what lies between two points.
/** @import { PlayerData } from "./types" */
/** @typedef {NonNullable<ReturnType<typeof planCurves>>} CurvePlan */

const EPOCH_STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000]; // between two labeled epochs
const MOST_STEPS = 5;
const EDGE = { left: 2.2, right: 1.1, top: 0.6, bottom: 2.5 }; // rem, around the curves
const EMPTY_LOSS = 4.5; // as if it were the highest loss, before the first one

/** @param {number} value @param {number} low @param {number} high */
export const clamp = (value, low, high) => Math.min(high, Math.max(low, value));
/** @param {number} from @param {number} to @param {number} share */
export const mix = (from, to, share) => from + (to - from) * share;

/**
 * Interpolate between points, whose `xs` ascend; beyond them, return the nearest; without any, undefined.
 * @param {number[]} xs @param {number[]} ys @param {number} x
 */
export function interpolate(xs, ys, x) {
  const after = xs.findIndex((each) => each >= x);
  if (after <= 0) return after === 0 ? ys[0] : ys.at(-1);
  return mix(ys[after - 1], ys[after], (x - xs[after - 1]) / (xs[after] - xs[after - 1]));
}

/**
 * Return the axes of the chart, or null without room for them.
 * @param {Pick<PlayerData, "curves" | "before" | "total">} data @param {number} width @param {number} height
 * @param {number} unit 1rem
 */
export function planCurves({ curves, before, total }, width, height, unit) {
  if (!width || !height) return null;
  const [left, right] = [EDGE.left * unit, width - EDGE.right * unit];
  const [top, bottom] = [EDGE.top * unit, height - EDGE.bottom * unit];
  const highest = Math.max(curves.loss.length ? 0.5 : EMPTY_LOSS, ...curves.loss, ...curves.held_out, ...before.loss);
  const step = highest > 6 ? 2 : highest > 1.2 ? 1 : 0.5;
  const most = step * Math.ceil(highest / step + 0.1); // a labeled number above the loss of epoch 1
  const xOf = (/** @type {number} */ epoch) => mix(left, right, epoch / total);
  const yOf = (/** @type {number} */ loss) => mix(bottom, top, loss / most);
  const epochAt = (/** @type {number} */ x) => total * clamp((x - left) / (right - left), 0, 1);
  const losses = Array.from({ length: Math.floor(most / step) + 1 }, (_, tick) => tick * step);
  const epochs = epochTicks(total);
  return { left, right, top, bottom, width, unit, xOf, yOf, epochAt, losses, epochs };
}

/** Return the labeled epochs: the last, and before it even steps from 0 that stay apart from it. @param {number} total */
function epochTicks(total) {
  const step = EPOCH_STEPS.find((each) => each * MOST_STEPS >= total) ?? total;
  const even = Array.from({ length: MOST_STEPS + 1 }, (_, tick) => tick * step);
  return [...even.filter((epoch) => epoch <= total - step / 2), total];
}

/** Return the path of a curve. @param {CurvePlan} plan @param {number[]} epochs @param {number[]} losses */
export function curvePath({ xOf, yOf }, epochs, losses) {
  const points = losses.map((loss, i) => `${xOf(epochs[i]).toFixed(1)} ${yOf(loss).toFixed(1)}`);
  return points.length ? `M${points.join("L")}` : "";
}

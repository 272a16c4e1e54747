"""What a browser measures of a page: where its main figure lies, how wide it is, how well its words can be read."""

from __future__ import annotations

from itertools import count
from typing import NamedTuple

from playwright.sync_api import Page

# Of a figure or a result; a table of data, or a sentence, is one only where there is nothing else.
_FIGURES = ".js-plotly-plot, .linked-tokens, .drawing svg, .number-tables, .ids, [data-testid=stMetric]"
_TABLES = "[data-testid=stDataFrame], [data-testid=stAlert], [class*=st-key-sample_]"

_GO = """(address) => {
  history.pushState({}, "", address);
  dispatchEvent(new PopStateEvent("popstate", { state: {} }));
}"""

# Whether nothing has changed for a while: a script run begins only some time after what asked for it. Asked again and
# again from outside, since the app may load the page anew, with another theme.
_POLL = 70  # ms
_AT_REST = """([name, times]) => {
  const main = document.querySelector("[data-testid=stMain]");
  if (!main) return false;
  const running = !document.querySelector("[data-test-script-state=notRunning]")
    || document.querySelector("[data-testid=stSpinner], [data-testid=stSkeleton], [data-stale=true]");
  const now = [main.scrollHeight, main.innerText.length, main.querySelectorAll("*").length].join();
  const last = window[name] ?? { now: "", same: 0 };
  window[name] = { now, same: !running && now === last.now ? last.same + 1 : 0 };
  return window[name].same >= times;
}"""

_FIND = """([figures, tables]) => {
  const found = (root, selectors) => [...root.querySelectorAll("*")].flatMap((each) =>
    [...(each.matches(selectors) ? [each] : []), ...(each.shadowRoot ? found(each.shadowRoot, selectors) : [])]
  ).filter((each) => each.getBoundingClientRect().height > 20);
  const main = document.querySelector("[data-testid=stMain]");
  const figure = found(main, figures)[0] ?? found(main, tables)[0];
  if (!figure) return null;
  const { top, height } = figure.getBoundingClientRect();
  return [top, height];
}"""

# Text against what lies behind it, as WCAG 2.2 computes it; what is disabled, hidden, an icon or code is left out.
_FAINT = """() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (front, back) => [0, 1, 2].map((i) => front[i] * front[3] + back[i] * (1 - front[3]));
  const light = (color) => color
    .map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const parent = (each) => each.parentElement ?? each.getRootNode().host;
  const behind = (each) => {
    const layers = [];
    for (let at = each; at; at = parent(at)) layers.push(rgba(getComputedStyle(at).backgroundColor));
    return layers.reverse().reduce((back, front) => over(front, back), [255, 255, 255]);
  };
  const opacity = (each) => {
    let all = 1;
    for (let at = each; at; at = parent(at)) all *= Number(getComputedStyle(at).opacity);
    return all;
  };
  const LEFT_OUT = ":disabled, [aria-disabled=true], [data-testid=stIconMaterial], .katex-mathml, style, pre, "
    + "[data-testid=stSliderThumbValue]"; // which stands above the thumb, not on it
  const faint = {};
  const look = (root) => {
    for (const each of root.querySelectorAll("*")) {
      if (each.shadowRoot) look(each.shadowRoot);
      const said = [...each.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data.trim()).join(" ").trim();
      const style = getComputedStyle(each);
      const hidden = style.visibility === "hidden" || style.clipPath !== "none"
        || !(each.getBoundingClientRect().width > 3);
      if (!said || hidden || each instanceof SVGElement || each.closest(LEFT_OUT)) continue;
      if (each.closest("label")?.querySelector(":disabled")) continue;
      if (opacity(each) * rgba(style.color)[3] < 0.05) continue; // a slider says its ends only when pointed at
      const back = behind(each);
      const color = rgba(style.color);
      const front = over([color[0], color[1], color[2], color[3] * opacity(each)], back);
      const [high, low] = [light(front), light(back)].sort((a, b) => b - a);
      const ratio = (high + 0.05) / (low + 0.05);
      if (ratio < 4.5) faint[said.slice(0, 40)] = Math.round(ratio * 100) / 100;
    }
  };
  look(document.querySelector(".stApp"));
  return faint;
}"""


_numbers = count()


class Seen(NamedTuple):
    """Of one page at one size of the screen."""

    share: float  # of the main figure that lies inside the first screen; 0 where there is none
    width: int  # pixels that the page takes


def go(page: Page, address: str) -> None:
    """Open another page or view as Back and Forward do: without loading the app anew."""
    page.evaluate(_GO, address)
    settle(page)


def settle(page: Page) -> None:
    """Wait until the page has come to rest."""
    _settle(page, 4)


def _settle(page: Page, times: int) -> None:
    name = f"rest{next(_numbers)}"  # on the window, of this wait alone
    page.wait_for_function(_AT_REST, arg=[name, times], polling=_POLL)


def seen(page: Page, width: int, height: int) -> Seen:
    """What a screen of this size shows."""
    page.set_viewport_size({"width": width, "height": height})
    _settle(page, 3)  # figures are drawn anew, 100 ms later at most; no script runs
    found = page.evaluate(_FIND, [_FIGURES, _TABLES])
    share = 0.0 if found is None else max(0.0, min(height, found[0] + found[1]) - found[0]) / found[1]
    return Seen(share, page.evaluate("document.scrollingElement.scrollWidth"))


def faint_texts(page: Page) -> dict[str, float]:
    """Words whose contrast with what is behind them is below 4.5, with their contrast."""
    faint: dict[str, float] = page.evaluate(_FAINT)
    return faint

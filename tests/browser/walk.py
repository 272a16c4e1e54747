"""Walk through lessons and views in a real browser, as a teacher would before a lesson.

python -m tests.browser.walk [--language fr]

The tests walk one lesson; this walks all, by the lesson bar and by a remote's keys. In English it also opens every
view once more in a fresh browser. It needs axe-core: run `npm ci` in pages/components/browser first.
"""

import argparse
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from core.language import ENGLISH, reading
from pages.components.browser.files import BROWSER
from pages.components.frame.presenting import LEADS_ON
from pages.content.lesson_plan import LessonPlan
from pages.content.lessons import LESSONS
from pages.content.pages import CHECKPOINTS, GPT, HOME, LESSON_END, PAGES, TRAIN, PageEntry
from pages.content.reader import PAGE_TEXTS
from pages.languages.catalogs import known_languages
from tests.browser.app import running_app, running_chromium
from tests.browser.conftest import (
    ALL_RIGHT,
    PHONE,
    PROJECTOR,
    choose,
    expect_page,
    new_profile,
    new_visitor,
    press,
    settle,
    visitor_in,
    wait_for,
)

_DEPTH = 3  # how often new controls may appear after others were moved
_MAIN = "[data-testid=stMain]"
_FOLDED = {  # what opens it, and what is open then
    "[data-testid=stPopoverButton]": "[data-testid=stPopoverBody]",
    "[data-testid=stExpander] summary": "[data-testid=stExpander]",
}
_TRIES = 9  # to open a cell: a table that has just been drawn loses a press

# What a page shows, but for what is folded away: its words, its controls, its drawings, the numbers of its figures.
_SHOWN = """() => {
  const main = document.querySelector("[data-testid=stMain]");
  const found = (root, selectors) => [...root.querySelectorAll("*")].flatMap((each) =>
    [...(each.matches(selectors) ? [each] : []), ...(each.shadowRoot ? found(each.shadowRoot, selectors) : [])]);
  const short = (key, value) => typeof value === "number" ? Number(value.toPrecision(4))
    : ArrayBuffer.isView(value) ? Array.from(value) : value;
  const folded = found(main, "[data-testid=stExpander]").map((each) => each.innerText);
  const words = folded.reduce((words, each) => words.replace(each, ""), main.innerText)
    .replace(/Press \\S*Enter to \\w+( form)?/g, "").replace(/\\b(in )?[\\d.,]+ m?s\\b/g, "");
  return [
    ...words.split("\\n").map((line) => line.trim()).filter((line) => line),
    ...found(main, "input:not([type=checkbox]):not([type=radio]):not(.living input), textarea").map((each) => each.value),
    ...found(main, "input[type=checkbox], input[type=radio]").map((each) => String(each.checked)),
    ...found(main, "[aria-checked]:not([data-variant=pills])").map((each) => each.getAttribute("aria-checked")),
    ...found(main, ".drawing svg").map((each) => each.outerHTML),
    ...found(main, ".js-plotly-plot").map((each) => JSON.stringify(each.data, short)),
  ];
}"""


def settle_after_jobs(tab: Page) -> None:
    """Wait until the page is at rest and no job runs: on a busy machine one changes nothing for a while."""
    settle(tab)
    expect(tab.locator("[class*=st-key-stop_] button")).to_have_count(0)
    settle(tab)


def shown(tab: Page) -> list[str]:
    """Return what an address contains and what its page shows at rest."""
    settle_after_jobs(tab)
    address = urlsplit(tab.url)
    return [address.path, *sorted(address.query.split("&")), *tab.evaluate(_SHOWN)]


# The main figure or result of a page; a table of data, or a sentence, is one only where there is nothing else.
_DRAWN = """.js-plotly-plot, .player, .living, .stage, .drawing svg, .number-tables, .ids, .st-key-outcomes,
    [data-testid=stMetric]"""
_TABLES = "[data-testid=stDataFrame], [data-testid=stAlert], [class*=st-key-sample_]"
FIGURES = f"{_DRAWN}, {_TABLES}"
_MEASURE = """([figures, tables]) => {
  const found = (root, selectors) => [...root.querySelectorAll("*")].flatMap((each) =>
    [...(each.matches(selectors) ? [each] : []), ...(each.shadowRoot ? found(each.shadowRoot, selectors) : [])]
  ).filter((each) => each.getBoundingClientRect().height > 20);
  const main = document.querySelector("[data-testid=stMain]");
  main.scrollTo(0, 0);
  const figure = found(main, figures)[0] ?? found(main, tables)[0];
  if (!figure) return [0, 0, 0];
  const { top, height } = figure.getBoundingClientRect();
  const letters = [...figure.querySelectorAll("text")].filter((each) => each.textContent.trim()).map((each) =>
    parseFloat(getComputedStyle(each).fontSize) * Math.hypot(each.getScreenCTM().a, each.getScreenCTM().b));
  return [Math.max(0, Math.min(innerHeight, top + height) - top) / height, height / innerHeight,
    Math.min(...letters, 99)];
}"""


class FigureMeasures(NamedTuple):
    """Measures of the main figure of a page that was just opened."""

    shown: float  # the share of it that lies inside the screen
    height: float  # over the screen's
    letters: float  # pixels of its smallest


def measure_figure(tab: Page) -> FigureMeasures:
    """Return how much of the figure is visible before scrolling; all 0 where there is none."""
    return FigureMeasures(*tab.evaluate(_MEASURE, [_DRAWN, _TABLES]))


# What axe-core calls serious or worse, without what is Streamlit's own: the lists of its menu, and the contrast of a
# key that it names.
AXE = BROWSER / "node_modules" / "axe-core" / "axe.min.js"
_SERIOUS = """async () => {
  const menu = "[data-testid=stSidebarNav]";
  const streamlits = { list: menu, listitem: menu, "color-contrast": "kbd" };
  const { violations } = await axe.run(document, { resultTypes: ["violations"], elementRef: true });
  return violations.filter(({ impact }) => ["serious", "critical"].includes(impact)).flatMap(({ id, nodes }) =>
    nodes.filter(({ element }) => !element.closest(streamlits[id] ?? "none")).map(({ html }) => `${id}: ${html}`));
}"""


def serious(tab: Page) -> list[str]:
    """Return what axe-core calls serious and is ours: faint text, controls without a name, and the like."""
    if not AXE.exists():
        pytest.skip("needs axe-core: npm ci in pages/components/browser")
    if not tab.evaluate("'axe' in window"):
        tab.evaluate(AXE.read_text(encoding="utf-8"))
    found: list[str] = tab.evaluate(_SERIOUS)
    return found


# Lessons.


def walk_lesson(tab: Page, plan: LessonPlan, lead_on: Callable[[Page], None]) -> None:
    """Walk from Home to a lesson's end, with the training that it asks for."""
    lead_on(tab)
    for number, step in enumerate(plan.shown, start=1):
        expect_page(tab, step.page)
        where = re.compile(rf"\b{number}\D+{len(plan.shown)}\b")
        expect(tab.locator(".st-key-lesson_bar").get_by_text(where).first).to_be_visible()
        settle(tab)
        expect(tab.get_by_test_id("stException")).to_have_count(0)
        if step.page == TRAIN:
            # A remote has no other key: its first press on this page starts the training.
            by_keys(tab) if lead_on is by_keys else press(tab, LEADS_ON)
            wait_for(tab, tab.get_by_role("heading", name=ALL_RIGHT))
            settle(tab)
        elif step.texts and step.texts.prediction:
            # The figure comes with the answer, or with the remote's first press.
            by_keys(tab) if lead_on is by_keys else press(tab, LEADS_ON)
            expect(tab.locator(".st-key-prediction")).to_have_count(0)
            settle(tab)
        if (step.page, step.view) == (GPT, "left"):
            by_keys(tab) if lead_on is by_keys else press(tab, LEADS_ON)
            wait_for(tab, tab.locator(".st-key-gpt_own"))
            settle(tab)
        lead_on(tab)
    expect_page(tab, LESSON_END)
    settle(tab)
    tab.keyboard.press("PageDown")
    settle(tab)
    expect_page(tab, LESSON_END)


def by_lesson_bar(tab: Page) -> None:
    tab.locator(".st-key-begin button, .st-key-lesson_next button").click()


_KEEPS_KEYS = (
    "[data-testid=stDataFrame] canvas, input[type=range]:enabled, [data-testid=stTextInput] input:enabled"
)


def by_keys(tab: Page) -> None:
    """Press Page Down while a control has the focus that has a use for this key itself."""
    for control in tab.locator(f"{_MAIN} :is({_KEEPS_KEYS}):visible").all()[:1]:
        control.focus()
    tab.keyboard.press("PageDown")


# Views and their controls.


def open_views(tab: Page, page: PageEntry) -> Iterator[str]:
    """Open one view after the other; yield the keys of the used controls. A page without views is one view."""
    settle_after_jobs(tab)
    key = PAGE_TEXTS[page.address].parameter
    control = tab.locator(f"[data-testid=stElementContainer].st-key-{key or 'none'}")
    menu, buttons = control.get_by_role("combobox"), control.get_by_role("radio")
    if menu.count():
        menu.click()
        titles = tab.get_by_role("option").all_inner_texts()
        tab.get_by_role("option", name=titles[0], exact=True).click()  # Escape would end presenter mode
        for title in titles:
            choose(tab, key, title)
            yield key
    for button in buttons.all() if key else []:
        button.click()
        settle(tab)
        yield key
    if not key:
        yield key


def move_all(tab: Page, moved: set[str]) -> None:
    """Set every control to something else, also those that are folded away or come when others are set.

    Args:
        tab: at the page.
        moved: keys of the controls to be left alone; those that are moved are added.
    """
    for _round in range(_DEPTH):
        if not _move_in(tab, _MAIN, moved):
            break
    for button, place in _FOLDED.items():
        for each in tab.locator(f"{_MAIN} {button}:visible").all():
            each.click()
            settle(tab)
            _move_in(tab, place, moved)
            each.click()
            settle(tab)


def _move_in(tab: Page, place: str, moved: set[str]) -> bool:
    """Move the controls that have not moved yet; return whether there were any."""
    boxes = tab.locator(f"{place} [data-testid=stElementContainer][class*='st-key-']:visible")
    names: str = boxes.evaluate_all("boxes => boxes.map((each) => each.className).join(' ')")
    keys = dict.fromkeys(re.findall(r"st-key-(\S+)", names))
    new = [key for key in keys if key not in moved and "ask_" not in key and not key.startswith("example_")]
    for key in new:
        moved.add(key)
        box = tab.locator(f"{place} .st-key-{key}[data-testid=stElementContainer]").first
        kind = next((each for each in _MOVES if box.get_by_test_id(each).count()), None)
        if kind is not None and box.is_visible():
            _MOVES[kind](tab, box)
            settle(tab)
    return bool(new)


def _slide(tab: Page, box: Locator) -> None:
    thumb = box.locator("input").first
    before = thumb.input_value()
    thumb.press("ArrowRight")
    if thumb.input_value() == before:
        thumb.press("ArrowLeft")


def _select(tab: Page, box: Locator) -> None:
    box.get_by_role("combobox").click()
    others = tab.get_by_role("option").and_(tab.locator("[aria-selected=false]"))
    if others.count():
        others.last.click()
    if tab.get_by_role("option").count():  # a menu of one, or of several to be chosen, stays open
        tab.keyboard.press("Escape")


def _press_other(tab: Page, box: Locator) -> None:
    others = box.locator(
        "button:is([aria-checked=false], [aria-pressed=false], [data-testid^=stNumberInputStep]):enabled"
    )
    if others.count():
        others.last.click()


def _type(tab: Page, box: Locator) -> None:
    field = box.locator("input, textarea").first
    field.press("End")
    field.press_sequentially(" yes")
    field.press("Control+Enter" if box.locator("textarea").count() else "Enter")


def _edit_cell(tab: Page, box: Locator) -> None:
    """Edit the last cell of the first row of a table of numbers."""
    if "_editor_" not in (box.get_attribute("class") or ""):
        return
    table, cell = box.locator(".dvn-scroller"), tab.locator("#portal input")
    width: int = table.evaluate("each => each.clientWidth")
    for _try in range(_TRIES):
        table.dblclick(position={"x": width - 30, "y": 52})
        tab.wait_for_timeout(300)
        if cell.is_visible():
            break
    cell.fill("7")
    cell.press("Enter")


_MOVES: dict[str, Callable[[Page, Locator], None]] = {
    "stSlider": _slide,
    "stSelectbox": _select,
    "stMultiSelect": _select,
    "stButtonGroup": _press_other,
    "stCheckbox": lambda tab, box: box.locator("label").first.click(),
    "stNumberInput": _press_other,
    "stTextInput": _type,
    "stTextArea": _type,
    "stDataFrame": _edit_cell,
}


def compare_in(
    fresh: BrowserContext, profile: BrowserContext, address: str, page: PageEntry, views: int | None = None
) -> None:
    """Move every control of every view, or of the first ones; its address must show the same in a fresh browser."""
    moved: set[str] = set()
    with visitor_in(profile, f"{address}/{'' if page == HOME else page.address}") as tab:
        for key in islice(open_views(tab, page), views):
            moved.add(key)
            move_all(tab, moved)
            left = shown(tab)
            with visitor_in(fresh, tab.url) as other:
                settle(other)
                for work in other.locator(".st-key-translate_lines button").all():
                    work.click()  # a link starts no work of this size
                assert shown(other) == left, page.address
        assert "?" in tab.url or page == CHECKPOINTS  # something was moved


def measure_views(tab: Page, page: PageEntry) -> None:
    """Print each view's measures on a projector; ask that all can read it there, and that a phone shows its width.

    Languages print the same lines, so that one can compare them with English.
    """
    for number, _key in enumerate(open_views(tab, page), start=1):
        print(f"{page.address}?{urlsplit(tab.url).query}, view {number}: {measure_figure(tab)}", flush=True)
        assert serious(tab) == [], tab.url
        tab.set_viewport_size(PHONE)
        settle(tab)
        assert tab.evaluate("document.scrollingElement.scrollWidth") <= PHONE["width"], tab.url
        tab.set_viewport_size(PROJECTOR)
        settle(tab)


def walk(chromium: Browser, address: str, with_fresh: bool) -> None:
    """Walk through all lessons, then all views.

    Args:
        chromium: the browser.
        address: of the server.
        with_fresh: whether to move every control too, and compare each view with what a fresh browser shows.
    """
    for minutes, plan in LESSONS.items():
        for lead_on, query in ((by_lesson_bar, ""), (by_keys, "&present=true")):
            with new_visitor(chromium, f"{address}?lesson={minutes}{query}") as tab:
                settle(tab)
                walk_lesson(tab, plan, lead_on)
            print(f"{minutes} minutes {lead_on.__name__}: {len(plan.shown)} steps", flush=True)
    for page in PAGES:
        for query in ("", "?present=true"):
            with new_visitor(chromium, f"{address}/{'' if page == HOME else page.address}{query}") as tab:
                measure_views(tab, page)
        if with_fresh:
            with closing(new_profile(chromium)) as profile, closing(new_profile(chromium)) as fresh:
                compare_in(fresh, profile, address, page)
            print(f"{page.title}: every view the same in a fresh browser", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--language", default=ENGLISH.code, choices=known_languages(), help="of the app")
    code = parser.parse_args().language
    if not AXE.exists():
        sys.exit("This needs axe-core: npm ci in pages/components/browser.")
    with (
        tempfile.TemporaryDirectory() as folder,
        running_app(Path(folder) / "server.log", {"language": code}) as address,
        running_chromium() as chromium,
        reading(known_languages()[code]),
    ):
        walk(chromium, address, with_fresh=code == ENGLISH.code)


if __name__ == "__main__":
    main()

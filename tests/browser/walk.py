"""Walk the lessons and every page's controls in a real browser, as a teacher would before a lesson: some 25 minutes.

python -m tests.browser.walk [lessons] [keys] [back] [addresses]

Prints what went wrong, and exits 1 where anything did.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from playwright.sync_api import Browser, Error, Locator, Page, ViewportSize, expect

from pages.components.app.content import ChoiceExercise
from pages.components.app.menu import CHECKPOINTS, HOME, PAGES, TRAIN
from pages.components.lesson.closing import ANCHOR
from pages.components.lesson.plan import LESSONS, LessonPlan
from tests.browser.app import running_app, running_chromium
from tests.browser.conftest import ALL_RIGHT, HEADINGS, new_visitor, press, wait_for
from tests.browser.first_screen import settle
from tests.browser.test_first_screen import views_of
from tests.pages.test_exercises import ALL
from tests.pages.test_round_trips import ADDRESS_NAMES

PROJECTOR: ViewportSize = {"width": 1280, "height": 720}
_PATIENCE = 20_000  # ms, for a control that is there
_PRESSES = 80  # the most that a page's views may take
_DEPTH = 3  # how often new controls may appear after others were set
_EXERCISES = {exercise.key: exercise for exercise in ALL}

# What a page shows: its words, its controls, and the numbers of its figures.
_SHOWN = """() => {
  const main = document.querySelector("[data-testid=stMain]");
  const all = (selectors) => [...main.querySelectorAll(selectors)];
  const short = (key, value) => typeof value === "number" ? Number(value.toPrecision(4))
    : ArrayBuffer.isView(value) ? Array.from(value) : value;
  return {
    words: main.innerText.replace(/Press \\S*Enter to \\w+( form)?/g, "").replace(/\\bin [\\d.,]+ m?s\\b/g, "")
      .replace(/\\s+/g, " "),
    typed: all("input:not([type=checkbox]):not([type=radio]), textarea").map((each) => each.value),
    pressed: all("input[type=checkbox], input[type=radio], [aria-checked]:not([data-variant=pills])")
      .map((each) => each.checked ?? each.getAttribute("aria-checked") ?? each.innerText),
    figures: all(".js-plotly-plot").map((each) => JSON.stringify(each.data, short)),
  };
}"""

_wrong: list[str] = []


def _complain(what: str) -> None:
    _wrong.append(what)
    print(f"WRONG: {what}", flush=True)


@contextmanager
def _visitor(chromium: Browser, address: str) -> Iterator[Page]:
    with new_visitor(chromium, address) as tab:
        tab.set_viewport_size(PROJECTOR)
        tab.set_default_timeout(_PATIENCE)
        settle(tab)
        yield tab
        _expect_no_error(tab)


@contextmanager
def _going_on(what: str) -> Iterator[None]:
    """What fails ends one walk, not all of them."""
    try:
        yield
    except (AssertionError, Error) as error:
        _complain(f"{what}: {str(error)[:400]}")


def _expect_no_error(tab: Page) -> None:
    if tab.get_by_test_id("stException").count():
        _complain(f"a traceback on {tab.url}")


def _key_of(widget: Locator) -> str:
    found = re.search(r"st-key-(\S+)", widget.get_attribute("class") or "")
    assert found is not None
    return found.group(1)


# Lessons.


def walk_lessons(chromium: Browser, address: str) -> None:
    """Each by its strip alone; every exercise answered with each wrong answer, then rightly."""
    for minutes, plan in LESSONS.items():
        with _going_on(f"{minutes} minutes"), _visitor(chromium, f"{address}?lesson={minutes}") as tab:
            tab.locator(".st-key-strip_next a").click()
            answered = 0
            for place, stop in enumerate(plan.shown, start=1):
                _expect_step(tab, plan, place)
                answered += _answer_all(tab, "ask_")
                if place == len(plan.shown):
                    answered += _answer_all(tab, "closing_ask_")
                    expect(tab.get_by_text("You have finished the lesson.")).to_be_visible()
                if stop.page == TRAIN:
                    press(tab, "Start")
                    wait_for(tab, tab.get_by_role("heading", name=ALL_RIGHT))
                settle(tab)
                _expect_no_error(tab)
                tab.locator(".st-key-strip_next a").click()
            _expect_home(tab)
            print(f"{minutes} minutes: {len(plan.shown)} steps, {answered} exercises", flush=True)


def _expect_step(tab: Page, plan: LessonPlan, place: int) -> None:
    page = plan.shown[place - 1].page
    expect(tab.get_by_role("heading", name=HEADINGS.get(page.title, page.title), level=1)).to_be_visible()
    expect(tab.get_by_text(f"Step {place} of {len(plan.shown)}").first).to_be_visible()
    settle(tab)


def _expect_home(tab: Page) -> None:
    expect(tab.get_by_role("heading", name=HEADINGS["Home"], level=1)).to_be_visible()


def _answer_all(tab: Page, prefix: str) -> int:
    """The exercises whose keys begin so; returns how many there are."""
    boxes = tab.locator(f"[class*='st-key-{prefix}']:is([data-testid=stElementContainer])")
    keys = [key for key in map(_key_of, boxes.all()) if not key.endswith("_shown")]
    for key in keys:
        _answer(tab, key)
    return len(keys)


def _answer(tab: Page, key: str) -> None:
    exercise = _EXERCISES[key.removeprefix("closing_")]
    card = tab.locator("[data-testid=stVerticalBlock]").filter(has=tab.locator(f".st-key-{key}")).last
    if isinstance(exercise, ChoiceExercise):
        options = exercise.options
        radios = tab.locator(f".st-key-{key}").get_by_test_id("stRadioOption")
        for option in (*exercise.wrong, exercise.answer):
            radios.nth(options.index(option)).click()
            _expect_verdict(card, option == exercise.answer, exercise.wrong.get(option, exercise.why))
    else:
        box = tab.locator(f".st-key-{key} input")
        for number in (exercise.answer + 1 + 2 * exercise.tolerance, exercise.answer):
            box.fill(f"{number:.10g}")
            box.press("Enter")
            right = number == exercise.answer
            _expect_verdict(card, right, exercise.why if right else exercise.hint)


def _expect_verdict(card: Locator, right: bool, reason: str) -> None:
    begin = re.split(r"[*`$_]", reason)[0].strip()  # up to the first Markdown
    expect(card.get_by_test_id("stAlert").filter(has_text=begin)).to_be_visible()
    expect(card.get_by_text("Right." if right else "Not quite.", exact=True)).to_be_visible()


def walk_by_keys(chromium: Browser, address: str) -> None:
    """Each lesson in presenter mode by a remote's keys alone: Page Down, and arrows through the steps of every view."""
    for minutes, plan in LESSONS.items():
        for key in ("PageDown", "ArrowRight"):
            start = f"{address}?lesson={minutes}&present=1"
            with _going_on(f"{minutes} minutes by {key}"), _visitor(chromium, start) as tab:
                presses = _press_until(tab, key, partial(_has_left, tab, HEADINGS["Home"]))
                for place in range(1, len(plan.shown) + 1):
                    _expect_step(tab, plan, place)
                    last = place == len(plan.shown)
                    done = partial(_at_questions, tab) if last else partial(_has_left, tab, _heading(tab))
                    presses += _press_until(tab, key, done)
                presses += _press_until(tab, key, partial(_has_left, tab, _heading(tab)))
                _expect_home(tab)
                print(f"{minutes} minutes by {key}: {presses} presses", flush=True)


def _press_until(tab: Page, key: str, done: Callable[[], bool]) -> int:
    for presses in range(1, _PRESSES + 1):
        tab.keyboard.press(key)
        tab.wait_for_timeout(400)
        settle(tab)
        if done():
            return presses
    raise AssertionError(f"{_PRESSES} presses of {key} lead nowhere from {tab.url}")


def _has_left(tab: Page, heading: str) -> bool:
    return _heading(tab) != heading


def _heading(tab: Page) -> str:
    return tab.get_by_role("heading", level=1).first.inner_text()


def _at_questions(tab: Page) -> bool:
    found = tab.locator(f"#{ANCHOR}")
    box = found.bounding_box() if found.count() else None
    return box is not None and 0 <= box["y"] < PROJECTOR["height"] / 2


# Nothing lost.


def walk_back(chromium: Browser, address: str) -> None:
    """The longest lesson with controls moved and exercises answered; Back and reload show each step as it was left."""
    plan = LESSONS[max(LESSONS)]
    with _going_on("Back and reload"), _visitor(chromium, f"{address}?lesson={plan.minutes}") as tab:
        tab.locator(".st-key-strip_next a").click()
        left: list[dict[str, object]] = []
        for place, stop in enumerate(plan.shown, start=1):
            _expect_step(tab, plan, place)
            _answer_all(tab, "ask_")
            if stop.page not in (TRAIN, CHECKPOINTS):
                _change_all(tab)
            if stop.page == CHECKPOINTS:
                _use_the_first_model(tab)
            left.append(_shown(tab))
            if place < len(plan.shown):
                tab.locator(".st-key-strip_next a").click()
        for place in range(len(plan.shown), 0, -1):
            _expect_step(tab, plan, place)
            _compare(f"Back to step {place}", left[place - 1], _shown(tab))
            tab.reload()
            _expect_step(tab, plan, place)
            _compare(f"Reload of step {place}", left[place - 1], _shown(tab))
            if place > 1:
                tab.go_back()
        print(f"Back and reload: {len(plan.shown)} steps", flush=True)


def _use_the_first_model(tab: Page) -> None:
    """Again: the pages that speak of the current model spoke of this one."""
    use = tab.get_by_role("button", name="Use this one").first
    if use.is_enabled():
        use.click()
        settle(tab)


def walk_addresses(chromium: Browser, address: str) -> None:
    """Every view: set every control to something else, open the address in a fresh profile, and compare."""
    for page in PAGES:
        for view in views_of(page):
            with _going_on(f"{page.title} {view}"):
                _walk_address(chromium, f"{address}/{'' if page == HOME else page.address}?{view}", view)


def _walk_address(chromium: Browser, address: str, view: str) -> None:
    with _visitor(chromium, address) as tab:
        changed = _change_all(tab, left_alone=_key_of_view(view))
        here, copied = _shown(tab), tab.url
    with _visitor(chromium, copied) as tab:
        if "mode=lines" in copied:  # a link starts no work of this size
            press(tab, "Translate all lines")
        _compare(copied, here, _shown(tab))
    print(f"{address}: {changed} controls", flush=True)


def _shown(tab: Page) -> dict[str, object]:
    settle(tab)
    expect(tab.get_by_role("button", name="Stop", exact=True)).to_have_count(0)  # of work that goes on
    settle(tab)
    found: dict[str, object] = tab.evaluate(_SHOWN)
    return found


def _compare(what: str, left: dict[str, object], found: dict[str, object]) -> None:
    for part, before in left.items():
        if found[part] != before:
            at = next(
                (i for i, (a, b) in enumerate(zip(str(before), str(found[part]), strict=False)) if a != b), 0
            )
            begin = max(0, at - 60)
            _complain(
                f"{what}: {part}: …{str(before)[begin : at + 90]}… is now …{str(found[part])[begin : at + 90]}…"
            )


def _key_of_view(view: str) -> str:
    name = view.split("=")[0]
    return next((key for key, shown in ADDRESS_NAMES.items() if shown == name), name)


def _change_all(tab: Page, left_alone: str = "") -> int:
    """Set every control to something else, also those that come when others are set; returns how many."""
    seen, changed = {left_alone}, 0
    for _ in range(_DEPTH):
        boxes = tab.locator("[data-testid=stMain] [data-testid=stElementContainer][class*='st-key-']:visible")
        new = [key for key in map(_key_of, boxes.all()) if key not in seen]
        for key in dict.fromkeys(new):
            seen.add(key)
            box = tab.locator(f"[data-testid=stMain] .st-key-{key}[data-testid=stElementContainer]").first
            if "ask_" not in key and box.count() and box.is_visible() and _change(tab, box):
                changed += 1
                settle(tab)
        if not new:
            break
    return changed


def _change(tab: Page, box: Locator) -> bool:
    """Set one control to something else; whether there is one that can be set."""
    kind = next((each for each in _CHANGES if box.get_by_test_id(each).count()), None)
    return kind is not None and _CHANGES[kind](tab, box)


def _move(tab: Page, box: Locator) -> bool:
    thumb = box.locator("input").first
    if thumb.is_disabled():
        return False
    before = thumb.input_value()
    thumb.press("ArrowRight")
    if thumb.input_value() == before:
        thumb.press("ArrowLeft")
    return True


def _select(tab: Page, box: Locator) -> bool:
    menu = box.get_by_role("combobox")
    if menu.is_disabled():
        return False
    menu.click()
    others = tab.get_by_role("option").and_(tab.locator("[aria-selected=false]"))
    if others.count():
        others.last.click()
    else:
        tab.keyboard.press("Escape")
    return True


def _press_last(tab: Page, box: Locator) -> bool:
    others = box.locator(
        "button:is([aria-checked=false], [aria-pressed=false], [data-testid^=stNumberInputStep]):enabled"
    )
    if others.count():
        others.last.click()
    return others.count() > 0


def _toggle(tab: Page, box: Locator) -> bool:
    box.locator("label").first.click()
    return True


def _type(tab: Page, box: Locator) -> bool:
    field = box.locator("input, textarea").first
    if field.is_disabled():
        return False
    field.press("End")
    field.press_sequentially(" yes")
    field.press("Control+Enter")
    return True


_CHANGES: dict[str, Callable[[Page, Locator], bool]] = {
    "stSlider": _move,
    "stSelectbox": _select,
    "stButtonGroup": _press_last,
    "stCheckbox": _toggle,
    "stNumberInput": _press_last,
    "stTextInput": _type,
    "stTextArea": _type,
}
_WALKS = {"lessons": walk_lessons, "keys": walk_by_keys, "back": walk_back, "addresses": walk_addresses}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("walks", nargs="*", metavar="WALK", help=f"{', '.join(_WALKS)}; all without one")
    wanted = parser.parse_args().walks or list(_WALKS)
    if unknown := [name for name in wanted if name not in _WALKS]:
        parser.error(f"There is no walk {unknown[0]!r}. Name one of {', '.join(_WALKS)}.")
    with (
        tempfile.TemporaryDirectory() as folder,
        running_app(Path(folder) / "server.log") as address,
        running_chromium() as chromium,
    ):
        for name in wanted:
            _WALKS[name](chromium, address)
    sys.exit(bool(_wrong))


if __name__ == "__main__":
    main()

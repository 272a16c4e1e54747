"""Walk through lessons with a class: a projector, three phones and the teacher's remote, in a real browser.

python -m tests.browser.class_walk [--language fr] [--lesson 10]

Each prediction is voted on twice. No phone may mark what is right before the teacher reveals it.
"""

import argparse
import re
import tempfile
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, expect

from core.language import ENGLISH, reading
from core.records.question import ChoiceQuestion
from pages.content.lesson_plan import LessonPlan, LessonStep
from pages.content.lessons import LESSONS
from pages.content.pages import GPT, LESSON_END, TRAIN
from pages.languages.catalogs import known_languages
from tests.browser.app import running_app, running_chromium
from tests.browser.conftest import (
    ALL_RIGHT,
    PHONE,
    expect_page,
    new_profile,
    open_room,
    press,
    remote_of,
    settle,
    visitor_in,
    wait_for,
)

_NUM_PHONES = 3
_ALL = re.compile(f"^{_NUM_PHONES}$")
_ASKED = "fieldset.question"
_TOLD = ".right, .why"  # what tells on a phone which answer is right


class Class:
    """A teacher's projector, the phones of a class, and the teacher's remote."""

    def __init__(self, tabs: ExitStack, chromium: Browser, address: str, lesson: str) -> None:
        def open_tab(url: str) -> Page:
            return tabs.enter_context(visitor_in(tabs.enter_context(closing(new_profile(chromium))), url))

        def open_phone(url: str) -> Page:
            phone = open_tab(url)
            phone.set_viewport_size(PHONE)
            expect(phone.locator("h1")).to_be_visible()
            return phone

        self.teacher = open_tab(f"{address}?lesson={lesson}")
        code = open_room(self.teacher)
        self.phones = [open_phone(f"{address}/room/{code}") for _number in range(_NUM_PHONES)]
        press(self.teacher, "screen_done")
        self.remote = open_phone(remote_of(self.teacher))
        press(self.teacher, "remote_done")
        press(self.teacher, self.teacher.locator(".st-key-present label"))
        self._bar = self.teacher.locator(".st-key-room_bar")
        self._num_presses = 0

    def walk(self, plan: LessonPlan) -> None:
        """Walk from the questions before a lesson to those at its end."""
        self._answer_all(lambda phone: phone)
        self._expect_untold()
        self._lead_on()
        for number, step in enumerate(plan.shown, start=1):
            expect_page(self.teacher, step.page)
            where = re.compile(rf"\b{number}\D+{len(plan.shown)}\b")
            for phone in (*self.phones, self.remote):
                expect(phone.locator(".step")).to_have_text(where)
            if step.page == TRAIN:
                self._train(step)
            elif step.prediction is not None:
                self._predict(step.prediction)
            if (step.page, step.view) == (GPT, "left"):
                self._lead_on()
                wait_for(self.teacher, self.teacher.locator(".st-key-gpt_own"))
            self._do_exercise()
            print(f"step {number}: {step.page.address} {step.view}", flush=True)
            self._lead_on()
        expect_page(self.teacher, LESSON_END)
        self._answer_all(lambda phone: phone)
        everyone = re.compile(rf"\b{_NUM_PHONES}\D+{_NUM_PHONES}\b")
        expect(self.teacher.get_by_test_id("stMain").locator("strong", has_text=everyone)).to_be_visible()
        self._lead_on()
        expect(self.teacher.locator(".st-key-score")).to_contain_text(re.compile(r"\d"))

    def _lead_on(self) -> None:
        """Press Next on the remote, and every second time Page Down at the projector."""
        self._num_presses += 1
        settle(self.teacher)
        if self._num_presses % 2:
            self.remote.locator("button#next").click()
            self.teacher.wait_for_timeout(1000)  # until the projector has heard of it
        else:
            self.teacher.keyboard.press("PageDown")
        settle(self.teacher)

    def _predict(self, question: ChoiceQuestion) -> None:
        """Vote twice, reveal the answer, and show the figure."""
        right = question.right_option
        self._vote(lambda phone: phone)
        self._lead_on()
        self._expect_untold(num_votes=1)
        self.remote.locator("button#again").click()
        for phone in self.phones:
            expect(phone.locator(".bar")).to_have_count(0)
        self._vote(lambda phone: right if phone else right + 1)
        self._lead_on()
        self._expect_untold(num_votes=2)
        self._lead_on()
        self._expect_marked(question)
        counts = self.phones[0].locator(".right .count")
        expect(counts).to_have_text([re.compile(r"\b1\b"), re.compile(rf"\b{_NUM_PHONES - 1}\b")])
        self._lead_on()
        expect(self.teacher.locator(".st-key-prediction")).to_have_count(0)

    def _train(self, step: LessonStep) -> None:
        """Train; where the step begins with a question, the end of the training marks what is right."""
        if step.prediction is not None:
            self._vote(lambda phone: phone)
            self._lead_on()  # the answers
            self._expect_untold(num_votes=1)
        self._lead_on()
        wait_for(self.teacher, self.teacher.get_by_role("heading", name=ALL_RIGHT))
        if step.prediction is not None:
            self._expect_marked(step.prediction)

    def _vote(self, choose: Callable[[int], int]) -> None:
        """Answer on all phones what each chooses, by its number; the projector counts them."""
        self._answer(0, choose)
        expect(self._bar.locator("strong", has_text=_ALL)).to_have_count(2)  # are here, and have answered
        self._expect_untold()

    def _do_exercise(self) -> None:
        """Answer the exercise of a step: each is told at once whether it is right."""
        number = self.phones[0].locator(_ASKED).count() - 1
        if number >= 0 and not self._asked(self.phones[0], number).locator(".bar").count():
            self._answer(number, lambda phone: phone)
            for phone in self.phones:
                expect(self._asked(phone, number).locator(".why")).to_be_visible()

    def _answer_all(self, choose: Callable[[int], int]) -> None:
        for number in range(self.phones[0].locator(_ASKED).count()):
            self._answer(number, choose)

    def _answer(self, number: int, choose: Callable[[int], int]) -> None:
        for place, phone in enumerate(self.phones):
            asked = self._asked(phone, number)
            expect(asked).to_be_visible()
            buttons = asked.get_by_role("button")
            if asked.locator("input").count():
                asked.locator("input").fill(str(choose(place)))
            buttons.nth(choose(place) % buttons.count()).click()
            expect(asked.locator("[aria-pressed=true]")).to_have_count(1)

    def _asked(self, phone: Page, number: int) -> Locator:
        return phone.locator(_ASKED).nth(number)

    def _expect_untold(self, num_votes: int = 0) -> None:
        """No phone marks what is right, and each shows so many votes."""
        for phone in self.phones:
            if num_votes:
                expect(phone.locator(".option").first.locator(".bar")).to_have_count(num_votes)
            expect(phone.locator(_TOLD)).to_have_count(0)

    def _expect_marked(self, question: ChoiceQuestion) -> None:
        """Each phone marks the right answer, and no other."""
        letter = chr(ord("A") + question.right_option)
        for phone in self.phones:
            expect(phone.locator(".right p:first-child")).to_have_text(re.compile(rf"^✓ {letter}\b"))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--language", default=ENGLISH.code, choices=known_languages(), help="of the app")
    parser.add_argument("--lesson", choices=LESSONS, help="only this one")
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        running_app(Path(folder) / "server.log", {"language": options.language}) as address,
        running_chromium() as chromium,
        reading(known_languages()[options.language]),
    ):
        for name in [options.lesson] if options.lesson else LESSONS:
            with ExitStack() as tabs:
                Class(tabs, chromium, address, name).walk(LESSONS[name])
            print(f"lesson {name} with a class: {len(LESSONS[name].shown)} steps", flush=True)


if __name__ == "__main__":
    main()

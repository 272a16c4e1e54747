"""What a learner takes home: every question with the first answer to it, as a table, for a spreadsheet and to print."""

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

import pandas as pd

from core.language import N_, PerLanguage, _, language
from core.records.question import Moment, Question
from pages.components.browser.files import read_style
from pages.components.frame.visit import Visit
from pages.components.widgets.download import csv_of_table
from pages.content.markdown import text_of
from pages.content.reader import PAGE_TEXTS

COLUMNS = (
    N_("Step"),
    N_("When"),
    N_("Question"),
    N_("My first answer"),
    N_("Right answer"),
    N_("Result"),
)
_WHEN: Mapping[Moment, str] = {
    "before": N_("before the lesson"),
    "prediction": N_("prediction"),
    "exercise": N_("exercise"),
    "closing": N_("end of the lesson"),
}
_UNTOLD = "–"
_RESULTS = {True: N_("right"), False: N_("wrong"), None: _UNTOLD}
_SIGNS = {True: "✓\u00a0", False: "✗\u00a0", None: ""}


def cells_of(question: Question) -> tuple[str, str, str]:
    """Return what tables say of a question: the title of its page, when it is asked, and its text."""
    return PAGE_TEXTS[question.page].title, _(_WHEN[question.moment]), text_of(question.question)


def _all_questions() -> dict[str, Question]:
    found: list[Question] = [
        question
        for texts in PAGE_TEXTS.values()
        for each in texts.exercises
        for question in (each, each.at("before"), each.at("closing"))
    ]
    found += [each for texts in PAGE_TEXTS.values() for each in texts.predictions]
    return {question.key: question for question in found}


# Ours, by their keys.
_QUESTIONS = PerLanguage(_all_questions)


def in_language(question: Question) -> Question:
    """Return a question in the reader's language, whoever was asked; a teacher's own is as it was typed."""
    return _QUESTIONS.get(question.key, question)


@dataclass(frozen=True)
class OwnAnswers:
    """The first answers of a visitor, without what is right where that is not to be known yet."""

    cells: tuple[tuple[str, ...], ...]  # an answer each, by COLUMNS without the last one
    results: tuple[bool | None, ...]  # whether each is right; None where that is not told

    @property
    def score(self) -> str:
        """How many are right, in words; empty where none is told."""
        told = [result for result in self.results if result is not None]
        if not told:
            return ""
        return _("{right} of {count} right at the first try").format(right=sum(told), count=len(told))

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """The answers by COLUMNS."""
        return self._with_results(dict.fromkeys(_SIGNS, ""))

    @property
    def shown(self) -> tuple[tuple[str, ...], ...]:
        """The rows with a sign before each result, for people to read."""
        return self._with_results(_SIGNS)

    def _with_results(self, signs: Mapping[bool | None, str]) -> tuple[tuple[str, ...], ...]:
        return tuple(
            (*cells, signs[result] + _(_RESULTS[result]))
            for cells, result in zip(self.cells, self.results, strict=True)
        )


def own_answers(visit: Visit) -> OwnAnswers:
    """Return the answers of a visit's tab, and of the same person's phone."""
    cells = []
    results = []
    for answer in visit.memory.answers.values():
        question = in_language(answer.question)
        is_told = _is_told(visit, question)
        given = text_of(question.written(answer))
        right = text_of(question.right) if is_told else _UNTOLD
        cells.append((*cells_of(question), given, right))
        results.append(answer.is_right if is_told else None)
    return OwnAnswers(tuple(cells), tuple(results))


def _is_told(visit: Visit, question: Question) -> bool:
    """Return whether a visitor may know what is right.

    Not before the end of a lesson that asks the question again, nor before the teacher of the class has marked it.
    """
    if question.moment == "before":
        return question.at("closing").key in visit.memory.answers
    return not (question.moment == "prediction" and visit.is_kept_back(question))


def answers_csv(answers: OwnAnswers, name: str) -> bytes:
    """Return the answers for spreadsheets, with the name in each row if there is one: a teacher joins such files."""
    table = pd.DataFrame(answers.rows, columns=list(map(_, COLUMNS)))
    if name:
        table.insert(0, _("Name"), name)
    return csv_of_table(table)


def answers_html(answers: OwnAnswers, name: str) -> str:
    """Return the answers as a file to print, which has no script and loads nothing."""
    head = "".join(f"<th>{escape(_(column))}</th>" for column in COLUMNS)
    rows = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in answers.shown)
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    title = escape(_("My answers"))
    own, date = escape(_("Name: {name}").format(name=name)), escape(_("Date:"))
    return (
        f'<!doctype html><html lang="{language().code}"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{read_style('handout')}</style></head><body><h1>{title}</h1>"
        f'<div class="name"><span>{own}</span><span>{date}</span></div><p>{escape(answers.score)}</p>'
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></body></html>"
    )

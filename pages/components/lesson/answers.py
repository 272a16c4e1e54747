"""What a learner takes home: every question with the first answer to it, as a table, for a spreadsheet and to print."""

import re
from dataclasses import dataclass
from html import escape

import pandas as pd

from core.records.room import Question
from pages.components.browser.files import read_style
from pages.components.explaining.view import BEFORE, CLOSING
from pages.components.frame.visit import Visit
from pages.components.widgets.download import csv_of_table

COLUMNS = ("Step", "When", "Question", "My first answer", "Right answer", "Result")
_PREDICTION = "predict_"
# By the beginning of a question's key.
_WHEN = {BEFORE: "before the lesson", _PREDICTION: "prediction", CLOSING: "end of the lesson"}
_UNTOLD = "–"
_RIGHT, _WRONG = "right", "wrong"
_SIGNS = {_RIGHT: "✓\u00a0", _WRONG: "✗\u00a0"}
_MARKED = re.compile(r"(\*\*|\*|`)(?=\S)(.+?)\1")


def when_asked(question: Question) -> str:
    """Return when a question is asked, in words."""
    return next((when for begin, when in _WHEN.items() if question.key.startswith(begin)), "exercise")


def unmarked(markdown: str) -> str:
    """Return a short Markdown text without its marks of bold, italics and code."""
    return _MARKED.sub(r"\2", markdown)


@dataclass(frozen=True)
class OwnAnswers:
    """The first answers of a visitor, without what is right where that is not to be known yet."""

    rows: tuple[tuple[str, ...], ...]  # an answer each, by COLUMNS
    num_told: int  # those whose row says whether they are right
    num_right: int  # of these

    @property
    def score(self) -> str:
        """How many are right, in words; empty where none is told."""
        return f"{self.num_right} of {self.num_told} right at the first try" if self.num_told else ""

    @property
    def shown(self) -> tuple[tuple[str, ...], ...]:
        """The rows with a sign before each result, for people to read."""
        return tuple((*cells, _SIGNS.get(result, "") + result) for *cells, result in self.rows)


def own_answers(visit: Visit) -> OwnAnswers:
    """Return the answers of a visit's tab, and of the same person's phone."""
    rows = []
    told = []
    for answer in visit.memory.answers.values():
        question = answer.question
        right = result = _UNTOLD
        if _is_told(visit, question):
            told.append(answer.is_right)
            right = question.right
            result = _RIGHT if answer.is_right else _WRONG
        given = answer.typed or answer.option
        texts = question.step, when_asked(question), question.text, given, right, result
        rows.append(tuple(map(unmarked, texts)))
    return OwnAnswers(tuple(rows), len(told), sum(told))


def _is_told(visit: Visit, question: Question) -> bool:
    """Return whether a visitor may know what is right.

    Not before the end of a lesson that asks the question again, nor before the teacher of the class has marked it.
    """
    if question.key.startswith(BEFORE):
        return CLOSING + question.key.removeprefix(BEFORE) in visit.memory.answers
    tally = visit.tally(question)
    return tally is None or tally.is_solved or not question.key.startswith(_PREDICTION)


def answers_csv(answers: OwnAnswers, name: str) -> bytes:
    """Return the answers for spreadsheets, with the name in each row if there is one: a teacher joins such files."""
    table = pd.DataFrame(answers.rows, columns=COLUMNS)
    if name:
        table.insert(0, "Name", name)
    return csv_of_table(table)


def answers_html(answers: OwnAnswers, name: str) -> str:
    """Return the answers as a file to print, which has no script and loads nothing."""
    head = "".join(f"<th>{title}</th>" for title in COLUMNS)
    rows = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in answers.shown)
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>My answers</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{read_style('handout')}</style></head><body><h1>My answers</h1>"
        f'<div class="name"><span>Name: {escape(name)}</span><span>Date:</span></div><p>{answers.score}</p>'
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></body></html>"
    )

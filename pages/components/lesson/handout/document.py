"""A whole lesson on paper: one HTML file that needs nothing else, to print or to keep."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from pages.components.lesson.closing import closing_questions
from pages.components.lesson.exercise import ChoiceExercise, Exercise
from pages.components.lesson.handout.sheets import Sheet, sheet_of
from pages.components.lesson.plan import LessonPlan, Stop

_LINES = 2  # to write on, for each step

_STYLE = """
@page { size: A4; margin: 15mm 16mm; }
* { box-sizing: border-box; }
body { max-width: 178mm; margin: 0 auto; padding: 6mm 4mm; background: #fff; color: #1f1e1c;
  font: 11pt/1.4 "Source Sans 3", "Segoe UI", Helvetica, Arial, sans-serif; }
h1 { margin: 0 0 1mm; font-size: 20pt; }
h2 { margin: 0 0 1mm; font-size: 13pt; }
h2 small { font-weight: 400; font-size: 10pt; color: #555; }
p { margin: 0 0 2mm; }
.name { display: flex; gap: 8mm; margin: 3mm 0 6mm; }
.name span { flex: 1; border-bottom: 1px solid #555; padding-bottom: 1mm; }
section { break-inside: avoid; margin: 0 0 5mm; padding-top: 3mm; border-top: 2px solid #1f1e1c; }
.formula { margin: 2mm 0 0; font: 12.5pt/1.6 Cambria, "STIX Two Text", "Times New Roman", serif; }
.source { color: #555; font-size: 9pt; }
figure { margin: 2mm 0 3mm; text-align: center; break-inside: avoid; }
figure svg { max-width: 100%; height: auto; max-height: 66mm; color: #1f1e1c; }
.beside { float: right; width: 80mm; margin: 0 0 2mm 6mm; }
section::after { content: ""; display: block; clear: both; }
figcaption { font-size: 10pt; }
.exercise { overflow: hidden; margin: 2mm 0; padding: 2mm 3mm; border: 1px solid #999; border-radius: 2mm;
  break-inside: avoid; }
.exercise ul { margin: 1mm 0 0; padding: 0; list-style: none; }
.line { height: 8mm; border-bottom: 1px dotted #999; }
.answers { break-before: page; }
.answers ol { columns: 2; column-gap: 8mm; font-size: 10pt; padding-left: 6mm; }
.answers li { margin-bottom: 2mm; break-inside: avoid; }
code { font: 0.92em Consolas, "DejaVu Sans Mono", monospace; }
@media print { body { padding: 0; max-width: none; } }
"""


def handout_html(plan: LessonPlan, with_exercises: bool = True) -> str:
    """Each step of a lesson with its task, what to notice, its formula and figure, and an exercise; answers at the end.

    It depends on the lesson alone, holds no script, and loads nothing from anywhere.

    Args:
        plan: the lesson; pages that this server does not show are left out.
        with_exercises: whether anything is asked.
    """
    closing = [exercise for _, exercise in closing_questions(plan, turn=0)] if with_exercises else []
    asked: list[tuple[str, Exercise]] = []
    sections = []
    for number, stop in enumerate(plan.shown, start=1):
        exercise = sheet_of(stop).asks if with_exercises else None
        if exercise is not None:
            asked.append((f"{len(asked) + 1}", exercise))
        sections.append(_step(number, stop, asked[-1] if exercise is not None else None))
    questions = [(f"{number}", each) for number, each in enumerate(closing, start=len(asked) + 1)]
    title = f"A Transformer in {plan.minutes} minutes"
    parts = [
        f"<h1>{title}</h1><p>A lesson in {len(plan.shown)} steps, with Transformer Classroom.</p>"
        '<div class="name"><span>Name:</span><span>Date:</span></div>',
        *sections,
        _section("To close", "".join(_ask(*each) for each in questions)) if questions else "",
        _answers([*asked, *questions]),
    ]
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}: handout</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{_STYLE}</style></head><body>{''.join(parts)}</body></html>"
    )


def handout_name(plan: LessonPlan) -> str:
    """Of the file."""
    return f"transformer-lesson-{plan.minutes}-minutes.html"


def _step(number: int, stop: Stop, asked: tuple[str, Exercise] | None) -> str:
    sheet = sheet_of(stop)
    heading = f"{number}. {escape(stop.page.title)} <small>{stop.minutes} min</small>"
    parts = [_figure(sheet)] if sheet.draw is not None and not sheet.wide else []  # floats, so it comes first
    parts.append(f"<p><strong>Task.</strong> {_inline(stop.task)}</p>")
    if sheet.notice:
        parts.append(f"<p><strong>Notice.</strong> {_inline(sheet.notice)}</p>")
    if sheet.formula:
        parts.append(f'<p class="formula">{sheet.formula}</p><p class="source">{escape(sheet.source)}</p>')
    if sheet.wide:
        parts.append(_figure(sheet))
    if sheet.draw is None:
        parts.append('<div class="line"></div>' * _LINES)
    if asked is not None:
        parts.append(_ask(*asked))
    return _section(heading, "".join(parts))


def _figure(sheet: Sheet) -> str:
    assert sheet.draw is not None  # it was asked for
    place = "wide" if sheet.wide else "beside"
    return f'<figure class="{place}">{sheet.draw()}<figcaption>{_inline(sheet.task)}</figcaption></figure>'


def _section(heading: str, content: str) -> str:
    return f"<section><h2>{heading}</h2>{content}</section>"


def _ask(number: str, exercise: Exercise) -> str:
    """The question, with boxes to tick or lines to write on."""
    if isinstance(exercise, ChoiceExercise):
        options = "".join(f"<li>☐ {_inline(option)}</li>" for option in exercise.options)
        room = f"<ul>{options}</ul>"
    else:
        room = '<div class="line"></div>' * _LINES
    return (
        f'<div class="exercise"><strong>Exercise {number}.</strong> {_inline(exercise.question)}{room}</div>'
    )


def _answers(asked: Sequence[tuple[str, Exercise]]) -> str:
    if not asked:
        return ""
    answers = "".join(
        f"<li><strong>{_inline(exercise.answer)}</strong><br>{_inline(exercise.why)}</li>"
        for _, exercise in asked
    )
    return f'<section class="answers"><h2>Answers</h2><ol>{answers}</ol></section>'


def _inline(markdown: str) -> str:
    """The emphasis and code of our own short texts as HTML; all else stays as it is written."""
    text = escape(markdown, quote=False)
    for mark, tag in ((r"\*\*(.+?)\*\*", "strong"), (r"\*(.+?)\*", "em"), (r"`(.+?)`", "code")):
        text = re.sub(mark, rf"<{tag}>\1</{tag}>", text)
    return text

"""The printed handout of a lesson: one self-contained HTML file."""

from collections.abc import Sequence
from html import escape

from core.language import _, language, ngettext
from core.presets import CLASSROOM, Preset
from core.records.question import Question
from core.server.trained_model import file_name
from pages.components.browser.files import read_style
from pages.components.lesson import drawings
from pages.components.widgets.download import show_download
from pages.content.lesson_plan import LessonPlan, LessonStep, closing_questions
from pages.content.markdown import html_of
from pages.content.reader import Handout

_LINES = '<div class="line"></div>' * 2  # to write on


def file_of(plan: LessonPlan) -> str:
    """Return what files of a lesson are called, without the ending."""
    return file_name(plan.title) or f"transformer-lesson-{plan.minutes}-minutes"


def show_handout_button(plan: LessonPlan, classroom: Preset) -> None:
    """Show a button that downloads a lesson's handout."""
    show_download(
        _("Handout"),
        lambda: handout_html(plan, classroom),
        f"{file_of(plan)}.html",
        icon="print",
        help=_(
            "The whole lesson as one HTML file to print: tasks, formulas, figures, exercises with room to write, and "
            "the answers on a separate page."
        ),
    )


def handout_html(plan: LessonPlan, classroom: Preset = CLASSROOM) -> str:
    """Return each step of a lesson with its task, what to notice, formula, drawing and exercise; answers at the end.

    The file depends on the lesson, the classroom preset whose pairs are drawn, the server's settings and the reader's
    language alone. It has no script and loads nothing.
    """
    asked: list[Question] = []
    sections = []
    for number, step in enumerate(plan.shown, start=1):
        section = _step(number, step, plan.title_of(number), classroom)
        first: list[Question] = [step.own_prediction] if step.own_prediction else []
        for exercise in [*first, *step.exercises]:
            asked.append(exercise)
            section += _question(len(asked), exercise)
        sections.append(section)
    closing = [exercise for page, exercise in closing_questions(plan)]
    if closing:
        questions = (_question(number, each) for number, each in enumerate(closing, start=len(asked) + 1))
        heading = escape(_("To close"))
        sections.append(f"<h2>{heading}</h2>{''.join(questions)}")
    name, date = escape(_("Name:")), escape(_("Date:"))
    title = plan.title or _("A Transformer in {count} minutes").format(count=plan.minutes)
    about = ngettext(
        "A lesson in {count} step, with Transformer Classroom.",
        "A lesson in {count} steps, with Transformer Classroom.",
        len(plan.shown),
    ).format(count=len(plan.shown))
    file_title = _("{title}: handout").format(title=title)
    style = read_style("handout")
    return (
        f'<!doctype html><html lang="{language().code}"><head><meta charset="utf-8">'
        f"<title>{escape(file_title)}</title>"
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{style}</style></head><body>"
        f"<h1>{escape(title)}</h1><p>{escape(about)}</p>"
        f'<div class="name"><span>{name}</span><span>{date}</span></div>'
        f"{''.join(f'<section>{each}</section>' for each in sections)}{_answers([*asked, *closing])}{_notes(plan)}"
        "</body></html>"
    )


def _notes(plan: LessonPlan) -> str:
    """Return the speaker's notes, on the teacher's page with the answers."""
    noted = [(number, step) for number, step in enumerate(plan.shown, start=1) if step.note]
    notes = "".join(f"<p><strong>{number}.</strong> {html_of(step.note)}</p>" for number, step in noted)
    heading = escape(_("Notes"))
    return f'<section class="answers"><h2>{heading}</h2>{notes}</section>' if notes else ""


def _step(number: int, step: LessonStep, title: str, classroom: Preset) -> str:
    paper = step.texts.handout if step.texts else Handout()
    figure = _figure(paper, classroom) if paper.drawing else ""
    task = _("**Task.** {task}").format(task=step.task)
    parts = [
        f"<h2>{number}. {escape(title)} <small>{escape(_minutes(step))}</small></h2>",
        "" if paper.wide else figure,  # floats, so it comes first
        f"<p>{html_of(task)}</p>",
    ]
    if step.texts:
        notice = _("**Notice.** {notice}").format(notice=step.texts.notice)
        parts.append(f"<p>{html_of(notice)}</p>")
    if paper.formula:
        parts.append(f'<p class="formula">{paper.formula}</p><p class="source">{escape(paper.source)}</p>')
    parts.append(figure if paper.wide else "" if figure else _LINES)
    return "".join(parts)


def _minutes(step: LessonStep) -> str:
    return _("{count} min").format(count=step.minutes)


def _figure(paper: Handout, classroom: Preset) -> str:
    place = "wide" if paper.wide else "beside"
    draw = getattr(drawings, paper.drawing)
    drawing = draw(classroom) if draw in drawings.OF_PAIRS else draw()
    return f'<figure class="{place}">{drawing}<figcaption>{html_of(paper.drawing_task)}</figcaption></figure>'


def _question(number: int, exercise: Question) -> str:
    """Return the question as HTML, with boxes to tick or lines to write on."""
    answers = _LINES
    if exercise.kind == "choice":
        answers = f"<ul>{''.join(f'<li>☐ {html_of(option)}</li>' for option in exercise.options)}</ul>"
    asked = _("**Exercise {number}.** {question}").format(number=number, question=exercise.question)
    return f'<div class="exercise">{html_of(asked)}{answers}</div>'


def _answers(asked: Sequence[Question]) -> str:
    if not asked:
        return ""
    answers = "".join(
        f"<li><strong>{html_of(each.right)}</strong><br>{html_of(each.why)}</li>" for each in asked
    )
    heading = escape(_("Answers"))
    return f'<section class="answers"><h2>{heading}</h2><ol>{answers}</ol></section>'

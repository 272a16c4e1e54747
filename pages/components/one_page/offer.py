"""The offer to take a model away as a page that needs no server."""

from functools import partial
from typing import Any

import streamlit as st

from core.interpretability.attention_view import AttentionOptions, read_attention
from core.language import _
from core.server.trained_model import TrainedModel, file_name
from core.server.translation_job import ChosenSentence
from pages.components.attention.stage import stage_choice, stage_data
from pages.components.frame.visit import Visit
from pages.components.one_page.model import why_no_page
from pages.components.one_page.page import Filling, model_page, sentence_page
from pages.components.one_page.task import task_data
from pages.components.widgets.download import show_download
from pages.components.widgets.state import toggle
from pages.content.lesson_plan import LessonPlan


def offer_page(
    visit: Visit, model: TrainedModel, chosen: ChosenSentence | None = None, plan: LessonPlan | None = None
) -> None:
    """Show a button that opens what there is to choose; see `show_page_choices`."""
    key = f"page_{model.id}"
    # With "rerun", nothing is made while it is closed.
    place = st.popover(_("Download as a page"), icon=":material/web:", key=key, on_change="rerun")
    if place.open:
        with place:
            show_page_choices(visit, model, chosen, plan)


def offer_lesson_page(visit: Visit, plan: LessonPlan) -> None:
    """Offer a page with a lesson's tasks and questions and one of the visitor's models: the one in use, if it can be."""
    models = visit.workspace.models
    found = [
        each for each in (models.selected, visit.class_model, *reversed(models.kept)) if each is not None
    ]
    own = [each for each in found if not each.shipped]
    fitting = next((each for each in own if not why_no_page(each)), None)
    if fitting is not None:
        offer_page(visit, fitting, plan=plan)
        return
    with st.popover(_("Download as a page"), icon=":material/web:"):
        if own:
            st.markdown(why_no_page(own[0]))
        else:
            st.markdown(
                _("Train a model first: it goes into the page, with this lesson’s tasks and questions.")
            )


def show_page_choices(
    visit: Visit,
    model: TrainedModel,
    chosen: ChosenSentence | None = None,
    plan: LessonPlan | None = None,
    stage: dict[str, Any] | None = None,
) -> None:
    """Show what the page is, what can be in it, and the button that downloads it.

    Args:
        visit: on the page that offers it.
        model: the model.
        chosen: a sentence to begin with; for a model that no page holds, all that is in the page.
        plan: a lesson whose steps are the page's task; else it is the step that the visit is at.
        stage: the data of the attention stage for the sentence, where it is shown.
    """
    problem = why_no_page(model)
    if problem:
        st.caption(problem)
        if chosen is None:
            return
        st.markdown(
            _(
                "One HTML file with the attention and the candidates of this sentence. It needs no server and no network."
            )
        )
    else:
        st.markdown(
            _(
                "One HTML file with this model, in which it translates and shows its attention. It needs no server and "
                "no network: open it with a double click, on a phone, or in a frame of a website or of Moodle."
            )
        )
    with_pairs = bool(model.checkpoint.examples) and not problem
    if with_pairs:
        with_pairs = toggle(_("With its pairs"), True, key=f"page_pairs_{model.id}")
    filling = Filling(
        chosen.sentence.source if chosen else "",
        stage_choice(),
        with_pairs,
        _choose_task(visit, model, plan),
    )
    if problem and chosen is not None:
        written = partial(_page_of_sentence, chosen, stage or _stage_of(chosen), filling)
    else:
        written = partial(model_page, model, filling)
    name = f"{file_name(plan.called if plan else model.name) or 'model'}.html"
    show_download(_("HTML page"), written, name, key=f"page_file_{model.id}")


def _choose_task(visit: Visit, model: TrainedModel, plan: LessonPlan | None) -> dict[str, Any] | None:
    """Ask whether the lesson's tasks and questions go into the page, where there are any."""
    if plan is None and visit.step is None:
        return None
    label = _("With the tasks and questions of this lesson") if plan else _("With the task of this step")
    if not toggle(label, True, key=f"page_task_{model.id}"):
        return None
    lesson = plan or visit.lesson
    steps = plan.shown if plan else [visit.step] if visit.step else []
    # The right answers are in the page, so a class has those questions alone that its teacher has solved.
    title = lesson.called if lesson else ""
    return task_data(title, steps, lambda asked: visit.leads or not visit.is_kept_back(asked))


def _stage_of(chosen: ChosenSentence) -> dict[str, Any]:
    maps = read_attention(chosen.explained.attention, AttentionOptions())
    return stage_data(maps, chosen.sentence, chosen.model.name)


def _page_of_sentence(chosen: ChosenSentence, stage: dict[str, Any], filling: Filling) -> str:
    explained = chosen.explained
    steps = [[(each.token, each.probability) for each in step] for step in explained.candidates]
    return sentence_page(chosen.model, stage, explained.attention.predicted_tokens, steps, filling)

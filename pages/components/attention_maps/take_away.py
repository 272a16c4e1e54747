"""The figure as a file."""

from __future__ import annotations

import streamlit as st

from core.classroom.translation_job import Answer
from core.figures.attention import attention_figure
from core.figures.attention_drawings import attention_page, heatmap_svg, linked_tokens
from core.interpretability.attention_view import attention_json
from core.records import AttentionView
from pages.components.attention_maps.map_choice import MapChoice
from pages.components.widgets.drawing.picture_button import show_picture_button


def show_take_away(view: AttentionView, answer: Answer, choice: MapChoice) -> None:
    """Files of what is shown, made when they are pressed."""
    place = st.expander(
        "Export: picture, page, numbers",
        icon=":material/download:",
        key="take_away",
        on_change="rerun",  # nothing in it is made or sent while it is closed
    )
    if not place.open:
        return
    with place:
        st.caption(f"Pictures and page: {view.title(choice.layer, choice.head)}. JSON: all layers and heads.")
        with st.container(horizontal=True):
            _download("SVG", lambda: _svg(view, choice), "svg", "image/svg+xml")
            show_picture_button(_svg(view, choice), "attention.png")
            _download("HTML page", lambda: _page(view, answer, choice), "html", "text/html")
            _download("JSON", lambda: attention_json(view, answer.sentence), "json", "application/json")


def _download(label: str, make: object, ending: str, mime: str) -> None:
    st.download_button(
        label,
        make,  # type: ignore[arg-type]  # called when it is pressed
        f"attention.{ending}",
        mime,
        key=f"take_{ending}",
        on_click="ignore",
        icon=":material/download:",
    )


def _svg(view: AttentionView, choice: MapChoice) -> str:
    return heatmap_svg(attention_figure(view, choice.layer, choice.head), " ".join(view.notes))


def _page(view: AttentionView, answer: Answer, choice: MapChoice) -> str:
    figure = attention_figure(view, choice.layer, choice.head)
    lines = linked_tokens(view, choice.layer, choice.head)
    sentence, notes = answer.sentence, " ".join(view.notes)
    return attention_page(figure, lines, sentence.source, sentence.text, notes)

"""The living picture: an animation of a sentence running through the model, with the model's own numbers."""

import re
from dataclasses import asdict
from typing import Any, get_args

import streamlit as st

from core.figures.browser.living_picture import attention_box, levels_box, picture_data
from core.interpretability.head_numbers import head_numbers
from core.interpretability.sentence_run import follow
from core.interpretability.teacher_forcing import ForcedPair, Tracer
from core.language import N_, PerLanguage
from core.records.attention import AttentionKind, Head
from core.server.queue import compute_gate
from core.server.trained_model import TrainedModel
from pages.components.frame.presenting import draw_figure
from pages.components.model.analysis import analyze
from pages.components.widgets.state import Linked, set_value
from pages.content.reader import Living, read_content

_TEXTS = PerLanguage(lambda: asdict(read_content("living.toml", Living)))
# Labels of the boxes that open on a click.
_BOXES = PerLanguage(
    lambda: {box["name"]: box["label"] for box in _TEXTS["box"] if box["name"] != "probabilities"}
)
# The step and the open box, written and read by living.js: "step.box.layer.head.word".
_MOMENT = Linked("moment", "", N_("moment"), str, str)
_QUIET_MOMENT = Linked("quiet_moment", "", N_("moment"), str, str, in_address=False)
_SENT = "living_sent"  # key of st.session_state: the picture that the browser has
_ATTENTION: dict[str, AttentionKind] = {f"{kind}_attention": kind for kind in get_args(AttentionKind)}


def show_living(model: TrainedModel, pair: ForcedPair, quiet: bool = False) -> None:
    """Animate a sentence running through the model.

    Args:
        model: the model that translated it.
        pair: the sentence with its translation.
        quiet: whether the picture is secondary on the page: in small letters, with no place in the address.

    Raises:
        ValueError: the sentence is too long for the picture.
    """
    _draw(model, pair, analyze(model, _picture_of, pair), quiet)


def _picture_of(tracer: Tracer, pair: ForcedPair) -> dict[str, Any]:
    return picture_data(follow(tracer, pair))


# A fragment: a step or a click on a box reruns nothing else of the page.
@st.fragment
def _draw(model: TrainedModel, pair: ForcedPair, picture: dict[str, Any], quiet: bool) -> None:
    identity = f"{model.id} {picture['source']} {picture['target']}"
    linked = _QUIET_MOMENT if quiet else _MOMENT
    moment = linked.get(about=identity)
    data = {
        "id": identity,
        # A browser that has just reported its step has the picture; one that has lost it reports "lost".
        "picture": None if st.session_state.pop(_SENT, None) == identity else picture,
        "texts": dict(_TEXTS),
        "moment": moment,
        "quiet": quiet,
        "detail": _open_box(model, pair, moment),
    }

    def keep() -> None:
        if isinstance(reported := (st.session_state.get("living") or {}).get("moment"), str):
            linked.set(reported)
            set_value(_SENT, identity)

    html = '<div class="living" tabindex="0" role="group"></div>'
    draw_figure("living", html, data, on_moment_change=keep, on_lost_change=lambda: None)


def _open_box(model: TrainedModel, pair: ForcedPair, moment: str) -> dict[str, Any] | None:
    """Return the numbers of the open box, or None if no valid box is open."""
    found = re.match(r"\d+\.(\w+)\.(\d{1,3})\.(\d{1,3})\b", moment)
    if found is None or found[1] not in _BOXES:
        return None
    most = model.checkpoint.config.num_layers, model.checkpoint.config.num_heads
    place = (min(max(int(text), 1), end) - 1 for text, end in zip(found.groups()[1:], most, strict=True))
    with compute_gate():
        return {"name": found[1], **_box_numbers(Tracer(model.translator), pair, found[1], *place)}


def _box_numbers(tracer: Tracer, pair: ForcedPair, name: str, layer: int, head: int) -> dict[str, Any]:
    """Return the numbers inside a box at one layer and, for attention, one head, both from 0."""
    if name in _ATTENTION:
        numbers = head_numbers(tracer, pair, Head(_ATTENTION[name], layer, head))
        return attention_box(numbers, _BOXES[name])
    return levels_box(follow(tracer, pair), name, layer)

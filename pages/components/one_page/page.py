"""A page that needs no server: a class's model in it, or one sentence in a model that no page can hold."""

import base64
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from core.figures.browser.attention_stage import COLORS
from core.language import N_, _
from core.server.trained_model import TrainedModel
from core.tokens.vocabulary import END
from pages.components.attention.stage import KIND_TITLES
from pages.components.browser.files import reader_data
from pages.components.browser.own_page import held_as_json, own_page
from pages.components.model.facts import facts_of, training_of
from pages.components.one_page.model import model_data, weights_bytes, why_no_page

_CAVEAT = N_(
    "Attention shows where information could flow, not why the model chose a word: very different weights can give "
    "the same translation."
)
_CHOICE = {"attention": "cross", "heads": "", "look": "lines", "word": ""}  # of the attention stage


class Filling(NamedTuple):
    """What a page holds beside its model."""

    sentence: str = ""  # that it begins with; else the model's first example
    choice: Mapping[str, str] = _CHOICE  # on the attention stage
    with_pairs: bool = True
    task: Mapping[str, Any] | None = None  # from `task_data`


NOTHING_MORE = Filling()


def model_page(model: TrainedModel, filling: Filling = NOTHING_MORE) -> str:
    """Return a page with a model that `why_no_page` has nothing against."""
    examples = model.checkpoint.examples
    first = filling.sentence or (model.first_example.source if model.first_example else "")
    data = {
        "model": model_data(model),
        "first": first,
        "examples": [pair.source for pair in examples],
        "pairs": [[pair.source, pair.target] for pair in examples] if filling.with_pairs else [],
        "titles": {kind: _(title) for kind, title in KIND_TITLES.items()},
        "about": [
            *_about(model),
            _(
                "Everything runs in your browser: this page loads nothing, and nothing that you type is sent or stored. "
                "Its weights are rounded to 16 bits, so the last digit of a number may differ from the app’s."
            ),
        ],
    }
    return _page(model, filling, data, base64.b64encode(weights_bytes(model)).decode())


def sentence_page(
    model: TrainedModel,
    stage: Mapping[str, Any],
    written: Sequence[str],
    steps: Sequence[Sequence[tuple[str, float]]],
    filling: Filling = NOTHING_MORE,
) -> str:
    """Return a page with one sentence that a model has translated.

    Args:
        model: the model, which need not fit into a page.
        stage: the data of the attention stage for the sentence.
        written: the tokens of the translation, the end included where it was written.
        steps: each step's likeliest tokens with their probabilities.
        filling: what else it holds.
    """
    shown = {name: stage[name] for name in ("source", "target", "kinds")}
    is_finished = written[-1] == END
    data = {
        "sentence": {**shown, "written": written, "steps": steps, "unknown": [], "is_finished": is_finished},
        "titles": {kind: stage["titles"][kind] for kind in stage["kinds"]},
        "roles": stage["roles"],
        "about": [*_about(model), why_no_page(model)],
    }
    return _page(model, filling._replace(choice=stage["state"]), data, "")


_NOTHING: Mapping[str, Any] = {
    "model": None,
    "sentence": None,
    "first": "",
    "examples": [],
    "pairs": [],
    "roles": {},
}


def _page(model: TrainedModel, filling: Filling, data: Mapping[str, Any], weights: str) -> str:
    values = {
        **_NOTHING,
        **data,
        "reader": reader_data("page"),
        "name": model.name,
        "colors": COLORS,
        "choice": dict(filling.choice),
        "task": filling.task,
    }
    texts = {"data": held_as_json(values), "weights": weights}
    page = own_page("page", model.name, ("page", "stage"), texts)
    return page.html(page.policy("data: blob:"))


def _about(model: TrainedModel) -> list[str]:
    """Return what a model is, and when the page was made."""
    made = _("Made with Transformer Classroom on {date}.").format(date=date.today().isoformat())
    return list(filter(None, (_(_CAVEAT), facts_of(model), training_of(model), made)))

"""A model in a page that needs no server: what is in the page, and which models are not."""

import base64
import dataclasses
import json
import re
from typing import Any

import numpy as np
import pytest

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.shipped import find_checkpoint
from core.records.question import ChoiceQuestion
from core.records.text import Pair
from core.server.trained_model import TrainedModel
from core.tokens.vocabulary import END
from pages.components.one_page import model as one_model
from pages.components.one_page.model import why_no_page
from pages.components.one_page.page import Filling, model_page, sentence_page
from pages.components.one_page.task import task_data
from pages.content.lesson_plan import LessonStep
from pages.content.pages import TRANSLATE

HOSTILE = '</script><img src=x onerror="alert(1)"> \u202e {} <!--'


def held(page: str, name: str) -> str:
    found = re.search(rf'<script type="text/plain" id="{name}">([^<]*)</script>', page)
    assert found is not None
    return found[1]


def data_of(page: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(held(page, "data"))
    return data


def test_a_page_holds_the_weights_as_float16(checkpoint: Checkpoint) -> None:
    page = model_page(TrainedModel("mine", checkpoint))
    stored = np.frombuffer(base64.b64decode(held(page, "weights")), "<f2").astype(np.float32)
    names, sizes = zip(*data_of(page)["model"]["weights"], strict=True)
    parts = np.split(stored, np.cumsum(sizes)[:-1])
    for name, part in zip(names, parts, strict=True):
        np.testing.assert_allclose(part, checkpoint.weights[name].ravel(), rtol=1e-3, atol=1e-6)
    assert set(names) == checkpoint.weights.keys()


def test_what_people_have_written_is_data(checkpoint: Checkpoint) -> None:
    hostile = dataclasses.replace(checkpoint, examples=(Pair(HOSTILE, HOSTILE), *checkpoint.examples[:1]))
    asked = ChoiceQuestion("own", TRANSLATE.address, HOSTILE, HOSTILE, HOSTILE, {"no": HOSTILE})
    step = LessonStep(TRANSLATE, 1, HOSTILE, asks="after", question=asked)
    page = model_page(TrainedModel(HOSTILE, hostile), Filling(HOSTILE, task=task_data(HOSTILE, [step])))
    assert page.isascii() and "<img" not in page and "<!--" not in page
    assert page.count("</script>") == 3, "data, weights and the script"
    data = data_of(page)
    assert data["pairs"][0] == [HOSTILE, HOSTILE] and data["first"] == HOSTILE
    question = data["task"]["steps"][0]["questions"][0]
    assert question["plain_options"][question["right_option"]] == HOSTILE


def test_a_question_of_two_steps_is_asked_once() -> None:
    asked = ChoiceQuestion("own", TRANSLATE.address, "Which?", "this", "So.", {"that": "No."})
    step = LessonStep(TRANSLATE, 1, "Look.", asks="after", question=asked)
    first, second = task_data("Homework", [step, step])["steps"]
    assert first["questions"] and not second["questions"]


def test_without_its_pairs_a_page_has_their_sources_alone(checkpoint: Checkpoint) -> None:
    page = model_page(TrainedModel("mine", checkpoint), Filling(with_pairs=False))
    assert data_of(page)["pairs"] == []
    assert data_of(page)["examples"] == [pair.source for pair in checkpoint.examples]


def test_a_model_without_examples_has_a_page(checkpoint: Checkpoint) -> None:
    data = data_of(model_page(TrainedModel("mine", dataclasses.replace(checkpoint, examples=()))))
    assert data["first"] == "" and set(data["model"]["first"].values()) == {"1.1"}


def test_a_sentence_that_was_cut_off_is_one(checkpoint: Checkpoint) -> None:
    stage = {"source": "un", "target": "one", "kinds": {}, "titles": {}, "roles": {}, "state": {}}
    for written, is_finished in ((("one", END), True), (("one", "one"), False)):
        page = sentence_page(TrainedModel("mine", checkpoint), stage, written, [[], []])
        assert data_of(page)["sentence"]["is_finished"] == is_finished


def test_what_no_page_holds_is_said(
    checkpoint: Checkpoint, with_shipped: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = TrainedModel("mine", checkpoint)
    assert not why_no_page(mine)
    subwords = Checkpoint.load(find_checkpoint("ted_pt_en"))
    assert why_no_page(TrainedModel("ted", subwords)) and why_no_page(
        TrainedModel("ted", checkpoint, shipped_as="ted")
    )
    monkeypatch.setitem(one_model.COMPUTED, "norm", ("another",))
    assert "norm=" in why_no_page(mine)
    monkeypatch.setattr(one_model, "_MAX_PARAMETERS", 10)
    assert "10" in why_no_page(mine)

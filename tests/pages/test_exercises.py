import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from core.arrays import Ids
from core.language_model.training import prepare_texts
from core.model.forward import causal_mask, sinusoidal_encoding, split_heads
from core.model.numpy_ops import softmax
from core.presets import CLASSROOM
from core.records.question import Answer, ChoiceQuestion, Kind, NumberQuestion
from core.records.text import Pair
from core.theory.attention_steps import attend, attention_steps
from core.theory.byte_pairs import after_merges
from core.theory.decoding_cost import KNOWN, cache_bytes
from core.theory.fuzzy_dictionary import fuzzy_look_up
from core.theory.masks import count_visible_labels
from core.theory.model_size import BASE, BIG
from core.theory.positional_encoding import dot_products
from core.theory.schedule import linear_rate, peak_rate, warmup_rate
from core.theory.score_scale import NUM_KEYS, entropy
from core.theory.untrained_head import untrained_scores
from core.tokens.base import Tokenizer
from core.tokens.vocabulary import END, PAD, PAD_ID, START, START_ID, UNKNOWN
from core.training.batches import EncodedTexts, pad
from core.training.pairs import encode_pairs, learn_tokenizers
from core.weights import parameter_count
from pages.components.attention.one_row import KEYS, VALUES
from pages.components.frame.memory import ME
from pages.components.model.choice import english_tokenizer
from pages.content.lesson_plan import QUESTIONS, LessonPlan, LessonStep, closing_questions
from pages.content.lessons import LESSONS
from pages.content.pages import (
    ATTENTION_BY_HAND,
    LEARNING_RATE,
    LESSON_END,
    MASKS,
    TRAIN,
    TRANSLATE,
    PageEntry,
)
from pages.content.reader import PAGE_TEXTS
from tests.conftest import ChangeSetting
from tests.pages.conftest import OpenPage, change, linked, open_page, remembered, score, texts, workspace_of

ALL: list[Kind] = [exercise for page in PAGE_TEXTS.values() for exercise in page.exercises]
CHOICES = [exercise for exercise in ALL if isinstance(exercise, ChoiceQuestion)]
NUMBERS = [exercise for exercise in ALL if isinstance(exercise, NumberQuestion)]


def half_of_peak() -> float:
    """Return the step after the peak whose rate is nearest to half the peak."""
    steps = np.arange(4_000, 40_000)
    rates = warmup_rate(steps, 512, 4_000)
    return float(steps[np.abs(rates - peak_rate(512, 4_000) / 2).argmin()])


def _words_of(pairs: Sequence[Pair]) -> tuple[Tokenizer, Tokenizer]:
    return learn_tokenizers(pairs, CLASSROOM.model, CLASSROOM.training)


def decoder_runs(pair: Pair) -> int:
    """Return how many tokens the decoder writes for a pair, one in each of its runs."""
    labels = encode_pairs([pair], *_words_of([pair])).batch(np.array([0]), 1).labels
    return int((labels != PAD_ID).sum())


def steps_of_training(num_pairs: int, batch_size: int, epochs: int) -> int:
    pairs = [Pair("a", "b")] * num_pairs
    config = CLASSROOM.training.replace(batch_size=batch_size)
    return epochs * encode_pairs(pairs, *_words_of(pairs)).steps_per_epoch(config)


def tokens_after_merges(steps: int) -> int:
    """Return how many tokens the classroom's English sentences have after some merges."""
    words = Counter(word for pair in CLASSROOM.pairs for word in pair.target.split())
    return after_merges(words, steps).num_tokens(words)


def encoded_text(pair: Pair) -> Ids:
    """Return a pair as a decoder alone reads it."""
    encoded = prepare_texts([pair], CLASSROOM.model, CLASSROOM.training).encoded
    assert isinstance(encoded, EncodedTexts)
    return encoded.target


KNOWN_DECODERS = {model.name: model.decoder for model in KNOWN if model.decoder}


COMPUTED: dict[str, Callable[[], Any]] = {
    "ask_text_as_numbers_subwords": lambda: len(
        set(english_tokenizer().vocabulary.tokens) - {PAD, UNKNOWN, START, END}
    ),
    "ask_text_as_numbers_merges": lambda: tokens_after_merges(1),
    "ask_positional_encoding_dots": lambda: dot_products(sinusoidal_encoding(20, 64), 10).max(),
    "ask_attention_by_hand_dictionary": lambda: fuzzy_look_up(45, 10)[1],
    "ask_attention_by_hand_numbers": lambda: attention_steps([[1], [2], [3]], [[0]], [[1]], [[10]]).outputs[
        0, 0
    ],
    "ask_attention_by_hand_row": lambda: attend([[0] * 4], KEYS, VALUES).weights[0, 1],
    "ask_attention_by_hand_heads": lambda: split_heads(np.zeros((1, BASE.d_model)), BASE.num_heads).shape[-1],
    "ask_attention_by_hand_scale": lambda: entropy(np.full(NUM_KEYS, 1 / NUM_KEYS)),
    "ask_attention_by_hand_1": lambda: (
        parameter_count(CLASSROOM.model.replace(num_heads=2 * CLASSROOM.model.num_heads))
        - parameter_count(CLASSROOM.model)
    ),
    "ask_masks_causal": lambda: causal_mask(10).sum(),
    "ask_masks_softmax": lambda: softmax(untrained_scores(("[START]", "i", "am", "tired")), causal_mask(4))[
        0, 0
    ],
    "ask_masks_cheating": lambda: count_visible_labels(np.ones((10, 10), np.bool_)),
    "ask_learning_rate_warmup": half_of_peak,
    "ask_learning_rate_linear": lambda: linear_rate(2_000, 100, 4_000, 40_000),
    "ask_architecture_run": lambda: decoder_runs(Pair("a b c d", "v w x y z")),
    "ask_architecture_size": lambda: (
        parameter_count(BASE.replace(d_model=BIG.d_model, d_ff=BIG.d_ff)) / parameter_count(BASE)
    ),
    "ask_attention_maps_2": lambda: softmax([2.0, 0.5, -1.0]).sum(),
    "ask_decoding_greedy": lambda: math.log(0.5) + math.log(0.4),
    "ask_data_data": lambda: 100 * (pad([[START_ID] * length for length in (3, 5, 20)]) == PAD_ID).mean(),
    "ask_gpt_left": lambda: int((encoded_text(Pair("je suis fatigué", "i am tired")) != PAD_ID).sum()),
    "ask_gpt_kept": lambda: cache_bytes(KNOWN_DECODERS["GPT-2"], 1) / 1000,
    "ask_gpt_bigger": lambda: next(each for each in KNOWN if each.name == "GPT-3").compute / 1e23,
    "ask_train_train": lambda: steps_of_training(num_pairs=100, batch_size=32, epochs=10),
}
"""What the code computes where an exercise asks for a number."""


def asked_by(page: PageEntry, view: str) -> Kind:
    exercise = PAGE_TEXTS[page.address].views[view].exercise
    assert exercise is not None
    return exercise


def test_no_key_stands_twice_and_each_number_is_computed() -> None:
    assert len({exercise.key for exercise in ALL}) == len(ALL)
    assert {exercise.key for exercise in NUMBERS} == COMPUTED.keys(), "write down what the code computes"


@pytest.mark.parametrize("exercise", NUMBERS, ids=lambda exercise: exercise.key)
def test_the_number_is_what_the_code_computes(exercise: NumberQuestion) -> None:
    right = float(COMPUTED[exercise.key]())
    assert exercise.answer == pytest.approx(right, abs=0.005)
    assert exercise.read(exercise.right).is_right
    nearly = 0.99 * exercise.tolerance
    assert all(exercise.read(exercise.answer + each).is_right for each in (-nearly, nearly))
    step = max(1.0, 2 * exercise.tolerance)
    assert not any(exercise.read(wrong).is_right for wrong in (right - step, right + step, -right - 1))
    assert exercise.right not in exercise.hint.split(), "a hint gives nothing away"


@pytest.mark.parametrize("exercise", CHOICES, ids=lambda exercise: exercise.key)
def test_one_option_is_right_and_each_wrong_one_has_its_hint(exercise: ChoiceQuestion) -> None:
    assert len(exercise.options) == 1 + len(exercise.wrong) >= 3
    right = [option for number, option in enumerate(exercise.options) if exercise.read(number).is_right]
    assert right == [exercise.answer]
    assert all(hint and exercise.answer not in hint for hint in exercise.wrong.values())


def test_a_choice_is_checked_on_the_page() -> None:
    app = open_page(MASKS.file)
    exercise = asked_by(MASKS, "padding")
    assert isinstance(exercise, ChoiceQuestion)
    assert app.radio(key=exercise.key).value is None
    assert exercise.why not in texts(app)
    wrong, hint = next(iter(exercise.wrong.items()))
    app.radio(key=exercise.key).set_value(exercise.options.index(wrong))
    assert hint in change(app).warning[0].value
    assert exercise.why not in texts(app)
    app.radio(key=exercise.key).set_value(exercise.right_option)
    assert exercise.why in change(app).success[0].value
    assert not app.warning
    assert exercise.key not in app.query_params
    # Which a reload finds again.
    reloaded = open_page(MASKS.file, workspace=workspace_of(app))
    assert reloaded.radio(key=exercise.key).value == exercise.right_option


def test_a_number_is_checked_on_the_page() -> None:
    app = open_page(ATTENTION_BY_HAND.file)
    exercise = asked_by(ATTENTION_BY_HAND, "numbers")
    assert isinstance(exercise, NumberQuestion)
    app.text_input(key=exercise.key).set_value(str(exercise.answer + 1))
    assert exercise.hint in change(app).warning[0].value
    app.text_input(key=exercise.key).set_value("a half")
    assert not change(app).warning and not app.success
    app.text_input(key=exercise.key).set_value(f"{exercise.answer:.1f}".replace(".", ","))
    said = change(app).success[0].value
    assert exercise.right in said and exercise.why in said


def test_a_number_is_the_same_in_another_language() -> None:
    app = open_page(LEARNING_RATE.file, lang="pt")
    key = asked_by(LEARNING_RATE, "warmup").key
    app.text_input(key=key).set_value("16.000")
    assert change(app).success
    app.radio(key="lang_choice").set_value("en")
    assert change(app).success
    assert app.text_input(key=key).value == "16000"


def test_the_answer_is_shown_when_asked_for_and_not_by_an_address() -> None:
    exercise = asked_by(MASKS, "causal")
    shown = f"{exercise.key}_shown"
    app = linked(MASKS.file, masks_view="causal", **{exercise.key: exercise.right, shown: "true"})
    assert app.text_input(key=exercise.key).value == ""
    assert exercise.why not in texts(app)
    app.toggle(key=shown).set_value(True)
    assert f"**{exercise.right}.** {exercise.why}" in texts(change(app))


@pytest.mark.parametrize("minutes", LESSONS)
def test_three_different_pages_close_a_lesson(minutes: str) -> None:
    plan = LESSONS[minutes]
    taught = [step.page for step in plan.steps]
    on_the_way = {step.texts.exercise.name for step in plan.steps if step.texts and step.texts.exercise}
    questions = closing_questions(plan)
    asked = [page for page, _ in questions]
    assert len(set(asked)) == (2 if plan.title else QUESTIONS)
    assert asked == sorted(asked, key=taught.index)
    for page, question in questions:
        choices = [each for each in PAGE_TEXTS[page.address].closing if each.name not in on_the_way]
        assert question.name == min(choices, key=lambda each: each.closing).name


def test_a_view_s_own_exercise_does_not_close_its_lesson_again() -> None:
    """Its page offers it also where the step asks no question."""
    plan = LessonPlan((LessonStep(MASKS, 3, "", view="causal", asks="none"),))
    assert closing_questions(plan)
    assert asked_by(MASKS, "causal").name not in [each.name for _, each in closing_questions(plan)]


def test_a_lesson_closes_with_questions_and_counts_what_is_right() -> None:
    app = open_page(LESSON_END.file, lesson="10")
    exercises = [exercise for _, exercise in closing_questions(LESSONS["10"])]
    assert not score(app)
    for exercise in exercises:
        assert exercise.question in texts(app)
        key = exercise.key
        if isinstance(exercise, ChoiceQuestion):
            right = exercise.right_option
            app.radio(key=key).set_value((right + 1) % 3 if exercise == exercises[0] else right)
        else:
            app.text_input(key=key).set_value(str(exercise.answer))
        change(app)
    assert score(app) == ["2", "3"]
    app.radio(key=exercises[0].key).set_value(exercises[0].right_option)
    assert score(change(app)) == ["2", "3", "3", "3"]
    for before in (exercise.at("before") for exercise in exercises):
        wrong = Answer(before, 1 - before.right_option)
        remembered(app).ledger.note_first(ME, wrong)
    assert score(change(app)) == ["0", "3", "3", "3"], (
        "where it was asked before the lesson, what it knew then"
    )


@pytest.mark.slow
def test_a_teacher_switches_them_off(open_trained: OpenPage, change_setting: ChangeSetting) -> None:
    for page, view in ((MASKS, "padding"), (TRAIN, "train"), (TRANSLATE, "text")):
        change_setting("exercises", True)
        assert asked_by(page, view).question in texts(open_trained(page.file))
        change_setting("exercises", False)
        app = open_trained(page.file)
        assert asked_by(page, view).question not in texts(app)
        assert not [each for each in app.radio if each.key != "lang_choice"]
    app = open_trained(LESSON_END.file, lesson="10")
    assert not score(app) and not [each for each in app.radio if each.key != "lang_choice"]

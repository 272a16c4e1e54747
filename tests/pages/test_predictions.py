"""Predictions: what a figure will show, asked before it comes; each answer is what the code computes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.arrays import Floats
from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.shipped import FIRST
from core.classroom.trained_model import TrainedModel
from core.config import DecodingConfig
from core.corpora.toy import PAIRS
from core.interpretability.heads import all_heads, clearest_head, run_without
from core.interpretability.lens import depth_lens
from core.interpretability.padding import padding_comparison
from core.interpretability.sentence_run import follow
from core.interpretability.teacher_forcing import ForcedPair, Tracer, forced_attention
from core.interpretability.writing import write
from core.records.attention import TokenAttention
from core.theory.attention import masked_softmax, softmax
from core.theory.attention_steps import attention_steps
from core.theory.fuzzy_dictionary import ENTRIES, fuzzy_look_up
from core.theory.masks import causal_mask
from core.theory.model_size import BASE, parameters_by_kind
from core.theory.norm_placement import measure_stack, pre_norm
from core.theory.positional_encoding import dot_products, sinusoidal_encoding, wavelengths
from core.theory.schedule import Schedule
from core.theory.score_scale import score_scale
from core.theory.untrained_head import EXAMPLE, run_untrained_head, untrained_scores
from core.tokens.vocabulary import END_ID, PAD_ID, START_ID, UNKNOWN_ID
from core.training.pairs import encode_pairs, learn_words
from pages.components.content import PAGE_TEXTS, Prediction
from pages.components.inputs import english_tokenizer
from pages.components.lessons import LESSONS
from pages.components.menu import DECODING, TRAIN, TRANSLATE
from pages.components.session import server_rooms
from pages.text_as_numbers import cut_and_pad
from tests.conftest import ChangeSetting
from tests.pages.conftest import (
    ROOT,
    OpenPage,
    change,
    go_to,
    remembered,
    texts,
    wait_for_training,
    workspace_of,
)

ALL: list[Prediction] = [
    view.prediction for page in PAGE_TEXTS.values() for view in page.views.values() if view.prediction
]


@dataclass(frozen=True)
class Traced:
    """A model with its first example, which the pages show at first."""

    checkpoint: Checkpoint

    @cached_property
    def tracer(self) -> Tracer:
        return Tracer(TrainedModel("Model", self.checkpoint).translator)

    @cached_property
    def pair(self) -> ForcedPair:
        translation = self.tracer.translator.translate([self.checkpoint.examples[0].source], typed=True)[0]
        return ForcedPair.of_translation(self.tracer.translator, translation)


@dataclass(frozen=True)
class Models:
    """The models that the lessons are about."""

    classroom: Traced  # the classroom preset after its training
    shipped: Traced  # which comes with the app


@pytest.fixture(scope="module")
def models(checkpoint: Checkpoint) -> Models:
    return Models(Traced(checkpoint), Traced(Checkpoint.load(ROOT / "core" / "pretrained" / FIRST)))


def shape_of_loss(models: Models) -> str:
    losses = [epoch.loss for epoch in models.classroom.checkpoint.epochs]
    in_first_quarter = (losses[0] - losses[len(losses) // 4]) / (losses[0] - losses[-1])
    if in_first_quarter > 0.5:
        return "Fast at first, then more and more slowly"
    is_even = in_first_quarter > 0.2
    return "In a straight line down to 0" if is_even else "Hardly at all for a long time, then all at once"


def certainty(models: Models) -> str:
    model = models.classroom
    (translation,) = model.tracer.translator.translate([model.checkpoint.examples[0].source])
    is_certain = translation.best.mean_probability >= 0.9
    return "Almost certain: 90% or more" if is_certain else "About as sure as a coin toss: 50%"


def without_padding_mask(models: Models) -> str:
    model = models.classroom
    shortest = min((pair.source for pair in model.checkpoint.examples), key=len)
    found = padding_comparison(model.tracer, shortest, 2)
    assert found.masked.translation == found.alone.translation
    is_same = found.unmasked.translation == found.alone.translation
    return "The same translation: padding means nothing" if is_same else "Another translation"


def where_masked_attention_goes(_: Models) -> str:
    scores = untrained_scores(("[START]", "i", "like", "tensorflow"))
    row = masked_softmax(scores, causal_mask(4))[2]
    growth = row[:3] / softmax(scores)[2, :3]
    assert row.sum() == pytest.approx(1), "else: nowhere"
    is_in_proportion = np.ptp(growth) < 1e-6
    return (
        f"To the open positions, in {'proportion to what they have' if is_in_proportion else 'equal parts'}"
    )


def what_the_encoder_returns(models: Models) -> str:
    model = models.classroom
    source = next(pair.source for pair in model.checkpoint.examples if len(pair.source.split()) == 3)
    (translation,) = model.tracer.translator.translate([source], typed=True)
    pair = ForcedPair.of_translation(model.tracer.translator, translation)
    output = follow(model.tracer, pair).levels["encoder"][-1]
    return "One vector for each word" if len(output) == 3 else "One vector that stands for the whole sentence"


def largest_part(_: Models) -> str:
    counts = parameters_by_kind(BASE)
    assert BASE.target_vocab_size == 37_000
    sizes = {
        "Attention, which the paper is about": counts["self-attention"] + counts["cross-attention"],
        "The embeddings of its 37,000 tokens": counts["embedding"],
        "The feed-forward sublayers": counts["feed-forward"],
    }
    return max(sizes, key=lambda name: sizes[name])


def growth_with_pre_norm(_: Models) -> str:
    size = measure_stack(pre_norm, 12).size
    return f"About {size[-1] / size[0]:.0f} times as large as at first"


def unknown_tokens(models: Models) -> str:
    subwords = models.shipped.checkpoint.target_tokenizer
    found = [each.encode("i am a triceratops").count(UNKNOWN_ID) for each in (english_tokenizer(), subwords)]
    assert found[0] == 1
    return "Words: one. Subwords: none" if found[1] == 0 else "One each"


def padding_after_thank_you(_: Models) -> str:
    ids = english_tokenizer().encode("thank you")
    return str(int((cut_and_pad([[START_ID, *ids, END_ID]], 8) == PAD_ID).sum()))


def read_in_training(_: Models) -> str:
    words = learn_words(PAIRS)
    row = [pair.target for pair in PAIRS].index("i am tired")
    batch = encode_pairs(PAIRS, *words).batch(np.array([row]), 1)
    tokens = words[1].vocabulary.tokens
    assert tokens[batch.labels[0, 1]] == "am"
    read = " ".join(tokens[each] for each in batch.decoder_input[0, 1:3])
    return f"“{read}”, the right word"


def highest_attention_of_first_word(_: Models) -> str:
    weights = attention_steps([[1.0], [2.0], [3.0]], [[0.5]], [[1.0]], [[10.0]]).weights
    return (
        "“the”, itself: nothing is more similar to it",
        "“cat”, the next word",
        "“sat”, which has the largest number",
    )[weights[0].argmax()]


def legs_of_a_kitten(_: Models) -> str:
    weights, legs = fuzzy_look_up(72, 10)
    assert ENTRIES[weights.argmax()].name == "cat"
    return "A little less than 4" if 3.5 < legs < 3.95 else "4, as for the cat"


def unscaled_attention(_: Models) -> str:
    bits = score_scale(64).raw_entropy
    return (
        "Nearly all of it goes to one or two keys"
        if bits < 1
        else "About equally, since all numbers are random"
    )


def peak_of_longer_warmup(_: Models) -> str:
    usual, longer = (Schedule("warmup", warmup_steps=steps) for steps in (4_000, 8_000))
    assert longer.peak_step(20_000) > usual.peak_step(20_000)
    is_lower = longer.rates(8_000, 20_000) < 0.9 * usual.rates(4_000, 20_000)
    return "It comes later and is lower" if is_lower else "It comes later and is just as high"


def more_similar_position(_: Models) -> str:
    products = dot_products(sinusoidal_encoding(2_048, 512), 1_000)
    is_even = products[990] == pytest.approx(products[1_010], abs=1e-3)
    return "Both are equally similar" if is_even else "That of 990: it has come before"


def rows_of_a_repeated_word(_: Models) -> str:
    words = EXAMPLE.split()
    assert EXAMPLE == "the dog bites the man"
    weights = run_untrained_head(words, range(len(words)), with_positions=True)[1]
    differences = np.abs(weights[0] - weights[3])
    return (
        "They differ in every cell" if differences.min() > 0.01 else "They are the same: it is the same word"
    )


def aligned_with_we(models: Models) -> str:
    cross, weights = clearest_cross_head(models.shipped)
    row = weights[cross.rows.index("we")]
    return f"At “{cross.columns[row.argmax()]}”" if row.max() > 0.5 else "At all words about equally"


def where_the_map_is_bright(models: Models) -> str:
    _, weights = clearest_cross_head(models.shipped)
    away = np.abs(weights.argmax(axis=1) - np.arange(len(weights)))
    assert weights.max(axis=1).min() > 0.5, "else: all over"
    return "Along the diagonal" if away.max() <= 2 else "In the column of the most important word"


def clearest_cross_head(model: Traced) -> tuple[TokenAttention, Floats]:
    """Return the cross-attention of the first example, and the weights (T, S) of the head that the page selects."""
    examples = [
        each.of_kind("cross") for each in forced_attention(model.tracer, model.checkpoint.examples[:6])
    ]
    layer, head = clearest_head([*examples, *[examples[0]] * 6])
    return examples[0], examples[0].weights[layer, head]


def written_by(model: Traced, decoding: DecodingConfig, prefix: str = "") -> list[str]:
    """Return what a search writes for the first example."""
    tokenizer = model.checkpoint.target_tokenizer
    found = write(model.tracer, model.pair.source.tolist(), decoding, tokenizer.encode(prefix))
    return [tokenizer.decode(each.ids) for each in found.hypotheses]


def goes_on_from_we(models: Models) -> str:
    model = models.shipped
    assert written_by(model, DecodingConfig()) == ["This is a problem that we have to solve."]
    return f"“{written_by(model, DecodingConfig(), 'this is a problem we')[0]}”"


def found_by_beam_search(models: Models) -> str:
    greedy, beam = DecodingConfig(), DecodingConfig(beam_size=4, length_penalty=0.6)
    first, best = (written_by(models.shipped, each)[0] for each in (greedy, beam))
    return "The same sentence" if first == best else "A better one, since it looks further ahead"


def hot_samples(models: Models) -> str:
    model = models.shipped
    known = set(written_by(model, DecodingConfig())[0].lower().strip(".").split())
    cool, hot = (
        [
            set(text.lower().strip(".").split())
            for text in written_by(model, DecodingConfig(samples=4, temperature=temperature))
        ]
        for temperature in (0.7, 2.0)
    )
    assert all(len(words & known) > len(words) / 2 for words in cool)
    is_nonsense = all(len(words & known) < len(words) / 10 for words in hot)
    return "Words that make no sense together" if is_nonsense else "Good translations in freer words"


def layer_of_the_final_word(models: Models) -> str:
    lens = depth_lens(models.shipped.tracer, models.shipped.pair, "decoder")
    assert len(lens.tokens) == 1 + 3
    settled = [since or 1 for since in lens.known_since if since is not None]
    most = max(set(settled), key=settled.count)
    assert settled.count(most) > len(lens.known_since) / 2
    return ("After the first", "After the second", "Only after the third")[most - 1]


def heads_that_change_the_translation(models: Models) -> str:
    tracer, pair = models.shipped.tracer, models.shipped.pair
    whole = run_without(tracer, pair, ()).translation
    heads = all_heads(models.shipped.checkpoint.config)
    assert len(heads) == 36
    share = np.mean([run_without(tracer, pair, (head,)).translation != whole for head in heads])
    return (
        "For hardly any"
        if share < 0.1
        else "For about half of them"
        if share < 0.7
        else "For nearly all of them"
    )


COMPUTED: dict[str, Callable[[Models], str]] = {
    "predict_train_train": shape_of_loss,
    "predict_translate_text": certainty,
    "predict_masks_softmax": where_masked_attention_goes,
    "predict_masks_without": without_padding_mask,
    "predict_architecture_run": what_the_encoder_returns,
    "predict_architecture_size": largest_part,
    "predict_architecture_norms": growth_with_pre_norm,
    "predict_text_as_numbers_subwords": unknown_tokens,
    "predict_text_as_numbers_batch": padding_after_thank_you,
    "predict_text_as_numbers_teacher": read_in_training,
    "predict_positional_encoding_waves": lambda _: f"After about {wavelengths(512)[128]:.0f}",
    "predict_positional_encoding_dots": more_similar_position,
    "predict_positional_encoding_shuffle": rows_of_a_repeated_word,
    "predict_attention_by_hand_dictionary": legs_of_a_kitten,
    "predict_attention_by_hand_numbers": highest_attention_of_first_word,
    "predict_attention_by_hand_scale": unscaled_attention,
    "predict_learning_rate_warmup": peak_of_longer_warmup,
    "predict_attention_maps_heat": where_the_map_is_bright,
    "predict_attention_maps_words": aligned_with_we,
    "predict_decoding_greedy": goes_on_from_we,
    "predict_decoding_beam": found_by_beam_search,
    "predict_decoding_sample": hot_samples,
    "predict_inside_lens": layer_of_the_final_word,
    "predict_inside_heads": heads_that_change_the_translation,
}
"""The right answers, by the predictions' keys, from what the figures are drawn from."""


def test_each_answer_is_computed() -> None:
    assert {prediction.key for prediction in ALL} == COMPUTED.keys(), "write down how the code computes it"


@pytest.mark.parametrize("prediction", ALL, ids=lambda prediction: prediction.key)
def test_the_answer_is_what_the_code_computes(models: Models, prediction: Prediction) -> None:
    assert prediction.answer == COMPUTED[prediction.key](models)
    assert 2 <= len(set(prediction.options)) == 1 + len(prediction.wrong) <= 5


def test_the_order_of_the_answers_gives_nothing_away() -> None:
    places = {prediction.options.index(prediction.answer) for prediction in ALL}
    assert len(places) >= 3


@pytest.mark.parametrize("minutes", [10, 30])
def test_nearly_every_step_begins_with_a_prediction(minutes: int) -> None:
    steps = LESSONS[minutes].steps
    asked = [step for step in steps if step.texts and step.texts.prediction]
    assert len(asked) >= min(len(steps), 8)


def drawings(app: AppTest) -> int:
    """Return how many figures, drawings and tables of numbers the page shows."""
    names = (each.proto.component_name for each in app.get("bidi_component"))
    drawn = [name for name in names if name.endswith(("_stage", "_living"))]
    tables = [each for each in app.get("html") if each.proto.body.startswith("<style>.")]
    return len(app.get("plotly_chart")) + len(drawn) + len(tables)


ASKED_FIRST = {
    step.texts.prediction.key: (str(minutes), step)
    for minutes, plan in LESSONS.items()
    for step in plan.steps
    if step.texts and step.texts.prediction and step.page != TRAIN
}


def open_step(open_page: OpenPage, key: str, checkpoint: Checkpoint) -> AppTest:
    """Open a lesson's step that begins with a prediction, as the button to it does."""
    minutes, step = ASKED_FIRST[key]
    parameter = PAGE_TEXTS[step.page.address].parameter
    view = {parameter: step.view} if parameter else {}
    own = TrainedModel("Mine", checkpoint)
    return open_page(step.page.file, own=own, lesson=minutes, **view, **step.choices)


def prediction_of(key: str) -> Prediction:
    return next(each for each in ALL if each.key == key)


def answer(app: AppTest, prediction: Prediction, option: str) -> AppTest:
    letter = "ABCDE"[prediction.options.index(option)]
    app.button(key=f"{prediction.key}_{letter}").click()
    return change(app)


@pytest.mark.parametrize("key", ASKED_FIRST)
def test_in_a_lesson_the_figure_waits_for_the_answer(
    open_page: OpenPage, with_shipped: None, checkpoint: Checkpoint, key: str
) -> None:
    prediction = prediction_of(key)
    app = open_step(open_page, key, checkpoint)
    before = texts(app)
    assert prediction.question in before
    assert not drawings(app)
    _, step = ASKED_FIRST[key]
    assert step.texts
    assert not [text for text in (prediction.why, step.texts.notice) if text in before]
    after = texts(answer(app, prediction, prediction.wrong[0]))
    assert drawings(app)
    assert prediction.question not in after
    assert all(text in after for text in (prediction.wrong[0], prediction.answer, prediction.why))


KEY = "predict_translate_text"


def test_show_me_comes_with_the_figure_and_the_reason(open_page: OpenPage, checkpoint: Checkpoint) -> None:
    app = open_step(open_page, KEY, checkpoint)
    app.button(key="leads_on").click()  # as the remote's Page Down does
    assert prediction_of(KEY).why in texts(change(app))
    assert drawings(app)
    assert "expected" not in texts(app)
    assert "leads_on" not in [button.key for button in app.button]  # so that Page Down leads on


def test_an_answer_survives_another_page_and_a_reload(open_page: OpenPage, checkpoint: Checkpoint) -> None:
    prediction = prediction_of(KEY)
    app = answer(open_step(open_page, KEY, checkpoint), prediction, prediction.answer)
    go_to(go_to(app, DECODING.file), TRANSLATE.file)
    reloaded = open_page(TRANSLATE.file, lesson="10", workspace=workspace_of(app))
    for each in (app, reloaded):
        assert "**Right.**" in texts(each)
        assert drawings(each)


def test_a_lesson_started_again_asks_again(open_page: OpenPage, checkpoint: Checkpoint) -> None:
    app = open_step(open_page, KEY, checkpoint)
    answer(app, prediction_of(KEY), prediction_of(KEY).answer)
    go_to(app, "pages/home.py").button(key="begin").click()
    go_to(change(app), TRANSLATE.file)
    assert not drawings(app)


def test_outside_a_lesson_the_figure_is_there_and_the_question_is_offered(open_trained: OpenPage) -> None:
    prediction = prediction_of(KEY)
    app = open_trained(TRANSLATE.file)
    assert drawings(app)
    assert prediction.question in [each.label.removeprefix("Before you read on: ") for each in app.expander]
    assert prediction.why not in texts(app)
    assert prediction.why in texts(answer(app, prediction, prediction.wrong[0]))
    assert remembered(app).predictions == {KEY: prediction.wrong[0]}


def test_before_a_training_the_question_waits_for_start(open_page: OpenPage) -> None:
    prediction = prediction_of("predict_train_train")
    app = answer(open_page(TRAIN.file, lesson="10", setting_preset="smallest"), prediction, prediction.answer)
    assert prediction.question in texts(app)
    assert prediction.why not in texts(app)
    app.button(key="leads_on").click()
    change(app)
    assert prediction.question not in texts(app)
    assert f"**Right.** {prediction.why}" in texts(wait_for_training(app))


def test_in_a_class_the_end_of_the_training_marks_the_answer(open_page: OpenPage) -> None:
    app = open_page(TRAIN.file, lesson="10", setting_preset="smallest")
    server_rooms().open(workspace_of(app).id)
    change(app)
    why = prediction_of("predict_train_train").why
    assert why not in texts(app)
    app.button(key="leads_on").click()
    change(app)
    assert why not in texts(app)
    assert why in texts(wait_for_training(app))


def test_a_teacher_switches_them_off(
    open_page: OpenPage, checkpoint: Checkpoint, change_setting: ChangeSetting
) -> None:
    change_setting("exercises", False)
    app = open_step(open_page, KEY, checkpoint)
    assert drawings(app)
    assert prediction_of(KEY).why not in texts(app)
    app = open_page(TRANSLATE.file, own=TrainedModel("Mine", checkpoint))
    assert not [each for each in app.expander if "Before you read on" in each.label]

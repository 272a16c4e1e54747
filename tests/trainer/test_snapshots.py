import base64
import dataclasses
import json
from collections.abc import Sequence

import numpy as np
import pytest

from core.checkpoints.checkpoint import Checkpoint
from core.corpora.toy import NEVER_SHOWN, PAIRS, PHRASES
from core.figures.browser.training_player import MAX_POINTS, player_data
from core.inference.translator import Translator
from core.interpretability.heads import clearest_head, clearest_watched_head
from core.interpretability.teacher_forcing import ForcedPair, Tracer, forced_attention
from core.language import _
from core.records.text import Pair
from core.records.training import EpochReport, LearningSnapshot, PastRun, WatchedSentence, WatchedTraining
from core.tokens.vocabulary import END_ID
from core.tokens.word import WordTokenizer
from core.trainer.snapshots import MAX_TOKENS, snapshot_steps, take_snapshot, watched_sentences


@pytest.mark.parametrize("per_epoch", [1, 2, 3, 25])
@pytest.mark.parametrize("epochs", [1, 7, 40, 41, 200, 2_000, 100_000])
def test_moments_are_dense_while_most_is_learned_and_few_however_long_it_goes_on(
    per_epoch: int, epochs: int
) -> None:
    snapshots = sorted(snapshot_steps(epochs * per_epoch, per_epoch))
    assert snapshots[0] == 0 and snapshots[-1] == epochs * per_epoch
    assert len(snapshots) <= 50
    early = [step / per_epoch for step in snapshots if step <= 40 * per_epoch]
    assert max(np.diff(early), default=0) <= 2
    if epochs >= 40:
        assert sum(epoch < 10 for epoch in early) >= (12 if per_epoch > 1 else 10)
    late = np.diff([step for step in snapshots if step >= 40 * per_epoch])
    assert list(late) == sorted(late) or epochs < 200  # each about as much later as the one before


def watched_of(pairs: Sequence[Pair], held_out: Sequence[Pair]) -> list[tuple[str, bool]]:
    """The sources that are watched, and whether each is never shown."""
    tokenizers = tuple(
        WordTokenizer.fit((getattr(pair, side) for pair in pairs), start_and_end=True)
        for side in ("source", "target")
    )
    watched = watched_sentences(pairs, held_out, tokenizers)  # type: ignore[arg-type]
    assert all(each.target_tokens[-1] == "[END]" for each in watched)
    return [(each.source, each.never_shown) for each in watched]


def test_who_is_watched() -> None:
    pairs = [pair for pair in PHRASES if pair not in NEVER_SHOWN]
    watched = watched_of(pairs, NEVER_SHOWN)
    assert watched[2:] == [(pair.source, True) for pair in NEVER_SHOWN] and len(watched) == 5
    assert set(watched[:2]) < {(pair.source, False) for pair in pairs}
    long = {pair.source for pair in PAIRS if len(pair.target.split()) >= 3}
    assert {source for source, _ in watched_of(PAIRS, ())} <= long


def test_each_held_out_phrase_has_words_that_others_teach() -> None:
    others = [pair for pair in PHRASES if pair not in NEVER_SHOWN]
    for pair in NEVER_SHOWN:
        for side in ("source", "target"):
            known = [word for other in others for word in getattr(other, side).split()]
            assert all(known.count(word) >= 2 for word in getattr(pair, side).split())


@pytest.mark.parametrize("name", ["translator", "untrained", "endless"])
def test_a_snapshot_has_the_numbers_of_the_translator(name: str, request: pytest.FixtureRequest) -> None:
    """Also of sentences that end before others, and of right words without an end, which the limit cuts off."""
    pairs = PAIRS[2:7]
    translator = request.getfixturevalue("untrained" if name == "untrained" else "translator")
    if name == "endless":
        bias = translator.weights["output/bias"] - 1e3 * (
            np.arange(translator.config.target_vocab_size) == END_ID
        )
        weights = {**translator.weights, "output/bias": bias.astype(np.float32)}
        translator = Translator(
            translator.config, weights, translator.source_tokenizer, translator.target_tokenizer
        )
    watched = watched_sentences(pairs, (), (translator.source_tokenizer, translator.target_tokenizer))
    limit = max(len(each.target_ids) for each in watched) + 2
    snapshot = take_snapshot(translator, watched, 5)
    records = forced_attention(Tracer(translator), pairs)
    last_layers = [
        dataclasses.replace(record, cross=record.cross[-1:]).of_kind("cross") for record in records
    ]
    assert clearest_watched_head(watched, snapshot) == clearest_head(last_layers)[1]
    tracer = Tracer(translator)
    for pair, found, answer in zip(
        pairs, translator.translate([pair.source for pair in pairs]), snapshot.translations, strict=True
    ):
        assert tuple(token for token, _ in answer) == found.best.ids[:limit]
        read = ForcedPair.of_translation(translator, found)
        logs = tracer.log_probabilities(read, 1)
        np.testing.assert_allclose([p for _, p in answer], np.exp(logs[0])[:limit], atol=1e-5)
        assert (found.text == pair.target) == (name == "translator")
    for record, cross in zip(records, snapshot.cross, strict=True):
        np.testing.assert_allclose(cross / 255, record.cross[-1], atol=0.5 / 255 + 1e-5)


def test_the_longest_sentences_fit_into_what_the_browser_gets(checkpoint: Checkpoint) -> None:
    long = [Pair(f"je veux {'de ' * number}l eau", "i want " * 13) for number in range(20, 25)]
    translator = checkpoint.translator()
    watched = watched_sentences(long, (), (translator.source_tokenizer, translator.target_tokenizer))
    snapshot = take_snapshot(translator, watched, 0)
    assert {cross.shape[1:] for cross in snapshot.cross} == {(MAX_TOKENS, MAX_TOKENS)}
    epochs = tuple(report(number) for number in range(1, 3_000))
    tokens = translator.target_tokenizer.vocabulary.tokens
    training = WatchedTraining("", watched, tokens, 3_000, 2, epochs, (snapshot,) * 50, head=0)
    data = player_data(training, PastRun("x", epochs), run="")
    assert len(json.dumps(data)) < 300_000 and len(data["curves"]["loss"]) == MAX_POINTS


SENTENCES = (
    WatchedSentence("<b>un</b>", (4,), (4, 3), ("un",), ("<one>", "[END]")),
    WatchedSentence("deux", (5, 6), (5, 3), ("deux", "x"), ("two", "[END]"), never_shown=True),
)
VOCABULARY = ("[PAD]", "[UNK]", "[START]", "[END]", "<one>", "two")


def snapshot(step: int, answers: Sequence[Sequence[tuple[int, float]]]) -> LearningSnapshot:
    sharp = np.array([[[90], [90]], [[255], [0]]], np.uint8)
    return LearningSnapshot(step, tuple(map(tuple, answers)), (sharp, np.repeat(sharp, 2, axis=2)))


def report(epoch: int) -> EpochReport:
    return EpochReport(epoch, 2 * epoch, 4 / epoch, 0.5, 0.001, float(epoch), 5 / epoch)


def test_the_browser_gets_what_the_moments_hold() -> None:
    snapshots = (
        snapshot(0, [[(5, 0.25), (5, 0.5)], [(3, 0.9)]]),
        snapshot(3, [[(4, 0.87654), (3, 0.9)], [(4, 0.5), (3, 0.5)]]),
    )
    training = WatchedTraining("", SENTENCES, VOCABULARY, 1, 2, (report(1),), snapshots, head=1)
    data = player_data(training, PastRun("One head", (report(1), report(2))), run="")
    first, last = data["snapshots"]
    assert (first["epoch"], last["epoch"]) == (0, 1.5)
    assert [data["words"][word] for word in first["answers"][0]["words"]] == ["two", "two"]
    assert first["answers"][0]["open"] and not first["answers"][0]["right"]
    assert first["answers"][1] == {"words": [], "p": [], "right": False, "open": False}
    answer = last["answers"][0]
    assert (data["words"][answer["words"][0]], answer["p"], answer["right"]) == ("<one>", [877], True)
    assert not last["answers"][1]["right"]
    assert data["sentences"][0]["source"] == "<b>un</b>" and data["sentences"][1]["never"]
    assert data["head"] == 2
    weights = [list(base64.b64decode(sentence)) for sentence in last["cross"]]
    assert weights == [[255, 0], [255, 255, 0, 0]]
    assert data["before"]["name"] == _("One head") and data["before"]["loss"] == [4.0, 2.0]
    assert data["curves"] == {"epochs": [1], "loss": [4.0], "accuracy": [0.5], "held_out": [5.0]}

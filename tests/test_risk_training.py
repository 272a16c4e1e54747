from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.__main__ import main
from core.corpora.delimited import write_pairs
from core.corpora.toy import PAIRS
from core.metrics.bleu import sentence_score
from core.pipeline import prepare_words
from core.presets import CLASSROOM
from core.records import Pair
from core.risk_training import HYPOTHESES, TRAINING, RiskReport, RiskTraining, RiskTrainingError
from core.storage.checkpoint import Checkpoint
from core.storage.snapshot import snapshot
from core.training.adam import AdamRates
from core.training.loop import TrainingRun
from core.training.risk import compiled_risk_step
from core.training.step import StepSettings, dropout_seed
from tests.conftest import subword_checkpoint

CAREFUL = TRAINING.replace(
    careless_typing=0.0, warmup_steps=5, learning_rate=5e-4, ema_decay=0.5, batch_tokens=256
)


@pytest.fixture(scope="module")
def half_trained() -> Checkpoint:
    """Knows the words, and not yet which of them."""
    prepared, config = prepare_words(PAIRS, CLASSROOM.model.replace(num_layers=1))
    run = TrainingRun(config, CLASSROOM.training.replace(epochs=8), prepared.encoded)
    for _ in run.steps():
        pass
    return replace(snapshot(run, prepared, 1.0, "Half"), card="# Half\n\nLicence: none.\n")


@pytest.fixture(scope="module")
def searched(half_trained: Checkpoint) -> RiskTraining:
    run = RiskTraining(half_trained, [*PAIRS] * 4, CAREFUL)
    assert list(run.search())[-1] == run.sources == 4 * len(PAIRS)
    return run


def risk_of(run: RiskTraining) -> float:
    """Mean expected cost of all batches under the run's weights, measured by steps of length 0."""
    state = run._state
    assert state.average is not None
    still = StepSettings(AdamRates(0.0, 0.9, 0.98, 1e-9), 0.0, np.inf, dropout_seed(1, 1))
    step = compiled_risk_step(run._checkpoint.config, HYPOTHESES, 1.0)
    batches = map(run._batch, run._batches)
    return float(np.mean([step(state.average, state.moments, 1.0, still, batch).risk for batch in batches]))


@pytest.mark.slow
def test_what_it_expects_to_write_comes_nearer_to_the_references(searched: RiskTraining) -> None:
    run = searched
    before = risk_of(run)
    assert [each.step for each in run.steps()] == list(range(1, run.total_steps + 1))
    assert risk_of(run) < before - 0.02
    tuned = run.tuned()
    assert tuned.name == "Half (tuned)" and not tuned.metrics and not tuned.epochs
    assert "It goes on from: Half" in tuned.card and "Licence: none." in tuned.card


@pytest.mark.slow
def test_each_hypothesis_costs_what_it_lacks(half_trained: Checkpoint, searched: RiskTraining) -> None:
    target = half_trained.target_tokenizer
    references = {tuple(half_trained.source_tokenizer.encode(pair.source)): pair.target for pair in PAIRS}
    learned = 0
    for each in searched._judged:
        assert len(set(map(bytes, each.hypotheses))) == len(each.hypotheses) <= HYPOTHESES
        reference = target.decode_words(target.encode(references[tuple(each.source.tolist())]))
        for ids, cost in zip(each.hypotheses, each.costs, strict=True):
            words = target.decode_words(ids.tolist())
            assert cost == pytest.approx(1 - sentence_score(words, reference))
            assert (cost == pytest.approx(0.0, abs=1e-6)) == (words == reference)
        assert each.target[-1] == target.vocabulary.end_id
        learned += target.decode_words(each.target.tolist()) == reference
    assert 0 < learned < len(searched._judged)  # the others learn the nearest of their own


def test_batches_hold_all_sources_once_and_are_not_too_large(searched: RiskTraining) -> None:
    run, most = searched, CAREFUL.batch_tokens or 0
    assert sorted(id(each) for some in run._batches for each in some) == sorted(map(id, run._judged))
    for some in run._batches:
        assert len(some) == 1 or len(some) * (HYPOTHESES + 1) * max(each.length for each in some) <= most
        assert np.isnan(run._batch(some).costs).sum() == sum(HYPOTHESES - len(each.costs) for each in some)
    assert max(map(len, run._batches)) > 1


def test_each_row_predicts_the_token_after_what_it_reads(
    half_trained: Checkpoint, searched: RiskTraining
) -> None:
    some = searched._batches[0]
    batch, start = searched._batch(some), half_trained.target_tokenizer.vocabulary.start_id
    rows = [
        ids
        for each in some
        for ids in (*each.hypotheses, *[None] * (HYPOTHESES - len(each.costs)), each.target)
    ]
    for ids, labels, read in zip(rows, batch.labels, batch.decoder_input, strict=True):
        expected = [] if ids is None else ids.tolist()
        assert [token for token in labels.tolist() if token] == expected
        assert read.tolist()[: len(expected)] == [start, *expected][: len(expected)]
        assert not any(read[len(expected) :])


@pytest.mark.slow
def test_the_models_own_limits_are_kept(half_trained: Checkpoint) -> None:
    """They need not be a multiple of anything; few steps warm up in fewer."""
    config = half_trained.config.replace(max_source_length=5, max_target_length=4)
    run = RiskTraining(replace(half_trained, config=config), [*PAIRS], CAREFUL.replace(warmup_steps=60))
    assert 0 < run.sources < len(PAIRS)
    assert list(run.search())[-1] == run.sources
    assert len(list(run.steps())) == run.total_steps
    assert run._training.warmup_steps == 1


def test_subwords_are_typed_carelessly_and_what_the_model_cannot_write_is_left_out() -> None:
    checkpoint = subword_checkpoint()
    run = RiskTraining(checkpoint, [Pair("a casa .", "the house .")] * 50, TRAINING)
    assert {pair.target for pair in run._pairs} == {"the house .", "the house"}
    strange = Pair("a casa", "漢字")
    assert checkpoint.target_tokenizer.vocabulary.unknown_id in checkpoint.target_tokenizer.encode(
        strange.target
    )
    assert RiskTraining(checkpoint, [strange, Pair("a casa", "the house")], TRAINING).sources == 1


def test_what_cannot_be_learned_from_is_refused(half_trained: Checkpoint) -> None:
    with pytest.raises(RiskTrainingError, match="an empty side, one that is too long"):
        RiskTraining(half_trained, [Pair("!", "a"), Pair("merci " * 99, "thanks")])
    cut_off = half_trained.weights["output/bias"].copy()
    cut_off[half_trained.target_tokenizer.vocabulary.end_id] -= 1e4
    endless = replace(half_trained, weights={**half_trained.weights, "output/bias": cut_off})
    with pytest.raises(RiskTrainingError, match="No source has three whole translations"):
        list(RiskTraining(endless, [*PAIRS]).search())


@pytest.mark.slow
def test_the_command(
    half_trained: Checkpoint,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    half_trained.save(tmp_path / "half")
    (tmp_path / "pairs.csv").write_text(write_pairs(PAIRS), encoding="utf-8")
    command = [
        "tune",
        str(tmp_path / "half"),
        "--corpus",
        str(tmp_path / "pairs.csv"),
        "--out",
        str(tmp_path / "tuned"),
    ]
    assert main([*command, "--learning-rate", "nan"]) == 2
    assert "learning_rate must be" in capsys.readouterr().err
    assert main([*command, "--sample", "0"]) == 2
    assert main([*command[:-1], str(tmp_path / "half")]) == 2
    assert "is one of the checkpoints" in capsys.readouterr().err
    assert not (tmp_path / "tuned").exists()
    assert main(command) == 0
    assert f"steps. Saved to {tmp_path / 'tuned'}." in capsys.readouterr().out
    tuned = Checkpoint.load(tmp_path / "tuned")
    assert any((tuned.weights[name] != half_trained.weights[name]).any() for name in tuned.weights)

    steps = RiskTraining.steps

    def interrupted(run: RiskTraining) -> Iterator[RiskReport]:
        yield next(steps(run))
        raise KeyboardInterrupt

    monkeypatch.setattr(RiskTraining, "steps", interrupted)
    assert main([*command[:-1], str(tmp_path / "stopped")]) == 130
    assert "1 of " in capsys.readouterr().out
    assert (tmp_path / "stopped" / "weights.safetensors").is_file()

    def stopped(run: RiskTraining) -> Iterator[int]:
        yield 0
        raise KeyboardInterrupt

    monkeypatch.setattr(RiskTraining, "search", stopped)
    assert main([*command[:-1], str(tmp_path / "nothing")]) == 130
    assert "Nothing was written." in capsys.readouterr().out
    assert not (tmp_path / "nothing").exists()

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from core.__main__ import main
from core.config import DecodingConfig
from core.corpora.delimited import read_pairs
from core.corpora.short_texts import short_texts
from core.corpora.toy import PAIRS
from core.distillation import Distillation, DistillationError
from core.metrics.bleu import sentence_bleu
from core.records import Pair
from core.storage.checkpoint import Checkpoint
from tests.conftest import subword_checkpoint

BEAMS = DecodingConfig(beam_size=4, length_penalty=1.0)


def made(checkpoint: Checkpoint, pairs: list[Pair]) -> list[Pair]:
    run = Distillation(checkpoint, pairs, BEAMS)
    assert list(run.steps())[-1] == run.total
    return run.pairs


def test_the_hypothesis_nearest_to_the_reference_is_kept(checkpoint: Checkpoint) -> None:
    swapped = [Pair(pair.source, "you are tired") for pair in PAIRS]
    pairs = made(checkpoint, swapped)
    assert {pair.source for pair in pairs} == {pair.source for pair in PAIRS}
    translator, others = checkpoint.translator(), 0
    for pair in pairs:
        hypotheses = translator.translate([pair.source], BEAMS)[0].hypotheses
        ended = [each.text for each in hypotheses if each.finished and each.text]
        assert pair.target in ended
        assert sentence_bleu(pair.target, "you are tired") == max(
            sentence_bleu(text, "you are tired") for text in ended
        )
        others += pair.target != ended[0]
    assert others  # not always the likeliest


def test_short_texts_lose_the_full_stop_that_a_model_needs() -> None:
    model = replace(subword_checkpoint(), needs_stop=True)
    pairs = made(model, [Pair("a casa.", "the house.")])
    texts = {pair.source: pair.target for pair in pairs if pair.source != "a casa."}
    assert texts.keys() <= {"a", "casa"}
    for translation in model.translator().translate_typed(list(texts), BEAMS):
        assert texts[translation.source] == next(
            each.text for each in translation.hypotheses if each.finished
        )


def test_frequent_words_first_then_runs_of_words() -> None:
    sentences = ["o gato vê o cão grande hoje .", "o cão dorme , 3 vezes"] * 50
    found = short_texts(sentences, str.split, seed=1)
    assert found[:2] == ["o", "cão"]
    runs = [text for text in found if " " in text]
    assert len(runs) > 5
    assert all(any(f" {run} " in f" {sentence} " for sentence in sentences) for run in runs)
    assert all(word.isalpha() for text in found for word in text.split())
    assert found == short_texts(sentences, str.split, seed=1)


def test_what_no_model_reads_is_left_out(checkpoint: Checkpoint) -> None:
    assert [
        pair.source for pair in made(checkpoint, [Pair("!", "a"), Pair("merci " * 99, "b"), PAIRS[1]])
    ] == [PAIRS[1].source]
    with pytest.raises(DistillationError, match="each source is empty or too long"):
        Distillation(checkpoint, [Pair("!", "a")], BEAMS)


@pytest.mark.slow
def test_from_a_model_to_one_that_learned_from_it(
    checkpoint: Checkpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    checkpoint.save(tmp_path / "teacher")
    out = tmp_path / "pairs.csv"
    assert main(["distill", str(tmp_path / "teacher"), "--corpus", "toy", "--out", str(out)]) == 0
    assert capsys.readouterr().out == f"15 pairs saved to {out}.\n"
    pairs = read_pairs(out.read_bytes(), out.name)
    assert sorted(pair.target for pair in pairs) == sorted(
        pair.target for pair in PAIRS
    )  # it knows them by heart
    own = tmp_path / "own.csv"
    own.write_text("source,target\nle train est vert,the train is green\n", encoding="utf-8")
    arguments = [
        "train",
        "toy",
        "--more-pairs",
        str(own),
        "--epochs",
        "1",
        "--out",
        str(tmp_path / "student"),
    ]
    assert main(arguments) == 0
    assert "train" in Checkpoint.load(tmp_path / "student").source_tokenizer.vocabulary.tokens


def test_refused_before_the_work(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for out in (tmp_path, tmp_path / "none" / "pairs.csv"):
        assert main(["distill", "ted_pt_en", "--corpus", "toy", "--out", str(out)]) == 2
        assert capsys.readouterr().err.startswith("distill: --out must be a file in a folder that exists.")

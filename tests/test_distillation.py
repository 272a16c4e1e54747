from __future__ import annotations

import argparse
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from core.__main__ import main
from core.commands import distill
from core.commands.training_task import _corpus_of
from core.config import DecodingConfig
from core.corpora import anki
from core.corpora.catalogue import find_corpus
from core.corpora.data_folder import DATA_VARIABLE
from core.corpora.delimited import read_pairs, write_pairs
from core.corpora.toy import PAIRS
from core.distillation import Distillation, DistillationError
from core.metrics.bleu import sentence_bleu
from core.records import Hypothesis, Pair, Translation
from core.storage.checkpoint import Checkpoint
from core.tokens.subword import SubwordTokenizer
from core.tokens.subword_settings import SubwordSettings
from core.tokens.vocabulary import Vocabulary
from tests.conftest import subword_checkpoint

BEAMS = DecodingConfig(beam_size=4, length_penalty=1.0)


def made(run: Distillation) -> list[Pair]:
    assert list(run.steps())[-1] == run.total
    return run.pairs


class Scripted:
    """A translator that says what it is told to, and remembers what it read."""

    def __init__(self, hypotheses: Sequence[Hypothesis]) -> None:
        self.read: list[str] = []
        self._hypotheses = tuple(hypotheses)

    def translate(self, sentences: Sequence[str], decoding: DecodingConfig) -> list[Translation]:
        assert decoding == BEAMS
        self.read += sentences
        return [
            Translation(text, tuple(text.split()), (False,) * len(text.split()), self._hypotheses)
            for text in sentences
        ]


def scripted(run: Distillation, *said: Hypothesis) -> Scripted:
    translator = Scripted(said)
    run._translator = translator  # type: ignore[assignment]
    return translator


def saying(model: Checkpoint, words: str, finished: bool = True) -> Hypothesis:
    tokenizer = model.target_tokenizer
    ids = (*tokenizer.encode(words), tokenizer.vocabulary.end_id)
    return Hypothesis(tokenizer.decode(ids), tuple(tokenizer.tokens(words)), ids, -1.0, -1.0, finished)


def test_the_hypothesis_nearest_to_the_reference_is_kept(checkpoint: Checkpoint) -> None:
    pairs = made(Distillation(checkpoint, [Pair(pair.source, "you are tired") for pair in PAIRS], BEAMS))
    assert {pair.source for pair in pairs} == {pair.source for pair in PAIRS}
    translator, others = checkpoint.translator(), 0
    for pair in pairs:
        hypotheses = translator.translate([pair.source], BEAMS)[0].hypotheses
        ended = [each.text for each in hypotheses if each.finished and each.text]
        assert pair.target in ended
        others += pair.target != ended[0]
    assert others  # not always the likeliest


def test_one_source_is_translated_once_for_all_its_references(checkpoint: Checkpoint) -> None:
    pairs = [Pair("merci", "thank you"), Pair("merci", "good night")]
    run = Distillation(checkpoint, pairs, BEAMS)
    translator = scripted(run, saying(checkpoint, "thank you"), saying(checkpoint, "good water"))
    assert made(run) == [Pair("merci", "thank you"), Pair("merci", "good water")]
    assert translator.read == ["merci"]
    assert sentence_bleu("good water", "good night") > sentence_bleu("thank you", "good night")


@pytest.mark.parametrize("needs_stop", [True, False])
def test_short_texts_are_read_with_a_full_stop_that_both_sides_lose(needs_stop: bool) -> None:
    model = replace(subword_checkpoint(), needs_stop=needs_stop)
    run = Distillation(model, [Pair("a casa", "the house")], BEAMS)
    translator = scripted(run, saying(model, "The house."))
    pairs = made(run)
    assert sorted(translator.read) == ["a casa", "a.", "casa."]  # sentences are read as they are
    assert sorted(pairs, key=str) == sorted(
        [Pair("a casa", "the house ."), Pair("a", "the house"), Pair("casa", "the house")], key=str
    )


@pytest.mark.parametrize(
    ("written", "kept"),
    [("the house . . .", ["the house . . ."]), ("the the house", ["the the house"]), ("the . . . . .", [])],
    ids=["an ellipsis", "a word twice", "marks in circles"],
)
def test_what_a_short_text_may_end_and_go_on_in(written: str, kept: list[str]) -> None:
    model = subword_checkpoint()
    run = Distillation(model, [Pair("a casa", "the house")], BEAMS)
    scripted(run, saying(model, written))
    assert [pair.target for pair in made(run) if pair.source == "casa"] == kept


def test_a_pair_has_the_tokens_that_the_model_wrote() -> None:
    """Written as people write, "do n't" would be "don't", with other tokens, and quotation marks unknown ones."""
    pieces = ["do", "n", "'", "t", "`", "i", ".", "d", "##o", "##n", "##d", "##t", "##i", "##a", "a"]
    vocabulary = Vocabulary.from_tokens(pieces, start_and_end=True)
    tokenizers = [SubwordTokenizer(vocabulary, SubwordSettings(language=code)) for code in ("pt", "en")]
    model = subword_checkpoint(source_tokenizer=tokenizers[0], target_tokenizer=tokenizers[1])
    said = saying(model, "i do n't a `` i do n't . '' ''")
    run = Distillation(model, [Pair("a a a a a a", "do n't")], BEAMS)
    scripted(run, said)
    (pair,) = (each for each in made(run) if each.source == "a a a a a a")
    assert tuple(tokenizers[1].encode(pair.target)) == said.ids[:-1]
    assert tuple(tokenizers[1].encode(said.text)) != said.ids[:-1]


def test_translations_that_are_none_are_left_out(checkpoint: Checkpoint) -> None:
    run = Distillation(checkpoint, [PAIRS[0]], BEAMS)
    bad = [
        saying(checkpoint, "i am am am"),
        saying(checkpoint, "i am", finished=False),
        saying(checkpoint, ""),
        saying(checkpoint, "i am " * 20),
        saying(checkpoint, "i am xylophone"),  # unknown
    ]
    scripted(run, *bad)
    assert made(run) == []
    scripted(run, *bad, saying(checkpoint, "i am fine"))
    assert made(run) == [Pair(PAIRS[0].source, "i am fine")]


def test_what_no_model_reads_is_left_out(checkpoint: Checkpoint) -> None:
    pairs = made(Distillation(checkpoint, [Pair("!", "a"), Pair("merci " * 99, "b"), PAIRS[1]], BEAMS))
    assert [pair.source for pair in pairs] == [PAIRS[1].source]
    with pytest.raises(DistillationError, match="each source is empty or too long"):
        Distillation(checkpoint, [Pair("!", "a")], BEAMS)


@pytest.mark.slow
def test_from_a_model_to_one_that_learned_from_it(
    checkpoint: Checkpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    checkpoint.save(tmp_path / "teacher")
    sources, out = tmp_path / "sources.csv", tmp_path / "own.csv"
    sources.write_text(write_pairs(Pair(pair.source, "tired") for pair in PAIRS), encoding="utf-8")
    command = ["distill", str(tmp_path / "teacher"), "--corpus", str(sources), "--out", str(out)]
    assert main(command) == 0
    assert capsys.readouterr().out == f"15 pairs from 15 of 15 texts saved to {out}.\n"
    assert main(command) == 2  # never over what is there
    pairs = read_pairs(out.read_bytes(), out.name)
    assert {pair.source for pair in pairs} == {pair.source for pair in PAIRS}
    few = tmp_path / "few.csv"
    few.write_text(write_pairs([PAIRS[0]]), encoding="utf-8")
    student = tmp_path / "student"
    assert main(["train", str(few), "--more-pairs", str(out), "--epochs", "1", "--out", str(student)]) == 0
    assert Checkpoint.load(student).metrics["pairs"] == 16


@pytest.mark.slow
def test_what_is_held_out_is_in_no_more_pairs(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    own, more = tmp_path / "own.csv", tmp_path / "more.csv"
    own.write_text(write_pairs(Pair(f"le chat {i}", f"the cat {i}") for i in range(60)), encoding="utf-8")
    more.write_text(
        write_pairs([*(Pair(f"le chat {i}", f"a cat {i}") for i in range(60)), Pair("un chien", "a dog")]),
        encoding="utf-8",
    )
    arguments = [
        "--tokenizer",
        "subword",
        "--vocab-size",
        "80",
        "--epochs",
        "1",
        "--num-layers",
        "1",
        "--d-model",
        "16",
    ]
    twice_more = [part for name in (more, more, "toy") for part in ("--more-pairs", str(name))]
    assert main(["train", str(own), *twice_more, *arguments, "--out", str(tmp_path / "m")]) == 0
    said = capfd.readouterr()
    assert "188 pairs; 0 left out" in said.out + said.err  # 3 of 60 held out: 57 + 2 * (57 + 1) + 15
    assert Checkpoint.load(tmp_path / "m").name == "own, and more, and toy"


def test_more_pairs_have_nothing_that_a_corpus_is_judged_by(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))
    with zipfile.ZipFile(tmp_path / anki.ARCHIVE, "w") as archive:
        archive.writestr(anki.MEMBER, "".join(f"I am {n}.\tJ'ai {n} ans.\n" for n in range(40)))
    held_out = next(find_corpus("anki_en_fr").read("validation"))
    more = tmp_path / "more.csv"
    same = Pair(held_out.source.upper().replace(" .", "."), "non")
    more.write_text(write_pairs([same, Pair("Hi .", "Salut .")]), encoding="utf-8")
    options = argparse.Namespace(
        corpus="anki_en_fr", languages=("und", "und"), more_pairs=[str(more)], validation=9
    )
    _, corpus = _corpus_of(options)
    assert [pair.target for pair in corpus.read() if not pair.target.startswith("J'ai")] == ["Salut ."]


@pytest.mark.slow
def test_many_more_pairs_make_a_name_that_opens(tmp_path: Path) -> None:
    files = [tmp_path / f"{letter * 60}.csv" for letter in "abc"]
    for file in files:
        file.write_text(write_pairs(PAIRS), encoding="utf-8")
    more = [part for file in files[1:] for part in ("--more-pairs", str(file))]
    out = tmp_path / "m"
    sizes = ["--tokenizer", "subword", "--vocab-size", "80", "--num-layers", "1", "--d-model", "16"]
    assert main(["train", str(files[0]), *more, *sizes, "--epochs", "1", "--out", str(out)]) == 0
    assert Checkpoint.load(out).name.startswith("a" * 60 + ", and b")


def test_more_pairs_in_other_languages_are_refused(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    arguments = ["--more-pairs", "everyday_pt_en", "--out", str(tmp_path / "m")]
    assert main(["train", "toy", *arguments]) == 2
    assert "--more-pairs everyday_pt_en is pt → en. The other pairs are fr → en." in capfd.readouterr().err


def test_what_is_done_is_saved_when_interrupted(
    checkpoint: Checkpoint,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def steps(run: Distillation) -> Iterator[int]:
        run.pairs = [PAIRS[0]]
        yield 5
        raise KeyboardInterrupt

    monkeypatch.setattr(Distillation, "steps", steps)
    checkpoint.save(tmp_path / "teacher")
    out = tmp_path / "own.csv"
    assert main(["distill", str(tmp_path / "teacher"), "--corpus", "toy", "--out", str(out)]) == 130
    assert capsys.readouterr().out == f"1 pairs from 5 of 15 texts saved to {out}.\n"
    assert read_pairs(out.read_bytes(), out.name) == [PAIRS[0]]
    monkeypatch.setattr(Distillation, "steps", lambda run: (_ for _ in ()).throw(KeyboardInterrupt))
    out = tmp_path / "none.csv"
    assert main(["distill", str(tmp_path / "teacher"), "--corpus", "toy", "--out", str(out)]) == 130
    with pytest.raises(DistillationError, match="nothing to save"):
        distill._save([], tmp_path / "none.csv")
    assert not (tmp_path / "none.csv").exists()


def test_refused_before_the_work(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for out in (tmp_path, tmp_path / "none" / "pairs.csv"):
        assert main(["distill", "ted_pt_en", "--corpus", "toy", "--out", str(out)]) == 2
        assert capsys.readouterr().err.startswith(
            "distill: --out must be a new file in a folder that exists."
        )

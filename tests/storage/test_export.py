"""Exported models, read by a program that has TensorFlow and not this project."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event
from typing import Any

import numpy as np
import pytest

from core.classroom.memory import give_memory_back
from core.config import DecodingConfig
from core.decoding.batches import MAX_BATCH
from core.decoding.translator import Translator
from core.storage.checkpoint import Checkpoint
from core.storage.format import CheckpointError
from core.tokens.subword import SubwordTokenizer
from core.tokens.vocabulary import Vocabulary
from core.tokens.word import WordTokenizer
from tests.conftest import TINY, forget_programs, random_weights

tf = pytest.importorskip("tensorflow")
pytest.importorskip("tensorflow_text")


from core.decoding.in_graph import TranslatorInGraph  # noqa: E402
from core.model.stateless import shared_model  # noqa: E402
from core.storage.export import BEAM, check_saved_model_writable, export_saved_model  # noqa: E402

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("forgotten_programs")]

DATA = Path(os.environ.get("TRANSFORMER_CLASSROOM_DATA", Path(__file__).parents[3] / "shared" / "data"))
SHIPPED = Path(__file__).parents[2] / "core" / "pretrained" / "ted_pt_en"
PATIENCE = 300  # seconds; machines that run tests may be busy

ALONE = """
import importlib.util, json, sys
assert not any(map(importlib.util.find_spec, ("core", "pages")))
import tensorflow as tf
import tensorflow_text
folder, signatures, texts = json.load(sys.stdin)
model = tf.saved_model.load(folder)
for signature in signatures:
    found = model.signatures[signature](text=tf.constant(texts))["translation"].numpy().tolist()
    print(json.dumps([text.decode() for text in found]))
"""


def read_alone(folder: Path, signatures: Sequence[str], texts: Sequence[str]) -> list[list[str]]:
    """The translations of some texts by each signature of the model in a folder.

    In a Python that cannot import this project.
    """
    done = subprocess.run(
        [sys.executable, "-I", "-c", ALONE],
        input=json.dumps((str(folder), signatures, texts)),
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return [json.loads(line) for line in done.stdout.splitlines()[-len(signatures) :]]


class Unsaved:
    """A checkpoint, its live translator, and the functions that are exported of it before they are saved.

    Saving and loading them takes far longer than tracing the one or two that a test is about.
    """

    def __init__(self, checkpoint: Checkpoint, folder: Path) -> None:
        self.checkpoint, self.folder = checkpoint, folder
        self.live = checkpoint.translator()
        self.signatures = self._export()

    def _export(self) -> Mapping[str, Any]:
        found: dict[str, Any] = {}

        def save(module: Any, path: str, signatures: Mapping[str, Any]) -> None:
            found.update(signatures)
            self._module = module  # its functions do not hold its variables

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(tf.saved_model, "save", save)
            export_saved_model(self.checkpoint, self.folder)
        return found

    def __call__(self, texts: Sequence[str], signature: str = "serving_default") -> dict[str, Any]:
        outputs = self.signatures[signature](text=tf.constant(texts, tf.string))
        return {name: _decoded(values.numpy()) for name, values in outputs.items()}


class Exported(Unsaved):
    """A checkpoint, its live translator and its SavedModel."""

    def _export(self) -> Mapping[str, Any]:
        export_saved_model(self.checkpoint, self.folder)
        self.model = tf.saved_model.load(str(self.folder))
        signatures: Mapping[str, Any] = self.model.signatures
        return signatures


def _decoded(values: np.ndarray) -> np.ndarray:
    return np.vectorize(bytes.decode, otypes=[object])(values) if values.dtype == object else values


def random_pieces() -> Checkpoint:
    """Pieces of words and random weights: nonsense of all lengths, some of it as long as the limit allows."""
    tokens = (*"abcdefghi'.,", *(f"##{letter}" for letter in "abcdefghist"), "don", "you")
    tokenizer = SubwordTokenizer(Vocabulary.from_tokens(tokens, start_and_end=True))
    size = len(tokenizer.vocabulary)
    config = TINY.replace(
        source_vocab_size=size, target_vocab_size=size, max_source_length=16, max_target_length=64,
        num_layers=1, tie_embeddings=False, norm="pre",
    )  # fmt: skip
    weights = {
        name: array * np.float32(1 + name.endswith("kernel"))
        for name, array in random_weights(config, 8).items()
    }
    weights["output/bias"][tokenizer.vocabulary.end_id] += 2.0  # else hardly any sentence would end
    return Checkpoint(
        config, weights, tokenizer, tokenizer, name="Nonsense", card="# Card\n\nLicence: none.\n"
    )


@pytest.fixture
def forgotten_afterwards() -> Iterator[None]:
    """For tests with a model of their own: what it compiled and loaded is given back."""
    yield
    forget_programs()
    give_memory_back()


@pytest.fixture(scope="module")
def words(checkpoint: Checkpoint, tmp_path_factory: pytest.TempPathFactory) -> Unsaved:
    return Unsaved(checkpoint, tmp_path_factory.mktemp("words") / "model")


@pytest.fixture(scope="module")
def pieces(tmp_path_factory: pytest.TempPathFactory) -> Exported:
    return Exported(random_pieces(), tmp_path_factory.mktemp("pieces") / "model")


def random_texts(number: int, least: int, most: int) -> list[str]:
    """Of that many letters, which are not more pieces, some unknown."""
    random = np.random.default_rng(number)
    letters = list("abcdefghi'.,xé")
    return ["".join(random.choice(letters, random.integers(least, most + 1))) for _ in range(number)]


SHORT, LONG = random_texts(MAX_BATCH + 4, 1, 8), random_texts(4, 9, 16)  # both buckets of `random_pieces`
FEW = [*SHORT[:4], *LONG]


# The same translations


def test_a_model_translates_alike_without_this_project(pieces: Exported) -> None:
    alone = read_alone(pieces.folder, ("serving_default", "attention", "beam"), FEW)
    assert alone[0] == alone[1] == [each.text for each in pieces.live.translate(FEW)]
    assert alone[2] == [each.text for each in pieces.live.translate(FEW, BEAM)]


def test_words_are_translated_alike(words: Unsaved) -> None:
    """Where tokens are words and not their pieces."""
    known = [pair.source for pair in words.checkpoint.examples]
    texts = [*known, "Je suis une pomme inconnue !", "J’AIME le café"]
    greedy = [each.text for each in words.live.translate(texts)]
    for signature in ("serving_default", "attention"):
        assert words(texts, signature)["translation"].tolist() == greedy
    assert words(texts, "beam")["translation"].tolist() == [
        each.text for each in words.live.translate(texts, BEAM)
    ]


def test_all_lengths_in_one_batch_and_more_than_the_live_batches_hold(pieces: Exported) -> None:
    texts = [text for pair in zip(SHORT, LONG, strict=False) for text in pair] + SHORT[4:]
    found, live = pieces(texts), pieces.live.translate(texts)
    assert found["translation"].tolist() == [each.text for each in live]
    assert found["finished"].tolist() == [each.best.finished for each in live]
    assert found["log_probability"] == pytest.approx([each.best.log_probability for each in live], abs=1e-3)
    assert len({len(each.best.ids) for each in live}) > 10
    assert {True, False} == {each.best.finished for each in live}  # some were cut off at their limits


def test_all_candidates_are_those_of_the_live_beam_search(pieces: Exported) -> None:
    found, live = pieces(FEW, "beam"), pieces.live.translate(FEW, BEAM)
    assert found["candidates"].tolist() == [[each.text for each in one.hypotheses] for one in live]
    assert (found["candidates"][:, 0] == found["translation"]).all()
    for name in ("log_probability", "score", "finished"):
        expected = [[getattr(each, name) for each in one.hypotheses] for one in live]
        np.testing.assert_allclose(found[name], expected, atol=1e-3)


def test_a_vocabulary_of_fewer_sentences_than_beams() -> None:
    config = TINY.replace(source_vocab_size=4, target_vocab_size=4, max_target_length=2)
    tokenizer = WordTokenizer(Vocabulary.from_tokens((), start_and_end=True))
    translator = Translator(config, random_weights(config), tokenizer, tokenizer)
    (live,) = translator.translate(["b"], BEAM)
    (candidates,) = TranslatorInGraph(translator).beam(tf.constant(["b"]), BEAM)["candidates"].numpy()
    assert [text.decode() for text in candidates] == [*(each.text for each in live.hypotheses), ""]


@pytest.mark.usefixtures("forgotten_afterwards")
def test_a_full_stop_is_added_and_left_out_as_in_the_live_translation(tmp_path: Path) -> None:
    checkpoint = replace(random_pieces(), needs_stop=True)
    bias = checkpoint.weights["output/bias"].copy()
    # Else hardly any sentence would end in one.
    bias[checkpoint.target_tokenizer.vocabulary.id_of(".")] += 7.0
    exported = Unsaved(
        replace(checkpoint, weights={**checkpoint.weights, "output/bias": bias}), tmp_path / "model"
    )
    texts = [*FEW, "a b", 'a "b"', "a.", "a...", "ab é\u2003", "a " * 15, "a " * 16]
    live = exported.live.translate_typed(texts, BEAM)
    assert {True, False} == {each.stop_added for each in live}
    read = exported.live.translate([each.read for each in live], BEAM)
    assert [each.hypotheses for each in read] != [
        each.hypotheses for each in live
    ]  # some stops were left out
    found = exported(texts, "beam")["candidates"].tolist()
    assert found == [[each.text for each in one.hypotheses] for one in live]
    greedy = [each.text for each in exported.live.translate_typed(texts)]
    attention = exported(texts, "attention")
    assert attention["translation"].tolist() == exported(texts)["translation"].tolist() == greedy
    assert [tuple(filter(None, row)) for row in attention["source_tokens"].tolist()] == [
        each.source_tokens for each in live
    ]
    assert "is read with a full stop" in (exported.folder / "README.md").read_text(encoding="utf-8")


@pytest.mark.usefixtures("forgotten_afterwards")
@pytest.mark.parametrize(
    ("signature", "step", "decoding"),
    [
        ("serving_default", 80, DecodingConfig()),
        pytest.param("serving_default", 1, DecodingConfig(), marks=pytest.mark.exhaustive),
        pytest.param("beam", 4, BEAM, marks=pytest.mark.exhaustive),
    ],
)
def test_the_shipped_model_translates_the_validation_split_alike(
    signature: str, step: int, decoding: DecodingConfig, tmp_path: Path
) -> None:
    """Every so many sentences, so that all lengths occur; all of them are many minutes' work."""
    pytest.importorskip("tensorflow_datasets")
    from core.corpora.ted import BUILDER, read_ted

    if not SHIPPED.is_dir():
        pytest.skip(f"needs the checkpoint {SHIPPED}")
    if not (DATA / "tfds" / BUILDER / "pt_to_en").is_dir():
        pytest.skip(f"needs prepared data in {DATA / 'tfds'}; set TRANSFORMER_CLASSROOM_DATA")
    checkpoint = Checkpoint.load(SHIPPED)
    exported = Unsaved(checkpoint, tmp_path / "model")
    texts = [pair.source for pair in read_ted("validation", data_dir=DATA / "tfds")][::step]
    found = exported(texts, signature)["translation"].tolist()
    live = [each.text for each in exported.live.translate_typed(texts, decoding)]
    assert [pair for pair in zip(found, live, strict=True) if pair[0] != pair[1]] == []


# Signatures


def test_the_signatures_are_what_serving_expects(pieces: Exported) -> None:
    heads = (None, pieces.checkpoint.config.num_layers, pieces.checkpoint.config.num_heads, None, None)
    many = (None, BEAM.beam_size)
    expected: dict[str, dict[str, Any]] = {
        "serving_default": {"log_probability": ("float32", (None,)), "finished": ("bool", (None,))},
        "beam": {
            "candidates": ("string", many),
            "log_probability": ("float32", many),
            "score": ("float32", many),
            "finished": ("bool", many),
        },
        "attention": {
            "source_tokens": ("string", (None, None)),
            "decoder_input_tokens": ("string", (None, None)),
            "predicted_tokens": ("string", (None, None)),
            "encoder_attention": ("float32", heads),
            "decoder_attention": ("float32", heads),
            "cross_attention": ("float32", heads),
        },
    }
    assert set(pieces.model.signatures) == set(expected)
    for name, outputs in expected.items():
        signature = pieces.model.signatures[name]
        _, inputs = signature.structured_input_signature
        assert inputs == {"text": tf.TensorSpec((None,), tf.string, name="text")}
        found = {
            key: (spec.dtype.name, tuple(spec.shape)) for key, spec in signature.structured_outputs.items()
        }
        assert found == {"translation": ("string", (None,)), **outputs}


@pytest.mark.parametrize("signature", ["serving_default", "beam", "attention"])
def test_texts_without_words_have_empty_translations(words: Unsaved, signature: str) -> None:
    (known,) = words(["je t'aime"], signature)["translation"]
    assert known
    for texts in (["", "je t'aime", " … "], ["!", ""], []):
        found = words(texts, signature)["translation"].tolist()
        assert found == [known if "aime" in text else "" for text in texts]


def test_too_long_a_text_is_refused_in_words(pieces: Exported) -> None:
    most = pieces.checkpoint.config.max_source_length
    assert pieces(["a " * most])["translation"].shape == (1,)
    for signature in ("serving_default", "beam", "attention"):
        with pytest.raises(
            tf.errors.InvalidArgumentError, match=f"more than {most} tokens, the most this model"
        ):
            pieces(["a", "a " * (most + 1)], signature)


@pytest.mark.usefixtures("forgotten_afterwards")
def test_weights_that_overflow_are_refused_in_words(pieces: Exported) -> None:
    model = tf.saved_model.load(str(pieces.folder))
    for variable in model.weights:
        variable.assign(variable * 1e30)
    with pytest.raises(tf.errors.InvalidArgumentError, match="weights are too large to compute with"):
        model.signatures["serving_default"](text=tf.constant(["a"]))


# Attention


def test_attention_is_that_of_the_live_explanation(words: Unsaved) -> None:
    texts = [words.checkpoint.examples[0].source, "je", ""]
    found = words(texts, "attention")
    for row, text in enumerate(texts[:2]):
        record = words.live.explain(words.live.translate([text])[0]).attention
        assert record is not None
        source, target = len(record.source_tokens), len(record.predicted_tokens)
        for name in ("source_tokens", "decoder_input_tokens", "predicted_tokens"):
            length = source if name == "source_tokens" else target
            assert tuple(found[name][row, :length]) == getattr(record, name)
            assert (found[name][row, length:] == "").all()
        for name, rows, columns in (
            ("encoder", source, source),
            ("decoder", target, target),
            ("cross", target, source),
        ):
            values = found[f"{name}_attention"][row]
            np.testing.assert_allclose(values[..., :rows, :columns], getattr(record, name), atol=1e-5)
            np.testing.assert_allclose(values[..., :rows, :].sum(-1), 1, atol=1e-5)
            assert not values[..., rows:, :].any()
            assert not values[..., columns:].any()
    for name in ("encoder", "decoder", "cross"):
        assert not found[f"{name}_attention"][2].any()


def test_unknown_words_stand_in_the_source_tokens(pieces: Exported) -> None:
    assert pieces(["aé ü."], "attention")["source_tokens"].tolist() == [["a", "##é", "ü", "."]]


def test_too_much_attention_is_refused_in_words(words: Unsaved, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.decoding.in_graph.MAX_ATTENTION", 100)
    source, target = words.checkpoint.source_tokenizer, words.checkpoint.target_tokenizer
    module = TranslatorInGraph(Translator(words.checkpoint.config, words.checkpoint.weights, source, target))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"too large to show\. Send fewer texts"):
        module.attention(tf.constant(["je t'aime"]))


# The folder


def test_the_readme_says_how_to_use_it_and_carries_the_card(pieces: Exported) -> None:
    readme = (pieces.folder / "README.md").read_text(encoding="utf-8")
    assert readme.startswith("# Nonsense: a TensorFlow SavedModel\n")
    assert readme.endswith("\n---\n\n# Card\n\nLicence: none.\n")
    for name, signature in pieces.model.signatures.items():
        assert f"| `{name}` |" in readme
        assert all(f"`{output}`" in readme for output in signature.structured_outputs)


def test_the_folder_is_replaced_whole(
    tmp_path: Path, pieces: Exported, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "new" / "model"
    folder.parent.mkdir()
    shutil.copytree(pieces.folder, folder)
    (folder / ".DS_Store").touch()
    monkeypatch.setattr(
        tf.saved_model, "save", lambda module, path, _: (Path(path) / "saved_model.pb").touch()
    )
    export_saved_model(replace(pieces.checkpoint, name="Again"), folder)
    assert sorted(path.name for path in folder.parent.iterdir()) == ["model"]
    assert sorted(path.name for path in folder.iterdir()) == ["README.md", "saved_model.pb"]
    assert folder.stat().st_mode & 0o777 == 0o755
    assert "# Again" in (folder / "README.md").read_text(encoding="utf-8")


def test_what_is_no_saved_model_is_never_replaced(tmp_path: Path) -> None:
    checkpoint = random_pieces()
    checkpoint.save(tmp_path / "checkpoint")
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "saved_model.pb").touch()
    (tmp_path / "photos" / "a.jpg").touch()
    (tmp_path / "file").touch()
    before = sorted(tmp_path.rglob("*"))
    for write in (check_saved_model_writable, lambda folder: export_saved_model(checkpoint, folder)):
        for name in ("checkpoint", "photos"):
            with pytest.raises(
                CheckpointError, match=f"{name} has other files in it. Name a new or empty folder"
            ):
                write(tmp_path / name)
        with pytest.raises(
            CheckpointError, match=r"file is a file\. Name a folder to write the SavedModel to"
        ):
            write(tmp_path / "file")
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    "error", [tf.errors.ResourceExhaustedError(None, None, "No space"), OSError(28, "No space")]
)
def test_a_failing_export_leaves_nothing(
    error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(module: Any, folder: str, signatures: Any) -> None:
        (Path(folder) / "saved_model.pb").touch()
        raise error

    monkeypatch.setattr(tf.saved_model, "save", fail)
    with pytest.raises(CheckpointError, match=r"^Cannot write .*model: No space\.$"):
        export_saved_model(random_pieces(), tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


# Others meanwhile


def test_an_export_waits_for_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entered, may_end = SimpleQueue[bool](), Event()

    def traced(_: Any) -> None:
        entered.put(True)
        assert may_end.wait(PATIENCE)
        raise RuntimeError("traced")

    monkeypatch.setattr("core.storage.export.TranslatorInGraph", traced)
    with ThreadPoolExecutor(2) as pool:
        exports = [pool.submit(export_saved_model, random_pieces(), tmp_path / str(n)) for n in range(2)]
        try:
            assert entered.get(timeout=PATIENCE)
            with pytest.raises(Empty):
                entered.get(timeout=0.5)
        finally:
            may_end.set()
        for each in exports:
            with pytest.raises(RuntimeError, match="traced"):
                each.result()


@pytest.mark.usefixtures("forgotten_afterwards")
def test_threads_export_and_translate_at_once(
    pieces: Exported, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the model that all sessions share holds nobody's numbers."""
    saved: list[tuple[Any, Mapping[str, Any]]] = []  # a module's functions do not hold its variables
    monkeypatch.setattr(
        tf.saved_model, "save", lambda module, _, signatures: saved.append((module, signatures))
    )
    shared = shared_model(pieces.checkpoint.config.replace(dropout_rate=0.0))
    expected = [each.text for each in pieces.live.translate(FEW)]
    with ThreadPoolExecutor(3) as pool:
        exports = [pool.submit(export_saved_model, pieces.checkpoint, tmp_path / str(n)) for n in range(2)]
        live = pool.submit(pieces.live.translate, FEW[:1])  # compiles meanwhile: no batch of one has been
        assert [each.text for each in live.result()] == expected[:1]
        for export in exports:
            export.result()
    assert len(saved) == 2
    for _, signatures in saved:
        found = signatures["serving_default"](text=tf.constant(FEW))["translation"].numpy()
        assert [text.decode() for text in found] == expected
    assert all(variable._value is None for variable in shared.variables_by_name().values())

"""Exported models, read by a program that has TensorFlow and not this project."""

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.limits import CheckpointError
from core.checkpoints.shipped import find_checkpoint
from core.corpora.catalogue import find_corpus
from core.tokens.vocabulary import PAD_ID
from core.tokens.word import WordTokenizer
from tests.conftest import subword_checkpoint

pytestmark = pytest.mark.long

TEXTS = ["a casa é grande.", "A  casa azul", "aub mé, “Casas”?", "a", "ﬁm ’ a"]

ALONE = """
import importlib.util, json, sys
assert not any(map(importlib.util.find_spec, ("core", "pages")))
import tensorflow as tf
import tensorflow_text
folder, texts = json.load(sys.stdin)
model = tf.saved_model.load(folder)
found = model(tf.constant(texts))["translation"].numpy().tolist()
served = model.signatures["serving_default"](text=tf.constant(texts))["translation"].numpy().tolist()
assert found == served
print(json.dumps([text.decode() for text in found]))
"""

Outputs = dict[str, np.ndarray]
Translate = Callable[[Sequence[str]], Outputs]


def before_saving(checkpoint: Checkpoint) -> Translate:
    """The function that is exported; saving and loading it takes far longer."""
    import tensorflow as tf

    from core.checkpoints.export import ExportedTranslator

    module = ExportedTranslator(checkpoint)

    def translate(texts: Sequence[str]) -> Outputs:
        outputs = {name: values.numpy() for name, values in module(tf.constant(texts, tf.string)).items()}
        decode = np.vectorize(bytes.decode, otypes=[object])
        return {name: decode(each) if each.dtype == object else each for name, each in outputs.items()}

    return translate


def check_tokens(checkpoint: Checkpoint, translate: Translate, texts: Sequence[str]) -> None:
    """Against the live translations."""
    found, live = translate(texts), checkpoint.translator().translate(texts, typed=True)
    vocabulary = checkpoint.target_tokenizer.vocabulary.tokens
    for row, translation in enumerate(live):
        assert tuple(filter(None, found["source_tokens"][row])) == translation.source_tokens
        assert [*filter(None, found["tokens"][row])] == [vocabulary[i] for i in translation.best.ids]
        assert found["finished"][row] == translation.best.finished
        assert found["log_probability"][row] == pytest.approx(translation.best.log_probability, abs=2e-3)


def tiny(card: str = "") -> Checkpoint:
    """Return a model of subwords that saw the future in training and wants a full stop."""
    causal = subword_checkpoint(num_layers=1, needs_full_stop=True, card=card)
    return replace(causal, config=causal.config.replace(causal_mask=False))


@pytest.fixture(scope="module")
def subwords() -> Translate:
    return before_saving(tiny())


@pytest.mark.long
def test_a_model_of_words_translates_as_in_python(checkpoint: Checkpoint) -> None:
    texts = [*(pair.source for pair in checkpoint.examples), "Je suis une pomme inconnue !", "J’AIME le café"]
    translate = before_saving(checkpoint)
    check_tokens(checkpoint, translate, texts)
    live = checkpoint.translator().translate(texts, typed=True)
    assert translate(texts)["translation"].tolist() == [each.text for each in live]


def test_words_are_read_and_subwords_written_as_in_python() -> None:
    import tensorflow as tf

    from core.checkpoints.export import TokenizerInGraph

    texts = ["ΟΔΥΣΣΕΥΣ, İstanbul!", "Cafe\u0301 3,5 º", "🙂 l'été…x_y"]
    tokenizer = WordTokenizer.fit(texts, start_and_end=True)
    found = TokenizerInGraph(tokenizer).tokens(tf.constant(texts)).to_list()
    assert [[token.decode() for token in row] for row in found] == [tokenizer.tokens(text) for text in texts]
    subwords = Checkpoint.load(find_checkpoint("ted_pt_en")).target_tokenizer
    ids = [subwords.encode(pair.target) for pair in find_corpus("tatoeba_pt_en").read("test")]
    in_graph = TokenizerInGraph(subwords)
    written = in_graph.text(in_graph.token_strings(tf.ragged.constant(ids, tf.int32).to_tensor(PAD_ID)))
    same = [text.decode() == subwords.decode(row) for text, row in zip(written.numpy(), ids, strict=True)]
    assert len(same) == 204 and sum(same) >= 0.9 * len(same)


@pytest.mark.long
def test_a_full_stop_is_added_and_left_out(subwords: Translate) -> None:
    texts = [*TEXTS, 'a "b"', "a.)", "a...", "ab é\u2003", "a " * 63, "a " * 64]
    live = tiny().translator().translate(texts, typed=True)
    assert {True, False} == {each.full_stop_added for each in live}
    check_tokens(tiny(), subwords, texts)


def test_too_long_a_text_is_refused_in_words(subwords: Translate) -> None:
    import tensorflow as tf

    with pytest.raises(tf.errors.InvalidArgumentError, match="more than 64 tokens, the most this model"):
        subwords(["a", "a " * 65])


@pytest.mark.long
def test_a_new_process_needs_nothing_of_this_project(tmp_path: Path, subwords: Translate) -> None:
    from core.checkpoints.export import export_saved_model

    folder = tmp_path / "model"
    export_saved_model(tiny(card="# Card\n"), folder)
    done = subprocess.run(
        [sys.executable, "-I", "-c", ALONE], input=json.dumps((str(folder), TEXTS)), cwd=folder,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(done.stdout.splitlines()[-1]) == subwords(TEXTS)["translation"].tolist()
    readme = (folder / "README.md").read_text(encoding="utf-8")
    assert readme.startswith("# Tiny: a TensorFlow SavedModel\n") and readme.endswith("# Card\n")
    assert all(f"`{output}`" in readme for output in subwords(TEXTS))
    with pytest.raises(CheckpointError, match=r"model has other files in it. Name a new or empty folder"):
        export_saved_model(tiny(), folder)

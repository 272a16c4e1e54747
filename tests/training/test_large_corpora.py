"""Real corpora, where they are present: what the shipped checkpoints were trained on."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.shipped import shipped_checkpoints
from core.corpora.catalogue import find_corpus
from core.corpora.corpus import Corpus
from core.presets import LARGE_PRESETS
from core.tokens.subword import SubwordTokenizer
from core.training.loop import TrainingRun
from core.training.pairs import encode_subwords, prepare_subwords

PRESET = LARGE_PRESETS["shipped"]


def present(name: str) -> Corpus:
    corpus = find_corpus(name)
    if not corpus.is_here:
        pytest.skip(f"{corpus.title} is not on this machine: python -m core data {name}")
    return corpus


def tokenizers(name: str) -> tuple[SubwordTokenizer, SubwordTokenizer]:
    checkpoint = Checkpoint.load(shipped_checkpoints()[name])
    source, target = checkpoint.source_tokenizer, checkpoint.target_tokenizer
    assert isinstance(source, SubwordTokenizer) and isinstance(target, SubwordTokenizer)
    return source, target


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ted_pt_en", "anki_en_fr"])
def test_some_steps_make_the_loss_fall(name: str) -> None:
    corpus = present(name)
    pairs = list(islice(corpus.read("train"), 2_000))  # read once: finding the splits takes a second
    model = PRESET.model.replace(num_layers=1, d_model=64, d_ff=128)
    training = PRESET.training.replace(epochs=2, batch_tokens=512, warmup_steps=25, learning_rate=3e-3)
    prepared, model = prepare_subwords(lambda: iter(pairs), model, tokenizers(name))
    assert len(prepared.encoded) + prepared.left_out == 2_000
    held_out = islice(corpus.read("validation"), 100)
    validation = encode_subwords(held_out, *tokenizers(name), 255, 254).pairs
    run = TrainingRun(model, training, prepared.encoded, validation=validation)
    before = run.validate()
    losses = [report.loss for report in islice(run.steps(), 70)]
    after = run.validate()
    assert np.mean(losses[-20:]) < np.mean(losses[:20]) - 2
    assert after.loss < before.loss - 2 and after.accuracy > before.accuracy + 0.05


@pytest.mark.slow
def test_batches_of_ted_pad_little() -> None:
    pairs = list(islice(present("ted_pt_en").read("train"), 25_000))
    prepared, _ = prepare_subwords(
        lambda: iter(pairs),
        PRESET.model,
        tokenizers("ted_pt_en"),
    )
    assert prepared.encoded.padding(PRESET.training) < 0.05

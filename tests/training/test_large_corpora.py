"""Real corpora, where they are present: what the shipped checkpoints were trained on."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.shipped import shipped_checkpoints
from core.corpora.catalogue import find_corpus
from core.presets import LARGE_PRESETS
from core.tokens.subword import SubwordTokenizer
from core.training.recipe import TrainingCorpus, prepare_subword_training

PRESET = LARGE_PRESETS["shipped"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ted_pt_en", "anki_en_fr"])
def test_some_steps_make_the_loss_fall(name: str) -> None:
    corpus = find_corpus(name)
    if not corpus.is_here:
        pytest.skip(f"{corpus.title} is not on this machine: python -m core data {name}")
    checkpoint = Checkpoint.load(shipped_checkpoints()[name])
    source, target = checkpoint.source_tokenizer, checkpoint.target_tokenizer
    assert isinstance(source, SubwordTokenizer) and isinstance(target, SubwordTokenizer)
    pairs = list(islice(corpus.read("train"), 2_000))  # read once: finding the splits takes a second
    held_out = list(islice(corpus.read("validation"), 100))
    model = PRESET.model.replace(num_layers=1, d_model=64, d_ff=128)
    training = PRESET.training.replace(epochs=2, batch_tokens=512, warmup_steps=25, learning_rate=3e-3)
    read = TrainingCorpus(lambda: pairs, lambda: held_out, corpus.languages)
    run = prepare_subword_training(read, model, training, (source, target), lambda text: None).new_run()
    before = run.validate()
    losses = [report.loss for report in islice(run.steps(), 70)]
    after = run.validate()
    assert np.mean(losses[-20:]) < np.mean(losses[:20]) - 2
    assert after.loss < before.loss - 2 and after.accuracy > before.accuracy + 0.05

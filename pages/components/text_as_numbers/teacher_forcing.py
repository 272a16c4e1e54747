"""What goes into a training step for one pair: encoder input, decoder input, and the label a step ahead."""

from __future__ import annotations

import numpy as np
import streamlit as st

from core.corpora.toy import PAIRS
from core.figures.id_table import IdCell, IdTable, id_table, id_table_html, legend_html
from core.presets import CLASSROOM
from core.tokens.base import Ids
from core.tokens.vocabulary import Vocabulary
from core.training.batches import Batch, EncodedPairs
from core.training.pairs import encode_pairs, prepare_words
from pages.components.lesson.view import View
from pages.components.text_as_numbers.readers import cells_of
from pages.components.widgets import remembered
from pages.components.widgets.numbers import slider
from pages.components.widgets.words import plain

_FIRST = 3  # "je suis fatigué"


def _show_teacher_forcing() -> None:
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    with left:
        names = [f"{pair.source} → {pair.target}" for pair in PAIRS]
        row = remembered.choose("A pair", dict(enumerate(names)), "pair", default=_FIRST, look="menu")
    batch, source, target = training_row(row)
    steps = batch.labels.shape[1]
    with right:
        step = slider(f"Step, 1 to {steps}", 1, steps, min(3, steps), "teacher_step")
    table = teacher_forcing_table(batch, source, target, step)
    st.html(id_table_html(table))
    st.markdown(_describe(table, step))
    st.html(legend_html(table.kinds))
    st.caption(
        "Each language has a vocabulary of its own, so the same id means different words in the first row and in the "
        "others. Only the target language has [START] and [END]."
    )


def training_row(row: int) -> tuple[Batch, Vocabulary, Vocabulary]:
    """Return one of the fifteen pairs as their training gets it: padded to the longest, shifted.

    Args:
        row: which one.

    Returns:
        A batch of that pair alone, and the vocabularies of source and target.
    """
    prepared, _ = prepare_words(PAIRS, CLASSROOM.model)
    batch = prepared.encoded.batch(np.array([row]), 1)
    return batch, prepared.source_tokenizer.vocabulary, prepared.target_tokenizer.vocabulary


def teacher_forcing_table(batch: Batch, source: Vocabulary, target: Vocabulary, step: int) -> IdTable:
    """The three rows at one step. What the decoder has not read yet is pale.

    Args:
        batch: of one pair.
        source: whose tokens the encoder reads.
        target: whose tokens the decoder reads and predicts.
        step: from 1.
    """
    read, asked = (1, step - 1), (2, step - 1)
    later = [(line, place) for line in (1, 2) for place in range(batch.labels.shape[1]) if place != step - 1]
    later = [(line, place) for line, place in later if line == 2 or place >= step]
    return id_table(
        "One pair in a training step",
        ("Encoder input", "Decoder input", "Label"),
        [
            _cells(batch.source[0], source),
            _cells(batch.decoder_input[0], target),
            _cells(batch.labels[0], target),
        ],
        now=[read, asked],
        later=later,
    )


def _cells(ids: Ids, vocabulary: Vocabulary) -> tuple[IdCell, ...]:
    return cells_of([vocabulary.tokens[token_id] for token_id in ids], ids.tolist(), vocabulary)


def _describe(table: IdTable, step: int) -> str:
    decoder_input, labels = table.rows[1], table.rows[2]
    read = " ".join(plain(cell.token) for cell in decoder_input[:step] if cell is not None)
    label = labels[step - 1]
    counted = int(np.sum([cell is not None and cell.kind != "pad" for cell in labels]))
    steps = sum(cell is not None for cell in labels)
    if label is None or label.kind == "pad":
        text = f"Step {step}: the label is a padding token, so nothing is predicted here."
    else:
        text = f"Step {step}: the decoder has read **{read}** and must predict **{plain(label.token)}**."
    return f"{text} The loss counts **{counted} of {steps}** steps: those whose label is not padding."


TEACHER_FORCING = View(_show_teacher_forcing, (EncodedPairs.batch, encode_pairs))

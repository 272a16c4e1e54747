"""What goes into a training step for one pair: encoder input, decoder input, and the label a step ahead."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from core.corpora.toy import PAIRS
from core.figures.id_table import IdCell, Place, id_table_html, kinds_of, legend_html
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
    rows = [
        _cells(batch.source[0], source),
        _cells(batch.decoder_input[0], target),
        _cells(batch.labels[0], target),
    ]
    titles = ("Encoder input", "Decoder input", "Label")
    st.html(id_table_html("One pair in a training step", titles, rows, *places_of(step, steps)))
    st.markdown(_describe(rows[1], rows[2], step))
    st.html(legend_html(kinds_of(rows)))
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


def places_of(step: int, steps: int) -> tuple[set[Place], set[Place]]:
    """Return what is read and asked for at a step, from 1, and what the decoder has not read or been asked yet."""
    now = step - 1
    not_read = {(1, place) for place in range(step, steps)}
    not_asked = {(2, place) for place in range(steps) if place != now}
    return {(1, now), (2, now)}, not_read | not_asked


def _cells(ids: Ids, vocabulary: Vocabulary) -> tuple[IdCell, ...]:
    return cells_of([vocabulary.tokens[token_id] for token_id in ids], ids.tolist(), vocabulary)


def _describe(decoder_input: Sequence[IdCell], labels: Sequence[IdCell], step: int) -> str:
    read = " ".join(plain(cell.token) for cell in decoder_input[:step])
    label, steps = labels[step - 1], len(labels)
    counted = sum(cell.kind != "pad" for cell in labels)
    if label.kind == "pad":
        text = f"Step {step}: the label is a padding token, so nothing is predicted here."
    else:
        text = f"Step {step}: the decoder has read **{read}** and must predict **{plain(label.token)}**."
    return f"{text} The loss counts **{counted} of {steps}** steps: those whose label is not padding."


TEACHER_FORCING = View(_show_teacher_forcing, (EncodedPairs.batch, encode_pairs))

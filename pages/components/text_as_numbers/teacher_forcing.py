"""What goes into a training step for one pair: encoder input, decoder input, and the label a step ahead."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from core.corpora.toy import PAIRS
from core.figures.id_table import IdCell, IdTable, id_table, id_table_html, legend_html
from core.pipeline import Batch, EncodedPairs, Ids, PipelineError, encode_pairs, prepare_words
from core.presets import CLASSROOM
from core.records import Pair
from core.tokens.vocabulary import Vocabulary
from pages.components.lesson.explanation import Formula, Lesson
from pages.components.lesson.view import View
from pages.components.text_as_numbers.readers import cells_of
from pages.components.widgets.bounded_slider import bounded_slider
from pages.components.widgets.words import plain

MAX_TOKENS = 12  # of a side of one's own pair: what fits on a screen
_FIRST = 3  # "je suis fatigué"
_OWN = len(PAIRS)  # the choice after the last pair


def _show_teacher_forcing() -> None:
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    chosen = left.selectbox(
        "A pair", range(len(PAIRS) + 1), _FIRST, format_func=_name_of_pair, key="pair", bind="query-params"
    )
    row = _FIRST if chosen is None else chosen
    pairs = (*PAIRS, _ask_own()) if row == _OWN else PAIRS
    try:
        batch, source, target = training_row(pairs, row)
    except PipelineError as error:
        said = str(error).removeprefix(f"Pair {_OWN + 1}: ")
        st.error(plain(said[:1].upper() + said[1:]), icon=":material/error:")
        return
    steps = batch.labels.shape[1]
    with right:
        step = bounded_slider(f"Step of {steps}", 1, steps, min(3, steps), "teacher_step")
    table = teacher_forcing_table(batch, source, target, step)
    st.html(id_table_html(table))
    st.markdown(_said_of(table, step))
    st.html(legend_html(table.kinds))
    st.caption(
        "Each language has a vocabulary of its own, so the same id is another word in the first row. Only the "
        "language that is written has [START] and [END]."
    )


def training_row(pairs: Sequence[Pair], row: int) -> tuple[Batch, Vocabulary, Vocabulary]:
    """One pair as the training of all pairs gets it: padded to the longest, shifted.

    Args:
        pairs: all that are trained on.
        row: which one.

    Returns:
        A batch of that pair alone, and the vocabularies of source and target.

    Raises:
        PipelineError: a side has no words, or too many.
    """
    limits = CLASSROOM.model.replace(max_source_length=MAX_TOKENS, max_target_length=MAX_TOKENS + 1)
    prepared, _ = prepare_words(pairs, limits)
    batch = prepared.encoded.batch(np.array([row]), 1)
    return batch, prepared.source_tokenizer.vocabulary, prepared.target_tokenizer.vocabulary


def teacher_forcing_table(batch: Batch, source: Vocabulary, target: Vocabulary, step: int) -> IdTable:
    """The three rows as they stand at one step: what the decoder has not read yet is pale.

    Args:
        batch: of one pair.
        source: whose tokens the encoder reads.
        target: whose tokens the decoder reads and says.
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


def _said_of(table: IdTable, step: int) -> str:
    decoder_input, labels = table.rows[1], table.rows[2]
    read = " ".join(plain(cell.token) for cell in decoder_input[:step] if cell is not None)
    label = labels[step - 1]
    counted = int(np.sum([cell is not None and cell.kind != "pad" for cell in labels]))
    places = sum(cell is not None for cell in labels)
    if label is None or label.kind == "pad":
        said = f"Step {step}: the label is a pad, so nothing is asked here."
    else:
        said = f"Step {step}: the decoder has read **{read}** and must say **{plain(label.token)}**."
    return f"{said} The loss counts **{counted} of {places}** steps: those whose label is no pad."


def _ask_own() -> Pair:
    left, right = st.columns(2)
    return Pair(
        left.text_input(
            "Your sentence", "le café est bon", max_chars=200, key="own_source", bind="query-params"
        ),
        right.text_input(
            "Its translation", "the coffee is good", max_chars=200, key="own_target", bind="query-params"
        ),
    )


def _name_of_pair(row: int) -> str:
    return "A pair of your own" if row == _OWN else f"{PAIRS[row].source} → {PAIRS[row].target}"


TEACHER_FORCING = View(
    "Teacher forcing",
    _show_teacher_forcing,
    Lesson(
        notice="The label is the decoder input, one step ahead. Whatever the decoder would have said, it reads the "
        "right words so far, as from a teacher, so all steps are learnt at once. When it translates there is no "
        "teacher: it reads its own words.",
        formulas=(
            Formula(
                r"\begin{aligned} \text{decoder input} &= (\text{START}, y_1, \dots, y_n) \\ "
                r"\text{label} &= (y_1, \dots, y_n, \text{END}) \end{aligned}",
                "Vaswani et al. 2017, section 3.1: the outputs are offset by one position. A shorter pair of a batch "
                "is filled up, so its decoder reads [END] and pads as well, where no label counts",
            ),
            Formula(
                r"\mathcal{L} = -\frac{1}{n + 1} \sum_{t=1}^{n+1} \log p(y_t \mid y_{<t}, x)",
                "Williams and Zipser 1989 for the name; pads are left out of the sum",
            ),
        ),
        code=(EncodedPairs.batch, encode_pairs),
        question="Why is the label of the first step not `[START]`?",
        answer="Nobody has to say `[START]`: it is given. From it the decoder must say the first word; the last word "
        "it reads must give `[END]`. So both rows are as long, and one is the other shifted by one.",
    ),
)

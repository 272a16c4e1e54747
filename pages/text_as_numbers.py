"""Text as numbers: how text becomes ids, batches and vectors."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import streamlit as st

from core.arrays import Floats, Ids
from core.corpora.toy import PAIRS
from core.figures.html.id_table import IdCell, Kind, id_chips_html, id_table_html, kinds_of, legend_html
from core.figures.html.number_tables import one_hot_html
from core.figures.plotly.tensor import (
    AXES,
    Axis,
    color_limit,
    kept_axes,
    tensor_block_figure,
    tensor_slice_figure,
)
from core.presets import CLASSROOM
from core.server.trained_model import TrainedModel
from core.theory.embedding import embed, look_up, one_hot
from core.theory.model_parts import token_embedding_name
from core.tokens.base import Tokenizer, pad
from core.tokens.subword import SubwordTokenizer
from core.tokens.vocabulary import END, END_ID, PAD, PAD_ID, START, START_ID, UNKNOWN_ID, Vocabulary
from core.tokens.word import WordTokenizer
from core.training.batches import EncodedPairs
from core.training.pairs import encode_pairs, learn_words
from core.weights import initial_weights
from pages.components.explaining.figure import show_figure
from pages.components.explaining.prediction import predict_or_end
from pages.components.explaining.view import View, show_heading, show_views
from pages.components.frame.visit import Visit
from pages.components.model.choice import current_model, shipped_models
from pages.components.widgets.markdown import first_words, plain
from pages.components.widgets.numbers import MAX_CHARACTERS, edit_sentences, english_tokenizer, offer_examples
from pages.components.widgets.state import choose, slider, text_input

_Cells = tuple[IdCell, ...]  # tokens with their ids


@dataclass(frozen=True)
class _FirstTexts:
    """The first texts in one language. English has its own keys, so that no box shows another language."""

    language: str  # its name
    text: str  # for one box
    sentences: tuple[str, ...]  # for three
    text_key: str = "target_text"
    sentence_key: str = "target_sentence"


_ENGLISH = _FirstTexts(
    "English",
    "i am a triceratops",
    ("thank you", "i am a student", "can you help me i want water"),
    "english",
    "sentence",
)


def _ask_text(first: _FirstTexts) -> str:
    label = f"A word or a sentence in {first.language}"
    return text_input(label, first.text, first.text_key, max_chars=MAX_CHARACTERS)


def _english_subwords() -> tuple[str, Tokenizer] | None:
    """Return the name (Markdown) and the English tokenizer of the first shipped model that has one."""
    for model in shipped_models():
        sides = {
            model.target_language: model.checkpoint.target_tokenizer,
            model.source_language: model.checkpoint.source_tokenizer,
        }
        if _ENGLISH.language in sides:
            return plain(model.name), sides[_ENGLISH.language]
    return None


def _read(text: str, tokenizer: Tokenizer) -> _Cells:
    return _cells_of(tokenizer.tokens(text), tokenizer.encode(text), tokenizer.vocabulary)


def _cells_of(tokens: Sequence[str], ids: Sequence[int], vocabulary: Vocabulary) -> _Cells:
    """Return cells of tokens with their ids and kinds."""
    kinds: dict[int, Kind] = {PAD_ID: "pad", UNKNOWN_ID: "unknown"}
    if vocabulary.has_start_and_end:
        kinds |= {START_ID: "start", END_ID: "end"}
    return tuple(
        IdCell(token, token_id, kinds.get(token_id, "word"))
        for token, token_id in zip(tokens, ids, strict=True)
    )


def _wrap(cells: _Cells, vocabulary: Vocabulary) -> _Cells:
    """Return a sentence between start and end token, as in the decoder's training."""
    start, end = _cells_of((START, END), (START_ID, END_ID), vocabulary)
    return (start, *cells, end)


_EXAMPLES = (
    _ENGLISH.text, "searchability", "serendipity", "triceratops", "where is the station", "i like 🍕",
)  # fmt: skip


def _show_subwords(visit: Visit) -> None:
    with visit.in_bar("controls"):
        text = _ask_text(_ENGLISH)
    box = _ENGLISH.text_key
    offer_examples("Try one", _EXAMPLES, "text_example", box, label_visibility="collapsed", wrap=True)
    predict_or_end(visit, "subwords")
    left, right = st.columns(2, gap="large")
    with left:
        size = len(english_tokenizer().vocabulary)
        st.markdown(f"**Words** of the fifteen classroom pairs, {size} entries")
        _show_tokens(_read(text, english_tokenizer()))
    with right:
        found = _english_subwords()
        if found is None:
            st.info(
                "This copy of the app comes without an English subword vocabulary.",
                icon=":material/inventory_2:",
            )
        else:
            name, tokenizer = found
            st.markdown(f"**Subwords** of {name}, {len(tokenizer.vocabulary):,} entries")
            _show_tokens(_read(text, tokenizer))
    st.html(legend_html(["word", "unknown"]))


_MAX_SHOWN = 40  # tokens


def _show_tokens(cells: _Cells) -> None:
    if not cells:
        st.caption("Type at least one letter or digit.")
        return
    st.html(id_chips_html(cells[:_MAX_SHOWN]))
    unknown = sum(cell.kind == "unknown" for cell in cells)
    counted = f"{len(cells)} token{'s' if len(cells) > 1 else ''}, {unknown or 'none'} unknown."
    st.markdown(f"{counted} Shown: the first {_MAX_SHOWN}." if len(cells) > _MAX_SHOWN else counted)


def _show_batch() -> None:
    found = _english_subwords()
    if found is None:
        st.caption("Read as words: this copy of the app comes without an English subword vocabulary.")
    tokenizer: Tokenizer = english_tokenizer()
    if found and choose("Tokens are", {"words": "Words", "subwords": "Subwords"}, "tokens") == "subwords":
        _, tokenizer = found
    sentences, length = _ask_sentences(tokenizer, _ENGLISH)
    rows = _padded(sentences, length)
    ids = _ids_of(sentences, length)
    name = f"The batch: a matrix of {len(rows)} × {length} ids"
    st.html(id_table_html(name, ("Sentence 1", "Sentence 2", "Sentence 3"), rows))
    pads = np.count_nonzero(ids == PAD_ID)
    st.markdown(
        f"{_describe_truncated(sentences, length)}**{pads} of {ids.size}** positions are padding "
        f"tokens. The shape is (batch, length) = ({len(rows)}, {length})."
    )
    for number, cells in enumerate(sentences, start=1):
        if not cells:
            st.caption(f"Sentence {number} has no words. Training would reject it.")
    st.html(legend_html(kinds_of(rows)))


_MAX_LENGTH = 12


def _ask_sentences(tokenizer: Tokenizer, first: _FirstTexts) -> tuple[list[_Cells], int]:
    """Ask for three sentences and a row length; a sentence without words becomes an empty row."""
    read = [_read(text, tokenizer) for text in edit_sentences(first.sentences, first.sentence_key)]
    length = slider("Length of each row, in positions", 1, _MAX_LENGTH, 8, "row_length")
    return [_wrap(cells, tokenizer.vocabulary) if cells else () for cells in read], length


def _padded(sentences: Sequence[_Cells], length: int) -> list[_Cells]:
    padding = IdCell(PAD, PAD_ID, "pad")
    return [(*cells[:length], *[padding] * (length - len(cells))) for cells in sentences]


def _ids_of(sentences: Sequence[_Cells], length: int) -> Ids:
    return cut_and_pad([[cell.id for cell in cells] for cells in sentences], length)


def cut_and_pad(sentences: Sequence[Sequence[int]], length: int) -> Ids:
    """Return sentences of ids as a matrix (B, length): long ones are cut off, short ones are padded."""
    return pad([ids[:length] for ids in sentences], length)


_MAX_NAMED = 6  # named tokens among those cut off


def _describe_truncated(sentences: Sequence[_Cells], length: int) -> str:
    """Say which tokens of the sentences were cut off."""
    text = ""
    for number, cells in enumerate(sentences, start=1):
        if lost := cells[length:]:
            named = " ".join(plain(first_words(cell.token, 20)) for cell in lost[:_MAX_NAMED])
            more = f" and {len(lost) - _MAX_NAMED} more" if len(lost) > _MAX_NAMED else ""
            text += f"Sentence {number} is too long: **{named}**{more} was cut off. "
    return text


def _show_embedding_source(visit: Visit) -> tuple[Tokenizer, Floats, _FirstTexts]:
    """Name the model whose vectors are shown: the current one, or else the untrained classroom model.

    Returns:
        The target side's tokenizer, its vectors (V, D), and texts in its language.
    """
    model = current_model(visit.workspace)
    if model is None:
        config = CLASSROOM.model
        first = _ENGLISH
        tokenizer: Tokenizer = english_tokenizer()
        weights = initial_weights(config, CLASSROOM.training.seed)
        whose = "There is no model yet. Vectors of the classroom model **before training**, random"
    else:
        config = model.checkpoint.config
        weights = model.checkpoint.weights
        tokenizer = model.checkpoint.target_tokenizer
        first = _first_texts_of(model)
        whose = f"Vectors of **{plain(model.name)}**"
    matrix = weights[token_embedding_name(config, "decoder")]
    st.caption(f"{whose}: {len(matrix):,} tokens, {matrix.shape[1]} numbers each.")
    return tokenizer, matrix, first


def _first_texts_of(model: TrainedModel) -> _FirstTexts:
    """Return texts in a model's target language, from its examples unless it is English."""
    tokens = model.checkpoint.target_tokenizer.vocabulary.tokens
    if model.target_language == _ENGLISH.language or tokens == english_tokenizer().vocabulary.tokens:
        return _ENGLISH
    examples = [pair.target for pair in model.checkpoint.examples] or [""]
    return _FirstTexts(
        model.target_language or "the language that the model writes",
        examples[0],
        tuple(examples[number % len(examples)] for number in range(len(_ENGLISH.sentences))),
    )


_MAX_TOKENS = 40
_CHANNELS = 8  # shown numbers of each vector


def _show_one_token(visit: Visit) -> None:
    tokenizer, matrix, first = _show_embedding_source(visit)
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    with left:
        words = _read(_ask_text(first), tokenizer)
    if len(words) > _MAX_TOKENS:
        st.caption(f"Only the first {_MAX_TOKENS} tokens are shown.")
    cells = _wrap(words[:_MAX_TOKENS], tokenizer.vocabulary)
    with right:
        place = slider("Token at position", 0, len(cells) - 1, 1, "token")
    st.html(id_chips_html(cells, now=place))
    cell = cells[place]
    vocab_size, width = matrix.shape
    product = one_hot(cell.id, vocab_size) @ matrix
    difference = float(np.abs(product - look_up(cell.id, matrix)).max())
    st.markdown(
        f"**{plain(cell.token)}** has the id **{cell.id:,}**: one-hot, only entry {cell.id:,} of {vocab_size:,} is 1. "
        f"Multiplied by the matrix, it selects row {cell.id:,}: over all {width:,} channels, the two differ by "
        f"**{difference:g}**."
    )
    st.html(one_hot_html(cell.id, matrix, tokenizer.vocabulary.tokens, _CHANNELS))
    st.caption("Shown: nearby entries, the first channels.")


_PLURALS: dict[Axis, str] = {"sentence": "Sentences", "position": "Positions", "channel": "Channels"}


def _show_tensor(visit: Visit) -> None:
    tokenizer, matrix, first = _show_embedding_source(visit)
    with st.expander("The three sentences", icon=":material/edit:"):
        sentences, length = _ask_sentences(tokenizer, first)
    tokens = [[cell.token for cell in row] for row in _padded(sentences, length)]
    tensor = embed(_ids_of(sentences, length), matrix)
    left, right = st.columns([2, 3], vertical_alignment="bottom")
    with left:
        axis = choose("Step through the", _PLURALS, "axis")
    with right:
        # People count sentences from 1, positions and channels from 0 as the formulas do.
        first_number = 1 if axis == "sentence" else 0
        last_number = first_number + tensor.shape[AXES.index(axis)] - 1
        number = slider(axis.capitalize(), first_number, last_number, first_number, f"slice_{axis}")
    index = number - first_number
    left_over = kept_axes(tensor.shape, axis)
    st.markdown(
        f"With {axis} fixed at **{number:,}**, a {left_over} slice remains. The tensor has "
        f"{' × '.join(f'{size:,}' for size in tensor.shape)} = **{tensor.size:,}** numbers; as one-hot vectors "
        f"it would have {len(sentences) * length * len(matrix):,}."
    )
    block, cells = st.columns([2, 3], gap="medium")
    with block:
        show_figure(
            tensor_block_figure(tensor.shape, axis, index),
            alt=f"The block of numbers, {axis} {number} marked in it",
            key="tensor_block",
        )
    with cells:
        show_figure(
            tensor_slice_figure(tensor, tokens, axis, index),
            alt=f"The numbers of the slice {left_over} as colors",
            key="tensor_slice",
        )
        st.caption(f"The 1% of numbers beyond ±{color_limit(tensor):.3g} get the end colors.")


_FIRST_PAIR = 3  # "je suis fatigué"


def _show_teacher_forcing() -> None:
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    with left:
        names = [f"{pair.source} → {pair.target}" for pair in PAIRS]
        row = choose("A pair", dict(enumerate(names)), "pair", default=_FIRST_PAIR, look="menu")
    words = learn_words(PAIRS)
    # As in training, padded to the longest pair.
    batch = encode_pairs(PAIRS, *words).batch(np.array([row]), 1)
    steps = batch.labels.shape[1]
    with right:
        step = slider(f"Step, 1 to {steps}", 1, steps, 3, "teacher_step")
    source, target = (tokenizer.vocabulary for tokenizer in words)
    rows = [
        _cells_of([vocabulary.tokens[token_id] for token_id in ids], ids.tolist(), vocabulary)
        for ids, vocabulary in (
            (batch.source[0], source),
            (batch.decoder_input[0], target),
            (batch.labels[0], target),
        )
    ]
    now = step - 1
    not_read = {(1, place) for place in range(step, steps)}
    not_asked = {(2, place) for place in range(steps) if place != now}
    titles = ("Encoder input", "Decoder input", "Label")
    table = id_table_html(
        "One pair in a training step", titles, rows, {(1, now), (2, now)}, not_read | not_asked
    )
    st.html(table)
    st.markdown(_describe(rows[1], rows[2], step))
    st.html(legend_html(kinds_of(rows)))
    st.caption("Each language has its own vocabulary. Only the target language has [START] and [END].")


def _describe(decoder_input: _Cells, labels: _Cells, step: int) -> str:
    label = labels[step - 1]
    steps = len(labels)
    if label.kind == "pad":
        text = f"Step {step}: the label is a padding token, so nothing is predicted here."
    else:
        read = " ".join(plain(cell.token) for cell in decoder_input[:step])
        text = f"Step {step}: the decoder has read **{read}** and must predict **{plain(label.token)}**."
    counted = sum(cell.kind != "pad" for cell in labels)
    return f"{text} The loss counts **{counted} of {steps}** steps: all but padding."


def main(visit: Visit) -> None:
    show_heading(visit)
    show_views(
        visit,
        {
            "subwords": View(
                partial(_show_subwords, visit),
                (WordTokenizer.encode, SubwordTokenizer.cut, SubwordTokenizer.end_of_longest_subword),
                is_long=True,
            ),
            "batch": View(_show_batch, (cut_and_pad, pad)),
            "token": View(partial(_show_one_token, visit), (one_hot, look_up, embed)),
            "tensor": View(partial(_show_tensor, visit), (embed,)),
            "teacher": View(_show_teacher_forcing, (EncodedPairs.batch, encode_pairs)),
        },
        "subwords",
    )

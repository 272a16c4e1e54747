"""Text as numbers: how text becomes ids, batches and vectors."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import NamedTuple

import numpy as np
import streamlit as st

from core.arrays import Floats, Ids
from core.figures.html.id_table import IdCell, Kind, id_chips_html, id_table_html, kinds_of, legend_html
from core.figures.html.number_tables import one_hot_html
from core.figures.plotly.byte_pairs import neighbours_figure
from core.figures.plotly.tensor import (
    AXES,
    Axis,
    color_limit,
    kept_axes,
    tensor_block_figure,
    tensor_slice_figure,
)
from core.language import N_, _, ngettext, number
from core.model.forward import embed, token_embedding_name
from core.model.numpy_ops import take
from core.presets import CLASSROOM, PAIRS_NAMES
from core.server.trained_model import TrainedModel
from core.theory.byte_pairs import BytePairs, after_merges
from core.theory.embedding import one_hot
from core.tokens.base import Tokenizer, pad
from core.tokens.merges import merge, merges
from core.tokens.subword import SubwordTokenizer
from core.tokens.vocabulary import END, END_ID, PAD, PAD_ID, START, START_ID, UNKNOWN_ID, Vocabulary
from core.tokens.word import WordTokenizer, normalize
from core.training.batches import EncodedPairs
from core.training.pairs import encode_pairs, learn_tokenizers
from core.weights import initial_weights
from pages.components.explaining.figure import show_figure
from pages.components.explaining.view import View, above_figure, show_heading, show_views
from pages.components.frame.visit import Visit
from pages.components.model.choice import current_model, english_tokenizer, shipped_models
from pages.components.widgets.numbers import MAX_CHARACTERS, edit_sentences, offer_examples
from pages.components.widgets.state import choose, slider, text_input
from pages.content.markdown import first_words, plain

_Cells = tuple[IdCell, ...]  # tokens with their ids


@dataclass(frozen=True)
class _FirstTexts:
    """The first texts in one language. English has its own keys, so that no box shows another language."""

    language: str  # its name in English
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
    label = _("A word or a sentence in {language}").format(language=_(first.language))
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


def _choose_text() -> str:
    text = _ask_text(_ENGLISH)
    box = _ENGLISH.text_key
    offer_examples(_("Try one"), _EXAMPLES, "text_example", box, label_visibility="collapsed", wrap=True)
    return text


def _show_subwords(text: str) -> None:
    left, right = st.columns(2, gap="large")
    with left:
        size = len(english_tokenizer().vocabulary)
        st.markdown(_("**Words** of the fifteen classroom pairs, {count} entries").format(count=size))
        _show_tokens(_read(text, english_tokenizer()))
    with right:
        found = _english_subwords()
        if found is None:
            st.info(
                _("This copy of the app comes without an English subword vocabulary."),
                icon=":material/inventory_2:",
            )
        else:
            name, tokenizer = found
            st.markdown(
                _("**Subwords** of {model}, {count} entries").format(
                    model=name, count=number(len(tokenizer.vocabulary), ",")
                )
            )
            _show_tokens(_read(text, tokenizer))
    st.html(legend_html(["word", "unknown"]))


_MAX_SHOWN = 40  # tokens


def _show_tokens(cells: _Cells) -> None:
    if not cells:
        st.caption(_("Type at least one letter or digit."))
        return
    st.html(id_chips_html(cells[:_MAX_SHOWN]))
    unknown = sum(cell.kind == "unknown" for cell in cells)
    count = len(cells)
    text = (
        ngettext("{count} token, {unknown} unknown.", "{count} tokens, {unknown} unknown.", count)
        if unknown
        else ngettext("{count} token, none unknown.", "{count} tokens, none unknown.", count)
    )
    counted = text.format(count=count, unknown=unknown)
    shown = _("Shown: the first {count}.").format(count=_MAX_SHOWN)
    st.markdown(f"{counted} {shown}" if count > _MAX_SHOWN else counted)


class _Merging(NamedTuple):
    """Sentences that are cut into pieces, after some merges."""

    sentences: tuple[str, ...]  # some of them are drawn
    words: Counter[str]  # of all sentences
    found: BytePairs


_MAX_MERGES = 100
_MAX_PAIRS = 200  # of a file of one's own: each step of the slider merges anew
_FIRST_MERGES = 0


def _choose_merges(visit: Visit) -> _Merging:
    left, right = st.columns([2, 3], vertical_alignment="bottom")
    sides = {"target": N_("Target sentences"), "source": N_("Source sentences")}
    with left:
        titles = {side: _(title) for side, title in sides.items()}
        side = choose(_("Sentences"), titles, "merged_side", look="menu")
    own = visit.memory.complete_pairs
    pairs = own if own and own not in PAIRS_NAMES else visit.classroom.pairs
    sentences = tuple(normalize(getattr(pair, side)) for pair in pairs[:_MAX_PAIRS])
    words = Counter(word for sentence in sentences for word in sentence.split())
    most = min(_MAX_MERGES, sum(1 for _step in islice(merges(words), _MAX_MERGES)))
    with right:
        label = _("Merges so far, 0 to {last}").format(last=most)
        steps = slider(label, 0, max(most, 1), _FIRST_MERGES, "merges")
    return _Merging(sentences, words, after_merges(words, steps))


_SENTENCES_SHOWN = 4


def _show_merges(chosen: _Merging) -> None:
    sentences, words, found = chosen
    with above_figure():
        st.markdown(_describe_merges(words, found))
    left, right = st.columns([3, 2], gap="large")
    vocabulary = {piece: place for place, piece in enumerate(found.vocabulary)}
    newest = found.merged[-1].piece if found.merged else ""
    # Those in which something has just changed come first.
    shown = sorted(sentences, key=lambda sentence: newest not in _pieces_of(sentence, found))
    with left:
        for sentence in shown[:_SENTENCES_SHOWN]:
            pieces = _pieces_of(sentence, found)
            cells = [
                IdCell(piece, vocabulary[piece], "start" if piece == newest else "word") for piece in pieces
            ]
            st.html(id_chips_html(cells[:_MAX_SHOWN]))
    with right:
        show_figure(
            neighbours_figure(found),
            alt=_("The most frequent neighbours in these sentences"),
            key="neighbours",
        )
        newest_pieces = " · ".join(plain(step.piece) for step in found.merged[-_PIECES_SHOWN:])
        if newest_pieces:
            st.caption(_("The newest entries of the vocabulary: {pieces}").format(pieces=newest_pieces))


_PIECES_SHOWN = 12


def _pieces_of(sentence: str, found: BytePairs) -> list[str]:
    return [piece for word in sentence.split() for piece in found.spelled[word]]


def _describe_merges(words: Counter[str], found: BytePairs) -> str:
    """Say what the last merge was, and how vocabulary and sentences have changed, in Markdown."""
    size = _("The vocabulary has **{entries}** entries, all sentences together **{tokens}** tokens.").format(
        entries=len(found.vocabulary), tokens=number(found.num_tokens(words), ",")
    )
    if not found.merged:
        return _("Each word is spelled in letters; ## marks one that continues a word.") + " " + size
    last = found.merged[-1]
    first, second = last.pair
    says = _("**{first}** and **{second}**, side by side {count} times, have become **{piece}**.")
    merged = says.format(first=plain(first), second=plain(second), count=last.count, piece=plain(last.piece))
    return f"{merged} {size}"


_Sentences = tuple[list[_Cells], int]  # three, and the length of a row


def _choose_batch() -> _Sentences:
    found = _english_subwords()
    if found is None:
        st.caption(_("Read as words: this copy of the app comes without an English subword vocabulary."))
    tokenizer: Tokenizer = english_tokenizer()
    units = {"words": _("Words"), "subwords": _("Subwords")}
    if found and choose(_("Tokens are"), units, "tokens") == "subwords":
        tokenizer = found[1]
    return _ask_sentences(tokenizer, _ENGLISH)


def _show_batch(chosen: _Sentences) -> None:
    sentences, length = chosen
    rows = _padded(sentences, length)
    ids = _ids_of(sentences, length)
    name = _("The batch: a matrix of {rows} × {columns} ids").format(rows=len(rows), columns=length)
    labels = [_("Sentence {number}").format(number=place) for place in range(1, len(rows) + 1)]
    st.html(id_table_html(name, labels, rows))
    st.html(legend_html(kinds_of(rows)))
    pads = np.count_nonzero(ids == PAD_ID)
    padding = _(
        "**{count} of {total}** positions are padding tokens. The shape is (batch, length) = ({rows}, {columns})."
    ).format(count=pads, total=ids.size, rows=len(rows), columns=length)
    st.markdown(_describe_truncated(sentences, length) + padding)
    for place, cells in enumerate(sentences, start=1):
        if not cells:
            st.caption(_("Sentence {number} has no words. Training would reject it.").format(number=place))


_MAX_LENGTH = 12


def _ask_sentences(tokenizer: Tokenizer, first: _FirstTexts) -> _Sentences:
    """Ask for three sentences and a row length; a sentence without words becomes an empty row."""
    read = [_read(text, tokenizer) for text in edit_sentences(first.sentences, first.sentence_key)]
    length = slider(_("Length of each row, in positions"), 1, _MAX_LENGTH, 8, "row_length")
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
    for place, cells in enumerate(sentences, start=1):
        if lost := cells[length:]:
            named = " ".join(plain(first_words(cell.token, 20)) for cell in lost[:_MAX_NAMED])
            says = (
                _("Sentence {number} is too long: **{tokens}** and {count} more was cut off.")
                if len(lost) > _MAX_NAMED
                else _("Sentence {number} is too long: **{tokens}** was cut off.")
            )
            text += says.format(number=place, tokens=named, count=len(lost) - _MAX_NAMED) + " "
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
        says = _(
            "There is no model yet. Vectors of the classroom model **before training**, random: {count} tokens, {width} "
            "numbers each."
        )
    else:
        config = model.checkpoint.config
        weights = model.checkpoint.weights
        tokenizer = model.checkpoint.target_tokenizer
        first = _first_texts_of(model)
        says = _("Vectors of **{model}**: {count} tokens, {width} numbers each.")
    matrix = weights[token_embedding_name(config, "decoder")]
    name = "" if model is None else plain(model.name)
    st.caption(says.format(model=name, count=number(len(matrix), ","), width=matrix.shape[1]))
    return tokenizer, matrix, first


def _first_texts_of(model: TrainedModel) -> _FirstTexts:
    """Return texts in a model's target language, from its examples unless it is English."""
    tokens = model.checkpoint.target_tokenizer.vocabulary.tokens
    if model.target_language == _ENGLISH.language or tokens == english_tokenizer().vocabulary.tokens:
        return _ENGLISH
    examples = [pair.target for pair in model.checkpoint.examples] or [""]
    return _FirstTexts(
        model.target_language or N_("the language that the model writes"),
        examples[0],
        tuple(examples[place % len(examples)] for place in range(len(_ENGLISH.sentences))),
    )


_MAX_TOKENS = 40
_CHANNELS = 8  # shown numbers of each vector


class _Token(NamedTuple):
    """A token of a sentence, and what its model knows."""

    cells: _Cells
    place: int
    vocabulary: Vocabulary
    matrix: Floats  # (V, D)


def _choose_token(visit: Visit) -> _Token:
    tokenizer, matrix, first = _show_embedding_source(visit)
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    with left:
        words = _read(_ask_text(first), tokenizer)
    if len(words) > _MAX_TOKENS:
        st.caption(_("Only the first {count} tokens are shown.").format(count=_MAX_TOKENS))
    cells = _wrap(words[:_MAX_TOKENS], tokenizer.vocabulary)
    with right:
        place = slider(_("Token at position"), 0, len(cells) - 1, 1, "token")
    return _Token(cells, place, tokenizer.vocabulary, matrix)


def _show_one_token(token: _Token) -> None:
    cells, place, vocabulary, matrix = token
    st.html(id_chips_html(cells, now=place))
    cell = cells[place]
    vocab_size, width = matrix.shape
    product = one_hot(cell.id, vocab_size) @ matrix
    difference = float(np.abs(product - take(matrix, np.array(cell.id, np.int32))).max())
    with above_figure():
        st.markdown(
            _(
                "**{token}** has the id **{id}**: one-hot, only entry {id} of {vocabulary} is 1. Multiplied by the "
                "matrix, it selects row {id}: over all {width} channels, the two differ by **{difference}**."
            ).format(
                token=plain(cell.token),
                id=number(cell.id, ","),
                vocabulary=number(vocab_size, ","),
                width=number(width, ","),
                difference=number(difference, "g"),
            )
        )
    st.html(one_hot_html(cell.id, matrix, vocabulary.tokens, _CHANNELS))
    st.caption(_("Shown: nearby entries, the first channels."))


_PLURALS: dict[Axis, str] = {
    "sentence": N_("Sentences"),
    "position": N_("Positions"),
    "channel": N_("Channels"),
}
_SINGULARS: dict[Axis, str] = {
    "sentence": N_("Sentence"),
    "position": N_("Position"),
    "channel": N_("Channel"),
}
_SLICES: dict[Axis, str] = {
    "sentence": N_("With sentence fixed at **{number}**, a {shape} slice remains."),
    "position": N_("With position fixed at **{number}**, a {shape} slice remains."),
    "channel": N_("With channel fixed at **{number}**, a {shape} slice remains."),
}
_BLOCK_ALTS: dict[Axis, str] = {
    "sentence": N_("The block of numbers, sentence {number} marked in it"),
    "position": N_("The block of numbers, position {number} marked in it"),
    "channel": N_("The block of numbers, channel {number} marked in it"),
}


class _Slice(NamedTuple):
    """A slice of a tensor of sentences."""

    sentences: list[_Cells]
    length: int  # of a row
    matrix: Floats  # (V, D), of the vectors
    axis: Axis
    fixed: int  # as people count
    position: int  # of the slice, from 0


def _choose_slice(visit: Visit) -> _Slice:
    tokenizer, matrix, first = _show_embedding_source(visit)
    with st.expander(_("The three sentences"), icon=":material/edit:"):
        sentences, length = _ask_sentences(tokenizer, first)
    left, right = st.columns([2, 3], vertical_alignment="bottom")
    with left:
        axis = choose(_("Step through the"), {axis: _(title) for axis, title in _PLURALS.items()}, "axis")
    with right:
        # People count sentences from 1, positions and channels from 0 as the formulas do.
        first_number = 1 if axis == "sentence" else 0
        sizes = len(sentences), length, matrix.shape[1]
        last_number = first_number + sizes[AXES.index(axis)] - 1
        fixed = slider(_(_SINGULARS[axis]), first_number, last_number, first_number, f"slice_{axis}")
    return _Slice(sentences, length, matrix, axis, fixed, fixed - first_number)


def _show_tensor(chosen: _Slice) -> None:
    sentences, length, matrix, axis, fixed, index = chosen
    tokens = [[cell.token for cell in row] for row in _padded(sentences, length)]
    tensor = embed(_ids_of(sentences, length), matrix)
    left_over = kept_axes(tensor.shape, axis)
    remains = _(_SLICES[axis]).format(number=number(fixed, ","), shape=left_over)
    has = _(
        "The tensor has {shape} = **{count}** numbers; as one-hot vectors it would have {one_hot}."
    ).format(
        shape=" × ".join(number(size, ",") for size in tensor.shape),
        count=number(tensor.size, ","),
        one_hot=number(len(sentences) * length * len(matrix), ","),
    )
    with above_figure():
        st.markdown(f"{remains} {has}")
    block, cells = st.columns([2, 3], gap="medium")
    with block:
        show_figure(
            tensor_block_figure(tensor.shape, axis, index),
            alt=_(_BLOCK_ALTS[axis]).format(number=fixed),
            key="tensor_block",
        )
    with cells:
        show_figure(
            tensor_slice_figure(tensor, tokens, axis, index),
            alt=_("The numbers of the slice {shape} as colors").format(shape=left_over),
            key="tensor_slice",
        )
        st.caption(
            _("The {share} of numbers beyond ±{limit} get the end colors.").format(
                share=number(0.01, ".0%"), limit=number(color_limit(tensor), ".3g")
            )
        )


_FIRST_PAIR = 3  # "i am tired"


class _TrainingStep(NamedTuple):
    """One pair as training reads it, and a step of it."""

    rows: list[_Cells]  # the encoder's input, the decoder's, the labels
    step: int  # from 1


def _choose_training_step(visit: Visit) -> _TrainingStep:
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    with left:
        pairs = visit.classroom.pairs
        names = [f"{pair.source} → {pair.target}" for pair in pairs]
        row = choose(_("A pair"), dict(enumerate(names)), "pair", default=_FIRST_PAIR, look="menu")
    words = learn_tokenizers(pairs, visit.classroom.model, visit.classroom.training)
    # As in training, padded to the longest pair.
    batch = encode_pairs(pairs, *words).batch(np.array([row]), 1)
    steps = batch.labels.shape[1]
    with right:
        step = slider(_("Step, 1 to {last}").format(last=steps), 1, steps, 3, "teacher_step")
    source, target = (tokenizer.vocabulary for tokenizer in words)
    rows = [
        _cells_of([vocabulary.tokens[token_id] for token_id in ids], ids.tolist(), vocabulary)
        for ids, vocabulary in (
            (batch.source[0], source),
            (batch.decoder_input[0], target),
            (batch.labels[0], target),
        )
    ]
    return _TrainingStep(rows, step)


def _show_teacher_forcing(chosen: _TrainingStep) -> None:
    rows, step = chosen
    now = step - 1
    steps = len(rows[2])
    not_read = {(1, place) for place in range(step, steps)}
    not_asked = {(2, place) for place in range(steps) if place != now}
    titles = (_("Encoder input"), _("Decoder input"), _("Label"))
    table = id_table_html(
        _("One pair in a training step"), titles, rows, {(1, now), (2, now)}, not_read | not_asked
    )
    st.html(table)
    st.html(legend_html(kinds_of(rows)))
    st.markdown(_describe(rows[1], rows[2], step))
    st.caption(_("Each language has its own vocabulary. Only the target language has [START] and [END]."))


def _describe(decoder_input: _Cells, labels: _Cells, step: int) -> str:
    label = labels[step - 1]
    steps = len(labels)
    if label.kind == "pad":
        text = _("Step {step}: the label is a padding token, so nothing is predicted here.").format(step=step)
    else:
        read = " ".join(plain(cell.token) for cell in decoder_input[:step])
        text = _("Step {step}: the decoder has read **{tokens}** and must predict **{label}**.").format(
            step=step, tokens=read, label=plain(label.token)
        )
    counted = sum(cell.kind != "pad" for cell in labels)
    says = _("The loss counts **{count} of {total}** steps: all but padding.").format(
        count=counted, total=steps
    )
    return f"{text} {says}"


def main(visit: Visit) -> None:
    show_heading(visit)
    show_views(
        visit,
        {
            "subwords": View(
                _choose_text,
                _show_subwords,
                (WordTokenizer.encode, SubwordTokenizer.cut, SubwordTokenizer.end_of_longest_subword),
                is_long=True,
            ),
            "merges": View(partial(_choose_merges, visit), _show_merges, (merges, merge), is_long=True),
            "batch": View(_choose_batch, _show_batch, (cut_and_pad, pad)),
            "token": View(partial(_choose_token, visit), _show_one_token, (one_hot, take, embed)),
            "tensor": View(partial(_choose_slice, visit), _show_tensor, (embed,)),
            "teacher": View(
                partial(_choose_training_step, visit),
                _show_teacher_forcing,
                (EncodedPairs.batch, encode_pairs),
            ),
        },
        "subwords",
    )

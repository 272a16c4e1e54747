"""What the page about positional encodings can show, one view at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from core.figures.heatmap import heatmap_figure, heatmap_info
from core.figures.positions import (
    channel_order_figure,
    channel_order_info,
    dot_products_figure,
    dot_products_info,
    encoding_figure,
    encoding_info,
    waves_figure,
    waves_info,
)
from core.figures.word_order import word_order_figure, word_order_info
from core.theory.positional_encoding import concatenated_encoding, similarities, sinusoidal_encoding
from core.theory.word_order import shuffled_order
from pages.components.bounded_slider import bounded_slider
from pages.components.catalogue import TRAIN
from pages.components.current_model import current_model
from pages.components.figure import show_figure
from pages.components.session import workspace
from pages.components.wide_and_narrow import wide_and_narrow
from pages.components.words import plain

MAX_LENGTH, MAX_WIDTH = 4096, 1024
MAX_WORDS = 10
_LENGTH, _WIDTH, _POSITION = 2048, 512, 1000  # what is shown first
_MAX_LEARNED = 64  # positions of a model's own that are shown


@dataclass(frozen=True)
class View:
    """One way to look at positions."""

    title: str
    show: Callable[[], None]


def _show_heatmap() -> None:
    length, width = _sizes()
    order = st.segmented_control(
        "Order of the channels",
        ["interleaved", "concatenated"],
        default="interleaved",
        required=True,
        format_func={
            "interleaved": "Interleaved, as in the paper",
            "concatenated": "Concatenated: all sines first",
        }.__getitem__,
        key="order",
        bind="query-params",
    )
    concatenated = order == "concatenated"
    encoding = (concatenated_encoding if concatenated else sinusoidal_encoding)(length, width)
    info = encoding_info(encoding)
    wide_and_narrow(
        "encoding",
        lambda narrow: show_figure(
            encoding_figure(info, stacked=narrow),
            alt=f"Heatmap of the {order} encoding: {length} positions, {width} channels",
            key=f"encoding_{narrow}",
        ),
    )
    if info.whole.positions_a_cell > 1 or info.whole.channels_a_cell > 1:
        st.caption(
            f"All of it is too much for a screen: there, each cell is the mean of {info.whole.positions_a_cell} "
            f"positions × {info.whole.channels_a_cell} channels, so waves that are faster than a cell fade to 0."
        )
    if concatenated:
        _show_order(width)


def _show_order(width: int) -> None:
    st.markdown(
        "**The same numbers, in another order.** Even channels (sines) move to the front, odd ones (cosines) "
        "to the back. What follows multiplies all channels by learned weights, so the order does not matter."
    )
    show_figure(
        channel_order_figure(channel_order_info(width)),
        alt="Each channel's place in the interleaved order joined to its place in the concatenated one",
        key="channel_order",
    )


def _show_waves() -> None:
    length, width = _sizes()
    chosen = st.multiselect(
        "Channels",
        range(width),
        default=_spread(width),
        max_selections=6,
        key="channels",
        bind="query-params",
        help="Even channels are sines, odd ones cosines.",
    )
    show_figure(
        waves_figure(waves_info(sorted(chosen), length, width)),
        alt=f"Channels {', '.join(map(str, sorted(chosen)))} as waves over the positions",
        key="waves",
    )


def _show_dot_products() -> None:
    length, width = _sizes()
    position = bounded_slider("Position p", 0, length - 1, _POSITION, "position")
    info = dot_products_info(sinusoidal_encoding(length, width), position)
    show_figure(
        dot_products_figure(info),
        alt=f"Dot product of position {position} with all others, highest at {info.peak}",
        key="dot_products",
    )
    if info.peak == position:
        st.success(
            f"Position {position:,} is most like itself: its dot product is **{info.highest:,.1f}**, and it falls "
            "on both sides.",
            icon=":material/center_focus_strong:",
        )
    else:
        st.warning(
            f"The peak is at {info.peak:,}, not at {position:,}: with an odd width, one sine has no cosine "
            "beside it, and so few channels cannot make up for that. Try an even width.",
            icon=":material/warning:",
        )


def _show_shuffle() -> None:
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    text = left.text_input(
        "A sentence", "the dog bites the man", max_chars=200, key="words", bind="query-params"
    )
    shuffle = right.slider(
        "Shuffle", 0, 30, 1, key="shuffle", bind="query-params", help="0 leaves the words in their order."
    )
    words = text.split()
    if len(words) > MAX_WORDS:
        st.caption(f"Only the first {MAX_WORDS} words are read.")
        words = words[:MAX_WORDS]
    info = word_order_info(words, shuffled_order(len(words), shuffle))
    if words:
        st.markdown(f"#### {plain(' '.join(words))} → {plain(' '.join(info.shuffled))}")
        st.markdown(
            f"Shuffling changes what a word receives by at most **{info.change_without:.2f}** without positions, "
            f"and by up to **{info.change_with:.2f}** with them."
        )
    wide_and_narrow(
        "word_order",
        lambda narrow: show_figure(
            word_order_figure(info, stacked=narrow),
            alt="Attention over the words as written and shuffled, without and with positions",
            key=f"word_order_{narrow}",
        ),
    )
    if words:
        st.caption(
            "One untrained head. Rows look at columns; the shuffled maps have their rows and columns put back in "
            "the written order, so that equal maps look equal."
        )


def _show_learned() -> None:
    model = current_model(workspace())
    if model is None or model.checkpoint.config.positional_encoding != "learned":
        who = f"The current model, {plain(model.name)}, adds the waves of the paper." if model else ""
        st.info(
            f"{who} Some models learn a vector for each position instead. To see such vectors, train with the "
            "preset **Since the paper**, then come back.",
            icon=":material/school:",
        )
        st.page_link(TRAIN.file, label="Train", icon=TRAIN.icon)
        return
    side = st.segmented_control(
        "Positions of the",
        ["source", "target"],
        default="source",
        required=True,
        key="side",
        bind="query-params",
    )
    learned = model.checkpoint.weights[f"{side or 'source'}_embedding/positions/embeddings"][:_MAX_LEARNED]
    st.caption(f"The {len(learned)} first positions that **{plain(model.name)}** has learnt.")
    show_figure(
        encoding_figure(encoding_info(learned), stacked=True), alt="The learned vectors", key="learned"
    )
    names = [str(position) for position in range(len(learned))]
    alike = heatmap_info(
        similarities(learned), names, names, row_title="position", column_title="position",
        hover_format="positions {row} and {column}: {value:.2f}", color_range=(-1.0, 1.0),
    )  # fmt: skip
    show_figure(
        heatmap_figure(alike, "How alike two positions are: cosine, 1 = the same direction", most_columns=16),
        alt="Cosine similarity of every two learned positions",
        key="learned_alike",
    )


def _sizes() -> tuple[int, int]:
    """Length and width of the encoding."""
    left, right = st.columns(2)
    length = left.slider("Length: positions", 1, MAX_LENGTH, _LENGTH, key="length", bind="query-params")
    width = right.slider("Width: channels (d_model)", 1, MAX_WIDTH, _WIDTH, key="width", bind="query-params")
    return length, width


def _spread(width: int) -> list[int]:
    """Four sines from fast to slow, all of whose waves can be told apart on 200 positions."""
    return sorted({int(2 * (width * part // 16)) for part in range(4)} & set(range(width)))


VIEWS = {
    "heatmap": View("Heatmap", _show_heatmap),
    "waves": View("Single waves", _show_waves),
    "dots": View("Dot products", _show_dot_products),
    "shuffle": View("Shuffle the words", _show_shuffle),
    "learned": View("Learned positions", _show_learned),
}

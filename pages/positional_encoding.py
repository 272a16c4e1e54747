"""Positional encoding: how a model knows the position of a word."""

from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import streamlit as st

from core.arrays import Floats
from core.figures.plotly.heatmap import color_axis, heatmap
from core.figures.plotly.positions import (
    cell_size,
    dot_products_figure,
    encoding_figures,
    waves_figure,
    word_order_figures,
)
from core.figures.theme import Figure
from core.language import N_, _, language, number
from core.model.forward import embed, sinusoidal_encoding
from core.theory.positional_encoding import (
    cosine_similarities,
    dot_products,
    wave,
    wavelengths,
)
from core.theory.untrained_head import EXAMPLE, run_untrained_head, shuffled_order
from pages.components.explaining.figure import show_figure, show_figures
from pages.components.explaining.view import View, above_figure, show_heading, show_views
from pages.components.frame.menu import link_to
from pages.components.frame.visit import Visit
from pages.components.model.choice import current_model
from pages.components.widgets.state import choose, choose_several, slider, text_input
from pages.content.markdown import plain
from pages.content.pages import TRAIN

_MAX_LENGTH, _MAX_WIDTH = 4096, 1024


def _choose_sizes() -> tuple[int, int]:
    """Return length and width of the encoding."""
    left, right = st.columns(2)
    with left:
        length = slider(_("Length: positions"), 1, _MAX_LENGTH, 2048, "length")
    with right:
        width = slider(_("Width: channels (d_model)"), 1, _MAX_WIDTH, 512, "width")
    return length, width


@st.cache_resource(max_entries=2, show_spinner=False)
def _encoding(length: int, width: int) -> Floats:
    """Return the encoding, computed once for all visitors; do not change it."""
    return sinusoidal_encoding(length, width)


@st.cache_resource(max_entries=16, show_spinner=False)
def _encoding_figures(length: int, width: int, code: str) -> tuple[Figure, ...]:
    """Return the figures in the reader's language, whose code is given so that each language has its own."""
    return encoding_figures(_encoding(length, width))


def _show_heatmap(sizes: tuple[int, int]) -> None:
    length, width = sizes
    show_figures(
        _encoding_figures(length, width, language().code),
        alt=_("Heatmap of the encoding: {length} positions, {width} channels").format(
            length=length, width=width
        ),
        key="encoding",
        across=2,
    )
    positions, channels = cell_size(length, width)
    if positions > 1 or channels > 1:
        st.caption(
            _(
                "Each cell of the picture is the mean of {positions} positions × {channels} channels, so waves shorter "
                "than a cell fade to 0."
            ).format(positions=positions, channels=channels)
        )


_MAX_WAVES = 6


class _Waves(NamedTuple):
    """Which channels are shown, of an encoding of which size."""

    channels: list[int]
    length: int
    width: int


def _choose_waves() -> _Waves:
    length, width = _choose_sizes()
    # At first four sines from fast to slow, whose waves can all be told apart on 200 positions.
    first = sorted({int(2 * (width * part // 16)) for part in range(4)} & set(range(width)))
    hint = _("Even channels are sines, odd ones cosines.")
    chosen = sorted(choose_several(_("Channels"), range(width), "channels", first, _MAX_WAVES, help=hint))
    return _Waves(chosen, length, width)


def _show_waves(waves: _Waves) -> None:
    named = ", ".join(map(str, waves.channels))
    show_figure(
        waves_figure(*waves),
        alt=_("Channels {channels} as waves over the positions").format(channels=named),
        key="waves",
    )


def _choose_position() -> tuple[int, int, int]:
    """Return a position, and length and width of the encoding."""
    length, width = _choose_sizes()
    return slider(_("Position p"), 0, length - 1, 1000, "position"), length, width


def _show_dot_products(chosen: tuple[int, int, int]) -> None:
    position, length, width = chosen
    # With float32 sines, a neighbor could win by rounding alone.
    products = dot_products(_encoding(length, width), position).round(4)
    highest = products.max()
    peak = position if products[position] == highest else int(products.argmax())
    show_figure(
        dot_products_figure(products, position),
        alt=_("Dot product of position {position} with all others, highest at {peak}").format(
            position=position, peak=peak
        ),
        key="dot_products",
    )
    if peak != position or highest <= 0:
        return
    distance = np.abs(np.arange(length) - position)
    rises_again = products[distance > 1].max(initial=-np.inf) >= products[distance <= 1].min()
    others = (
        _("With so few waves it rises again farther away; more channels prevent that.")
        if rises_again
        else _("It falls with distance, with ripples.")
    )
    itself = _("Position {position} with itself: **{value}**, the highest dot product.").format(
        position=number(position, ","), value=number(highest, ",.1f")
    )
    st.success(f"{itself} {others}", icon=":material/center_focus_strong:")


_MAX_WORDS = 10


def _choose_shuffle() -> tuple[list[str], tuple[int, ...]] | None:
    """Return words and the places from which each comes when they are shuffled."""
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    with left:
        text = text_input(_("A sentence"), EXAMPLE, "shuffled_words", max_chars=200)
    with right:
        shuffle = slider(_("Shuffle"), 0, 30, 1, "shuffle", help=_("0 keeps the words in their order."))
    words = text.split()[:_MAX_WORDS]
    if len(words) < len(text.split()):
        st.caption(_("Only the first {count} words are read.").format(count=_MAX_WORDS))
    if not words:
        st.caption(_("There are no words to shuffle."))
        return None
    order = shuffled_order(len(words), shuffle)
    st.markdown(f"**→ {plain(' '.join(words[place] for place in order))}**")
    return words, order


def _show_shuffle(chosen: tuple[list[str], tuple[int, ...]]) -> None:
    words, order = chosen
    maps = []
    changes = []
    for with_positions in (False, True):
        output, written = run_untrained_head(words, range(len(words)), with_positions)
        shuffled_output, shuffled = run_untrained_head(words, order, with_positions)
        maps += [written, shuffled]
        changes.append(np.abs(output - shuffled_output).max())
    with above_figure():
        st.markdown(
            _(
                "Shuffling changes a word's output by at most **{without}** without positions, and by up to "
                "**{with_them}** with them. Bluer cells mean more attention."
            ).format(without=number(changes[0], ".2f"), with_them=number(changes[1], ".2f"))
        )
    show_figures(
        word_order_figures(words, maps),
        alt=_("Attention over the words as written and shuffled, without and with positions"),
        key="word_order",
        across=2,
    )


_MAX_LEARNED = 64  # positions that are shown
_ALIKE = 420  # pixels
# The file contains the command that made it.
_LEARNED = Path(__file__).parent / "content" / "learned_positions.csv"


def _choose_learned(visit: Visit) -> Floats:
    """Return the vectors of the model's learned positions, or of those that a small model learned."""
    model = current_model(visit.workspace)
    if model is not None and model.checkpoint.config.positional_encoding == "learned":
        sides = {"source": _("source"), "target": _("target")}
        side = choose(_("Positions of the"), sides, "learned_side")
        table = model.checkpoint.weights[f"{side}_embedding/positions/embeddings"][:_MAX_LEARNED]
        st.caption(
            _("The first {count} positions that **{model}** has learned, times √d_model.").format(
                count=len(table), model=plain(model.name)
            )
        )
    else:
        table = (np.loadtxt(_LEARNED, delimiter=",") / 100).astype(np.float32)
        st.caption(
            _(
                "The first {count} target positions that a small model learned from TED talks, times √d_model. For your "
                "own, train with the preset **Since the paper**."
            ).format(count=len(table))
        )
    return embed(np.arange(len(table)), table)  # as a model scales them before it adds them to the words


def _show_learned(learned: Floats) -> None:
    picture, similarity = st.columns(2)
    with picture:
        show_figures(encoding_figures(learned), alt=_("The learned vectors"), key="learned", across=1)
    names = [str(position) for position in range(len(learned))]
    alike = heatmap(
        cosine_similarities(learned),
        names,
        names,
        title=_("Cosine similarity; 1 = the same direction"),
        row_title=_("position"),
        column_title=_("position"),
        hover=N_("positions {row} and {column}: {value:z.2f}"),
        colors=color_axis((-1.0, 1.0)),
        most_labels=16,
        height=_ALIKE,
    )
    with similarity:
        show_figure(alike, alt=_("Cosine similarity of every two learned positions"), key="learned_alike")
    link_to(TRAIN, _("Train"))


def main(visit: Visit) -> None:
    show_heading(visit)
    show_views(
        visit,
        {
            "heatmap": View(_choose_sizes, _show_heatmap, (sinusoidal_encoding,)),
            "waves": View(_choose_waves, _show_waves, (wave, wavelengths)),
            "dots": View(_choose_position, _show_dot_products, (dot_products,)),
            "shuffle": View(_choose_shuffle, _show_shuffle, (run_untrained_head,), is_long=True),
            "learned": View(partial(_choose_learned, visit), _show_learned, (embed, cosine_similarities)),
        },
        "heatmap",
    )

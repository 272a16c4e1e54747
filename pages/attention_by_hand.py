"""Attention by hand: computed cell by cell."""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import streamlit as st

from core.arrays import Doubles
from core.figures.html.attention_steps import (
    STAGES,
    attention_steps_html,
    cell_steps,
    changed_cells,
    heads_html,
)
from core.figures.html.number_tables import numbered
from core.figures.plotly.softmax import WIDTHS, fuzzy_dictionary_figure, score_scale_figure
from core.language import N_, _, ngettext, number
from core.model.forward import ForwardPass, join_heads, scaled_dot_product_attention, split_heads
from core.model.numpy_ops import softmax
from core.records.attention import AttentionSteps
from core.theory.attention_steps import attend, attention_steps, multi_head_steps
from core.theory.fuzzy_dictionary import ENTRIES, fuzzy_look_up
from core.theory.score_scale import entropy, score_scale
from pages.components.attention.one_row import (
    KEYS,
    QUERY,
    SHOWN_CHANNELS,
    SHOWN_KEYS,
    TOKENS,
    VALUES,
    reset_row,
)
from pages.components.explaining.figure import show_figure
from pages.components.explaining.view import View, above_figure, choose_step, show_heading, show_views
from pages.components.frame.visit import Visit
from pages.components.widgets.numbers import Rows, edit_numbers, show_reset
from pages.components.widgets.state import choose, linked_choice, set_value, slider
from pages.content.markdown import plain


def _choose_query() -> tuple[int, int]:
    """Return the query's direction in degrees, and its length."""
    left, right = st.columns(2)
    with left:
        degrees = slider(_("Direction of the query, degrees"), 0, 90, 72, "query")
    with right:
        strength = slider(
            _("Length of the query"),
            1,
            40,
            10,
            "strength",
            help=_("The longer the query, the more attention the best key gets."),
        )
    return degrees, strength


def _show_dictionary(query: tuple[int, int]) -> None:
    degrees, strength = query
    weights, answer = fuzzy_look_up(degrees, strength)
    with above_figure():
        st.markdown(
            _(
                "How many legs does a *kitten* have? An ordinary dictionary has only `fish`, `hen`, `dog` and `cat`, so "
                "the lookup fails. A soft lookup asks every key, and similar keys count more: **{count} legs**."
            ).format(count=number(answer, ".2f"))
        )
    named = ", ".join(
        f"{_(entry.name)} {number(weight, '.0%')}" for entry, weight in zip(ENTRIES, weights, strict=True)
    )
    show_figure(
        fuzzy_dictionary_figure(degrees, weights.tolist()),
        alt=_("Attention weight of each key: {weights}").format(weights=named),
        key="dictionary",
    )


# Whether the tables are computed cell by cell.
_STEPPING = linked_choice("step_by_step", {"off": False, "on": True}, False, N_("choice of steps"))

_COUNTS = (2, 3, 4)  # numbers of words
_SENTENCE = ("the", "cat", "sat", "down")
_WORDS: Rows = ((1.0,), (2.0,), (3.0,), (-1.0,))
_WEIGHTS: Rows = ((0.5,), (1.0,), (10.0,))


def _choose_numbers() -> AttentionSteps:
    count = _choose_count({"by_hand_x": _WORDS, "by_hand_w": _WEIGHTS})
    with st.container(key="number_editors"):
        with st.container():
            words = edit_numbers("by_hand_x", _WORDS, _SENTENCE[:count], [_("number")], _("Words: x"))
        with st.container():
            weights = edit_numbers(
                "by_hand_w", _WEIGHTS, ["W_Q", "W_K", "W_V"], [_("weight")], _("Weights: W")
            )
    return attention_steps(words, *weights[:, np.newaxis])


def _choose_count(tables: Mapping[str, Rows]) -> int:
    """Ask for the number of words; show the button that resets the tables."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        count = choose(_("How many words"), _COUNTS, "words_by_hand", default=3)
        show_reset(tables)
    return count


def _show_sentence_steps(step_key: str, record: AttentionSteps) -> None:
    labels = _SENTENCE[: len(record.weights)]
    _show_attention_steps(record, labels, labels, step_key)


def _show_attention_steps(
    record: AttentionSteps, rows: Sequence[str], columns: Sequence[str], step_key: str
) -> None:
    """Show all tables, or those of a step with the calculation of its cell; numbers that an edit changed light up."""
    is_stepping = _STEPPING.get()
    with st.container(key="by_hand_steps" if is_stepping else None):
        if is_stepping:
            steps = cell_steps(record, rows, columns)
            place = choose_step(len(steps), step_key, beside=partial(_show_end, step_key))
            step = steps[place - 1]
            with st.container(key="calculation"):
                saying, calculation = st.columns([2, 3], vertical_alignment="center")
            saying.markdown(f"**{plain(step.saying)}**")
            calculation.latex(step.calculation)
        else:
            steps = ()
            place = 0
            with above_figure():
                st.button(
                    _("Step by step"),
                    icon=":material/steppers:",
                    on_click=_STEPPING.set,
                    args=(True,),
                    key=f"{step_key}_begin_Right",  # the remote's arrow, as for the next step
                )
        last_key = f"{step_key}_tables"
        changed = changed_cells(st.session_state.get(last_key, record), record)
        st.session_state[last_key] = record
        st.html(attention_steps_html(record, rows, columns, steps, place, changed))


def _show_end(step_key: str) -> None:
    """Show the button that ends the steps; the next ones begin with the first cell."""

    def end() -> None:
        _STEPPING.set(False)
        set_value(step_key, 1)

    st.button(_("Show all"), icon=":material/grid_on:", on_click=end, key="show_all")


_VECTORS: Rows = ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (-1.0, 0.5))
_KERNELS: dict[str, Rows] = {
    "wq": ((1.0, 0.0), (0.0, 2.0)),
    "wk": ((2.0, 0.0), (0.0, 1.0)),
    "wv": ((10.0, 0.0), (0.0, 10.0)),
}


def _choose_vectors() -> Doubles:
    """Return the words' vectors, shape (T, 2)."""
    count = _choose_count({"vectors": _VECTORS, **_KERNELS})
    return edit_numbers("vectors", _VECTORS, _SENTENCE[:count], numbered("d", 2), _("Words: x"))


def _show_vectors(words: Doubles) -> None:
    drawn = st.container()
    with st.expander(_("Change the weights"), icon=":material/tune:"):
        places = st.columns(len(_KERNELS))
    kernels = []
    for place, (key, kernel) in zip(places, _KERNELS.items(), strict=True):
        with place:
            kernels.append(
                edit_numbers(key, kernel, numbered("d", 2), numbered("d", 2), f"W_{key[-1].upper()}")
            )
    with drawn:
        _show_sentence_steps("vector_step", attention_steps(words, *kernels))


def _show_row(tokens: list[str]) -> None:
    row, *columns = tokens
    with st.container(key="by_hand_row"):
        drawn = st.container()
        with st.expander(_("Change the numbers"), icon=":material/tune:"):
            st.button(_("Reset the numbers"), icon=":material/undo:", on_click=reset_row, key="reset_numbers")
            places = st.columns(3)
        names = numbered("d", SHOWN_CHANNELS)
        with places[0]:
            query = edit_numbers("row_query", QUERY, [row], names, _("Query: q"))
        with places[1]:
            keys = edit_numbers("row_keys", KEYS, columns, names, _("Keys: k"))
        with places[2]:
            values = edit_numbers("row_values", VALUES, columns, names, _("Values: v"))
        st.caption(
            _(
                "The first {numbers} numbers of each vector of a trained head, and at most {tokens} tokens: enough for "
                "paper, too few for the weights of the map. Take others from a cell of *Attention maps*."
            ).format(numbers=SHOWN_CHANNELS, tokens=SHOWN_KEYS)
        )
    with drawn:
        _show_attention_steps(attend(query, keys, values), [row], columns, "row_step")


_WIDTH = 4  # numbers in each word's vector


def _choose_heads() -> tuple[int, str]:
    """Return the number of heads, and the stage of their computation."""
    left, right = st.columns([1, 2])
    with left:
        heads = choose(_("Heads"), (1, 2, 4), "heads_by_hand", default=2)
    with right:
        stages = {stage: _(title) for stage, title in STAGES.items()}
        stage = choose(_("Stage"), stages, "stage", default="project")
    return heads, stage


def _show_heads(chosen: tuple[int, str]) -> None:
    heads, stage = chosen
    words, kernels = _example()
    record = multi_head_steps(words, kernels, heads)
    with above_figure():
        st.markdown(_describe(stage, heads))
    st.html(heads_html(record, _SENTENCE[: len(words)], stage))
    st.caption(_("Three words with four numbers each, and random weights, as before training."))


_STAGE_TEXTS = {
    "project": N_(
        "The queries, keys and values of all heads come from one matrix product each. The colors show which columns "
        "belong to which head."
    ),
    "attend": N_(
        "**Attend.** Each head does what you did by hand, so each can attend to something different."
    ),
    "join": N_(
        "**Concatenate.** The heads' outputs are put side by side again, as wide as the words; W_O mixes them."
    ),
}


def _describe(stage: str, heads: int) -> str:
    if stage != "split":
        return _(_STAGE_TEXTS[stage])
    width = _WIDTH // heads
    takes = ngettext(
        "**Split.** Each of {count} head takes its {numbers} of every word.",
        "**Split.** Each of {count} heads takes its {numbers} of every word.",
        heads,
    )
    numbers = ngettext("{count} number", "{count} numbers", width).format(count=width)
    divided = _("Nothing is computed: the columns are only divided up.")
    return f"{takes.format(count=heads, numbers=numbers)} {divided}"


def _example() -> tuple[Doubles, Doubles]:
    """Return words (T, D) and W_Q, W_K, W_V, W_O (4, D, D), always the same."""
    random = np.random.default_rng(3)
    words = random.standard_normal((3, _WIDTH))
    kernels = random.standard_normal((4, _WIDTH, _WIDTH)) / 2  # keeps the variance: 1 / sqrt(4)
    return words.round(1), kernels.round(1)


def _choose_width() -> int:
    return choose(_("d_k: numbers in a query and in a key"), WIDTHS, "d_k", default=64, look="slider")


def _show_scale(d_k: int) -> None:
    chosen = score_scale(d_k)
    raw, scaled = number(chosen.raw.entropy, ".2f"), number(chosen.scaled.entropy, ".2f")
    with above_figure():
        st.markdown(
            _(
                "Random scores have a standard deviation of **{spread}**, about √{d_k}. The entropy of the softmax is "
                "**{raw} bits** without scaling, **{scaled} bits** with it."
            ).format(spread=number(chosen.spread, ".1f"), d_k=number(d_k, ","), raw=raw, scaled=scaled)
        )
    show_figure(
        score_scale_figure(chosen),
        alt=_("Entropy of the softmax over d_k; at {d_k}: {raw} and {scaled} bits").format(
            d_k=d_k, raw=raw, scaled=scaled
        ),
        key="scale",
    )


def main(visit: Visit) -> None:
    show_heading(visit)
    is_stepping = _STEPPING.get()  # one step fits a phone's screen
    show_views(
        visit,
        {
            "dictionary": View(_choose_query, _show_dictionary, (fuzzy_look_up,)),
            "numbers": View(
                _choose_numbers,
                partial(_show_sentence_steps, "step"),
                (attention_steps, scaled_dot_product_attention, softmax),
                is_long=not is_stepping,
                is_divided=True,
            ),
            "vectors": View(
                _choose_vectors,
                _show_vectors,
                (attention_steps, scaled_dot_product_attention, softmax),
                is_long=not is_stepping,
                is_divided=True,
            ),
            "row": View(TOKENS.get, _show_row, (scaled_dot_product_attention, softmax)),
            "heads": View(
                _choose_heads,
                _show_heads,
                (ForwardPass.self_attention, split_heads, ForwardPass.attend, join_heads),
            ),
            "scale": View(_choose_width, _show_scale, (score_scale.__wrapped__, entropy)),
        },
        "numbers",
    )

"""The table of sentence pairs to train on, which ones are held out, and the ways to load others."""

from collections.abc import Callable
from functools import partial

import pandas as pd
import streamlit as st

from core.corpora.delimited import write_pairs
from core.corpora.toy import PAIRS
from core.errors import InputError
from core.language import N_, _, number
from core.presets import PAIRS_NAMES, Preset, preset_for
from core.records.text import Pair
from core.server.settings import server_settings
from core.server.workspace import check_number_of_pairs
from core.training.pairs import HOLD_OUT_FROM, hold_out, learn_tokenizers, unknown_words, with_token_kinds
from pages.components.frame.memory import PageMemory
from pages.components.pairs.file import ask_pairs_file, forget_reading
from pages.components.widgets.download import show_download
from pages.components.widgets.state import choose, set_value
from pages.components.widgets.telling import show_problem
from pages.content.markdown import plain

# Keys of st.session_state: the uploaded file, and the menu.
_FILE = "pairs_file"
_HELD_OUT = "held_out"
# Percent of the pairs.
_SHARES = (0, 10, 20, 30, 50, -1)
_BY_HAND = -1
_TITLES = {_BY_HAND: N_("By hand")}  # of those that are no percentage
_MAX_NOTES = 5  # held-out pairs whose unknown words are named
# Pixels: fifteen pairs are visible at once.
_ROW_HEIGHT, _TABLE_HEIGHT = 25, 440


def show_pairs(memory: PageMemory, preset: Preset, seed: int, use_preset: Callable[[Preset], None]) -> None:
    """Show the pairs to train on as a table, with the held-out ones, and the ways to load others.

    Args:
        memory: what the pages remember of this tab, which keeps the pairs.
        preset: the preset, whose pairs are shown unless the visitor has their own.
        seed: the seed of the random split.
        use_preset: called with the preset that suits the pairs of a file.
    """
    # A new preset, chosen here or by a link, replaces another preset's pairs but never the visitor's own.
    if memory.pairs in PAIRS_NAMES and memory.pairs != preset.pairs:
        replace_pairs(memory, preset.pairs, preset.held_out)
    table = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _ask_held_out(memory, seed)
        st.button(
            _("Back to the fifteen pairs"),
            icon=":material/undo:",
            key="usual_pairs",
            on_click=replace_pairs,
            args=(memory, preset.pairs, preset.held_out),
        )
        show_download(_("Download as CSV"), partial(write_pairs, memory.pairs), "sentence-pairs.csv")
    # Not a popover, which would cut off a long message.
    with st.expander(_("From a file"), icon=":material/upload:"):
        ask_pairs_file(
            _(
                "Your own pairs: CSV, TSV or tab-separated text, a sentence and its translation on each row, at most "
                "{count} pairs"
            ).format(count=number(server_settings().max_pairs, ",")),
            _FILE,
            partial(_keep_file, memory, use_preset),
        )
    # After the menu, which may choose the held-out pairs.
    with table:
        _edit_pairs(memory)
        _name_unknown_words(memory, preset)
    st.caption(
        _(
            "Click a cell to change it, the last row to add one. Paste two columns from a spreadsheet. Tick **Never "
            "shown** to test the model on a sentence without training on it, and **Watch** to follow a sentence in the "
            "next training, up to five of them."
        )
    )
    if memory.pairs == PAIRS:
        st.caption(
            _("The French is written as the model reads it, without punctuation: *l eau* for *l'eau*.")
        )


def _name_unknown_words(memory: PageMemory, preset: Preset) -> None:
    """Name the words of held-out pairs that no training pair has, for the first of these pairs."""
    never_shown = set(memory.held_out)
    shown = [pair for pair in memory.complete_pairs if pair not in never_shown]
    if not shown:
        return
    kinds = with_token_kinds(preset.training, memory.complete_pairs)
    if "subword" in (kinds.source_tokens, kinds.target_tokens):
        return  # subwords spell new words
    tokenizers = learn_tokenizers(shown, preset.model, kinds)
    unknown = {pair: unknown_words(pair, tokenizers) for pair in memory.complete_pairs if pair in never_shown}
    notes = [
        f"{plain(pair.source)}: **{plain(', '.join(words))}**" for pair, words in unknown.items() if words
    ]
    if notes:
        shown_notes = notes[:_MAX_NOTES]
        if others := len(notes) - len(shown_notes):
            shown_notes.append(_("and {count} more").format(count=number(others, ",")))
        words = " · ".join(shown_notes)
        st.caption(_("Words that no training pair has: {words}").format(words=words))


def _ask_held_out(memory: PageMemory, seed: int) -> None:
    """Show the menu that holds out random pairs; ticks in the table change the selection."""
    percent = choose(
        _("Hold out"),
        {share: _(_TITLES[share]) if share in _TITLES else number(share / 100, ".0%") for share in _SHARES},
        key=_HELD_OUT,
        help=_(
            "Pairs that the model is not trained on. After each epoch it is evaluated on them, and it keeps the "
            "weights of the epoch with the lowest held-out loss. The seed draws them; or tick them in the table. Words "
            "that occur only in them are unknown to the model."
        ),
    )
    if percent == _BY_HAND or memory.table.drawn == (percent, seed):
        return
    drawn: tuple[Pair, ...] = ()
    try:
        drawn = hold_out(memory.complete_pairs, percent / 100, seed)[1] if percent else ()
    except InputError as error:
        show_problem(error)
        return
    if drawn != memory.held_out:
        memory.take_pairs(memory.pairs, drawn)
    memory.table.drawn = percent, seed


def _keep_file(
    memory: PageMemory, use_preset: Callable[[Preset], None], name: str, pairs: tuple[Pair, ...]
) -> None:
    """Replace the pairs to train on by those of a file, if it has any, and choose the preset for so many."""
    if not pairs:
        return
    check_number_of_pairs(pairs)
    replace_pairs(memory, pairs)
    use_preset(preset_for(len(pairs)))
    if len(pairs) >= HOLD_OUT_FROM:
        set_value(_HELD_OUT, 10)


def replace_pairs(memory: PageMemory, pairs: tuple[Pair, ...], held_out: tuple[Pair, ...] = ()) -> None:
    """Replace the pairs to train on, in a new table."""
    forget_reading(_FILE)
    memory.watched = ()
    if held_out or st.session_state.get(_HELD_OUT) == _BY_HAND:
        set_value(_HELD_OUT, _BY_HAND if held_out else 0)
    memory.take_pairs(pairs, held_out)


def _edit_pairs(memory: PageMemory) -> None:
    """Show the table of pairs to train on, and keep its content in the memory."""
    table = memory.table
    if table.rows is None or table.key not in st.session_state:
        held_out = set(memory.held_out)
        watched = set(memory.watched)
        rows = [(pair.source, pair.target, pair in held_out, pair in watched) for pair in memory.pairs]
        types = {"source": "object", "target": "object", "never": "bool", "watch": "bool"}
        table.rows = pd.DataFrame(rows, columns=list(types)).astype(types)
    edited = st.data_editor(
        table.rows,
        key=table.key,
        num_rows="dynamic",
        hide_index=True,
        height=_TABLE_HEIGHT,
        row_height=_ROW_HEIGHT,
        column_config={
            "source": st.column_config.TextColumn(_("Source (from)"), max_chars=500, width=138),
            "target": st.column_config.TextColumn(_("Target (to)"), max_chars=500, width=148),
            "never": st.column_config.CheckboxColumn(_("Never shown"), default=False, width=113),
            "watch": st.column_config.CheckboxColumn(_("Watch"), default=False, width=76),
        },
        alt=_("The sentence pairs to train on, and which are held out or watched"),
        on_change=_keep_ticks,
        args=(table.key,),
    )
    texts = edited[["source", "target"]].fillna("").astype(str)
    # An added row has no value yet.
    ticks = (edited[name].eq(True) for name in ("never", "watch"))
    typed = zip(texts["source"].str.strip(), texts["target"].str.strip(), *ticks, strict=True)
    kept = [(Pair(source, target), *ticked) for source, target, *ticked in typed if source or target]
    memory.pairs = tuple(pair for pair, *ticked in kept)
    complete = [each for each in kept if each[0].source and each[0].target]
    memory.held_out = tuple(dict.fromkeys(pair for pair, never, watch in complete if never))
    memory.watched = tuple(dict.fromkeys(pair for pair, never, watch in complete if watch))


def _keep_ticks(key: str) -> None:
    """Switch the menu to "By hand" after a tick in the table."""
    edits = st.session_state[key]
    added = any(row.get("never") for row in edits["added_rows"])
    if added or any("never" in row for row in edits["edited_rows"].values()):
        set_value(_HELD_OUT, _BY_HAND)

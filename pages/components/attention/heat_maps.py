"""The attention of a sentence as heat maps: all heads small, the chosen one large, with the menus that choose."""

from collections.abc import Callable, Hashable, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any, Literal, NamedTuple

import streamlit as st

from core.figures.plotly.attention import LONG, SHORT_ROLES, Screen, attention_figure
from core.language import N_, _, titled
from core.records.attention import AttentionKind, HeadMaps
from pages.components.attention.stage import EMPTY, HEADS, KIND, KIND_TITLES, ROLES, WORD
from pages.components.attention.weight_origin import ANCHOR
from pages.components.explaining.figure import PRESENTED, SCREEN, show_figure
from pages.components.frame.device import is_phone
from pages.components.frame.presenting import is_presenting, look_of_choice
from pages.components.widgets.component import draw_component
from pages.components.widgets.state import Linked, choose_linked, linked_choice, mirror

# A cell of the large map as "row.column", from 1; "" for none.
CELL = Linked("cell", "", N_("cell"), str, str)
# Whether the chosen head has the full width; if nobody said, the length of the sentence decides.
_ENLARGED: Linked[bool | None] = linked_choice(
    "enlarged", {"": None, "on": True, "off": False}, None, N_("size of the map")
)
_PROJECTED = (1200, 570)  # pixels of a figure in presenter mode
_PHONE_WIDTH = 330
_FIGURE = "heat_maps"  # its key


class ChosenMap(NamedTuple):
    """The large map, and a cell of it; numbers from 0."""

    kind: AttentionKind
    layer: int
    head: int | None  # None for the mean of the heads, and for rollout
    cell: tuple[int, int] | None  # row and column on screen, which may be words instead of tokens


class ChosenMaps(NamedTuple):
    """What of the maps of all heads is large and marked."""

    kind: AttentionKind
    maps: HeadMaps
    head: str  # its name
    word: str  # its name in the address, "" for none
    cell: tuple[int, int] | None
    is_enlarged: bool
    set_head: Callable[[str], None]


def choose_maps(kinds: Mapping[AttentionKind, HeadMaps], about: Hashable) -> ChosenMaps | None:
    """Show the menus of kind, head and word; return what is chosen, None if no token is shown.

    Args:
        kinds: the maps of each kind.
        about: the sentence and its rows and columns, to which a chosen cell belongs.
    """
    kind: AttentionKind = KIND.get()
    maps = kinds[kind]
    if not maps.rows or not maps.columns:
        _choose_kind_of(kind)
        st.info(_(EMPTY))
        return None
    head = next((each for each in HEADS.get().split(" ") if each in maps.ids), maps.first)
    words = _words(maps)
    word = WORD.get()
    if word not in words:
        word = ""
    size = _ENLARGED.get(about=_is_long(maps))
    is_enlarged = _is_long(maps) if size is None else size

    def set_head(head: str) -> None:
        HEADS.set("" if head == maps.first else head)

    cell = _place(CELL.get(about=(about, kind, head)), maps)

    width: Literal["content", "stretch"] = "content" if is_presenting() else "stretch"
    with st.container(horizontal=True, vertical_alignment="bottom", width=width):
        _choose_kind_of(kind)
        with _beside():
            _choose(HEADS, _("Head"), {name: maps.title(name) for name in maps.ids}, head, 236, set_head)
            _choose(WORD, _("Word"), {"": _("Mark a word"), **words}, word, 176)
            _offer_picture()
            if is_presenting():
                _offer_size(maps, is_enlarged)
        if cell is not None:  # what a click opens is below the figure, often out of sight
            why = _("Why?")
            st.markdown(f"[↓ {why}](#{ANCHOR})")
    return ChosenMaps(kind, maps, head, word, cell, is_enlarged, set_head)


def _is_long(maps: HeadMaps) -> bool:
    """Return whether the large map has the full width, if nobody has said."""
    return max(len(maps.rows), len(maps.columns)) > LONG


def _offer_size(maps: HeadMaps, is_enlarged: bool) -> None:
    """Show the switch that gives the large map the full width."""

    def resize(is_enlarged: bool) -> None:
        _ENLARGED.set(None if is_enlarged == _is_long(maps) else is_enlarged)

    st.toggle(_("Enlarge"), **mirror("maps_size", is_enlarged, resize))


def _beside() -> AbstractContextManager[object]:
    """Return where what is rarely changed goes: a click on the figure chooses, too."""
    if is_presenting():
        return st.popover("", icon=":material/select_all:", width="content", help=_("Head and word"))
    return nullcontext()


def show_heat_maps(chosen: ChosenMaps, caption: str) -> ChosenMap:
    """Show the chosen kind of attention; return the large map.

    Args:
        chosen: what is large and marked.
        caption: the sentence and its translation, for the picture.
    """
    kind, maps, head, word, cell, is_enlarged, set_head = chosen
    side, *number = word.split(".")
    figure = attention_figure(
        maps,
        head,
        caption,
        _screen(),
        word=(side, int(number[0]) - 1) if number else None,
        cell=cell,
        is_enlarged=is_enlarged,
    )
    alt = _("{attention}: {head}, and all heads as small maps").format(
        attention=_(maps.name), head=maps.title(head)
    )
    show_figure(figure, alt, key=_FIGURE, on_click=partial(_take_click, set_head))
    if not (is_presenting() or is_phone()):
        _offer_size(maps, is_enlarged)
    if legend := _legend(maps):
        st.caption(legend)
    if maps.notes:
        st.caption(" ".join(maps.notes))
    layer, number_of_map = maps.place(head)
    name = maps.names[number_of_map]
    return ChosenMap(kind, layer, int(name) - 1 if name.isdecimal() else None, cell)


def _offer_picture() -> None:
    """Show buttons that save the figure, as those of the linked words do."""
    html = '<div class="saving" role="group"></div>'
    draw_component("saving", html, {"figure": f"st-key-scrolled_{_FIGURE}"}, width="content")


def _legend(maps: HeadMaps) -> str:
    """Return what the words below the small maps mean."""
    found = {role for roles in maps.roles for role in roles}
    return " · ".join(
        titled(f"**{_(SHORT_ROLES.get(role, role))}**", meaning)
        for role, meaning in ROLES.items()
        if role in found
    )


def choose_cell(cell: tuple[int, int]) -> None:
    """Choose a cell of the large map; row and column are counted from 0."""
    row, column = cell
    CELL.set(f"{row + 1}.{column + 1}")


def _screen() -> Screen:
    if is_presenting():
        return Screen(*_PROJECTED, PRESENTED)
    return Screen(_PHONE_WIDTH, is_phone=True) if is_phone() else Screen(SCREEN)


def _choose_kind_of(kind: AttentionKind) -> None:
    titles = {str(each): _(title) for each, title in KIND_TITLES.items()}
    options: dict[str, Any] = {"look": look_of_choice(), "label_visibility": "collapsed"}
    if is_presenting():
        options["width"] = 230
    choose_linked(KIND, _("Attention"), titles, kind, keep=_change_kind, **options)


def _change_kind(kind: str) -> None:
    KIND.set(KIND.read(kind))
    HEADS.set("")
    WORD.set("")


def _choose(
    linked: Linked[str],
    label: str,
    titles: Mapping[str, str],
    shown: str,
    width: int,
    keep: Callable[[str], None] | None = None,
) -> None:
    """Show a menu of a width in pixels."""
    choose_linked(linked, label, titles, shown, keep=keep, label_visibility="collapsed", width=width)


def _words(maps: HeadMaps) -> dict[str, str]:
    """Return the words of the rows and columns by their names in the address: "row.3"."""
    sides = (("row", maps.row_title, maps.rows), ("column", maps.column_title, maps.columns))
    return {
        f"{side}.{number}": f"{word} ({_(title)})"
        for side, title, texts in sides
        for number, word in enumerate(texts, start=1)
    }


def _take_click(set_head: Callable[[str], None], clicked: object) -> None:
    """Choose the head of a small map, or a cell of the large one; a second click lets go of a cell."""
    what, *places = str(clicked).split(" ")
    place = " ".join(places)
    if what == "head":
        set_head(place)
    elif what == "cell":
        CELL.set("" if st.session_state.get(CELL.key) == place else place)


def _place(cell: str, maps: HeadMaps) -> tuple[int, int] | None:
    """Return row and column of a cell in an address, from 0; None if the large map has no such cell."""
    numbers = cell.split(".")
    if len(numbers) != 2 or not all(map(str.isdecimal, numbers)):
        return None
    row, column = map(int, numbers)
    place = row - 1, column - 1
    fits = 0 <= place[0] < len(maps.rows) and 0 <= place[1] < len(maps.columns)
    return place if fits else None

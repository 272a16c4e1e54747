"""Tokens with their ids: as chips, or as a table with a sentence per row. HTML with the page's text color."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal

from core.figures import theme
from core.figures.html.markup import element, style_of
from core.language import N_, _

Kind = Literal["word", "unknown", "pad", "start", "end"]
Place = tuple[int, int]  # row, column

_KIND_NAMES: dict[Kind, str] = {
    "word": N_("a token of the vocabulary"),
    "unknown": N_("unknown token: not in the vocabulary"),
    "pad": N_("padding token: fills up a row"),
    "start": N_("start token"),
    "end": N_("end token"),
}
_COLORS: dict[Kind, str] = {
    "word": theme.BLUE,
    "unknown": theme.VERMILLION,
    "pad": theme.GREY,
    "start": theme.GREEN,
    "end": theme.PURPLE,
}
_TOKEN_LENGTH = 18  # characters shown of a token

_STYLE = style_of(
    "id_table",
    "".join(
        f".ids .{kind} {{ background: {color}2e; border-color: {color}; }}\n"
        for kind, color in _COLORS.items()
    ),
)


@dataclass(frozen=True)
class IdCell:
    """A token and its id, as plain text."""

    token: str  # as in the text, also if it is unknown and the model sees only the id
    id: int
    kind: Kind


def kinds_of(rows: Sequence[Sequence[IdCell]]) -> tuple[Kind, ...]:
    """Return the different kinds of cells, in the order of KIND_NAMES."""
    found = {cell.kind for row in rows for cell in row}
    return tuple(kind for kind in _KIND_NAMES if kind in found)


def id_table_html(
    name: str,
    row_labels: Sequence[str],
    rows: Sequence[Sequence[IdCell]],
    now: Collection[Place] = (),
    later: Collection[Place] = (),
) -> str:
    """Draw sentences as rows of ids, a column per position; on a phone, rows become columns.

    Args:
        name: title above the table.
        row_labels: a label for each row.
        rows: cells of each row, which may differ in length.
        now: cells to frame.
        later: cells to draw pale.
    """
    marks = dict.fromkeys(later, " later") | dict.fromkeys(now, " now")
    longest = max(map(len, rows), default=0)
    head = [
        element("th", text, role="columnheader", style=_at(0, column))
        for column, text in enumerate([escape(_("position")), *map(str, range(longest))])
    ]
    body = []
    for row, (label, cells) in enumerate(zip(row_labels, rows, strict=True)):
        line = [element("th", escape(label), role="rowheader", style=_at(row + 1, 0))]
        for column, cell in enumerate(cells):
            classes = f"id {cell.kind}{marks.get((row, column), '')}"
            place = _at(row + 1, column + 1)
            line.append(element("td", _content(cell), role="cell", class_=classes, style=place))
        body.append(element("tr", *line, role="row"))
    above = element("thead", element("tr", *head, role="row"))
    # Roles, since browsers take no grid for a table.
    table = element("table", above, element("tbody", *body), role="table")
    return _STYLE + element("div", element("p", escape(name)), table, class_="ids")


def id_chips_html(cells: Sequence[IdCell], now: int | None = None) -> str:
    """Draw a sentence as chips in one or more lines, with the chip `now` framed."""
    return _chips(
        [
            element("div", _content(cell), class_=f"id {cell.kind}{' now' if place == now else ''}")
            for place, cell in enumerate(cells)
        ]
    )


def legend_html(kinds: Sequence[Kind]) -> str:
    """Draw a legend of the colors."""
    return _chips([element("span", escape(_(_KIND_NAMES[kind])), class_=f"key {kind}") for kind in kinds])


def _chips(chips: Sequence[str]) -> str:
    return _STYLE + element("div", element("div", *chips, class_="chips"), class_="ids")


def _at(row: int, column: int) -> str:
    """Return a cell's place in the grid as CSS variables, so that a phone can swap rows and columns."""
    return f"--row: {row + 1}; --column: {column + 1}"


def _content(cell: IdCell) -> str:
    return element("b", str(cell.id)) + element("span", escape(theme.shortened(cell.token, _TOKEN_LENGTH)))

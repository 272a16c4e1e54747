"""Tokens above their ids: chips, or a table with a sentence a row. HTML that takes its text color from the page."""

from __future__ import annotations

import html
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from core.figures import theme

Kind = Literal["word", "unknown", "pad", "start", "end"]
Place = tuple[int, int]  # row, column

KIND_NAMES: dict[Kind, str] = {
    "word": "a token of the vocabulary",
    "unknown": "unknown token: not in the vocabulary",
    "pad": "padding token: fills up a row",
    "start": "start token",
    "end": "end token",
}
_COLORS: dict[Kind, str] = {
    "word": theme.BLUE,
    "unknown": theme.VERMILLION,
    "pad": theme.GREY,
    "start": theme.GREEN,
    "end": theme.PURPLE,
}
_TOKEN_LENGTH = 18  # characters of a token that are shown

_STYLE = (
    """<style>
.ids p { padding: 0 0 0.2rem 4px; margin: 0; font-weight: 600; }
.ids table { display: grid; gap: 4px; justify-content: start; overflow-x: auto; }
.ids :is(thead, tbody, tr) { display: contents; }
.ids :is(th, td) { grid-row: var(--row); grid-column: var(--column); border: none; }
.ids th { font-weight: 400; padding: 0.1rem 0.4rem; text-align: center; align-self: center; }
.ids tbody th { text-align: left; white-space: nowrap; padding-right: 0.8rem; }
.ids .id { border-radius: 6px; border: 2px solid; padding: 0.25rem 0.5rem; text-align: center; min-width: 3.6rem;
  box-sizing: border-box; }
.ids .id b { display: block; font-size: 1.15rem; font-variant-numeric: tabular-nums; }
.ids .id span { display: block; font-size: 0.92rem; overflow-wrap: anywhere; }
.ids .now { outline: 3px solid currentColor; outline-offset: -1px; }
.ids .later { opacity: 0.7; background: none; border-color: #808080; }
.ids .chips { display: flex; flex-wrap: wrap; gap: 0.4rem; margin: 0.3rem 0 0.8rem; }
.ids .key { border-radius: 6px; border: 2px solid; padding: 0.05rem 0.5rem; font-size: 0.95rem; }
"""
    + "".join(
        f".ids .{kind} {{ background: {color}2e; border-color: {color}; }}\n"
        for kind, color in _COLORS.items()
    )
    + """.ids .pad { border-style: dashed; }
@media (max-width: 700px) { .ids table { gap: 3px; grid-auto-columns: minmax(0, 1fr); }
  .ids :is(th, td) { grid-row: var(--column); grid-column: var(--row); }
  .ids .id { min-width: 0; padding: 0.2rem 0.25rem; }
  .ids tbody th { padding-right: 0.2rem; white-space: normal; } }
</style>"""
)


@dataclass(frozen=True)
class IdCell:
    """One token and its id. All text is plain."""

    token: str  # as the text has it; an unknown one keeps its letters, though a model sees only the id
    id: int
    kind: Kind


def kinds_of(rows: Sequence[Sequence[IdCell]]) -> tuple[Kind, ...]:
    """Return the kinds of some cells, each once, in the order of KIND_NAMES."""
    found = {cell.kind for row in rows for cell in row}
    return tuple(kind for kind in KIND_NAMES if kind in found)


def id_table_html(
    name: str,
    row_labels: Sequence[str],
    rows: Sequence[Sequence[IdCell]],
    now: Collection[Place] = (),
    later: Collection[Place] = (),
) -> str:
    """Draw sentences as rows of ids, one position a column; on a phone rows become columns, so that a long one fits.

    Args:
        name: above the table.
        row_labels: what each row is.
        rows: of cells; shorter rows have nothing at their ends.
        now: cells to frame.
        later: cells to make pale.
    """
    marks = dict.fromkeys(later, " later") | dict.fromkeys(now, " now")
    columns = "".join(
        f'<th role="columnheader" {_at(0, column + 1)}>{column}</th>'
        for column in range(max(map(len, rows), default=0))
    )
    body = "".join(
        f'<tr role="row"><th role="rowheader" {_at(row + 1, 0)}>{html.escape(label)}</th>'
        + "".join(
            f'<td role="cell" class="id {cell.kind}{marks.get((row, column), "")}" {_at(row + 1, column + 1)}>'
            f"{_content(cell)}</td>"
            for column, cell in enumerate(cells)
        )
        + "</tr>"
        for row, (label, cells) in enumerate(zip(row_labels, rows, strict=True))
    )
    return (
        f'{_STYLE}<div class="ids"><p>{html.escape(name)}</p><table role="table"><thead><tr role="row">'
        f'<th role="columnheader" {_at(0, 0)}>position</th>{columns}</tr></thead><tbody>{body}</tbody></table></div>'
    )


def id_chips_html(cells: Sequence[IdCell], now: int | None = None) -> str:
    """Draw a sentence as chips, which go on below where a line is full.

    Args:
        cells: in their order.
        now: the place of one to frame.
    """
    chips = "".join(
        f'<div class="id {cell.kind}{" now" if place == now else ""}">{_content(cell)}</div>'
        for place, cell in enumerate(cells)
    )
    return f'{_STYLE}<div class="ids"><div class="chips">{chips}</div></div>'


def legend_html(kinds: Sequence[Kind]) -> str:
    """Say what the colors mean."""
    keys = "".join(f'<span class="key {kind}">{KIND_NAMES[kind]}</span>' for kind in kinds)
    return f'{_STYLE}<div class="ids"><div class="chips">{keys}</div></div>'


def _at(row: int, column: int) -> str:
    """A place in the grid; as a variable, so that a phone can swap the two."""
    return f'style="--row: {row + 1}; --column: {column + 1}"'


def _content(cell: IdCell) -> str:
    return f"<b>{cell.id}</b><span>{html.escape(theme.shortened(cell.token, _TOKEN_LENGTH))}</span>"

"""Tokens with their ids: as chips, or as a table with a sentence per row. HTML with the page's text color."""

from __future__ import annotations

import html
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from core.figures import theme

Kind = Literal["word", "unknown", "pad", "start", "end"]
Place = tuple[int, int]  # row, column

_KIND_NAMES: dict[Kind, str] = {
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
_TOKEN_LENGTH = 18  # characters shown of a token

_CSS = (Path(__file__).parent / "id_table.css").read_text(encoding="utf-8")
_KINDS_CSS = "".join(
    f".ids .{kind} {{ background: {color}2e; border-color: {color}; }}\n" for kind, color in _COLORS.items()
)
_STYLE = f"<style>{_CSS}{_KINDS_CSS}</style>"


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
    """Draw a sentence as chips in one or more lines, with the chip `now` framed."""
    chips = "".join(
        f'<div class="id {cell.kind}{" now" if place == now else ""}">{_content(cell)}</div>'
        for place, cell in enumerate(cells)
    )
    return f'{_STYLE}<div class="ids"><div class="chips">{chips}</div></div>'


def legend_html(kinds: Sequence[Kind]) -> str:
    """Draw a legend of the colors."""
    keys = "".join(f'<span class="key {kind}">{_KIND_NAMES[kind]}</span>' for kind in kinds)
    return f'{_STYLE}<div class="ids"><div class="chips">{keys}</div></div>'


def _at(row: int, column: int) -> str:
    """Return a cell's place in the grid as CSS variables, so that a phone can swap rows and columns."""
    return f'style="--row: {row + 1}; --column: {column + 1}"'


def _content(cell: IdCell) -> str:
    return f"<b>{cell.id}</b><span>{html.escape(theme.shortened(cell.token, _TOKEN_LENGTH))}</span>"

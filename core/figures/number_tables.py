"""Small tables of numbers beside each other, with cells marked: HTML that takes its text color from the page."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from core.figures import theme

Mark = Literal["now", "read", "hidden"]
Place = tuple[int, int]  # row, column

HEAD_COLORS = (theme.BLUE, theme.VERMILLION, theme.GREEN, theme.PURPLE)

_STYLE = f"""<style>
.number-tables {{ display: flex; flex-wrap: wrap; gap: 1.2rem 1.6rem; align-items: flex-end; margin: 0.4rem 0 1rem;
  overflow-x: auto; }}
.number-tables table {{ border-collapse: separate; border-spacing: 3px; }}
.number-tables caption {{ text-align: left; padding: 0 0 0.2rem 3px; font-weight: 600; white-space: nowrap; }}
.number-tables th {{ font-weight: 400; padding: 0.15rem 0.4rem; text-align: center; }}
.number-tables td {{ min-width: 3.3rem; padding: 0.35rem 0.5rem; text-align: right; border-radius: 4px;
  background: rgba(128, 128, 128, 0.14); font-variant-numeric: tabular-nums; font-size: 1.05rem; white-space: nowrap; }}
.number-tables td.read {{ box-shadow: inset 0 0 0 3px {theme.VERMILLION}; }}
.number-tables td.now {{ background: {theme.DARK_VERMILLION}; color: {theme.WHITE}; font-weight: 700; }}
.number-tables td.hidden {{ text-align: center; }}
@media (max-width: 700px) {{ .number-tables {{ gap: 0.8rem 1rem; }}
  .number-tables td {{ min-width: 2.9rem; padding: 0.3rem 0.3rem; font-size: 1rem; }} }}
</style>"""


@dataclass(frozen=True)
class NumberTable:
    """One table. All text is plain."""

    name: str
    cells: tuple[tuple[float, ...], ...]
    row_labels: tuple[str, ...]
    column_labels: tuple[str, ...]
    marks: Mapping[Place, Mark] = field(default_factory=dict)
    column_colors: tuple[str, ...] = ()  # one for each column, or none at all


def number_table(
    name: str,
    values: ArrayLike,
    rows: str | Sequence[str],
    columns: str | Sequence[str],
    marks: Mapping[Place, Mark] | None = None,
    column_colors: Sequence[str] = (),
) -> NumberTable:
    """Name the rows and columns of a matrix.

    Args:
        name: above the table.
        values: shape (rows, columns).
        rows: a label for each, or a letter to number them with.
        columns: a label for each, or a letter to number them with.
        marks: of some cells.
        column_colors: behind each column.
    """
    matrix = np.asarray(values, np.float64)
    cells = tuple(tuple(row) for row in matrix.tolist())
    row_labels, column_labels = (
        tuple(numbered(label, count)) if isinstance(label, str) else tuple(label)
        for label, count in zip((rows, columns), matrix.shape, strict=True)
    )
    return NumberTable(name, cells, row_labels, column_labels, dict(marks or {}), tuple(column_colors))


def numbered(letter: str, count: int) -> list[str]:
    """Like x₁, x₂, x₃; one alone is x."""
    if count == 1:
        return [letter]
    digits = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
    return [f"{letter}{str(number).translate(digits)}" for number in range(1, count + 1)]


def number_text(value: float) -> str:
    """A number that fits into a cell: four figures, a true minus sign, powers of ten where it is huge."""
    if value == 0 or 1e-3 <= abs(value) < 1e5:
        places = 3 if abs(value) < 10 else 2 if abs(value) < 100 else 1
        text = f"{value:.{places}f}".rstrip("0").rstrip(".")
    else:
        mantissa, _, power = f"{value:.1e}".partition("e")
        text = f"{mantissa.removesuffix('.0')}e{int(power)}"
    return "0" if text in ("-0", "0") else with_true_minus(text)


def with_true_minus(number: str) -> str:
    """A number with − for the hyphen that programs write."""
    return number.replace("-", "−")


def number_tables_html(rows: Sequence[Sequence[NumberTable]]) -> str:
    """Draw rows of tables; where a row does not fit, as on a phone, its tables go on below."""
    lines = ("".join(_table(table) for table in row) for row in rows)
    return _STYLE + "".join(f'<div class="number-tables">{line}</div>' for line in lines)


def _table(table: NumberTable) -> str:
    head = "".join(f'<th scope="col">{html.escape(label)}</th>' for label in table.column_labels)
    body = "".join(
        f'<tr><th scope="row">{html.escape(label)}</th>'
        + "".join(_cell(table, row, column, value) for column, value in enumerate(cells))
        + "</tr>"
        for row, (label, cells) in enumerate(zip(table.row_labels, table.cells, strict=True))
    )
    return (
        f"<table><caption>{html.escape(table.name)}</caption><thead><tr><td style='all: unset'></td>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )


def _cell(table: NumberTable, row: int, column: int, value: float) -> str:
    mark = table.marks.get((row, column))
    color = ""
    if table.column_colors and mark is None:
        color = f' style="background: {table.column_colors[column]}44"'
    text = "·" if mark == "hidden" else number_text(value)
    return f"<td{f' class={mark}' if mark else ''}{color}>{text}</td>"

"""Small tables of numbers side by side, with marked cells. HTML with the page's text color."""

import math
from collections.abc import Collection, Mapping, Sequence
from html import escape
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Floats, Reals
from core.figures import theme
from core.figures.html.markup import element, style_of
from core.language import _, language, number
from core.theory.embedding import one_hot

Mark = Literal["now", "read", "hidden"]
Place = tuple[int, int]  # row, column
Look = Literal["", "dense", "dense medium", "dense small"]  # with narrower gaps; also with smaller letters

_MOST_DECIMALS = 3
_NEIGHBOURS = 2  # entries of the vocabulary shown on either side of a token

_STYLE = style_of(
    "number_tables",
    f"""
.number-tables td.read {{ box-shadow: inset 0 0 0 3px {theme.VERMILLION}; }}
.number-tables td.now {{ background: {theme.DARK_VERMILLION}; color: {theme.WHITE}; }}
@keyframes number-changed {{
  0%, 60% {{ background: {theme.DARK_VERMILLION}; color: {theme.WHITE}; }}
  61% {{ background: {theme.VERMILLION}55; color: inherit; }}
}}
""",
)


def number_table(
    name: str,
    values: ArrayLike,
    rows: str | Sequence[str],
    columns: str | Sequence[str],
    marks: Mapping[Place, Mark] | None = None,
    column_colors: Sequence[str] = (),
    changed: Collection[Place] = (),
    turn: int = 0,
    is_idle: bool = False,
    weights: Collection[int] = (),
    by_column: bool = False,
) -> str:
    """Return one table as HTML, for `number_tables_html`. All text is plain, and escaped here.

    All its numbers have the same decimals, or all of a column.

    Args:
        name: caption above the table.
        values: shape (rows, columns).
        rows: a label for each row, or a letter to number them with.
        columns: a label for each column, or a letter to number them with.
        marks: marks of some cells.
        column_colors: a background color for each column, or none at all.
        changed: cells that light up once.
        turn: when they do; those of turn 0 are the first.
        is_idle: whether a phone leaves the table out.
        weights: the columns of attention weights, whose cells have their colors.
        by_column: whether each column has decimals of its own.
    """
    matrix = np.asarray(values, np.float64)
    row_labels, column_labels = (
        numbered(labels, count) if isinstance(labels, str) else labels
        for labels, count in zip((rows, columns), matrix.shape, strict=True)
    )
    colors = column_colors or [""] * matrix.shape[1]
    head = ""
    if any(column_labels):
        titles = [element("th", escape(label), scope="col") for label in column_labels]
        head = element("thead", element("tr", element("td", style="all: unset"), *titles))
    texts = _column_texts(matrix) if by_column else _table_texts(matrix)
    body = []
    for row, (label, values_of_row) in enumerate(zip(row_labels, matrix.tolist(), strict=True)):
        cells = [
            _cell(
                texts[row][column],
                (marks or {}).get((row, column)),
                _shade(value) if column in weights else f"background: {color}44" if color else "",
                (row, column) in changed,
            )
            for column, (value, color) in enumerate(zip(values_of_row, colors, strict=True))
        ]
        body.append(element("tr", element("th", escape(label), scope="row"), *cells))
    style = f"--turn: {turn}" if turn else ""
    caption = element("caption", escape(name))
    classes = "idle" if is_idle else ""
    return element("table", caption, head, element("tbody", *body), class_=classes, style=style)


def number_tables_html(rows: Sequence[Sequence[str]], look: Look = "", flowing: int | None = None) -> str:
    """Draw rows of tables; a row that does not fit wraps, as on a phone.

    The row with the number `flowing` has an arrow from each table to the next.
    """
    looks = [f"{look} flow" if place == flowing else look for place in range(len(rows))]
    return _STYLE + "".join(
        element("div", *row, class_=f"number-tables {own}".strip())
        for row, own in zip(rows, looks, strict=True)
    )


def one_hot_html(token_id: int, matrix: Floats, tokens: Sequence[str], channels: int) -> str:
    """Draw a one-hot row, the embedding matrix around the row that it selects, and their product."""
    vocab_size, width = matrix.shape
    row = one_hot(token_id, vocab_size)
    first = max(0, min(token_id - _NEIGHBOURS, vocab_size - 2 * _NEIGHBOURS - 1))
    entries = list(range(first, min(vocab_size, first + 2 * _NEIGHBOURS + 1)))
    columns = [str(channel) for channel in range(min(channels, width))]
    labels = [f"{number(entry, ',')} {theme.shortened(tokens[entry])}" for entry in entries]
    own_row = entries.index(token_id)
    selected: dict[Place, Mark] = {(own_row, channel): "read" for channel in range(len(columns))}
    result: dict[Place, Mark] = {(0, channel): "now" for channel in range(len(columns))}
    name = [labels[own_row]]
    numbers = [number(entry, ",") for entry in entries]
    part = _("One-hot: entries {first} to {last} of {count}").format(
        first=numbers[0], last=numbers[-1], count=number(vocab_size, ",")
    )
    whole = _("× the embedding matrix: {rows} × {columns}").format(
        rows=number(vocab_size, ","), columns=number(width, ",")
    )
    scaled = _("× √{width} = {factor}: what the positions are added to").format(
        width=width, factor=number(math.sqrt(width), ".4g")
    )
    vector = row @ matrix
    tables = (
        number_table(part, [row[entries]], [""], numbers, {(0, own_row): "now"}),
        number_table(whole, matrix[entries, :channels], labels, columns, selected),
        number_table(_("= the vector"), [vector[:channels]], name, columns, result),
        number_table(scaled, [vector[:channels] * math.sqrt(width)], name, columns),
    )
    return number_tables_html([[table] for table in tables])


def numbered(letter: str, count: int) -> list[str]:
    """Return labels such as x₁, x₂, x₃, or x for a single one."""
    if count == 1:
        return [letter]
    digits = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
    return [f"{letter}{str(place).translate(digits)}" for place in range(1, count + 1)]


def number_text(value: float) -> str:
    """Format a number for a cell: three digits or more, powers of ten for large and small numbers."""
    return language().number(plain_text(value)).replace("e-", "e−")


def plain_text(value: float) -> str:
    """Format a number as `number_text` does, in characters that `float` reads."""
    if value == 0 or 1e-3 <= abs(value) < 1e5:
        power = math.floor(math.log10(abs(value))) if value else 0
        places = 2 - power if power < 0 else max(1, 3 - power)
        text = _without_zeros(f"{value:.{places}f}")
    else:
        mantissa, exponent = f"{value:.2e}".split("e")
        text = f"{_without_zeros(mantissa)}e{int(exponent)}"
    return "0" if text in ("-0", "0") else text


def _without_zeros(written: str) -> str:
    """Return a number without the zeros at the end of its fraction."""
    return written.rstrip("0").rstrip(".")


def _table_texts(values: Reals) -> list[list[str]]:
    """Return a table's numbers with the same decimals, those that `number_text` needs but at most three."""
    texts = [[plain_text(value) for value in row] for row in values.tolist()]
    places = min(
        _MOST_DECIMALS,
        max((len(text.partition(".")[2]) for row in texts for text in row if "e" not in text), default=0),
    )
    return [
        [
            number_text(value) if "e" in text else number(value, f"z.{places}f")
            for text, value in zip(row, numbers, strict=True)
        ]
        for row, numbers in zip(texts, values.tolist(), strict=True)
    ]


def _column_texts(values: Reals) -> list[list[str]]:
    """Return a table's numbers, those of a column with the same decimals."""
    columns = [_table_texts(column[:, None]) for column in values.T]
    return [[text for (text,) in row] for row in zip(*columns, strict=True)]


def _shade(weight: float) -> str:
    """Return the style of a cell with an attention weight."""
    step = round(weight * (len(theme.SHADES["light"]) - 1))
    ground = f"background: light-dark({theme.SHADES['light'][step]}, {theme.SHADES['dark'][step]})"
    return f"{ground}; color: {'white' if weight > theme.STRONG else 'light-dark(black, white)'}"


def _cell(text: str, mark: Mark | None, style: str, has_changed: bool) -> str:
    classes = " ".join(filter(None, (mark, "changed" if has_changed else "")))
    return element(
        "td",
        "·" if mark == "hidden" else text,
        class_=classes,
        style=style if mark in (None, "read") else "",
    )

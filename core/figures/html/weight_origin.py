"""How one attention weight came about: the vectors, their products, the scores, the softmax, and what the head takes."""

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

import numpy as np

from core.arrays import Bools, Reals
from core.figures import theme
from core.figures.html.attention_steps import equals, in_brackets, latex_number
from core.figures.html.markup import element, style_of
from core.figures.html.number_tables import number_text
from core.language import _
from core.records.analysis import HeadNumbers

_SHOWN_PRODUCTS = 3  # of the K products of a score
_TERMS_PER_LINE = 2  # as many as fit on a phone
_NEARLY_ONE = 0.9995  # is shown as 1.000
_NEARLY_EQUAL = 0.02  # largest difference of a row's weights that counts as none

_STYLE = style_of(
    "weight_origin",
    f"""
.weight-origin tr {{ --color: {theme.BLUE}; }}
.weight-origin [aria-current] {{ --color: {theme.VERMILLION}; }}
""",
)


class Calculation(NamedTuple):
    """One step of a calculation."""

    saying: str  # plain text
    latex: str


def calculations(numbers: HeadNumbers, row: int, column: int) -> tuple[Calculation, ...]:
    """Return the calculation of one weight and of what the head takes; row and column are counted from 0."""
    row_token = numbers.rows[row]
    column_token = numbers.columns[column]
    steps = numbers.steps
    width = steps.keys.shape[1]
    score, scaled, weight = (table[row, column] for table in (steps.scores, steps.scaled, steps.weights))
    is_allowed = bool(numbers.mask[row, column])
    norm = float(np.linalg.norm(steps.values[column]))
    about_score = _("The score: the query of “{row}” times the key of “{column}”, number by number.").format(
        row=row_token, column=column_token
    )
    if width > _SHOWN_PRODUCTS:
        about_score += " " + _("These {count} of {width} products are the furthest from 0.").format(
            count=_SHOWN_PRODUCTS, width=width
        )
    return (
        Calculation(
            about_score,
            _sum_of_products(steps.queries[row], steps.keys[column], score),
        ),
        Calculation(
            _("Divided by √d_k; each head has d_k = {width} numbers.").format(width=width),
            rf"\frac{{{latex_number(score)}}}{{\sqrt{{{width}}}}} {equals(score, scaled)} {latex_number(scaled)}",
        ),
        Calculation(_about_the_mask(numbers, row, column), _with_mask(scaled, is_allowed)),
        Calculation(
            _(
                "The softmax: e to the power of this score, as a share of the whole row. "
                "The row's largest score is subtracted first, which changes no share."
            ),
            _softmax(numbers, row, column),
        ),
        Calculation(
            _(
                "What the head takes from “{token}”: the weight times its value, a vector of this length."
            ).format(token=column_token),
            rf"\lVert {latex_number(weight)} \cdot v \rVert = {latex_number(weight)} \cdot {latex_number(norm)} "
            rf"\approx {latex_number(weight * norm)}",
        ),
    )


def remark(numbers: HeadNumbers, row: int, column: int) -> str:
    """Return a sentence about a row or a weight at the end of the scale; empty for all others."""
    allowed = numbers.mask[row]
    weights = numbers.steps.weights[row, allowed]
    count = len(weights)
    if not allowed[column]:
        return _(
            "A computer rounds e to the power of −1e9 to 0, so a masked weight is exactly 0, whatever its score was."
        )
    if count == 1:
        return _("There is only one key to attend to, so its weight is 1, whatever its score is.")
    if weights.max() - weights.min() < _NEARLY_EQUAL / count:
        return _(
            "All scores of this row are nearly the same, so each of {count} weights is about 1/{count}."
        ).format(count=count)
    if numbers.steps.weights[row, column] >= _NEARLY_ONE:
        scaled = np.sort(numbers.steps.scaled[row, allowed])
        return _(
            "The next score is lower by {difference}. The softmax turns such a difference into nearly everything and "
            "nearly nothing."
        ).format(difference=number_text(scaled[-1] - scaled[-2]))
    return ""


def weight_origin_html(numbers: HeadNumbers, row: int, column: int) -> str:
    """Draw the vectors of both tokens as strips, and below them the whole row as a table, with the page's text color."""
    parts = (_strips(numbers, row, column), _row_table(numbers, row, column))
    return _STYLE + element("div", *parts, class_="weight-origin")


def _strips(numbers: HeadNumbers, row: int, column: int) -> str:
    """Return what the layer reads of both tokens, and this head's query, key and their products.

    The colors of each pair of strips, and of the products, go up to the largest number in it.
    """
    row_token = theme.shortened(numbers.rows[row])
    column_token = theme.shortened(numbers.columns[column])
    steps = numbers.steps
    query_and_key = np.stack([steps.queries[row], steps.keys[column]])
    states = np.stack([numbers.row_vectors[row], numbers.column_vectors[column]])
    width = steps.keys.shape[1]
    signs = element("span", _("blue below zero, orange above"))
    return element(
        "div",
        element("p", _("What the layer reads: {count} numbers each").format(count=states.shape[1]), signs),
        _strips_of(states, (row_token, column_token)),
        element("p", _("Query and key in this head: {count} numbers each").format(count=width)),
        _strips_of(
            query_and_key,
            (_("q of {token}").format(token=row_token), _("k of {token}").format(token=column_token)),
        ),
        _strips_of(query_and_key[:1] * query_and_key[1:], ("q × k",)),
        class_="strips",
    )


def _strips_of(vectors: Reals, labels: Sequence[str]) -> str:
    """Return a strip for each row of `vectors`, a colored cell for each number."""
    strips = []
    for label, values, shares in zip(labels, vectors.tolist(), _relative(vectors).tolist(), strict=True):
        cells = [
            element(
                "i",
                style=f"background: {_signed_color(share)}",
                title=_("{label}, number {place}: {value}").format(
                    label=label, place=place, value=number_text(value)
                ),
            )
            for place, (value, share) in enumerate(zip(values, shares, strict=True), start=1)
        ]
        about = _("{label}: {count} numbers from {least} to {most}").format(
            label=label, count=len(values), least=number_text(min(values)), most=number_text(max(values))
        )
        strips.append(element("span", escape(label)))
        strips.append(element("div", *cells, class_="strip", role="img", aria_label=about))
    return "".join(strips)


def _signed_color(share: float) -> str:
    """Return the color of a share from -1 to 1 of the largest number, transparent at 0."""
    color = theme.BLUE if share < 0 else theme.VERMILLION
    return f"{color}{round(255 * abs(share)):02x}"


def _row_table(numbers: HeadNumbers, row: int, column: int) -> str:
    """Return a line for each token of a row: its score, its weight, and the norm of what the head takes from it."""
    steps = numbers.steps
    row_token = theme.shortened(numbers.rows[row])
    allowed = numbers.mask[row]
    weights = steps.weights[row]
    norms = weights * np.linalg.norm(steps.values, axis=1)
    columns = {
        _("Scores of “{token}”, divided by √{width}").format(
            token=row_token, width=steps.keys.shape[1]
        ): _cells(steps.scaled[row], allowed),
        _("Softmax: the weights"): _cells(weights),
        _("What the head takes: the norm of weight × value"): _cells(norms),
    }
    titles = [element("th", escape(title), scope="col") for title in (_("Token"), *columns)]
    lines = []
    for place, (token, *cells) in enumerate(zip(numbers.columns, *columns.values(), strict=True)):
        name = element("th", escape(theme.shortened(token)), scope="row")
        lines.append(
            element(
                "tr",
                name,
                *cells,
                class_="" if allowed[place] else "future",
                aria_current="true" if place == column else "",
            )
        )
    return element("table", element("thead", element("tr", *titles)), element("tbody", *lines))


def _cells(values: Reals, allowed: Bools | None = None) -> list[str]:
    """Return a table cell for each number, with a bar; a number that is not allowed has what the mask adds instead.

    The bars of a column begin at the same place, zero: those of negative numbers go to the left.
    """
    has_bar = np.ones(len(values), np.bool_) if allowed is None else allowed
    bars = np.where(has_bar, values, 0.0)
    low = min(0.0, float(bars.min()))
    span = max(0.0, float(bars.max())) - low or 1.0
    zero = -low / span
    cells = []
    for value, end, is_drawn in zip(values.tolist(), ((bars - low) / span).tolist(), has_bar, strict=True):
        ends = f"--from: {min(zero, end):.1%}; --to: {max(zero, end):.1%}; --zero: {zero:.1%}"
        note = "" if is_drawn else " " + element("span", escape(_("− 1e9: the future")))
        cells.append(element("td", element("b", number_text(value)), note, style=ends))
    return cells


def _relative(values: Reals) -> Reals:
    """Return values as shares of the largest, from -1 to 1."""
    return values / max(float(np.abs(values).max()), 1e-9)


def _sum_of_products(query: Reals, key: Reals, score: float) -> str:
    products = query * key
    largest = np.argsort(-np.abs(products), kind="stable")[:_SHOWN_PRODUCTS]
    shown_as = _("no.")
    terms = [
        rf"\underbrace{{{in_brackets(query[place])} \cdot {in_brackets(key[place])}}}_{{\text{{{shown_as} }}{place + 1}}}"
        for place in sorted(largest)
    ]
    if len(products) > len(terms):
        terms.append(r"\dots")
    lines = [
        " + ".join(terms[first : first + _TERMS_PER_LINE]) for first in range(0, len(terms), _TERMS_PER_LINE)
    ]
    below = r" \\ &\quad + ".join(lines)
    result = rf"\\ &\approx {latex_number(score)}"
    return rf"\begin{{aligned}} q \cdot k &\approx {below} {result} \end{{aligned}}"


def _about_the_mask(numbers: HeadNumbers, row: int, column: int) -> str:
    if not numbers.mask[row, column]:
        return _("The mask adds −1e9: “{token}” comes later, and the future is hidden.").format(
            token=numbers.columns[column]
        )
    if numbers.head.kind == "decoder":
        return _("The mask adds 0, because “{token}” is not in the future.").format(
            token=numbers.columns[column]
        )
    return _("The mask adds 0: it hides only padding, and a single sentence has none.")


def _with_mask(scaled: float, is_allowed: bool) -> str:
    shown = latex_number(scaled)
    return f"{shown} + 0 = {shown}" if is_allowed else rf"{shown} - 10^9 \approx -10^9"


def _softmax(numbers: HeadNumbers, row: int, column: int) -> str:
    scaled = numbers.steps.scaled[row]
    allowed = numbers.mask[row]
    highest = scaled[allowed].max()
    total = float(np.exp(scaled[allowed] - highest).sum())
    weight = numbers.steps.weights[row, column]
    if allowed[column]:
        own = float(np.exp(scaled[column] - highest))
        power = f"{latex_number(scaled[column])} - {in_brackets(highest)}"
    else:
        own = 0.0
        power = "-10^9"
    fraction = rf"\frac{{e^{{{power}}}}}{{\sum_j e^{{s_j - {in_brackets(highest)}}}}}"
    return rf"{fraction} \approx \frac{{{latex_number(own)}}}{{{latex_number(total)}}} \approx {latex_number(weight)}"

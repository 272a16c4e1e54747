"""How one attention weight came about: the vectors, their products, the scores, the softmax, and what the head takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from core.arrays import Reals
from core.figures import theme
from core.figures.attention_steps import equals, in_brackets, latex_number
from core.figures.heatmap import label_axis, signed_axis
from core.figures.lines import LinePanel, bars, stacked_figure
from core.figures.number_tables import number_text
from core.figures.theme import Figure, PlotlyTrace
from core.records.analysis import HeadNumbers

_SHOWN_PRODUCTS = 3  # of the K products of a score
_TERMS_PER_LINE = 2  # as many as fit on a phone
_NARROW_COLUMN = 15  # pixels, for a bar with its label upright
_NEARLY_ONE = 0.9995  # is shown as 1.000
_NEARLY_EQUAL = 0.02  # largest difference of a row's weights that counts as none


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
    return (
        Calculation(
            f"The score: the query of “{row_token}” times the key of “{column_token}”, number by number. "
            + _largest_products(width),
            _sum_of_products(steps.queries[row], steps.keys[column], score),
        ),
        Calculation(
            f"Divided by √d_k; each head has d_k = {width} numbers.",
            rf"\frac{{{latex_number(score)}}}{{\sqrt{{{width}}}}} {equals(score, scaled)} {latex_number(scaled)}",
        ),
        Calculation(_about_the_mask(numbers, row, column), _with_mask(scaled, is_allowed)),
        Calculation(
            "The softmax: e to the power of this score, as a share of the whole row. "
            "The row's largest score is subtracted first, which changes no share.",
            _softmax(numbers, row, column),
        ),
        Calculation(
            f"What the head takes from “{column_token}”: the weight times its value, a vector of this length.",
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
        return "e to the power of −1e9 is exactly 0, so a masked weight is exactly 0, whatever its score was."
    if count == 1:
        return "There is only one key to attend to, so its weight is 1, whatever its score is."
    if weights.max() - weights.min() < _NEARLY_EQUAL / count:
        return f"All scores of this row are nearly the same, so each of {count} weights is about 1/{count}."
    if numbers.steps.weights[row, column] >= _NEARLY_ONE:
        scaled = np.sort(numbers.steps.scaled[row, allowed])
        return (
            f"The next score is lower by {number_text(scaled[-1] - scaled[-2])}. The softmax turns such a difference "
            "into nearly everything and nearly nothing."
        )
    return ""


def vectors_figure(numbers: HeadNumbers, row: int, column: int) -> Figure:
    """Draw as strips what the layer reads of both tokens, and this head's query, key and their products.

    The colors of each pair of strips go up to its own largest number.

    Args:
        numbers: the numbers of the head.
        row: index of the token that attends.
        column: index of the token that it attends to.
    """
    row_token = theme.shortened(numbers.rows[row])
    column_token = theme.shortened(numbers.columns[column])
    steps = numbers.steps
    states = np.stack([numbers.row_vectors[row], numbers.column_vectors[column]])
    query_and_key = np.stack([steps.queries[row], steps.keys[column]])
    products = query_and_key[:1] * query_and_key[1:]
    panels = [
        _strips(f"What the layer reads: {states.shape[1]} numbers each", states, [row_token, column_token]),
        _strips(
            f"Query and key in this head: {steps.keys.shape[1]} numbers each",
            np.concatenate([_relative(query_and_key), _relative(products)]),
            [f"q of {row_token}", f"k of {column_token}", "q × k"],
            np.concatenate([query_and_key, products]),
        ),
    ]
    layout = {"coloraxis": {**signed_axis(1.0), "showscale": False}, "showlegend": False}
    return stacked_figure(panels, 380, 0.6, layout=layout)


def row_figure(numbers: HeadNumbers, row: int, column: int) -> Figure:
    """Draw one row: its scores, its weights, and the norm of what the head takes from each token.

    Args:
        numbers: the numbers of the head.
        row: index of the token that attends.
        column: index of the token whose bars are marked.
    """
    steps = numbers.steps
    row_token = numbers.rows[row]
    allowed = numbers.mask[row]
    colors = [theme.BLUE if each else theme.GREY for each in allowed]
    colors[column] = theme.VERMILLION
    places = list(range(len(numbers.columns)))
    norms = steps.weights[row] * np.linalg.norm(steps.values, axis=1)
    scores = [
        f"{number_text(score)}" + ("" if each else " − 1e9: the future")
        for score, each in zip(steps.scaled[row], allowed, strict=True)
    ]
    tables: tuple[tuple[str, Reals, Sequence[str]], ...] = (
        (f"Scores of “{row_token}”, divided by √{steps.keys.shape[1]}", steps.scaled[row], scores),
        ("Softmax: the weights", steps.weights[row], list(map(number_text, steps.weights[row]))),
        ("What the head takes: the norm of weight × value", norms, list(map(number_text, norms))),
    )
    panels = [
        LinePanel(theme.escaped(title), [_bars(numbers, places, values, texts, colors)], theme.axis(nticks=4))
        for title, values, texts in tables
    ]
    width = _NARROW_COLUMN * len(places)
    layout = {"showlegend": False, "meta": {"min_width": width}}
    return stacked_figure(panels, 480, 0.3, label_axis(numbers.columns, ""), layout)


def _bars(
    numbers: HeadNumbers,
    places: Sequence[int],
    values: Reals,
    texts: Sequence[str],
    colors: Sequence[str],
) -> PlotlyTrace:
    hover = [theme.escaped(f"{token}: {text}") for token, text in zip(numbers.columns, texts, strict=True)]
    return bars(places, values.tolist(), colors, "%{customdata}", customdata=hover)


def _strips(title: str, colors: Reals, labels: Sequence[str], values: Reals | None = None) -> LinePanel:
    """Return one strip for each row of numbers; `values` are what a cell shows, if other than its color."""
    shown = colors if values is None else values
    texts = [
        [
            theme.escaped(f"{label}, number {place}: {number_text(value)}")
            for place, value in enumerate(cells, 1)
        ]
        for label, cells in zip(labels, shown.tolist(), strict=True)
    ]
    trace: PlotlyTrace = {
        "type": "heatmap",
        "z": (colors if values is not None else _relative(colors)).round(3).tolist(),
        "x0": 1,
        "customdata": texts,
        "hovertemplate": "%{customdata}<extra></extra>",
        "coloraxis": "coloraxis",
        "ygap": 3,
    }
    rows = {**label_axis(labels, "", down=True), "fixedrange": True}
    return LinePanel(theme.escaped(title), [trace], rows, theme.axis(nticks=8, fixedrange=True))


def _relative(values: Reals) -> Reals:
    """Return values as shares of the largest, from -1 to 1."""
    return values / max(float(np.abs(values).max()), 1e-9)


def _largest_products(width: int) -> str:
    return "" if width <= _SHOWN_PRODUCTS else f"These are the largest {_SHOWN_PRODUCTS} of {width} products."


def _sum_of_products(query: Reals, key: Reals, score: float) -> str:
    products = query * key
    largest = np.argsort(-np.abs(products), kind="stable")[:_SHOWN_PRODUCTS]
    terms = [
        rf"\underbrace{{{in_brackets(query[place])} \cdot {in_brackets(key[place])}}}_{{\text{{no. }}{place + 1}}}"
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
        return f"The mask adds −1e9: “{numbers.columns[column]}” comes later, and the future is hidden."
    if numbers.head.kind == "decoder":
        return f"The mask adds 0, because “{numbers.columns[column]}” is not in the future."
    return "The mask adds 0: it hides only padding, and a single sentence has none."


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

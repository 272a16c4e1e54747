"""Attention cell by cell: each number in order, with its calculation."""

import math
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.arrays import Reals
from core.figures.html.number_tables import (
    HEAD_COLORS,
    Look,
    Mark,
    Place,
    number_table,
    number_tables_html,
    number_text,
)
from core.records.attention import AttentionSteps, Projection
from core.theory.attention_steps import MultiHeadSteps

STAGES = {"project": "1 Project", "split": "2 Split", "attend": "3 Attend", "join": "4 Concatenate"}

_NAMES = {
    "queries": "Queries: q = x W_Q",
    "keys": "Keys: k = x W_K",
    "values": "Values: v = x W_V",
    "scores": "Scores: q · k",
    "scaled": "Scaled: ÷ √d_k",
    "weights": "Softmax: attention weights",
    "outputs": "Output",
}
_LATEX_ESCAPES = str.maketrans(
    {sign: f"\\{sign}" for sign in "#$%&_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\n": " "}
)
_PRODUCTS_PER_LINE = 2  # as many as fit on a phone
# Queries, keys and values come first, at once.
_TURNS = {"scores": 1, "scaled": 2, "weights": 3, "outputs": 4}
# With more words, and with vectors, four tables need smaller letters to fit beside each other on a projector.
_WORDS_SIDE_BY_SIDE = 3
_KERNELS = {"queries": "query_kernel", "keys": "key_kernel", "values": "value_kernel"}
_LETTERS = {"queries": "q", "keys": "k", "values": "v", "outputs": "out"}


# A field of AttentionSteps or of its Projection, and a place in it.
_Cell = tuple[str, Place]


@dataclass(frozen=True)
class CellStep:
    """The calculation of one number."""

    table: str  # a field of AttentionSteps or of its Projection
    place: Place
    saying: str  # one plain sentence
    calculation: str  # LaTeX, with the numbers
    reads: tuple[_Cell, ...]  # the cells that it is computed from


def cell_steps(record: AttentionSteps, rows: Sequence[str], columns: Sequence[str]) -> tuple[CellStep, ...]:
    """Return the cells of a calculation, in the order in which they are computed."""
    parts = (_projections, _scores, _scaled, _weights, _outputs)
    return tuple(step for part in parts for step in part(record, rows, columns))


def attention_steps_html(
    record: AttentionSteps,
    rows: Sequence[str],
    columns: Sequence[str],
    steps: Sequence[CellStep] = (),
    number: int = 0,
    changed: Collection[_Cell] = (),
) -> str:
    """Draw all tables, or the tables after a number of steps, with dots for later numbers.

    Args:
        record: all numbers of the calculation.
        rows: a word for each query.
        columns: a word for each key.
        steps: all steps, from `cell_steps`, to draw the tables after one of them.
        number: number of the current step, from 1.
        changed: cells that light up, from `changed_cells`; those of later tables a little later.
    """
    marks: dict[str, dict[Place, Mark]] = defaultdict(dict)
    used = set(_NAMES)
    given = ""
    if steps:
        for step in steps[number:]:
            marks[step.table][step.place] = "hidden"
        now = steps[number - 1]
        for table, place in now.reads:
            marks[table][place] = "read"
        marks[now.table][now.place] = "now"
        used = {now.table, *(table for table, _ in now.reads)}
        if record.projection is not None:
            given = _draw_projection(record.projection, rows, marks, used)

    def draw(name: str) -> str:
        values = getattr(record, name)
        is_given = name in ("queries", "keys", "values")
        alone: str | Sequence[str] = [""] if values.shape[1] == 1 else "d"
        return number_table(
            name.capitalize() if record.projection is None and is_given else _NAMES[name],
            values,
            columns if name in ("keys", "values") else rows,
            columns if name in ("scores", "scaled", "weights") else alone,
            marks[name],
            changed=[
                place for table, place in changed if table == name and marks[name].get(place) != "hidden"
            ],
            turn=_TURNS.get(name, 0),
            is_idle=name not in used,
            weights=range(len(columns)) if name == "weights" else (),
        )

    lines = (("queries", "keys", "values"), ("scores", "scaled", "weights", "outputs"))
    look: Look = "dense"
    if len(columns) > _WORDS_SIDE_BY_SIDE:
        look = "dense small"
    elif record.values.shape[1] > 1:
        look = "dense medium"
    first, second = ([draw(name) for name in line] for line in lines)
    return number_tables_html([[given, *first], second], look, flowing=1)


def _draw_projection(
    projection: Projection, rows: Sequence[str], marks: Mapping[str, dict[Place, Mark]], used: Collection[str]
) -> str:
    """Return the tables of the words and of the weights W in use, or last used, for a calculation in steps."""
    kernel = next((name for name in _KERNELS.values() if name in used), "value_kernel")
    values = getattr(projection, kernel)
    width = len(values)
    alone: str | Sequence[str] = [""] if width == 1 else "d"
    is_idle = kernel not in used
    words = number_table("Words: x", projection.words, rows, alone, marks["words"], is_idle=is_idle)
    name = f"W_{kernel[0].upper()}"
    return words + number_table(name, values, alone, alone, marks[kernel], is_idle=is_idle)


def changed_cells(before: AttentionSteps, now: AttentionSteps) -> frozenset[_Cell]:
    """Return the cells that show another number than before; none if the tables have other shapes."""
    if before.queries.shape != now.queries.shape:
        return frozenset()
    return frozenset(
        (table, place)
        for table in _NAMES
        for place in _places(getattr(now, table))
        if number_text(getattr(before, table)[place]) != number_text(getattr(now, table)[place])
    )


def heads_html(record: MultiHeadSteps, words: Sequence[str], stage: str) -> str:
    """Draw one of the STAGES of multi-head attention; the words label the rows, and each head has a color."""
    heads = len(record.weights)
    width = record.words.shape[1]
    colors = [HEAD_COLORS[column * heads // width] for column in range(width)]
    if stage == "project":
        arrays = {
            "Queries Q = X W_Q": record.queries,
            "Keys K = X W_K": record.keys,
            "Values V = X W_V": record.values,
        }
        tables = [number_table(name, each, words, "d", None, colors) for name, each in arrays.items()]
        return number_tables_html([[number_table("Words X", record.words, words, "d")], tables])
    if stage == "join":
        joined = number_table("Concatenated", record.concatenated, words, "d", None, colors)
        mixed = number_table("Mixed by W_O: the output", record.mixed, words, "d")
        return number_tables_html([[joined, mixed]])
    if stage == "split":
        parts = {"queries": record.head_queries, "keys": record.head_keys, "values": record.head_values}
    else:
        parts = {"attention weights": record.weights, "output": record.head_outputs}

    def table(name: str, values: Reals, head: int) -> str:
        is_attention = name == "attention weights"
        columns = words if is_attention else "d"
        weights = range(len(words)) if is_attention else ()
        behind = [HEAD_COLORS[head]] * values.shape[1]
        return number_table(f"Head {head + 1}: {name}", values, words, columns, None, behind, weights=weights)

    return number_tables_html(
        [[table(name, each[head], head) for name, each in parts.items()] for head in range(heads)]
    )


def _projections(record: AttentionSteps, rows: Sequence[str], columns: Sequence[str]) -> Iterator[CellStep]:
    """Yield the steps to queries, keys and values, if these are not given."""
    made = record.projection
    if made is None:
        return
    for table, kernel_name in _KERNELS.items():
        kernel = getattr(made, kernel_name)
        letter = _LETTERS[table]
        words = rows if table == "queries" else columns
        found = getattr(record, table)
        for row, column in _places(found):
            says = f"{table.capitalize()}: “{words[row]}” times the weights W_{letter.upper()}."
            name = _name(letter, words[row], column, kernel.shape[1])
            latex = _sum(name, made.words[row], kernel[:, column], found[row, column])
            reads = [("words", (row, each)) for each in range(len(kernel))]
            reads += [(kernel_name, (each, column)) for each in range(len(kernel))]
            yield CellStep(table, (row, column), says, latex, tuple(reads))


def _scores(record: AttentionSteps, rows: Sequence[str], columns: Sequence[str]) -> Iterator[CellStep]:
    width = record.queries.shape[1]
    for row, column in _places(record.scores):
        says = f"Score: the dot product of the query of “{rows[row]}” and the key of “{columns[column]}”."
        name = rf"q_{{{latex_text(rows[row])}}} \cdot k_{{{latex_text(columns[column])}}}"
        latex = _sum(name, record.queries[row], record.keys[column], record.scores[row, column])
        reads = [("queries", (row, each)) for each in range(width)]
        reads += [("keys", (column, each)) for each in range(width)]
        yield CellStep("scores", (row, column), says, latex, tuple(reads))


def _scaled(record: AttentionSteps, rows: Sequence[str], columns: Sequence[str]) -> Iterator[CellStep]:
    width = record.keys.shape[1]
    for row, column in _places(record.scores):
        score = record.scores[row, column]
        scaled = record.scaled[row, column]
        says = f"Scaled: the score divided by √d_k, with d_k = {width}."
        latex = rf"\frac{{{latex_number(score)}}}{{\sqrt{{{width}}}}} {equals(score, scaled)} {latex_number(scaled)}"
        yield CellStep("scaled", (row, column), says, latex, (("scores", (row, column)),))


def _weights(record: AttentionSteps, rows: Sequence[str], columns: Sequence[str]) -> Iterator[CellStep]:
    for row, column in _places(record.weights):
        says = f"Softmax: the attention weight of “{rows[row]}” on “{columns[column]}”."
        scaled = record.scaled[row]
        weight = record.weights[row, column]
        powers = [f"e^{{{latex_number(score)}}}" for score in scaled]
        fraction = rf"\frac{{{powers[column]}}}{{{' + '.join(powers)}}}"
        reads = tuple(("scaled", (row, other)) for other in range(len(powers)))
        latex = f"{fraction} {equals(*scaled, weight)} {latex_number(weight)}"
        yield CellStep("weights", (row, column), says, latex, reads)


def _outputs(record: AttentionSteps, rows: Sequence[str], columns: Sequence[str]) -> Iterator[CellStep]:
    count = len(record.values)
    for row, column in _places(record.outputs):
        says = f"Output for “{rows[row]}”: the weighted mean of all values."
        name = _name(r"\mathrm{out}", rows[row], column, record.outputs.shape[1])
        latex = _sum(name, record.weights[row], record.values[:, column], record.outputs[row, column])
        reads = [("weights", (row, other)) for other in range(count)]
        reads += [("values", (other, column)) for other in range(count)]
        yield CellStep("outputs", (row, column), says, latex, tuple(reads))


def _places(table: Reals) -> Iterator[Place]:
    return ((row, column) for row, column in np.ndindex(table.shape))


def _sum(name: str, left: Reals, right: Reals, value: float) -> str:
    """Return a dot product with its numbers in LaTeX, with line breaks for a phone.

    It has "≈" where rounded numbers are shown, whose sum may differ a little.
    """
    terms = equals(*left, *right)
    result = equals(*left, *right, value)
    products = [rf"{in_brackets(a)} \cdot {in_brackets(b)}" for a, b in zip(left, right, strict=True)]
    if len(products) <= _PRODUCTS_PER_LINE:
        return f"{name} {terms} {' + '.join(products)} {result} {latex_number(value)}"
    firsts = range(0, len(products), _PRODUCTS_PER_LINE)
    lines = [" + ".join(products[first : first + _PRODUCTS_PER_LINE]) for first in firsts]
    below = r" \\ &\quad + ".join(lines)
    return rf"\begin{{aligned}} {name} &{terms} {below} {result} {latex_number(value)} \end{{aligned}}"


def _name(letter: str, word: str, column: int, width: int) -> str:
    text = latex_text(word)
    return rf"{letter}_{{{text}}}" if width == 1 else rf"{letter}_{{{text},{column + 1}}}"


def latex_text(word: str) -> str:
    """Return a token as text in LaTeX, with the signs that mean something there escaped."""
    return rf"\text{{{word.translate(_LATEX_ESCAPES)}}}"


def equals(*numbers: float) -> str:
    """Return the sign between two sides with these numbers: "=" if all are shown exactly, else "≈"."""
    exact = all(math.isclose(float(_plain(number)), number, abs_tol=1e-12) for number in numbers)
    return "=" if exact else r"\approx"


def _plain(value: float) -> str:
    """Return a number's text with a hyphen as its sign, for `float`."""
    return number_text(value).replace("−", "-")


def latex_number(value: float) -> str:
    """Return a number in LaTeX, with three digits or more."""
    text = _plain(value)
    mantissa, _, power = text.partition("e")
    return rf"{mantissa} \cdot 10^{{{power}}}" if power else mantissa


def in_brackets(value: float) -> str:
    """Return a number in LaTeX, a negative one in brackets."""
    return f"({latex_number(value)})" if value < 0 else latex_number(value)

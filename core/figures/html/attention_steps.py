"""Attention cell by cell: each number in order, with its calculation."""

import math
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.arrays import Reals
from core.figures import theme
from core.figures.html.number_tables import (
    Look,
    Mark,
    Place,
    number_table,
    number_tables_html,
    number_text,
    plain_text,
)
from core.language import N_, _, language
from core.records.attention import AttentionSteps, Projection
from core.theory.attention_steps import MultiHeadSteps

STAGES = {
    "project": N_("1 Project"),
    "split": N_("2 Split"),
    "attend": N_("3 Attend"),
    "join": N_("4 Concatenate"),
}

_NAMES = {
    "queries": N_("Queries: q = x W_Q"),
    "keys": N_("Keys: k = x W_K"),
    "values": N_("Values: v = x W_V"),
    "scores": N_("Scores: q · k"),
    "scaled": N_("Scaled: ÷ √d_k"),
    "weights": N_("Softmax: attention weights"),
    "outputs": N_("Output"),
}
_GIVEN = {"queries": N_("Queries"), "keys": N_("Keys"), "values": N_("Values")}  # without a projection
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
_OF_WEIGHTS = N_("Head {head}: attention weights")
_MADE = {  # how a vector comes about, by its table
    "queries": N_("Queries: “{word}” times the weights W_Q."),
    "keys": N_("Keys: “{word}” times the weights W_K."),
    "values": N_("Values: “{word}” times the weights W_V."),
}
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
        used = {now.table, *(table for table, place in now.reads)}
        if record.projection is not None:
            given = _draw_projection(record.projection, rows, marks, used)

    def draw(name: str) -> str:
        values = getattr(record, name)
        names = _NAMES if record.projection is not None else _NAMES | _GIVEN
        alone: str | Sequence[str] = [""] if values.shape[1] == 1 else "d"
        return number_table(
            _(names[name]),
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
    words = number_table(_("Words: x"), projection.words, rows, alone, marks["words"], is_idle=is_idle)
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
    colors = [theme.SERIES[column * heads // width] for column in range(width)]
    if stage == "project":
        arrays = {
            _("Queries Q = X W_Q"): record.queries,
            _("Keys K = X W_K"): record.keys,
            _("Values V = X W_V"): record.values,
        }
        tables = [number_table(name, each, words, "d", None, colors) for name, each in arrays.items()]
        return number_tables_html([[number_table(_("Words X"), record.words, words, "d")], tables])
    if stage == "join":
        joined = number_table(_("Concatenated"), record.concatenated, words, "d", None, colors)
        mixed = number_table(_("Mixed by W_O: the output"), record.mixed, words, "d")
        return number_tables_html([[joined, mixed]])
    if stage == "split":
        parts = {
            N_("Head {head}: queries"): record.head_queries,
            N_("Head {head}: keys"): record.head_keys,
            N_("Head {head}: values"): record.head_values,
        }
    else:
        parts = {_OF_WEIGHTS: record.weights, N_("Head {head}: output"): record.head_outputs}

    def table(name: str, values: Reals, head: int) -> str:
        is_attention = name == _OF_WEIGHTS
        columns = words if is_attention else "d"
        weights = range(len(words)) if is_attention else ()
        behind = [theme.SERIES[head]] * values.shape[1]
        return number_table(
            _(name).format(head=head + 1), values, words, columns, None, behind, weights=weights
        )

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
            says = _(_MADE[table]).format(word=words[row])
            name = _name(letter, words[row], column, kernel.shape[1])
            latex = _sum(name, made.words[row], kernel[:, column], found[row, column])
            reads = [("words", (row, each)) for each in range(len(kernel))]
            reads += [(kernel_name, (each, column)) for each in range(len(kernel))]
            yield CellStep(table, (row, column), says, latex, tuple(reads))


def _scores(record: AttentionSteps, rows: Sequence[str], columns: Sequence[str]) -> Iterator[CellStep]:
    width = record.queries.shape[1]
    for row, column in _places(record.scores):
        says = _("Score: the dot product of the query of “{row}” and the key of “{column}”.").format(
            row=rows[row], column=columns[column]
        )
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
        says = _("Scaled: the score divided by √d_k, with d_k = {width}.").format(width=width)
        latex = rf"\frac{{{latex_number(score)}}}{{\sqrt{{{width}}}}} {equals(score, scaled)} {latex_number(scaled)}"
        yield CellStep("scaled", (row, column), says, latex, (("scores", (row, column)),))


def _weights(record: AttentionSteps, rows: Sequence[str], columns: Sequence[str]) -> Iterator[CellStep]:
    for row, column in _places(record.weights):
        says = _("Softmax: the attention weight of “{row}” on “{column}”.").format(
            row=rows[row], column=columns[column]
        )
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
        says = _("Output for “{row}”: the weighted mean of all values.").format(row=rows[row])
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
    exact = all(math.isclose(float(plain_text(number)), number, abs_tol=1e-12) for number in numbers)
    return "=" if exact else r"\approx"


def latex_number(value: float) -> str:
    """Return a number in LaTeX, with three digits or more."""
    mantissa, *powers = plain_text(value).split("e")
    mantissa = language().number(mantissa).replace(",", "{,}")  # LaTeX leaves a gap after a bare comma
    return rf"{mantissa} \cdot 10^{{{powers[0]}}}" if powers else mantissa


def in_brackets(value: float) -> str:
    """Return a number in LaTeX, a negative one in brackets."""
    return f"({latex_number(value)})" if value < 0 else latex_number(value)

"""Masks as heatmaps, and their effect on the softmax. Axis letters: see `core.config`."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Bools
from core.figures import theme
from core.figures.label_fit import MIN_COLUMN, column_width, longest_label, longest_line
from core.figures.plotly.heatmap import add_key, color_axis, heatmap, side_by_side, white
from core.figures.theme import Figure
from core.language import N_, _

COLORS = (theme.DARK_VERMILLION, theme.BLUE)  # blocked, allowed; white text has enough contrast on both
_ANSWER = "★"

_TEXTS = ("False", "True")  # for blocked and allowed
_ROW, _LINE = 40, 18  # pixels of a row with one line of text, and of each further line
_WEIGHTS_ROW = 36  # pixels


def mask_figures(masks: Mapping[str, ArrayLike], words: Sequence[str], width: float) -> tuple[Figure, ...]:
    """Draw masks (T, T) of one sentence, given by title; each is about `width` pixels wide."""
    titles = {"row_title": _("query position"), "column_title": _("key position")}
    panels = [_panel(title, mask, words, words, titles) for title, mask in masks.items()]
    return _framed(panels, words, words, width)


def padding_figures(
    words: Sequence[Sequence[str]], ids: Sequence[Sequence[int]], allowed: Bools, width: float
) -> tuple[Figure, ...]:
    """Draw a padded batch, words and ids (B, S), and its padding mask of the same shape.

    Each is about `width` pixels wide.
    """
    # Short labels: on a phone, the batch is no wider than the screen.
    rows = [str(number) for number in range(1, len(ids) + 1)]
    columns = [str(position) for position in range(len(ids[0]))]
    pairs = [list(zip(*row, strict=True)) for row in zip(words, ids, strict=True)]
    titles = {"column_title": _("position")}
    batch = _panel(_("The batch of ids, a sentence a row"), allowed, rows, columns, titles)
    batch |= {
        "texts": [[f"{word}\n{each}" for word, each in row] for row in pairs],
        "short": [[str(each) for word, each in row] for row in pairs],
        "hover": [
            [_("“{word}” has the id {id}").format(word=word, id=each) for word, each in row] for row in pairs
        ],
    }
    mask = _panel(_("The padding mask: is there a word?"), allowed, rows, columns, titles)
    may, may_not = _("“{word}” may be attended to"), _("“{word}” may not be attended to")
    mask["hover"] = [
        [(may if cell else may_not).format(word=word) for word, cell in zip(row, cells, strict=True)]
        for row, cells in zip(words, allowed.tolist(), strict=True)
    ]
    return _framed([batch, mask], rows, columns, width)


def answers_figures(words: Sequence[str], mask: ArrayLike, end: str, width: float) -> tuple[Figure, ...]:
    """Draw the decoder's mask in training, with a star where the input has the word to predict.

    Args:
        words: the decoder's input, from the start token on; the label of each word is the next one.
        mask: Boolean, shape (T, T); True = may be attended to.
        end: the label of the last word, which is not in the input.
        width: width of the figure, pixels.
    """
    rows = [*words[1:], end]
    count = range(len(words))
    titles = {"row_title": _("to be predicted"), "column_title": _("the decoder reads")}
    panel = _panel("", mask, rows, words, titles)
    label = _("label")
    answer = f"{_ANSWER} {label}"
    panel["texts"] = [[answer if column == row + 1 else "" for column in count] for row in count]
    panel["short"] = [[text[:1] for text in row] for row in panel["texts"]]
    return _framed([panel], rows, words, width)


def masked_attention_figures(
    without: ArrayLike, weights: ArrayLike, words: Sequence[str], written: int, width: float
) -> tuple[Figure, Figure]:
    """Draw attention weights up to the current row, which is framed; later rows are blank.

    Args:
        without: the softmax of all scores, shape (T, T).
        weights: the softmax with the mask, shape (T, T).
        words: T words, padding included.
        written: number of rows so far, 1 to T.
        width: width of each figure, pixels.
    """
    column = column_width(words, len(words), width)
    upright = longest_label(words) > column
    digits = longest_line(["0.00"])
    figures = []
    for matrix in (without, weights):
        values = np.array(matrix, np.float64)
        values[written:] = np.nan
        figures.append(
            heatmap(
                values,
                words,
                words,
                row_title=_("query position"),
                column_title=_("key position"),
                hover=N_("“{row}” attends to “{column}” with weight {value:.2f}"),
                texts=".2f" if digits <= column else "",
                colors=color_axis((0.0, 1.0), "below"),
            )
        )
    needed = max(digits if digits <= column else MIN_COLUMN, 0 if upright else longest_label(words))
    titles = (_("Softmax without the mask"), _("Softmax with the mask"))
    first, second = side_by_side(titles, figures, len(words) * _WEIGHTS_ROW, needed, upright=upright)
    row = {"x0": -0.5, "x1": len(words) - 0.5, "y0": written - 1.5, "y1": written - 0.5}
    for figure in (first, second):
        figure["layout"]["shapes"] = [
            {"type": "rect", **row, "line": {"color": theme.VERMILLION, "width": 3}}
        ]
    return theme.without_zoom(first), theme.without_zoom(second)


def _panel(
    title: str, mask: ArrayLike, rows: Sequence[str], columns: Sequence[str], titles: Mapping[str, str]
) -> dict[str, Any]:
    """Return a panel for `_framed`, with "short" texts for narrow cells."""
    allowed: Bools = np.asarray(mask, np.bool_)
    texts = [[_TEXTS[cell] for cell in row] for row in allowed.tolist()]
    may, may_not = _("“{row}” may attend to “{column}”"), _("“{row}” may not attend to “{column}”")
    hover = [
        [
            (may if cell else may_not).format(row=row, column=column)
            for column, cell in zip(columns, cells, strict=True)
        ]
        for row, cells in zip(rows, allowed.tolist(), strict=True)
    ]
    short = [[text[0] for text in row] for row in texts]
    return {"title": title, "allowed": allowed, "texts": texts, "short": short, "hover": hover, **titles}


def _framed(
    panels: Sequence[dict[str, Any]], rows: Sequence[str], columns: Sequence[str], width: float
) -> tuple[Figure, ...]:
    if not rows or not columns:
        return (theme.message_figure(_("There are no words yet"), 240),)
    column = column_width(rows, len(columns), width)
    upright = longest_label(columns) > column
    figures = []
    cells = []
    for panel in panels:
        fits = longest_line(text for row in panel["texts"] for text in row) <= column
        texts = panel["texts"] if fits else panel["short"]
        cells += [text for row in texts for text in row]
        whites = [[white(theme.escaped(text).replace("\n", "<br>")) for text in row] for row in texts]
        figures.append(
            heatmap(
                panel["allowed"],
                rows,
                columns,
                row_title=panel.get("row_title", ""),
                column_title=panel["column_title"],
                hover=panel["hover"],
                texts=whites,
                colors={"cmin": 0, "cmax": 1, "colorscale": list(enumerate(COLORS)), "showscale": False},
            )
        )
    needed = max(MIN_COLUMN, longest_line(cells), 0 if upright else longest_label(columns))
    height = len(rows) * (_ROW + _LINE * max(text.count("\n") for text in cells))
    titles = [panel["title"] for panel in panels]
    framed = side_by_side(titles, figures, height, needed, upright=upright)
    meanings = (_("blocked"), _("allowed"))
    names = [
        _("{value}: {meaning}").format(value=text, meaning=meaning)
        for text, meaning in zip(_TEXTS, meanings, strict=True)
    ]
    add_key(framed[-1], dict(zip(names, COLORS, strict=True)))
    return framed

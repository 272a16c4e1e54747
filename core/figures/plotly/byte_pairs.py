"""The neighbours of byte-pair encoding."""

from core.figures import theme
from core.figures.plotly.lines import TEXT_ABOVE_BARS, bars
from core.figures.theme import Figure
from core.language import _
from core.theory.byte_pairs import BytePairs

_ROWS = 6
_ROW = 34  # pixels


def neighbours_figure(found: BytePairs) -> Figure:
    """Draw how often the most frequent neighbours stand side by side; the next merge joins the first."""
    counts = sorted(found.counts.items(), key=lambda each: (-each[1], each[0]))[:_ROWS]
    rows = list(range(len(counts)))
    values = [count for _pair, count in counts]
    hover = [
        theme.escaped(_("{pair}: {count} times").format(pair=" ".join(pair), count=count))
        for pair, count in counts
    ]
    look = {"orientation": "h", "hovertext": hover, "text": list(map(str, values)), **TEXT_ABOVE_BARS}
    colors = [theme.VERMILLION if row == 0 and values[0] > 1 else theme.BLUE for row in rows]
    rows_down = [len(counts) - 0.5, -0.5]
    names = [theme.escaped(" + ".join(pair)) for pair, _count in counts]
    layout = {
        "showlegend": False,
        "dragmode": False,
        "margin": {"t": 8, "b": 8},
        "xaxis": theme.axis(range=[0, 1.2 * max(values, default=1)], visible=False, fixedrange=True),
        "yaxis": theme.axis(tickvals=rows, ticktext=names, range=rows_down, fixedrange=True, showgrid=False),
    }
    traces = [bars(values, rows, colors, "%{hovertext}", **look)]
    return theme.plain_figure(traces, layout, _ROW * _ROWS + 16)

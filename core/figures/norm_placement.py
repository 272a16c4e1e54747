"""How vectors change in a stack of layers, with post-norm and with pre-norm."""

from __future__ import annotations

from core.figures import theme
from core.figures.line_panels import LinePanel, line_panels
from core.figures.theme import Figure
from core.theory.norm_placement import StackMeasures


def norm_placement_figure(post: StackMeasures, pre: StackMeasures) -> Figure:
    """Draw how large the vectors are after each layer, and how much of the first ones is left in them."""
    stacks = (("post-norm", post, theme.BLUE, "solid"), ("pre-norm", pre, theme.VERMILLION, "dash"))
    sizes, similarities = (
        [
            {
                "type": "scatter", "x": list(range(len(values))), "y": values, "name": name,
                "legendgroup": name, "showlegend": measure == "size", "mode": "lines+markers",
                "line": {"color": color, "width": 2.5, "dash": dash}, "marker": {"size": 7},
                "hovertemplate": f"{name}, after layer %{{x}}: %{{y:.2f}}<extra></extra>",
            }
            for name, measures, color, dash in stacks
            for values in [getattr(measures, measure)]
        ]
        for measure in ("size", "cosine_similarity")
    )  # fmt: skip
    x_axis = {"nticks": 9}
    panels = [
        LinePanel(
            "Root mean square of the vectors",
            sizes,
            x_axis,
            {"title": {"text": "size"}, "rangemode": "tozero", "nticks": 5},
        ),
        LinePanel(
            "Cosine similarity to the input",
            similarities,
            {**x_axis, "title": {"text": "layers passed"}},
            {"title": {"text": "cosine similarity"}, "range": [-0.15, 1.1], "nticks": 5},
        ),
    ]
    return line_panels(panels, 520, gap=0.16, shared=True, layout={"margin": {"b": 70}})

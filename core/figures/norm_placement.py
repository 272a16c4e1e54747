"""What becomes of vectors in a stack of layers with the norm here or there."""

from __future__ import annotations

from dataclasses import dataclass

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from core.figures import theme
from core.theory.norm_placement import Passage, pass_stack, post_norm, pre_norm


@dataclass(frozen=True)
class NormPlacementInfo:
    """Two stacks of as many layers."""

    post: Passage
    pre: Passage


def norm_placement_info(num_layers: int) -> NormPlacementInfo:
    """Send the same vectors through both stacks.

    Args:
        num_layers: 1 or more.
    """
    return NormPlacementInfo(pass_stack(post_norm, num_layers), pass_stack(pre_norm, num_layers))


def norm_placement_figure(info: NormPlacementInfo) -> go.Figure:
    """Draw how large the vectors are after each layer, and how much of the first ones is left in them."""
    titles = ["How large the vectors are", "How like their beginning they are"]
    figure = make_subplots(rows=2, cols=1, shared_xaxes=True, vertical_spacing=0.16, subplot_titles=titles)
    theme.apply_theme(figure, 520)
    stacks = (("post-norm", info.post, theme.BLUE, "solid"), ("pre-norm", info.pre, theme.VERMILLION, "dash"))
    for name, passage, color, dash in stacks:
        for row, values in enumerate((passage.size, passage.likeness), start=1):
            figure.add_scatter(
                x=list(range(len(values))), y=values, name=name, legendgroup=name, showlegend=row == 1,
                mode="lines+markers", line={"color": color, "width": 2.5, "dash": dash}, marker_size=7,
                hovertemplate=f"{name}, after layer %{{x}}: %{{y:.2f}}<extra></extra>", row=row, col=1,
            )  # fmt: skip
    figure.update_annotations(x=0, xanchor="left", font_size=theme.FONT_SIZE)
    figure.update_yaxes(title_text="size", rangemode="tozero", nticks=5, row=1, col=1)
    figure.update_yaxes(title_text="cosine", range=[-0.15, 1.1], nticks=5, row=2, col=1)
    figure.update_xaxes(nticks=9)
    figure.update_xaxes(title_text="layers passed", row=2, col=1)
    figure.update_layout(
        margin_b=70, legend={"orientation": "h", "x": 0, "y": 0, "yref": "container", "yanchor": "bottom"}
    )
    return figure

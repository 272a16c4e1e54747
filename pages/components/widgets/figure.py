import plotly.graph_objects as go
import streamlit as st

from core.figures.theme import PLOTLY_CONFIG

_TEXT = {"light": "#1f1e1c", "dark": "#f4f2ef"}  # Streamlit's own grey is too faint for a projector


def show_figure(figure: go.Figure, alt: str, key: str | None = None) -> None:
    """Draw a figure as wide as there is room, its text in the full contrast of the theme.

    Args:
        figure: from core.figures.
        alt: what it shows, for screen readers.
        key: the same for a figure that is drawn again and again.
    """
    color = _TEXT[st.context.theme.type or "light"]
    figure.update_layout(font_color=color)
    figure.update_xaxes(tickfont_color=color, title_font_color=color)
    figure.update_yaxes(tickfont_color=color, title_font_color=color)
    figure.update_coloraxes(colorbar_tickfont_color=color)
    figure.update_annotations(font_color=color)
    st.plotly_chart(figure, key=key, config=PLOTLY_CONFIG, alt=alt)

import streamlit as st

from core.figures.id_table import IdTable, id_table_html, legend_html
from pages.components.widgets.responsive import wide_and_narrow


def show_id_table(table: IdTable, name: str) -> None:
    """Draw a table of ids; on a phone its rows are columns.

    Args:
        table: what it shows.
        name: of the figure, once a page.
    """

    def draw(narrow: bool) -> None:
        st.html(id_table_html(table, upright=narrow))

    wide_and_narrow(name, draw)


def show_legend(table: IdTable) -> None:
    """Say what the colours in it mean."""
    st.html(legend_html(table.kinds))

from __future__ import annotations

import streamlit as st

from pages.components.app.content import GLOSSARY, terms_of
from pages.components.app.menu import PAGES, is_shown


def show_glossary() -> None:
    """The field's terms below the pages that show them."""
    st.subheader("Glossary")
    st.caption(
        f"{len(GLOSSARY)} terms. Sections are those of Vaswani et al. 2017, “Attention Is All You Need”. The ? beside a "
        "page's title explains that page's terms."
    )
    for page in PAGES:
        if terms := terms_of(page.address):
            if is_shown(page):
                st.page_link(page.file, label=f"**{page.title}**", icon=page.icon)
            st.markdown(terms)

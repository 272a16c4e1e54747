"""Components of our own in the browser: each is a module of components/browser, and a style if it draws something."""

from typing import Any

import streamlit as st

from pages.components.browser.files import component_script, read_style, reader_data


def draw_component(name: str, html: str = "", data: object = None, key: str = "", **options: Any) -> Any:
    """Draw a component, and return what its module has sent, by name.

    Args:
        name: the name of its module, and of its style.
        html: the element in which the module draws, of the class `name`; without one, nothing is seen of it. It has no
            text: all sessions of a server share it.
        data: what the module gets.
        key: its key, unique on the page; at first its name.
        options: `on_NAME_change` is called when the module sends a value by this name; others are Streamlit's.
    """
    component = st.components.v2.component(
        f"transformer_classroom_{name}",
        html=html or None,
        css=read_style(name) if html else None,
        js=component_script(name),
    )
    return component(key=key or name, data={"reader": reader_data(name), "shown": data}, **options)

"""What the tests of the explaining pages share."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from tests.pages.conftest import OpenPage


def open_address(open_page: OpenPage, file: str, address: dict[str, str]) -> AppTest:
    """The page as a link opens it that somebody copied or wrote by hand."""
    app = open_page("pages/home.py")
    for name, value in address.items():
        app.query_params[name] = value
    app.switch_page(file).run()
    assert not app.exception
    return app

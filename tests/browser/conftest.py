from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page

from tests.browser.app import CHROMIUM, PATIENCE, running_app, running_chromium


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if CHROMIUM is None:
        pytest.skip("needs Chromium: apt-get install chromium, or name one in CHROMIUM")
    log = tmp_path_factory.mktemp("server") / "log"
    with running_app(log) as address:
        yield address


@pytest.fixture(scope="session")
def browser(address: str) -> Iterator[Browser]:
    with running_chromium() as chromium:
        yield chromium


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """A tab of a new visitor, on Home; the test fails where the console has an error."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    tab = context.new_page()
    errors: list[str] = []

    def keep_errors(message: ConsoleMessage) -> None:
        # Opened at a page's own address, Streamlit looks for its server below that address first.
        looking = "/_stcore/" in message.location["url"]
        if message.type == "error" and not looking:
            errors.append(f"{message.text} {message.location}")

    tab.on("console", keep_errors)
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.set_default_timeout(PATIENCE)
    tab.goto(address)
    yield tab
    context.close()
    assert not errors

"""streamlit_app.py as `streamlit run` starts it, as a host does that runs it as a plain script, and as AppTest does."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
import requests
from streamlit.testing.v1 import AppTest

from pages.content.pages import MASKS, TRAIN
from tests.benchmarks.visitor import Visitor
from tests.browser.app import running_app
from tests.conftest import ROOT

RUN = ("-m", "streamlit", "run", "streamlit_app.py")
PLAIN = """
import sys
from streamlit.web import bootstrap
options = dict(option[2:].split("=") for option in sys.argv[1:])
bootstrap.load_config_options(options)
bootstrap.run("streamlit_app.py", False, [], options)
"""


@pytest.mark.long
@pytest.mark.parametrize(("entry", "has_app"), [(RUN, True), (("-c", PLAIN), False)], ids=("app", "plain"))
def test_the_first_visitor_may_open_any_page(entry: Sequence[str], has_app: bool, tmp_path: Path) -> None:
    async def visit() -> Visitor:
        async with Visitor(address, "masks") as visitor:
            await visitor.open()
            return visitor

    with running_app(tmp_path / "log", entry=entry) as address:
        visitor = asyncio.run(visit())
        first_page = requests.get(f"{address}/masks", timeout=60).text
        metrics = requests.get(f"{address}/_stcore/metrics", timeout=60).status_code
    assert MASKS.title in visitor.screen.texts
    assert "present" in visitor.screen.widgets  # below the menu
    assert ("st-key-row_sentence" in first_page) is has_app  # a rule of style.css
    assert (metrics == 404) is has_app


@pytest.mark.long
def test_apptest_opens_any_page_as_often_as_it_likes() -> None:
    for page in (MASKS, TRAIN, MASKS):
        app = AppTest.from_file(ROOT / "streamlit_app.py", default_timeout=300)
        app.switch_page(page.file).run()
        assert not app.exception and app.title[0].value == page.title

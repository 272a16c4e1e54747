"""What the tests of the explaining pages share."""

from __future__ import annotations

import subprocess
import sys

from streamlit.testing.v1 import AppTest

from tests.pages.conftest import ROOT, OpenPage

_MEASURE = """
import sys, time
from streamlit.testing.v1 import AppTest

def run():
    app = AppTest.from_file("streamlit_app.py", default_timeout=60).run()
    begin = time.process_time()  # of all threads; other programs that run here do not count
    app.switch_page(sys.argv[1]).run()
    assert not app.exception, app.exception[0].value
    return time.process_time() - begin

run()  # Streamlit's own first run, and what is imported once
print(min(run() for _ in range(3)))
print([name for name in ("tensorflow", "keras") if name in sys.modules])
"""


def open_address(open_page: OpenPage, file: str, address: dict[str, str]) -> AppTest:
    """The page as a link opens it that somebody copied or wrote by hand."""
    app = open_page("pages/home.py")
    for name, value in address.items():
        app.query_params[name] = value
    app.switch_page(file).run()
    assert not app.exception
    return app


def seconds_without_tensorflow(file: str) -> float:
    """How long a processor works on a page that has been opened before, in a process without TensorFlow."""
    result = subprocess.run(
        [sys.executable, "-c", _MEASURE, file],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    seconds, imported = result.stdout.splitlines()
    assert imported == "[]"
    return float(seconds)

"""TensorFlow trains models in a process of its own: the app's process, which shows all pages, never loads it."""

import json
import os
import subprocess
import sys

import pytest

from core.server.workspace import why_no_training
from pages.components.frame.presenting import LEADS_ON
from pages.content.pages import HOME, PAGES, TRAIN
from tests.conftest import numbers
from tests.pages.conftest import ROOT, keys_of, open_page, texts

VISIT = """
import ctypes, json, sys
from functools import cache
from pathlib import Path
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest
import streamlit_app  # as "streamlit run" does first
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)  # as conftest.py

def opened(page, **values):
    app = AppTest.from_file("pages/components/shell/app.py", default_timeout=300)
    for name, value in values.items():
        app.session_state[name] = value
    app.switch_page(str(Path(page).resolve())).run()
    assert not app.exception, (page, app.exception[0].value)
    return app

found = {"errors": [error.value for page in json.loads(sys.argv[1]) for error in opened(page).error]}
app = opened("pages/evaluate.py", evaluated_pairs=20)
app.button(key="evaluate").click().run()
job = app.session_state["workspace"].jobs.evaluation
assert job.wait(300)
found["evaluated"] = app.run().metric[0].value
app = opened("pages/train.py", setting_epochs=20)
app.button(key="leads_on").click().run()
job = app.session_state["workspace"].jobs.training
assert job.wait(300)
found["trained"] = app.run().subheader[0].value
found["imported"] = [name for name in ("tensorflow", "keras") if name in sys.modules]
maps = Path("/proc/self/maps")
found["mapped"] = maps.exists() and "tensorflow" in maps.read_text()

import numpy
libraries = Path(numpy.__file__).parents[1].glob("numpy.libs/*openblas*.so")  # of its wheels; none elsewhere
found["threads"] = [ctypes.CDLL(str(each)).scipy_openblas_get_num_threads64_() for each in libraries]
print(json.dumps(found))
"""


@pytest.mark.long
def test_nothing_imports_it_and_a_product_of_numpy_stays_on_one_core() -> None:
    """The main script sets that before anything has imported NumPy."""
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    command = [sys.executable, "-c", VISIT, json.dumps([page.file for page in PAGES])]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert (found["imported"], found["mapped"], found["errors"]) == ([], False, [])
    assert found["evaluated"] and numbers(found["trained"])[1] == "15"
    assert set(found["threads"]) <= {1}


@pytest.mark.slow
@pytest.mark.parametrize("missing", ["tensorflow", "keras"])
def test_pages_say_what_is_missing(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, missing, None)  # as if it were not installed
    for file in (TRAIN.file, HOME.file):
        app = open_page(file)
        assert why_no_training() in texts(app)
        assert all(button.disabled for button in app.button if button.key == "quick_start_learn")
        assert LEADS_ON not in keys_of(app)

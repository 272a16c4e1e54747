from __future__ import annotations

import subprocess
import sys

from pages.components.catalogue import HOME, PAGES
from tests.pages.conftest import ROOT, OpenPage, press, texts, workspace_of

_MEASURE = """
import sys, time
from streamlit.testing.v1 import AppTest
AppTest.from_file("streamlit_app.py", default_timeout=60).run()  # Streamlit's own first run
seconds = []
for _ in range(3):  # the best of three: other programs run here too
    app = AppTest.from_file("streamlit_app.py", default_timeout=60)
    begin = time.perf_counter()
    app.run()
    seconds.append(time.perf_counter() - begin)
    assert not app.exception
print(min(seconds))
print([name for name in ("tensorflow", "keras") if name in sys.modules])
"""


def test_home_is_quick_and_does_not_import_tensorflow() -> None:
    result = subprocess.run(
        [sys.executable, "-c", _MEASURE], cwd=ROOT, capture_output=True, text=True, check=True, timeout=120
    )
    seconds, imported = result.stdout.splitlines()
    assert imported == "[]"
    assert float(seconds) < 0.3


def test_every_page_is_listed_with_a_line(open_page: OpenPage) -> None:
    app = open_page("pages/home.py")
    links = {link.label for link in app.page_link}
    for page in PAGES:
        if page is not HOME:
            assert f"**{page.title}**" in links
            assert page.line in texts(app)
    assert "Current model: none yet" in texts(app)


def test_the_button_starts_a_training_once(open_page: OpenPage) -> None:
    app = open_page("pages/home.py")
    press(app, "Train a Transformer now")
    job = workspace_of(app).job
    assert job is not None
    assert app.title[0].value == "Train"
    workspace_of(app).start_training(
        workspace_of(app).pairs, job.model, job.training, "again", queue=job._queue
    )
    assert workspace_of(app).job is job  # pressed twice: still the one training
    job.stop()
    assert job.wait(60)


def test_a_shipped_model_opens_by_one_press(open_page: OpenPage, with_shipped: None) -> None:
    app = open_page("pages/home.py")
    assert "Current model: **TED talks" in texts(app)
    assert workspace_of(app).model is None
    press(app, "Translate Portuguese → English")
    assert not app.exception
    assert app.title[0].value == "Translate"
    model = workspace_of(app).model
    assert model is not None
    assert model.id == "ted_pt_en"


def test_the_current_model_is_named(open_page_with_model: OpenPage) -> None:
    app = open_page_with_model("pages/home.py")
    assert "Current model: **Classroom** · 174,371 parameters" in texts(app)

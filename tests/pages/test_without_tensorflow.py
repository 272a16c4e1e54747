"""TensorFlow trains models and does nothing else: every page but Train works in a process that never imports it."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from core.corpora.catalogue import CORPORA
from pages.components.app.menu import ATTENTION_MAPS, DECODING, INSIDE, PAGES, TRAIN
from tests.pages.conftest import ROOT, OpenPage, texts

pytestmark = pytest.mark.slow

VISIT = """
import json, sys
from functools import cache
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)  # as conftest.py

def opened(page, **address):
    app = AppTest.from_file("streamlit_app.py", default_timeout=300)
    for name, value in address.items():
        app.query_params[name] = value
    app.switch_page(page).run()
    assert not app.exception, (page, app.exception[0].value)
    return app

links, models, corpus = map(json.loads, sys.argv[1:])
found = {"errors": []}
for page, address in links:
    found["errors"] += [error.value for error in opened(page, **address).error]
found["translations"] = {
    model: opened("pages/translate.py", model=model).subheader[0].value for model in models
}
if corpus:
    app = opened("pages/evaluate.py", data=corpus, size="50")
    next(button for button in app.button if button.label == "Evaluate").click().run()
    job = app.session_state["workspace"].evaluation
    assert job.wait(300)
    app.run()
    found["metrics"] = {metric.label: metric.value for metric in app.metric}
found["imported"] = [name for name in ("tensorflow", "keras") if name in sys.modules]
print(json.dumps(found))
"""
MODELS = ("ted_pt_en", "anki_en_fr")
VIEWS = [
    *(
        (ATTENTION_MAPS, {"view": view})
        for view in ("overview", "head", "lines", "words", "facts", "compare")
    ),
    *((DECODING, {"search": search}) for search in ("greedy", "beam", "sample")),
    *((INSIDE, {"inside": view}) for view in ("lens", "heads", "source", "honest", "patch")),
]


@pytest.fixture(scope="module")
def found() -> Any:
    links: list[tuple[str, dict[str, str]]] = [(page.file, {}) for page in PAGES if page is not TRAIN]
    links += [(page.file, {**address, "model": model}) for page, address in VIEWS for model in MODELS]
    corpus = MODELS[0] if CORPORA[MODELS[0]].is_here else None
    arguments = [json.dumps(each) for each in (links, MODELS, corpus)]
    done = subprocess.run(
        [sys.executable, "-c", VISIT, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_nothing_imports_it(found: Any) -> None:
    assert found["imported"] == []
    assert found["errors"] == []


def test_both_models_translate(found: Any) -> None:
    assert "problem" in found["translations"]["ted_pt_en"]
    assert "gare" in found["translations"]["anki_en_fr"]


@pytest.mark.skipif(not CORPORA[MODELS[0]].is_here, reason="needs the corpus")
def test_an_evaluation_has_its_figures(found: Any) -> None:
    assert float(found["metrics"]["BLEU"].split()[0]) > 20


def test_train_says_what_is_missing(open_page: OpenPage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tensorflow", None)  # as if it were not installed
    app = open_page(TRAIN.file)
    assert "Training needs TensorFlow, which is not installed here." in texts(app)
    assert not any(button.label == "Start" for button in app.button)

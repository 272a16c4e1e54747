"""Pages without a model in them are quick, and open before TensorFlow is imported."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import NamedTuple

import pytest

from pages.components.app.menu import (
    HOME,
    SECTIONS,
    PageEntry,
)
from tests.pages.conftest import ROOT

PAGES = (HOME, *SECTIONS["Understand"])
# In the time that Python takes to add ten million numbers: 0.18 s where that takes 0.12 s.
MAX_WORK = 1.5

_MEASURE = """
import ctypes, json, sys, time
from functools import cache
from pathlib import Path
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)  # as conftest.py

def run(page):
    app = AppTest.from_file("streamlit_app.py", default_timeout=300)
    if page is not None:
        app.switch_page(page)
    begin = time.process_time()  # of all threads; other programs that run here do not count
    app.run()
    seconds = time.process_time() - begin
    assert not app.exception, app.exception[0].value
    return seconds

def add():
    begin = time.process_time()
    sum(range(10_000_000))
    return time.process_time() - begin

run(None)  # from the main script first, as a server does
for page in sys.argv[1:]:
    run(page)  # what is imported once
    work = min(run(page) for _ in range(3)) / min(add() for _ in range(3))
    print(json.dumps([work, [name for name in ("tensorflow", "keras") if name in sys.modules]]), flush=True)

import numpy
libraries = Path(numpy.__file__).parents[1].glob("numpy.libs/*openblas*.so")  # of its wheels; none elsewhere
print(json.dumps([ctypes.CDLL(str(each)).scipy_openblas_get_num_threads64_() for each in libraries]))
"""


class Measured(NamedTuple):
    """What opening a page again takes."""

    work: float  # of a processor, in additions of ten million numbers
    imported: list[str]  # of the libraries that take seconds to import


class Process(NamedTuple):
    """What a process said that opened one page after the other, without TensorFlow."""

    pages: dict[str, Measured]  # by the page's file
    blas_threads: list[int]  # of NumPy's products


@pytest.fixture(scope="module")
def process() -> Process:
    files = [page.file for page in PAGES]
    command = [sys.executable, "-c", _MEASURE, *files]
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    *pages, threads = (json.loads(line) for line in done.stdout.splitlines())
    return Process(dict(zip(files, (Measured(*page) for page in pages), strict=True)), threads)


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.title)
def test_it_is_quick_and_does_not_import_tensorflow(page: PageEntry, process: Process) -> None:
    assert process.pages[page.file].imported == []
    assert process.pages[page.file].work < MAX_WORK


@pytest.mark.slow
def test_a_product_of_numpy_stays_on_one_core(process: Process) -> None:
    """The main script sets that before anything has imported NumPy."""
    assert set(process.blas_threads) <= {1}

"""What several rooms' tests share. TensorFlow is imported inside fixtures: the pure rooms' tests never load it."""

import gc
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

from core.checkpoints.checkpoint import Checkpoint
from core.config import ModelConfig
from core.corpora.toy import PAIRS
from core.described import field_infos, options_of
from core.inference.translator import Translator
from core.presets import CLASSROOM
from core.server.settings import PREFIX, server_settings
from core.tokens.vocabulary import Vocabulary
from core.training.recipe import PreparedTraining, prepare_training
from core.weights import Weights, weight_shapes

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
# For the workers, which import NumPy after this process has read it.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
if "PYTEST_XDIST_WORKER" in os.environ:  # the other workers need the other cores
    os.environ.setdefault("TF_NUM_INTRAOP_THREADS", "1")
    os.environ.setdefault("TF_NUM_INTEROP_THREADS", "1")
    if hasattr(os, "nice"):  # like the trainer, which else would wait for all workers
        os.nice(10)
# Python would look through what the tests make again and again, a twentieth of the time.
gc.set_threshold(100_000, 20, 10)
# No deadline: the first example of a test may load a kernel. The same examples in every run: what fails, fails again.
settings.register_profile("shared machine", deadline=None, derandomize=True, database=None)
settings.load_profile("shared machine")

ROOT = Path(__file__).parent.parent
ChangeSetting = Callable[[str, object], None]  # by the name of a field of Settings

TINY = ModelConfig(
    source_vocab_size=11,
    target_vocab_size=9,
    num_layers=2,
    d_model=8,
    num_heads=2,
    d_ff=16,
    max_source_length=8,
    max_target_length=7,
)


def _variants() -> Iterator[Any]:
    """Yield models with each option of each choice, in both placements of the norm; what goes with what varies."""
    options = {name: options_of(info) for name, info in field_infos(ModelConfig).items() if options_of(info)}
    for turn, norm in enumerate(options.pop("norm")):
        for number in range(max(map(len, options.values()))):
            choices = {
                name: each[(number + turn * place) % len(each)]
                for place, (name, each) in enumerate(options.items())
            }
            tied = (number + turn) % 2 == 1
            config = TINY.replace(norm=norm, tie_embeddings=tied, **choices)
            yield pytest.param(config, id="-".join((norm, *choices.values(), "tied" if tied else "untied")))


VARIANTS = list(_variants())


# Files, and folders of files, that one process runs: what they share is made once.
BROWSER = ("tests/browser",)  # a server and a Chromium
PAGES = ("tests/pages",)  # what pages have read of models, and the trainer's compiled steps
LESSONS = tuple(  # the other half of the pages
    f"tests/pages/test_{name}.py"
    for name in (
        "class_lesson", "exercises", "fresh_machine", "handout", "lesson_file", "lessons", "my_answers", "my_lesson",
        "phone_attacks", "phones", "predictions", "room",
    )
)  # fmt: skip
KERAS = (  # its import, and compiled steps
    "tests/checkpoints/test_export.py",
    "tests/checkpoints/test_from_training.py",
    "tests/language_model",
    "tests/model",
    "tests/test_command_line.py",
    "tests/test_predicted_answers.py",
    "tests/test_presets.py",
    "tests/training",
)
# They start a Chromium, or a process for the app, of their own.
ALONE = (
    "tests/browser/test_first_screen.py",
    "tests/pages/test_server.py",
    "tests/pages/test_without_tensorflow.py",
    "tests/training/test_workers.py",
)


def share_of(nodeid: str) -> str:
    """Return the name of what one process runs: a file, or several that share something."""
    file = nodeid.partition("::")[0]  # a parameter may have "/" in it, too
    if file not in ALONE:
        for share in (LESSONS, PAGES, BROWSER, KERAS):
            if file in share or file.rpartition("/")[0] in share:
                return share[0]
    return file


def random_weights(config: ModelConfig, seed: int = 0) -> Weights:
    """Weights of which none is at its initial 0 or 1, so that a forgotten bias or norm shows."""
    random = np.random.default_rng(seed)
    return {
        name: (0.4 * random.standard_normal(shape) + name.endswith("gamma")).astype(np.float32)
        for name, shape in weight_shapes(config).items()
    }


def numbers(text: str) -> list[str]:
    """Return the numbers in a text, as they are written."""
    return re.findall(r"\d+(?:[.,]\d+)*", text)


def run_core(*arguments: object, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own."""
    command = [sys.executable, "-m", "core", *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **variables}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


SUBWORD_PIECES = [
    "a", "casa", "##s", "é", "grande", "azul", "the", "house", "is", "big", "blue", "i", "'", "ve", ".", "?", ",", "b",
    "c", "##a", "##b", "##c", "##e", "##u", "m",
]  # fmt: skip


def subword_checkpoint(num_layers: int = 2, **changes: Any) -> Checkpoint:
    """Return a tiny model with one shared subword vocabulary and random weights."""
    from core.tokens.normalization import SubwordSettings
    from core.tokens.subword import SubwordTokenizer

    vocabulary = Vocabulary.from_tokens(SUBWORD_PIECES, start_and_end=True)
    config = TINY.replace(
        source_vocab_size=len(vocabulary),
        target_vocab_size=len(vocabulary),
        num_layers=num_layers,
        max_source_length=64,
        max_target_length=64,
        norm="pre",
        tie_embeddings=True,
        share_embeddings=True,
    )
    values = {
        "config": config,
        "weights": random_weights(config),
        "source_tokenizer": SubwordTokenizer(vocabulary, SubwordSettings(language="pt")),
        "target_tokenizer": SubwordTokenizer(vocabulary, SubwordSettings(language="en")),
        "name": "Tiny",
    }
    return Checkpoint(**{**values, **changes})


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put many long tests of one process first: at the end they would let the other processes wait."""
    in_browser = {share_of(item.nodeid) for item in items if item.get_closest_marker("browser")}
    slow = Counter(share_of(item.nodeid) for item in items if item.get_closest_marker("slow"))
    items.sort(key=lambda item: ((share := share_of(item.nodeid)) not in in_browser, -slow[share], share))
    for item in items:
        if item.get_closest_marker("browser"):  # a second try, which the summary names: mend what needs it
            item.add_marker(pytest.mark.flaky(reruns=1))
            item.add_marker(pytest.mark.slow)
        if item.get_closest_marker("long"):  # also with -m "not slow"
            item.add_marker(pytest.mark.slow)


def pytest_collection_finish() -> None:
    """Freeze the million imported objects, so that garbage collection skips them."""
    gc.freeze()


@pytest.hookimpl(optionalhook=True)  # not called where tests run in one process
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Keep together what shares something."""
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return share_of(nodeid)

    return Scheduling(config, log)


@pytest.fixture(scope="session", autouse=True)
def without_fsync() -> Iterator[None]:
    """Skip waiting for the disk: no test turns the machine off."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: None)
        yield


@pytest.fixture(scope="session")
def toy() -> PreparedTraining:
    return prepare_training(PAIRS, CLASSROOM.model, CLASSROOM.training)


@pytest.fixture(scope="session")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of the classroom checkpoint, which one process trains for all processes of this test run."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    file, done = shared / "classroom.safetensors", shared / "classroom.done"
    try:
        (shared / "classroom.begun").mkdir()
    except FileExistsError:
        while not done.exists():
            time.sleep(0.1)
    else:
        try:
            trained = run_core("train", "toy", "--out", file)
            assert trained.returncode == 0, trained.stderr
        finally:
            done.touch()
    return file


@pytest.fixture(scope="session")
def checkpoint(saved: Path) -> Checkpoint:
    """Return the classroom preset after its 200 epochs."""

    return Checkpoint.load(saved)


@pytest.fixture(scope="session")
def translator(checkpoint: Checkpoint) -> Translator:
    return Translator(
        checkpoint.config, checkpoint.weights, checkpoint.source_tokenizer, checkpoint.target_tokenizer
    )


@pytest.fixture(scope="session")
def untrained(toy: PreparedTraining) -> Translator:
    """Random weights: sentences of all lengths, without sense, some of which the limit of 32 tokens cuts off."""
    weights = {name: array * np.float32(0.5) for name, array in random_weights(CLASSROOM.model, 3).items()}
    weights["output/bias"][3] += 3.0  # the end: else hardly any sentence would have one
    return Translator(CLASSROOM.model, weights, toy.source_tokenizer, toy.target_tokenizer)


@pytest.fixture
def change_setting(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChangeSetting]:
    """Changes a setting of the server as an environment variable does."""

    def change(name: str, value: object) -> None:
        monkeypatch.setenv(f"{PREFIX}{name.upper()}", str(value))
        server_settings.cache_clear()

    yield change
    monkeypatch.undo()
    server_settings.cache_clear()

"""core/README.md and pages/README.md, the layout: the imports of every file, read without running it."""

import ast
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
CORE = ROOT / "core"


def ranks(order: str) -> dict[str, int]:
    """Rooms by their rank in the layout: each imports those before its arrow, and of its own group."""
    return {name: rank for rank, group in enumerate(order.split("→")) for name in group.split()}


RANKS = ranks("""
    arrays atomic_file config described durations errors language records → tokens → model
    → theory weights presets corpora figures resumable_file
    → inference → training interpretability language_model → checkpoints → evaluation → trainer → server → cluster
    → commands → __main__
""")
COMPONENT_RANKS = ranks(
    "browser → widgets → frame → explaining → pairs model → attention → one_page → training → lesson → room → shell"
)

LIBRARIES = {
    ("streamlit",): ("pages", "streamlit_app"),
    ("tensorflow", "keras"): (
        "core.model",
        "core.training",
        "core.trainer",
        "core.checkpoints.export",
        "core.commands",
    ),
    ("tensorflow_text",): ("core.checkpoints.export",),
    ("tensorflow_datasets",): ("core.corpora.ted",),
    ("ray",): ("core.cluster",),
    ("starlette",): ("core.cluster", "pages.components.frame.uploads", "pages.components.shell"),
}
"""Which modules may import a library; those not in ALWAYS only in functions, where it is needed."""
ALWAYS = ("pages", "streamlit_app", "core.model", "core.training", "core.checkpoints.export", "core.cluster")


class Import(NamedTuple):
    """`importer` imports `name`; `always`, or only when a function is called or types are checked."""

    importer: str
    name: str
    always: bool


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(path: Path) -> Iterator[Import]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    late = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        or (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test))
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(module_name(path), alias.name, node not in late)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import; write the whole name"
            assert node.module is not None
            yield Import(module_name(path), node.module, node not in late)
            for alias in node.names:  # "from core import config" names a module too
                if (ROOT / Path(*node.module.split("."), alias.name)).with_suffix(".py").exists():
                    yield Import(module_name(path), f"{node.module}.{alias.name}", node not in late)


def imports_below(*places: Path) -> list[Import]:
    files = [
        file for place in places for file in ([place] if place.is_file() else sorted(place.rglob("*.py")))
    ]
    assert files
    return [each for file in files for each in imports_of(file)]


def is_in(name: str, *packages: str) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def room(name: str) -> str:
    return name.split(".")[1]


@cache  # and not as the file is read: every test process collects this file, and one runs it
def in_core() -> list[Import]:
    return imports_below(CORE)


@cache
def in_pages() -> list[Import]:
    return imports_below(ROOT / "pages", *ROOT.glob("streamlit_app.py"))


@cache
def between_rooms() -> list[Import]:
    return [
        each
        for each in in_core()
        if each.name.startswith("core.")
        and each.importer != "core"
        and room(each.importer) != room(each.name)
    ]


def test_every_room_has_its_rank() -> None:
    rooms = {path.stem for path in CORE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert rooms - {"__init__"} <= set(RANKS), "a new room: give it a place in core/README.md and here"


@pytest.mark.slow
def test_imports_point_one_way() -> None:
    assert len(between_rooms()) > 50
    assert [each for each in between_rooms() if RANKS[room(each.name)] > RANKS[room(each.importer)]] == []


@pytest.mark.slow
def test_no_two_rooms_import_each_other() -> None:
    pairs = {(room(each.importer), room(each.name)) for each in between_rooms()}
    assert {pair for pair in pairs if pair[::-1] in pairs} == set()


def test_figures_know_config_records_and_theory_alone() -> None:
    known = {room(each.name) for each in between_rooms() if room(each.importer) == "figures"}
    assert known <= {"arrays", "config", "language", "records", "theory"}


def module_of(name: str) -> str | None:
    """The module of ours that an imported name is, or is in; None for other libraries."""
    for parts in (name.split("."), name.split(".")[:-1]):
        if parts and (ROOT / Path(*parts)).with_suffix(".py").exists():
            return ".".join(parts)
    return None


@pytest.mark.slow
def test_no_import_circle() -> None:
    """Not even one that only a late import or type checking closes."""
    edges: dict[str, set[str]] = {}
    for each in in_core() + in_pages():
        target = module_of(each.name)
        if target is not None and target != each.importer:
            edges.setdefault(each.importer, set()).add(target)
    assert len(edges) > 100
    TopologicalSorter(edges).prepare()  # raises an error that names a circle


def test_pages_use_components_and_not_each_other() -> None:
    used = {each.name.split(".")[1] for each in in_pages() if each.name.startswith("pages.")}
    assert used == {"components", "content", "languages"}


def test_rooms_of_components_import_those_below() -> None:
    components = ROOT / "pages" / "components"
    rooms = {path.parent.relative_to(components).parts[0] for path in components.glob("*/*.py")}
    assert rooms == set(COMPONENT_RANKS), "a new room: give it a place in pages/README.md and here"
    prefix = "pages.components."
    between = {
        (each.importer.split(".")[2], each.name.split(".")[2])
        for each in in_pages()
        if each.importer.startswith(prefix) and each.name.startswith(prefix)
    }
    assert [
        (above, below)
        for above, below in between
        if above != below and COMPONENT_RANKS[below] >= COMPONENT_RANKS[above]
    ] == []


def test_core_knows_no_page_and_no_test() -> None:
    assert [each for each in in_core() if is_in(each.name, "pages", "tests", "streamlit_app")] == []


def test_a_page_s_end_is_not_that_of_the_run() -> None:
    """After `st.stop` nothing more is drawn, which AppTest (1.67) does not show; a page returns."""
    pages = [
        path.name for path in (ROOT / "pages").glob("*.py") if "st.stop(" in path.read_text(encoding="utf-8")
    ]
    assert pages == []


def test_config_needs_pydantic_alone_and_words_for_its_errors() -> None:
    own = ("core.described", "core.errors", "core.language", "pydantic", "pydantic_core")
    for each in imports_below(CORE / "config.py", CORE / "described.py", CORE / "language.py"):
        assert is_in(each.name, *own) or each.name.split(".")[0] in sys.stdlib_module_names


def test_figures_are_built_in_core_figures_alone() -> None:
    """As dictionaries, without Plotly's objects; the one component that shows them tells Streamlit so."""
    users = {each.importer for each in in_core() + in_pages() if is_in(each.name, "plotly")}
    assert users == {"pages.components.explaining.figure"}


@pytest.mark.parametrize(("libraries", "homes"), LIBRARIES.items())
def test_a_library_is_only_where_it_may_be(libraries: tuple[str, ...], homes: tuple[str, ...]) -> None:
    users = [each for each in in_core() + in_pages() if is_in(each.name, *libraries)]
    assert users
    assert [each for each in users if not is_in(each.importer, *homes)] == []
    assert [each for each in users if each.always and not is_in(each.importer, *ALWAYS)] == []

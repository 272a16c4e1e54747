"""What an address holds: each value of each page comes by it, and nonsense breaks no page."""

import dataclasses
import re
from itertools import chain, product
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Checkbox, TextArea, TextInput, Toggle

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.shipped import FIRST
from core.records.text import Pair
from core.server.trained_model import TrainedModel
from core.server.workspace import Workspace
from core.tokens.vocabulary import Vocabulary
from core.tokens.word import WordTokenizer
from pages.components.frame.visit import PAIRS_OF_TAB
from pages.components.widgets.state import Linked
from pages.content.lessons import OWN_NAMES
from pages.content.pages import HOME, MASKS, PAGES, POSITIONAL_ENCODING, TRANSLATE, PageEntry
from pages.content.reader import PAGE_TEXTS
from tests.pages.conftest import (
    IGNORED_LINK,
    PATIENCE,
    SCRIPT,
    by_step,
    change,
    go_to,
    linked,
    open_page,
    warned,
)
from tests.pages.markdown import addresses_on

EVIL = "evil.example"
HOSTILE_TEXT = (
    f"![a](http://{EVIL}/1.png) ![b [c] d][r] <img src=http://{EVIL}/2.png> [e](http://{EVIL}) www.{EVIL} "
    f"HTTPS://{EVIL}/3 me@{EVIL} mailto:me@{EVIL} <http://{EVIL}> $\\href{{http://{EVIL}}}{{f}}$ :red[g]\n\n[r]: http://{EVIL}"
)
NONSENSE = ("1e309", "nan", "\x00" + "x" * 20_000)
# Texts, one of which each value takes that no widget shows.
SAMPLES = ("on", "decoder", "1.1", "f5", "2")


@pytest.mark.slow
def test_a_link_opens_its_view() -> None:
    app = linked(MASKS.file, masks_view="causal", triangle="4", present="true")
    assert app.selectbox(key="masks_view").value == "causal"
    assert app.slider(key="triangle").value == 4
    assert app.toggle(key="present").value is True
    app = linked(MASKS.file, masks_view="causal", triangle="99")
    assert app.slider(key="triangle").value == 7 and warned(app) == [IGNORED_LINK]  # beyond its range


@pytest.mark.parametrize("name", ["lesson", "lesson_step", "my_lesson", "lang", "pairs"])
@pytest.mark.parametrize("value", [HOSTILE_TEXT, "9" * 5000, "1e999", "\ud7ff", "-1"])
def test_a_link_with_a_wrong_lesson_language_or_pairs_says_so_and_fetches_nothing(
    name: str, value: str
) -> None:
    app = linked(HOME.file, **{"lesson": "30", name: value})
    assert app.warning
    assert addresses_on(app) == addresses_on(open_page(HOME.file))


@pytest.mark.parametrize("name", OWN_NAMES)
def test_a_link_with_a_lesson_that_only_another_tab_has_says_so(name: str) -> None:
    app = linked(HOME.file, lesson=name)
    assert app.warning
    assert not change(app).warning
    assert not linked(HOME.file, lesson="30").warning


@pytest.mark.slow
def test_a_link_with_a_model_that_only_another_tab_has_says_so(with_shipped: None) -> None:
    app = linked(TRANSLATE.file, model="own-0123456789ab")
    assert app.warning and app.selectbox(key="model").value == FIRST
    assert not linked(TRANSLATE.file, model="anki_en_fr").warning


def shown_on(app: AppTest) -> dict[str, Any]:
    """Return what a page shows as texts, by their names in its address."""
    return dict(app.session_state["shown_choices"])


@pytest.fixture
def values(monkeypatch: pytest.MonkeyPatch) -> dict[str, Linked[Any]]:
    """Return the values of the pages that a test opens, by their names, as they were shown last."""
    found: dict[str, Linked[Any]] = {}
    show = Linked.show

    def note(value: Linked[Any], *shown: Any) -> None:
        found[value.key] = value
        show(value, *shown)

    monkeypatch.setattr(Linked, "show", note)
    return found


def read_of(value: Linked[Any], text: str | list[str]) -> Any:
    """Return what a value makes of a text of an address, which has one text or several; None if it refuses it."""
    several = [text] if isinstance(text, str) else text
    try:
        return value.read(several if value.is_repeated else several[-1])
    except ValueError:
        return None


def options_of(widget: Any) -> list[str]:
    """Return the titles of a choice's options; none for other widgets."""
    return list(getattr(widget, "options", ()))


def another_text(value: Linked[Any], shown: str | list[str], widget: Any) -> str | list[str]:
    """Return a text that the value takes, and that is neither what the page shows nor the default."""
    offered: list[str | list[str]] = []
    if options := options_of(widget):
        offered = [*options]
    elif hasattr(widget, "min"):
        offered = [str(widget.min), str(widget.max)]
    elif isinstance(widget, TextInput | TextArea):
        offered = [f"{shown} x"]
    elif isinstance(widget, Checkbox | Toggle):
        offered = ["true", "false"]
    usual = value.write(value.default)
    changed = usual.translate(str.maketrans("15", "24")) if isinstance(usual, str) else usual[::-1]
    for text in (*offered, changed, *SAMPLES):
        if (found := read_of(value, text)) is not None:
            written = value.write(found)
            if written not in (shown, usual):
                return written
    raise AssertionError(f"{value.key} takes none of these texts.")


def widgets_on(app: AppTest) -> dict[str, Any]:
    """Return the widgets over a page's values, by their keys."""
    choices = app.button_group, app.selectbox, app.select_slider, app.multiselect
    others = app.slider, app.number_input, app.toggle, app.text_input, app.text_area
    return {each.key: each for each in chain(*choices, *others) if each.key in shown_on(app)}


def hostile(checkpoint: Checkpoint) -> TrainedModel:
    """Return a model whose words, examples, name and card are all web addresses."""
    words = (f"http://{EVIL}/{n}" if n % 2 else f"www.{EVIL}" * n for n in range(100))
    source, target = checkpoint.source_tokenizer.vocabulary, checkpoint.target_tokenizer.vocabulary
    bad = Vocabulary((*target.tokens[:4], *list(words)[2 : len(target) - 2]))
    return TrainedModel(
        f"![n](http://{EVIL}) www.{EVIL}",
        dataclasses.replace(
            checkpoint,
            source_tokenizer=WordTokenizer(source),
            target_tokenizer=WordTokenizer(bad),
            examples=(Pair(HOSTILE_TEXT, HOSTILE_TEXT), checkpoint.examples[0]),
            card=HOSTILE_TEXT,
        ),
    )


def views_of(page: PageEntry) -> list[dict[str, str]]:
    """Return the address of each view of a page; of a page without views, the bare one."""
    texts = PAGE_TEXTS[page.address]
    return [{texts.parameter: name} for name in texts.views] if texts.parameter else [{}]


VIEWS = [
    pytest.param(
        page, view, id="_".join((page.address, *view.values())), marks=pytest.mark.long if place else ()
    )
    for page in PAGES
    for place, view in enumerate(views_of(page))  # the others run with the long tests
]


@pytest.mark.slow
@pytest.mark.parametrize(("page", "view"), VIEWS)
def test_each_value_comes_by_a_link_and_by_a_step_and_stays(
    page: PageEntry, view: dict[str, str], with_shipped: None, values: dict[str, Linked[Any]]
) -> None:
    """Whatever language and mode the page is in: all that it shows, widgets or not, is what the address says."""
    first = linked(page.file, **view)
    widgets = widgets_on(first)
    asked: dict[str, str | list[str]] = {
        key: another_text(values[key], shown, widgets.get(key))
        for key, shown in shown_on(first).items()
        if values[key].in_address and key not in view and len(options_of(widgets.get(key))) != 1
    }
    for key in asked.keys() & widgets.keys():
        check_names(values[key], widgets[key])
    app = linked(page.file, **asked, **view)
    shown = shown_on(app)
    for key in asked.keys() & shown.keys():
        value = values[key]  # which may have another range with all others changed
        found = read_of(value, asked[key])
        assert shown[key] == value.write(value.default if found is None else found), key
    assert shown_on(by_step(first, page, **shown)) == shown
    # Train's choice of pairs is the tab's.
    linked_texts = {key: text for key, text in app.query_params.items() if key in {*shown, PAIRS_OF_TAB.key}}
    assert first.query_params == linked_texts, "what a step shows is in the address, as what a link shows"
    assert shown_on(change(app, lang="fr", present=True)) == shown


def check_names(value: Linked[Any], widget: Any) -> None:
    """Check that an option's English title opens it, as in older addresses, and has a name that suits an address."""
    for title in options_of(widget):
        written = value.write(value.read([title] if value.is_repeated else title))
        names = [written] if isinstance(written, str) else written
        assert names and all(re.fullmatch(r"[a-z0-9_.-]+", name) for name in names), title


@pytest.mark.slow
@pytest.mark.parametrize(("page", "view"), VIEWS)
def test_nonsense_and_a_hostile_model_break_no_page(
    page: PageEntry, view: dict[str, str], checkpoint: Checkpoint, values: dict[str, Linked[Any]]
) -> None:
    """No text under any of the names in its address stops a page, or becomes a picture or a link."""
    mine = Workspace()
    mine.models.open(hostile(checkpoint))

    def opened(address: dict[str, str]) -> AppTest:
        app = AppTest.from_file(SCRIPT, default_timeout=PATIENCE)
        app.session_state["workspace"] = mine
        app.query_params.update(address)
        go_to(app, page.file)
        assert [found for found in addresses_on(app) if EVIL in found] == []
        return app

    opened(view)
    names = values.keys() - view.keys()
    app = opened({**dict.fromkeys(names, HOSTILE_TEXT), "my_lesson": HOSTILE_TEXT, **view})
    shown = shown_on(app)
    refused = [key for key in shown.keys() & names if read_of(values[key], HOSTILE_TEXT) is None]
    assert all(shown[key] == values[key].write(values[key].default) for key in refused)
    assert warned(app).count(IGNORED_LINK) >= len(refused)
    for value, text in product(values.values(), NONSENSE):
        read_of(value, text)  # raises nothing but a refusal


def test_a_long_encoding_leaves_the_masks_alone() -> None:
    app = open_page(POSITIONAL_ENCODING.file, positions_view="dots", length=3000)
    assert change(go_to(app, MASKS.file, masks_view="causal")).slider(key="triangle").value == 7

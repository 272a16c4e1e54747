"""What an address holds: names that open a view, titles as in older ones, nonsense that breaks no page."""

import dataclasses
import re
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import ButtonGroup

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.shipped import FIRST
from core.records.text import Pair
from core.server.trained_model import TrainedModel
from core.server.workspace import Workspace
from core.tokens.vocabulary import Vocabulary
from core.tokens.word import WordTokenizer
from pages.content.lessons import OWN_NAMES
from pages.content.pages import HOME, MASKS, PAGES, POSITIONAL_ENCODING, TRANSLATE, PageEntry
from pages.content.reader import PAGE_TEXTS
from tests.pages.conftest import PATIENCE, SCRIPT, change, go_to, linked, open_page
from tests.pages.markdown import addresses_on

EVIL = "evil.example"
HOSTILE_TEXT = (
    f"![a](http://{EVIL}/1.png) ![b [c] d][r] <img src=http://{EVIL}/2.png> [e](http://{EVIL}) www.{EVIL} "
    f"HTTPS://{EVIL}/3 me@{EVIL} mailto:me@{EVIL} <http://{EVIL}> $\\href{{http://{EVIL}}}{{f}}$ :red[g]\n\n[r]: http://{EVIL}"
)
NONSENSE = ("1e309", "nan", "\x00" + "x" * 20_000)
# Values that addresses contain without a widget of the page.
_SWITCHES = {"off_encoder", "off_decoder", "off_cross"}
_STAGE = {"attention", "heads", "look", "word"}
_TABLES = {"by_hand_x", "by_hand_w", "vectors", "wq", "wk", "wv"}
_LESSON = {"lesson", "lesson_step", "my_lesson"}
TEXTS = {"present", "lang", "curves", "said", "step_by_step", *_LESSON, *_TABLES, *_SWITCHES, *_STAGE}


@pytest.mark.slow
def test_a_link_opens_its_view() -> None:
    app = linked(MASKS.file, masks_view="causal", triangle="4", present="true")
    assert app.selectbox(key="masks_view").value == "causal"
    assert app.slider(key="triangle").value == 4
    assert app.toggle(key="present").value is True
    app = linked(MASKS.file, masks_view="causal", triangle="99")
    assert app.slider(key="triangle").value == 7  # beyond its range: as if nothing was said


@pytest.mark.parametrize("name", ["lesson", "lesson_step", "my_lesson", "lang"])
@pytest.mark.parametrize("value", [HOSTILE_TEXT, "9" * 5000, "1e999", "\ud7ff", "-1"])
def test_a_link_with_a_wrong_lesson_or_language_says_so_and_fetches_nothing(name: str, value: str) -> None:
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
    """Return what the widgets of a page show, by their names in its address."""
    return dict(app.session_state["shown_choices"])


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


def choices_on(app: AppTest) -> dict[str, Any]:
    """Return a page's widgets with one of several options, by their names in its address."""
    names = shown_on(app)
    return {
        each.key: each
        for each in (*app.button_group, *app.selectbox, *app.select_slider)
        if each.key in names
    }


def title_shown(widget: Any) -> str:
    found: str = (
        widget.formatted_values[0] if isinstance(widget, ButtonGroup) else widget.format_func(widget.value)
    )
    return found


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.address)
def test_titles_in_an_address_open_their_options_and_become_names(
    page: PageEntry, with_shipped: None
) -> None:
    """Addresses once had titles. A name has no spaces or capitals, is the same in each language, and opens the same."""
    for view in views_of(page):
        offered = choices_on(linked(page.file, **view))
        titles = {
            key: title_shown(widget) if key in view else widget.options[:2][-1]
            for key, widget in offered.items()
        }
        app = linked(page.file, **titles)
        shown = choices_on(app)
        for key, widget in shown.items():
            is_offered = key in offered and widget.options == offered[key].options  # whatever else is chosen
            assert not is_offered or title_shown(widget) == titles[key]
        address = {key: app.query_params[key] for key in shown if key in app.query_params}
        assert all(re.fullmatch(r"[a-z0-9_.-]+", name) for name in address.values()), address
        assert shown_on(linked(page.file, **address)) == shown_on(app)


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.address)
def test_nonsense_and_a_hostile_model_break_no_page(page: PageEntry, checkpoint: Checkpoint) -> None:
    """No value under any of the names in its address stops a page, or becomes a picture or a link."""
    mine = Workspace()
    mine.models.open(hostile(checkpoint))

    def opened(address: dict[str, str]) -> AppTest:
        app = AppTest.from_file(SCRIPT, default_timeout=PATIENCE)
        app.session_state["workspace"] = mine
        app.query_params.update(address)
        go_to(app, page.file)
        assert [found for found in addresses_on(app) if EVIL in found] == []
        return app

    chooses = PAGE_TEXTS[page.address].parameter
    for number, address in enumerate(views_of(page)):
        names = {*shown_on(opened(address)), *TEXTS} - {chooses}
        change(opened({**dict.fromkeys(names, HOSTILE_TEXT), **address}))
        mixed = {name: NONSENSE[(number + place) % 3] for place, name in enumerate(sorted(names))}
        opened({**mixed, **address})


def test_a_long_encoding_leaves_the_masks_alone() -> None:
    app = open_page(POSITIONAL_ENCODING.file, positions_view="dots", length=3000)
    assert change(go_to(app, MASKS.file, masks_view="causal")).slider(key="triangle").value == 7

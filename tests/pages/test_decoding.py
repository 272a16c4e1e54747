"""Decoding step by step: every control, and links that make no sense."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from core.checkpoints.checkpoint import Checkpoint
from core.classroom.models import TrainedModel
from core.tokens.vocabulary import Vocabulary
from core.tokens.word import WordTokenizer
from pages.components.decoding.beginning import Beginning, BeginningError
from tests.conftest import TINY, random_weights
from tests.pages.conftest import OpenPage, error_of, press, texts, workspace_of

PAGE = "pages/decoding.py"


def in_address(app: AppTest, name: str) -> str:
    found = app.query_params.get(name, "")
    return str(found[0] if isinstance(found, list) else found)


def chips(app: AppTest) -> str:
    """The line of tokens, with its marks."""
    return next(each.value for each in app.markdown if "-badge[" in each.value)


def written(app: AppTest) -> str:
    """The tokens of the translation as the page shows them, without the marks."""
    line = chips(app).split("\n")[-1]
    for mark in (":blue-badge", ":orange-badge", ":gray-badge", ":gray", "[", "]", "*", "\\"):
        line = line.replace(mark, "")
    return line


def say_other(app: AppTest) -> AppTest:
    """Press the first of the other tokens."""
    pills = next(each for each in app.pills if each.label == "Choose another token")
    vocabulary = workspace_of(app).answer.model.checkpoint.target_tokenizer.vocabulary  # type: ignore[union-attr]
    token_id = vocabulary.id_of(pills.options[0].replace("\\", ""))
    pills.set_value(token_id).run()
    assert not app.exception
    return app


def follow(app: AppTest, **address: str) -> AppTest:
    app.query_params.clear()
    for name, value in address.items():
        app.query_params[name] = value
    app.switch_page(PAGE).run()
    assert not app.exception
    return app


def test_it_opens_on_the_shared_translation(open_page_with_model: OpenPage) -> None:
    app = open_page_with_model(PAGE)
    assert "→ **i like tensorflow**" in texts(app)
    assert written(app) == "i like tensorflow END"
    assert chips(app).startswith(":blue-badge[**i**] :gray[like]")


def test_back_next_and_the_slider(open_page_with_model: OpenPage) -> None:
    app = open_page_with_model(PAGE)
    press(app, "Next step")
    assert chips(app).startswith(":gray-badge[i] :blue-badge[**like**]")
    app.slider(key="at").set_value(4).run()
    assert ":blue-badge[**\\[END\\]**]" in chips(app)
    assert in_address(app, "at") == "4"
    press(app, "Previous step")
    assert app.slider(key="at").value == 3
    assert app.text_input(key="beginning_text").value == ""  # free for another


@pytest.mark.slow
def test_another_token_is_said_marked_and_undone(open_page_with_model: OpenPage) -> None:
    app = open_page_with_model(PAGE)
    press(app, "Next step")
    say_other(app)
    assert ":orange-badge[**✎ " in chips(app)
    assert written(app).split()[0] == "i" and not written(app).startswith("i like")
    assert "With your tokens → " in texts(app) and "You chose it" in texts(app)
    beginning = Beginning.from_address(in_address(app, "said"))
    assert (len(beginning.ids), beginning.forced) == (2, {1})
    assert "→ **i like tensorflow**" in texts(app)  # the shared translation stays

    app.slider(key="at").set_value(1).run()
    say_other(app)  # what came after it goes
    assert Beginning.from_address(in_address(app, "said")).forced == {0}
    press(app, "Undo")
    assert written(app) == "i like tensorflow END"
    assert "said" not in app.query_params
    assert next(each for each in app.button if each.label == "Undo").disabled


@pytest.mark.slow
def test_a_typed_beginning(open_page_with_model: OpenPage) -> None:
    app = open_page_with_model(PAGE)
    app.text_input(key="beginning_text").set_value("You can")
    press(app, "Go on")
    assert written(app).startswith("✎ you ✎ can")
    assert app.slider(key="at").value == 3
    assert app.text_input(key="beginning_text").value == ""  # free for another
    press(app, "Undo")
    assert written(app) == "i like tensorflow END"


def test_a_typed_beginning_of_unknown_words(open_page_with_model: OpenPage) -> None:
    app = open_page_with_model(PAGE)
    app.text_input(key="beginning_text").set_value("xylophone")
    press(app, "Go on")
    assert "no token for “xylophone”" in error_of(app)
    assert written(app) == "i like tensorflow END"


def test_a_typed_beginning_that_is_too_long_stays_in_the_box(open_page_with_model: OpenPage) -> None:
    app = open_page_with_model(PAGE)
    app.text_input(key="beginning_text").set_value("you " * 50)
    press(app, "Go on")
    assert "at most" in error_of(app)
    assert written(app) == "i like tensorflow END"
    assert (app.text_input(key="beginning_text").value or "").startswith("you you")


def test_a_beginning_is_of_one_sentence(open_page_with_model: OpenPage) -> None:
    app = open_page_with_model(PAGE)
    app.text_input(key="beginning_text").set_value("you")
    press(app, "Go on")
    app.text_input(key="sentence").set_value("bonne nuit")
    press(app, "Translate")
    assert written(app) == "good night END"
    assert "said" not in app.query_params


def test_samples(open_page_with_model: OpenPage) -> None:
    app = open_page_with_model(PAGE)
    app.segmented_control(key="search").set_value("sample").run()
    app.slider(key="samples").set_value(3).run()
    assert [each.value.split(" · ")[0] for each in app.caption if "Sample " in each.value] == [
        "Sample 1", "Sample 2", "Sample 3",
    ]  # fmt: skip
    app.slider(key="temperature").set_value(0.0).run()
    assert "1 of 3 are different" in texts(app)
    app.slider(key="temperature").set_value(2.0).run()
    app.number_input(key="top_k").set_value(1).run()
    assert "1 of 3 are different" in texts(app)
    app.number_input(key="top_k").set_value(0).run()
    app.slider(key="top_p").set_value(0.05).run()
    assert "1 of 3 are different" in texts(app)
    app.number_input(key="draw_seed").set_value(7).run()
    assert {name: in_address(app, name) for name in ("search", "samples", "temperature", "top_p", "seed")} == {
        "search": "sample", "samples": "3", "temperature": "2", "top_p": "0.05", "seed": "7",
    }  # fmt: skip


@pytest.mark.slow
def test_the_tree(open_page_with_model: OpenPage) -> None:
    app = open_page_with_model(PAGE)
    app.segmented_control(key="search").set_value("beam").run()
    assert "Why the winner won" in texts(app)
    assert "of 8 hypotheses, 4 are kept, 0 complete, 4 pruned" in texts(app)
    press(app, "Next step")
    assert in_address(app, "beam_step") == "2"
    app.slider(key="penalty").set_value(0.0).run()
    app.slider(key="beams").set_value(8).run()
    assert not app.exception
    app.segmented_control(key="show").set_value("steps").run()
    assert written(app) == "i like tensorflow END"
    say_other(app)
    app.segmented_control(key="show").set_value("tree").run()
    assert "Your beginning" in texts(app)
    press(app, "Undo")
    assert "Your beginning" not in texts(app)
    assert not app.exception


@pytest.mark.parametrize(
    ("link", "reason"),
    [
        ("foo", "not the beginning"),
        ("12", "not the beginning"),  # nothing is forced
        ("t7", "not the beginning"),
        ("f7..f8", "not the beginning"),
        ("f999999", "not in this model"),
        ("f0", "not in this model"),
        ("f2", "not in this model"),
        ("f3.f5", "after its end token"),
        (".".join(["f5"] * 400), "at most"),
    ],
)
def test_links_that_make_no_sense(open_page_with_model: OpenPage, link: str, reason: str) -> None:
    app = follow(open_page_with_model("pages/home.py"), said=link, at="99", show="foo")
    said = [warning.value for warning in app.warning]
    assert any("left out" in text and reason in text for text in said)
    assert any("at “99”" in text for text in said)
    assert written(app) == "i like tensorflow END"
    assert "said" not in app.query_params


def test_a_link_shows_what_was_said(open_page_with_model: OpenPage) -> None:
    app = follow(open_page_with_model("pages/home.py"), said="4.f9", at="2")
    assert app.slider(key="at").value == 2
    assert ":orange-badge[**✎ " in chips(app)
    assert in_address(app, "said") == "4.f9"


@pytest.mark.slow
@pytest.mark.parametrize("text", ["merci", "merci " * 7, "merci 🙂"])
@pytest.mark.parametrize("search", ["greedy", "beam", "sample"])
@pytest.mark.parametrize(("layers", "heads"), [(1, 1), (3, 8)])
def test_untrained_models_of_many_shapes(
    open_page: OpenPage, text: str, search: str, layers: int, heads: int
) -> None:
    vocabulary = Vocabulary.from_tokens(["merci", "a", "b", "c", "d"], start_and_end=True)
    config = TINY.replace(
        source_vocab_size=len(vocabulary),
        target_vocab_size=len(vocabulary),
        num_layers=layers,
        num_heads=heads,
    )
    tokenizer = WordTokenizer(vocabulary)
    checkpoint = Checkpoint(config, random_weights(config), tokenizer, tokenizer, name="Untrained")
    app = open_page("pages/home.py")
    workspace_of(app).open_model(TrainedModel("Untrained", checkpoint))
    follow(app, sentence=text.strip(), search=search)
    assert not app.error
    if search != "sample":
        follow(app, sentence=text.strip(), search=search, show="steps")
        say_other(app)
        assert "✎" in chips(app)


@pytest.mark.parametrize("address", ["f7", "12.f7", "12.f7.40.f8.t9", ""])
def test_addresses_of_beginnings(address: str) -> None:
    beginning = Beginning.from_address(address)
    assert beginning.to_address() == address
    undone = beginning.undone()
    assert undone.to_address() == {"12.f7.40.f8.t9": "12.f7"}.get(address, "")
    assert undone == Beginning.from_address(undone.to_address())


def test_a_token_said_within_a_beginning() -> None:
    beginning = Beginning.from_address("12.f7.40.f8")
    assert beginning.with_token((12, 7, 40, 8, 5, 3), 4, 9).to_address() == "12.f7.40.f8.f9"
    assert beginning.with_token((12, 7, 40, 8, 5, 3), 5, 9).to_address() == "12.f7.40.f8.5.f9"
    assert beginning.with_token((12, 7, 40, 8, 5, 3), 2, 9).to_address() == "12.f7.f9"
    assert Beginning.typed([4, 5]).to_address() == "f4.t5"
    with pytest.raises(BeginningError):
        Beginning.from_address("4.5")

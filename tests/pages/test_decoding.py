"""Decoding step by step: every control, and links that make no sense."""

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from core.errors import InputError
from core.server.trained_model import TrainedModel
from pages.content.pages import DECODING
from pages.decoding import ForcedPrefix, read_prefix, write_prefix
from tests.conftest import numbers, subword_checkpoint
from tests.pages.conftest import (
    IGNORED_LINK,
    OpenPage,
    by_step,
    change,
    go_to,
    linked,
    numbers_said,
    open_page,
    press,
    texts,
    translation_of,
    warned,
)

PAGE = "pages/decoding.py"


def chips(app: AppTest) -> str:
    """Return the tokens of the translation as the page shows them, with their marks."""
    return " ".join(app.pills(key="written_tokens").options)


def written(app: AppTest) -> str:
    """Return the tokens of the translation as the page shows them, without the marks."""
    line = chips(app)
    for mark in (":orange", ":gray", "[", "]", "*", "\\"):
        line = line.replace(mark, "")
    return line


def force(app: AppTest, token: str) -> AppTest:
    """Choose a token in the shown step, as a click on its bar does."""
    job = translation_of(app)
    vocabulary = job.work.request.model.checkpoint.target_tokenizer.vocabulary
    (translation,) = job.state().progress.texts[0].sentences
    position = int(app.session_state["at"]) - 1
    prefix = ForcedPrefix().with_token(translation.best.ids, position, vocabulary.id_of(token))
    return change(app, said=prefix, at=position + 1)


def force_prefix(app: AppTest, text: str) -> AppTest:
    app.text_input(key="prefix_text").set_value(text)
    return press(app, "take_prefix")


def test_the_shared_translation_step_by_step(open_trained: OpenPage) -> None:
    app = open_trained(PAGE)
    assert "→ **i like tensorflow**" in texts(app)
    assert chips(app).startswith("**i** :gray[like]")
    press(app, "at_Right")
    assert chips(app).startswith("i **like** :gray[")
    app.pills(key="written_tokens").set_value(1)
    assert change(app).slider(key="at").value == 2


def test_it_opens_where_two_good_choices_part(with_shipped: None) -> None:
    app = open_page(PAGE)
    assert chips(app).startswith("i **did** :gray[n]")
    force(app, "had")
    assert chips(app).startswith("i **:orange[✎ had]** :gray[no]")
    assert chips(linked(PAGE, said=app.query_params["said"])) == chips(app)
    assert chips(by_step(app, DECODING, at=0, said="")).startswith("i **did** :gray[n]")  # once more
    assert "**i** :gray[did]" in chips(change(app, at=1))


def test_a_typed_prefix_belongs_to_one_sentence(open_trained: OpenPage) -> None:
    app = force_prefix(open_trained(PAGE), "You can")
    assert written(app).startswith("✎ you ✎ can")
    assert app.slider(key="at").value == 3
    app.text_input(key="sentence").set_value("bonne nuit")
    press(app, "translate_text")
    assert written(app) == "good night END"
    assert "said" not in app.query_params


def test_an_empty_box_begins_with_the_example(with_shipped: None) -> None:
    app = open_page(PAGE)
    assert app.text_input(key="prefix_text").placeholder == "I didn't have the l"
    assert written(press(app, "take_prefix")).startswith("✎ i ✎ did")


def test_impossible_prefixes(open_trained: OpenPage) -> None:
    app = force_prefix(open_trained(PAGE), "xylophone")
    assert "xylophone" in app.toast[0].value
    force_prefix(app, "you " * 50)
    assert "50" in numbers(app.toast[0].value)
    assert (app.text_input(key="prefix_text").value or "").startswith("you you")  # to be mended
    assert written(app) == "i like tensorflow END"


def test_samples(open_trained: OpenPage) -> None:
    app = open_trained(PAGE, search="sample", samples=3)
    captions = (numbers(each.value) for each in app.caption if " · " in each.value)
    assert [each[0] for each in captions] == ["1", "2", "3"]
    for narrow in ({"temperature": 0.0}, {"temperature": 2.0, "top_k": 1}, {"top_k": 0, "top_p": 0.05}):
        assert ["1", "3"] in numbers_said(change(app, **narrow)), "different ones of all"


def test_the_tree(open_trained: OpenPage) -> None:
    app = open_trained(PAGE, search="beam", beam_step=1)
    assert ["1", "8", "4", "0", "4"] in numbers_said(app), "the step's hypotheses: kept, finished and pruned"
    press(app, "beam_step_Right")
    assert app.slider(key="beam_step").value == 2
    change(app, penalty=0.0, beams=8, show="steps")
    assert written(app) == "i like tensorflow END"
    force(app, "you")
    assert "**you** …" in texts(change(app, show="tree"))
    assert "**you** …" not in texts(press(app, "undo_token"))


@pytest.mark.parametrize(
    "link",
    [
        "foo",
        "12",  # nothing is forced
        "f999999",  # in no vocabulary
        "f0",
        "f3.f5",  # after the end token
        ".".join(["f5"] * 400),
    ],
)
def test_invalid_prefixes_in_links(open_trained: OpenPage, link: str) -> None:
    app = open_trained()
    app.query_params["said"] = link
    go_to(app, PAGE)
    assert warned(app) == [IGNORED_LINK]
    assert written(app) == "i like tensorflow END"
    assert "said" not in app.query_params


@pytest.mark.slow
@pytest.mark.parametrize("text", ["casa " * 7, "casa 🙂"])
@pytest.mark.parametrize(("layers", "heads"), [(1, 1), (3, 8)])
def test_untrained_models_of_many_shapes(text: str, layers: int, heads: int) -> None:
    untrained = subword_checkpoint(num_layers=layers)
    checkpoint = replace(untrained, config=untrained.config.replace(num_heads=heads))
    app = open_page(PAGE, own=TrainedModel("Untrained", checkpoint), sentence=text.strip(), search="sample")
    assert not app.error
    for search in ("greedy", "beam"):
        assert not change(app, search=search, show="tree").error
        force(change(app, show="steps"), checkpoint.target_tokenizer.vocabulary.tokens[10])
        assert "✎" in chips(app)


def test_a_token_forced_within_a_prefix() -> None:
    prefix = read_prefix("12.f7.40.f8")
    assert write_prefix(prefix.with_token((12, 7, 40, 8, 5, 3), 4, 9)) == "12.f7.40.f8.f9"
    assert write_prefix(prefix.with_token((12, 7, 40, 8, 5, 3), 5, 9)) == "12.f7.40.f8.5.f9"
    assert write_prefix(prefix.with_token((12, 7, 40, 8, 5, 3), 2, 9)) == "12.f7.f9"
    assert write_prefix(ForcedPrefix.typed([4, 5])) == "f4.t5"
    assert write_prefix(read_prefix("12.f7.40.f8.t9").without_last()) == "12.f7"
    with pytest.raises(InputError):
        read_prefix("4.5")


def test_its_example_gives_way_to_that_of_another_page(with_shipped: None) -> None:
    app = open_page(PAGE)
    sentence = app.text_input(key="sentence").value
    translate = go_to(app, "pages/translate.py")
    assert translate.text_input(key="sentence").value != sentence
    translate.text_input(key="sentence").set_value("obrigado.")
    assert go_to(press(translate, "translate_text"), PAGE).text_input(key="sentence").value == "obrigado."

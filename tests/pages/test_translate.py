import dataclasses
import re
import threading
from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.checkpoints.checkpoint import Checkpoint
from core.config import DecodingConfig
from core.errors import InputError
from core.inference.texts import TextRun
from core.records.text import Pair
from core.server.jobs import Status
from core.server.settings import server_settings
from core.server.trained_model import TrainedModel
from core.server.translation_job import MAX_CHARACTERS_TIMES_BEAMS
from core.tokens.normalization import SubwordSettings
from core.tokens.subword import SubwordTokenizer
from core.tokens.vocabulary import UNKNOWN_ID
from pages.content.pages import ATTENTION_MAPS, TRANSLATE
from pages.translate import badges, lines_of
from tests.conftest import subword_checkpoint
from tests.pages.conftest import (
    OpenPage,
    change,
    error_of,
    go_to,
    keys_of,
    open_page,
    press,
    texts,
    translation_of,
    wait_for_training,
    warned,
    workspace_of,
)

PAGE, MAPS = TRANSLATE.file, ATTENTION_MAPS.file


def type_sentence(app: AppTest, sentence: str) -> AppTest:
    app.text_input(key="sentence").set_value(sentence)
    return press(app, "translate_text")


def translate_lines(app: AppTest, lines: str) -> AppTest:
    app.text_area(key="lines").set_value(lines)
    return press(app, "translate_lines")


LIMITS = server_settings()
OTHER_LANGUAGE, UNSURE = ":material/translate:", ":material/psychology_alt:"


@pytest.mark.long
def test_without_a_model_one_is_trained_in_place() -> None:
    app = open_page(PAGE)
    wait_for_training(press(app, "train_classroom"))
    assert app.title[0].value == TRANSLATE.title
    assert app.subheader[0].value == "i like tensorflow"


@pytest.mark.slow
def test_a_sentence_and_what_is_shown_of_it(open_trained: OpenPage) -> None:
    app = open_trained(PAGE)
    app.pills[0].set_value("bonne nuit")
    change(app)
    assert app.text_input(key="sentence").value == "bonne nuit"
    assert app.subheader[0].value == "good night"
    app.text_input(key="sentence").set_value("merci")
    change(app)
    # Leaving the box runs nothing: AppTest, too, waits for the button.
    assert app.subheader[0].value == "good night"
    type_sentence(app, "Je ne comprends pas !")
    assert app.subheader[0].value == "i do not understand"
    assert not app.warning
    first = translation_of(app)
    assert translation_of(change(app)) is first  # answered once
    change(app, search="beam", beams=3)
    assert len(app.dataframe[0].value) == 3
    (text,) = (
        translation_of(change(app, search="greedy", sentence="je suis fatigué " * 40)).state().progress.texts
    )
    assert len(text.sentences) > 1  # cut into what the model reads


def test_unknown_words_are_marked_and_explained(open_trained: OpenPage) -> None:
    app = open_trained(PAGE, sentence="je suis paléontologue")
    assert badges(["paléontologue"], [UNKNOWN_ID], [True]) in texts(app)
    assert "paléontologue" in app.info[0].value
    assert "did_you_mean" not in keys_of(app)
    assert OTHER_LANGUAGE in warned(change(app, sentence="where is the station"))


def test_what_was_meant_is_one_press_away(open_trained: OpenPage) -> None:
    app = open_trained(PAGE, sentence="Je suis ETUDIANT")
    press(app, "did_you_mean")
    assert app.text_input(key="sentence").value == "Je suis étudiant"
    assert app.subheader[0].value == "i am a student"
    assert "did_you_mean" not in keys_of(app)
    # “une” is like “un” and “eu” like “eau”; the other word is like none, so the text would stay unknown.
    for half_a_guess in ("je suis une pizza", "Eu gosto de café."):
        assert "did_you_mean" not in keys_of(change(app, sentence=half_a_guess))


def test_from_french_subwords_to_the_classrooms_words(checkpoint: Checkpoint) -> None:
    """One language, but a sentence of other words: the classroom model would not know them."""
    tiny = subword_checkpoint()
    french = SubwordTokenizer(tiny.source_tokenizer.vocabulary, SubwordSettings(language="fr"))
    model = TrainedModel("Subwords", dataclasses.replace(tiny, source_tokenizer=french))
    app = open_page(PAGE, own=model, sentence="est grande")
    workspace_of(app).models.open(TrainedModel("Classroom", checkpoint))
    change(app)
    assert app.text_input(key="sentence").value == checkpoint.examples[-1].source


def test_what_cannot_be_translated(open_trained: OpenPage) -> None:
    assert open_trained(PAGE, sentence="🙂🙂").error
    assert f"{LIMITS.max_text:,}" in error_of(open_trained(PAGE, sentence="bonjour " * 10_000))
    app = open_trained(PAGE, search="beam", beams=8, sentence="merci. " * 1000)
    assert f"{MAX_CHARACTERS_TIMES_BEAMS // 8:,}" in error_of(app)


def test_a_first_visitor_translates_portuguese(with_shipped: None) -> None:
    app = open_page(PAGE)
    assert app.selectbox(key="model").value == "ted_pt_en"
    assert "problem" in app.subheader[0].value  # este é um problema que temos que resolver
    assert not app.warning
    change(app, sentence="Eu moro em Lisboa. Onde é a biblioteca?")
    app.selectbox(key="explained_sentence").set_value(1)
    assert "Onde é a biblioteca" in texts(change(app))
    assert workspace_of(app).models.selected is None  # nothing was chosen, so nothing was kept


@pytest.mark.slow
def test_what_is_to_be_checked_is_said(with_shipped: None) -> None:
    football = "O Benfica empatou a dois com o Sporting."  # is in no talk
    app = open_page(PAGE, sentence=football)
    assert warned(app) == [UNSURE]
    (sentence,) = translation_of(app).state().progress.texts[0].sentences
    assert f"{sentence.best.mean_probability:.0%}" in app.warning[0].value
    change(app, sentence=f"Muito obrigado. {football}")
    assert warned(app) == [UNSURE]
    assert re.findall(r"\d+", app.warning[0].value) == ["2"]  # the number of the other one
    assert OTHER_LANGUAGE in warned(change(app, sentence="This is a problem that we have to solve."))
    translate_lines(change(app, mode="lines"), f"Muito obrigado.\n{football}")
    assert [bool(to_check) for to_check in app.dataframe[0].value.iloc[:, 3]] == [False, True]


def test_the_model_is_changed_and_the_box_follows(open_trained: OpenPage, with_shipped: None) -> None:
    app = open_trained(PAGE)
    assert app.text_input(key="sentence").value == "j aime tensorflow"
    change(app, model="ted_pt_en")
    assert (app.text_input(key="sentence").value or "").startswith("este é um problema")
    type_sentence(app, "obrigado")
    mine = workspace_of(app)
    assert mine.models.selected is not None and mine.models.selected.id == "ted_pt_en"
    change(app, model=mine.models.kept[0].id)
    assert app.text_input(key="sentence").value == "j aime tensorflow"  # not asked for in Portuguese
    change(app, model="ted_pt_en")
    assert app.text_input(key="sentence").value == "obrigado"  # what a person typed comes back


def test_many_lines(open_trained: OpenPage) -> None:
    app = translate_lines(open_trained(PAGE, mode="lines"), "bonne nuit\n\n🙂\nmerci")
    sources, translations, *_ = app.dataframe[0].value.T.to_numpy()
    assert list(sources) == ["bonne nuit", "🙂", "merci"]
    assert list(translations) == ["good night", "", "thank you"]
    go_to(go_to(app, "pages/home.py"), PAGE)
    assert len(app.dataframe[0].value) == 3  # still there


@pytest.mark.parametrize(
    ("text", "beams", "bound"),
    [
        (" \n ", 1, None),
        ("a\n" * 501, 1, f"{LIMITS.max_lines}"),
        ("a" * 20_001, 1, f"{LIMITS.max_text:,}"),
        ("merci.\n" * 400 + "x" * 4000, 8, f"{MAX_CHARACTERS_TIMES_BEAMS // 8:,}"),
    ],
)
def test_lines_that_cannot_be_translated(text: str, beams: int, bound: str | None) -> None:
    with pytest.raises(InputError, match=bound):
        lines_of(text, DecodingConfig(beam_size=beams))


def test_a_full_stop_that_was_added_is_said() -> None:
    model = TrainedModel("Tiny", subword_checkpoint(needs_full_stop=True, examples=(Pair("a", "the"),)))
    app = open_page(PAGE, own=model, sentence="a casa")
    assert r"\. · " in texts(app)  # among the tokens that it read
    captions = {each.value for each in app.caption}
    said = captions & {each.value for each in go_to(app, MAPS).caption}
    assert said - {each.value for each in go_to(app, PAGE, sentence="a casa.").caption}


LONG_TEXT = " ".join(f"merci {number}." for number in range(40))


def forget_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages show how far a translation is at once; the test waits for it."""
    monkeypatch.setattr("pages.components.model.sentence._WAIT_SECONDS", 0.0)


class Gate:
    """Let a model's translator start a batch when the test says so."""

    def __init__(self, app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
        model = workspace_of(app).models.kept[0]
        self.began, self._open = threading.Semaphore(0), threading.Semaphore(0)
        for name in ("translate", "explain"):
            monkeypatch.setattr(model.translator, name, self._gated(getattr(model.translator, name)))

    def _gated(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def translate(*arguments: Any, **options: Any) -> Any:
            self.began.release()
            assert self._open.acquire(timeout=60)
            return original(*arguments, **options)

        return translate

    def wait(self) -> None:
        assert self.began.acquire(timeout=60)

    def let(self) -> None:
        self._open.release()


@pytest.mark.slow
def test_a_long_text_shows_how_far_it_is_stops_and_goes_on(
    open_trained: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_trained(PAGE)
    gate = Gate(app, monkeypatch)
    forget_the_clock(monkeypatch)
    type_sentence(app, LONG_TEXT)
    job = translation_of(app)
    assert job.active
    assert "stop_text" in keys_of(app) and not app.subheader
    gate.wait()
    go_to(app, "pages/masks.py")  # the job continues while another page is open
    gate.let()
    gate.wait()
    go_to(app, PAGE)
    assert app.text_input(key="sentence").value == LONG_TEXT
    assert translation_of(app) is job  # not started again
    press(app, "stop_text")
    gate.let()
    assert job.wait(60)
    change(app)
    (text,) = job.state().progress.texts
    assert (len(text.sentences), text.left) == (17, 23)
    assert len(app.selectbox(key="explained_sentence").options) == 17
    gate.let()
    gate.let()
    press(app, "continue_text")
    assert job.wait(60)
    change(app)
    (text,) = job.state().progress.texts
    assert (len(text.sentences), text.left) == (40, 0)
    assert not {"stop_text", "continue_text"} & keys_of(app)


def test_another_text_ends_the_one_before(open_trained: OpenPage, monkeypatch: pytest.MonkeyPatch) -> None:
    app = open_trained(PAGE)
    gate = Gate(app, monkeypatch)
    forget_the_clock(monkeypatch)
    first = translation_of(type_sentence(app, LONG_TEXT))
    gate.wait()
    second = translation_of(type_sentence(app, "bonne nuit"))
    assert first is not second
    gate.let()
    gate.let()
    assert first.wait(60) and second.wait(60)
    assert (first.state().status, first.state().progress.done) == (Status.STOPPED, 1)
    assert change(app).subheader[0].value == "good night"


@pytest.mark.slow
def test_stopped_before_its_first_sentence_a_text_can_be_continued(
    open_trained: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    forget_the_clock(monkeypatch)
    may_begin = threading.Event()

    def begin(*arguments: Any, **options: Any) -> TextRun:
        assert may_begin.wait(60)
        return TextRun(*arguments, **options)

    monkeypatch.setattr("core.server.translation_job.TextRun", begin)
    app = press(open_trained(PAGE, sentence="merci"), "stop_text")
    may_begin.set()
    assert translation_of(app).wait(60)
    change(app)
    assert "continue_text" in keys_of(app) and not app.subheader
    go_to(app, MAPS)
    press(go_to(app, PAGE), "continue_text")
    assert translation_of(app).wait(60)
    assert change(app).subheader[0].value == "thank you"


def test_an_empty_text_is_no_batch(with_shipped: None) -> None:
    app = open_page(TRANSLATE.file, sentence="")
    assert "lines" not in [each.key for each in app.text_area] and app.error

from __future__ import annotations

import dataclasses
import threading
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.checkpoints.checkpoint import Checkpoint
from core.classroom.jobs import JobQueue, Status
from core.classroom.models import TrainedModel
from core.config import DecodingConfig
from core.tokens.normalization import SubwordSettings
from core.tokens.subword import SubwordTokenizer
from pages.components.translate.many_lines import lines_of
from tests.conftest import subword_checkpoint
from tests.pages.conftest import OpenPage, error_of, press, texts, wait_for_training, workspace_of

PAGE = "pages/translate.py"


def type_sentence(app: AppTest, sentence: str) -> AppTest:
    app.text_input(key="sentence").set_value(sentence)
    press(app, "Translate")
    assert not app.exception
    return app


@pytest.mark.slow
def test_without_a_model_one_is_trained_in_place(open_page: OpenPage) -> None:
    app = open_page(PAGE)
    assert "There is no model yet" in app.info[0].value
    press(app, "Train the classroom model")
    app = wait_for_training(app)
    assert app.title[0].value == "Translate"
    assert app.subheader[0].value == "i like tensorflow"


@pytest.mark.slow
def test_a_sentence_and_what_is_shown_of_it(open_page_with_model: OpenPage) -> None:
    app = type_sentence(open_page_with_model(PAGE), "Je ne comprends pas !")
    assert app.subheader[0].value == "i do not understand"
    assert "je · 2" in texts(app)
    assert "log P =" in texts(app)
    assert not app.warning


def test_the_same_question_is_answered_once(open_page_with_model: OpenPage) -> None:
    app = type_sentence(open_page_with_model(PAGE), "merci")
    first = workspace_of(app).answer
    app.run()
    assert workspace_of(app).answer is first


def test_an_example_fills_the_box(open_page_with_model: OpenPage) -> None:
    app = open_page_with_model(PAGE)
    app.pills[0].set_value("bonne nuit").run()
    assert app.text_input(key="sentence").value == "bonne nuit"
    assert app.subheader[0].value == "good night"


@pytest.mark.slow
def test_beam_search_lists_its_hypotheses(open_page_with_model: OpenPage) -> None:
    app = open_page_with_model(PAGE)
    assert len(app.dataframe) == 0
    app.segmented_control(key="search").set_value("beam").run()
    app.slider(key="beams").set_value(3).run()
    assert app.subheader[0].value == "i like tensorflow"
    assert len(app.dataframe[0].value) == 3


def test_unknown_words_are_marked_and_explained(open_page_with_model: OpenPage) -> None:
    app = type_sentence(open_page_with_model(PAGE), "je suis paléontologue")
    assert "paléontologue · 1 · unknown" in texts(app)
    assert "A word-level model knows only the words it was trained on" in app.info[0].value
    assert not any(button.label.startswith("Did you mean") for button in app.button)


def test_the_classroom_model_reads_french(open_page_with_model: OpenPage) -> None:
    app = type_sentence(open_page_with_model(PAGE), "where is the station")
    assert app.text_input(key="sentence").label == "A text in French"
    assert "This looks like English. The model reads French" in app.warning[0].value


@pytest.mark.slow
def test_from_french_subwords_to_the_classrooms_words(open_page: OpenPage, checkpoint: Checkpoint) -> None:
    """One language, but a sentence of other words: the classroom model would not know them."""
    tiny = subword_checkpoint()
    french = SubwordTokenizer(tiny.source_tokenizer.vocabulary, SubwordSettings(language="fr"))
    app = open_page("pages/home.py")
    mine = workspace_of(app)
    mine.open_model(TrainedModel("Subwords", dataclasses.replace(tiny, source_tokenizer=french)))
    type_sentence(app.switch_page(PAGE).run(), "est grande")
    mine.open_model(TrainedModel("Classroom", checkpoint))
    app.run()
    assert app.text_input(key="sentence").value == checkpoint.examples[-1].source


def test_what_was_meant_is_one_press_away(open_page_with_model: OpenPage) -> None:
    app = type_sentence(open_page_with_model(PAGE), "Je suis ETUDIANT")
    app = press(app, "Did you mean “Je suis étudiant”?")
    assert not app.exception
    assert app.text_input(key="sentence").value == "Je suis étudiant"
    assert app.subheader[0].value == "i am a student"
    assert not any(button.label.startswith("Did you mean") for button in app.button)


@pytest.mark.parametrize("sentence", ["je suis une pizza", "Eu gosto de café."])
def test_half_a_guess_is_none(open_page_with_model: OpenPage, sentence: str) -> None:
    """“une” is like “un” and “eu” like “eau”; the other word is like none, so the text would stay unknown."""
    app = type_sentence(open_page_with_model(PAGE), sentence)
    assert app.subheader
    assert not any(button.label.startswith("Did you mean") for button in app.button)


@pytest.mark.parametrize(
    ("sentence", "message"),
    [
        ("", "There are no words to translate"),
        ("🙂🙂", "There are no words to translate"),
        ("bonjour " * 10_000, "The text has 80,000 characters; this page takes at most 20,000"),
        ("*" * 50, "There are no words to translate"),
    ],
)
def test_what_cannot_be_translated(open_page_with_model: OpenPage, sentence: str, message: str) -> None:
    app = type_sentence(open_page_with_model(PAGE), sentence)
    assert message in error_of(app)


def test_text_is_shown_as_text(open_page_with_model: OpenPage) -> None:
    app = type_sentence(open_page_with_model(PAGE), "je")
    mine = workspace_of(app)
    assert mine.answer is not None
    hypothesis = dataclasses.replace(mine.answer.sentence.best, text="![x](http://x) <b>*y*</b>")
    forged = dataclasses.replace(mine.answer.sentence, hypotheses=(hypothesis,))
    whole = dataclasses.replace(mine.answer.whole, sentences=(forged,))
    mine.answer = dataclasses.replace(mine.answer, whole=whole, explained=forged)
    app.run()
    assert app.subheader[0].value.replace("\u2060", "") == r"\!\[x\]\(http\://x\) \<b\>\*y\*\</b\>"


def test_the_address_holds_the_sentence(open_page_with_model: OpenPage) -> None:
    app = open_page_with_model("pages/home.py")
    app.query_params["sentence"] = "bonne nuit"
    app.switch_page(PAGE).run()
    assert app.text_input(key="sentence").value == "bonne nuit"
    assert app.subheader[0].value == "good night"


@pytest.mark.slow
def test_a_first_visitor_translates_portuguese(open_page: OpenPage, with_shipped: None) -> None:
    app = open_page(PAGE)
    assert app.selectbox(key="model_choice").value == "ted_pt_en"
    assert "Portuguese → English" in texts(app)
    assert "problem" in app.subheader[0].value  # este é um problema que temos que resolver
    assert "Reference translation" in texts(app)
    assert "**What it writes:**" in texts(app)
    assert "· score" not in texts(app)  # greedy decoding has none but log P
    assert not app.warning
    app = type_sentence(app, "O Benfica empatou a dois com o Sporting.")  # football is in no talk
    assert "Low confidence: on average" in app.warning[0].value
    assert "Low confidence in" not in app.warning[0].value  # there is no other sentence
    app = type_sentence(app, "Muito obrigado. O Benfica empatou a dois com o Sporting.")
    assert "Low confidence in sentence 2" in app.warning[0].value
    app = type_sentence(
        app, "O Benfica empatou a dois com o Sporting. O Benfica empatou a dois com o Sporting."
    )
    assert app.warning[0].value.endswith("Low confidence in sentence 2.")
    app = type_sentence(app, "This is a problem that we have to solve.")
    assert "This looks like English. The model reads Portuguese" in app.warning[0].value
    app = type_sentence(app, "este é um problema que temos que resolver .")
    app.segmented_control(key="search").set_value("beam").run()
    assert not app.exception
    assert "· score" in texts(app)
    assert "problem" in app.subheader[0].value
    assert len(app.dataframe[0].value) == 4
    app = type_sentence(app, "Eu moro em Lisboa. Onde é a biblioteca?")
    assert "2 parts in" in texts(app)
    app.selectbox(key="explained_sentence").set_value(1).run()
    assert "Onde é a biblioteca" in texts(app)
    answer = workspace_of(app).answer
    assert answer is not None
    assert answer.sentence.source == "Onde é a biblioteca?"
    assert answer.sentence.attention is not None
    assert workspace_of(app).model is None  # nothing was chosen, so nothing was kept
    app = type_sentence(app, "triceratops ☃")
    assert "spells words it has never seen" in app.info[-1].value


def test_the_model_is_changed_and_the_box_follows(open_page_with_model: OpenPage, with_shipped: None) -> None:
    app = open_page_with_model(PAGE)
    assert app.text_input(key="sentence").value == "j aime tensorflow"
    app.selectbox(key="model_choice").set_value("ted_pt_en").run()
    assert not app.exception
    assert (app.text_input(key="sentence").value or "").startswith("este é um problema")
    app = type_sentence(app, "obrigado")
    mine = workspace_of(app)
    app.selectbox(key="model_choice").set_value(mine.models[0].id).run()
    assert app.text_input(key="sentence").value == "j aime tensorflow"  # nobody asked it for Portuguese
    app.selectbox(key="model_choice").set_value("ted_pt_en").run()
    assert app.text_input(key="sentence").value == "obrigado"  # what a person typed comes back


def test_a_link_opens_the_shipped_model_it_names(open_page_with_model: OpenPage, with_shipped: None) -> None:
    app = open_page_with_model("pages/home.py")
    workspace_of(app).model = None
    app.query_params["model"] = "nonsense"
    app.switch_page(PAGE).run()
    assert not app.exception
    assert app.selectbox(key="model_choice").value == "ted_pt_en"


def test_a_long_text_is_cut_into_what_the_model_reads(open_page_with_model: OpenPage) -> None:
    app = type_sentence(open_page_with_model(PAGE), "je suis fatigué " * 40)
    answer = workspace_of(app).answer
    assert answer is not None
    assert len(answer.whole.sentences) > 1


def test_many_lines(open_page_with_model: OpenPage) -> None:
    app = open_page_with_model(PAGE)
    app.segmented_control(key="mode").set_value("lines").run()
    app.text_area(key="lines").set_value("bonne nuit\n\n🙂\nmerci")
    press(app, "Translate all lines")
    assert not app.exception
    table = app.dataframe[0].value
    assert list(table["source"]) == ["bonne nuit", "🙂", "merci"]
    assert list(table["translation"]) == ["good night", "", "thank you"]
    assert workspace_of(app).lines is not None
    app.switch_page("pages/home.py").run()
    app.switch_page(PAGE).run()
    app.segmented_control(key="mode").set_value("lines").run()
    assert len(app.dataframe[0].value) == 3  # still there


def test_lines_to_check_are_marked(open_page: OpenPage, with_shipped: None) -> None:
    app = open_page(PAGE)
    app.segmented_control(key="mode").set_value("lines").run()
    app.text_area(key="lines").set_value("Muito obrigado.\nO Benfica empatou a dois com o Sporting.")
    press(app, "Translate all lines")
    assert list(app.dataframe[0].value["to check"]) == ["", "low confidence"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (" \n ", "There are no words to translate"),
        ("a\n" * 501, "At most 500 lines are translated at once. Received: 501"),
        ("a" * 20_001, "At most 20,000 characters are translated at once"),
    ],
)
def test_lines_that_cannot_be_translated(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        lines_of(text, DecodingConfig())


def test_a_full_stop_that_was_added_is_said(open_page: OpenPage) -> None:
    app = open_page("pages/home.py")
    workspace_of(app).open_model(TrainedModel("Tiny", subword_checkpoint(needs_stop=True)))
    app.switch_page(PAGE).run()
    app = type_sentence(app, "a casa")
    assert "A full stop was added" in texts(app)
    assert r"\. · " in texts(app)  # among the tokens that it read
    app.switch_page("pages/attention_maps.py").run()
    assert not app.exception
    assert "A full stop was added" in texts(app)
    app.switch_page(PAGE).run()
    app = type_sentence(app, "a casa.")
    assert "A full stop was added" not in texts(app)


def forget_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages show how far a translation is at once; the test waits for it."""
    monkeypatch.setattr("pages.components.app.translating._SHORT", 0)
    monkeypatch.setattr("pages.components.app.translating._WAIT_SECONDS", 0.0)


class Gate:
    """Lets a model's translator begin a batch when the test says so."""

    def __init__(self, app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
        model = workspace_of(app).models[0]
        original = model.translator.translate_typed
        self.began, self._open = threading.Semaphore(0), threading.Semaphore(0)

        def translate_typed(*arguments: Any) -> Any:
            self.began.release()
            assert self._open.acquire(timeout=60)
            return original(*arguments)

        monkeypatch.setattr(model.translator, "translate_typed", translate_typed)

    def wait(self) -> None:
        assert self.began.acquire(timeout=60)

    def let(self) -> None:
        self._open.release()


def labels(app: AppTest) -> list[str]:
    return [button.label for button in app.button]


def test_a_long_text_shows_how_far_it_is_stops_and_goes_on(
    open_page_with_model: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_page_with_model(PAGE)
    gate = Gate(app, monkeypatch)
    forget_the_clock(monkeypatch)
    app = type_sentence(app, "merci. " * 40)
    mine = workspace_of(app)
    job = mine.translation
    assert job is not None and job.active
    assert "Stop" in labels(app) and not app.subheader
    gate.wait()
    app.switch_page("pages/home.py").run()  # it goes on while they look at another page
    gate.let()
    gate.wait()
    app.switch_page(PAGE).run()
    assert app.text_input(key="sentence").value == "merci. " * 40
    assert mine.translation is job  # not begun anew
    press(app, "Stop")
    gate.let()
    assert job.wait(60)
    app.run()
    assert mine.answer is not None
    assert (len(mine.answer.whole.sentences), mine.answer.whole.left) == (32, 8)
    assert "Look into one of the 32 sentences" in [box.label for box in app.selectbox]
    gate.let()
    press(app, "Continue")
    assert job.wait(60)
    app.run()
    assert mine.answer is not None
    assert (len(mine.answer.whole.sentences), mine.answer.whole.left) == (40, 0)
    assert not {"Stop", "Continue"} & set(labels(app))


def test_another_text_ends_the_one_before(
    open_page_with_model: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_page_with_model(PAGE)
    gate = Gate(app, monkeypatch)
    forget_the_clock(monkeypatch)
    app = type_sentence(app, "merci. " * 40)
    first = workspace_of(app).translation
    gate.wait()
    app = type_sentence(app, "bonne nuit")
    second = workspace_of(app).translation
    assert first is not None and second is not None and first is not second
    gate.let()
    gate.let()
    assert first.wait(60) and second.wait(60)
    assert (first.view().status, first.view().done) == (Status.STOPPED, 16)
    assert app.run().subheader[0].value == "good night"


def test_stopped_before_its_first_sentence(
    open_page_with_model: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_page_with_model(PAGE)
    forget_the_clock(monkeypatch)
    monkeypatch.setattr("pages.components.app.translating.translation_queue", lambda: JobQueue(0, 5))
    app = type_sentence(app, "merci")
    press(app, "Stop")
    job = workspace_of(app).translation
    assert job is not None and job.wait(60)
    app.run()
    assert "Continue" in labels(app) and not app.subheader
    app.switch_page("pages/attention_maps.py").run()
    assert not app.exception


def test_many_lines_stop_and_keep_what_is_done(
    open_page_with_model: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_page_with_model(PAGE)
    app.segmented_control(key="mode").set_value("lines").run()
    gate = Gate(app, monkeypatch)
    forget_the_clock(monkeypatch)
    app.text_area(key="lines").set_value("merci\n" * 20)
    press(app, "Translate all lines")
    job = workspace_of(app).lines_job
    assert job is not None
    gate.wait()
    press(app, "Stop")
    gate.let()
    assert job.wait(60)
    app.run()
    assert list(app.dataframe[0].value["translation"]) == ["thank you"] * 16
    gate.let()
    press(app, "Continue")
    assert job.wait(60)
    app.run()
    assert len(app.dataframe[0].value) == 20


@pytest.mark.slow
def test_many_beams_take_shorter_texts(open_page_with_model: OpenPage) -> None:
    app = open_page_with_model(PAGE)
    app.segmented_control(key="search").set_value("beam").run()
    app.slider(key="beams").set_value(8).run()
    app = type_sentence(app, "merci. " * 1000)
    assert "With 8 beams, at most 5,000 characters" in error_of(app)
    assert "use fewer beams. Received: 7,000." in error_of(app)
    with pytest.raises(ValueError, match="at most 5,000 characters"):
        lines_of("merci.\n" * 400 + "x" * 4000, DecodingConfig(beam_size=8))


def test_a_full_server_says_so(open_page_with_model: OpenPage, monkeypatch: pytest.MonkeyPatch) -> None:
    app = open_page_with_model(PAGE)
    monkeypatch.setattr("pages.components.app.translating._SHORT", 0)
    monkeypatch.setattr(
        "pages.components.app.translating.translation_queue", lambda: JobQueue(0, 0, "translating")
    )
    app = type_sentence(app, "bonne nuit")
    assert "Too many people are translating right now" in error_of(app)

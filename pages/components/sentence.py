"""Model, text and search in a row, and the translation that several pages look into."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import NoReturn

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.classroom.jobs import QueueFullError, Status, compute_gate
from core.classroom.models import TrainedModel
from core.classroom.settings import server_settings
from core.classroom.translation_job import (
    MAX_CHARACTERS_TIMES_BEAMS,
    Answer,
    TranslationJob,
    TranslationRequest,
    gated_steps,
)
from core.classroom.workspace import Workspace
from core.config import EXPLANATIONS, DecodingConfig
from core.inference.texts import TextRun
from core.records import Translation
from pages.components.content import first_words, plain
from pages.components.jobs import show_live_translation, translation_queue
from pages.components.menu import end_page
from pages.components.models import choose_model
from pages.components.session import require_navigation
from pages.components.state import choose, number_input, set_value, slider, text_input, toggle
from pages.components.style import apply_style
from pages.components.views import show_title

TEXT = "sentence"  # key of the box

_MAX_OPENED = 5_000  # characters of a text whose translation is looked into
_MAX_TEXTS = 8  # that are kept, one of each language
_MAX_SHOWN = 160  # characters of the translation: two lines of a projector's screen
_SHORT = 1000  # characters x hypotheses, which a page waits for; of more it shows how far it is
_WAIT_SECONDS = 1.0  # for a job that may be over soon

# Key of st.session_state: whose the model is that reads the box, and its language or its words.
_READER = "sentence_reader"
_TEXTS = "sentences_by_reader"  # the last text for each of those
_NUMBER = "explained_sentence"  # key of the menu
_NUMBERED = "explained_text"  # the text whose sentences it numbers


class TextError(ValueError):
    """A text the page cannot take; the message says why."""


def check_text(text: str, decoding: DecodingConfig, most: int) -> None:
    """Whether the page takes a text.

    Raises:
        TextError: it is blank, has more than `most` characters, or is too long for so many beams.
    """
    if not text.strip():
        raise TextError("There are no words to translate. Type a sentence.")
    if len(text) > most:
        raise TextError(
            f"The text has {len(text):,} characters; this page takes at most {most:,}. Shorten it."
        )
    check_work(text, decoding)


def check_work(text: str, decoding: DecodingConfig) -> None:
    """Whether a text is short enough for its beams.

    Raises:
        TextError: it is not.
    """
    most = MAX_CHARACTERS_TIMES_BEAMS // decoding.num_hypotheses
    if len(text) > most:
        what = "samples" if decoding.samples else "beams"
        raise TextError(
            f"With {decoding.num_hypotheses} {what}, at most {most:,} characters are translated at once. Shorten the "
            f"text or use fewer {what}. Received: {len(text):,}."
        )


def control_row(name: str) -> DeltaGenerator:
    """A place for columns of widgets that stay side by side on a phone too.

    Args:
        name: once a page.
    """
    return st.container(key=f"row_{name}")


def show_sentence_row(workspace: Workspace) -> tuple[TrainedModel, str, DeltaGenerator]:
    """The row. Where there is no model, the page's run ends here.

    Returns:
        The model, the text, and where more may be folded away, below the examples.
    """
    apply_style("sentence.css")
    with control_row("sentence"):
        menu, box, more = st.columns([7, 12, 2], vertical_alignment="bottom")
    model = choose_model(workspace, menu)
    with box:
        text = _ask_text(workspace, model)
    with more:
        folded = st.popover("", icon=":material/tune:", help="Examples, and more choices", width="stretch")
    if examples := [pair.source for pair in model.checkpoint.examples]:
        key = f"example_{model.id}"
        folded.pills(
            "Examples", examples, format_func=label_of_example, key=key, on_change=_take_example, args=(key,)
        )
    return model, text, folded


def _ask_text(workspace: Workspace, model: TrainedModel) -> str:
    """A box for a text in the model's language; it is never empty at first."""
    example = model.first_example.source if model.first_example else ""
    _change_reader(workspace, model, example)
    # In a form, leaving the box to press the button does not run the page once more.
    with st.form("text", border=False):
        field, button = st.columns([7, 2], vertical_alignment="bottom")
        with field:
            text = text_input(
                f"A text in {model.source_language}" if model.source_language else "A text to translate",
                example,
                key=TEXT,
                placeholder="Type or paste one sentence or several",
            )
        button.form_submit_button("Translate", type="primary", width="stretch")
    return text


def _change_reader(workspace: Workspace, model: TrainedModel, example: str) -> None:
    """Where a model reads other words than the one before, the box has what it was asked in its own, or an example.

    What a link asks stays, also where a reloaded tab has got its own models back meanwhile.
    """
    reads = model.source_language if model.is_subword else model.checkpoint.source_tokenizer.vocabulary.tokens
    owner, before = st.session_state.get(_READER, (workspace.id, reads))
    set_value(_READER, (workspace.id, reads))
    if before == reads or (owner != workspace.id and TEXT in st.query_params):
        return
    texts = st.session_state.setdefault(_TEXTS, {})
    texts[before] = st.session_state.get(TEXT, "")
    while len(texts) > _MAX_TEXTS:
        del texts[next(iter(texts))]
    set_value(TEXT, texts.get(reads) or example)


def label_of_example(example: str) -> str:
    """The beginning of an example; Streamlit reads labels as Markdown."""
    return plain(first_words(example))


def _take_example(key: str) -> None:
    if chosen := st.session_state.get(key):
        set_value(TEXT, chosen)


def decoding_settings(
    may_sample: bool = True, in_detail: bool = False, explains: bool = False
) -> DecodingConfig:
    """Show greedy search, beam search or sampling with its settings.

    Args:
        may_sample: whether sampling is offered.
        in_detail: on the page about searches: all settings of sampling, and no label over the choice.
        explains: on a page that looks into a translation, which is greedy while other pages sample, unless asked.
    """
    ways = {"greedy": "Greedy", "beam": "Beam search", "sample": "Sampling"}
    if not may_sample:
        del ways["sample"]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        search = choose(
            "Decoding",
            ways,
            key="search",
            help="Greedy takes the most likely token at each step. Beam search keeps several hypotheses and can find a "
            "sentence that is more likely as a whole. Sampling draws each token according to its probability.",
            hide_label=in_detail,
        )
        if search == "beam":
            return _beam_settings()
        hint = "Off: this page looks into the greedy translation while Translate and Decoding sample."
        if search == "sample" and (not explains or toggle("Look into a sample", False, "explain", help=hint)):
            return _sampling_settings(in_detail)
        return DecodingConfig()


def _beam_settings() -> DecodingConfig:
    beam_size = slider("Beams", 2, 8, 4, key="beams", help=EXPLANATIONS["beam_size"])
    length_penalty = slider(
        "Length penalty", 0.0, 2.0, 0.6, key="penalty", step=0.1, help=EXPLANATIONS["length_penalty"]
    )
    return DecodingConfig(beam_size=beam_size, length_penalty=length_penalty)


def _sampling_settings(in_detail: bool) -> DecodingConfig:
    samples = slider("Samples", 1, 8, 4, key="samples", help=EXPLANATIONS["samples"])
    temperature = slider(
        "Temperature", 0.0, 2.0, 0.7, key="temperature", step=0.1, help=EXPLANATIONS["temperature"]
    )
    if not in_detail:
        return DecodingConfig(samples=samples, temperature=temperature)
    with st.popover("More", help="Top-k, top-p and the seed"):
        top_k = number_input("Top-k", 0, 1000, 0, key="top_k", help=EXPLANATIONS["top_k"])
        top_p = slider("Top-p", 0.05, 1.0, 1.0, key="top_p", step=0.05, help=EXPLANATIONS["top_p"])
        seed = number_input("Seed", 0, 2**31 - 1, 42, key="seed", help=EXPLANATIONS["seed"])
    return DecodingConfig(samples=samples, temperature=temperature, top_k=top_k, top_p=top_p, seed=seed)


def answer_or_end(
    workspace: Workspace, model: TrainedModel, text: str, decoding: DecodingConfig, most: int
) -> Answer:
    """Translate a text, show how far it is while it lasts, and explain one sentence of it.

    The page's run ends here where the text cannot be translated, or is not yet.

    Args:
        workspace: of the person.
        model: translates.
        text: of one sentence or several.
        decoding: how to search.
        most: characters that this page takes, where the server takes as many.
    """
    try:
        check_text(text, decoding, min(most, server_settings().max_text))
        answer = _answer_of(workspace, TranslationRequest(model, (text,), decoding))
    except ValueError as error:
        end_with(error)
    if workspace.translation is not None and (answer is None or answer.whole.left):
        show_live_translation(workspace.translation)
    if answer is None:
        end_page()
    return answer


def _answer_of(workspace: Workspace, request: TranslationRequest) -> Answer | None:
    """Translate a text and explain one of its sentences, or give back what was answered before.

    Args:
        workspace: keeps the answer, and the job that makes it where the text is long.
        request: one text.

    Returns:
        The answer; None where `workspace.translation` is on its way, or was stopped before its first sentence.

    Raises:
        TextError: the text cannot be translated, or too many people wait.
        TranslationError: it has no words, or a sentence has too much attention to show.
    """
    answer = workspace.answer
    if answer is None or not _is_still_right(answer, request, workspace.translation):
        if len(request.texts[0]) * request.decoding.num_hypotheses <= _SHORT:
            workspace.stop_translation()
            answer = _translated_here(request)
        else:
            answer = _translated_by_job(workspace, request)
    return _explained(workspace, answer) if answer else None


def _is_still_right(answer: Answer, request: TranslationRequest, job: TranslationJob | None) -> bool:
    """Whether an answer is to what is asked, and the job has not come further since."""
    if (answer.model, (answer.text,), answer.decoding) != (request.model, request.texts, request.decoding):
        return False
    if not answer.whole.left or job is None or job.work.request != request:
        return True
    return not job.active and any(text is answer.whole for text in job.view().progress.texts)


def _translated_here(request: TranslationRequest) -> Answer:
    """Translate in the page's run.

    Raises:
        TranslationError: the text has no words, or the weights overflow.
    """
    began = time.monotonic()
    run = TextRun(request.model.translator, request.texts, request.decoding)
    for _ in gated_steps(run):
        pass
    seconds = time.monotonic() - began
    return Answer(request.model, request.texts[0], request.decoding, run.result()[0], seconds)


def _translated_by_job(workspace: Workspace, request: TranslationRequest) -> Answer | None:
    """What has become of a text, after waiting for it a little; None where there is nothing of it yet."""
    job = workspace.translation
    if job is None or job.work.request != request:
        try:
            job = workspace.start_translation(request, translation_queue())
        except QueueFullError as error:
            raise TextError(str(error)) from error
    wait_a_little(job)
    view = job.view()
    if view.active:
        return None
    if view.status is Status.FAILED:
        workspace.translation = None  # the next run tries again
        raise TextError(view.message)
    texts = view.progress.texts
    return (
        Answer(request.model, request.texts[0], request.decoding, texts[0], view.seconds) if texts else None
    )


def wait_a_little(job: TranslationJob) -> None:
    """Wait for what is over soon; of what takes longer, a page shows how far it is."""
    job.wait(_WAIT_SECONDS)


def choose_sentence(workspace: Workspace, answer: Answer) -> Answer:
    """The same answer about the sentence that is explained; where the text has several, people choose."""
    if st.session_state.get(_NUMBERED, answer.text) != answer.text:
        set_value(_NUMBER, 0)  # another text begins with its first sentence
    set_value(_NUMBERED, answer.text)
    sentences = answer.whole.sentences
    if len(sentences) == 1:
        return answer
    number = choose(
        f"Look into one of the {len(sentences)} sentences",
        {n: f"{n + 1}. {first_words(sentence.source, 90)}" for n, sentence in enumerate(sentences)},
        key=_NUMBER,
        look="menu",
    )
    try:
        return _explained(workspace, answer.about(number))
    except ValueError as error:
        end_with(error)


def _explained(workspace: Workspace, answer: Answer) -> Answer:
    """Explain the answer's sentence, and keep both."""
    if answer.explained is None:
        with compute_gate():
            answer = replace(answer, explained=answer.model.translator.explain(answer.sentence))
    workspace.answer = answer
    return answer


def end_with(error: ValueError) -> NoReturn:
    """Say what went wrong, and end the page's run."""
    st.error(plain(str(error)), icon=":material/error:")
    end_page()


def say_stop_added(translation: Translation) -> None:
    """Say that the model read a full stop which nobody typed, wherever tokens are shown."""
    if translation.stop_added:
        st.caption(
            "A full stop was added, because this model works best with sentences that end in punctuation; it is left out "
            "of the translation."
        )


def say_unknown(model: TrainedModel, translation: Translation) -> None:
    """Name what the model has no token for, and say why; above the translation, which it explains."""
    tokens = zip(translation.source_tokens, translation.unknown, strict=True)
    unknown = dict.fromkeys(token for token, is_unknown in tokens if is_unknown)
    if unknown:
        named = ", ".join(f"“{plain(first_words(token))}”" for token in unknown)
        st.info(
            f"**Unknown to the model: {named}.** "
            + (
                "It spells new words with subwords; only characters that are in none of them are unknown."
                if model.is_subword
                else "It knows only the words it was trained on, and reads all others as the same unknown token."
            ),
            icon=":material/help:",
        )


def show_translation(workspace: Workspace, page: str, search_on_page: bool = False) -> Answer:
    """The title, model and text in a row, and the translation below.

    The page's run ends here where there is none: there is no model, the text cannot be translated, or is not yet.

    Args:
        workspace: of the person.
        page: its address.
        search_on_page: whether the search is chosen on the page itself, not behind a button.

    Returns:
        The translation, with one sentence of it explained.
    """
    require_navigation()
    show_title(page)
    model, text, folded = show_sentence_row(workspace)
    with st.container() if search_on_page else folded:
        decoding = decoding_settings(in_detail=search_on_page, explains=not search_on_page)
    answer = answer_or_end(workspace, model, text, decoding, _MAX_OPENED)
    answer = choose_sentence(workspace, answer)
    translation = answer.sentence
    say_unknown(model, translation)
    shown = plain(first_words(translation.text, _MAX_SHOWN))
    st.markdown(f"→ **{shown or '(an empty translation: the model ends immediately)'}**")
    say_stop_added(translation)
    return answer

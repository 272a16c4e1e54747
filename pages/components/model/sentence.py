"""The row of model, text and search, and the translation that several pages analyze."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.config import DecodingConfig
from core.errors import InputError
from core.language import _, number, quoted
from core.records.text import Translation
from core.server.jobs import JobState, Status
from core.server.settings import server_settings
from core.server.trained_model import TrainedModel
from core.server.translation_job import (
    MAX_CHARACTERS_TIMES_BEAMS,
    ChosenSentence,
    TextResult,
    TranslationJob,
    TranslationProgress,
    TranslationRequest,
)
from core.server.workspace import Workspace
from pages.components.explaining.view import show_title
from pages.components.frame.presenting import is_presenting
from pages.components.frame.visit import Visit
from pages.components.model.analysis import analyze
from pages.components.model.choice import choose_model
from pages.components.model.progress import show_live_translation
from pages.components.widgets.numbers import offer_examples
from pages.components.widgets.settings import ask_setting
from pages.components.widgets.state import (
    asked_for,
    choose,
    has_changed,
    set_value,
    text_input,
    toggle,
)
from pages.components.widgets.telling import show_problem
from pages.content.markdown import first_words, plain
from pages.content.reader import PAGE_TEXTS

Result = TypeVar("Result")

TEXT = "sentence"  # key of the text box

_MAX_ANALYZED = 5_000  # characters of an analyzed text
_MAX_TEXTS = 8  # kept texts, one per language
_MAX_SHOWN = 160  # characters of the translation: two lines of a projector's screen
_WAIT_SECONDS = 1.0  # for a short text; a page shows the progress of a longer one

# Key of the choice of search on a page that does not sample, while others do.
_SEARCH_WITHOUT_SAMPLING = "search_without_sampling"

# Keys of st.session_state.
_READER = "sentence_reader"  # the workspace, and the language or the words that its model reads
_TEXTS = "sentences_by_reader"  # the last text for each language or set of words
_EXAMPLE = "sentence_example"  # what the box began with on the last page
_NUMBER = "explained_sentence"  # the menu of sentences
_NUMBERED = "explained_text"  # the text whose sentences the menu numbers


def _check_text(text: str, decoding: DecodingConfig, most: int) -> None:
    """Check that the page can take a text."""
    if not text.strip():
        raise InputError(_("There are no words to translate. Type a sentence."))
    if len(text) > most:
        raise InputError(
            _("The text has {count} characters; this page takes at most {most}. Shorten it.").format(
                count=number(len(text), ","), most=number(most, ",")
            )
        )
    check_work(text, decoding)


def check_work(text: str, decoding: DecodingConfig) -> None:
    """Check that a text is short enough for its beams or samples.

    Raises:
        InputError: The text is too long.
    """
    most = MAX_CHARACTERS_TIMES_BEAMS // decoding.num_hypotheses
    if len(text) > most:
        problem = (
            _(
                "With {count} samples, at most {most} characters are translated at once. Shorten the text or use fewer "
                "samples. Received: {received}."
            )
            if decoding.samples
            else _(
                "With {count} beams, at most {most} characters are translated at once. Shorten the text or use fewer "
                "beams. Received: {received}."
            )
        )
        raise InputError(
            problem.format(
                count=decoding.num_hypotheses, most=number(most, ","), received=number(len(text), ",")
            )
        )


def show_sentence_row(
    visit: Visit, examples_of_page: Mapping[str, str] | None = None
) -> tuple[TrainedModel, str, DeltaGenerator] | None:
    """Show the row.

    Args:
        visit: on the page that shows it.
        examples_of_page: the sentence to begin with, by the source language of a subword model, where the model's first
            example is not it.

    Returns:
        The model, the text, and the popover below the examples, for more controls; None without a model.
    """
    bar = f"bar_sentence_{visit.page.address}"
    if is_presenting():  # all behind one button of the bar
        # Not a popover: while one is closed, Streamlit (1.67) keeps sending the values that its widgets had when it was
        # last open, and a step's model and sentence would be lost.
        with visit.in_bar("sentence"):
            menu = box = folded = st.expander(_("Sentence"), key=bar, on_change="rerun").container()
    else:
        with st.container(key="row_sentence"):  # on a phone, its columns stay side by side
            menu, box, more = st.columns([7, 12, 2], vertical_alignment="bottom")
        folded = more.popover(
            "", icon=":material/tune:", help=_("Examples and more settings"), width="stretch"
        )
    model = choose_model(visit, menu)
    if model is None:
        return None
    with box:
        first = model.first_example.source if model.first_example else ""
        example = (examples_of_page or {}).get(model.source_language, first) if model.is_subword else first
        text = _ask_text(visit.workspace, model, example, partial(_close, bar))
    if examples := [pair.source for pair in model.checkpoint.examples]:
        with folded:
            offer_examples(_("Examples"), examples, f"example_{model.id}", TEXT, partial(_close, bar))
    return model, text, folded


def _ask_text(workspace: Workspace, model: TrainedModel, example: str, on_submit: Callable[[], None]) -> str:
    """Ask for a text in the model's language; the box starts with an example, and another page's gives way to it."""
    _change_reader(workspace, model, example)
    if st.session_state.get(_EXAMPLE) == st.session_state.get(TEXT) and TEXT not in st.query_params:
        set_value(TEXT, example)
    set_value(_EXAMPLE, example)
    # In a form, leaving the box to click the button does not run the page once more.
    with st.form("text", border=False):
        field, button = st.columns([7, 2], vertical_alignment="bottom")
        with field:
            text = text_input(
                _("A text in {language}").format(language=_(model.source_language))
                if model.source_language
                else _("A text to translate"),
                example,
                key=TEXT,
                placeholder=_("Type or paste one sentence or several"),
            )
        button.form_submit_button(
            _("Translate"), type="primary", width="stretch", key="translate_text", on_click=on_submit
        )
    return text


def _change_reader(workspace: Workspace, model: TrainedModel, example: str) -> None:
    """Swap the text when the model's language or words change: its last text comes back, or an example.

    A text from a link stays, even after a reloaded tab got its own models back.
    """
    spelled = model.is_subword and model.source_language
    reads = spelled or model.checkpoint.source_tokenizer.vocabulary.tokens
    owner, before = st.session_state.get(_READER, (workspace.id, reads))
    set_value(_READER, (workspace.id, reads))
    if before == reads or (owner != workspace.id and TEXT in st.query_params):
        return
    texts = st.session_state.setdefault(_TEXTS, {})
    texts[before] = st.session_state.get(TEXT, "")
    while len(texts) > _MAX_TEXTS:
        del texts[next(iter(texts))]
    set_value(TEXT, texts.get(reads) or example)


def _close(bar: str) -> None:
    """Close the presenter's box, which would cover the translation."""
    if bar in st.session_state:
        st.session_state[bar] = False


def decoding_settings(
    may_sample: bool = True, in_detail: bool = False, explains: bool = False
) -> DecodingConfig:
    """Ask for greedy decoding, beam search or sampling, with its settings.

    Args:
        may_sample: whether sampling is offered. If not, the page has a choice of its own while other pages sample.
        in_detail: whether to show all settings of sampling, and no label: for the page about decoding.
        explains: whether the page analyzes a translation: it stays greedy while other pages sample, unless asked.
    """
    ways = {name: view.title for name, view in PAGE_TEXTS["decoding"].views.items()}
    key = "search"
    if not may_sample:
        del ways["sample"]
        own = _SEARCH_WITHOUT_SAMPLING
        if st.session_state.get(key) == "sample" or asked_for(own):
            key = _SEARCH_WITHOUT_SAMPLING
    with st.container(horizontal=True, vertical_alignment="bottom"):
        search = choose(
            _("Decoding"),
            ways,
            key=key,
            help=_(
                "Greedy takes the most likely token at each step. Beam search keeps several hypotheses and can find a "
                "sentence that is more likely as a whole. Sampling draws each token according to its probability."
            ),
            hide_label=in_detail,
        )
        decoding = DecodingConfig()
        hint = _("Off: this page analyzes the greedy translation while Translate and Decoding show samples.")
        if search == "beam":
            decoding = _beam_settings()
        elif search == "sample" and (
            not explains or toggle(_("Look into a sample"), False, "explain", help=hint)
        ):
            decoding = _sampling_settings(in_detail)
        return decoding


def _beam_settings() -> DecodingConfig:
    beam_size = ask_setting("beam_size", 4, "beams")
    length_penalty = ask_setting("length_penalty", 0.6, "penalty")
    return DecodingConfig(beam_size=beam_size, length_penalty=length_penalty)


def _sampling_settings(in_detail: bool) -> DecodingConfig:
    samples = ask_setting("samples", 4, "samples")
    temperature = ask_setting("temperature", 0.7, "temperature")
    if not in_detail:
        return DecodingConfig(samples=samples, temperature=temperature)
    with st.popover(_("More"), help=_("Top-k, top-p and the seed")):
        top_k = ask_setting("top_k", 0, "top_k")
        top_p = ask_setting("top_p", 1.0, "top_p")
        seed = ask_setting("seed", 42, "seed")
    return DecodingConfig(samples=samples, temperature=temperature, top_k=top_k, top_p=top_p, seed=seed)


def try_to_translate(
    workspace: Workspace, model: TrainedModel, text: str, decoding: DecodingConfig, most: int
) -> TextResult | None:
    """Translate a text, with a progress bar if it takes long.

    Return None, with a message, if it cannot be translated or is not finished yet. The page takes `most` characters;
    the server may take fewer.
    """
    request = TranslationRequest(model, (text,), decoding, explains=True)
    try:
        _check_text(text, decoding, min(most, server_settings().max_text))
        job = workspace.jobs.translate(request)
    except InputError as error:
        show_problem(error)
        return None
    state = state_after_wait(job)
    if state.status is Status.FAILED:
        workspace.jobs.stop_translation()  # the next run tries again
        show_problem(state.message)
        return None
    if state.status is not Status.FINISHED:
        show_live_translation(job, state)
    texts = state.progress.texts
    if state.active or not texts:
        return None
    return TextResult(job.work, texts[0], state.seconds)


def state_after_wait(job: TranslationJob) -> JobState[TranslationProgress]:
    """Return the state of a job, after as long as a short text takes."""
    job.wait(_WAIT_SECONDS)
    return job.state()


def choose_sentence(result: TextResult) -> ChosenSentence | None:
    """Return the sentence to explain; a menu chooses it if the text has several.

    Return None, with a message, if what the model computes for it is too large to show.
    """
    if has_changed(_NUMBERED, result.text):
        set_value(_NUMBER, 0)  # a new text starts with its first sentence
    sentences = result.whole.sentences
    chosen = 0
    if len(sentences) > 1:
        chosen = choose(
            _("Look into one of the {count} sentences").format(count=len(sentences)),
            {n: f"{n + 1}. {first_words(sentence.source, 90)}" for n, sentence in enumerate(sentences)},
            key=_NUMBER,
            look="menu",
        )
    try:
        explained = result.work.explain(chosen)
    except ValueError as error:
        show_problem(error)
        return None
    return ChosenSentence(result.model, result.decoding, chosen, explained)


def try_to_analyze(model: TrainedModel, function: Callable[..., Result], *arguments: Any) -> Result | None:
    """Return an analysis (see `analyze`); None, with a message, if it is impossible or takes too long."""
    try:
        return analyze(model, function, *arguments)
    except ValueError as error:
        show_problem(error)
        return None


def show_period_added(translation: Translation) -> None:
    """Say that a full stop was added to the sentence, wherever tokens are shown."""
    if translation.full_stop_added:
        st.caption(_("A full stop was added for the model; the translation leaves it out."))


def show_unknown_tokens(model: TrainedModel, translation: Translation) -> None:
    """Name what the model has no token for, and say why."""
    tokens = zip(translation.source_tokens, translation.unknown, strict=True)
    unknown = dict.fromkeys(token for token, is_unknown in tokens if is_unknown)
    if unknown:
        named = ", ".join(quoted(plain(first_words(token))) for token in unknown)
        why = (
            _("It spells new words with subwords; only characters that are in none of them are unknown.")
            if model.is_subword
            else _(
                "It knows only the tokens it was trained on, and reads all others as the same unknown token."
            )
        )
        about = _("**Unknown to the model: {tokens}.**").format(tokens=named)
        st.info(f"{about} {why}", icon=":material/help:")


def lay_out_translation(visit: Visit) -> tuple[DeltaGenerator, DeltaGenerator]:
    """Return the places of what there is to say of a sentence and of its translation: in the presenter's bar, or here."""
    return visit.bar.get("above") or st.container(), visit.bar.get("translation") or st.container()


def show_translation(
    visit: Visit,
    search_on_page: bool = False,
    is_in_figure: bool = False,
    examples_of_page: Mapping[str, str] | None = None,
) -> ChosenSentence | None:
    """Show the title, the row of model and text, and the translation below.

    Args:
        visit: on the page that explains the translation.
        search_on_page: whether the search is chosen on the page itself, not behind a button.
        is_in_figure: whether the page's figure has the translation too, which is enough on a projector.
        examples_of_page: as for `show_sentence_row`.

    Returns:
        The sentence that the page is about; None without a model, or if the text has no translation (yet).
    """
    show_title(visit)
    row = show_sentence_row(visit, examples_of_page)
    if row is None:
        return None
    model, text, folded = row
    with visit.in_bar("row") if search_on_page else folded:
        decoding = decoding_settings(in_detail=search_on_page, explains=not search_on_page)
    result = try_to_translate(visit.workspace, model, text, decoding, _MAX_ANALYZED)
    chosen = choose_sentence(result) if result is not None else None
    if chosen is None:
        return None
    translation = chosen.sentence
    said, written = lay_out_translation(visit)
    with said:
        show_unknown_tokens(model, translation)
    shown = plain(first_words(translation.text, _MAX_SHOWN))
    if not (is_in_figure and is_presenting()):
        empty = _("(an empty translation: the model ends immediately)")
        written.markdown(f"→ **{shown or empty}**")
    show_period_added(translation)
    return chosen

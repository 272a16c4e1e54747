"""The beginning that a person makes the model go on from: kept for one sentence, and in the address."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.classroom.translation_job import Answer
from core.tokens.base import Tokenizer
from pages.components.decoding.beginning import Beginning, BeginningError
from pages.components.widgets.memory import Memory, sent_value, set_value
from pages.components.widgets.words import plain

STEP = "at"  # key of the slider over the steps, and its name in the address

_KEY = "said"
_BELONGS_TO = "said_belongs_to"  # keys of st.session_state
_CHANGED = "said_changed"
_TYPED = "beginning"
_BOX = f"{_TYPED}_text"
_PROBLEM = "beginning_problem"


def current_beginning(answer: Answer, most: int) -> Beginning:
    """What the translation shall begin with; nothing where that was said of another sentence, or a link makes no sense.

    Args:
        answer: with the sentence.
        most: tokens of a translation.
    """
    memory = Memory(_KEY, "", str)
    text = memory.load()
    sentence = (answer.model.id, answer.sentence.read)
    before = st.session_state.get(_BELONGS_TO, (sentence, text))
    if before[0] != sentence and before[1] == text:  # it was said of another sentence
        text = _forget(memory)
    try:
        beginning = Beginning.from_address(text)
        beginning.check(answer.model.checkpoint.target_tokenizer.vocabulary, most)
    except BeginningError as error:
        st.warning(f"The beginning in the link was left out. {error}", icon=":material/link_off:")
        text, beginning = _forget(memory), Beginning()
    st.session_state[_BELONGS_TO] = (sentence, text)
    return beginning


def rerun_if_said() -> None:
    """In a fragment: the whole page runs again where what is said has changed since it ran."""
    if st.session_state.pop(_CHANGED, False):
        st.rerun()


def offer_tokens(
    options: dict[int, str], position: int, written: tuple[int, ...], beginning: Beginning
) -> None:
    """Tokens to say instead of the one at a position, from 0."""
    key = f"say_{position}_{hash(written)}"
    st.pills(
        "Choose another token",
        list(options),
        format_func=lambda token_id: plain(options[token_id]),
        key=key,
        on_change=_say,
        args=(key, beginning, written, position),
        help="The model continues from the token you press.",
    )


def show_undo_said(beginning: Beginning) -> None:
    """The button that takes back what was forced last."""
    st.button(
        "Undo",
        icon=":material/undo:",
        on_click=partial(_set, beginning.undone()),
        disabled=not beginning.ids,
        help="Take back the last token that you chose.",
    )


def show_said(beginning: Beginning, tokenizer: Tokenizer) -> None:
    """What was said, with its Undo, where no step shows it; nothing where nothing was said."""
    if beginning.ids:
        text, undo = st.columns([7, 1], vertical_alignment="center")
        text.markdown(f"Your beginning: **{plain(tokenizer.decode(beginning.ids))}** …")
        with undo:
            show_undo_said(beginning)


def ask_beginning(tokenizer: Tokenizer, most: int) -> None:
    """A box for words that the translation shall begin with.

    Args:
        tokenizer: of the target language.
        most: tokens of a translation.
    """
    with st.form(_TYPED, border=False):
        field, button = st.columns([2, 1], vertical_alignment="bottom")
        field.text_input("Or type a beginning", key=_BOX, max_chars=200)
        button.form_submit_button("Go on", on_click=_begin_so, args=(tokenizer, most), width="stretch")
    if problem := st.session_state.pop(_PROBLEM, ""):
        st.error(plain(problem), icon=":material/error:")


def _forget(memory: Memory[str]) -> str:
    set_value(_KEY, "")
    return memory.load()


def _set(beginning: Beginning) -> None:
    set_value(_KEY, beginning.to_address())
    st.session_state[_CHANGED] = True


def _say(key: str, beginning: Beginning, written: tuple[int, ...], position: int) -> None:
    chosen = sent_value(key)
    if chosen is not None:
        _set(beginning.with_token(written, position, chosen))


def _begin_so(tokenizer: Tokenizer, most: int) -> None:
    text = sent_value(_BOX)
    if text is None:
        return
    ids = tokenizer.encode(text)
    unknown = [
        token
        for token, token_id in zip(tokenizer.tokens(text), ids, strict=True)
        if token_id == tokenizer.vocabulary.unknown_id
    ]
    if unknown:
        st.session_state[_PROBLEM] = f"The model has no token for “{unknown[0]}”. Begin with other words."
        return
    beginning = Beginning.typed(ids)
    try:
        beginning.check(tokenizer.vocabulary, most)
    except BeginningError as error:
        st.session_state[_PROBLEM] = f"The model cannot go on from there. {error}"
        return
    _set(beginning)
    st.session_state[_BOX] = ""  # what was typed stands beside it now, and in the address
    set_value(STEP, len(ids) + 1)

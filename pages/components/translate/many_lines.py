"""Many texts at once: one a line in, a table and a CSV file out."""

from __future__ import annotations

import time
from dataclasses import dataclass
from statistics import fmean

import pandas as pd
import streamlit as st

from core.classroom.limits import MAX_LINES, MAX_TEXT
from core.classroom.names import file_name
from core.classroom.trained_model import TrainedModel
from core.classroom.workspace import Workspace
from core.config import DecodingConfig
from pages.components.app.translating import TextError
from pages.components.widgets.words import brief, duration, plain

_AT_ONCE = 16  # lines between two steps of the progress bar
_LINES = "lines"


@dataclass(frozen=True)
class Line:
    """One text and its translation."""

    source: str
    translation: str
    score: float | None  # mean over its sentences; None where there was nothing to translate


@dataclass(frozen=True)
class LinesAnswer:
    """Many texts, translated."""

    model: TrainedModel
    decoding: DecodingConfig
    lines: tuple[Line, ...]
    seconds: float

    def to_csv(self) -> bytes:
        """With a byte order mark, so that spreadsheets read the accents."""
        return _frame(self).to_csv(index=False).encode("utf-8-sig")


def show_many_lines(mine: Workspace, model: TrainedModel, decoding: DecodingConfig) -> None:
    """A box for the lines, and what became of the last ones."""
    if _LINES not in st.session_state:
        st.session_state[_LINES] = "\n".join(pair.source for pair in model.checkpoint.examples)
    text = st.text_area(
        f"One text in {model.source_language or 'the source language'} a line", key=_LINES, height=220
    )
    if st.button("Translate all lines", type="primary", icon=":material/translate:"):
        try:
            mine.lines = _translate(model, lines_of(text), decoding)
        except ValueError as error:
            st.error(plain(str(error)), icon=":material/error:")
    if mine.lines is not None:
        _show(mine.lines)


def lines_of(text: str) -> list[str]:
    """The lines that are not blank.

    Raises:
        TextError: there are none, or too many, or too long ones.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        raise TextError("There are no words to translate. Type one text a line.")
    if len(lines) > MAX_LINES:
        raise TextError(f"At most {MAX_LINES:,} lines are translated at once. Received: {len(lines):,}.")
    if len(text) > MAX_TEXT:
        raise TextError(f"At most {MAX_TEXT:,} characters are translated at once. Received: {len(text):,}.")
    return lines


def _translate(model: TrainedModel, texts: list[str], decoding: DecodingConfig) -> LinesAnswer:
    started = time.monotonic()
    bar = st.progress(0.0, text="Loading TensorFlow and compiling the search, the first time.")
    lines: list[Line] = []
    for first in range(0, len(texts), _AT_ONCE):
        lines += _translate_some(model, texts[first : first + _AT_ONCE], decoding)
        seconds = time.monotonic() - started
        left = seconds / len(lines) * (len(texts) - len(lines))
        bar.progress(
            len(lines) / len(texts),
            text=f"Line {len(lines):,} of {len(texts):,} · about {duration(left)} left",
        )
    bar.empty()
    return LinesAnswer(model, decoding, tuple(lines), time.monotonic() - started)


def _translate_some(model: TrainedModel, texts: list[str], decoding: DecodingConfig) -> list[Line]:
    """A line without words stays without a translation: one emoji must not cost the others theirs."""
    translator = model.translator  # before the import: it loads TensorFlow in the one place for that
    from core.decoding.long_text import translate_texts

    with_words = [text for text in texts if model.checkpoint.source_tokenizer.tokens(text)]
    found = iter(translate_texts(translator, with_words, decoding))
    lines = []
    for text in texts:
        if not model.checkpoint.source_tokenizer.tokens(text):
            lines.append(Line(text, "", None))
            continue
        whole = next(found)
        lines.append(Line(text, whole.text, fmean(sentence.best.score for sentence in whole.sentences)))
    return lines


def _show(answer: LinesAnswer) -> None:
    count = len(answer.lines)
    st.caption(
        f"{count:,} line{'s' if count > 1 else ''} by **{plain(answer.model.name)}** in {brief(answer.seconds)}. "
        "The score is the model's own: log P by length, mean over a line's sentences. Nearer to 0 means surer."
    )
    st.dataframe(
        _frame(answer),
        hide_index=True,
        column_config={"score": st.column_config.NumberColumn(format="%.3f")},
        alt="Each line with its translation and score",
    )
    st.download_button(
        "Download as CSV",
        data=answer.to_csv,
        file_name=f"translations-{file_name(answer.model.name)}.csv",
        mime="text/csv",
        icon=":material/download:",
        on_click="ignore",
    )


def _frame(answer: LinesAnswer) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "source": [line.source for line in answer.lines],
            "translation": [line.translation for line in answer.lines],
            "score": [line.score for line in answer.lines],
        }
    )

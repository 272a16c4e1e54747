"""The upload of a file of sentence pairs, with choices where its columns, encoding or heading are not certain."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import streamlit as st

from core.corpora.delimited import MAX_PAIRS, FileFormat, read_pairs, recognize_format
from core.corpora.encoding import ENCODINGS
from core.corpora.languages import UNKNOWN_LANGUAGE, language_name, languages_of
from core.errors import InputError
from core.language import _, ngettext, number
from core.records.text import Pair
from pages.components.frame.uploads import allow_upload
from pages.content.markdown import plain

_MAX_PAIRS_BYTES = 2**20  # the size limit of an uploaded file of pairs

Keep = Callable[[str, tuple[Pair, ...]], None]


@dataclass(frozen=True)
class _Reading:
    """How the uploaded file was read last."""

    problem: str = ""  # in Markdown
    note: str = ""  # in Markdown
    # Before anything was chosen, without the text; what is in doubt can be chosen.
    recognized: FileFormat | None = None
    found: FileFormat | None = None  # as chosen, without the text


def ask_pairs_file(label: str, key: str, keep: Keep, max_pairs: int = MAX_PAIRS) -> None:
    """Show an uploader for a file of pairs, what was read, and menus for what the file leaves open.

    Args:
        label: the text above the uploader.
        key: the uploader's key in st.session_state, and the beginning of the others.
        keep: called with the file's name and its pairs, or none if it could not be read; may raise an InputError.
        max_pairs: the largest number of pairs that is read.
    """
    reading: _Reading = st.session_state.get(f"{key}_reading", _Reading())
    allow_upload()
    st.file_uploader(
        label,
        type=["csv", "tsv", "txt"],
        key=key,
        max_upload_size=_MAX_PAIRS_BYTES // 2**20,
        on_change=_read_file,
        args=(key, keep, max_pairs, True),
    )
    if reading.recognized and reading.found and st.session_state.get(key) is not None:
        _ask_format(key, reading.recognized, reading.found, keep, max_pairs)
    if reading.problem:
        st.error(reading.problem, icon=":material/error:")
    if reading.note:
        st.success(reading.note, icon=":material/check:")
    if reading.found is not None and reading.found.decoded.example and not reading.problem:
        st.warning(
            _("There are signs inside words, such as “{example}”. Choose another encoding.").format(
                example=plain(reading.found.decoded.example)
            ),
            icon=":material/warning:",
        )


def forget_reading(key: str) -> None:
    """Remove the message about an uploaded file."""
    st.session_state.pop(f"{key}_reading", None)


def _ask_format(key: str, recognized: FileFormat, found: FileFormat, keep: Keep, max_pairs: int) -> None:
    """Show menus for columns, encoding and heading, each where there is something to choose."""
    again = partial(_read_file, key, keep, max_pairs)
    if found.has_choice:
        labels = {"source": _("Source column"), "target": _("Target column")}
        for place, (name, label) in zip(st.columns(2), labels.items(), strict=True):
            place.selectbox(
                label,
                range(len(found.titles)),
                # A menu shows plain text, so Markdown needs no escape.
                format_func=found.titles.__getitem__,
                key=f"{key}_{name}",
                on_change=again,
            )
    if _asks_encoding(recognized):
        names = {recognized.decoded.encoding: recognized.decoded.encoding_name} | ENCODINGS
        titles = {encoding: _(name) for encoding, name in names.items()}
        st.selectbox(
            _("Encoding"),
            list(titles),
            format_func=titles.__getitem__,
            key=f"{key}_encoding",
            on_change=again,
        )
    if _asks_header(recognized):
        row = " | ".join(found.header.row)
        st.toggle(
            _("The first row is a heading: {row}").format(row=plain(f"{row:.80}")),
            key=f"{key}_has_header",
            on_change=again,
        )


def _asks_encoding(recognized: FileFormat) -> bool:
    return not recognized.decoded.encoding.startswith("utf") or bool(recognized.decoded.example)


def _asks_header(recognized: FileFormat) -> bool:
    return recognized.header.is_header or not recognized.header.is_certain


def _read_file(key: str, keep: Keep, max_pairs: int, is_new: bool = False) -> None:
    """Read the pairs of the uploaded file: a new file as it is recognized, else as the menus say."""
    file = st.session_state.get(key)
    if file is None:
        forget_reading(key)
        return
    old: _Reading = st.session_state.get(f"{key}_reading", _Reading())
    recognized, found = (None, None) if is_new else (old.recognized, old.found)
    try:
        if file.size > _MAX_PAIRS_BYTES:
            raise InputError(
                _("{file} must have at most {most} MiB. Received: {received} MiB.").format(
                    file=file.name,
                    most=number(_MAX_PAIRS_BYTES / 2**20, ",.0f"),
                    received=number(file.size / 2**20, ",.1f"),
                )
            )
        if recognized is None:
            recognized = _recognize(key, file.getvalue(), file.name)
        found, pairs = _read_as_chosen(key, file.getvalue(), file.name, max_pairs, recognized)
        keep(file.name, tuple(pairs))
        reading = _Reading(note=_describe(file.name, found, pairs, _columns(key, found)))
    except InputError as error:
        keep(file.name, ())
        reading = _Reading(problem=plain(str(error)).replace("\n", "  \n"))
    if recognized is not None:
        recognized = recognized.without_text()
    st.session_state[f"{key}_reading"] = replace(
        reading, recognized=recognized, found=found.without_text() if found else recognized
    )


def _recognize(key: str, data: bytes, name: str) -> FileFormat:
    """Recognize the format of a new file, and set the menus to it."""
    recognized = recognize_format(data, name)
    st.session_state[f"{key}_encoding"] = recognized.decoded.encoding
    st.session_state[f"{key}_has_header"] = recognized.header.is_header
    st.session_state[f"{key}_source"], st.session_state[f"{key}_target"] = recognized.usual
    return recognized


def _read_as_chosen(
    key: str, data: bytes, name: str, max_pairs: int, recognized: FileFormat
) -> tuple[FileFormat, list[Pair]]:
    """Return the format of a file as the menus say, and its pairs."""
    encoding = st.session_state.get(f"{key}_encoding", "") if _asks_encoding(recognized) else ""
    has_header = st.session_state.get(f"{key}_has_header") if _asks_header(recognized) else None
    found = recognize_format(data, name, encoding, has_header)
    if max(_columns(key, found)) >= len(found.titles):
        st.session_state[f"{key}_source"], st.session_state[f"{key}_target"] = found.usual
    columns = _columns(key, found) if found.has_choice else None
    return found, read_pairs(data, name, max_pairs, _MAX_PAIRS_BYTES, columns, found)


def _columns(key: str, found: FileFormat) -> tuple[int, int]:
    usual = found.usual
    return st.session_state.get(f"{key}_source", usual[0]), st.session_state.get(f"{key}_target", usual[1])


def _describe(name: str, found: FileFormat, pairs: Sequence[Pair], columns: tuple[int, int]) -> str:
    """Say in Markdown what was read from a file."""
    count = len(pairs)
    languages = found.languages or languages_of(pairs)
    note = ngettext("**{count}** pair read from {file}", "**{count}** pairs read from {file}", count).format(
        count=number(count, ","), file=plain(name)
    )
    if not found.has_choice and UNKNOWN_LANGUAGE not in languages:
        source, target = (_(language_name(code)) for code in languages)
        note = _("{pairs}, {source} to {target}").format(pairs=note, source=source, target=target)
    if found.header.is_header:
        note = _("{pairs}, without its heading").format(pairs=note)
    if found.has_choice:
        source, target = (plain(found.titles[place]) for place in columns)
        note = _("{pairs}, from {source} to {target}").format(pairs=note, source=source, target=target)
    if not found.decoded.encoding.startswith("utf"):
        encoding = _(found.decoded.encoding_name)
        note = _("{pairs}. It is not UTF-8: read as {encoding}").format(pairs=note, encoding=encoding)
    return f"{note}."

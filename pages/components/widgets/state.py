"""Widgets whose values a link restores: the address holds them, under their keys, on all pages.

A key is unique in the app and reads well in an address. Numbers, texts and switches are bound to the address by
Streamlit. It would write a choice's title, which each language has its own of; so a choice is put there here, by the
name of its option, `str(option)`.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.language import _, number
from pages.content.markdown import plain

Number = TypeVar("Number", int, float)
Option = TypeVar("Option")
Value = TypeVar("Value")
Look = Literal["buttons", "menu", "slider"]

_MAX_LINKED_TEXT = 2000  # characters of a text in an address; servers and browsers accept a few more
_PERSISTS: dict[str, Any] = {"persist_state": "session"}
_KEPT = _PERSISTS | {"bind": "query-params"}
# Keys of st.session_state, each with values by the widgets' keys: those to show once their widgets are drawn, and those
# that the page shows.
_OPENED, _SHOWN = "opened_choices", "shown_choices"
_OPENED_ON = "opened_page"  # another: the page whose widgets show them
_DRAWN = "drawn_choices"  # another: how each choice was drawn last, by its key


def open_with(page: str, choices: Mapping[str, object]) -> None:
    """Let the widgets of a page show these values, by their keys, when they are drawn next.

    Each widget takes its own and checks it, so that the values may come from a stranger.
    """
    st.session_state[_OPENED], st.session_state[_OPENED_ON] = dict(choices), page


def opened(key: str) -> object:
    """Return what a widget that is not drawn yet will show; None where nobody asks for something."""
    return st.session_state.get(_OPENED, {}).get(key)


def take_opened(key: str) -> Any:
    """Return what a widget is asked to show, once; None where nobody asks for something."""
    return st.session_state.get(_OPENED, {}).pop(key, None)


@contextmanager
def noting_choices(page: str) -> Iterator[None]:
    """Note what a page shows while it is drawn; then take choices that it shows no more out of the address."""
    st.session_state[_SHOWN] = {}
    if st.session_state.get(_OPENED_ON) != page:
        st.session_state[_OPENED] = {}
    yield
    for key in st.session_state.get(_DRAWN, {}).keys() - st.session_state[_SHOWN].keys():
        st.query_params.pop(key, None)


def shown_choices() -> dict[str, object]:
    """Return what the widgets of this page show, by their keys: what `open_with` takes."""
    return dict(st.session_state.get(_SHOWN, {}))


def _shows(key: str, value: Value) -> Value:
    """Note and return what a widget shows."""
    st.session_state.setdefault(_SHOWN, {})[key] = value
    return value


def set_value(key: str, value: object) -> None:
    """Set a widget's value before it is drawn: from a callback, or above it on the page."""
    st.session_state[key] = value


def _set_bound(key: str, value: object, text: str) -> None:
    """Set a bound widget's value, and its text in the address: Streamlit (1.67) leaves out the first one."""
    if key not in st.session_state:
        st.query_params[key] = text
    st.session_state[key] = value


def linked_options(key: str, titles: Mapping[Option, str]) -> list[Option]:
    """Return the options that the address names: by their names, or by their English titles as addresses once did."""
    options = {title: option for option, title in titles.items()} | {str(option): option for option in titles}
    texts = (text if text in options else _(text) for text in st.query_params.get_all(key))
    return [options[text] for text in texts if text in options]


def _is_back() -> bool:
    """Return whether the browser's Back or Forward has led here."""
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation


def _follows_address(key: str) -> bool:
    """Return whether a choice is the one that the address names: when first drawn, and after Back and Forward."""
    return _is_back() or key not in st.session_state.get(_DRAWN, {})


def _keep_chosen(key: str, kept: object, fitting: object, look: Look, titles: Mapping[Option, str]) -> None:
    """Set what a choice shows where it is another option, or drawn in another way, which Streamlit (1.67) would reset."""
    drawn = st.session_state.setdefault(_DRAWN, {})
    before, drawn[key] = drawn.get(key), (look, *titles.values())
    if fitting != kept or before != drawn[key]:
        set_value(key, fitting)


def _write_address(key: str, text: str | list[str], usual: str | list[str]) -> None:
    """Put a value into the address, which leaves out the usual one."""
    if text == usual:
        st.query_params.pop(key, None)
    elif st.query_params.get_all(key) != ([text] if isinstance(text, str) else text):
        st.query_params[key] = text


def has_changed(key: str, value: object) -> bool:
    """Return whether a value is another one than in the page's last run; `key` is that of st.session_state."""
    before = st.session_state.setdefault(key, value)
    st.session_state[key] = value
    return bool(before != value)


def show_refused(what: str, problem: Exception) -> None:
    """Say that a value in the address was refused, and why: as plain text, since it may quote the value."""
    ignored = _("The {what} in this link was ignored.").format(what=_(what))
    st.warning(f"{ignored} {plain(str(problem))}", icon=":material/link_off:")


@dataclass(frozen=True)
class Linked(Generic[Value]):
    """A value without a widget, like a table of numbers, which the session and the address hold as the same text."""

    key: str  # that no widget has; also in the address
    default: Value  # the first value, which the address leaves out
    name: str  # in the notice that a link was ignored
    write: Callable[[Value], str | list[str]]
    read: Callable[[Any], Value]  # raises a ValueError with a sentence if the text is no such value
    in_address: bool = True
    is_repeated: bool = False  # whether the value is several texts, and the address has the key once for each

    def get(self, about: Hashable = None) -> Value:
        """Return the value, in the session or else in the address, and bring the address up to date.

        Instead of a text that cannot be read, the default is returned, with a notice.

        Args:
            about: what the value belongs to, like a sentence: when this changes, the default takes its place.
        """
        text = st.session_state.get(self.key, self._linked())
        if has_changed(f"{self.key}_about", about):
            text = None
        asked = take_opened(self.key)
        texts = asked if isinstance(asked, list) and self.is_repeated else [asked]
        if asked is not None and all(isinstance(each, str) for each in texts):
            text = asked
        value = self.default
        if text is not None:
            try:
                value = self.read(text)
            except ValueError as error:
                show_refused(self.name, error)
        self.set(value)
        _shows(self.key, self.write(value))
        return value

    def set(self, value: Value) -> None:
        """Change the value: in a callback, or on the page."""
        text = self.write(value)
        st.session_state[self.key] = text
        usual = self.write(self.default)
        _write_address(self.key, text if self.in_address else usual, usual)

    def _linked(self) -> str | list[str] | None:
        if not self.in_address or self.key not in st.query_params:
            return None
        return st.query_params.get_all(self.key) if self.is_repeated else st.query_params[self.key]


def linked_choice(key: str, options: Mapping[str, Value], default: Value, name: str) -> Linked[Value]:
    """Return a choice without a widget. `options` has each value by its text in the address."""

    def write(value: Value) -> str:
        return next(text for text, option in options.items() if option == value)

    def read(text: str) -> Value:
        if text not in options:
            raise ValueError(_("Possible values: {values}.").format(values=", ".join(options)))
        return options[text]

    return Linked(key, default, name, write, read)


def mirror(key: str, shown: object, keep: Callable[[Any], None]) -> dict[str, Any]:
    """Return the key and the callback of a widget that shows a value which is kept elsewhere, as in a `Linked`.

    Args:
        key: the widget's key, which is not in the address.
        shown: what it shows now.
        keep: called with what a visitor chooses, before the page reruns.
    """
    st.session_state[key] = shown
    return {"key": key, "on_change": lambda: keep(st.session_state[key])}


def choose_linked(
    linked: Linked[Value],
    label: str,
    titles: Mapping[str, str],
    shown: object,
    *,
    keep: Callable[[str], None] | None = None,
    look: Look = "menu",
    **options: Any,
) -> None:
    """Show a choice that a `Linked` keeps: people see titles; the session and the address hold names.

    Args:
        linked: keeps the value.
        label: the label above the options.
        titles: the title of each option, by its name, which `linked` reads.
        shown: the name of the option that is chosen now.
        keep: called with the name of another option, where choosing it does more than setting `linked`.
        look: buttons in a row, or a menu.
        options: as in Streamlit.
    """
    keep = keep or (lambda name: linked.set(linked.read(name)))
    options |= {"format_func": titles.__getitem__, **mirror(f"{linked.key}_choice", shown, keep)}
    if look == "menu":
        st.selectbox(label, list(titles), **options)
    else:
        st.segmented_control(label, list(titles), required=True, wrap=True, **options)


def slider(label: str, low: Number, high: Number, default: Number, key: str, **options: Any) -> Number:
    """Show a slider and return its number; the range may change. A range of one number draws nothing.

    `options` are those of Streamlit, here and below.
    """
    if high <= low:
        return low
    usual = _fit_number(key, low, high, default)
    return _shows(key, st.slider(label, low, high, usual, key=key, **options, **_KEPT))


def number_input(label: str, low: Number, high: Number, default: Number, key: str, **options: Any) -> Number:
    """Show a box for a number and return it."""
    usual = _fit_number(key, low, high, default)
    typed = st.number_input(label, low, high, usual, key=key, **options, **_kept_number(key))
    return _shows(key, usual if typed is None else typed)


def _kept_number(key: str) -> dict[str, Any]:
    """Return how to keep a number; drop an infinite one from the address, at which Streamlit (1.67) fails."""
    if any(map(_is_infinite, st.query_params.get_all(key))):
        del st.query_params[key]
        return {**_KEPT, "bind": None}
    return _KEPT


def _is_infinite(text: str) -> bool:
    try:
        return math.isinf(float(text))
    except ValueError:
        return False


def _fit_number(key: str, low: Number, high: Number, default: Number) -> Number:
    """Move a kept value into a changed range, where Streamlit would raise; return the default within it."""
    asked = take_opened(key)
    if isinstance(asked, int | float) and math.isfinite(asked):
        fitting = type(low)(min(max(asked, low), high))
        _set_bound(key, fitting, str(fitting))
    kept = st.session_state.get(key)
    if kept is not None and not low <= kept <= high:
        set_value(key, min(max(kept, low), high))
    return min(max(default, low), high)


def toggle(label: str, default: bool, key: str, *, help: str | None = None) -> bool:
    """Show a switch and return whether it is on."""
    if isinstance(asked := take_opened(key), bool):
        _set_bound(key, asked, str(asked).lower())
    return _shows(key, st.toggle(label, default, key=key, help=help, **_KEPT))


def choose(
    label: str,
    options: Iterable[Option] | Mapping[Option, str],
    key: str,
    *,
    default: Option | None = None,
    look: Look = "buttons",
    help: str | None = None,
    on_change: Callable[[], None] | None = None,
    hide_label: bool = False,
) -> Option:
    """Show a choice and return the chosen option.

    Args:
        label: the label above the options.
        options: the options, each with a title if it is a mapping; the address contains the option, as a text.
        key: the widget's key, also in the address.
        default: the option chosen at first; None takes the first one.
        look: buttons in a row, a menu, or a slider.
        help: a hint beside the label.
        on_change: called before the page reruns with another choice.
        hide_label: whether to hide the label; screen readers still read it.
    """
    titles = _titles(options)
    choices = list(titles)
    usual = default if default in choices else choices[0]
    kept = st.session_state.get(key, usual)
    wanted = usual if _is_back() else kept
    if _follows_address(key):
        wanted = (linked_options(key, titles) or [wanted])[-1]
    if (asked := take_opened(key)) in choices:
        wanted = asked
    _keep_chosen(key, kept, wanted if wanted in choices else usual, look, titles)
    shared: dict[str, Any] = {"key": key, "format_func": titles.__getitem__, "help": help, **_PERSISTS}
    shared |= {"on_change": on_change, "label_visibility": "collapsed" if hide_label else "visible"}
    if look == "menu":
        chosen = st.selectbox(label, choices, choices.index(usual), **shared)
    elif look == "slider":
        chosen = st.select_slider(label, choices, usual, **shared)
    else:
        chosen = st.segmented_control(label, choices, default=usual, required=True, wrap=True, **shared)
    option = usual if chosen is None else chosen
    _write_address(key, str(option), str(usual))
    return _shows(key, option)


def choose_several(
    label: str,
    options: Iterable[Option] | Mapping[Option, str],
    key: str,
    default: list[Option],
    most: int,
    *,
    help: str | None = None,
) -> list[Option]:
    """Show a choice of at most `most` options and return the chosen ones. See `choose` for the arguments."""
    titles = _titles(options)
    kept = st.session_state.get(key, default)
    wanted = default if _is_back() else kept
    if _follows_address(key):
        wanted = [] if st.query_params.get(key) == "" else linked_options(key, titles) or wanted
    if isinstance(asked := take_opened(key), list):
        wanted = asked
    _keep_chosen(key, kept, [option for option in wanted if option in titles][:most], "menu", titles)
    chosen = st.multiselect(
        label,
        list(titles),
        default,
        titles.__getitem__,
        key=key,
        help=help,
        max_selections=most,
        **_PERSISTS,
    )
    _write_address(key, [str(option) for option in chosen] or "", [str(option) for option in default])
    return _shows(key, chosen)


def text_input(
    label: str, default: str, key: str, *, max_chars: int | None = None, placeholder: str | None = None
) -> str:
    """Show a box for a line of text and return it.

    A text longer than `max_chars` is cut, with a note: Streamlit's own limit drops a pasted text without one.
    """
    text = st.text_input(label, default, key=key, placeholder=placeholder, **_kept_text(key)) or ""
    if max_chars is not None and len(text) > max_chars:
        st.caption(_("Only the first {count} characters are used.").format(count=number(max_chars, ",")))
    return _shows(key, text[:max_chars])


def text_area(label: str, default: str, key: str, *, height: int) -> str:
    """Show a box for several lines of text and return them."""
    return _shows(key, st.text_area(label, default, height, key=key, **_kept_text(key)) or "")


def _kept_text(key: str) -> dict[str, Any]:
    """Return how to keep a text; leave one that is too long out of the address, with a note."""
    if isinstance(asked := take_opened(key), str):
        _set_bound(key, asked, asked)
    if len(st.session_state.get(key) or "") <= _MAX_LINKED_TEXT:
        return _KEPT
    st.caption(
        _("This text is too long for a link to this view: at most {count} characters fit.").format(
            count=number(_MAX_LINKED_TEXT, ",")
        )
    )
    return {**_KEPT, "bind": None}


def _titles(options: Iterable[Option] | Mapping[Option, str]) -> dict[Option, str]:
    return dict(options) if isinstance(options, Mapping) else {option: str(option) for option in options}

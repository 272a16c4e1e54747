"""Values that a link restores, under keys that are unique in the app and read well in an address.

There is one way from a link to a widget: `Linked.current` takes the text that a lesson's step or the address has for the
value, and `read` makes the value of it. The session keeps the value under its key, which is the widget's if it has
one, and what is shown goes back into the address as the text that `write` makes, which is the same in all languages.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, Literal, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.language import _, number
from pages.content.markdown import plain

Number = TypeVar("Number", int, float)
Option = TypeVar("Option")
Value = TypeVar("Value")
Look = Literal["buttons", "menu", "slider"]

_MAX_LINKED_TEXT = 2000  # characters of a value in an address; servers and browsers accept a few more
_MAX_NAMED = 12  # possible values that a notice names
# Keys of st.session_state, each with something by the values' keys.
_OPENED = "opened_choices"  # what a lesson's step asks for, until it is shown
_SHOWN = "shown_choices"  # what the page shows, as texts
_DRAWN = "drawn_choices"  # how each was drawn last
_OPENED_ON = "opened_page"  # another: the page whose values a step asks for
_OF_PAGES = "choices_of_pages"  # another: the keys of all values that pages have shown


def open_with(page: str, choices: Mapping[str, object]) -> None:
    """Let a page show these values, by their keys, when they are drawn next.

    Each is read as a text in an address is, so that they may come from a stranger.
    """
    st.session_state[_OPENED], st.session_state[_OPENED_ON] = dict(choices), page


def asked_for(key: str) -> list[str]:
    """Return the texts of a value that a lesson's step asks for, else those in the address."""
    opened = st.session_state.get(_OPENED, {})
    return _texts(opened[key]) if key in opened else st.query_params.get_all(key)


def _texts(value: object) -> list[str]:
    """Return a value as in an address: each text of a list, of which an empty one has an empty text."""
    if isinstance(value, list):
        return [str(each) for each in value] or [""]
    return [str(value).lower() if isinstance(value, bool) else str(value)]


@contextmanager
def noting_choices(page: str) -> Iterator[None]:
    """Note what a page shows while it is drawn; then take what it shows no more out of the address.

    A fragment that runs alone adds what it shows; what it has left out goes with the next run of the page.
    """
    st.session_state[_SHOWN] = {}
    if st.session_state.get(_OPENED_ON) != page:
        st.session_state[_OPENED] = {}
    yield
    of_pages = st.session_state.setdefault(_OF_PAGES, set())
    of_pages.update(st.session_state[_SHOWN])
    for key in of_pages - st.session_state[_SHOWN].keys():
        st.query_params.pop(key, None)


@contextmanager
def noting_part(keys: set[str]) -> Iterator[None]:
    """Note what a part of a page shows while it is drawn, perhaps alone; see `noting_choices`.

    Args:
        keys: of the widgets that it has shown when it was drawn last; brought up to date.
    """
    shown = st.session_state.setdefault(_SHOWN, {})
    others = {key: value for key, value in shown.items() if key not in keys}
    st.session_state[_SHOWN] = {}
    yield
    own = st.session_state[_SHOWN]
    for key in keys - own.keys():
        st.query_params.pop(key, None)
    keys.clear()
    keys.update(own)
    st.session_state[_SHOWN] = others | own


def shown_choices() -> dict[str, object]:
    """Return what this page shows, by the values' keys: what `open_with` takes."""
    return dict(st.session_state.get(_SHOWN, {}))


def set_value(key: str, value: object) -> None:
    """Set a widget's value before it is drawn: from a callback, or above it on the page."""
    st.session_state[key] = value


def forget(key: str) -> None:
    """Let a widget that is not drawn yet begin with its default again."""
    st.session_state.pop(key, None)
    st.session_state.get(_OPENED, {}).pop(key, None)
    st.query_params.pop(key, None)


def _is_back() -> bool:
    """Return whether the browser's Back or Forward has led here."""
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation


def has_changed(key: str, value: object) -> bool:
    """Return whether a value is another one than in the page's last run; `key` is that of st.session_state."""
    before = st.session_state.setdefault(key, value)
    st.session_state[key] = value
    return bool(before != value)


def show_refused(what: str, problem: Exception) -> None:
    """Say that a value in the address was refused, and why: as plain text, since it may quote the value."""
    ignored = _("Ignored in this link: {what}.").format(what=_(what))
    st.warning(plain(f"{ignored} {problem}"), icon=":material/link_off:")


@dataclass(frozen=True)
class Linked(Generic[Value]):
    """A value that a link restores; the functions below draw widgets over one, `get` is for those without a widget."""

    key: str  # in the session and in the address
    default: Value  # the first value, which the address leaves out
    name: str  # in the notice that a link was ignored
    write: Callable[[Value], str | list[str]]
    read: Callable[[Any], Value]  # raises a ValueError with a sentence if the text is no such value
    in_address: bool = True
    is_repeated: bool = False  # whether the value is several texts, and the address has the key once for each
    of_tab: bool = False  # whether it is the same on all pages, like the language: Back leaves it as it is
    fit: Callable[[Value], Value] = lambda kept: kept  # moves a value of the session to a possible one

    def get(self, about: Hashable = None) -> Value:
        """Return a value without a widget, and bring the address up to date.

        Args:
            about: what the value belongs to, like a sentence: when this changes, the default takes its place.
        """
        if has_changed(f"{self.key}_about", about):
            st.session_state.pop(self.key, None)
        value = self.current()
        st.session_state[self.key] = value
        self.show(value)
        return value

    def set(self, value: Value) -> None:
        """Change a value without a widget: in a callback, or on the page."""
        st.session_state[self.key] = value
        self._link(value)

    def current(self) -> Value:
        """Return the value that a step asks for, else the address, else that of the session, else the default.

        The address counts when the value is first shown, and after Back and Forward. Instead of a text that cannot be
        read, the default is returned, with a notice.
        """
        kept = st.session_state.get(self.key)
        kept = self.default if kept is None else kept
        texts = asked_for(self.key)
        is_asked = st.session_state.get(_OPENED, {}).pop(self.key, None) is not None
        is_first = self.key not in st.session_state.get(_DRAWN, {})
        is_back = _is_back() and not self.of_tab
        if not texts or not (is_asked or (self.in_address and (is_first or is_back))):
            # After Back, the address would have had what the session has, were it not the default.
            is_other = is_back and not texts and self._linked(kept)
            return self.default if is_other else self.fit(kept)
        several = [] if texts == [""] else texts
        try:
            return self.read(several if self.is_repeated else texts[-1])
        except ValueError as error:
            show_refused(self.name, error)
            return self.default

    def show(self, value: Value, look: object = None) -> None:
        """Note that the page shows the value, drawn in some way, and bring the address up to date."""
        st.session_state.setdefault(_DRAWN, {})[self.key] = look
        st.session_state.setdefault(_SHOWN, {})[self.key] = self.write(value)
        self._link(value)

    def _linked(self, value: Value) -> list[str]:
        """Return the texts that the address has for a value: none for the default, and for one that is too long."""
        texts = _texts(self.write(value))
        is_left_out = not self.in_address or texts == _texts(self.write(self.default))
        return [] if is_left_out or sum(map(len, texts)) > _MAX_LINKED_TEXT else texts

    def _link(self, value: Value) -> None:
        texts = self._linked(value)
        if not texts:
            st.query_params.pop(self.key, None)
        elif st.query_params.get_all(self.key) != texts:
            st.query_params[self.key] = texts


def linked_choice(key: str, options: Mapping[str, Value], default: Value, name: str) -> Linked[Value]:
    """Return a choice without a widget. `options` has each value by its text in the address."""

    def write(value: Value) -> str:
        return next(text for text, option in options.items() if option == value)

    def read(text: str) -> Value:
        if text not in options:
            raise no_such_value(options)
        return options[text]

    return Linked(key, default, name, write, read)


def no_such_value(possible: Iterable[str]) -> ValueError:
    """Return the error that names the values that are possible."""
    named = islice(possible, _MAX_NAMED)
    return ValueError(_("Possible values: {values}.").format(values=", ".join(named)))


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
    """Show a choice that a `Linked` keeps: people see titles; the address holds names.

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


def _draw(
    linked: Linked[Value],
    widget: Callable[..., Any],
    *arguments: Any,
    titles: Iterable[str] = (),
    **options: Any,
) -> Value:
    """Draw a widget of Streamlit over a value, and return what it shows.

    With another range, other titles or another look, Streamlit (1.67) would show the default.
    """
    kept = st.session_state.get(linked.key)
    value = linked.current()
    look = (widget.__name__, arguments, *titles)
    before = st.session_state.get(_DRAWN, {}).get(linked.key)
    if look != before or (kept is not None and value != kept):
        set_value(linked.key, value)
    shown = widget(*arguments, key=linked.key, persist_state="session", **options)
    value = linked.default if shown is None else shown
    linked.show(value, look)
    return value


def slider(label: str, low: Number, high: Number, default: Number, key: str, **options: Any) -> Number:
    """Show a slider and return its number; the range may change. A range of one number draws nothing.

    `options` are those of Streamlit, here and below.
    """
    if high <= low:
        return low
    linked = _linked_number(label, low, high, default, key)
    return _draw(linked, st.slider, label, low, high, linked.default, **options)


def number_input(label: str, low: Number, high: Number, default: Number, key: str, **options: Any) -> Number:
    """Show a box for a number and return it."""
    linked = _linked_number(label, low, high, default, key)
    return _draw(linked, st.number_input, label, low, high, linked.default, **options)


def _linked_number(label: str, low: Number, high: Number, default: Number, key: str) -> Linked[Number]:
    def fit(kept: Number) -> Number:
        return min(max(kept, low), high)

    def read(text: str) -> Number:
        try:
            found = float(text)
        except ValueError:
            found = math.nan
        if not low <= found <= high:
            raise no_such_value([f"{_write_number(low)}–{_write_number(high)}"])
        return type(low)(found)

    return Linked(key, fit(default), label, _write_number, read, fit=fit)


def _write_number(value: float) -> str:
    return str(value).removesuffix(".0")


def toggle(label: str, default: bool, key: str, *, help: str | None = None) -> bool:
    """Show a switch and return whether it is on."""
    linked = linked_choice(key, {"true": True, "false": False}, default, label)
    return _draw(linked, st.toggle, label, default, help=help)


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
    missing: str = "",
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
        missing: says why a link's option is none of these, instead of naming them.
    """
    titles = _titles(options)
    choices = list(titles)

    def read(text: str) -> Option:
        if found := options_of([text], titles):
            return found[0]
        raise ValueError(missing) if missing else no_such_value(map(str, choices))

    usual = default if default in titles else choices[0]
    linked = Linked(key, usual, label, str, read, fit=lambda kept: kept if kept in titles else usual)
    shared: dict[str, Any] = {"titles": titles.values(), "format_func": titles.__getitem__}
    shared |= {"help": help, "on_change": on_change}
    shared |= {"label_visibility": "collapsed" if hide_label else "visible"}
    if look == "menu":
        return _draw(linked, st.selectbox, label, choices, choices.index(usual), **shared)
    if look == "slider":
        return _draw(linked, st.select_slider, label, choices, usual, **shared)
    shared |= {"default": usual, "required": True, "wrap": True}
    return _draw(linked, st.segmented_control, label, choices, **shared)


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

    def read(texts: list[str]) -> list[Option]:
        found = options_of(texts, titles)
        if texts and not found:
            raise no_such_value(map(str, titles))
        return found[:most]

    def fit(kept: list[Option]) -> list[Option]:
        return [option for option in kept if option in titles][:most]

    linked = Linked(key, default, label, lambda kept: [*map(str, kept)], read, is_repeated=True, fit=fit)
    shared: dict[str, Any] = {"titles": titles.values(), "format_func": titles.__getitem__, "help": help}
    return _draw(linked, st.multiselect, label, list(titles), default, max_selections=most, **shared)


def options_of(texts: Iterable[str], titles: Mapping[Option, str]) -> list[Option]:
    """Return the options that texts name: by their names, or by their English titles as addresses once did."""
    options = {title: option for option, title in titles.items()} | {str(option): option for option in titles}
    named = (text if text in options else _(text) for text in texts)
    return [options[text] for text in named if text in options]


def text_input(
    label: str, default: str, key: str, *, max_chars: int | None = None, placeholder: str | None = None
) -> str:
    """Show a box for a line of text and return it.

    A text longer than `max_chars` is cut, with a note: Streamlit's own limit drops a pasted text without one.
    """
    text = _draw_text(st.text_input, label, default, key, placeholder=placeholder)
    if max_chars is not None and len(text) > max_chars:
        st.caption(_("Only the first {count} characters are used.").format(count=number(max_chars, ",")))
    return text[:max_chars]


def text_area(label: str, default: str, key: str, *, height: int) -> str:
    """Show a box for several lines of text and return them."""
    return _draw_text(st.text_area, label, default, key, height=height)


def _draw_text(widget: Callable[..., Any], label: str, default: str, key: str, **options: Any) -> str:
    """Draw a box for a text, and say if it is too long for a link."""
    linked = Linked(key, default, label, str, str)
    text = _draw(linked, widget, label, default, **options)
    if len(text) > _MAX_LINKED_TEXT:
        st.caption(
            _("This text is too long for a link to this view: at most {count} characters fit.").format(
                count=number(_MAX_LINKED_TEXT, ",")
            )
        )
    return text


def _titles(options: Iterable[Option] | Mapping[Option, str]) -> dict[Option, str]:
    return dict(options) if isinstance(options, Mapping) else {option: str(option) for option in options}

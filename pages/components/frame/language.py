"""The language of a tab: the one in its address, which its reader chose, else that of the server or the browser."""

from contextvars import ContextVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext

from core.language import ENGLISH, N_, Language, _, find_by
from core.server.settings import server_settings
from pages.components.widgets.state import Linked, mirror
from pages.languages.catalogs import known_languages

_NONE = ""  # in place of a code: nobody has chosen


def _read(code: str) -> str:
    languages = known_languages()
    if code and code not in languages:
        raise ValueError(_("Possible values: {values}.").format(values=", ".join(languages)))
    return code


_CHOSEN = Linked("lang", _NONE, N_("language"), str, _read, of_tab=True)
# The run in which the language of a thread was looked up last, and the language.
_looked_up: ContextVar[tuple[ScriptRunContext | None, Language]] = ContextVar(
    "looked_up", default=(None, ENGLISH)
)


def begin_language() -> None:
    """Note the language that the address asks for, before anything is drawn."""
    find_by(_language_of_tab)
    _CHOSEN.get()
    _looked_up.set((None, ENGLISH))
    code = _language_of_tab().code
    st.html(f"<script>document.documentElement.lang = '{code}'</script>", unsafe_allow_javascript=True)


def _language_of_tab() -> Language:
    """Return the language of the tab that the current run is for."""
    run = get_script_run_ctx(suppress_warning=True)
    if run is None:
        return language_for("")
    before, found = _looked_up.get()
    if before is not run:
        found = known_languages().get(st.session_state.get(_CHOSEN.key, _NONE)) or language_for(
            st.context.locale or ""
        )
        _looked_up.set((run, found))
    return found


def language_for(asked: str) -> Language:
    """Return the language for somebody who has chosen none: the server's, else that of the browser, else English.

    Args:
        asked: the browser's language, as "pt-BR".
    """
    languages = known_languages()
    code = server_settings().language or asked.replace("_", "-").partition("-")[0].lower()
    return languages.get(code, ENGLISH)


def offer_languages() -> None:
    """Show the menu of languages, each by its own name, where there are several."""
    languages = known_languages()
    if len(languages) == 1:
        return
    with st.popover(":material/language:", help=_("Language")):
        st.radio(
            _("Language"),
            list(languages),
            format_func=lambda code: languages[code].name,
            label_visibility="collapsed",
            **mirror("lang_choice", _language_of_tab().code, _CHOSEN.set),
        )

import os

import streamlit as st
from streamlit.errors import StreamlitSecretNotFoundError

from core.checkpoints.shipped import shipped_checkpoints
from core.classroom.settings import PREFIX, SettingsError, server_settings
from pages.components.app.menu import PAGES
from pages.components.app.workarounds import use_navigation


def stop_on_wrong_settings() -> None:
    """Say which environment variable or secret is wrong; nothing else is shown then."""
    try:
        _take_switches_from_secrets()
        _check_names()
    except SettingsError as error:
        use_navigation()
        st.error(f"This server is not set up correctly: {error}", icon=":material/settings:")
        st.stop()


def _take_switches_from_secrets() -> None:
    """Put true and false into the environment; of secrets, Streamlit (1.67) puts only texts and numbers there.

    Raises:
        SettingsError: the secrets cannot be read. Streamlit only logs that, and the class's door would stand open.
    """
    try:
        found = st.secrets.to_dict()
    except StreamlitSecretNotFoundError as error:
        if error.error_id == "no-secrets-found":
            return
        raise SettingsError("the secrets are not valid TOML. The server's log says where.") from error
    for name, value in found.items():
        if isinstance(value, bool) and name.startswith(PREFIX):
            os.environ[name] = str(value)


def _check_names() -> None:
    """Whether pages and model of the settings are there.

    Raises:
        SettingsError: one is not, or a setting is wrong in itself.
    """
    settings = server_settings()
    addresses = [page.address for page in PAGES]
    if unknown := [page for page in settings.pages if page not in addresses]:
        raise SettingsError(
            f"{PREFIX}PAGES must hold addresses of pages: {', '.join(addresses)}. Received: {unknown[0]!r:.80}"
        )
    if settings.default_model and settings.default_model not in shipped_checkpoints():
        raise SettingsError(
            f"{PREFIX}DEFAULT_MODEL must be one of {', '.join(shipped_checkpoints())}. "
            f"Received: {settings.default_model!r:.80}"
        )

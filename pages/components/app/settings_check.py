import streamlit as st

from core.classroom.settings import SettingsError, server_settings


def stop_on_wrong_settings() -> None:
    """Say which environment variable or secret is wrong; nothing else is shown then."""
    try:
        server_settings()
    except SettingsError as error:
        st.error(f"This server is not set up: {error}", icon=":material/settings:")
        st.stop()

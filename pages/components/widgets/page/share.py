"""A page as it is, for other people: its address to copy, and as a QR code for a projector."""

from __future__ import annotations

from urllib.parse import urlencode, urlsplit

import streamlit as st
from streamlit.runtime import exists

from core.classroom.models import OWN_MODEL
from core.classroom.settings import PREFIX, server_settings
from core.figures.paper import qr_svg
from pages.components.app.doors import CODE_IN_ADDRESS
from pages.components.app.menu import HOME, PageEntry

_MAX_IN_CODE = 1_000  # characters; with more, phones cannot tell the code's modules apart

# Streamlit Community Cloud shows the app in a frame at this path of the address people know.
_CLOUD_FRAME = "/~/+"
_COPY_HTML = '<button type="button">Copy the link</button>'
_COPY_CSS = """
button {
  font: inherit; font-size: 0.85rem; color: var(--st-text-color); background: transparent; cursor: pointer;
  border: 1px solid var(--st-border-color); border-radius: var(--st-button-radius, 0.5rem); padding: 0.3rem 0.7rem;
}
button:hover, button:focus-visible { border-color: var(--st-primary-color); }
"""
# Without https, as on a teacher's laptop, browsers have no clipboard for pages, nor for `st.code`; an older way is left.
_COPY_JS = """
export default function (component) {
  const { data, parentElement } = component;
  const button = parentElement.querySelector("button");
  button.onclick = async () => {
    const copied = await navigator.clipboard?.writeText(data.address).then(() => true, () => false);
    if (!copied) {
      const box = document.createElement("textarea");
      box.value = data.address;
      button.after(box);
      box.select();
      document.execCommand("copy");
      box.remove();
    }
    button.textContent = "Copied";
  };
}
"""
_LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1", "0.0.0.0")


def show_share(page: PageEntry) -> None:
    """Show the button that opens the dialog. Whoever opens the address sees the same page with the same choices."""
    if st.button("Share", icon=":material/qr_code_2:", key="share", help="Link and QR code of this view"):
        _show_dialog(page)


@st.dialog("Share this view", width="large")
def _show_dialog(page: PageEntry) -> None:
    address = view_address(page, {})
    code = server_settings().class_code
    row = st.container(horizontal=True, gap="medium")
    picture, words = row.container(width="content", key="qr_code"), row.container()
    with words:
        st.code(address, language=None, wrap_lines=True)
        _show_copy(address)
        lets_in = bool(code) and st.toggle(
            "QR code with the class code",
            key="code_in_qr",
            help="Anyone who scans it gets in without typing the class code, including people who are sent a photo. The "
            "address above never holds the code.",
        )
        if st.query_params.get("model", "").startswith(OWN_MODEL):
            st.warning(
                "This model exists only in your tab. To share it, download it under Checkpoints.",
                icon=":material/link_off:",
            )
        if urlsplit(address).hostname in _LOCAL_HOSTS:
            st.warning(
                "This address works only on this computer. Open the app by its address in the network, or set "
                f"`{PREFIX}PUBLIC_ADDRESS`.",
                icon=":material/wifi_off:",
            )
    scanned = view_address(page, {CODE_IN_ADDRESS: code} if lets_in else {})
    with picture:
        if len(scanned) <= _MAX_IN_CODE:
            st.image(qr_svg(scanned), alt=f"QR code of {address}")
        else:
            st.info("This address is too long for a QR code. Copy it, or choose a shorter text.")


def _show_copy(address: str) -> None:
    if exists():  # else a test drives the script, without a browser
        copy = st.components.v2.component(
            "transformer_classroom_copy", html=_COPY_HTML, css=_COPY_CSS, js=_COPY_JS
        )
        copy(key="copy", data={"address": address})


def view_address(page: PageEntry, more: dict[str, str]) -> str:
    """Return the address of the page as it is, without presenter mode, which is for the projector alone.

    Args:
        page: the one that runs.
        more: parameters to be added.
    """
    if root := server_settings().public_address:
        url = f"{root.rstrip('/')}/{'' if page is HOME else page.address}"
    else:
        url = (st.context.url or "").replace(_CLOUD_FRAME, "")
    parameters = {name: value for name, value in st.query_params.items() if name != "present"} | more
    return f"{url}?{urlencode(parameters)}" if parameters else url

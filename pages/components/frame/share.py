"""The link and the QR code of a view, and rooms to open and to join."""

import re
from urllib.parse import urlencode, urlsplit

import streamlit as st

from core.figures.svg.paper import qr_svg
from core.language import _
from core.server.network import network_addresses
from core.server.settings import PREFIX, server_settings
from pages.components.frame.collecting import offer_step
from pages.components.frame.links import CODE_IN_ADDRESS, MODEL
from pages.components.frame.presenting import PRESENT
from pages.components.frame.seat import ROOM, join, open_room
from pages.components.frame.serving import has_app
from pages.components.frame.session import known_memory
from pages.components.frame.visit import LESSON_NAME, STEP_NUMBER, Visit
from pages.components.widgets.component import draw_component
from pages.content.lessons import OWN_NAMES
from pages.content.pages import ALL_PAGES, HOME, PageEntry

_MAX_IN_CODE = 1_000  # characters; with more, phones cannot read the QR code

# Streamlit Community Cloud shows the app in a frame at this path of the public address.
_CLOUD_FRAME = "/~/+"
_LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1", "0.0.0.0")
_ALL_ADDRESSES = (None, "", "0.0.0.0", "::")  # of a server that others in the network can reach
_HOST = re.compile(r"[\w.-]{1,100}", re.ASCII)


def show_share(visit: Visit) -> None:
    """Show the button that opens the dialog. The shared address restores the page with all its choices."""
    if st.button(_("Share"), key="share", help=_("Link and QR code of this view")):
        st.dialog(_("Share this view"), width="large")(_show_dialog)(visit)


def _show_dialog(visit: Visit) -> None:
    seat = visit.seat
    leads = seat is not None and seat.is_teacher
    address = room_address(seat.room.code) if seat is not None and leads else _view_address(visit.page, {})
    code = server_settings().class_code
    row = st.container(horizontal=True, gap="medium")
    picture = row.container(width="content", key="qr_code")
    words = row.container()
    with words:
        show_link(address)
        lets_in = bool(code) and st.toggle(
            _("QR code with the class code"),
            key="code_in_qr",
            help=_(
                "Anyone who scans it gets in without typing the class code, including people who are sent a photo. The "
                "address above never contains the code."
            ),
        )
        if st.query_params.get(MODEL) in {model.id for model in visit.workspace.models.kept}:
            st.warning(
                _("This model exists only in your tab. To share it, download it under Checkpoints."),
                icon=":material/link_off:",
            )
        show_reach("share")
        offer_step(visit)
        _offer_room(visit)
    if leads:
        mark = "?" if has_app() else "&"
        scanned = address + (f"{mark}{urlencode({CODE_IN_ADDRESS: code})}" if lets_in else "")
    else:
        scanned = _view_address(visit.page, {CODE_IN_ADDRESS: code} if lets_in else {})
    with picture:
        if len(scanned) <= _MAX_IN_CODE:
            st.image(qr_svg(scanned), alt=_("QR code of {address}").format(address=address))
        else:
            st.info(_("This address is too long for a QR code. Copy it, or choose a shorter text."))


def show_link(address: str) -> None:
    """Show an address and the button that copies it."""
    draw_component("copy", '<button type="button" class="copy"></button>', {"address": address})
    st.code(address, language=None, wrap_lines=True)


def show_reach(place: str) -> None:
    """Say which devices can open our addresses, where not all can; let this computer's be chosen or typed.

    Args:
        place: where it is shown; several may be at once.
    """
    if server_settings().public_address or not _is_on_this_computer():
        return
    if not _is_in_network():
        st.warning(
            _("This address works only on this computer. For others, set `{setting}`.").format(
                setting=f"{PREFIX}PUBLIC_ADDRESS"
            ),
            icon=":material/wifi_off:",
        )
        return
    host = _own_host()
    key = f"{place}_host"
    st.session_state[key] = host or None
    st.selectbox(
        _("This computer's address in the network"),
        list(dict.fromkeys(filter(None, (*network_addresses(), host)))),
        key=key,
        accept_new_options=True,
        on_change=_choose_host,
        args=(key,),
        placeholder=_("Type it, as 192.168.1.20"),
    )
    st.caption(
        _(
            "For devices in the same network. If they cannot open it, choose or type another address here, and allow "
            "Python in this computer's firewall."
        )
    )


def _choose_host(key: str) -> None:
    chosen = str(st.session_state[key] or "").strip()
    if _HOST.fullmatch(chosen):
        known_memory().host = chosen


def _offer_room(visit: Visit) -> None:
    """Offer to open a room, or to join one by its code."""
    if not server_settings().rooms:
        return
    if (seat := visit.seat) is not None:
        st.markdown("# " + _("Room {code}").format(code=seat.room.code))
        return
    offer_new_room(visit, _("Open a room for this class"), "open_room")
    ask_room_code(visit, _("Or join a room by its code"))


def offer_new_room(visit: Visit, label: str, key: str) -> None:
    """Show the button that opens a room."""
    hint = _("The class joins by a code and answers together, and its phones follow you.")
    if st.button(label, icon=":material/groups:", key=key, help=hint) and open_room(visit.workspace):
        st.rerun()


def ask_room_code(visit: Visit, label: str) -> None:
    """Ask for the code of a room, and join it. Labels on one page must differ."""
    with st.form(f"join {label}", border=False):
        typed = st.text_input(label, max_chars=10)
        if st.form_submit_button(_("Join"), icon=":material/login:") and typed:
            if problem := join(visit.workspace, typed):
                st.warning(problem, icon=":material/group_off:")
            else:
                st.rerun()


def room_address(code: str) -> str:
    """Return the link that joins a room: the small page of a phone, or the app where that is not served."""
    return phone_address(code) if has_app() else f"{root_address()}/?{urlencode({ROOM: code})}"


def phone_address(code: str) -> str:
    """Return the address of a room's page for phones."""
    return f"{root_address()}/room/{code}"


def root_address() -> str:
    """Return the app's own address, without a page."""
    if root := server_settings().public_address:
        return root.rstrip("/")
    url = _page_address().rstrip("/")
    *above, last = url.rsplit("/", 1)
    return above[0] if above and last in {page.address for page in ALL_PAGES} else url


def _page_address() -> str:
    """Return the page's address without parameters, by which others reach it where there is one."""
    url = (st.context.url or "").replace(_CLOUD_FRAME, "")
    host = _own_host() if _is_on_this_computer() and _is_in_network() else ""
    if not host:
        return url
    parts = urlsplit(url)
    return parts._replace(netloc=f"{host}:{parts.port}" if parts.port else host).geturl()


def _is_on_this_computer() -> bool:
    """Return whether this tab has opened the app by an address that other computers have too, as localhost."""
    return urlsplit(st.context.url or "").hostname in _LOCAL_HOSTS


def _is_in_network() -> bool:
    """Return whether other computers can reach this server."""
    return st.get_option("server.address") in _ALL_ADDRESSES


def _own_host() -> str:
    """Return this computer's address in the network: the one chosen, else the first that is found; "" for none."""
    return known_memory().host or next(iter(network_addresses()), "")


def _view_address(page: PageEntry, more: dict[str, str]) -> str:
    """Return the address of the page as it is, without presenter mode.

    Args:
        page: the current page.
        more: query parameters to add.
    """
    if root := server_settings().public_address:
        url = f"{root.rstrip('/')}/{'' if page is HOME else page.address}"
    else:
        url = _page_address()
    has_own_lesson = st.query_params.get(LESSON_NAME.key) in OWN_NAMES
    of_tab = [PRESENT, *([LESSON_NAME.key, STEP_NUMBER.key] if has_own_lesson else [])]
    names = [name for name in st.query_params if name not in of_tab]
    parameters = {name: st.query_params.get_all(name) for name in names} | {**more}
    return f"{url}?{urlencode(parameters, doseq=True)}" if parameters else url

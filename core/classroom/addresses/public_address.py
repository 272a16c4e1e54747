"""Addresses of the app as other people's browsers need them."""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from core.classroom.addresses.short_addresses import SharedView

# Streamlit Community Cloud shows the app in a frame at this path of the address people know.
_CLOUD_FRAME = "/~/+"
_LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1", "0.0.0.0")


def root_address(url: str, page: str) -> str:
    """The app's first page, without a slash at its end.

    Args:
        url: of a page, as a browser says it.
        page: what stands for that page in it.
    """
    parts = urlsplit(url)
    path = parts.path.rstrip("/").removesuffix(f"/{page}").removesuffix(_CLOUD_FRAME)
    return urlunsplit((parts.scheme, parts.netloc, path.rstrip("/"), "", ""))


def view_address(root: str, view: SharedView, first_page: str) -> str:
    """The whole address of a view.

    Args:
        root: of the app.
        view: to be opened.
        first_page: the page that the root itself opens.
    """
    path = "" if view.page == first_page else view.page
    return f"{root}/{path}" + (f"?{urlencode(view.parameters)}" if view.parameters else "")


def read_view(address: str, pages: Collection[str], first_page: str) -> SharedView:
    """The view that somebody's address of this app opens.

    Args:
        address: whole, or without its beginning.
        pages: that there are.
        first_page: the page of an address that names none.

    Raises:
        ValueError: it names no page of the app.
    """
    parts = urlsplit(address.strip())
    last = parts.path.rstrip("/").rsplit("/", 1)[-1]
    if last in pages:
        page = last
    elif parts.netloc and parts.path in ("", "/", _CLOUD_FRAME, f"{_CLOUD_FRAME}/"):
        page = first_page
    else:
        raise ValueError(f"That is not the address of a page of this app. Received: {address!r:.80}")
    return SharedView(page, dict(parse_qsl(parts.query)))


def is_local(address: str) -> bool:
    """Whether only the machine itself can open it."""
    return (urlsplit(address).hostname or "") in _LOCAL_HOSTS


def without_scheme(address: str) -> str:
    """As people type it."""
    return address.split("://", 1)[-1].rstrip("/")

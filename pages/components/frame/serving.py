"""Whether the app's own server sends the pages: what needs it asks here."""

from threading import Event

serves = Event()  # set while the app's own server runs


def has_app() -> bool:
    """Return whether the app's own server sends the pages, and not another one that runs the app as a plain script."""
    return serves.is_set()

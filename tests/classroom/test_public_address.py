from __future__ import annotations

import pytest

from core.classroom.addresses.public_address import (
    is_local,
    read_view,
    root_address,
    view_address,
    without_scheme,
)
from core.classroom.addresses.short_addresses import SharedView, ShortAddresses

PAGES = ("home", "masks", "translate")


@pytest.mark.parametrize(
    ("url", "root"),
    [
        ("https://class.example/teacher", "https://class.example"),
        ("https://class.example/teacher/?x=1#here", "https://class.example"),
        ("http://10.0.0.7:8501/", "http://10.0.0.7:8501"),
        ("https://class.streamlit.app/~/+/teacher", "https://class.streamlit.app"),
        ("https://school.example/apps/nmt/teacher", "https://school.example/apps/nmt"),
    ],
)
def test_the_root_of_what_a_browser_says(url: str, root: str) -> None:
    assert root_address(url, "teacher") == root


@pytest.mark.parametrize(
    "view",
    [
        SharedView("home"),
        SharedView("masks", {"masks": "causal"}),
        SharedView("translate", {"sentence": "São três & uma? #1 100% + mais", "search": "beam"}),
        SharedView("home", {"go": "3"}),
    ],
)
def test_an_address_is_read_as_it_was_written(view: SharedView) -> None:
    address = view_address("https://school.example/apps", view, "home")
    assert address.isascii() and " " not in address
    if view.page != "home":
        assert read_view(address, PAGES, "home") == view
    assert read_view(view_address("https://class.example", view, "home"), PAGES, "home") == view


@pytest.mark.parametrize(
    "address", ["", "hello", "https://class.example/tracher", "https://class.example/masks/x", "/"]
)
def test_what_is_no_address_of_the_app(address: str) -> None:
    with pytest.raises(ValueError, match=r"not the address of a page of this app\. Received"):
        read_view(address, PAGES, "home")


def test_addresses_that_no_other_machine_can_open() -> None:
    assert (
        is_local("http://localhost:8501")
        and is_local("http://127.0.0.1:8501")
        and is_local("http://[::1]:8501")
    )
    assert not is_local("http://10.0.0.7:8501") and not is_local("")


def test_as_people_type_it() -> None:
    assert without_scheme("https://class.example/?go=3") == "class.example/?go=3"
    assert without_scheme("http://10.0.0.7:8501/") == "10.0.0.7:8501"


def test_a_view_keeps_its_number_and_the_oldest_goes() -> None:
    addresses = ShortAddresses(most=2)
    first, second, third = (SharedView("masks", {"masks": name}) for name in ("causal", "padding", "softmax"))
    assert [addresses.number_of(view) for view in (first, second, first)] == ["1", "2", "1"]
    assert addresses.number_of(third) == "3"
    assert [addresses.find(number) for number in ("1", "2", "3", "4")] == [None, second, third, None]

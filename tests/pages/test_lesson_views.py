"""A step of a lesson leads to the view that its task needs."""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest

from pages.components.app.menu import PageEntry
from pages.components.lesson.routes import LESSONS, Stop
from tests.pages.conftest import OpenPage
from tests.pages.test_addresses import opened

LEADING = [
    (minutes, before.page, after)
    for minutes, plan in LESSONS.items()
    for before, after in zip(plan.stops, plan.stops[1:], strict=False)
    if after.view
]


@pytest.mark.parametrize(
    ("minutes", "page", "stop"), LEADING, ids=lambda part: getattr(part, "address", None)
)
def test_next_opens_the_very_view(open_page: OpenPage, minutes: int, page: PageEntry, stop: Stop) -> None:
    app = opened(page, {"lesson": str(minutes)})
    (link,) = [each for each in app.get("page_link") if each.proto.label.startswith("Next: ")]
    assert parse_qsl(link.proto.query_string) == [stop.view]
    assert stop.view
    key, name = stop.view
    shown = opened(stop.page, {key: name})
    assert shown.segmented_control(key=key).value == name

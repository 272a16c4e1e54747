"""A step of a lesson leads to the view that its task needs."""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest

from core.storage.shipped import FIRST
from pages.components.app.menu import SECTIONS, PageEntry
from pages.components.lesson.routes import LESSONS, Stop
from tests.conftest import ChangeSetting
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
def test_next_opens_the_very_view(with_shipped: None, minutes: int, page: PageEntry, stop: Stop) -> None:
    app = opened(page, {"lesson": str(minutes)})
    above_and_below = [each for each in app.get("page_link") if each.proto.label.startswith("Next: ")]
    assert [parse_qsl(link.proto.query_string) for link in above_and_below] == [stop.query] * 2
    ((key, name),) = stop.query
    shown = opened(stop.page, {key: name})
    widget = shown.selectbox(key="model_choice") if key == "model" else shown.segmented_control(key=key)
    assert widget.value == name


@pytest.mark.parametrize("minutes", LESSONS)
@pytest.mark.parametrize("name", ["", "anki_en_fr"])
def test_what_asks_for_a_model_in_doubt_opens_with_the_servers_own(
    change_setting: ChangeSetting, minutes: int, name: str
) -> None:
    change_setting("default_model", name)
    looks = [stop for stop in LESSONS[minutes].stops if stop.page in SECTIONS["Look inside"]]
    assert looks and all(stop.query == [("model", name or FIRST)] for stop in looks)

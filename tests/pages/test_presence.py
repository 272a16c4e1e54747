from __future__ import annotations

from core.classroom.presence import Presence


def test_somebody_may_be_away_for_a_moment() -> None:
    there, now = [True], [0.0]
    presence = Presence(lambda: there[0], 5.0, lambda: now[0])
    assert presence()
    there[0], now[0] = False, 100.0
    assert presence()  # just gone, whenever it was asked last
    now[0] = 104.0
    assert presence()
    there[0] = True
    assert presence()
    there[0], now[0] = False, 106.0
    assert presence()  # gone anew
    now[0] = 111.0
    assert not presence()

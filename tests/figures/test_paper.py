from __future__ import annotations

import re

from core.figures.paper import QUIET_ZONE, qr_svg


def test_it_is_dark_on_white_and_fills_its_place() -> None:
    svg = qr_svg("https://class.example/masks?masks=causal")
    assert re.findall(r'viewBox="([^"]*)"', svg) == [f"0 0 {29 + 2 * QUIET_ZONE} {29 + 2 * QUIET_ZONE}"]
    assert {color.lower() for color in re.findall(r'(?:fill|stroke)="([^"]*)"', svg)} <= {
        "#fff",
        "#ffffff",
        "#000",
        "#000000",
    }
    assert "width=" not in svg and "class=" not in svg
    assert "https://" not in svg  # of what it says, nothing stands in it as text

"""Single channels as waves."""

from __future__ import annotations

from core.figures.positions import waves_figure
from core.theory.positional_encoding import wave, wavelengths
from pages.components.lesson.view import View
from pages.components.positional_encoding.sizes import choose_sizes
from pages.components.widgets import remembered
from pages.components.widgets.drawing.figure import show_figure

MAX_WAVES = 6


def _show_waves() -> None:
    length, width = choose_sizes()
    chosen = remembered.choose_several(
        "Channels",
        range(width),
        "channels",
        _spread(width),
        MAX_WAVES,
        help="Even channels are sines, odd ones cosines.",
    )
    show_figure(
        waves_figure(sorted(chosen), length, width),
        alt=f"Channels {', '.join(map(str, sorted(chosen)))} as waves over the positions",
        key="waves",
    )


def _spread(width: int) -> list[int]:
    """Four sines from fast to slow, all of whose waves can be told apart on 200 positions."""
    return sorted({int(2 * (width * part // 16)) for part in range(4)} & set(range(width)))


WAVES = View(_show_waves, (wave, wavelengths))

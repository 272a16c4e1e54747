"""Numbers too large to read digit by digit."""

from __future__ import annotations

_NAMES = ((1e12, "trillion"), (1e9, "billion"), (1e6, "million"))


def in_words(number: float) -> str:
    """Like "174,371", "63.1 million" or "1.27 billion"."""
    for size, name in _NAMES:
        if _rounded(number) >= size:
            return f"{three_figures(number / size)} {name}"
    return f"{number:,.0f}"


def megabytes(count: float) -> str:
    """Bytes like "0.697 MB", "252 MB" or "1.71 GB", a megabyte being a million."""
    return (
        f"{three_figures(count / 1e9)} GB" if _rounded(count) >= 1e9 else f"{three_figures(count / 1e6)} MB"
    )


def three_figures(number: float) -> str:
    """Three figures of a number, all of those before the point."""
    rounded = _rounded(number)  # 9.996 is 10.0, not 10.00
    places = 0 if rounded >= 100 else 1 if rounded >= 10 else 2 if rounded >= 1 else 3
    return f"{rounded:,.{places}f}"


def _rounded(number: float) -> float:
    return float(f"{number:.3g}")

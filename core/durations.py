"""Durations as text."""

from core.language import _, number


def duration(seconds: float) -> str:
    """Format seconds as "8 s", "1 min 20 s" or "2 h 5 min"."""
    whole = max(1, round(seconds))
    if whole < 60:
        return _("{seconds} s").format(seconds=whole)
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        written = _("{minutes} min {seconds} s") if rest else _("{minutes} min")
        return written.format(minutes=minutes, seconds=rest)
    hours, minutes = divmod(minutes, 60)
    return _("{hours} h {minutes} min").format(hours=hours, minutes=minutes)


def brief(seconds: float) -> str:
    """Format short times as "12 ms" or "2.1 s", and longer ones like `duration`."""
    if seconds < 0.9995:
        return _("{milliseconds} ms").format(milliseconds=max(1, round(seconds * 1000)))
    return _("{seconds} s").format(seconds=number(seconds, ".1f")) if seconds < 10 else duration(seconds)

"""Durations as text."""


def duration(seconds: float) -> str:
    """Format seconds as "8 s", "1 min 20 s" or "2 h 5 min"."""
    whole = max(1, round(seconds))
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min"


def brief(seconds: float) -> str:
    """Format short times as "12 ms" or "2.1 s", and longer ones like `duration`."""
    if seconds < 0.9995:
        return f"{max(1, round(seconds * 1000))} ms"
    return f"{seconds:.1f} s" if seconds < 10 else duration(seconds)

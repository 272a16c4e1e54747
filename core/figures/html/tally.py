"""How a class has answered: a bar for each answer, and a second one after a second vote. HTML in the page's colors."""

from __future__ import annotations

import html
from pathlib import Path
from string import ascii_uppercase

from core.figures import theme
from core.records.room import Tally

_CSS = (Path(__file__).parent / "tally.css").read_text(encoding="utf-8")
_COLORS = (theme.GREY, theme.BLUE)  # of the first and the second vote, where there are two


VOTES = ("first vote", "second vote")


def tally_html(tally: Tally, names: tuple[str, str] = VOTES, is_lettered: bool = True) -> str:
    """Draw a bar for each option and vote, with counts and shares; the right option is marked once it is solved.

    `names` are those of two votes; a single one needs none. `is_lettered` says whether the options have letters.
    """
    rows = []
    for number, option in enumerate(tally.question.options):
        is_right = tally.is_solved and number == tally.question.right_option
        letter = f"{ascii_uppercase[number]}\u2002" if is_lettered else ""
        text = f"{'✓ ' if is_right else ''}{letter}{option}"
        bars = "".join(_bar(tally, vote, number, names[vote]) for vote in range(len(tally.votes)))
        classes = "option right" if is_right else "option"
        rows.append(
            f'<div class="{classes}" role="rowheader">{html.escape(text)}</div><div role="cell">{bars}</div>'
        )
    lines = "".join(f'<div role="row" style="display: contents">{row}</div>' for row in rows)
    title = html.escape(f"Answers of the class: {tally.question.text}", quote=True)
    return f'<style>{_CSS}</style><div class="tally" role="table" aria-label="{title}">{lines}</div>'


def _bar(tally: Tally, vote: int, option: int, name: str) -> str:
    votes = tally.votes[vote]
    count = votes[option]
    share = count / sum(votes) if sum(votes) else 0.0
    color = _COLORS[vote] if len(tally.votes) > 1 else theme.BLUE
    label = f"{name}: " if len(tally.votes) > 1 else ""
    bar = f'<div class="bar" style="width: calc({share:.3f} * (100% - 12rem)); --color: {color}"></div>'
    own = " · you" if tally.own[vote] == option else ""
    return f'<div class="vote">{bar}<span class="number">{label}{count} · {share:.0%}{own}</span></div>'

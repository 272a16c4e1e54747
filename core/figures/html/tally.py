"""How a class has answered: a bar for each answer, and a second one after a second vote. HTML in the page's colors."""

from html import escape
from string import ascii_uppercase

from core.figures import theme
from core.figures.html.markup import element, style_of
from core.records.room import Tally

_STYLE = style_of("tally")

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
        bars = [_bar(tally, vote, number, names[vote]) for vote in range(len(tally.votes))]
        title = element(
            "div", escape(text), class_="option right" if is_right else "option", role="rowheader"
        )
        rows.append(
            element("div", title, element("div", *bars, role="cell"), role="row", style="display: contents")
        )
    about = f"Answers of the class: {tally.question.text}"
    table = element("div", *rows, class_="tally", role="table", aria_label=about)
    return _STYLE + element("div", table, class_="tally-place")


def _bar(tally: Tally, vote: int, option: int, name: str) -> str:
    votes = tally.votes[vote]
    count = votes[option]
    share = count / sum(votes) if sum(votes) else 0.0
    color = _color(tally, vote, option)
    label, beside = (f"{name}: ", 12) if len(tally.votes) > 1 else ("", 8)
    bar = element(
        "div", class_="bar", style=f"width: calc({share:.3f} * (100% - {beside}rem)); --color: {color}"
    )
    own = " · you" if tally.own[vote] == option else ""
    number = element("span", f"{escape(label)}{count} · {share:.0%}{own}", class_="number")
    return element("div", bar, number, class_="vote")


def _color(tally: Tally, vote: int, option: int) -> str:
    """Return the color of a bar: green for the right option of the last vote, once it is solved."""
    is_last = vote == len(tally.votes) - 1
    if is_last and tally.is_solved and option == tally.question.right_option:
        return theme.GREEN
    return theme.BLUE if is_last else theme.GREY


def tally_line_html(tally: Tally) -> str:
    """Draw each vote as one bar of the options' shares, side by side: small enough to stand above a figure."""
    bars = []
    for number, votes in enumerate(tally.votes):
        parts = [
            element(
                "span",
                f"{'✓ ' if option == tally.question.right_option else ''}{ascii_uppercase[option]} {count}",
                style=f"flex: {count}; --color: {_color(tally, number, option)}",
            )
            for option, count in enumerate(votes)
            if count
        ]
        name = VOTES[number] if len(tally.votes) > 1 else "votes"
        bars.append(element("div", element("em", escape(name)), *parts, class_="line"))
    return _STYLE + element(
        "div", *bars, class_="tally-lines", aria_label="Answers of the class", role="group"
    )

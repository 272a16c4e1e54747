"""How a class has answered: a bar for each answer, and a second one after a second vote. HTML in the page's colors."""

from collections.abc import Sequence
from html import escape
from string import ascii_uppercase

from core.figures import theme
from core.figures.html.markup import element, style_of
from core.language import N_, _, number
from core.records.room import Tally

_STYLE = style_of("tally")

VOTES = (N_("first vote"), N_("second vote"))


def tally_html(
    tally: Tally, options: Sequence[str], names: tuple[str, str] = VOTES, is_lettered: bool = True
) -> str:
    """Draw a bar for each option and vote, with counts and shares; the right option is marked once it is solved.

    Args:
        tally: how a class has answered.
        options: the question's options, as HTML.
        names: those of two votes, in English; a single one needs none.
        is_lettered: whether options have letters.
    """
    rows = []
    for place, option in enumerate(options):
        is_right = tally.is_solved and place == tally.question.right_option
        letter = f"{ascii_uppercase[place]}\u2002" if is_lettered else ""
        text = f"{'✓ ' if is_right else ''}{letter}{option}"
        bars = [_bar(tally, vote, place, names[vote]) for vote in range(len(tally.votes))]
        title = element("div", text, class_="option right" if is_right else "option", role="rowheader")
        rows.append(
            element("div", title, element("div", *bars, role="cell"), role="row", style="display: contents")
        )
    about = _("Answers of the class")
    table = element("div", *rows, class_="tally", role="table", aria_label=about)
    return _STYLE + element("div", table, class_="tally-place")


def _bar(tally: Tally, vote: int, option: int, name: str) -> str:
    votes = tally.votes[vote]
    count = votes[option]
    share = count / sum(votes) if sum(votes) else 0.0
    color = _color(tally, vote, option)
    beside = 12 if len(tally.votes) > 1 else 8
    bar = element(
        "div", class_="bar", style=f"width: calc({share:.3f} * (100% - {beside}rem)); --color: {color}"
    )
    says = f"{count} · {number(share, '.0%')}"
    if len(tally.votes) > 1:
        says = _("{vote}: {count}").format(vote=_(name), count=says)
    own = tally.own[vote]
    if own is not None and own.option == option:
        you = _("you")
        says += f" · {you}"
    return element("div", bar, element("span", escape(says), class_="number"), class_="vote")


def _color(tally: Tally, vote: int, option: int) -> str:
    """Return the color of a bar: green for the right option of the last vote, once it is solved."""
    is_last = vote == len(tally.votes) - 1
    if is_last and tally.is_solved and option == tally.question.right_option:
        return theme.GREEN
    return theme.BLUE if is_last else theme.GREY


def tally_line_html(tally: Tally) -> str:
    """Draw each vote as one bar of the options' shares, side by side: small enough to stand above a figure."""
    bars = []
    for place, votes in enumerate(tally.votes):
        parts = [
            element(
                "span",
                f"{'✓ ' if option == tally.question.right_option else ''}{ascii_uppercase[option]} {count}",
                style=f"flex: {count}; --color: {_color(tally, place, option)}",
            )
            for option, count in enumerate(votes)
            if count
        ]
        name = VOTES[place] if len(tally.votes) > 1 else N_("votes")
        bars.append(element("div", element("em", escape(_(name))), *parts, class_="line"))
    return _STYLE + element(
        "div", *bars, class_="tally-lines", aria_label=_("Answers of the class"), role="group"
    )

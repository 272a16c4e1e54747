"""What says that a wide figure goes on beside the room it has, before people scroll."""

from __future__ import annotations


def scroll_sign(selector: str, width: int) -> str:
    """CSS: a line at the head of what scrolls, where it is narrower than the figure in it; never on paper.

    Args:
        selector: of the element that scrolls.
        width: pixels that the figure in it has at least.
    """
    return f"""{selector} {{ container-type: inline-size; }}
        @media screen {{ @container (max-width: {width - 1}px) {{ {selector}::before {{
        content: "Scroll sideways to see all of it →"; position: sticky; left: 0; justify-self: start;
        font-size: 0.8rem; opacity: 0.75; }} }} }}"""

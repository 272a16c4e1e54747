from core.figures.masks import Convention
from pages.components.widgets import remembered


def choose_convention() -> Convention:
    """Which of the two ways of writing a mask down is shown."""
    names: dict[Convention, str] = {"allowed": "True = allowed", "blocked": "1 = blocked"}
    return remembered.choose(
        "Mask convention",
        names,
        "convention",
        help="Keras and this app use True where attention is allowed. Older code uses 1 where it is blocked, since it "
        "multiplies the mask by −1e9 and adds it to the scores.",
    )

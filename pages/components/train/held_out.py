from pages.components.widgets.remembered import choose

_PERCENT = (0, 10, 20, 30, 50)


def choose_held_out() -> float:
    """The share of the pairs that the training does not see, 0 to 1; none unless somebody asks for it."""
    titles = {percent: f"{percent}%" if percent else "None" for percent in _PERCENT}
    percent = choose(
        "Hold out",
        titles,
        key="held_out",
        help="Pairs that the model does not learn from. After each epoch it is evaluated on them: their loss and "
        "accuracy are drawn beside those of the training, and the model keeps the weights of the epoch with the lowest "
        "held-out loss. The seed chooses the pairs. Words that occur only in them are unknown to the model.",
    )
    return percent / 100

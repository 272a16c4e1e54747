"""Titles that older links have in place of options, where the page has other words by now."""

OLD_TITLES: dict[str, dict[str, str]] = {
    "numbers": {"subwords": "Words and pieces", "tensor": "The whole batch", "lengths": "How long"},
    "tokens": {"subwords": "Pieces"},
    "by_hand": {"dictionary": "Fuzzy dictionary"},
    "unit": {"subwords": "pieces"},
}
"""By the key of the widget: the option as it stands in an address, and its old title."""

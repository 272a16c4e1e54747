"""Titles that older links have in place of options, where the page has other words by now."""

OLD_TITLES: dict[str, dict[str, str]] = {
    "numbers": {"subwords": "Words and pieces", "tensor": "The whole batch"},
    "masks": {"causal": "Look-ahead", "combined": "Both", "cheating": "No look-ahead mask"},
    "head": {str(number): f"Head {number}" for number in range(1, 17)},
    "schedule": {"linear": "Straight up and down"},
    "tokens": {"subwords": "Pieces"},
    "by_hand": {"dictionary": "Fuzzy dictionary"},
    "unit": {"subwords": "pieces"},
    "architecture": {"flow": "Training and translating"},
    "what": {"translating": "Translating: one sentence"},
    "shown_evaluation": {"1": "The one before"},
    "lesson": {"10": "10 minutes", "30": "30 minutes", "60": "60 minutes"},
    "mode": {"text": "One text", "lines": "Many lines"},
    "kind": {
        "cross": "Cross: target looks at source",
        "encoder": "Encoder: source looks at source",
        "decoder": "Decoder: target looks at target",
    },
}
"""By the key of the widget: the option as it stands in an address, and its old title."""

"""What cannot be translated, and why."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

WEIGHTS_OVERFLOW = (
    "This model's weights are too large to compute with. Train it again with a lower learning rate."
)


class TranslationError(ValueError):
    """A text that cannot be translated; the message says what to do.

    Args:
        message: for people.
        row: which of the sentences it is, from 0.
    """

    def __init__(self, message: str, row: int = 0) -> None:
        super().__init__(message)
        self.row = row


def check_finite(values: NDArray[np.floating]) -> None:
    """Raise where a model's weights have overflowed.

    Raises:
        TranslationError: they have.
    """
    if not np.isfinite(values).all():
        raise TranslationError(WEIGHTS_OVERFLOW)

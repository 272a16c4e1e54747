"""Words that the source may not have asked for."""

from __future__ import annotations

from core.inference.transformer import Floats
from core.interpretability.attention.words import Words, is_punctuation, is_special

MIN_SOURCE_SHARE = 0.5  # of a word by ALTI+; below, more of it comes from what was said before
_APOSTROPHES = ("'", "’")


def possibly_invented(words: Words, source_share: Floats) -> frozenset[int]:
    """Rows of words with a low source share, which is how invented text shows (Ferrando et al. 2022, Dale et al. 2023).

    Punctuation, the end token and what follows an apostrophe ("don ' t") come from the words before in any
    translation, and are never marked. With `ted_pt_en`, on 70 validation sentences, the share is below 0.5 for one
    in five hundred of the words the model wrote, and for a third of those of another sentence's translation.

    Args:
        words: written.
        source_share: of each, 0 to 1.
    """
    return frozenset(
        row
        for row, text in enumerate(words.texts)
        if source_share[row] < MIN_SOURCE_SHARE
        and not (is_special(text) or is_punctuation(text))
        and not (row and words.texts[row - 1] in _APOSTROPHES)
    )

"""The attention of a decoder alone over a pair written as one text. Axis letters: see `core.config`."""

from collections.abc import Sequence

import numpy as np

from core.interpretability.heads import best_aligned, mean_alignment
from core.language import N_, _
from core.language_model.model import SEPARATOR, LanguageModel
from core.records.attention import HeadMaps, TokenAttention
from core.tokens.vocabulary import END


def text_maps(model: LanguageModel, ids: Sequence[int]) -> HeadMaps:
    """Return every head's map over a text of T tokens: rows have read their token, and attend to all before it.

    The map to show first is that of the head which aligns best in the block of `source_block`, if there is one.
    """
    weights = model.attention(ids)  # (L, H, T, T)
    words = words_of(model, ids)
    ahead = ~np.tri(len(ids), dtype=np.bool_)
    first = best_aligned(mean_alignment([source_block(model, ids)])) if SEPARATOR in words else (0, 0)
    shown = np.concatenate([weights, weights.mean(axis=1, keepdims=True)], axis=1)
    shown[..., ahead] = np.nan
    layers, heads = weights.shape[:2]
    return HeadMaps(
        name=_("Decoder alone"),
        weights=shown,
        names=(*(str(head + 1) for head in range(heads)), N_("mean")),
        roles=(("",) * (heads + 1),) * layers,
        first=f"{first[0] + 1}.{first[1] + 1}",
        rows=words,
        columns=words,
        row_title=_("attending"),
        column_title=_("attended to"),
        value_label=_("weight"),
        notes=(),
        highest=1.0,
    )


def source_block(model: LanguageModel, ids: Sequence[int]) -> TokenAttention:
    """Return the block in which the words of the translation look at the source, as cross-attention has it.

    Row t is what the token attends to that predicts target token t: the separator predicts the first one.
    """
    words = words_of(model, ids)
    border = words.index(SEPARATOR)
    weights = model.attention(ids)[:, :, border:, 1:border]
    return TokenAttention((*words[border + 1 :], END), words[1:border], weights)


def words_of(model: LanguageModel, ids: Sequence[int]) -> tuple[str, ...]:
    """Return the tokens of a text."""
    tokens = model.tokenizer.vocabulary.tokens
    return tuple(tokens[each] for each in ids)

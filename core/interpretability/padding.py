"""A trained model, run with and without its padding mask. Axis letters: see `core.config`."""

from collections.abc import Sequence

import numpy as np

from core.arrays import Bools, Floats
from core.inference.model import Results, attention_weight_names, attention_weights
from core.inference.translator import TranslationError, Translator
from core.interpretability.teacher_forcing import ForcedPair, Tracer
from core.language import _
from core.records.analysis import PaddingComparison, PaddingOutcome
from core.tokens.vocabulary import END_ID, PAD_ID

_MAX_WRITTEN_TOKENS = 64  # per translation; without the mask, some never end


def padding_comparison(tracer: Tracer, sentence: str, num_pads: int) -> PaddingComparison:
    """Translate a sentence without padding, padded with the mask, and padded without the mask.

    Raises:
        TranslationError: the sentence has no words, or has too many tokens with its padding.
    """
    translator = tracer.translator
    ids = translator.source(sentence).ids
    if len(ids) + num_pads > (most := translator.config.max_source_length):
        raise TranslationError(
            _(
                "The sentence has {count} tokens, {padded} with padding; this model reads at most {most}. "
                "Shorten it or use fewer padding tokens."
            ).format(count=len(ids), padded=len(ids) + num_pads, most=most)
        )
    padded = [*ids, *[PAD_ID] * num_pads]
    everywhere = np.ones((1, 1, 1, len(padded)), np.bool_)
    runs = [_run(tracer, read, mask) for read, mask in ((ids, None), (padded, None), (padded, everywhere))]
    memory = runs[0][1]["encoder"][0]
    outcomes = [_outcome(translator, written, found, memory) for written, found in runs]
    return PaddingComparison(num_pads, *outcomes)


def _run(tracer: Tracer, ids: Sequence[int], source_mask: Bools | None) -> tuple[tuple[int, ...], Results]:
    """Translate greedily, and return the ids, with the end if it was reached, and results of a pass over the whole."""
    written = tracer.write_greedily(ids, _MAX_WRITTEN_TOKENS, source_mask=source_mask)
    pair = ForcedPair.of_ids(tracer.translator, ids, written)
    return written, tracer.results(
        pair, ["encoder", *attention_weight_names(tracer.config)], source_mask=source_mask
    )


def _outcome(
    translator: Translator, written: tuple[int, ...], found: Results, memory: Floats
) -> PaddingOutcome:
    """Compare a run with `memory` (S, D), the encoder's output for the S real tokens without padding."""
    real = len(memory)
    tokenizer = translator.target_tokenizer
    attention = attention_weights(found, translator.config)
    return PaddingOutcome(
        change=float(np.abs(found["encoder"][0, :real] - memory).max()),
        encoder_share=attention["encoder"][:, :, :real, real:].sum(axis=-1).mean(axis=-1),
        cross_share=attention["cross"][..., real:].sum(axis=-1).mean(axis=-1),
        ids=written,
        translation=tokenizer.decode(written),
        finished=END_ID in written,
    )

"""A trained model, run with and without its padding mask. Axis letters: see `core.config`."""

from collections.abc import Sequence

import numpy as np

from core.arrays import Floats
from core.inference.transformer import UNCHANGED, Interventions, Trace
from core.inference.translator import TranslationError, Translator
from core.interpretability.teacher_forcing import Tracer
from core.language import _
from core.records.analysis import PaddingComparison, PaddingOutcome
from core.tokens.vocabulary import END_ID, PAD_ID, START_ID

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
    unmasked = Interventions(source_mask=np.ones((1, 1, 1, len(padded)), np.bool_))
    runs = [
        _run(tracer, read, changes)
        for read, changes in ((ids, UNCHANGED), (padded, UNCHANGED), (padded, unmasked))
    ]
    memory = _encoder_output(translator, runs[0][1])
    outcomes = [_outcome(translator, written, trace, memory) for written, trace in runs]
    return PaddingComparison(num_pads, *outcomes)


def _run(tracer: Tracer, ids: Sequence[int], changes: Interventions) -> tuple[tuple[int, ...], Trace]:
    """Translate greedily, and return the ids, with the end if it was reached, and a trace of the whole."""
    written = tracer.write_greedily(ids, _MAX_WRITTEN_TOKENS, changes)
    decoder_input = np.array([[START_ID, *written[:-1]]], np.int32)
    return written, tracer.trace(np.array([ids], np.int32), decoder_input, changes)


def _outcome(
    translator: Translator, written: tuple[int, ...], trace: Trace, memory: Floats
) -> PaddingOutcome:
    """Compare a run with `memory` (S, D), the encoder's output for the S real tokens without padding."""
    real = len(memory)
    tokenizer = translator.target_tokenizer
    return PaddingOutcome(
        change=float(np.abs(_encoder_output(translator, trace)[:real] - memory).max()),
        encoder_share=trace.attention.encoder[0, :, :, :real, real:].sum(axis=-1).mean(axis=-1),
        cross_share=trace.attention.cross[0, :, :, :, real:].sum(axis=-1).mean(axis=-1),
        ids=written,
        translation=tokenizer.decode(written),
        finished=END_ID in written,
    )


def _encoder_output(translator: Translator, trace: Trace) -> Floats:
    """Return the encoder's output, which the decoder reads, (S, D)."""
    return translator.model.final_norm("encoder", trace.hidden["encoder"][0, -1])

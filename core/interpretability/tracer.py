"""A translator's model run by teacher forcing, with everything it computed returned and changes as arguments.

One graph a config serves all sentences, lengths and changes: nothing is compiled for a head that is switched off.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from core.decoding.text.translation_error import check_finite
from core.decoding.translator import TranslationError, Translator
from core.interpretability.changes import NO_CHANGES, Changes, Floats, Ids, StackPatch
from core.interpretability.trace_graphs import compiled_scores, compiled_trace
from core.model.transformer import AttentionWeights, Trace
from core.theory.masks import padding_mask as padding_mask_of

MAX_NUMBERS = 40_000_000  # that one trace returns, 160 MB


class Tracer:
    """One model's forward pass, opened. Read-only: threads may share it.

    Args:
        translator: of the model.
        pause: called before each batch, where a long computation may be stopped by an exception.
    """

    def __init__(self, translator: Translator, pause: Callable[[], object] = bool) -> None:
        self.translator = translator
        self._pause = pause
        self.config = translator.config.replace(dropout_rate=0.0)

    def trace(self, source_ids: Ids, target_ids: Ids, changes: Changes = NO_CHANGES) -> Trace:
        """Everything one pass computes, as NumPy arrays.

        Args:
            source_ids: (B, S), padded with 0.
            target_ids: (B, T), the decoder's input, from the start token on.
            changes: to the pass.

        Raises:
            TranslationError: that would be too large to show, or the weights overflow.
        """
        self._check_size(source_ids, target_ids)
        found = compiled_trace(self.config)(*self._arguments(source_ids, target_ids, changes))
        trace = Trace(
            *(
                AttentionWeights(*(each.numpy() for each in part))
                if isinstance(part, tuple)
                else part.numpy()
                for part in found
            )
        )
        check_finite(trace.logits)
        return trace

    def log_probabilities(
        self, source_ids: Ids, target_ids: Ids, predicted: Ids, changes: Changes = NO_CHANGES
    ) -> Floats:
        """log P (nats) of each predicted token, in the shape of `predicted`; 0 where that is padding.

        Args:
            source_ids: (B, S)
            target_ids: (B, T), the decoder's input.
            predicted: (B, T), the tokens whose probability is wanted, or (B, T, W): several at each position.
            changes: to the pass.

        Raises:
            TranslationError: the weights overflow.
        """
        arguments = self._arguments(source_ids, target_ids, changes)
        words = np.asarray(predicted, np.int32)
        found = compiled_scores(self.config)(
            *arguments, words if words.ndim == 3 else words[..., None]
        ).numpy()
        check_finite(found)
        return found.reshape(words.shape)

    def _arguments(self, source_ids: Ids, target_ids: Ids, changes: Changes) -> list[Any]:
        self._pause()
        layers, heads, width = self.config.num_layers, self.config.num_heads, self.config.d_model
        source_mask = padding_mask_of(source_ids) if changes.source_mask is None else changes.source_mask
        target_mask = np.ones((1, 1, 1, 1), bool) if changes.target_mask is None else changes.target_mask
        on = np.ones((1, layers, heads), np.float32)
        gates = (changes.encoder_gates, changes.decoder_gates, changes.cross_gates)
        unpatched = StackPatch(
            np.zeros((1, layers + 1, 1, width), np.float32), np.zeros((1, layers + 1, 1), bool)
        )
        patches = (changes.encoder_patch or unpatched, changes.decoder_patch or unpatched)
        return [
            self.translator.packed_weights,
            np.asarray(source_ids, np.int32),
            np.asarray(target_ids, np.int32),
            source_mask,
            target_mask,
            *(on if gate is None else np.asarray(gate, np.float32) for gate in gates),
            *(part for patch in patches for part in (patch.hidden, patch.replaced)),
        ]

    def _check_size(self, source_ids: Ids, target_ids: Ids) -> None:
        (rows, source), target = source_ids.shape, target_ids.shape[1]
        config = self.config
        attention = config.num_layers * config.num_heads * (source**2 + target**2 + source * target)
        states = (config.num_layers + 1) * config.d_model * (3 * source + 2 * target)
        if rows * (attention + states + target * config.target_vocab_size) > MAX_NUMBERS:
            raise TranslationError(
                f"What this model computes for {source:,} tokens is too large to show. Shorten the sentence."
            )

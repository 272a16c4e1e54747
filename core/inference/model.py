"""A model that translates and explains, in NumPy: results of whole sentences by name, and decoding step by step.

What it computes is `core.model.forward`, whose docstring lists the names of all results. Axis letters: see `core.config`.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property

import numpy as np

from core.arrays import Bools, Floats, Ids, Places
from core.config import ModelConfig
from core.model.forward import EMBEDDINGS, ForwardPass, Hook, Memory, padding_mask, unchanged
from core.records.attention import ATTENTION_KINDS, AttentionKind
from core.theory.parts import Side
from core.tokens.vocabulary import PAD_ID
from core.weights import Weights

Results = dict[str, Floats]  # by name
Change = Callable[[Floats], Floats]  # from a result to what the pass goes on with
Changes = Mapping[str, Change]  # by the result's name

UNCHANGED: Changes = {}
_OVERFLOW_IS_CHECKED = np.errstate(all="ignore")  # by `core.inference.search.check_finite`


class _AllFoundError(Exception):
    """Ends a pass that has computed all results asked for."""


class InferenceModel:
    """A Transformer with the weights of a checkpoint. Read-only: threads may share it."""

    def __init__(self, config: ModelConfig, weights: Weights) -> None:
        self.config = config
        self.weights = weights
        self.forward = ForwardPass(config, weights)

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of all results."""
        seen: set[str] = set()

        def note(name: str, value: Floats) -> Floats:
            seen.add(name)
            return value

        one_token = np.full((1, 1), PAD_ID + 1, np.int32)
        self._run(one_token, one_token, note, None)
        return frozenset(seen)

    def check_names(self, names: Iterable[str]) -> None:
        """Raise a KeyError if a name is not that of a result."""
        if unknown := sorted(set(names) - self.names):
            raise KeyError(
                f"The forward pass has no result {unknown[0]!r}; core.model.forward lists their names."
            )

    def changing(self, changes: Changes) -> Hook:
        """Return the hook that changes some results."""
        if not changes:
            return unchanged
        self.check_names(changes)

        def change(name: str, value: Floats) -> Floats:
            return changes[name](value) if name in changes else value

        return change

    def results(
        self,
        source_ids: Ids,
        target_ids: Ids,
        names: Collection[str],
        changes: Changes = UNCHANGED,
        source_mask: Bools | None = None,
        most: float = np.inf,
    ) -> Results:
        """Run encoder and decoder over whole sentences (teacher forcing), and return the results asked for.

        The pass ends when it has the last of them.

        Args:
            source_ids: (B, S), padded with 0.
            target_ids: (B, T), the decoder's input: start, then the target; padded with 0.
            names: the names of the results.
            changes: what to change on the way.
            source_mask: (B, 1, 1, S) or (1, 1, 1, S), True where attention is allowed; None hides padding.
            most: how many numbers the results may have.

        Raises:
            KeyError: a name is unknown.
            MemoryError: the results have more numbers than `most`.
        """
        self.check_names(names)
        change = self.changing(changes)
        wanted = set(names)
        found: Results = {}

        def keep(name: str, value: Floats) -> Floats:
            value = change(name, value)
            if name in wanted:
                found[name] = value
                if sum(each.size for each in found.values()) > most:
                    raise MemoryError
                if len(found) == len(wanted):
                    raise _AllFoundError
            return value

        with suppress(_AllFoundError):
            self._run(source_ids, target_ids, keep, source_mask)
        return found

    def logits(
        self,
        source_ids: Ids,
        target_ids: Ids,
        changes: Changes = UNCHANGED,
        source_mask: Bools | None = None,
    ) -> Floats:
        """Return the logits (B, T, V); the arguments are those of `results`."""
        return self._run(source_ids, target_ids, self.changing(changes), source_mask)

    @_OVERFLOW_IS_CHECKED
    def _run(self, source_ids: Ids, target_ids: Ids, hook: Hook, source_mask: Bools | None) -> Floats:
        forward = self.forward.hooked(hook)
        memory = _encode(forward, source_ids, source_mask)
        logits: Floats = forward.logits(forward.decode(target_ids, memory))
        return logits


def sublayer_path(kind: AttentionKind, layer: int) -> str:
    """Return the path of one attention sublayer, of its weights and its results; layers count from 0."""
    side, sublayer = ("decoder", "cross_attention") if kind == "cross" else (kind, "self_attention")
    return f"{side}/layer_{layer}/{sublayer}"


def attention_names(kind: AttentionKind, result: str, config: ModelConfig) -> list[str]:
    """Return the names of a result of attention, such as "weights", in all layers."""
    return [f"{sublayer_path(kind, layer)}/{result}" for layer in range(config.num_layers)]


def attention_weight_names(config: ModelConfig) -> list[str]:
    """Return the names of all attention weights."""
    return [name for kind in ATTENTION_KINDS for name in attention_names(kind, "weights", config)]


def attention_weights(found: Results, config: ModelConfig) -> dict[AttentionKind, Floats]:
    """Return the first sentence's attention weights by kind, each (L, H, T, S), from `attention_weight_names`."""
    return {kind: stacked(found, attention_names(kind, "weights", config)) for kind in ATTENTION_KINDS}


def state_names(side: Side, config: ModelConfig) -> list[str]:
    """Return the names of a side's L + 1 hidden states: what enters the first layer, and what leaves each."""
    return [EMBEDDINGS[side], *(f"{side}/layer_{layer}" for layer in range(config.num_layers))]


def stacked(found: Results, names: Sequence[str]) -> Floats:
    """Return results of the first sentence, such as those of all layers, one upon another: of each (B, …) (L, …)."""
    return np.stack([found[name][0] for name in names])


class KeyValueCache:
    """Keys and values of the target positions that one decoder layer has read, for M beams of B sentences.

    The arrays have room for more positions, and double when they are full.
    """

    def __init__(self, sentences: int, beams: int, config: ModelConfig) -> None:
        shape = (sentences, beams, config.num_heads, 16, config.head_dim)
        self._keys = np.empty(shape, np.float32)
        self._values = np.empty(shape, np.float32)
        self.length = 0

    def append(self, keys: Floats, values: Floats) -> tuple[Floats, Floats]:
        """Append the next position's keys and values (B, M, H, 1, K), and return all so far, (B, M, H, T, K)."""
        if self.length == self._keys.shape[3]:
            self._keys, self._values = (
                np.concatenate([array, np.empty_like(array)], axis=3) for array in (self._keys, self._values)
            )
        beams = keys.shape[1]
        end = self.length + 1
        self._keys[:, :beams, :, self.length] = keys[:, :, :, 0]
        self._values[:, :beams, :, self.length] = values[:, :, :, 0]
        self.length = end
        return self._keys[:, :beams, :, :end], self._values[:, :beams, :, :end]

    def reorder(self, parents: Places) -> None:
        """Let beam m of each sentence continue beam `parents[:, m]`; only changed beams and filled slots are copied."""
        sentences, beams = np.nonzero(parents != np.arange(parents.shape[1]))
        if len(sentences):
            source = parents[sentences, beams]
            for array in (self._keys, self._values):
                array[sentences, beams, :, : self.length] = array[sentences, source, :, : self.length]

    def keep(self, order: Places) -> None:
        """Keep only the sentences `order`, in that order."""
        self._keys = _kept(self._keys, order)
        self._values = _kept(self._values, order)


class DecoderState:
    """A decoder with its caches, run step by step by a search, for B sentences with up to M beams.

    The caches hold no later positions, so a model without a causal mask decodes as if it had one.

    Args:
        model: the model to decode with.
        source_ids: (B, S), padded with 0.
        beams: M.
        changes: what to change on the way.
        source_mask: as for `InferenceModel.results`.
    """

    def __init__(
        self,
        model: InferenceModel,
        source_ids: Ids,
        beams: int = 1,
        changes: Changes = UNCHANGED,
        source_mask: Bools | None = None,
    ) -> None:
        self._forward = model.forward.hooked(model.changing(changes))
        memory = _encode(self._forward, source_ids, source_mask)
        # Contiguous, since every step reads them.
        keys_values = [[np.ascontiguousarray(array) for array in pair] for pair in memory.keys_values]
        self._memory = Memory(keys_values, memory.mask)
        self._caches = [
            KeyValueCache(len(source_ids), beams, model.config) for _ in range(model.config.num_layers)
        ]

    @_OVERFLOW_IS_CHECKED
    def step(self, ids: Ids) -> Floats:
        """Read the next token (B, M) of each beam, and return the logits of the token after it, (B, M, V)."""
        output = self._forward.decode_step(ids, self._memory, self._caches)
        logits: Floats = self._forward.logits(output)
        return logits

    def reorder(self, parents: Places) -> None:
        """Let beam m continue beam `parents[:, m]`; `parents` is (B, M)."""
        for cache in self._caches:
            cache.reorder(parents)

    def keep(self, order: Places) -> None:
        """Keep only the sentences `order`, in that order."""
        for cache in self._caches:
            cache.keep(order)
        keys_values = [[_kept(array, order) for array in pair] for pair in self._memory.keys_values]
        mask = self._memory.mask
        if mask is not None and len(mask) > 1:
            mask = mask[order]
        self._memory = Memory(keys_values, mask)


@_OVERFLOW_IS_CHECKED
def _encode(forward: ForwardPass, source_ids: Ids, source_mask: Bools | None) -> Memory:
    """Encode sources; a mask that hides nothing is left out, which saves time."""
    mask = padding_mask(source_ids) if source_mask is None else source_mask
    return forward.encode(source_ids, None if mask.all() else mask)


def _kept(array: Floats, order: Places) -> Floats:
    """Move the rows `order` to the front of an array and return them; rows already in place are not copied."""
    moved = np.flatnonzero(order != np.arange(len(order)))
    array[moved] = array[order[moved]]
    return array[: len(order)]

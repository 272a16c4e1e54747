"""Search and teacher forcing as pure functions of weights and ids: one graph a configuration, shared by all models."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from enum import Enum
from functools import partial
from typing import cast

import numpy as np
import tensorflow as tf

from core.config import ModelConfig
from core.decoding.background_compiler import compiler
from core.decoding.batches import MAX_COMPILED_ROWS, batch_bucket, target_limit
from core.decoding.model_search import Bind, search_translations
from core.decoding.packed_weights import PACKED, WeightTensors, bound_to_packed
from core.decoding.rounds import SearchResult
from core.model.programs.kept_graphs import keeps_graphs
from core.model.programs.xla_programs import may_compile
from core.model.stateless import bound, shared_model
from core.model.tensor import Tensor
from core.model.transformer import AttentionWeights
from core.pipeline import Ids
from core.tokens.vocabulary import Vocabulary
from core.weights import weight_shapes

USES_BEFORE_GRAPH = 3  # single sentences that the formulas in NumPy answer sooner than a graph is traced
# Uses of a shape before XLA compiles it: what is asked for once or twice does not pay for seconds of compiling.
USES_BEFORE_XLA = 3  # of one sentence
BATCHES_BEFORE_XLA = 30  # of several: often what is left over of many, and XLA saves less time with them

Shape = tuple[int, int]
"""(rows, as `batch_bucket` gives them; source length)"""

Graph = Callable[[Tensor, Tensor, Tensor, Tensor], SearchResult]
"""The concrete function of the plain graph: (packed weights, source ids, length penalty, limits) -> the hypotheses."""

Program = Callable[[WeightTensors, Ids, float], SearchResult]
"""A program of XLA's: (weights, source ids, length penalty) -> the hypotheses."""

_MAX_KEPT = 8  # functions of visitors' configurations, some 15 MB each, and as many of the server's models


class _ProgramState(Enum):
    """The state of a shape's XLA program."""

    ASKED = "asked"  # it is being compiled, or waits for that
    READY = "ready"
    FAILED = "failed"  # XLA cannot


class CompiledSearch:
    """The search with one configuration and beam size. Threads may share it.

    One plain graph is traced at the first call and serves all numbers and lengths of sentences. It is the fastest
    for large batches. For each smaller shape that is used often XLA compiles a program, which is several times faster,
    in the background (not on a server, see `xla_programs`); the plain graph answers meanwhile. Both find the same tokens.

    Args:
        config: of the models.
        beam_size: 1 is greedy.
    """

    def __init__(self, config: ModelConfig, beam_size: int) -> None:
        self._config = config
        self._beam_size = beam_size
        self._model = shared_model(config)  # outside any graph, since it makes variables
        self._trace_graph = self._plain_graph()
        self._graph: Graph | None = None  # the plain one, once it has answered
        self._alone = 0  # sentences asked for before
        self._programs: dict[Shape, Program] = {}
        self._uses: Counter[Shape] = Counter()
        self._states: dict[Shape, _ProgramState] = {}
        self._refused_until: dict[Shape, int] = {}  # uses; there was no room, and there may be later
        self._lock = threading.Lock()  # of all above
        self._asking = threading.Lock()  # for room
        self._compiling = threading.Lock()

    def __call__(self, weights: WeightTensors, source_ids: Ids, alpha: float) -> SearchResult:
        """(weights, source ids (B, S), length penalty) -> hypotheses of at least B sentences.

        S is the `source_bucket` of the longest. The first B hypotheses are theirs; the others repeat the last.
        """
        shape = self._shape(source_ids)
        if shape is None:
            return self._by_graph(weights, source_ids, alpha)
        if program := self._programs.get(shape):
            return program(weights, _with_rows(source_ids, shape[0]), alpha)
        with self._lock:
            self._uses[shape] += 1
            often = self._uses[shape] >= (USES_BEFORE_XLA if shape[0] == 1 else BATCHES_BEFORE_XLA)
        if often:
            self.compile_later(weights, source_ids)
        return self._by_graph(weights, source_ids, alpha)

    def pays_for(self, rows: int) -> bool:
        """Whether to search here for so many sentences, rather than trace a graph for one and then another."""
        if self._graph or self._programs or rows > 1:
            return True
        with self._lock:
            self._alone += 1
            return self._alone > USES_BEFORE_GRAPH

    def has_program(self, shape: Shape) -> bool:
        """Whether XLA's program answers."""
        return shape in self._programs

    def compile_later(self, weights: WeightTensors, source_ids: Ids) -> None:
        """Let XLA compile the shape of these ids in the background; does nothing where it did, or may not."""
        shape = self._shape(source_ids)
        if shape and self._may_ask(shape) and not compiler.is_full and self._reserve(shape, ahead=True):
            compiler.add(lambda: self._compile(shape, weights, source_ids))

    def warm_up(self, weights: WeightTensors, source_ids: Ids) -> None:
        """Trace the plain graph, before anybody waits for it."""
        if self._graph is None:
            self._by_graph(weights, source_ids, 0.0)

    def compile_now(self, weights: WeightTensors, source_ids: Ids) -> None:
        """Wait until the shape of these ids has its program, or the plain graph is ready where it may have none.

        For those who translate many batches, or measure.
        """
        shape = self._shape(source_ids)
        if shape is None:
            self.warm_up(weights, source_ids)
            return
        self._reserve(shape, ahead=False)
        state = self._states.get(shape)
        if state is _ProgramState.ASKED:
            self._compile(shape, weights, source_ids)
        elif state is not _ProgramState.READY:
            self.warm_up(weights, source_ids)

    def _by_graph(self, weights: WeightTensors, source_ids: Ids, alpha: float) -> SearchResult:
        graph = self._graph or self._trace_graph()
        limits = tf.constant(self._limits(source_ids))
        found = graph(weights.packed, *_tensors(_without_padding(source_ids), alpha), limits)
        self._graph = graph
        return found

    def _shape(self, source_ids: Ids) -> Shape | None:
        """Of the program for these ids (B, S); None where there are too many, or not all have the limit of S."""
        rows, length = source_ids.shape
        if rows > MAX_COMPILED_ROWS:
            return None
        if (self._limits(source_ids) < target_limit(length, self._config)).any():
            return None
        return batch_bucket(rows), length

    def _limits(self, source_ids: Ids) -> Ids:
        """Most target tokens of each sentence (B, S), whatever it is batched with, (B,)."""
        lengths = np.count_nonzero(source_ids != Vocabulary.pad_id, axis=1)
        return np.array([target_limit(length, self._config) for length in lengths], np.int32)

    def _may_ask(self, shape: Shape) -> bool:
        """Whether nobody has asked for its program, or there was no room and it was used as often again since."""
        with self._lock:
            return shape not in self._states and self._uses[shape] >= self._refused_until.get(shape, 0)

    def _reserve(self, shape: Shape, ahead: bool) -> bool:
        """Ask for room; whether there is some, and the caller is the one to compile.

        Without the lock that every translation takes: a server that is short of memory tries to free some first.
        """
        with self._asking:
            if shape in self._states or (ahead and not self._may_ask(shape)):
                return False
            has_room = may_compile(self._config, ahead)
            with self._lock:
                if has_room:
                    self._states[shape] = _ProgramState.ASKED
                else:
                    self._refused_until[shape] = 2 * max(self._uses[shape], USES_BEFORE_XLA)
            return has_room

    def _compile(self, shape: Shape, weights: WeightTensors, source_ids: Ids) -> None:
        with self._compiling:
            if self._states[shape] is not _ProgramState.ASKED:
                return  # somebody who could not wait was first
            try:
                program = self._traced(shape)
                program(weights, _with_rows(source_ids, shape[0]), 0.0)
            except Exception:
                self._states[shape] = _ProgramState.FAILED
                raise
            self._programs[shape] = program
            self._states[shape] = _ProgramState.READY

    def _plain_graph(self) -> Callable[[], Graph]:
        """What traces the search for any number and length of sentences, with the most tokens of each, once."""

        def search(packed: Tensor, source_ids: Tensor, alpha: Tensor, limits: Tensor) -> SearchResult:
            bind = partial(bound_to_packed, self._model, packed)
            with bind():
                return self._search(source_ids, alpha, limits, bind)

        numbers = tf.TensorSpec((), tf.float32), tf.TensorSpec((None,), tf.int32)
        signature = (PACKED, tf.TensorSpec((None, None), tf.int32), *numbers)
        plain = tf.function(search, input_signature=signature, autograph=False)
        return cast(Callable[[], Graph], plain.get_concrete_function)

    def _traced(self, shape: Shape) -> Program:
        """The search that XLA compiles for ids of a shape at its first call.

        It is traced anew, though XLA could compile the plain graph: where lengths are known, beam search
        attends to a part of its cache (`attention_to_prefix`), which doubled its speed.
        """
        limit = target_limit(shape[1], self._config)

        def search(
            weights: Sequence[Tensor], transposed: Sequence[Tensor], source_ids: Tensor, alpha: Tensor
        ) -> SearchResult:
            with bound(self._model, weights):
                return self._search(
                    source_ids, alpha, limit, transposed=transposed[0] if transposed else None
                )

        config = self._config
        transposed_shapes = [(config.d_model, config.target_vocab_size)] if config.tie_embeddings else []
        signature = (
            [tf.TensorSpec(each, tf.float32) for each in weight_shapes(config).values()],
            [tf.TensorSpec(each, tf.float32) for each in transposed_shapes],
            tf.TensorSpec(shape, tf.int32),
            tf.TensorSpec((), tf.float32),
        )
        compiled = tf.function(search, input_signature=signature, autograph=False, jit_compile=True)
        # What the concrete function calls when it has checked each weight, in a millisecond. `call_flat` is not
        # documented (seen in TensorFlow 2.21, which requirements.txt asks for): it checks no types, and takes the tensors
        # in the signature's order.
        function = compiled.get_concrete_function().inference_fn

        def program(weights: WeightTensors, source_ids: Ids, alpha: float) -> SearchResult:
            found = function.call_flat(*weights.each, *weights.transposed, *_tensors(source_ids, alpha))
            return SearchResult(*found)

        return program

    def _search(
        self,
        source_ids: Tensor,
        alpha: Tensor,
        limit: Tensor | int,
        bind: Bind = nullcontext,
        transposed: Tensor | None = None,
    ) -> SearchResult:
        special = Vocabulary.from_tokens((), start_and_end=True)
        start_end = special.start_id, special.end_id
        return search_translations(
            self._model,
            source_ids,
            beam_size=self._beam_size,
            max_length=limit,
            special=start_end,
            alpha=alpha,
            bind=bind,
            transposed=transposed,
        )


def compiled_search(config: ModelConfig, beam_size: int) -> CompiledSearch:
    """The one search that all models of a configuration share. It is traced at its first call."""
    return _compiled_search(_decoding_config(config), beam_size)


def compiled_forward(config: ModelConfig) -> Callable[[Tensor, Ids, Ids], tuple[Tensor, AttentionWeights]]:
    """(packed weights, source ids (1, S), decoder-input ids (1, T)) -> log P (1, T, V) and all attention."""
    return _compiled_forward(_decoding_config(config))


@keeps_graphs(most=_MAX_KEPT)
def _compiled_search(config: ModelConfig, beam_size: int) -> CompiledSearch:
    return CompiledSearch(config, beam_size)


@keeps_graphs(most=_MAX_KEPT)
def _compiled_forward(config: ModelConfig) -> Callable[[Tensor, Ids, Ids], tuple[Tensor, AttentionWeights]]:
    model = shared_model(config)

    def forward(packed: Tensor, source_ids: Tensor, target_ids: Tensor) -> tuple[Tensor, AttentionWeights]:
        with bound_to_packed(model, packed):
            logits, attention = model.forward(source_ids, target_ids)
        return tf.nn.log_softmax(logits), attention

    ids = tf.TensorSpec((1, None), tf.int32)
    return tf.function(forward, input_signature=(PACKED, ids, ids), autograph=False)


def _decoding_config(config: ModelConfig) -> ModelConfig:
    """Models that differ only in dropout decode alike and share their compiled functions."""
    return config.replace(dropout_rate=0.0)


def _tensors(source_ids: Ids, alpha: float) -> tuple[Tensor, Tensor]:
    """What a search is called with beside weights: a `tf.function` would convert them in 0.2 ms, as long as a step."""
    return tf.constant(source_ids), tf.constant(alpha, tf.float32)


def _with_rows(source_ids: Ids, rows: int) -> Ids:
    """Ids (B, S) -> (rows, S): copies of the last sentence end when it does, unlike rows of padding."""
    return np.concatenate([source_ids, np.repeat(source_ids[-1:], rows - len(source_ids), axis=0)])


def _without_padding(source_ids: Ids) -> Ids:
    """Ids (B, S) without the columns at the end that are padding in every row."""
    used = np.flatnonzero((source_ids != Vocabulary.pad_id).any(axis=0))
    return source_ids[:, : used[-1] + 1] if len(used) else source_ids

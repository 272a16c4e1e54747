from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from core.decoding.compiled import CompiledSearch
from core.decoding.open_search import compiled_record, compiled_samples
from core.decoding.packed_weights import WeightTensors, unpack
from core.interpretability.heads import gated_translation
from core.weights import weight_shapes
from tests.conftest import TINY, random_weights


def test_both_forms_hold_the_weights_in_the_order_of_their_shapes() -> None:
    named = random_weights(TINY)
    tensors = WeightTensors.of(TINY, dict(reversed(named.items())))
    weights = [named[name] for name in weight_shapes(TINY)]
    for found in (tensors.each, unpack(tensors.packed, TINY)):
        assert all(np.array_equal(a, b) for a, b in zip(found, weights, strict=True))


@pytest.mark.parametrize("shared", [False, True])
def test_the_tied_matrix_is_transposed(shared: bool) -> None:
    config = TINY.replace(
        tie_embeddings=True, share_embeddings=shared, source_vocab_size=TINY.target_vocab_size
    )
    named = random_weights(config)
    (matrix,) = WeightTensors.of(config, named).transposed
    name = "shared_embedding/embeddings" if shared else "target_embedding/tokens/embeddings"
    assert np.array_equal(matrix, named[name].T)


def test_an_output_matrix_of_its_own_needs_no_second_one() -> None:
    assert WeightTensors.of(TINY, random_weights(TINY)).transposed == ()


@pytest.mark.slow
@pytest.mark.parametrize("beam_size", [1, 2])
def test_the_loops_of_a_search_carry_no_weight_of_a_layer(beam_size: int) -> None:
    """Beside all of them, packed: each would be handed from step to step."""
    plain: Any = CompiledSearch(TINY, beam_size)._trace_graph()
    inner = [TINY.d_model, TINY.d_ff]  # the shape of a kernel and of nothing else
    assert inner not in carried(plain.graph)


@pytest.mark.slow
def test_nor_do_those_of_searches_that_people_look_into() -> None:
    searches: list[Any] = [
        compiled_samples(TINY),
        compiled_record(TINY, 2),
        gated_translation._compiled_search(TINY),
    ]
    for search in searches:
        assert [TINY.d_model, TINY.d_ff] not in carried(search.get_concrete_function().graph)


def carried(graph: Any) -> list[list[int | None]]:
    """The shapes of all that goes into a loop."""
    loops = [
        operation for operation in graph.get_operations() if operation.type in ("While", "StatelessWhile")
    ]
    assert loops
    return [
        tensor.shape.as_list() for loop in loops for tensor in loop.inputs if tensor.shape.rank is not None
    ]

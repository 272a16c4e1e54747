"""The size of a model: parameters, memory and operations.

Only matrix products count, with two operations (multiply and add) for each pair of numbers. Embedding lookups,
biases, norms, softmax and activations are left out, because they cost little.

Each weight of a kernel costs two operations a token. A source token and a target token together cost 2 N: the one
passes the encoder and makes cross-attention's keys and values, the other passes the rest. Kaplan et al. 2020
("Scaling Laws for Neural Language Models", section 2.1) count a decoder alone, where every token passes all N
weights. Their N leaves out vocabulary and position embeddings, and their count leaves out the product that gives the
logits; here both the output's matrix and its product count.
"""

from __future__ import annotations

from core.config import ModelConfig
from core.theory.model_parts import parts_of_model
from core.theory.parts import KINDS_WITH_WEIGHTS, Kind, axis_sizes, model_sizes

BYTES_FLOAT32, BYTES_FLOAT16 = 4, 2  # a number
BYTES_TRAINING = 16  # a number, its gradient and Adam's two averages, float32 each
TRAINING_FACTOR = 3  # backward costs about twice what forward does (Kaplan et al. 2020, section 2.1)

# Vaswani et al. 2017, table 3. Section 5.1 has "about 37000 tokens", one vocabulary for both languages; section 3.4
# shares one matrix three times.
BASE = ModelConfig(
    source_vocab_size=37_000,
    target_vocab_size=37_000,
    num_layers=6,
    d_model=512,
    num_heads=8,
    d_ff=2048,
    dropout_rate=0.1,
    max_source_length=256,
    max_target_length=256,
    tie_embeddings=True,
    share_embeddings=True,
)
BIG = BASE.replace(d_model=1024, num_heads=16, d_ff=4096, dropout_rate=0.3)


def parameters_by_part(config: ModelConfig) -> dict[str, int]:
    """The parameters of each part, all its layers together.

    Returns:
        By the part's key; parts without weights are left out.
    """
    sizes = model_sizes(config)
    return {
        part.key: part.copies(config) * sum(weight.size(sizes) for weight in part.weights)
        for part in parts_of_model(config)
        if part.weights
    }


def parameters_by_kind(config: ModelConfig) -> dict[Kind, int]:
    """The same by kind of part, encoder and decoder together, in the order of the paper."""
    by_part = parameters_by_part(config)
    counts = dict.fromkeys(KINDS_WITH_WEIGHTS, 0)
    for part in parts_of_model(config):
        if part.kind in counts:
            counts[part.kind] += by_part.get(part.key, 0)
    return counts


def operations_by_part(config: ModelConfig, source_length: int, target_length: int) -> dict[str, int]:
    """The operations of each part in the forward pass of one pair, all its layers together, as in training.

    Args:
        config: of the model.
        source_length: S, tokens.
        target_length: T, tokens of the decoder's input.

    Returns:
        By the part's key; parts without matrix products are left out.
    """
    sizes = axis_sizes(config, 1, source_length, target_length)
    return {
        part.key: part.copies(config) * sum(product.operations(sizes) for product in part.products)
        for part in parts_of_model(config)
        if part.products
    }


def forward_operations(config: ModelConfig, source_length: int, target_length: int) -> int:
    """Operations of the forward pass of one pair of sentences."""
    return sum(operations_by_part(config, source_length, target_length).values())

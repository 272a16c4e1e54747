"""The size of a model: parameters, memory and operations.

Only matrix products count, with two operations (multiply and add) for each pair of numbers. Embedding lookups,
biases, norms, softmax and activations are left out, because they cost little.

Each weight of a kernel costs two operations per token. A source token passes the encoder and cross-attention's keys
and values, a target token the rest: both together cost 2 N for N weights. Kaplan et al. 2020 ("Scaling Laws for
Neural Language Models", section 2.1) count a decoder alone, where every token passes all N weights. They leave out
embeddings and the product that computes the logits; here the output's matrix and its product count.
"""

from core.config import ModelConfig
from core.theory.model_parts import parts_of_model
from core.theory.parts import KINDS_WITH_WEIGHTS, Kind, axis_sizes, model_sizes

BYTES_FLOAT32 = 4  # per number
BYTES_FLOAT16 = 2
BYTES_TRAINING = 16  # per parameter: itself, its gradient and Adam's two moments, float32 each
TRAINING_FACTOR = 3  # a backward pass costs about two forward passes (Kaplan et al. 2020, section 2.1)

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
    """Count the parameters of each part, summed over its layers.

    Returns:
        Counts by the part's key; parts without weights are left out.
    """
    sizes = model_sizes(config)
    return {
        part.key: part.copies(config) * sum(weight.size(sizes) for weight in part.weights)
        for part in parts_of_model(config)
        if part.weights
    }


def parameters_by_kind(config: ModelConfig) -> dict[Kind, int]:
    """Count the parameters of each kind of part, encoder and decoder together, in the order of the paper."""
    by_part = parameters_by_part(config)
    counts = dict.fromkeys(KINDS_WITH_WEIGHTS, 0)
    for part in parts_of_model(config):
        if part.kind in counts:
            counts[part.kind] += by_part.get(part.key, 0)
    return counts


def operations_by_part(config: ModelConfig, source_length: int, target_length: int) -> dict[str, int]:
    """Count the operations of each part in a teacher-forced pass of one pair, summed over its layers.

    Args:
        config: the model's configuration.
        source_length: S, tokens of the source.
        target_length: T, tokens of the decoder's input.

    Returns:
        Counts by the part's key; parts without matrix products are left out.
    """
    sizes = axis_sizes(config, 1, source_length, target_length)
    return {
        part.key: part.copies(config) * sum(product.operations(sizes) for product in part.products)
        for part in parts_of_model(config)
        if part.products
    }


def forward_operations(config: ModelConfig, source_length: int, target_length: int) -> int:
    """Count the operations of the forward pass of one sentence pair."""
    return sum(operations_by_part(config, source_length, target_length).values())

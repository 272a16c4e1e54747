from keras import ops

from core.config import ModelConfig
from core.model.attention import KeysValues


def empty_cache(config: ModelConfig, rows: int, max_length: int) -> list[KeysValues]:
    """Room for the keys and values of `max_length` target tokens, one entry a layer, (B, H, T, K)."""
    zeros = ops.zeros((rows, config.num_heads, max_length, config.head_width))
    return [KeysValues(zeros, zeros) for _ in range(config.num_layers)]

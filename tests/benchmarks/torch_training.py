"""The same training in idiomatic PyTorch, with `torch.nn.Transformer`; needs `pip install torch`.

A process of its own, since TensorFlow's and PyTorch's compilers do not load into one: `python -m
tests.benchmarks.torch_training CONFIG BATCHES.npz` trains on the batches and prints target tokens a second.
"""

import json
import math
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from core.config import ModelConfig
from core.model.forward import sinusoidal_encoding
from tests.benchmarks.training import tokens_a_second


class TorchTransformer(nn.Module):
    """Gives the loss of a batch. Only the positions that have a label are projected onto the vocabulary."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        width, rate = config.d_model, config.dropout_rate
        self.scale = math.sqrt(width)
        self.source = nn.Embedding(config.source_vocab_size, width)
        self.target = nn.Embedding(config.target_vocab_size, width)
        positions = sinusoidal_encoding(max(config.max_source_length, config.max_target_length), width)
        self.register_buffer("positions", torch.from_numpy(positions).float())
        layers = config.num_layers
        self.transformer = nn.Transformer(
            width, config.num_heads, layers, layers, config.d_ff, rate, batch_first=True
        )
        self.dropout, self.projection = nn.Dropout(rate), nn.Linear(width, config.target_vocab_size)

    def forward(self, source: Any, decoder_input: Any, labels: Any) -> Any:
        padding = source == 0
        decoded = self.transformer(
            self._embedded(source, self.source),
            self._embedded(decoder_input, self.target),
            tgt_mask=nn.Transformer.generate_square_subsequent_mask(decoder_input.shape[1]),
            src_key_padding_mask=padding,
            memory_key_padding_mask=padding,
            tgt_is_causal=True,
        )
        real = labels.reshape(-1).nonzero().squeeze(1)
        logits = self.projection(decoded.reshape(-1, decoded.shape[-1])[real])
        return F.cross_entropy(logits, labels.reshape(-1)[real])

    def _embedded(self, ids: Any, embedding: nn.Embedding) -> Any:
        return self.dropout(embedding(ids) * self.scale + self.positions[: ids.shape[1]])


def torch_steps(config: ModelConfig, batches: Path) -> Iterator[int]:
    """Train on one batch after another; yield the number of its target tokens."""
    model = TorchTransformer(config)
    model.train()
    adam = torch.optim.Adam(model.parameters(), 1e-4, (0.9, 0.98), 1e-9, fused=True)
    arrays = (torch.from_numpy(array).long() for array in np.load(batches).values())
    for source, decoder_input, labels in zip(arrays, arrays, arrays, strict=True):
        loss = model(source, decoder_input, labels)
        adam.zero_grad(set_to_none=True)
        loss.backward()
        adam.step()
        yield int((labels != 0).sum())


if __name__ == "__main__":
    torch.set_num_threads(os.cpu_count() or 1)  # as TensorFlow does
    print(tokens_a_second(torch_steps(ModelConfig(**json.loads(sys.argv[1])), Path(sys.argv[2]))))

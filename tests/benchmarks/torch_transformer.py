"""The same sizes in PyTorch, as somebody who knows `torch.nn.Transformer` would train them; needs `pip install torch`."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

from core.config import ModelConfig
from core.pipeline import Batch
from core.theory.positional_encoding import sinusoidal_encoding


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


class TorchTraining:
    """Steps of a training, one batch each."""

    def __init__(self, config: ModelConfig) -> None:
        self._model = TorchTransformer(config)
        self._model.train()
        self._adam = torch.optim.Adam(self._model.parameters(), 1e-4, (0.9, 0.98), 1e-9, fused=True)

    def step(self, batch: Batch) -> float:
        """Train on a batch, and give its loss, nats a token."""
        real = batch.source.any(axis=1)  # rows that only fill the batch up would give NaN
        arrays = (batch.source, batch.decoder_input, batch.labels)
        loss = self._model(*(torch.from_numpy(array[real]).long() for array in arrays))
        self._adam.zero_grad(set_to_none=True)
        loss.backward()
        self._adam.step()
        return float(loss.detach())

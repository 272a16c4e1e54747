"""Values from PyTorch for tests/model/test_torch_reference.py, which needs no PyTorch.

`pip install torch==2.13.0`, then `python tests/model/torch_reference.py` writes torch_reference.npz: RMSNorm, SwiGLU, and
the logits of two small decoders alone, with their weights by the names of `core.weights`.
"""

import math
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

WIDTH, HEADS, INNER, LAYERS, WORDS, LENGTH = 8, 2, 10, 2, 11, 7
FILE = Path(__file__).with_suffix(".npz")


class Layer(nn.Module):
    """Attention and feed-forward: of the paper, or with RMSNorm before them, rotary positions and SwiGLU."""

    def __init__(self, is_modern: bool) -> None:
        super().__init__()
        self.is_modern = is_modern
        self.query_key_value = nn.Linear(WIDTH, 3 * WIDTH)
        self.output = nn.Linear(WIDTH, WIDTH)
        self.inner = nn.Linear(WIDTH, 2 * INNER if is_modern else INNER)
        self.outer = nn.Linear(INNER, WIDTH)
        self.norms = nn.ModuleList(new_norm(is_modern) for _ in range(2))

    def forward(self, x: Tensor) -> Tensor:
        attention_norm, feed_forward_norm = self.norms
        if self.is_modern:
            x = x + self.attend(attention_norm(x))
            return x + self.feed_forward(feed_forward_norm(x))
        x = attention_norm(x + self.attend(x))
        return feed_forward_norm(x + self.feed_forward(x))

    def attend(self, x: Tensor) -> Tensor:
        heads = (
            part.unflatten(-1, (HEADS, -1)).transpose(1, 2) for part in self.query_key_value(x).chunk(3, -1)
        )
        queries, keys, values = heads
        if self.is_modern:
            queries, keys = rotated(queries), rotated(keys)
        mixed = F.scaled_dot_product_attention(queries, keys, values, is_causal=True)
        return self.output(mixed.transpose(1, 2).flatten(2))

    def feed_forward(self, x: Tensor) -> Tensor:
        if not self.is_modern:
            return self.outer(F.relu(self.inner(x)))
        gate, values = self.inner(x).chunk(2, -1)
        return self.outer(F.silu(gate) * values)


class Decoder(nn.Module):
    """From ids to logits."""

    def __init__(self, is_modern: bool) -> None:
        super().__init__()
        self.is_modern = is_modern
        self.embedding = nn.Embedding(WORDS, WIDTH)
        self.layers = nn.ModuleList(Layer(is_modern) for _ in range(LAYERS))
        self.final_norm = new_norm(is_modern) if is_modern else nn.Identity()
        self.output = nn.Linear(WIDTH, WORDS)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.embedding(ids) * math.sqrt(WIDTH)
        if not self.is_modern:
            angles = angles_of(ids.shape[1], WIDTH)
            x = x + torch.stack([angles.sin(), angles.cos()], -1).flatten(1)
        for layer in self.layers:
            x = layer(x)
        return self.output(self.final_norm(x))

    def by_name(self) -> dict[str, Tensor]:
        """Return the weights by the names of `core.weights`, and as this project has them: inputs in the rows."""
        found = {"target_embedding/tokens/embeddings": self.embedding.weight}
        for number, layer in enumerate(self.layers):
            path = f"decoder/layer_{number}"
            for part, sublayer in (
                ("self_attention", ("query_key_value", "output")),
                ("feed_forward", ("inner", "outer")),
            ):
                for name in sublayer:
                    found |= of_linear(f"{path}/{part}/{name}", getattr(layer, name))
            for part, norm in zip(("self_attention", "feed_forward"), layer.norms, strict=True):
                found |= of_norm(f"{path}/{part}_residual/norm", norm)
        if self.is_modern:
            found |= of_norm("decoder/final_norm", self.final_norm)
        return found | of_linear("output", self.output)


def new_norm(is_modern: bool) -> nn.Module:
    return nn.RMSNorm(WIDTH, eps=1e-6) if is_modern else nn.LayerNorm(WIDTH, eps=1e-6)


def of_linear(path: str, layer: nn.Module) -> dict[str, Tensor]:
    return {f"{path}/kernel": layer.weight.T, f"{path}/bias": layer.bias}


def of_norm(path: str, norm: nn.Module) -> dict[str, Tensor]:
    names = {"gamma": "weight", "beta": "bias"}
    return {
        f"{path}/{name}": getattr(norm, torchs) for name, torchs in names.items() if hasattr(norm, torchs)
    }


def angles_of(length: int, width: int) -> Tensor:
    return torch.outer(torch.arange(length), 10_000.0 ** -(torch.arange(0, width, 2) / width))


def rotated(x: Tensor) -> Tensor:
    """Turn channels i and i + K / 2 as one complex number."""
    numbers = torch.complex(*x.chunk(2, -1))
    numbers = numbers * torch.exp(1j * angles_of(x.shape[-2], x.shape[-1]))
    return torch.cat([numbers.real, numbers.imag], -1)


@torch.no_grad()
def main() -> None:
    torch.manual_seed(0)
    found: dict[str, Tensor] = {}
    x, gamma = torch.randn(4, WIDTH), torch.randn(WIDTH)
    found |= {"x": x, "gamma": gamma, "rms_norm": F.rms_norm(x, (WIDTH,), gamma, eps=1e-6)}
    found["swiglu"] = F.silu(x[:, : WIDTH // 2]) * x[:, WIDTH // 2 :]
    ids = torch.randint(4, WORDS, (2, LENGTH))
    found["ids"] = ids
    for name, is_modern in (("paper", False), ("modern", True)):
        decoder = Decoder(is_modern)
        for weight in decoder.parameters():  # of which none has a value that would hide a mistake
            weight.copy_(0.4 * torch.randn_like(weight) + (weight == 1))
        found |= {f"{name}/{key}": weight for key, weight in decoder.by_name().items()}
        found[f"logits/{name}"] = decoder(ids)
    np.savez_compressed(FILE, **{name: value.numpy() for name, value in found.items()})


if __name__ == "__main__":
    main()

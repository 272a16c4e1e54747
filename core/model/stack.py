from typing import Generic, TypeVar

import keras

from core.config import ModelConfig
from core.model.residual import LayerNorm
from core.model.tensor import Shape, Tensor

Layer = TypeVar("Layer", bound=keras.layers.Layer)


class LayerStack(keras.layers.Layer, Generic[Layer]):
    """Identical layers, one on top of the other (3.1); a pre-norm stack ends in a norm of its own."""

    def __init__(self, config: ModelConfig, layers: list[Layer], name: str) -> None:
        super().__init__(name=name)
        self.layers = layers
        self.final_norm = LayerNorm(name="final_norm") if config.norm == "pre" else None

    def build(self, shape: Shape) -> None:
        for layer in self.layers:
            layer.build(shape)
        if self.final_norm:
            self.final_norm.build(shape)

    def final(self, hidden: Tensor) -> Tensor:
        """What leaves the stack if this state (B, T, D) leaves its last layer."""
        return self.final_norm(hidden) if self.final_norm else hidden

"""The model as Keras has it: variables by name, `summary`, and the forward pass, to export and to look at."""

from collections.abc import Mapping

import keras

from core.arrays import Floats
from core.config import ModelConfig
from core.model import keras_ops
from core.model.forward import ForwardPass, Hook, padding_mask, unchanged
from core.model.keras_ops import Tensor


class Transformer(keras.Model):
    """Encoder and decoder (3.1), from token ids to logits. Axis letters: see `core.config`.

    Example:
        >>> config = ModelConfig(source_vocab_size=38, target_vocab_size=35)
        >>> model = Transformer(config, initial_weights(config, seed=42))
        >>> model(source_ids, target_ids).shape  # (B, S), (B, T) -> (B, T, V)
    """

    def __init__(self, config: ModelConfig, weights: Mapping[str, Floats]) -> None:
        super().__init__(name="transformer")
        self.config = config
        self.parts: dict[str, keras.layers.Layer] = {}
        self.variables_by_name: dict[str, keras.Variable] = {}
        for name, array in weights.items():
            part, _, inside = name.partition("/")
            if part not in self.parts:
                self.parts[part] = keras.layers.Layer(name=part)
            self.variables_by_name[name] = self.parts[part].add_weight(
                array.shape, keras.initializers.Constant(array), name=inside.replace("/", "_")
            )
        self.built = True

    def call(self, source_ids: Tensor, target_ids: Tensor, hook: Hook = unchanged) -> Tensor:
        """Return the logits (B, T, V) of sources (B, S) and the decoder's input (B, T), both padded with 0."""
        weights = {name: variable.value for name, variable in self.variables_by_name.items()}
        model = ForwardPass(self.config, weights, keras_ops, hook)
        return model.logits(model.decode(target_ids, model.encode(source_ids, padding_mask(source_ids))))

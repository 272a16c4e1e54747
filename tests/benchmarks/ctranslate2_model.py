"""A model of ours as a CTranslate2 model: the same weights under its names, in its layout."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from ctranslate2.specs import common_spec, transformer_spec

from core.config import ModelConfig
from core.theory.model_parts import EMBEDDINGS, token_embedding_name
from core.theory.parts import Side
from core.theory.positional_encoding import sinusoidal_encoding
from core.tokens.vocabulary import END, PAD, START, UNKNOWN
from core.weights import Weights

ACTIVATIONS = {"relu": common_spec.Activation.RELU, "gelu": common_spec.Activation.GELU}


def save_for_ctranslate2(config: ModelConfig, weights: Weights, folder: Path) -> None:
    """Write what `ctranslate2.Translator` opens. Its tokens are `token_name`s."""
    spec = transformer_spec.TransformerSpec.from_config(
        config.num_layers,
        config.num_heads,
        pre_norm=config.norm == "pre",
        activation=ACTIVATIONS[config.activation],
    )
    _set_embedding(spec.encoder, spec.encoder.embeddings[0], "encoder", config, weights)
    _set_embedding(spec.decoder, spec.decoder.embeddings, "decoder", config, weights)
    for layer, name in _layers(spec.encoder, "encoder"):
        _set_self_attention(layer.self_attention, name, weights)
        _set_feed_forward(layer.ffn, name, weights)
    for layer, name in _layers(spec.decoder, "decoder"):
        _set_self_attention(layer.self_attention, name, weights)
        _set_linear(layer.attention.linear[0], f"{name}/cross_attention/query", weights)
        _set_linear(layer.attention.linear[1], f"{name}/cross_attention/key_value", weights)
        _set_linear(layer.attention.linear[2], f"{name}/cross_attention/output", weights)
        _set_norm(layer.attention.layer_norm, f"{name}/cross_attention_residual/norm", weights)
        _set_feed_forward(layer.ffn, name, weights)
    if config.norm == "pre":
        _set_norm(spec.encoder.layer_norm, "encoder/final_norm", weights)
        _set_norm(spec.decoder.layer_norm, "decoder/final_norm", weights)
    if config.tie_embeddings:
        spec.decoder.projection.weight = spec.decoder.embeddings.weight
    else:
        _set_linear(spec.decoder.projection, "output", weights)
    spec.config.layer_norm_epsilon = 1e-6
    spec.config.decoder_start_token = START
    spec.config.bos_token, spec.config.eos_token, spec.config.unk_token = START, END, UNKNOWN
    spec.register_source_vocabulary([token_name(id_) for id_ in range(config.source_vocab_size)])
    spec.register_target_vocabulary([token_name(id_) for id_ in range(config.target_vocab_size)])
    spec.validate()
    spec.optimize(quantization="float32")
    folder.mkdir(parents=True, exist_ok=True)
    spec.save(str(folder))


def token_name(id_: int) -> str:
    """What CTranslate2 calls an id of ours."""
    return (PAD, UNKNOWN, START, END)[id_] if id_ < 4 else f"t{id_}"


def _set_embedding(spec: Any, tokens: Any, side: Side, config: ModelConfig, weights: Weights) -> None:
    """CTranslate2 multiplies the tokens by sqrt(D), as we do; to the positions it only adds."""
    tokens.weight = weights[token_embedding_name(config, side)]
    if config.positional_encoding == "learned":
        learned = weights[f"{EMBEDDINGS[side]}/positions/embeddings"]
        spec.position_encodings.encodings = learned * np.float32(config.d_model**0.5)
    else:
        length = max(config.max_source_length, config.max_target_length)
        spec.position_encodings.encodings = sinusoidal_encoding(length, config.d_model)


def _layers(side: Any, name: str) -> Iterator[tuple[Any, str]]:
    for number, layer in enumerate(side.layer):
        yield layer, f"{name}/layer_{number}"


def _set_self_attention(spec: Any, name: str, weights: Weights) -> None:
    _set_linear(spec.linear[0], f"{name}/self_attention/query_key_value", weights)
    _set_linear(spec.linear[1], f"{name}/self_attention/output", weights)
    _set_norm(spec.layer_norm, f"{name}/self_attention_residual/norm", weights)


def _set_feed_forward(spec: Any, name: str, weights: Weights) -> None:
    _set_linear(spec.linear_0, f"{name}/feed_forward/inner", weights)
    _set_linear(spec.linear_1, f"{name}/feed_forward/outer", weights)
    _set_norm(spec.layer_norm, f"{name}/feed_forward_residual/norm", weights)


def _set_linear(spec: Any, name: str, weights: Weights) -> None:
    """Ours are (inputs, outputs), CTranslate2's (outputs, inputs)."""
    spec.weight = np.ascontiguousarray(weights[f"{name}/kernel"].T)
    spec.bias = weights[f"{name}/bias"]


def _set_norm(spec: Any, name: str, weights: Weights) -> None:
    spec.gamma, spec.beta = weights[f"{name}/gamma"], weights[f"{name}/beta"]

"""Translating `ted_pt_en` against CTranslate2 with the same weights: float32, two threads, text to text.

    pip install ctranslate2
    python -m tests.benchmarks.translation

One sentence of about 19 tokens, and all 1,193 validation sentences, greedy and beam 4. CTranslate2 has the better of
two arrangements: all threads for each batch, or one for each of several batches. Greedy search must find its tokens.
Both take turns, to see the same machine. Exits with 1 where a target is missed.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as where the app and the commands translate

import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.shipped import FIRST, shipped_checkpoints
from core.config import DecodingConfig, ModelConfig
from core.corpora.catalogue import CORPORA
from core.inference.translator import Translator, num_cores
from core.model.forward import sinusoidal_encoding, token_embedding_name
from core.tokens.vocabulary import END, PAD, START, UNKNOWN
from core.weights import Weights

LENGTHS = range(18, 21)  # tokens of the single sentences
SINGLE, ROUNDS, CORPUS_ROUNDS = 20, 5, 3
MOST_TIME = {1: 1.6, 4: 2.0}  # of one sentence, ours / CTranslate2's, by beams
LEAST_SPEED = {1: 0.55, 4: 0.5}  # of the corpus, our tokens a second / CTranslate2's
SAME_TOKENS = 0.99  # of the corpus: the others have ties, which rounding decides

Ids = list[list[int]]


def save_for_ctranslate2(config: ModelConfig, weights: Weights, folder: Path) -> None:
    """Write a shipped model as `ctranslate2.Translator` opens it: the same weights, in its layout."""
    from ctranslate2.specs import common_spec, transformer_spec

    assert (config.norm, config.activation, config.tie_embeddings) == ("pre", "relu", True)
    relu = common_spec.Activation.RELU
    spec = transformer_spec.TransformerSpec.from_config(
        config.num_layers, config.num_heads, pre_norm=True, activation=relu
    )
    # Both multiply the tokens by sqrt(D).
    embedding = weights[token_embedding_name(config, "encoder")]
    spec.encoder.embeddings[0].weight = spec.decoder.embeddings.weight = embedding
    spec.decoder.projection.weight = embedding
    positions = sinusoidal_encoding(max(config.max_source_length, config.max_target_length), config.d_model)
    spec.encoder.position_encodings.encodings = spec.decoder.position_encodings.encodings = positions
    for side, name in ((spec.encoder, "encoder"), (spec.decoder, "decoder")):
        _set_norm(side.layer_norm, f"{name}/final_norm", weights)
        for number, layer in enumerate(side.layer):
            _set_layer(layer, f"{name}/layer_{number}", weights)
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


def _set_layer(layer: Any, name: str, weights: Weights) -> None:
    """A decoder's layer has an attention to the source besides its self-attention."""
    parts: dict[Any, tuple[str, tuple[str, ...]]] = {
        layer.self_attention: ("self_attention", ("query_key_value", "output"))
    }
    if name.startswith("decoder"):
        parts[layer.attention] = ("cross_attention", ("query", "key_value", "output"))
    for spec, (attention, matrices) in parts.items():
        for linear, matrix in zip(spec.linear, matrices, strict=True):
            _set_linear(linear, f"{name}/{attention}/{matrix}", weights)
        _set_norm(spec.layer_norm, f"{name}/{attention}_residual/norm", weights)
    _set_linear(layer.ffn.linear_0, f"{name}/feed_forward/inner", weights)
    _set_linear(layer.ffn.linear_1, f"{name}/feed_forward/outer", weights)
    _set_norm(layer.ffn.layer_norm, f"{name}/feed_forward_residual/norm", weights)


def _set_linear(spec: Any, name: str, weights: Weights) -> None:
    """Ours are (inputs, outputs), CTranslate2's (outputs, inputs)."""
    spec.weight = np.ascontiguousarray(weights[f"{name}/kernel"].T)
    spec.bias = weights[f"{name}/bias"]


def _set_norm(spec: Any, name: str, weights: Weights) -> None:
    spec.gamma, spec.beta = weights[f"{name}/gamma"], weights[f"{name}/beta"]


class CTranslate2:
    """The same weights in CTranslate2."""

    def __init__(self, checkpoint: Checkpoint, folder: Path, inter_threads: int, intra_threads: int) -> None:
        import ctranslate2

        if not folder.exists():
            save_for_ctranslate2(checkpoint.config, checkpoint.weights, folder)
        self._translator = ctranslate2.Translator(
            str(folder), compute_type="float32", inter_threads=inter_threads, intra_threads=intra_threads
        )
        self._checkpoint = checkpoint
        self._id_of = {token_name(id_): id_ for id_ in range(checkpoint.config.target_vocab_size)}

    def translate(self, texts: Sequence[str], decoding: DecodingConfig) -> Ids:
        """Return the ids of the best translations, end included, after writing them as text."""
        source = [self._checkpoint.source_tokenizer.encode(text) for text in texts]
        found = self._translator.translate_batch(
            [[token_name(id_) for id_ in ids] for ids in source],
            beam_size=decoding.beam_size,
            length_penalty=decoding.length_penalty,
            max_batch_size=32,
            max_decoding_length=256,
            return_end_token=True,
        )
        ids = [[self._id_of[token] for token in each.hypotheses[0]] for each in found]
        for each in ids:
            self._checkpoint.target_tokenizer.decode(each)
        return ids


def translate_by_us(translator: Translator, texts: Sequence[str], decoding: DecodingConfig) -> Ids:
    """Return the ids of our best translations, which are written as text too."""
    return [list(each.best.ids) for each in translator.translate(texts, decoding)]


def seconds_of(searches: Sequence[Callable[[], object]], rounds: int = ROUNDS) -> list[float]:
    """Return the median time of each search; they take turns."""
    took: list[list[float]] = [[] for _ in searches]
    for _ in range(rounds):
        for search, times in zip(searches, took, strict=True):
            begin = time.perf_counter()
            search()
            times.append(time.perf_counter() - begin)
    return [median(times) for times in took]


def main() -> int:
    checkpoint = Checkpoint.load(shipped_checkpoints()[FIRST])
    translator, cores = checkpoint.translator(), num_cores()
    texts = [pair.source for pair in CORPORA[FIRST].read("validation")]
    single = [text for text in texts if len(checkpoint.source_tokenizer.encode(text)) in LENGTHS][:SINGLE]
    with tempfile.TemporaryDirectory() as name:
        peers = [
            CTranslate2(checkpoint, Path(name) / "model", *threads) for threads in ((1, cores), (cores, 1))
        ]
        kept = []
        for beams in (1, 4):
            decoding = DecodingConfig(beam_size=beams, length_penalty=1.0)
            kept.append(compare_single(translator, peers[0], single, decoding))
            kept.append(compare_corpus(translator, peers, texts, decoding))
    return int(not all(kept))


def compare_single(
    ours: Translator, peer: CTranslate2, texts: Sequence[str], decoding: DecodingConfig
) -> bool:
    """Translate some sentences one by one; returns whether the target is met."""
    rows = [
        seconds_of(
            [partial(search, [text], decoding) for search in (partial(translate_by_us, ours), peer.translate)]
        )
        for text in texts
    ]
    ratio, most = median(mine / theirs for mine, theirs in rows), MOST_TIME[decoding.beam_size]
    mine, theirs = (1000 * median(times) for times in zip(*rows, strict=True))
    print(f"one sentence, beam {decoding.beam_size}: {mine:.1f} ms, CTranslate2 {theirs:.1f} ms; ", end="")
    print(f"ratio {ratio:.2f} (at most {most})", flush=True)
    return ratio <= most


def compare_corpus(
    translator: Translator, peers: Sequence[CTranslate2], texts: Sequence[str], decoding: DecodingConfig
) -> bool:
    """Translate all sentences at once; returns whether the targets are met."""
    searches = [partial(translate_by_us, translator, texts, decoding)]
    searches += [partial(peer.translate, texts, decoding) for peer in peers]
    found, expected = searches[0](), searches[1]()
    ours, *of_peers = seconds_of(searches, CORPUS_ROUNDS)
    tokens, ratio, least = sum(map(len, found)), min(of_peers) / ours, LEAST_SPEED[decoding.beam_size]
    same = sum(a == b for a, b in zip(found, expected, strict=True)) / len(texts)
    print(f"{len(texts):,} sentences, beam {decoding.beam_size}: {tokens / ours:,.0f} tokens/s, ", end="")
    print(f"CTranslate2 {tokens / min(of_peers):,.0f}; ratio {ratio:.2f} (at least {least}); ", end="")
    print(f"the same tokens in {same:.1%}", flush=True)
    return ratio >= least and (decoding.beam_size > 1 or same >= SAME_TOKENS)


if __name__ == "__main__":
    sys.exit(main())

"""Attention heads: what each one does, and what is lost without it. Axis letters: see `core.config`."""

from collections.abc import Collection, Sequence
from functools import partial

import numpy as np

from core.arrays import Bools, Floats, Reals
from core.config import ModelConfig
from core.corpora.corpus import Pair
from core.inference.model import Changes, sublayer_path
from core.interpretability.teacher_forcing import ForcedPair, Tracer, forced_attention
from core.interpretability.words import is_punctuation, is_special
from core.language import N_
from core.records.analysis import WithoutHeads
from core.records.attention import (
    ATTENTION_KINDS,
    AttentionKind,
    AttentionRecord,
    Head,
    HeadFacts,
    TokenAttention,
)
from core.records.training import LearningSnapshot, WatchedSentence
from core.theory.score_scale import entropy
from core.tokens.vocabulary import END, END_ID, START

_MAX_WRITTEN = 128  # tokens of a translation; with heads off, some never end
_CLEAR = 0.5  # share of attention from which a head has a role
_BROAD = 0.9  # share of the highest possible entropy
_ALIGNS = 0.65  # alignment score from which a head aligns
_LATER = 0.07  # by how much the score one step late must be higher


def all_heads(config: ModelConfig) -> tuple[Head, ...]:
    """Return all heads: of the encoder, the decoder and cross-attention, layer by layer."""
    layers, heads = range(config.num_layers), range(config.num_heads)
    return tuple(Head(kind, layer, head) for kind in ATTENTION_KINDS for layer in layers for head in heads)


def without_heads(config: ModelConfig, off: Sequence[Collection[Head]]) -> Changes:
    """Return the changes to a batch with one row for each set of heads to switch off: their output is 0."""
    gates: dict[str, Floats] = {}
    for row, heads in enumerate(off):
        for kind, layer, head in heads:
            name = f"{sublayer_path(kind, layer)}/heads"  # (B, H, T, K)
            gates.setdefault(name, np.ones((len(off), config.num_heads, 1, 1), np.float32))[row, head] = 0
    return {name: partial(np.multiply, each) for name, each in gates.items()}


def head_costs(tracer: Tracer, pair: ForcedPair) -> Floats:
    """Measure the loss of each head alone, for one sentence pair (Michel et al. 2019, section 3).

    The paper measures BLEU. Here it is log P of the target, which needs no search and differs for every head.

    Returns:
        The drop of log P without each head, nats per token, (3, L, H): encoder, decoder, cross. It is negative if the
        model does better without the head.
    """
    config = tracer.config
    off: list[tuple[Head, ...]] = [(), *((head,) for head in all_heads(config))]
    log_p = tracer.log_probabilities(pair, len(off), lambda rows: without_heads(config, off[rows]))
    log_p = log_p.mean(axis=1)
    return (log_p[0] - log_p[1:]).reshape(len(ATTENTION_KINDS), config.num_layers, config.num_heads)


def costliest(costs: Floats) -> list[tuple[Head, float]]:
    """Return all heads with their costs (3, L, H), the costliest first."""
    found = [
        (Head(ATTENTION_KINDS[kind], layer, head), float(cost))
        for (kind, layer, head), cost in np.ndenumerate(costs)
    ]
    return sorted(found, key=lambda each: -each[1])


def run_without(tracer: Tracer, pair: ForcedPair, off: Collection[Head]) -> WithoutHeads:
    """Run a sentence pair with some heads off, and translate its source greedily."""
    changes = without_heads(tracer.config, [off])
    log_p = tracer.log_probabilities(pair, 1, lambda rows: changes)
    ids = tracer.write_greedily(pair.source.tolist(), _MAX_WRITTEN, changes)
    tokenizer = tracer.translator.target_tokenizer
    return WithoutHeads(log_p[0], tokenizer.decode(ids), END_ID in ids)


def head_facts(weights: Floats, within_one_sentence: bool) -> HeadFacts:
    """Measure attention weights (L, H, T, S), after Clark et al. 2019, section 3.

    Args:
        weights: weights of one kind of attention; causal attention has zeros ahead of each query.
        within_one_sentence: whether rows and columns are the same tokens, as in self-attention.
    """
    rows, columns = weights.shape[-2:]
    is_causal = within_one_sentence and not np.triu(weights, k=1).any() and rows > 1
    widths = np.arange(1, rows + 1) if is_causal else np.full(rows, columns)
    between = np.abs(np.arange(rows)[:, None] - np.arange(columns))
    known = np.float32(1 if within_one_sentence else np.nan)
    return HeadFacts(
        entropy=entropy(weights).mean(axis=-1).astype(np.float32),
        max_entropy=float(np.log2(widths).mean()),
        distance=known * (weights * between).sum(axis=-1).mean(axis=-1),
        previous=known * _share(weights, -1),
        same=known * _share(weights, 0),
        next=known * _share(weights, 1),
        last=weights[..., -1].mean(axis=-1),
    )


def head_roles(
    record: AttentionRecord, kind: AttentionKind, examples: Floats | None = None
) -> tuple[tuple[str, ...], ...]:
    """Return the role of each head in one sentence, by layer and head, in one to three words of English.

    Args:
        record: the attention of the sentence.
        kind: the kind of attention.
        examples: the mean alignment of other sentences, (2, L, H): a head aligns if it does so in both, since in a short
            sentence some head always seems to.
    """
    attention = record.of_kind(kind)
    weights = attention.weights
    tokens = attention.columns
    facts = head_facts(weights, within_one_sentence=kind != "cross")
    on = {
        N_("full stop"): [is_punctuation(token) for token in tokens],
        N_("end token"): [token == END for token in tokens],
        N_("start token"): [token == START for token in tokens],
    }
    shares = {N_("previous token"): facts.previous, N_("itself"): facts.same, N_("next token"): facts.next}
    shares |= {role: weights[..., columns].sum(axis=-1).mean(axis=-1) for role, columns in on.items()}
    roles = np.where(facts.entropy >= _BROAD * facts.max_entropy, N_("all alike"), N_("mixes")).astype(object)
    found = np.nan_to_num(list(shares.values()))
    names = np.array(list(shares), object)
    roles = np.where(found.max(axis=0) >= _CLEAR, names[found.argmax(axis=0)], roles)
    if kind == "cross":
        scores = mean_alignment([attention])
        now, late = scores if examples is None else np.minimum(scores, examples)
        roles[now >= _ALIGNS] = N_("aligns")
        roles[(late >= _ALIGNS) & _is_late(now, late)] = N_("one step late")
    return tuple(map(tuple, roles))


def alignment_scores(cross: TokenAttention, lag: int = 0) -> Floats:
    """Return how well the cross-attention of each head aligns two sentences, from 0 to 1, (L, H).

    The score is the geometric mean of two means: of the highest weight in each target word's row, which is a head's
    confidence (Voita et al. 2019, section 4.2), and of the highest in each source word's column, which is low if a head
    attends to one place all the time. As any permutation has these means, it is multiplied by the correlation of both
    orders. Punctuation and special tokens are left out, so that a shift by one step shows. The score is no measure of
    quality: it is low for a translation with another word order.

    Args:
        cross: cross-attention over the sentence pair.
        lag: 0 for the step that writes a word, 1 for the next one, which reads it (Chen et al. 2020).
    """
    rows, columns = (
        [place for place, token in enumerate(tokens) if not (is_special(token) or is_punctuation(token))]
        for tokens in (cross.rows, cross.columns)
    )
    rows = [row + lag for row in rows if row + lag < len(cross.rows)]
    if not rows or not columns:
        return np.zeros(cross.weights.shape[:2], np.float32)
    words = cross.weights[:, :, rows][..., columns]
    means = np.sqrt(words.max(axis=-1).mean(axis=-1) * words.max(axis=-2).mean(axis=-1))
    written, read = (
        each - each.mean(axis=-1, keepdims=True) for each in (np.arange(len(rows)), words.argmax(-1))
    )
    spread = np.linalg.norm(written) * np.linalg.norm(read, axis=-1)
    order = np.divide(
        read @ written, spread, out=np.full(spread.shape, float(len(rows) == 1)), where=spread > 0
    )
    found: Floats = means * np.maximum(order, 0)
    return found


def clearest_head(sentences: Sequence[TokenAttention], kind: AttentionKind = "cross") -> tuple[int, int]:
    """Return the layer and head, from 0, with the clearest role on average over sentences' attention of a kind.

    In cross-attention, the role is to align at the step that writes a word; in self-attention, to attend to the previous
    token.
    """
    if kind == "cross":
        return best_aligned(mean_alignment(sentences))
    return _highest(np.mean([np.nan_to_num(_share(each.weights, -1)) for each in sentences], axis=0))


def mean_alignment(sentences: Sequence[TokenAttention]) -> Floats:
    """Return the mean scores of sentences' cross-attention, at the step that writes a word and one later: (2, L, H)."""
    scores = [[alignment_scores(each, lag) for lag in (0, 1)] for each in sentences]
    return np.mean(scores, axis=0)


def examples_alignment(tracer: Tracer, pairs: Sequence[Pair]) -> Floats:
    """Return the mean alignment (2, L, H) of sentence pairs that a model reads, see `mean_alignment`."""
    return mean_alignment([each.of_kind("cross") for each in forced_attention(tracer, pairs)])


def best_aligned(scores: Reals) -> tuple[int, int]:
    """Return the layer and head, from 0, that align best by their `mean_alignment`; those that are late come last."""
    now, late = scores
    # No score is above 1, so one less puts a head behind all others.
    return _highest(now - _is_late(now, late))


def _is_late(now: Reals, late: Reals) -> Bools:
    """Return which heads align better one step late."""
    found: Bools = late > now + _LATER
    return found


def _highest(scores: Reals) -> tuple[int, int]:
    layer, head = np.unravel_index(np.argmax(scores), scores.shape)
    return int(layer), int(head)


def clearest_watched_head(sentences: Sequence[WatchedSentence], snapshot: LearningSnapshot) -> int:
    """Return the head of the last layer, from 0, whose cross-attention aligns the watched sentences best."""
    last_layers = [
        TokenAttention(each.target_tokens, each.source_tokens, (weights[None] / 255).astype(np.float32))
        for each, weights in zip(sentences, snapshot.cross, strict=True)
    ]
    return clearest_head(last_layers)[1]


def _share(weights: Floats, offset: int) -> Floats:
    """Return the mean attention on the position `offset` after the query, over queries that have one, (L, H)."""
    found: Floats = np.diagonal(weights, offset, axis1=-2, axis2=-1)
    return found.mean(axis=-1) if found.shape[-1] else np.full(weights.shape[:2], np.nan, np.float32)

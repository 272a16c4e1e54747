"""Snapshots during training: the translations of a few sentences, and the attention over them."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from core.arrays import Floats
from core.inference.model import DecoderState, attention_names
from core.inference.search import greedy_search
from core.inference.translator import GREEDY, Translator
from core.language_model.model import SEPARATOR_ID, LanguageModel
from core.records.text import Pair
from core.records.training import LearningSnapshot, WatchedSentence
from core.tokens.base import Tokenizer, pad
from core.tokens.vocabulary import END_ID, START_ID

MAX_TOKENS = 16  # on each side, whose attention is kept
_WATCHED = 5  # sentences
_HELD_OUT = 3  # the most of them that are held out
_LONG_ENOUGH = 4  # words of a target: shorter ones change too fast to see
_EXTRA_TOKENS = 2  # the limit of a translation beyond the longest reference
_HALVES = 8  # epochs until which there is a snapshot every half epoch
_SINGLES = 20  # epochs until which there is one every epoch
_SECONDS = 40  # epochs until which there is one every second epoch
_LATE_SNAPSHOTS = 11  # from there to the end, at epochs in a geometric series


def watched_sentences(
    pairs: Sequence[Pair],
    held_out: Sequence[Pair],
    tokenizers: tuple[Tokenizer, Tokenizer],
    wanted: Sequence[Pair] = (),
) -> tuple[WatchedSentence, ...]:
    """Return the pairs to watch: the wanted ones first, then long ones, then held-out ones.

    Args:
        pairs: the training pairs.
        held_out: the held-out pairs.
        tokenizers: the tokenizers of source and target.
        wanted: the pairs to watch before all others; those that are not in the training are ignored.
    """
    never_shown = dict.fromkeys(held_out)
    different = dict.fromkeys(pairs)
    first = [pair for pair in dict.fromkeys(wanted) if pair in different or pair in never_shown][:_WATCHED]
    never = [pair for pair in never_shown if pair not in first][: min(_HELD_OUT, _WATCHED - len(first))]
    others = [pair for pair in different if pair not in first]
    longest = sorted(others, key=lambda pair: -min(_LONG_ENOUGH, len(pair.target.split())))
    chosen = longest[: _WATCHED - len(first) - len(never)]
    learned = [pair for pair in others if pair in chosen]
    return tuple(
        _watched(pair, pair in never_shown, pair in first, *tokenizers) for pair in (*first, *learned, *never)
    )


def _watched(
    pair: Pair, never_shown: bool, wanted: bool, source: Tokenizer, target: Tokenizer
) -> WatchedSentence:
    source_ids = tuple(source.encode(pair.source))
    target_ids = (*target.encode(pair.target), END_ID)
    columns = tuple(source.vocabulary.tokens[token] for token in source_ids[:MAX_TOKENS])
    rows = tuple(target.vocabulary.tokens[token] for token in target_ids[:MAX_TOKENS])
    return WatchedSentence(pair.source, source_ids, target_ids, columns, rows, never_shown, wanted)


def snapshot_steps(total_steps: int, steps_per_epoch: int) -> frozenset[int]:
    """Return the steps after which to take a snapshot: dense at first, when most is learned, and sparse later.

    They include the untrained model (0) and the end, and are at most 50 for any length of training.
    """
    last = total_steps // steps_per_epoch
    epochs = [*range(_HALVES, _SINGLES), *range(_SINGLES, _SECONDS, 2)]
    if last > _SECONDS:
        epochs += np.geomspace(_SECONDS, last, _LATE_SNAPSHOTS + 1).round().astype(int).tolist()
    steps = [*(epoch * steps_per_epoch for epoch in epochs), total_steps]
    steps += range(0, _HALVES * steps_per_epoch, -(-steps_per_epoch // 2))
    return frozenset(step for step in steps if step <= total_steps)


def take_snapshot(
    translator: Translator, sentences: Sequence[WatchedSentence], step: int
) -> LearningSnapshot:
    """Return the translation of each sentence, and the cross-attention when the decoder reads the reference."""
    sources = [each.source_ids for each in sentences]
    references = [each.target_ids for each in sentences]
    decoder_input = pad([(START_ID, *ids[:-1]) for ids in references])
    last_layer = attention_names("cross", "weights", translator.config)[-1]
    found = translator.results(pad(sources), decoder_input, [last_layer, "output"])
    limit = min(translator.config.max_target_length, max(map(len, references)) + _EXTRA_TOKENS)
    return LearningSnapshot(
        step, _greedy(translator, sources, limit), _cross_attention(found[last_layer], sentences)
    )


def take_text_snapshot(
    model: LanguageModel, sentences: Sequence[WatchedSentence], step: int
) -> LearningSnapshot:
    """Return what a decoder alone writes after each sentence, and how much each target token attends to the source.

    That is the block of its last layer below the border of source and target, when the decoder reads the reference.
    """
    prompts = [(START_ID, *each.source_ids, SEPARATOR_ID) for each in sentences]
    limit = max(len(each.target_ids) for each in sentences) + _EXTRA_TOKENS
    cross = []
    for prompt, each in zip(prompts, sentences, strict=True):
        weights = model.attention((*prompt, *each.target_ids[:-1]))[-1]  # (H, T, T)
        cross.append(
            weights[:, len(prompt) - 1 :, 1 : len(prompt) - 1]
        )  # the separator predicts the first target
    translations = tuple(
        tuple((token, float(np.exp(log_probability))) for token, log_probability in written)
        for written in model.write(prompts, most=limit)
    )
    return LearningSnapshot(step, translations, _cross_attention(cross, sentences))


def _cross_attention(
    cross: Iterable[Floats], sentences: Sequence[WatchedSentence]
) -> tuple[NDArray[np.uint8], ...]:
    """Return the attention to the source (H, T, S) of each sentence, of the tokens shown; 255 is 1."""
    found = []
    for weights, each in zip(cross, sentences, strict=True):
        shown = weights[:, : len(each.target_tokens), : len(each.source_tokens)]
        found.append(np.round(255 * shown).astype(np.uint8))
    return tuple(found)


def _greedy(
    translator: Translator, sources: Sequence[Sequence[int]], limit: int
) -> tuple[tuple[tuple[int, float], ...], ...]:
    """Return the output of greedy search, with the probability of each token given its prefix."""
    translations: list[list[tuple[int, float]]] = [[] for _ in sources]
    before = np.zeros(len(sources))
    decoder = DecoderState(translator.model, pad(sources))
    for step in greedy_search(decoder, [limit] * len(sources), GREEDY):
        total = step.log_probability[:, 0]
        probability = np.exp(total - before[step.sentences])
        for sentence, token, p in zip(step.sentences, step.token[:, 0], probability, strict=True):
            translations[sentence].append((int(token), float(p)))
        before[step.sentences] = total
    return tuple(map(tuple, translations))

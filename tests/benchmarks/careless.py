"""How the shipped models take what people type in a hurry, beside the same lines typed well.

    python -m tests.benchmarks.careless
    python -m tests.benchmarks.careless my-ted/ted_pt_en --beam-size 4 --show 40

200 lines for each model, made by rule from the validation pairs of the corpus that its folder is named after: no
final punctuation, a word or two, capitals, no accents, a slip, an emoji, two sentences in one. The model reads them
as they are; with --typed, as the app does, which helps a model out where it has only seen full stops. Exits with 1
where the careless lines are translated more than 2 chrF worse, a translation repeats a token three times in a row,
or one is cut off at the length limit.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, islice, pairwise, zip_longest
from pathlib import Path

import numpy as np

from core.careless_typing import FINAL_MARKS, with_one_slip, without_accents
from core.config import DecodingConfig
from core.corpora.by_name import named_corpus
from core.decoding.text.long_text import split_sentences, translate_texts
from core.decoding.translator import Translator
from core.metrics.bleu import score_detokenized
from core.records import Hypothesis, Pair
from core.storage.checkpoint import Checkpoint
from core.storage.shipped import find_checkpoint, shipped_checkpoints

LINES = 200  # of each model
WORDS = 400  # typed alone, for which there is no mark: nobody has translated them
MAX_WORDS = 20  # of a sentence
MAX_LOSS = 2.0  # chrF
REPEATED = 3  # times in a row
SEED = 17


@dataclass(frozen=True)
class CarelessLine:
    """A line typed well and carelessly, and what each should become."""

    kind: str
    careful: Pair
    careless: Pair


@dataclass(frozen=True)
class Output:
    """What became of a line."""

    text: str
    repeats: bool
    cut_off: bool  # at the length limit


def careless_lines(pairs: Sequence[Pair], lines: int = LINES) -> list[CarelessLine]:
    """The lines, as many of each kind as can be, always the same ones of the same pairs.

    Args:
        pairs: with spaces around punctuation; only whole single sentences are taken.
        lines: of all kinds together.
    """
    usable = list({pair.source: pair for pair in pairs if _is_usable(pair)}.values())
    random.Random(SEED).shuffle(usable)
    slips = np.random.default_rng(SEED)
    makers: dict[str, Callable[[Pair], Pair | None]] = {
        "no final punctuation": _bare,
        "a word or two": lambda pair: _bare(pair) if len(_bare(pair).source.split()) <= 2 else None,
        "capitals": lambda pair: _changed(pair, pair.source.upper()),
        "no accents": lambda pair: _changed(pair, without_accents(pair.source)),
        "a slip": lambda pair: _changed(pair, with_one_slip(pair.source, slips)),
        "an emoji": lambda pair: Pair(f"{_bare(pair).source} 😀", _bare(pair).target),
    }
    found: dict[str, list[CarelessLine]] = {kind: [] for kind in makers}
    for pair in usable:
        for kind in sorted(found, key=lambda kind: len(found[kind])):
            careless = makers[kind](pair)
            if careless is not None:
                found[kind].append(CarelessLine(kind, pair, careless))
                break
    found["two sentences in one"] = _two_in_one(usable)
    in_turn = chain.from_iterable(zip_longest(*found.values()))
    chosen = list(islice((line for line in in_turn if line is not None), lines))
    return sorted(chosen, key=lambda line: list(found).index(line.kind))


def frequent_words(pairs: Sequence[Pair]) -> list[str]:
    """The most frequent words of the sources."""
    counts = Counter(word for pair in pairs for word in pair.source.split() if word.isalpha())
    return [word for word, _ in counts.most_common(WORDS)]


def _is_usable(pair: Pair) -> bool:
    bare = _bare(pair)
    return (
        bool(bare.source and bare.target)
        and pair.source[-1] in FINAL_MARKS
        and pair.target[-1] in FINAL_MARKS
        and len(pair.source.split()) <= MAX_WORDS
        and not set("`\"'()[]") & set(pair.source.replace("'", ""))
        and len(split_sentences(pair.source)) == 1
        and not _repeats(pair.target.casefold().split())
    )


def _bare(pair: Pair) -> Pair:
    marks = "".join(FINAL_MARKS) + " "
    return Pair(pair.source.rstrip(marks), pair.target.rstrip(marks))


def _changed(pair: Pair, source: str) -> Pair | None:
    return None if source == pair.source else Pair(source, pair.target)


def _two_in_one(pairs: Sequence[Pair]) -> list[CarelessLine]:
    """Pairs of short sentences, the second without final punctuation; in every other line the first too."""
    short = [pair for pair in pairs if len(pair.source.split()) <= MAX_WORDS // 2]
    lines = []
    for number, (one, other) in enumerate(list(pairwise(short))[::2]):
        first, second = _bare(one) if number % 2 else one, _bare(other)
        careful = Pair(f"{one.source} {other.source}", f"{one.target} {other.target}")
        careless = Pair(f"{first.source} {second.source}", f"{first.target} {second.target}")
        lines.append(CarelessLine("two sentences in one", careful, careless))
    return lines


def outputs(
    translator: Translator, sources: Sequence[str], decoding: DecodingConfig, typed: bool
) -> list[Output]:
    """What becomes of lines, sentence by sentence: by the model alone, or as in the app."""
    if typed:
        found = [
            [sentence.best for sentence in text.sentences]
            for text in translate_texts(translator, sources, decoding)
        ]
    else:
        cut = [split_sentences(source) for source in sources]
        flat = iter(translator.translate([piece for pieces in cut for piece in pieces], decoding))
        found = [[next(flat).best for _ in pieces] for pieces in cut]
    return [_output(sentences) for sentences in found]


def _output(sentences: Sequence[Hypothesis]) -> Output:
    return Output(
        " ".join(sentence.text for sentence in sentences),
        any(_repeats(sentence.tokens) for sentence in sentences),
        not all(sentence.finished for sentence in sentences),
    )


def _repeats(tokens: Sequence[str]) -> bool:
    """Whether a token stands three times in a row; the dots of an ellipsis may."""
    runs = zip(*(tokens[start:] for start in range(REPEATED)), strict=False)
    return any(len(set(run)) == 1 and run[0] != "." for run in runs)


def _chrf(checkpoint: Checkpoint, found: Sequence[Output], pairs: Sequence[Pair]) -> float:
    detokenized = checkpoint.target_tokenizer.detokenized
    references = [detokenized(checkpoint.target_tokenizer.normalized(pair.target)) for pair in pairs]
    return score_detokenized([output.text for output in found], references).chrf


def _measure(
    checkpoint: Checkpoint, lines: Sequence[CarelessLine], words: Sequence[str], options: argparse.Namespace
) -> bool:
    """Print what a model makes of the lines, and of words alone; whether it is good enough at the lines."""
    decoding = DecodingConfig(beam_size=options.beam_size, length_penalty=1.0)
    translator = checkpoint.translator()
    careful = outputs(translator, [line.careful.source for line in lines], decoding, options.typed)
    careless = outputs(translator, [line.careless.source for line in lines], decoding, options.typed)
    for kind in [*dict.fromkeys(line.kind for line in lines), "all"]:
        rows = [row for row, line in enumerate(lines) if kind in (line.kind, "all")]
        well = _chrf(checkpoint, [careful[row] for row in rows], [lines[row].careful for row in rows])
        badly = _chrf(checkpoint, [careless[row] for row in rows], [lines[row].careless for row in rows])
        repeats = sum(careless[row].repeats for row in rows)
        cut_off = sum(careless[row].cut_off for row in rows)
        print(
            f"  {kind:22} {len(rows):4} lines: chrF {well:5.1f} typed well, {badly:5.1f} carelessly "
            f"({badly - well:+.1f}); {repeats} repeat a token, {cut_off} cut off"
        )
    alone = outputs(translator, words, decoding, options.typed)
    print(
        f"  frequent words alone   {len(words):4} words: {sum(word.repeats for word in alone)} repeat a token, "
        f"{sum(word.cut_off for word in alone)} cut off"
    )
    for row in range(0, len(lines), max(1, len(lines) // options.show) if options.show else len(lines) + 1):
        print(f"    {lines[row].careless.source} → {careless[row].text}   ({careful[row].text})")
    return badly >= well - MAX_LOSS and not repeats and not cut_off


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.careless")
    parser.add_argument("checkpoints", nargs="*", default=list(shipped_checkpoints()))
    parser.add_argument("--beam-size", type=int, default=1, metavar="N")
    parser.add_argument("--typed", action="store_true", help="as the app reads")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="translations to print")
    return parser.parse_args()


def main() -> int:
    options = _options()
    good = []
    for name in options.checkpoints:
        corpus = named_corpus(Path(name).name)
        if corpus is None or "validation" not in corpus.splits_here:
            print(f"{name}: skipped, the validation pairs are not here. See README.md on the data folder.")
            continue
        pairs = list(corpus.read("validation"))
        lines = careless_lines(pairs)
        print(f"{name}: {len(lines)} lines, beam {options.beam_size}")
        good.append(_measure(Checkpoint.load(find_checkpoint(name)), lines, frequent_words(pairs), options))
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())

"""What a training from the command line trains, on what, and from where."""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from core.commands.corpus import named_corpus, read_file
from core.commands.flags import changed
from core.commands.quiet import import_tensorflow_quietly
from core.config import ConfigError, ModelConfig, TrainingConfig
from core.corpora.catalogue import sample_pairs
from core.pipeline import TrainingPairs, prepare_words
from core.presets import CLASSROOM, LARGE_PRESETS, PRESETS
from core.records import Pair

if TYPE_CHECKING:
    from core.storage.checkpoint import Checkpoint
    from core.storage.snapshot import Prepared
    from core.tokens.subword import SubwordTokenizer


@dataclass(frozen=True)
class Task:
    """What to train, on what."""

    model: ModelConfig
    training: TrainingConfig
    prepared: Prepared
    pairs: TrainingPairs
    validation: TrainingPairs | None
    watched: tuple[Pair, ...]  # translated after each epoch
    name: str  # of the checkpoint
    start: Checkpoint | None  # whose weights come first; None draws new ones


def make_task(options: argparse.Namespace, start: Checkpoint | None) -> Task:
    """Read the pairs and encode them.

    Args:
        options: of the command.
        start: what is gone on from.

    Raises:
        ConfigError: the flags do not go together.
    """
    subwords = _uses_subwords(options, start)
    model, training = _settings(options, subwords, start)
    make = _subword_task if subwords else _word_task
    return make(options, model, training, start)


def training_folder(options: argparse.Namespace) -> Path:
    """Where a training that was killed goes on from."""
    return options.out.with_name(f"{options.out.name}.training")


def say(text: str) -> None:
    """To people, beside what the command gives."""
    print(text, file=sys.stderr, flush=True)


def _settings(
    options: argparse.Namespace, subwords: bool, start: Checkpoint | None
) -> tuple[ModelConfig, TrainingConfig]:
    """The preset's, or those of the checkpoint that is gone on from, with the flags that were given."""
    presets = {**PRESETS, **LARGE_PRESETS}
    preset = presets[options.preset or ("shipped" if subwords else CLASSROOM.name)]
    if (preset.name in LARGE_PRESETS) != subwords:
        kind = "pieces of words: --tokenizer subword" if not subwords else "words: --tokenizer word"
        if start is not None:
            kind = f"{kind.partition(':')[0]}, and this checkpoint does not. Choose another, or none"
        raise ConfigError(f"The preset {preset.name} goes with {kind}.")
    training = preset.training
    if start is None:
        return changed(preset.model, options), changed(training, options)
    if options.preset is None and start.training is not None:
        training = start.training
    model = changed(start.config, options)
    if (
        options.vocab_size is not None
        or model.replace(dropout_rate=start.config.dropout_rate) != start.config
    ):
        raise ConfigError(
            "--from takes a checkpoint's model as it is: of its settings, only --dropout-rate can change."
        )
    return model, changed(training, options)


def _uses_subwords(options: argparse.Namespace, start: Checkpoint | None) -> bool:
    corpus = named_corpus(options.corpus)
    large = corpus is not None and "validation" in corpus.splits
    if start is not None:
        kind = start.source_tokenizer.kind
        if options.tokenizer not in (None, kind):
            raise ConfigError(f"--from this checkpoint goes with --tokenizer {kind}, as it was trained.")
        return kind == "subword"
    if options.tokenizer == "word" and large:
        raise ConfigError(f"{options.corpus} has too many different words. Use --tokenizer subword.")
    return large if options.tokenizer is None else options.tokenizer == "subword"


def _word_task(
    options: argparse.Namespace, model: ModelConfig, training: TrainingConfig, start: Checkpoint | None
) -> Task:
    if options.mixed_precision or options.vocab_size is not None:
        flag = "--mixed-precision" if options.mixed_precision else "--vocab-size"
        raise ConfigError(f"{flag} goes with pieces of words: --tokenizer subword.")
    corpus = named_corpus(options.corpus)
    pairs = list(corpus.read("train")) if corpus else read_file(options.corpus)
    tokenizers = (start.source_tokenizer, start.target_tokenizer) if start else None
    prepared, model = prepare_words(pairs, model, tokenizers)
    encoded = prepared.encoded if training.batch_tokens is None else prepared.encoded.bucketed()
    return Task(model, training, prepared, encoded, None, (), "", start)


def _subword_task(
    options: argparse.Namespace, model: ModelConfig, training: TrainingConfig, start: Checkpoint | None
) -> Task:
    if options.vocab_size is not None:
        model = model.replace(source_vocab_size=options.vocab_size, target_vocab_size=options.vocab_size)
    import_tensorflow_quietly()
    from core.subword_pairs import encode_subwords, prepare_subwords
    from core.training.precision import use_16_bits

    if options.mixed_precision:
        say(f"Matrix products in {use_16_bits() or 'float32: this processor gains nothing by 16 bits'}.")

    pairs, validation_pairs, languages, name = _read(options)
    tokenizers = _tokenizers(options, pairs, model, languages, start)
    say("Encoding …")
    prepared, model = prepare_subwords(pairs, model, training, tokenizers, options.longest)
    say(f"{len(prepared.encoded):,} pairs; {prepared.left_out:,} left out as empty or too long.")
    validation = None
    if validation_pairs:
        limits = (model.max_source_length, model.max_target_length - 1)
        validation = encode_subwords(validation_pairs, *tokenizers, *limits).pairs
    watched = tuple(validation_pairs or prepared.pairs)[: options.watch]
    return Task(model, training, prepared, prepared.encoded, validation, watched, name, start)


def _read(
    options: argparse.Namespace,
) -> tuple[Callable[[], Iterable[Pair]], list[Pair], tuple[str, str], str]:
    """What gives the training pairs, the validation pairs, the languages, and a name."""
    corpus = named_corpus(options.corpus)
    if corpus is not None:
        say(f"{corpus.title}. {corpus.licence}.")
        held_out = sample_pairs(corpus.read("validation"), options.validation) if options.validation else []
        return (
            lambda: corpus.read("train"),
            held_out,
            (corpus.source_language, corpus.target_language),
            corpus.title,
        )
    everything = read_file(options.corpus)
    number = min(options.validation, len(everything) // 20)
    random.Random(0).shuffle(everything)
    source, target = options.languages
    name = Path(options.corpus).stem[:80]
    return lambda: everything[number:], everything[:number], (source, target), name


def _tokenizers(
    options: argparse.Namespace,
    pairs: Callable[[], Iterable[Pair]],
    model: ModelConfig,
    languages: tuple[str, str],
    start: Checkpoint | None,
) -> tuple[SubwordTokenizer, SubwordTokenizer]:
    """Those of the checkpoint gone on from, else what a killed training learned, else learned from the pairs."""
    from core.subword_pairs import learn_tokenizers
    from core.tokens.subword import SubwordTokenizer
    from core.tokens.subword_settings import SubwordSettings

    if start is not None:
        source, target = start.source_tokenizer, start.target_tokenizer
        assert isinstance(source, SubwordTokenizer)
        assert isinstance(target, SubwordTokenizer)
        _check_languages(languages, (source.settings.language, target.settings.language))
        return source, target
    files = [training_folder(options) / f"{side}_vocabulary.txt" for side in ("source", "target")]
    if all(file.is_file() for file in files):
        source, target = (
            SubwordTokenizer.from_vocabulary(file, SubwordSettings(language=language))
            for file, language in zip(files, languages, strict=True)
        )
        return source, target
    say("Learning the pieces of words …")
    learned = learn_tokenizers(pairs, model, *languages)
    training_folder(options).mkdir(parents=True, exist_ok=True)
    for file, tokenizer in zip(files, learned, strict=True):
        tokenizer.vocabulary.save(file)
    return learned


def _check_languages(given: tuple[str, str], known: tuple[str, str]) -> None:
    """Of the pairs, and of the checkpoint that is gone on from; "und" may be any."""
    if any(one not in ("und", other) for one, other in zip(given, known, strict=True)):
        raise ConfigError(
            f"--from this checkpoint goes on with {known[0]} → {known[1]}. The pairs are {given[0]} → {given[1]}."
        )

"""From the flags of `train` to a training run by `core.training.recipe`."""

from __future__ import annotations

import argparse
import random
from dataclasses import dataclass
from pathlib import Path

from core.checkpoints.checkpoint import MAX_NAME_CHARACTERS, Checkpoint
from core.commands.flags import apply_flags
from core.commands.terminal.quiet import import_tensorflow_quietly, print_stderr
from core.config import ConfigError, ModelConfig, TrainingConfig
from core.corpora.catalogue import named_corpus, read_file, sample_pairs
from core.presets import CLASSROOM, LARGE_PRESETS, PRESETS
from core.records import Pair
from core.tokens.subword import SubwordTokenizer, SubwordTokenizers
from core.training.recipe import (
    PreparedTraining,
    TrainingCorpus,
    prepare_subword_training,
    prepare_word_training,
)

WORD_PREVIEW_EVERY = 20  # epochs: those of a few pairs are over in a moment


@dataclass(frozen=True)
class Task:
    """A prepared training run of the command line."""

    prepared: PreparedTraining
    preview: tuple[Pair, ...]  # translated after some epochs
    preview_every: int  # epochs
    name: str  # of the checkpoint
    start: Checkpoint | None  # the checkpoint to continue from; None for new weights


def make_task(options: argparse.Namespace, start: Checkpoint | None) -> Task:
    """Read the pairs and prepare the run.

    Raises:
        ConfigError: the flags contradict each other.
    """
    subwords = _uses_subwords(options, start)
    model, training = _settings(options, subwords, start)
    make = _subword_task if subwords else _word_task
    return make(options, model, training, start)


def training_folder(options: argparse.Namespace) -> Path:
    """Return the folder of the saved state, from which a killed run continues."""
    return options.out.with_name(f"{options.out.name}.training")


def forget_training(folder: Path) -> None:
    """Remove the saved state of a finished run, and its folder unless it has other files."""
    from core.training.fit import state_files

    for file in state_files(folder):
        file.unlink(missing_ok=True)
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


def _settings(
    options: argparse.Namespace, subwords: bool, start: Checkpoint | None
) -> tuple[ModelConfig, TrainingConfig]:
    """Return the settings of the preset, or of the checkpoint to continue from, changed by the given flags."""
    presets = {**PRESETS, **LARGE_PRESETS}
    preset = presets[options.preset or ("shipped" if subwords else CLASSROOM.name)]
    if (preset.name in LARGE_PRESETS) != subwords:
        kind = "subwords: --tokenizer subword" if not subwords else "words: --tokenizer word"
        if start is not None:
            kind = f"{kind.partition(':')[0]}, and this checkpoint does not. Choose another, or none"
        raise ConfigError(f"The preset {preset.name} goes with {kind}.")
    training = preset.training
    if start is None:
        return apply_flags(preset.model, options), apply_flags(training, options)
    if options.preset is None and start.training is not None:
        training = start.training
    model = apply_flags(start.config, options)
    if (
        options.vocab_size is not None
        or model.replace(dropout_rate=start.config.dropout_rate) != start.config
    ):
        raise ConfigError(
            "--from takes a checkpoint's model as it is: of its settings, only --dropout-rate can change."
        )
    return model, apply_flags(training, options)


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
    for name in ("mixed_precision", "vocab_size"):
        if getattr(options, name) not in (None, False):
            flag = f"--{name.replace('_', '-')}"
            raise ConfigError(f"{flag} goes with subwords: --tokenizer subword.")
    corpus = named_corpus(options.corpus)
    held_out: tuple[Pair, ...] = ()
    if options.corpus == "toy":
        preset = PRESETS[options.preset or CLASSROOM.name]
        pairs, held_out = list(preset.pairs), preset.held_out
    else:
        pairs = list(corpus.read("train")) if corpus else read_file(options.corpus)
    tokenizers = (start.source_tokenizer, start.target_tokenizer) if start else None
    prepared = prepare_word_training(pairs, model, training, tokenizers, held_out)
    return Task(prepared, _preview(prepared, options), WORD_PREVIEW_EVERY, "", start)


def _subword_task(
    options: argparse.Namespace, model: ModelConfig, training: TrainingConfig, start: Checkpoint | None
) -> Task:
    if options.vocab_size is not None:
        model = model.replace(source_vocab_size=options.vocab_size, target_vocab_size=options.vocab_size)
    import_tensorflow_quietly()
    if options.mixed_precision:
        from core.training.step import use_mixed_precision

        use_mixed_precision()
    name, corpus = _corpus_of(options)
    tokenizers = _known_tokenizers(corpus.languages, start) if start else None
    prepared = prepare_subword_training(corpus, model, training, tokenizers, print_stderr, options.longest)
    return Task(prepared, _preview(prepared, options), 1, name, start)


def _preview(prepared: PreparedTraining, options: argparse.Namespace) -> tuple[Pair, ...]:
    return (prepared.held_out or prepared.pairs)[: options.preview]


def _corpus_of(options: argparse.Namespace) -> tuple[str, TrainingCorpus]:
    """Return the name and the pairs of a corpus, or of a file, some of whose pairs are held out."""
    corpus = named_corpus(options.corpus)
    languages = corpus.languages if corpus else tuple(options.languages)
    if corpus is not None:
        print_stderr(f"{corpus.title}. {corpus.licence}.")
        count = options.validation
        return corpus.title, TrainingCorpus(
            lambda: corpus.read("train"),
            lambda: sample_pairs(corpus.read("validation"), count) if count else [],
            languages,
        )
    pairs = read_file(options.corpus)
    count = min(options.validation, len(pairs) // 20)
    random.Random(0).shuffle(pairs)
    name = Path(options.corpus).stem[:MAX_NAME_CHARACTERS]
    return name, TrainingCorpus(lambda: pairs[count:], lambda: pairs[:count], languages)


def _known_tokenizers(languages: tuple[str, str], start: Checkpoint) -> SubwordTokenizers:
    """Return the tokenizers of the checkpoint to continue from, if its languages are the pairs' ("und" fits any)."""
    source, target = start.source_tokenizer, start.target_tokenizer
    assert isinstance(source, SubwordTokenizer)
    assert isinstance(target, SubwordTokenizer)
    known = source.settings.language, target.settings.language
    if any(one not in ("und", other) for one, other in zip(languages, known, strict=True)):
        raise ConfigError(
            f"--from this checkpoint goes on with {known[0]} → {known[1]}. "
            f"The pairs are {languages[0]} → {languages[1]}."
        )
    return source, target

"""From the flags of `train` to a training run by `core.training.recipe`."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.description import MAX_NAME_CHARACTERS
from core.checkpoints.model_file import SUFFIX
from core.commands.flags import apply_flags
from core.commands.pairs import read_corpus, read_file
from core.commands.terminal.quiet import import_tensorflow_quietly, print_stderr
from core.config import ModelConfig, TrainingConfig
from core.corpora.catalogue import named_corpus, sample_pairs
from core.corpora.corpus import Corpus
from core.corpora.languages import language_name, languages_of
from core.errors import InputError
from core.presets import CLASSROOM, LARGE_PRESETS, PRESETS, Preset, preset_for
from core.records.text import Pair
from core.tokens.subword import SubwordTokenizer
from core.training.pairs import HOLD_OUT_FROM, UNNAMED, hold_out, known_words
from core.training.recipe import (
    PreparedTraining,
    TrainingCorpus,
    prepare_corpus_training,
    prepare_training,
)

_PREVIEW_EVERY = 20  # epochs: those of a few pairs are over in a moment

_MAX_HELD_OUT = 1000  # pairs of a file: enough to choose an epoch
_PATIENCE = 10  # epochs without a better one, after which a training with held-out pairs ends
_MAX_VALIDATION = 2000  # of the validation split of a corpus

# A model that is trained further should know at least this share of the words. The vocabulary of ted_pt_en has nine
# in ten words of Portuguese sentences whole, half of Spanish and a quarter of German ones.
_LEAST_KNOWN = 0.6
_PAIRS_LOOKED_AT = 2000


@dataclass(frozen=True)
class Task:
    """A prepared training run of the command line."""

    prepared: PreparedTraining
    preview: tuple[Pair, ...]  # translated after some epochs
    preview_every: int  # epochs
    name: str  # of the checkpoint
    from_file: bool  # whether the pairs are of a file
    start: Checkpoint | None  # the checkpoint to continue from; None for new weights


def make_task(options: argparse.Namespace, start: Checkpoint | None) -> Task:
    """Read the pairs and prepare the run."""
    if options.mixed_precision:
        import_tensorflow_quietly()
        from core.training.step import use_mixed_precision

        use_mixed_precision()
    corpus = named_corpus(options.corpus)
    if corpus is not None and "validation" in corpus.splits:
        return _large_task(corpus, options, start)
    return _task(corpus, options, start)


def state_file(out: Path) -> Path:
    """Return the file of the saved state, beside the model's, from which a killed run continues."""
    return out.with_name(f"{out.stem}.training{SUFFIX}")


def _settings(
    usual: Preset, options: argparse.Namespace, start: Checkpoint | None
) -> tuple[ModelConfig, TrainingConfig]:
    """Return the settings of the preset, or of the checkpoint to continue from, changed by the given flags."""
    preset = {**PRESETS, **LARGE_PRESETS}[options.preset or usual.name]
    training = preset.training
    if start is not None and start.training is not None and options.preset is None:
        training = start.training
    if options.tokenizer is not None:
        training = training.replace(source_tokens=options.tokenizer, target_tokens=options.tokenizer)
    training = apply_flags(training, options)
    if start is None:
        return apply_flags(preset.model, options), training
    model = apply_flags(start.config, options)
    given = (options.tokenizer, options.source_tokens, options.target_tokens, options.vocab_size)
    if any(given) or model.replace(dropout_rate=start.config.dropout_rate) != start.config:
        raise InputError(
            "--from takes a checkpoint's model and its tokens as they are: of these settings, only --dropout-rate can "
            "change."
        )
    return model, training


def _task(corpus: Corpus | None, options: argparse.Namespace, start: Checkpoint | None) -> Task:
    """Prepare a training on pairs in memory: the classroom's, a small corpus or a file."""
    held_out: Sequence[Pair] = ()
    languages = corpus.languages if corpus else UNNAMED
    usual = CLASSROOM
    if options.corpus == "toy":
        preset = PRESETS.get(options.preset, CLASSROOM)
        pairs, held_out = preset.pairs, preset.held_out
    elif corpus is not None:
        pairs = tuple(read_corpus(corpus, "train"))
    else:
        read, found = read_file(options)
        languages = tuple(options.languages) if options.languages else found.languages or languages_of(read)
        shown, held_out = _divide(read, options)
        pairs = (*shown, *held_out)
        usual = preset_for(len(pairs))
    model, training = _settings(usual, options, start)
    if corpus is None:
        training = _with_patience(training, options, held_out)
    if start is not None:
        _check_languages(languages, start)
        _check_start(start, pairs)
    tokenizers = (start.source_tokenizer, start.target_tokenizer) if start else None
    prepared = prepare_training(pairs, model, training, tokenizers, held_out, languages, options.longest)
    every = 1 if training.batch_tokens else _PREVIEW_EVERY
    name = "" if corpus else Path(options.corpus).stem[:MAX_NAME_CHARACTERS]
    return Task(prepared, _preview(prepared, options), every, name, corpus is None, start)


def _large_task(corpus: Corpus, options: argparse.Namespace, start: Checkpoint | None) -> Task:
    """Prepare a training on a large corpus, on subwords unless told otherwise."""
    model, training = _settings(LARGE_PRESETS["shipped"], options, start)
    if "word" in (training.source_tokens, training.target_tokens):
        raise InputError(f"{options.corpus} has too many different words. Use --tokenizer subword.")
    count = _MAX_VALIDATION if options.validation is None else options.validation
    validation = tuple(sample_pairs(read_corpus(corpus, "validation"), count)) if count else ()
    print_stderr(f"{corpus.title}. {corpus.licence}.")
    pairs = TrainingCorpus(lambda: corpus.read("train"), lambda: validation, corpus.languages)
    tokenizers = None
    if start is not None:
        _check_languages(corpus.languages, start)
        _check_start(start, tuple(islice(pairs.read(), _PAIRS_LOOKED_AT)))
        tokenizers = start.source_tokenizer, start.target_tokenizer
    prepared = prepare_corpus_training(pairs, model, training, tokenizers, print_stderr, options.longest)
    return Task(prepared, _preview(prepared, options), 1, corpus.title, False, start)


def _preview(prepared: PreparedTraining, options: argparse.Namespace) -> tuple[Pair, ...]:
    return (prepared.held_out or prepared.pairs)[: options.preview]


def _divide(pairs: Sequence[Pair], options: argparse.Namespace) -> tuple[tuple[Pair, ...], tuple[Pair, ...]]:
    """Divide the pairs of a file into those to train on and held-out ones, always in the same way."""
    usual = min(len(pairs) // 10, _MAX_HELD_OUT) if len(pairs) >= HOLD_OUT_FROM else 0
    count = usual if options.validation is None else options.validation
    return hold_out(pairs, count / len(set(pairs)), seed=0) if count else (tuple(pairs), ())


def _with_patience(
    training: TrainingConfig, options: argparse.Namespace, held_out: Sequence[Pair]
) -> TrainingConfig:
    """Return the settings with patience where held-out pairs can end a training, unless the user gave some."""
    return training.replace(patience=_PATIENCE) if held_out and options.patience is None else training


def _check_languages(languages: tuple[str, str], start: Checkpoint) -> None:
    """Check that a checkpoint to continue from is for the languages of the pairs, where both are known."""
    source, target = start.source_tokenizer, start.target_tokenizer
    if not isinstance(source, SubwordTokenizer) or not isinstance(target, SubwordTokenizer):
        return
    known = source.settings.language, target.settings.language
    for given, own in zip(languages, known, strict=True):
        if given != own and UNNAMED[0] not in (given, own):
            model = " → ".join(map(language_name, known))
            pairs = " → ".join(map(language_name, languages))
            raise InputError(f"--from: this checkpoint translates {model}. The pairs are {pairs}.")


def _check_start(start: Checkpoint, pairs: Sequence[Pair]) -> None:
    """Check that a checkpoint to continue from knows most words of the pairs."""
    some = pairs[:_PAIRS_LOOKED_AT]
    sides = {
        "source": ([pair.source for pair in some], start.source_tokenizer),
        "target": ([pair.target for pair in some], start.target_tokenizer),
    }
    for side, (texts, tokenizer) in sides.items():
        if (known := known_words(texts, tokenizer)) < _LEAST_KNOWN:
            raise InputError(
                f"--from this checkpoint does not fit these pairs: its vocabulary has {known:.0%} of the words in the "
                f"{side} sentences. Train without --from, or continue from a model of these languages."
            )

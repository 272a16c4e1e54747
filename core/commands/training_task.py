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
from core.corpora.languages import language_name
from core.errors import InputError
from core.presets import CLASSROOM, LARGE_PRESETS, PRESETS
from core.records.text import Pair
from core.tokens.subword import SubwordTokenizer, SubwordTokenizers
from core.training.pairs import HOLD_OUT_FROM, hold_out, known_words
from core.training.recipe import (
    PreparedTraining,
    TrainingCorpus,
    prepare_subword_training,
    prepare_word_training,
)

_WORD_PREVIEW_EVERY = 20  # epochs: those of a few pairs are over in a moment
UNKNOWN = "und"  # the code of a language that nobody has named

_MAX_HELD_OUT = 1000  # pairs of a file: enough to choose an epoch
_PATIENCE = 10  # epochs without a better one, after which a training with held-out pairs ends
_MANY = 1000  # pairs of a file
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
    subwords = _uses_subwords(options, start)
    model, training = _settings(options, subwords, start)
    make = _subword_task if subwords else _word_task
    return make(options, model, training, start)


def state_file(out: Path) -> Path:
    """Return the file of the saved state, beside the model's, from which a killed run continues."""
    return out.with_name(f"{out.stem}.training{SUFFIX}")


def _settings(
    options: argparse.Namespace, subwords: bool, start: Checkpoint | None
) -> tuple[ModelConfig, TrainingConfig]:
    """Return the settings of the preset, or of the checkpoint to continue from, changed by the given flags."""
    presets = {**PRESETS, **LARGE_PRESETS}
    preset = presets[options.preset or ("shipped" if subwords else CLASSROOM.name)]
    if (preset.name in LARGE_PRESETS) != subwords:
        kind = "word" if subwords else "subword"
        if start is None:
            raise InputError(f"The preset {preset.name} goes with {kind}s: --tokenizer {kind}.")
        raise InputError(
            f"The preset {preset.name} goes with {kind}s, and this checkpoint does not. Choose another, or none."
        )
    training = preset.training
    if start is None:
        return apply_flags(preset.model, options), apply_flags(training, options)
    if options.preset is None and start.training is not None:
        training = start.training
    model = apply_flags(start.config, options)
    other_model = model.replace(dropout_rate=start.config.dropout_rate) != start.config
    if options.vocab_size is not None or other_model:
        raise InputError(
            "--from takes a checkpoint's model as it is: of its settings, only --dropout-rate can change."
        )
    return model, apply_flags(training, options)


def _uses_subwords(options: argparse.Namespace, start: Checkpoint | None) -> bool:
    corpus = named_corpus(options.corpus)
    large = corpus is not None and "validation" in corpus.splits
    if start is not None:
        kind = start.source_tokenizer.kind
        if options.tokenizer not in (None, kind):
            raise InputError(f"--from: this checkpoint needs --tokenizer {kind}, as it was trained.")
        return kind == "subword"
    if options.tokenizer == "word" and large:
        raise InputError(f"{options.corpus} has too many different words. Use --tokenizer subword.")
    if options.tokenizer is None:
        return large or (corpus is None and options.preset in LARGE_PRESETS)
    return options.tokenizer == "subword"


def _word_task(
    options: argparse.Namespace, model: ModelConfig, training: TrainingConfig, start: Checkpoint | None
) -> Task:
    for name in ("mixed_precision", "vocab_size"):
        if getattr(options, name) not in (None, False):
            flag = f"--{name.replace('_', '-')}"
            raise InputError(f"{flag} goes with subwords: --tokenizer subword.")
    held_out: Sequence[Pair] = ()
    corpus = named_corpus(options.corpus)
    if options.corpus == "toy":
        preset = PRESETS[options.preset or CLASSROOM.name]
        pairs = preset.pairs
        held_out = preset.held_out
    elif corpus is not None:
        pairs = tuple(read_corpus(corpus, "train"))
    else:
        read, _ = read_file(options)
        shown, held_out = _divide(read, options)
        pairs = (*shown, *held_out)
        if len(pairs) >= _MANY and options.tokenizer is None and options.preset is None:
            print_stderr("So many pairs are learned better and faster as subwords: --preset thousands.")
        training = _with_patience(training, options, held_out)
    if start is not None:
        _check_start(start, pairs)
    tokenizers = (start.source_tokenizer, start.target_tokenizer) if start else None
    prepared = prepare_word_training(pairs, model, training, tokenizers, held_out)
    return Task(prepared, _preview(prepared, options), _WORD_PREVIEW_EVERY, "", corpus is None, start)


def _subword_task(
    options: argparse.Namespace, model: ModelConfig, training: TrainingConfig, start: Checkpoint | None
) -> Task:
    if options.vocab_size is not None:
        model = model.replace(source_vocab_size=options.vocab_size, target_vocab_size=options.vocab_size)
    import_tensorflow_quietly()
    if options.mixed_precision:
        from core.training.step import use_mixed_precision

        use_mixed_precision()
    from_file = named_corpus(options.corpus) is None
    name, corpus = _corpus_of_file(options) if from_file else _named_corpus(options)
    held_out = corpus.held_out()
    if from_file:
        training = _with_patience(training, options, held_out)
    tokenizers = None
    if start is not None:
        _check_languages(corpus.languages, start)
        _check_start(start, tuple(islice(corpus.read(), _PAIRS_LOOKED_AT)))
        tokenizers = _subword_tokenizers(start)
    prepared = prepare_subword_training(corpus, model, training, tokenizers, print_stderr, options.longest)
    return Task(prepared, _preview(prepared, options), 1, name, from_file, start)


def _preview(prepared: PreparedTraining, options: argparse.Namespace) -> tuple[Pair, ...]:
    return (prepared.held_out or prepared.pairs)[: options.preview]


def _named_corpus(options: argparse.Namespace) -> tuple[str, TrainingCorpus]:
    """Return the title and the pairs of a named corpus."""
    corpus = named_corpus(options.corpus)
    assert corpus is not None
    count = _MAX_VALIDATION if options.validation is None else options.validation
    validation = tuple(sample_pairs(read_corpus(corpus, "validation"), count)) if count else ()
    print_stderr(f"{corpus.title}. {corpus.licence}.")
    return corpus.title, TrainingCorpus(lambda: corpus.read("train"), lambda: validation, corpus.languages)


def _corpus_of_file(options: argparse.Namespace) -> tuple[str, TrainingCorpus]:
    """Return a name for a file, and its pairs, some of which are held out."""
    pairs, found = read_file(options)
    shown, held_out = _divide(pairs, options)
    languages = tuple(options.languages) if options.languages else found.languages or (UNKNOWN, UNKNOWN)
    name = Path(options.corpus).stem[:MAX_NAME_CHARACTERS]
    return name, TrainingCorpus(lambda: shown, lambda: held_out, languages)


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
    source, target = _subword_tokenizers(start)
    known = source.settings.language, target.settings.language
    for given, own in zip(languages, known, strict=True):
        if given != own and UNKNOWN not in (given, own):
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


def _subword_tokenizers(start: Checkpoint) -> SubwordTokenizers:
    source = start.source_tokenizer
    target = start.target_tokenizer
    assert isinstance(source, SubwordTokenizer)
    assert isinstance(target, SubwordTokenizer)
    return source, target

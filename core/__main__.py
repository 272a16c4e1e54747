"""The command line: python -m core train …, python -m core translate …."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args

from core.config import (
    Activation,
    ConfigError,
    DecodingConfig,
    ModelConfig,
    NormPlacement,
    PositionalEncoding,
    ScheduleName,
    TrainingConfig,
)
from core.corpora.delimited import CorpusError, read_pairs
from core.corpora.toy import PAIRS
from core.explanations import EXPLANATIONS
from core.presets import PRESETS, Preset
from core.records import Pair, StepReport

if TYPE_CHECKING:
    from core.decoding.translator import Translator
    from core.training.loop import TrainingRun

AnyConfig = TypeVar("AnyConfig", ModelConfig, TrainingConfig, DecodingConfig)
_CHOICES = {
    "positional_encoding": get_args(PositionalEncoding),
    "activation": get_args(Activation),
    "norm": get_args(NormPlacement),
    "schedule": get_args(ScheduleName),
}
_LEARNED = ("source_vocab_size", "target_vocab_size")  # from the pairs, so no flags
_ZERO_IS_NONE = {"clip_norm", "patience"}  # a flag cannot say None
_SENTENCES_AT_ONCE = 64


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 0 when it worked, 2 with one line on standard error when it could not."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # read when TensorFlow is imported
    options = _parser().parse_args(arguments)
    try:
        return options.command(options)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (ValueError, ArithmeticError, OSError) as error:
        print(f"{options.name}: {' '.join(str(error).split())}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m core", description="A translation Transformer.")
    commands = parser.add_subparsers(title="commands", required=True)

    train = commands.add_parser("train", help="train on the fifteen pairs or on your own")
    train.set_defaults(command=_train, name="train")
    train.add_argument("corpus", help='"toy", or a CSV, TSV or tab-separated file with two columns')
    train.add_argument("--out", type=Path, required=True, help="folder to write the checkpoint to")
    train.add_argument(
        "--preset",
        choices=PRESETS,
        default="classroom",
        help="what the flags below start from (default: classroom)",
    )
    train.add_argument(
        "--save-every",
        type=int,
        default=500,
        metavar="N",
        help="steps that a killed training loses at most: the same command goes on (default: 500)",
    )
    for config in (ModelConfig, TrainingConfig):
        group = train.add_argument_group(config.__name__, "unless given, as in the preset")
        for field in fields(config):
            if field.name not in _LEARNED:
                _add_flag(group, field.name, str(field.type))

    translate = commands.add_parser("translate", help="translate with a checkpoint")
    translate.set_defaults(command=_translate, name="translate")
    translate.add_argument("checkpoint", type=Path, help="folder or zip")
    translate.add_argument(
        "sentence", help='what to translate; "-" reads one sentence a line from standard input'
    )
    for field in fields(DecodingConfig):
        _add_flag(translate, field.name, str(field.type))
    translate.add_argument("--json", action="store_true", help="one JSON object a line and a sentence")
    translate.add_argument("--attention", action="store_true", help="with --json: the attention of all heads")
    return parser


def _add_flag(group: Any, name: str, annotation: str) -> None:
    flag = f"--{name.replace('_', '-')}"
    text = EXPLANATIONS[name].replace("%", "%%")
    if name in _CHOICES:
        group.add_argument(flag, choices=_CHOICES[name], help=text)
    elif annotation == "bool":
        group.add_argument(flag, action=argparse.BooleanOptionalAction, help=text)
    else:
        group.add_argument(flag, type=int if annotation.startswith("int") else float, metavar="N", help=text)


def _changed(config: AnyConfig, options: argparse.Namespace) -> AnyConfig:
    """The preset's config with the flags that were given."""
    given = {field.name: getattr(options, field.name, None) for field in fields(config)}
    changes = {name: value for name, value in given.items() if value is not None}
    for name in _ZERO_IS_NONE & changes.keys():
        changes[name] = changes[name] or None
    return config.replace(**changes)


def _read_corpus(name: str) -> list[Pair]:
    if name == "toy":
        return list(PAIRS)
    path = Path(name)
    if not path.is_file():
        raise CorpusError(f'There is no file {name}. Name "toy" or a CSV, TSV or tab-separated file.')
    return read_pairs(path.read_bytes(), path.name)


def _train(options: argparse.Namespace) -> int:
    preset: Preset = PRESETS[options.preset]
    model = _changed(preset.model, options)
    training = _changed(preset.training, options)
    pairs = _read_corpus(options.corpus)

    from core.pipeline import prepare_words
    from core.storage.checkpoint import check_writable

    check_writable(options.out)
    prepared, model = prepare_words(pairs, model)

    _import_tensorflow_quietly()
    from core.storage.snapshot import snapshot
    from core.training.fit import resumable_steps
    from core.training.loop import TrainingDivergedError, TrainingRun

    encoded = prepared.encoded if training.batch_tokens is None else prepared.encoded.bucketed()
    run = TrainingRun(model, training, encoded)
    saved = options.out.with_name(f"{options.out.name}.training")
    steps = resumable_steps(run, saved, options.save_every)
    if run.state.step:
        print(f"Going on after step {run.state.step} of an earlier training.", file=sys.stderr)
    started = time.monotonic()

    def save() -> str:
        for number in (signal.SIGINT, signal.SIGTERM):  # a second Ctrl-C must not lose what the first saves
            signal.signal(number, signal.SIG_IGN)
        snapshot(run, prepared, time.monotonic() - started).save(options.out)
        best = f", best loss {run.best_loss:.4f} in epoch {run.best_epoch}" if run.best_epoch else ""
        return f"after {run.epochs_done} epochs{best}. Saved to {options.out}."

    try:
        interrupted = _run_with_progress(run, steps)
    except TrainingDivergedError as error:
        if run.best_epoch:
            raise TrainingDivergedError(f"{error} Before that: {save()}") from error
        raise
    print("Interrupted" if interrupted else "Trained", save())
    if not interrupted:
        shutil.rmtree(saved, ignore_errors=True)
    return 130 if interrupted else 0


def _run_with_progress(run: TrainingRun, steps: Generator[StepReport, None, None]) -> bool:
    """Train to the end with a progress bar; True where Ctrl-C or a termination ended it before."""
    from tqdm import tqdm

    # Also where a shell started this in the background, which ignores Ctrl-C unless told otherwise.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    bar = tqdm(total=run.total_steps, initial=run.state.step, unit="step", disable=None, dynamic_ncols=True)
    with bar, closing(steps):
        try:
            for report in steps:
                bar.update()
                if report.ends_epoch:
                    bar.set_postfix(epoch=report.epoch, loss=f"{report.loss:.4f}", refresh=False)
        except KeyboardInterrupt:
            return True
    return False


def _translate(options: argparse.Namespace) -> int:
    decoding = _changed(DecodingConfig(), options)
    if options.attention and not options.json:
        raise ConfigError("--attention needs --json.")

    from core.storage.checkpoint import Checkpoint

    checkpoint = Checkpoint.load(options.checkpoint)

    _import_tensorflow_quietly()
    from core.decoding.translator import TranslationError

    translator = checkpoint.translator()
    line = 1
    for sentences in _sentences(options.sentence):
        try:
            _print_translations(translator, sentences, decoding, options)
        except TranslationError as error:
            if options.sentence != "-":
                raise
            if error.row:  # what came before it is as good as ever
                _print_translations(translator, sentences[: error.row], decoding, options)
            raise TranslationError(f"Line {line + error.row}: {error}") from error
        line += len(sentences)
    return 0


def _import_tensorflow_quietly() -> None:
    """Import TensorFlow without the lines its C++ side writes to standard error about this machine.

    They come before any log level applies, and would bury the one line that an error should be.
    """
    sys.stderr.flush()
    error_output = os.dup(2)
    with Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    try:
        import tensorflow

        tensorflow.get_logger().setLevel("ERROR")  # nor what it thinks of many small compiled functions
    finally:
        os.dup2(error_output, 2)
        os.close(error_output)


def _sentences(argument: str) -> Iterator[list[str]]:
    """The sentence, or the lines of standard input: one by one for a person, else many at once."""
    if argument != "-":
        yield [argument]
        return
    together: list[str] = []
    limit = 1 if sys.stdin.isatty() else _SENTENCES_AT_ONCE
    for line in sys.stdin:
        together.append(line.rstrip("\r\n"))
        if len(together) == limit:
            yield together
            together = []
    if together:
        yield together


def _print_translations(
    translator: Translator, sentences: list[str], decoding: DecodingConfig, options: argparse.Namespace
) -> None:
    for translation in translator.translate(sentences, decoding):
        if options.attention:
            translation = translator.explain(translation)
        if options.json:
            print(json.dumps(translation.to_dict(), ensure_ascii=False), flush=True)
        else:
            print(translation.text, flush=True)


if __name__ == "__main__":
    sys.exit(main())

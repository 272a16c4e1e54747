"""The command line: python -m core train."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Generator, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.output_folder import check_writable
from core.checkpoints.shipped import find_checkpoint
from core.commands.flags import add_flags, check_least
from core.commands.terminal.interrupts import Interrupts
from core.commands.terminal.quiet import import_tensorflow_quietly, progress_bar, say
from core.commands.training_task import Task, forget_training, make_task, training_folder
from core.config import ModelConfig, TrainingConfig
from core.inference.translator import Translator
from core.presets import LARGE_PRESETS, PRESETS
from core.records import StepReport
from core.tokens.base import MAX_TOKENS

if TYPE_CHECKING:
    import tensorflow as tf

    from core.training.loop import TrainingRun

TOKENIZERS = ("word", "subword")
_LEAST = {"validation": 0, "preview": 0, "longest": 1, "save_every": 1, "workers": 1}


def add_train(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command."""
    parser = commands.add_parser("train", help="train on the fifteen pairs, a large corpus or your own")
    parser.set_defaults(command=_train, name="train")
    parser.add_argument(
        "corpus",
        help='"toy", "ted_pt_en", "anki_en_fr" or another that "data" lists; or a CSV, TSV or tab-separated file '
        "with two columns",
    )
    parser.add_argument("--out", type=Path, required=True, help="folder to write the checkpoint to")
    parser.add_argument(
        "--preset",
        choices=[*PRESETS, *LARGE_PRESETS],
        help="what the flags below start from (default: classroom; shipped for large corpora)",
    )
    parser.add_argument(
        "--from",
        dest="start",
        metavar="CHECKPOINT",
        help="continue from this checkpoint's weights, with its shape, its vocabularies and, without --preset, the "
        'training settings it had: a shipped one ("ted_pt_en"), a folder or a zip',
    )
    _add_corpus_flags(parser)
    _add_run_flags(parser)
    for config in (ModelConfig, TrainingConfig):
        add_flags(parser.add_argument_group(config.__name__, "unless given, as in the preset"), config)


def _add_corpus_flags(parser: argparse.ArgumentParser) -> None:
    """What the pairs become."""
    parser.add_argument(
        "--tokenizer",
        choices=TOKENIZERS,
        help="whole words or subwords (default: words for toy and files, subwords for large corpora)",
    )
    parser.add_argument(
        "--vocab-size",
        type=int,
        metavar="N",
        help="entries of a vocabulary of subwords (default: as in the preset)",
    )
    parser.add_argument(
        "--languages",
        nargs=2,
        default=("und", "und"),
        metavar="CODE",
        help='of a file\'s two columns, with subwords: "de en". Their rules write the translations',
    )
    parser.add_argument(
        "--longest",
        type=int,
        default=MAX_TOKENS,
        metavar="N",
        help="with subwords: leave out pairs with more tokens on a side (default: %(default)s)",
    )


def _add_run_flags(parser: argparse.ArgumentParser) -> None:
    """How the training is watched, saved and computed."""
    parser.add_argument(
        "--validation",
        type=int,
        default=2000,
        metavar="N",
        help="pairs, at most, to judge each epoch by: of the validation split, or held out of a file with subwords; "
        "0 judges by the training loss (default: 2000)",
    )
    parser.add_argument(
        "--preview",
        type=int,
        default=3,
        metavar="N",
        help="validation sentences to translate after each epoch (default: 3)",
    )
    parser.add_argument(
        "--save-every",
        type=int,
        default=500,
        metavar="N",
        help="steps that a killed training loses at most; run the same command again to continue (default: 500)",
    )
    parser.add_argument(
        "--mixed-precision",
        action="store_true",
        help="with subwords, on a GPU: matrix products in bfloat16",
    )
    parser.add_argument(
        "--workers",
        type=int,
        default=1,
        metavar="N",
        help="processes on this machine that share each batch; the batches stay as large as they are (default: 1)",
    )


def _train(options: argparse.Namespace) -> int:
    for name, least in _LEAST.items():
        check_least(options, name, least)
    check_writable(options.out)
    start = None if options.start is None else Checkpoint.load(find_checkpoint(options.start))
    if options.workers == 1:
        return _run(make_task(options, start), options, None)
    return _train_together(options, start)


def _train_together(options: argparse.Namespace, start: Checkpoint | None) -> int:
    """Train with several processes; be one of them, or start them."""
    import_tensorflow_quietly()
    from core.cluster.workers import all_workers, is_helper, local_workers

    if is_helper():
        strategy = all_workers()  # before the task, which may compute
        return _help(make_task(options, start), options, strategy)
    with local_workers(options.workers, sys.argv[1:]):
        strategy = all_workers()
        task = make_task(options, start)
        say(f"{strategy.num_replicas_in_sync} workers share each batch.")
        return _run(task, options, strategy)


def _help(task: Task, options: argparse.Namespace, strategy: tf.distribute.Strategy) -> int:
    """Take part in every step of a training that the first process shows and saves."""
    from core.training.fit import STATE_FILE, restore

    run = task.prepared.new_run(task.start.weights if task.start else None, strategy)
    folder = training_folder(options)
    if (folder / STATE_FILE).is_file():
        restore(run, folder)
    for _ in run.steps():
        pass
    return 0


def _run(task: Task, options: argparse.Namespace, strategy: tf.distribute.Strategy | None) -> int:
    import_tensorflow_quietly()
    from core.training.fit import resumable_steps
    from core.training.loop import TrainingDivergedError

    run = task.prepared.new_run(task.start.weights if task.start else None, strategy)
    folder = training_folder(options)
    steps = resumable_steps(run, folder, options.save_every)
    _say_beginning(task, run)
    with Interrupts() as interrupts:
        try:
            interrupted = _run_with_progress(task, run, steps)
        except TrainingDivergedError as error:
            interrupts.ignore()
            if run.best_epoch:
                raise TrainingDivergedError(
                    f"{error} Before that: {_save(run, task, options.out)}"
                ) from error
            raise
        interrupts.ignore()  # what is saved next must not be lost
        saved = _save_unfinished(run, task, options) if interrupted else _save(run, task, options.out)
        print(f"{'Interrupted' if interrupted else 'Trained'} {saved}")
        if interrupted:
            return 130
        forget_training(folder)
        return 0


def _save(run: TrainingRun, task: Task, out: Path) -> str:
    """Write the checkpoint; returns what to say of it."""
    from core.checkpoints.snapshot import snapshot

    snapshot(run, task.prepared, run.seconds, task.name, task.start).save(out)
    best = f", best loss {run.best_loss:.4f} in epoch {run.best_epoch}" if run.best_epoch else ""
    return f"after {run.epochs_done} epochs{best}. Saved to {out}."


def _save_unfinished(run: TrainingRun, task: Task, options: argparse.Namespace) -> str:
    """Save what an interrupted training needs to go on, and its model; returns what to say of it."""
    from core.training.fit import save_state

    if run.state.step == 0:
        return "before the first step. Nothing was written."
    save_state(run, training_folder(options))
    if _may_replace(options.out, run):
        saved = _save(run, task, options.out)
    else:
        saved = f"after {run.epochs_done} epochs. {options.out} keeps the model it had until this one is finished."
    return f"{saved} Run the same command again to continue."


def _may_replace(folder: Path, run: TrainingRun) -> bool:
    """Whether an unfinished training may take the place of what is there: an earlier state of itself, or nothing."""
    if not folder.exists() or not any(folder.iterdir()):
        return True
    there = Checkpoint.load(folder)
    same = (there.config, there.training) == (run.model_config, run.training_config)
    return same and there.metrics.get("steps", 0) <= run.state.step


def _say_beginning(task: Task, run: TrainingRun) -> None:
    """Where it begins, and a warmup that will not end."""
    config = run.training_config
    if config.schedule != "constant" and config.warmup_steps >= run.total_steps:
        say(
            f"The learning rate warms up for {config.warmup_steps:,} steps, and this training has "
            f"{run.total_steps:,}: it never reaches its peak. Give a smaller --warmup-steps, or more --epochs."
        )
    if run.state.step:
        say(f"Continuing after step {run.state.step} of an earlier training.")
    elif task.start is not None and run.validation is not None:
        first = run.validate()
        say(f"Before training: validation loss {first.loss:.4f}, accuracy {first.accuracy:.4f}")


def _run_with_progress(task: Task, run: TrainingRun, steps: Generator[StepReport, None, None]) -> bool:
    """Train to the end with a progress bar; True where Ctrl-C or a termination ended it before."""
    with progress_bar(run.total_steps, "step", run.state.step) as bar, closing(steps):
        try:
            for report in steps:
                bar.update()
                if report.ends_epoch:
                    bar.set_postfix(epoch=report.epoch, loss=f"{report.loss:.4f}", refresh=False)
                    for line in _told_of_epoch(task, run):
                        bar.write(line, file=sys.stderr)
        except KeyboardInterrupt:
            return True
    return False


def _told_of_epoch(task: Task, run: TrainingRun) -> Iterator[str]:
    """Yield the figures on the validation pairs, and what the model makes of a few sentences."""
    if not task.preview and task.prepared.validation is None:
        return
    epoch = run.epochs[-1]
    line = f"epoch {epoch.epoch}: loss {epoch.loss:.4f}, accuracy {epoch.accuracy:.4f}"
    if epoch.validation_loss is not None:
        line += f"; validation loss {epoch.validation_loss:.4f}, accuracy {epoch.validation_accuracy:.4f}"
    yield f"{line}; {epoch.seconds / 60:.1f} minutes"
    tokenizers = (task.prepared.source_tokenizer, task.prepared.target_tokenizer)
    translator = Translator(run.model_config, run.last_weights(), *tokenizers)
    for found in translator.translate([pair.source for pair in task.preview]):
        yield f"    {found.source} → {found.text}"

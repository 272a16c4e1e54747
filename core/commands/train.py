"""The command `train`: train a model and save its checkpoint."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Generator, Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.description import Description
from core.checkpoints.model_file import SUFFIX, check_writable
from core.checkpoints.shipped import file_of, find_checkpoint
from core.commands.flags import Commands, add_command, add_flags, apply_flags, check_minimum
from core.commands.terminal.interrupts import Interrupts
from core.commands.terminal.quiet import import_tensorflow_quietly, print_stderr, progress_bar
from core.commands.training_task import Task, make_task, state_file
from core.config import ModelConfig, TrainingConfig
from core.corpora.delimited import write_pairs
from core.durations import duration
from core.inference.translator import Translator
from core.presets import LARGE_PRESETS, PRESETS
from core.records.training import StepReport, TrainingDivergedError

if TYPE_CHECKING:
    import tensorflow as tf

    from core.training.loop import TrainingRun


_MOST_EVALUATED = 2000  # pairs


def add_train(commands: Commands) -> None:
    """Register the command `train`."""
    parser = add_command(commands, "train", _train)
    parser.add_argument(
        "--preset",
        choices=[*PRESETS, *LARGE_PRESETS],
        help="what the flags below start from (default: by the number of pairs: classroom, from 500 hundreds, above "
        "2,000 thousands; shipped for large corpora)",
    )
    for config in (ModelConfig, TrainingConfig):
        add_flags(parser.add_argument_group(config.__name__, "unless given, as in the preset"), config)
    add_flags(parser, Description)


def _train(options: argparse.Namespace) -> int:
    check_minimum(options, validation=0, preview=0, longest=1, save_every=0, workers=1)
    options.out = file_of(options.out)
    check_writable(options.out)
    start = None if options.start is None else Checkpoint.load(find_checkpoint(options.start))
    if options.workers == 1:
        return _run(make_task(options, start), options, None)
    return _train_together(options, start)


def _train_together(options: argparse.Namespace, start: Checkpoint | None) -> int:
    """Train with several processes: start them, or take part as one of them."""
    import_tensorflow_quietly()
    from core.training.workers import all_workers, is_helper, local_workers

    if is_helper():
        strategy = all_workers()  # before the task, which may compute
        return _run_worker(make_task(options, start), options, strategy)
    with local_workers(options.workers, sys.argv[1:]):
        strategy = all_workers()
        task = make_task(options, start)
        print_stderr(f"{strategy.num_replicas_in_sync} workers share each batch.")
        return _run(task, options, strategy)


def _run_worker(task: Task, options: argparse.Namespace, strategy: tf.distribute.Strategy) -> int:
    """Compute every step of a training run that the first process shows and saves."""
    from core.training.resume import restore

    run = task.prepared.new_run(task.start.weights if task.start else None, strategy)
    file = state_file(options.out)
    if file.is_file():
        restore(run, file)
    for _ in run.steps():
        pass
    return 0


def _run(task: Task, options: argparse.Namespace, strategy: tf.distribute.Strategy | None) -> int:
    import_tensorflow_quietly()
    from core.training.resume import resumable_steps

    run = task.prepared.new_run(task.start.weights if task.start else None, strategy)
    file = state_file(options.out)
    steps = resumable_steps(run, file, options.save_every)
    _model(
        run, task, options
    ).to_bytes()  # a vocabulary that is too large for a file is told before the training
    _print_start(task, run)
    with Interrupts() as interrupts:
        try:
            interrupted = _run_with_progress(task, run, steps)
        except TrainingDivergedError as error:
            interrupts.ignore()
            if run.state.best_epoch:
                raise ArithmeticError(f"{error} Before that: {_save(run, task, options)}") from error
            raise
        interrupts.ignore()  # while saving
        saved = _save_unfinished(run, task, options) if interrupted else _save(run, task, options)
        print(f"{'Interrupted' if interrupted else 'Trained'} {saved}")
        if interrupted:
            return 130
        _print_next(task, options)
        file.unlink(missing_ok=True)
        return 0


def _model(run: TrainingRun, task: Task, options: argparse.Namespace) -> Checkpoint:
    from core.checkpoints.from_training import checkpoint_of

    model = checkpoint_of(run.saved(), task.prepared, task.name, task.start)
    return apply_flags(model, options)


def _save(run: TrainingRun, task: Task, options: argparse.Namespace) -> str:
    """Write the checkpoint and the held-out pairs of a file, and return a message about them."""
    _model(run, task, options).save(options.out)
    if held_out := _held_out_file(task, options):
        held_out.write_text(write_pairs(task.prepared.held_out), encoding="utf-8")
    return f"after {run.epochs_done} epochs{_best_loss(run)}. Saved to {options.out}."


def _best_loss(run: TrainingRun) -> str:
    """Return what the kept epoch's loss is, and one that `evaluate` gives again."""
    state = run.state
    if not state.best_epoch:
        return ""
    if run.is_validated:
        return f", best validation loss {state.best_loss:.4f} in epoch {state.best_epoch}"
    config = run.training_config
    names = {"dropout": run.model_config.dropout_rate, "label smoothing": config.label_smoothing}
    parts = " and ".join(name for name, value in {**names, "R-Drop": config.r_drop}.items() if value)
    with_ = f" with {parts}" if parts else ""
    text = f", best training loss {state.best_loss:.4f}{with_} in epoch {state.best_epoch}"
    if len(run.pairs) > _MOST_EVALUATED:
        return text
    return f"{text}; loss of the saved model on the same pairs {run.evaluate(run.pairs).loss:.4f}"


def _save_unfinished(run: TrainingRun, task: Task, options: argparse.Namespace) -> str:
    """Save the state of an interrupted run, and its model; return a message about them."""
    from core.training.resume import save_state

    if run.state.step == 0:
        return "before the first step. Nothing was written."
    save_state(run, state_file(options.out))
    if _may_replace(options.out, run):
        saved = _save(run, task, options)
    else:
        saved = f"after {run.epochs_done} epochs. {options.out} keeps the model it had until this one is finished."
    return f"{saved} Run the same command again to continue."


def _may_replace(out: Path, run: TrainingRun) -> bool:
    """Return whether an unfinished run may replace a model: an earlier state of the same run."""
    if not out.exists():
        return True
    there = Checkpoint.load(out)
    same = (there.config, there.training) == (run.model_config, run.training_config)
    return same and there.metrics.get("steps", 0) <= run.state.step


def _print_start(task: Task, run: TrainingRun) -> None:
    """Print what training starts with and about how long it takes, and warn of a warmup that is too long."""
    config = run.training_config
    print_stderr(_summary(task, run))
    if config.schedule != "constant" and config.warmup_steps >= run.total_steps:
        print_stderr(
            f"The learning rate warms up for {config.warmup_steps:,} steps, and this training has "
            f"{run.total_steps:,}: it never reaches its peak. Give a smaller --warmup-steps, or more --epochs."
        )
    if run.state.step:
        print_stderr(f"Continuing after step {run.state.step} of an earlier training.")
    elif task.start is not None and task.prepared.validation is not None:
        first = run.validate()
        print_stderr(f"Before training: validation loss {first.loss:.4f}, accuracy {first.accuracy:.4f}")


def _summary(task: Task, run: TrainingRun) -> str:
    """Return in one line how many pairs, words and steps a training has, and about how long it takes."""
    prepared = task.prepared
    training = run.training_config
    parts = [f"{len(prepared.encoded):,} pairs"]
    if prepared.validation is not None:
        parts.append(f"{len(prepared.validation):,} held out")
    if prepared.left_out:
        parts.append(
            f"{prepared.left_out:,} left out as empty or too long "
            "(--longest, --max-source-length, --max-target-length)"
        )
    source, target = prepared.source_tokenizer, prepared.target_tokenizer
    sizes = (f"{len(each.vocabulary):,} {each.kind}s" for each in (source, target))
    vocabularies = f"vocabularies of {' and '.join(sizes)}"
    at_most = "at most " if training.patience is not None else ""
    return (
        f"{', '.join(parts)}; {vocabularies}; {at_most}{run.total_steps:,} steps in "
        f"{training.epochs:,} epochs, about {duration(prepared.estimate_seconds())}."
    )


def _held_out_file(task: Task, options: argparse.Namespace) -> Path | None:
    """Return the file for the held-out pairs of a file; None if there are none."""
    if not task.from_file or not task.prepared.held_out:
        return None
    out: Path = options.out
    return out.with_name(f"{out.stem}.held-out.csv")


def _print_next(task: Task, options: argparse.Namespace) -> None:
    """Print how to use the new model."""
    out = options.out.with_suffix("")
    rows = [("Translate", f'python -m core translate {out} "…"')]
    if held_out := _held_out_file(task, options):
        rows.append(("Evaluate on the held-out pairs", f"python -m core evaluate {out} --corpus {held_out}"))
    rows.append(("In the app", f"open {out}{SUFFIX} on its page Checkpoints"))
    for what, how in rows:
        print_stderr(f"{what}: {how}")


def _run_with_progress(task: Task, run: TrainingRun, steps: Generator[StepReport, None, None]) -> bool:
    """Train with a progress bar, and return whether Ctrl-C or a termination interrupted the run."""
    first = run.state.step
    begin, begun_at = time.perf_counter(), first
    with progress_bar(run.total_steps, "step", first) as bar, closing(steps):
        try:
            for report in steps:
                bar.update()
                if report.step == first + 1:  # which was compiled
                    begin, begun_at = time.perf_counter(), report.step
                if report.ends_epoch:
                    bar.set_postfix(epoch=report.epoch, loss=f"{report.loss:.4f}", refresh=False)
                if report.ends_epoch and report.epoch % task.preview_every == 0:
                    done = max(1, report.step - begun_at)
                    seconds = (time.perf_counter() - begin) / done * (run.total_steps - report.step)
                    for line in _epoch_lines(task, run, seconds):
                        bar.write(line, file=sys.stderr)
        except KeyboardInterrupt:
            return True
    return False


def _epoch_lines(task: Task, run: TrainingRun, seconds_left: float) -> Iterator[str]:
    """Yield lines with an epoch's metrics, the time left, and the translations of the preview sentences."""
    if not task.preview and task.prepared.validation is None:
        return
    epoch = run.state.epochs[-1]
    line = f"epoch {epoch.epoch}: training loss {epoch.loss:.4f}, accuracy {epoch.accuracy:.4f}"
    if epoch.validation_loss is not None:
        line += f"; validation loss {epoch.validation_loss:.4f}, accuracy {epoch.validation_accuracy:.4f}"
    left = f", about {duration(seconds_left)} left" if seconds_left else ""
    yield f"{line}; {timedelta(seconds=round(epoch.seconds))}{left}"
    tokenizers = (task.prepared.source_tokenizer, task.prepared.target_tokenizer)
    translator = Translator(run.model_config, run.last_weights(), *tokenizers)
    for found in translator.translate([pair.source for pair in task.preview]):
        yield f"    {found.source} → {found.text}"

"""One person's training as a job: what it prepares, its steps, and the model that comes of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

from core.classroom.duration import duration
from core.classroom.film import Film, FilmMoment
from core.classroom.jobs.job import Job, Outcome, Progress, Work
from core.classroom.settings import server_settings
from core.classroom.tensorflow_import import load_tensorflow
from core.classroom.trained_model import TrainedModel
from core.config import TrainingConfig
from core.records import AttentionRecord, EpochReport, Pair, StepReport, Translation
from core.training.recipe import Announce, PreparedTraining

if TYPE_CHECKING:
    from core.decoding.translator import Translator
    from core.training.loop import TrainingRun

NUM_PREVIEW_SENTENCES = 5
NUM_PREVIEWS = 25  # in a training, unless they come by the clock


@dataclass(frozen=True)
class Pace:
    """What differs between a training of seconds and one of hours."""

    max_seconds: float  # then it stops by itself; Continue goes on
    preview_seconds: float | None  # between two previews; None spreads NUM_PREVIEWS over the training
    preview_unit: Literal["epoch", "step"]  # in which people read when a preview was
    epochs_more: int  # that a finished training may go on for at a time


def short_pace() -> Pace:
    """Of a training on a few pairs."""
    return Pace(server_settings().max_training_seconds, None, "epoch", 100)


def long_pace() -> Pace:
    """Of a training on a large corpus, of which one epoch is long."""
    return Pace(server_settings().max_large_seconds, 60.0, "step", 1)


@dataclass(frozen=True)
class TrainingPlan:
    """A training that can start."""

    name: str  # of the model it makes
    training: TrainingConfig
    prepare: Callable[[Announce], PreparedTraining]  # called once, in the job's thread
    choose_preview: Callable[[tuple[Pair, ...]], tuple[Pair, ...]]  # of the prepared pairs
    pace: Pace


class Preview(NamedTuple):
    """Translations of the preview sentences with the weights of one moment."""

    moment: int  # epochs or steps done
    texts: tuple[str, ...]


@dataclass(frozen=True)
class TrainingProgress(Progress):
    """How many steps are done, and all that a page draws of them."""

    num_epochs: int = 0
    reports: tuple[StepReport, ...] = ()  # thinned
    epochs: tuple[EpochReport, ...] = ()
    preview_pairs: tuple[Pair, ...] = ()
    previews: tuple[Preview, ...] = ()
    film: tuple[FilmMoment, ...] = ()  # the attention of the preview sentences at some of the previews
    prepared: PreparedTraining | None = None  # None until that is done
    # Once the training rests, with the weights that the model keeps:
    results: tuple[Translation, ...] = ()  # of every pair
    held_out_results: tuple[Translation, ...] = ()  # of every pair held out of a few
    weights_epoch: int = 0  # whose weights these are; 0 before the first has ended
    can_go_on: bool = True


class TrainingWork(Work[TrainingProgress]):
    """Trains one model, and shows what it makes of a few sentences meanwhile.

    Args:
        plan: what to train.
        on_rest: told this work and the model each time the training comes to rest, in the worker thread.
    """

    failure_message = "Training failed on the server. Press Reset and start again."
    expected_errors = (ValueError, ArithmeticError)  # a training may diverge

    def __init__(self, plan: TrainingPlan, on_rest: Callable[[TrainingWork, TrainedModel], None]) -> None:
        self.plan = plan
        self._on_rest = on_rest
        self._run: TrainingRun | None = None
        self._previews: list[Preview] = []
        self._film = Film(server_settings().max_film_bytes)
        self._preview_at = 0.0  # monotonic seconds of the last one
        self._progress = TrainingProgress(num_epochs=plan.training.epochs)

    def progress(self) -> TrainingProgress:
        run = self._run
        if run is None:
            return self._progress
        self._progress = replace(
            self._progress,
            done=run.state.step,
            total=run.total_steps,
            num_epochs=run.training_config.epochs,
            reports=run.log.reports,
            epochs=tuple(run.epochs),
            previews=tuple(self._previews),
            film=self._film.moments,
        )
        return self._progress

    def steps(self, report: Announce) -> Generator[None]:
        report("Preparing: loading TensorFlow and compiling the training step. A few seconds, once.")
        load_tensorflow()
        run = self._run or self._begin(report)
        self._progress = replace(self._progress, results=(), held_out_results=())  # of a rest before
        if run.log.last is None:
            self._preview(run)  # what it says before it has learnt anything
        for step in run.steps():
            if self._is_time_for_preview(run, step):
                self._preview(run)
            yield

    def finish(self) -> Outcome:
        run = self._run
        assert run is not None
        model = self._make_model(run)
        message = ""
        if run.out_of_patience:
            message = f"Stopped early (patience): no better validation loss for {run.training_config.patience} epochs."
        return Outcome(run.finished, message, after_turn=model.translator.warm_up)

    def rescue(self, message: str) -> str:
        """After a divergence: the model of the best epoch before it, if there was one."""
        run = self._run
        if run is None or not run.best_epoch:
            return message
        self._make_model(run)
        return f"{message} The model kept is that of epoch {run.best_epoch}."

    def forget(self) -> str:
        """The model is kept; what goes is large where the model is."""
        if self._run is None:
            return ""
        self._progress = replace(self.progress(), can_go_on=False)
        self._run = None
        return (
            "Other people's training runs needed the memory, so this one cannot continue. Its model is kept."
        )

    def time_limit_message(self, seconds: float) -> str:
        return f"Stopped after {duration(seconds)}, to let others train. Press Continue to resume."

    def train_longer(self, epochs: int) -> None:
        """Give a training at rest a new goal: this many epochs beyond those done.

        Raises:
            ConfigError: that is more epochs than a training may have.
        """
        if self._run is not None:
            self._run.train_longer(epochs)

    def _begin(self, report: Announce) -> TrainingRun:
        prepared = self.plan.prepare(report)
        report("Compiling the training step. A few seconds, once.")
        self._run = prepared.new_run()
        pairs = self.plan.choose_preview(prepared.pairs)
        self._progress = replace(self._progress, prepared=prepared, preview_pairs=pairs)
        return self._run

    def _is_time_for_preview(self, run: TrainingRun, report: StepReport) -> bool:
        if self.plan.pace.preview_seconds is None:
            return report.step % max(1, run.total_steps // NUM_PREVIEWS) == 0
        return time.monotonic() - self._preview_at >= self.plan.pace.preview_seconds

    def _preview(self, run: TrainingRun) -> None:
        """Translate the preview sentences with the weights as they are."""
        from core.decoding.translator import Translator

        prepared = self._progress.prepared
        assert prepared is not None
        translator = Translator(
            run.model_config, run.last_weights(), prepared.source_tokenizer, prepared.target_tokenizer
        )
        found = translator.translate([pair.source for pair in self._progress.preview_pairs])
        moment = run.epochs_done if self.plan.pace.preview_unit == "epoch" else run.state.step
        self._previews.append(Preview(moment, tuple(translation.text for translation in found)))
        self._film.add(FilmMoment(moment, self._attention(translator)))
        self._preview_at = time.monotonic()

    def _attention(self, translator: Translator) -> tuple[AttentionRecord, ...]:
        """Of the preview sentences; none where they are too long to be kept."""
        from core.decoding.translator import TranslationError
        from core.interpretability.attention.forced_attention import forced_attention

        try:
            return forced_attention(translator, self._progress.preview_pairs)
        except TranslationError:
            return ()

    def _make_model(self, run: TrainingRun) -> TrainedModel:
        """Hand over the model and translate every pair with it."""
        from core.storage.snapshot import snapshot

        prepared = self._progress.prepared
        assert prepared is not None
        model = TrainedModel(self.plan.name, snapshot(run, prepared, run.seconds))
        # Of a large corpus, Evaluate translates what is held out.
        few = len(prepared.encoded) == len(prepared.pairs)
        self._progress = replace(
            self._progress,
            results=_translated(model, prepared.pairs),
            held_out_results=_translated(model, prepared.held_out) if few else (),
            weights_epoch=run.best_epoch,
        )
        self._on_rest(self, model)  # before anybody sees that it rests
        return model


def _translated(model: TrainedModel, pairs: tuple[Pair, ...]) -> tuple[Translation, ...]:
    return tuple(model.translator.translate([pair.source for pair in pairs])) if pairs else ()


TrainingJob = Job[TrainingWork, TrainingProgress]

"""The classroom training as the app runs it, against compile + fit of the same architecture.

    python -m tests.benchmarks.live_training

TensorFlow is imported before the clock starts. The app's side is the whole job: queue, thread, model,
compiling, 200 epochs, 25 previews of five sentences, the translation of every pair. Exits with 1 where a
figure the project promises is missed.
"""

from __future__ import annotations

import statistics
import sys
import time

from core.classroom.jobs.job import Status
from core.classroom.jobs.queue import JobQueue
from core.classroom.jobs.training_job import TrainingJob, TrainingPlan, TrainingWork
from core.classroom.tensorflow_import import load_tensorflow
from core.classroom.trained_model import TrainedModel
from core.corpora.toy import PAIRS
from core.presets import CLASSROOM
from core.training.batches import EncodedPairs
from core.training.recipe import PreparedTraining, prepare_word_training

FIRST_SECONDS, SECOND_SECONDS, RATIO, GREEDY_MS = 10.0, 4.0, 3.0, 10.0


def train_as_the_app_does(prepared: PreparedTraining) -> tuple[float, TrainedModel, float]:
    """Seconds from Start to the end of the training, the model, and its last loss."""
    made: list[TrainedModel] = []
    plan = TrainingPlan("bench", prepared)
    job = TrainingJob(TrainingWork(plan, lambda _, model: made.append(model)), JobQueue(2, 10), 600)
    begin = time.perf_counter()
    job.start()
    while not (view := job.view()).progress.results:
        time.sleep(0.02)
    seconds = time.perf_counter() - begin
    assert view.status is Status.FINISHED, view
    job.wait()
    return seconds, made[0], view.progress.reports[-1].loss


def train_with_fit(prepared: PreparedTraining) -> tuple[float, float]:
    """Seconds of model.compile + model.fit for the same pairs, batches and epochs; and the last loss."""
    import keras

    from tests.benchmarks.stock_keras import masked_loss, stock_transformer

    keras.utils.set_random_seed(prepared.training.seed)
    model, training, encoded = prepared.model, prepared.training, prepared.encoded
    assert isinstance(encoded, EncodedPairs)
    source, target = encoded.source, encoded.target
    begin = time.perf_counter()
    stock = stock_transformer(model, source.shape[1], target.shape[1] - 1)
    stock.compile(optimizer=keras.optimizers.Adam(training.learning_rate), loss=masked_loss)
    history = stock.fit(
        [source, target[:, :-1]],
        target[:, 1:],
        batch_size=training.batch_size,
        epochs=training.epochs,
        verbose=0,
    )
    return time.perf_counter() - begin, history.history["loss"][-1]


def greedy_milliseconds(trained: TrainedModel, times: int = 50) -> float:
    """Median time of one greedy translation of a classroom sentence."""
    sentence = ["je ne comprends pas"]
    measured = []
    for _ in range(times):
        begin = time.perf_counter()
        trained.translator.translate(sentence)
        measured.append(1000 * (time.perf_counter() - begin))
    return statistics.median(measured)


def main() -> int:
    load_tensorflow()
    prepared = prepare_word_training(PAIRS, CLASSROOM.model, CLASSROOM.training)
    first, _, first_loss = train_as_the_app_does(prepared)
    second, trained, _ = train_as_the_app_does(prepared)
    greedy = greedy_milliseconds(trained)
    fit, fit_loss = train_with_fit(prepared)
    print(f"live training, first time      {first:6.2f} s   last loss {first_loss:.4f}")
    print(f"live training, second time     {second:6.2f} s")
    print(f"stock Keras, compile + fit     {fit:6.2f} s   last loss {fit_loss:.4f}")
    print(f"fit / live, first time         {fit / first:6.1f} x   (at least {RATIO:g})")
    print(f"fit / live, second time        {fit / second:6.1f} x")
    print(f"one greedy translation, median {greedy:6.2f} ms")
    kept = first <= FIRST_SECONDS and second <= SECOND_SECONDS and fit / first >= RATIO and greedy < GREEDY_MS
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())

"""The classroom training as the app runs it, against compile + fit of the same architecture.

    python -m tests.benchmarks.toy_training

TensorFlow is imported before the clock starts. The app's side is the whole job: queue, trainer process, compiling, 200
epochs, previews, the translation of every pair. Exits with 1 where it misses a target.
"""

from __future__ import annotations

import sys
import time

from core.corpora.toy import PAIRS
from core.presets import CLASSROOM
from core.server.jobs import Status
from core.server.training_job import TrainingJob, TrainingPlan, TrainingWork
from core.training.batches import EncodedPairs
from core.training.recipe import PreparedTraining, prepare_word_training

FIRST_RATIO, SECOND_RATIO = 3.0, 8.0  # at least: stock Keras's time over ours


def train_as_the_app_does(prepared: PreparedTraining) -> float:
    """Return the seconds from Start to the end of the job."""
    work = TrainingWork(TrainingPlan("bench", prepared), lambda *_: None)
    job = TrainingJob(work, 600)
    begin = time.perf_counter()
    job.start()
    job.wait()
    assert job.state().status is Status.FINISHED, job.state()
    return time.perf_counter() - begin


def train_with_fit(prepared: PreparedTraining) -> float:
    """Return the seconds of model.compile + model.fit for the same pairs, batches and epochs."""
    import keras

    from tests.benchmarks.tutorial import Tutorial, masked_loss

    model, training, encoded = prepared.model, prepared.training, prepared.encoded
    assert isinstance(encoded, EncodedPairs)
    source, target = encoded.source, encoded.target
    begin = time.perf_counter()
    stock = Tutorial(model, key_dim=model.head_dim)
    stock.compile(optimizer=keras.optimizers.Adam(training.learning_rate), loss=masked_loss)
    stock.fit(
        (source, target[:, :-1]),
        target[:, 1:],
        batch_size=training.batch_size,
        epochs=training.epochs,
        verbose=0,
    )
    return time.perf_counter() - begin


def main() -> int:
    one_layer = CLASSROOM.model.replace(num_layers=1)
    train_as_the_app_does(prepare_word_training(PAIRS, one_layer, CLASSROOM.training.replace(epochs=1)))
    prepared = prepare_word_training(PAIRS, CLASSROOM.model, CLASSROOM.training)
    first, second = train_as_the_app_does(prepared), train_as_the_app_does(prepared)
    fit = train_with_fit(prepared)
    print(f"ours {first:.2f} s, then {second:.2f} s; stock Keras {fit:.2f} s")
    print(f"Keras / ours, first time {fit / first:.1f} (at least {FIRST_RATIO:g})")
    print(f"Keras / ours, second time {fit / second:.1f} (at least {SECOND_RATIO:g})")
    return int(fit / first < FIRST_RATIO or fit / second < SECOND_RATIO)


if __name__ == "__main__":
    sys.exit(main())

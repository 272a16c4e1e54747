"""The classroom training as the app runs it.

    python -m tests.benchmarks.toy_training

TensorFlow is imported before the clock starts. The measure is the whole job: queue, trainer process, compiling, 200
epochs, previews, the translation of every pair. Exits with 1 where it misses a target.
"""

import sys
import time

from core.corpora.toy import PAIRS
from core.presets import CLASSROOM
from core.server.jobs import Status
from core.server.training_job import TrainingJob, TrainingPlan, TrainingWork
from core.training.recipe import PreparedTraining, prepare_training

FIRST_SECONDS, SECOND_SECONDS = 7.0, 4.0  # at most


def train_as_the_app_does(prepared: PreparedTraining) -> float:
    """Return the seconds from Start to the end of the job."""
    work = TrainingWork(TrainingPlan("bench", prepared), lambda *_: None)
    job = TrainingJob(work, 600)
    begin = time.perf_counter()
    job.start()
    job.wait()
    assert job.state().status is Status.FINISHED, job.state()
    return time.perf_counter() - begin


def main() -> int:
    one_layer = CLASSROOM.model.replace(num_layers=1)
    train_as_the_app_does(prepare_training(PAIRS, one_layer, CLASSROOM.training.replace(epochs=1)))
    prepared = prepare_training(PAIRS, CLASSROOM.model, CLASSROOM.training)
    first, second = train_as_the_app_does(prepared), train_as_the_app_does(prepared)
    print(
        f"the first time {first:.1f} s (at most {FIRST_SECONDS:g}), then {second:.1f} s ({SECOND_SECONDS:g})"
    )
    return int(first > FIRST_SECONDS or second > SECOND_SECONDS)


if __name__ == "__main__":
    sys.exit(main())

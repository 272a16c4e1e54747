"""Does a server stay under its memory ceiling, whatever its visitors train and open?

    python -m tests.benchmarks.memory_ceiling                     # 60 trainings, 20 opened models
    python -m tests.benchmarks.memory_ceiling --trainings 6 --opened 2

In one process, through the jobs that the app uses: distinct configurations trained one after another, each by a
visitor who then closes the tab, then checkpoints opened and translated with. Prints the memory after each, and how fast
a shipped model translates before and after. Exits with 1 above the ceiling, where something was refused, or where the
shipped model has become slower than MAX_SLOWER. Times mean nothing where other programs run; the ratio nearly does.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.shipped import FIRST, shipped_checkpoints
from core.classroom.jobs.queue import JobQueue
from core.classroom.jobs.training_job import TrainingPlan
from core.classroom.memory import ceiling, make_room, used_megabytes, when_short
from core.classroom.settings import OPEN_LIMITS, PREFIX, server_settings
from core.classroom.shipped_models import open_shipped
from core.classroom.tensorflow_import import load_tensorflow
from core.classroom.trained_model import TrainedModel
from core.classroom.workspace_store import WorkspaceStore
from core.config import ModelConfig, TrainingConfig
from core.corpora.toy import PAIRS
from core.training.recipe import prepare_word_training
from tests.benchmarks.server_memory import resident_megabytes

MAX_SLOWER = 1.5
SENTENCES = 20  # that a speed is the median of
EPOCHS = 20


def model_number(number: int) -> ModelConfig:
    """Another configuration for each number: 1 to 4 layers, and a width of the feed-forward that nobody else has."""
    return ModelConfig(38, 35, num_layers=1 + number % 4, d_model=64, num_heads=4, d_ff=64 + 8 * number)


def plan_number(number: int) -> TrainingPlan:
    """A short training of that model."""
    prepared = prepare_word_training(PAIRS, model_number(number), TrainingConfig(epochs=EPOCHS))
    return TrainingPlan(f"Model {number}", prepared)


def train(number: int, queue: JobQueue, store: WorkspaceStore) -> TrainedModel:
    """One visitor's training, translation and explanation; then the tab is closed."""
    workspace = store.create("gone")
    job = workspace.start_training(plan_number(number), queue)
    assert job is not None
    job.wait()
    assert workspace.trained is not None, job.view().message
    use(workspace.trained)
    return workspace.trained


def use(model: TrainedModel) -> None:
    """Translate a pair and look at its attention."""
    translator = model.translator
    translator.explain(translator.translate([PAIRS[0].source])[0])


def open_again(downloaded: Path) -> TrainedModel:
    """What a visitor does with a checkpoint that was downloaded."""
    make_room()
    model = TrainedModel("opened", Checkpoint.from_zip(downloaded.read_bytes(), OPEN_LIMITS))
    use(model)
    return model


def seconds_a_sentence(model: TrainedModel) -> float:
    """Median time of the shipped model's first example."""
    sentence = model.checkpoint.examples[0].source
    times = []
    for _ in range(SENTENCES):
        begin = time.perf_counter()
        model.translator.translate([sentence])
        times.append(time.perf_counter() - begin)
    return median(times)


def start_server() -> TrainedModel:
    """What the app does when it starts; gives the model that it shows first."""
    load_tensorflow()
    models = {name: open_shipped(name, folder) for name, folder in shipped_checkpoints().items()}
    shipped = models[FIRST]
    assert shipped is not None
    return shipped


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--trainings", type=int, default=60)
    parser.add_argument("--opened", type=int, default=20)
    parser.add_argument(
        "--megabytes", type=int, default=800, help="the ceiling; 800 is that of a container of 1 GB"
    )
    options = parser.parse_args()
    os.environ[f"{PREFIX}MAX_MEMORY"] = str(options.megabytes)
    shipped = start_server()
    before = seconds_a_sentence(shipped)
    limit, most = ceiling(), 0.0

    def note(what: str) -> None:
        nonlocal most
        most = max(most, used_megabytes())
        print(
            f"{what}: {used_megabytes():.0f} MB of {limit} ({resident_megabytes():.0f} resident)",
            flush=True,
        )

    note("start")
    queue = JobQueue(1, 1)
    store = WorkspaceStore(server_settings().max_workspaces, lambda session: False)
    when_short(store.forget_gone)
    opened = []
    with tempfile.TemporaryDirectory() as visitors_disk:
        zips = [Path(visitors_disk) / f"{number}.zip" for number in range(options.trainings)]
        for number, path in enumerate(zips):
            path.write_bytes(train(number, queue, store).to_zip())
            note(f"training {number + 1}")
        for number in range(options.opened):
            opened.append(open_again(zips[number % len(zips)]))
            note(f"opened {number + 1}")
    after = seconds_a_sentence(shipped)
    print(f"most: {most:.0f} MB (at most {limit})")
    print(f"a shipped model's sentence: {1000 * before:.1f} ms before, {1000 * after:.1f} after, "
          f"{after / before:.2f} × (at most {MAX_SLOWER})")  # fmt: skip
    return 0 if most <= limit and after <= MAX_SLOWER * before else 1


if __name__ == "__main__":
    sys.exit(main())

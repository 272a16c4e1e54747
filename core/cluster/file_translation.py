"""Translating a file of millions of lines on all cores of a cluster, with Ray Data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import ray
from ray.exceptions import RayError

from core.checkpoints.checkpoint import Checkpoint
from core.cluster.connection import start_cluster, worker_environment
from core.config import DecodingConfig
from core.errors import InputError
from core.inference.texts import TextRun
from core.resumable_file import FileTask, LinePart

_MAX_BLOCKS = 2000  # per data set; more parts share blocks


def translate_missing(
    checkpoint: Path, task: FileTask, decoding: DecodingConfig, address: str | None = None
) -> Iterator[int]:
    """Translate the missing parts of a file, and yield the number of lines of each part when it is done.

    Every machine of the cluster must see the checkpoint, the file and its parts.

    Raises:
        InputError: a worker failed.
    """
    if not task.missing():
        return
    start_cluster(address)
    try:
        yield from _translate_parts(checkpoint, task, decoding)
    except RayError as error:
        reason = getattr(error, "cause", None) or error
        raise InputError(
            f"A worker failed: {reason!s:.300} Run the same command again to continue."
        ) from error


def _translate_parts(checkpoint: Path, task: FileTask, decoding: DecodingConfig) -> Iterator[int]:
    ray.data.DataContext.get_current().enable_progress_bars = False
    missing = task.missing()
    everywhere = replace(task, source=task.source.resolve(), out=task.out.resolve())
    workers = max(1, min(len(missing), int(ray.cluster_resources().get("CPU", 1))))
    parts = ray.data.from_items(
        [asdict(part) for part in missing], override_num_blocks=min(len(missing), _MAX_BLOCKS)
    )
    done = parts.map(
        _PartTranslator,
        fn_constructor_args=(checkpoint.resolve(), everywhere, decoding),
        compute=ray.data.ActorPoolStrategy(size=workers),
        num_cpus=1,
        runtime_env=worker_environment(1),
    )
    for row in done.iter_rows():
        yield int(row["lines"])


class _PartTranslator:
    """A worker process with the model, which translates a part and writes it at each call."""

    def __init__(self, checkpoint: Path, task: FileTask, decoding: DecodingConfig) -> None:
        self._translator = Checkpoint.load(checkpoint).translator()
        self._task = task
        self._decoding = decoding

    def __call__(self, row: dict[str, Any]) -> dict[str, Any]:
        part = LinePart(**{name: int(value) for name, value in row.items()})
        lines = self._task.read(part)
        found = TextRun(self._translator, lines, self._decoding, keep_problems=True).finish()
        self._task.write(part, [each.text for each in found], sum(bool(each.problem) for each in found))
        return {"lines": part.lines}

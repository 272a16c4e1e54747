"""metrics.json and epochs.csv: what is known of a checkpoint's training."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import astuple, fields

from core.checkpoints.format import EPOCHS, METRICS, CheckpointError
from core.checkpoints.text_files import is_number, read_json
from core.records import EpochReport

_COLUMNS = tuple(column.name for column in fields(EpochReport))
_REQUIRED_REALS = 4  # loss, accuracy, learning rate, seconds; the others may be empty


def read_metrics(data: bytes) -> dict[str, float]:
    """Numbers about the training, by name.

    Raises:
        CheckpointError: the file is damaged, or a value is not a finite number.
    """
    metrics = read_json(data, METRICS)
    if bad := [name for name, value in metrics.items() if not is_number(value)]:
        raise CheckpointError(f"{METRICS}: {bad[0]!r:.80} must be a number.")
    return metrics


def read_epochs(data: bytes) -> tuple[EpochReport, ...]:
    """The reports of all epochs.

    Raises:
        CheckpointError: the file is not a table of finite numbers with our columns.
    """
    try:
        rows = list(csv.reader(io.StringIO(data.decode("utf-8"), newline="")))
        if rows and tuple(rows[0]) != _COLUMNS:
            raise ValueError("its columns")
        return tuple(_read_epoch(row) for row in rows[1:])
    except (ValueError, csv.Error) as error:
        raise CheckpointError(
            f"{EPOCHS} must be a table of numbers with the columns {', '.join(_COLUMNS)}."
        ) from error


def write_epochs(epochs: Sequence[EpochReport]) -> bytes:
    """The reverse of `read_epochs`: one row an epoch."""
    text = io.StringIO(newline="")
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(_COLUMNS)
    rows.writerows(astuple(epoch) for epoch in epochs)
    return text.getvalue().encode()


def _read_epoch(row: Sequence[str]) -> EpochReport:
    """Raises ValueError where a cell is not a finite number, or there are too few or too many."""
    whole, real = [int(cell) for cell in row[:2]], [float(cell) if cell else None for cell in row[2:]]
    numbers = [value for value in (*whole, *real) if value is not None]
    if len(row) != len(_COLUMNS) or not all(map(is_number, numbers)):
        raise ValueError("a cell")
    if None in real[:_REQUIRED_REALS]:
        raise ValueError("an empty cell")
    return EpochReport(*whole, *real)

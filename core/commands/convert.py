"""The command `convert`: make a model file of the seven files in a folder that earlier versions wrote."""

import argparse
import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.numpy

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.description import MAX_EPOCHS, Description
from core.checkpoints.limits import CheckpointError
from core.checkpoints.model_file import check_writable
from core.checkpoints.shipped import file_of
from core.described import read
from core.records.training import thinned
from core.tokens.sentences import needs_full_stop

_RETIRED_SETTINGS = (
    "subword_dropout",
    "careless_typing",
    "ema_decay",
)  # of trainings; none has them any more
_WHOLE = ("epoch", "step")  # columns of epochs.csv with whole numbers


def convert(options: argparse.Namespace) -> int:
    """Write the file of an earlier version's model; return the exit code."""
    out = file_of(options.new)
    check_writable(out)
    if not options.old.is_dir():
        raise CheckpointError(f"{options.old} is no folder. Unzip a zip first.")
    try:
        model = _read_folder(options.old)
        Checkpoint.from_bytes(model.to_bytes())  # its weights fit
    except (OSError, ValueError, KeyError, TypeError, safetensors.SafetensorError) as error:
        raise CheckpointError(f"{options.old} has no model of an earlier version: {error}") from error
    model.save(out)
    print(f"Converted to {out}.")
    return 0


def _read_folder(folder: Path) -> Checkpoint:
    config = json.loads(_text(folder / "config.json"))
    training = config.get("training")
    metrics = folder / "metrics.json"
    card = folder / "README.md"
    values = {
        "config": config["model"],
        "source_tokenizer": _tokenizer(folder, config, "source"),
        "target_tokenizer": _tokenizer(folder, config, "target"),
        "name": config.get("name", ""),
        "training": training and {name: training[name] for name in training.keys() - set(_RETIRED_SETTINGS)},
        "needs_full_stop": bool(config.get("needs_stop")),
        "examples": [{"source": source, "target": target} for source, target in config.get("examples", [])],
        "metrics": json.loads(_text(metrics)) if metrics.exists() else {},
        "epochs": _epochs(folder / "epochs.csv"),
        "card": _text(card) if card.exists() else "",
    }
    weights = safetensors.numpy.load_file(folder / "weights.safetensors")
    model = Checkpoint(
        **vars(read(Description, values)),
        weights=weights,
        half_precision=all(array.dtype == np.float16 for array in weights.values()),
    )
    if "needs_stop" in config:
        return model
    examples = (pair.source for pair in model.examples)
    return replace(model, needs_full_stop=needs_full_stop(examples, model.source_tokenizer))


def _tokenizer(folder: Path, config: dict[str, Any], side: str) -> dict[str, Any]:
    vocabulary = _text(folder / f"{side}_vocabulary.txt").removesuffix("\n").split("\n")
    settings = config.get(f"{side}_tokenizer", {}) if config["tokenizer"] == "subword" else None
    return {"vocabulary": vocabulary, "subwords": settings}


def _epochs(file: Path) -> list[dict[str, int | float]]:
    if not file.exists():
        return []
    with file.open(encoding="utf-8", newline="") as opened:
        rows = thinned(list(csv.DictReader(opened)), MAX_EPOCHS)
    return [
        {name: int(cell) if name in _WHOLE else float(cell) for name, cell in row.items() if cell}
        for row in rows
    ]


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")

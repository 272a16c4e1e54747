"""A small checkpoint, and the zip of some files."""

import io
import zipfile
from collections.abc import Mapping
from typing import Any

from core.checkpoints.checkpoint import Checkpoint
from core.config import ModelConfig, TrainingConfig
from core.records.text import Pair
from core.records.training import EpochReport
from core.tokens.vocabulary import Vocabulary
from core.tokens.word import WordTokenizer
from tests.conftest import TINY, random_weights


def small(config: ModelConfig = TINY, **changes: Any) -> Checkpoint:
    words = [f"w{n}" for n in range(20)]
    values = {
        "config": config,
        "weights": random_weights(config),
        "source_tokenizer": WordTokenizer(Vocabulary.from_tokens(words[:9], start_and_end=False)),
        "target_tokenizer": WordTokenizer(Vocabulary.from_tokens(words[:5], start_and_end=True)),
        "training": TrainingConfig(epochs=3),
        "metrics": {"best_epoch_loss": 0.25, "epochs": 3},
        "epochs": (
            EpochReport(1, 4, 2.5, 0.125, 1e-3, 0.1),
            EpochReport(2, 8, 1 / 3, 0.5, 1e-3, 0.2, validation_loss=0.75, validation_accuracy=0.25),
        ),
        "name": 'Où "w"',
        "card": "# Mine\n\nLicence: é\n",
        "examples": (Pair("où w1", "w2"),),
    }
    return Checkpoint(**{**values, **changes})


def zipped(files: Mapping[str, bytes | str], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()

"""A small checkpoint, and files that say something else than it."""

import json
from collections.abc import Mapping
from typing import Any

from core.checkpoints.checkpoint import Checkpoint
from core.config import ModelConfig, TrainingConfig
from core.records.text import Pair
from core.records.training import EpochReport
from core.tokens.vocabulary import Vocabulary
from core.tokens.word import WordTokenizer
from tests.conftest import TINY, random_weights

KEY = "transformer_classroom"
GONE = object()  # instead of a value: the name is left out


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


def parts(data: bytes) -> tuple[dict[str, Any], dict[str, Any], bytes]:
    """What a file says of its model, where its weights are by name, and their bytes."""
    end = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:end])
    return json.loads(header.pop("__metadata__")[KEY]), header, data[end:]


def joined(about: Mapping[str, Any] | str, header: Mapping[str, Any], weights: bytes) -> bytes:
    """The file of these parts."""
    text = about if isinstance(about, str) else json.dumps(about)
    return framed(json.dumps({"__metadata__": {KEY: text}, **header}), weights)


def framed(header: str, weights: bytes = b"") -> bytes:
    written = header.encode("utf-8", "surrogatepass")
    return len(written).to_bytes(8, "little") + written + weights


def saying(data: bytes, **changes: Any) -> bytes:
    """A file that says something else of its model."""
    about, header, weights = parts(data)
    changed = {name: value for name, value in {**about, **changes}.items() if value is not GONE}
    return joined(changed, header, weights)

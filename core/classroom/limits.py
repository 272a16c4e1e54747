"""What one person may ask of a server that many people share."""

import os

from core.storage.open_limits import MAX_EXAMPLE_CHARACTERS, OpenLimits
from core.tokens.vocabulary import MAX_TOKEN_CHARACTERS

MAX_PAIRS = 200  # in a classroom training
MAX_PAIRS_BYTES = 1024 * 1024  # of an uploaded file of pairs
MAX_PARAMETERS = 2_000_000  # of a model trained in the app; a tab keeps about 30 bytes for each
MAX_LARGE_PARAMETERS = 10_000_000  # of one trained on a large corpus
MAX_LARGE_SECONDS = 4 * 3600.0  # then such a training stops by itself; Continue goes on
MAX_LARGE_WAITING = 3
MAX_LARGE_KEPT = 2  # trainings on large corpora that a server can continue; each takes some 300 MB
MAX_MODELS = 5  # trained or opened that a tab keeps
MAX_KEPT_PARAMETERS = 40_000_000  # of all of them; beyond either, the oldest goes
MAX_LAYERS = 6
MAX_HEADS = 8
MAX_D_MODEL = 256
MAX_D_FF = 1024
MAX_EPOCHS = 2000
MAX_BATCH_SIZE = 64
MAX_LENGTH = 64  # tokens of a sentence
MAX_TEXT = 20_000  # characters in a text box
MAX_LINES = 500  # texts translated at once
MAX_CHARACTERS_TIMES_BEAMS = 40_000  # of what is translated at once; 5,000 characters with 8 beams
MAX_TRANSLATIONS = 2  # at a time; each keeps more than one core busy
MAX_TRANSLATION_SECONDS = 120.0  # of its own work, then a translation stops by itself; Continue goes on
MAX_AWAY_SECONDS = 5.0  # that a tab may be gone (a reload takes some) before its translation stops
MAX_RUN_SECONDS = 600.0  # then a training stops by itself; Continue goes on
MAX_EVALUATED = 2000  # pairs in one evaluation
MAX_EVALUATION_SECONDS = 1800.0  # then it ends with what is done
MAX_WAITING = 60  # jobs in a queue
MAX_WORKSPACES = 100  # browser tabs remembered
WORKSPACE_SECONDS = 6 * 3600.0  # how long a tab that is gone is remembered
OPEN_LIMITS = OpenLimits(  # on a checkpoint opened from a file; units beside the fields of OpenLimits
    max_text_bytes=1024 * 1024,
    max_layers=12,
    max_heads=16,
    max_d_model=1024,
    max_d_ff=4096,
    max_vocabulary=64_000,
    max_length=512,
    max_parameters=30_000_000,
    max_batch_bytes=1024**3,
    max_token=MAX_TOKEN_CHARACTERS,
    max_examples=20,
    max_example=MAX_EXAMPLE_CHARACTERS,
)


def max_runs() -> int:
    """Trainings at a time on this server: TRANSFORMER_CLASSROOM_MAX_RUNS, or 2."""
    value = os.environ.get("TRANSFORMER_CLASSROOM_MAX_RUNS", "2")
    if not value.isdecimal() or int(value) < 1:
        raise ValueError(f"TRANSFORMER_CLASSROOM_MAX_RUNS must be a whole number from 1. Received: {value!r}")
    return int(value)

"""A checkpoint as a TensorFlow SavedModel, text in and text out."""

from __future__ import annotations

import threading
from pathlib import Path

import tensorflow as tf

from core.config import DecodingConfig
from core.decoding.batches import MAX_BATCH
from core.decoding.in_graph import TranslatorInGraph
from core.storage.checkpoint import Checkpoint
from core.storage.format import CARD, CheckpointError
from core.storage.output_folder import check_writable, names_in, replaced_folder

BEAM = DecodingConfig(beam_size=4)

_ABOUT_STOPS = """
This model is at its best with sentences that end in punctuation. A text without is read with a full stop, which its
translation leaves out; the tokens have it.
"""
_FILES = {"saved_model.pb", "fingerprint.pb", "variables", "assets", CARD}
# One export's graphs in memory at a time; `bound` lets only one thread trace anyway.
_exporting = threading.Lock()


def export_saved_model(checkpoint: Checkpoint, folder: Path) -> None:
    """Write a TensorFlow SavedModel that translates text without this project's code.

    It needs tensorflow and tensorflow-text alone, takes any number of texts, and gives what
    `Checkpoint.translator` gives. Its signatures are those of `TranslatorInGraph`: "serving_default" (greedy),
    "beam" and "attention"; README.md in the folder says how to use them.

    Args:
        checkpoint: what to export.
        folder: new, empty or a SavedModel, which is replaced. Written whole or not at all.

    Raises:
        CheckpointError: `folder` is something else, or cannot be written.
        ValueError: a tokenizer is of a kind that has no graph.
    """
    check_saved_model_writable(folder)
    with _exporting, replaced_folder(folder) as fresh:
        module = TranslatorInGraph(checkpoint.translator())
        signatures = {
            "serving_default": module.signature(module.greedy),
            "beam": module.signature(lambda texts: module.beam(texts, BEAM)),
            "attention": module.signature(module.attention),
        }
        try:
            tf.saved_model.save(module, str(fresh), signatures)
        except tf.errors.OpError as error:  # a full disk, for one
            raise CheckpointError(f"Cannot write {folder}: {error.message:.200}.") from error
        (fresh / CARD).write_text(_readme(checkpoint), encoding="utf-8")


def check_saved_model_writable(folder: Path) -> None:
    """Whether a SavedModel may be written there.

    Raises:
        CheckpointError: the path is a file or below one, a folder with other things in it, which exporting
            would replace, or nothing may be written there.
    """
    check_writable(folder, "SavedModel", _is_saved_model)


def _is_saved_model(folder: Path) -> bool:
    return "saved_model.pb" in names_in(folder) <= _FILES


def _readme(checkpoint: Checkpoint) -> str:
    name = checkpoint.name or "A translation model"
    example = checkpoint.examples[0].source if checkpoint.examples else "…"
    own = f"""# {name}: a TensorFlow SavedModel

Text in, translation out. TensorFlow {tf.__version__} made it, with Transformer Classroom; it needs `tensorflow` and
`tensorflow-text`, of this version or newer, and none of that project's code.

    import tensorflow as tf
    import tensorflow_text  # the tokenizer's operations

    model = tf.saved_model.load("FOLDER")
    translate = model.signatures["serving_default"]
    texts = tf.constant([{example!r}])
    print(translate(text=texts)["translation"].numpy()[0].decode())

For TensorFlow Serving, put the files into a folder named by a number, as MODEL/1, give MODEL as the model's base
path, and ask for a translation:

    curl http://localhost:8501/v1/models/NAME:predict -d '{{"instances": ["…"]}}'

Every signature takes `text`, strings of any number B, one sentence each.

| signature | what it does | outputs |
|---|---|---|
| `serving_default` | greedy decoding | `translation` (B), `log_probability` (B), `finished` (B) |
| `beam` | beam search, {BEAM.beam_size} beams, length penalty {BEAM.length_penalty} | `translation` (B), \
`candidates`, `log_probability`, `score`, `finished` (B, {BEAM.beam_size}), best first |
| `attention` | greedy decoding, and all attention weights | `translation` (B), `source_tokens` (B, S), \
`decoder_input_tokens`, `predicted_tokens` (B, T), `encoder_attention` (B, L, H, S, S), \
`decoder_attention` (B, L, H, T, T), `cross_attention` (B, L, H, T, S) |

S and T are the tokens of the longest text and translation (shorter ones end in empty tokens, whose attention is 0),
L the {checkpoint.config.num_layers} layers, H the {checkpoint.config.num_heads} heads. `log_probability` is in \
nats, `finished` false where the length limit cut a
translation off. An empty text has an empty translation; punctuation alone is translated, unlike in the app. A text of \
more than {checkpoint.config.max_source_length} tokens is refused as an invalid argument.
More than {MAX_BATCH} texts at once are translated in several batches.
"""
    if checkpoint.needs_stop:
        own += _ABOUT_STOPS
    return f"{own}\n---\n\n{checkpoint.card}" if checkpoint.card else own

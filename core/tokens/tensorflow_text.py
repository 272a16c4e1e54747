"""tensorflow-text, which has no wheels for Windows: imported where something needs it, and only then."""

from __future__ import annotations

from typing import Any


class TensorFlowTextError(ValueError):
    """tensorflow-text is not installed; the message says what needs it, and what to do."""


def tensorflow_text(needed_for: str) -> Any:
    """The module, for its operations.

    Args:
        needed_for: begins the message: "Exporting a SavedModel".

    Raises:
        TensorFlowTextError: it is not installed.
    """
    try:
        import tensorflow_text
    except ModuleNotFoundError as error:
        raise _missing(needed_for) from error
    return tensorflow_text


def vocabulary_learner() -> Any:
    """The module that learns vocabularies of subwords.

    Raises:
        TensorFlowTextError: it is not installed.
    """
    try:
        from tensorflow_text.tools.wordpiece_vocab import bert_vocab_from_dataset
    except ModuleNotFoundError as error:
        raise _missing("Learning a vocabulary of subwords") from error
    return bert_vocab_from_dataset


def _missing(needed_for: str) -> TensorFlowTextError:
    return TensorFlowTextError(
        f"{needed_for} needs tensorflow-text, which has no wheels for Windows: do it on Linux, on macOS or in WSL."
    )

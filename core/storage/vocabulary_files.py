"""source_vocabulary.txt and target_vocabulary.txt: one token a line, in the order of the ids."""

from __future__ import annotations

from core.storage.format import SOURCE, TARGET, CheckpointError, CheckpointFiles
from core.storage.open_limits import OpenLimits
from core.storage.text_files import read_text
from core.tokens.vocabulary import Vocabulary, VocabularyError


def read_source_vocabulary(files: CheckpointFiles, size: int, limits: OpenLimits) -> Vocabulary:
    """The vocabulary of the language translated from.

    Args:
        files: of the checkpoint.
        size: how many tokens config.json says it has.
        limits: on the length of a token.

    Raises:
        CheckpointError: it is not a vocabulary, or does not fit `size` or `limits`.
    """
    return _read(files, SOURCE, size, limits)


def read_target_vocabulary(files: CheckpointFiles, size: int, limits: OpenLimits) -> Vocabulary:
    """As `read_source_vocabulary`, for the language translated to, which needs start and end.

    Raises:
        CheckpointError: as there, or start and end are missing.
    """
    vocabulary = _read(files, TARGET, size, limits)
    if not vocabulary.has_start_and_end:
        raise CheckpointError(f"{TARGET} must have [START] and [END] as ids 2 and 3.")
    return vocabulary


def _read(files: CheckpointFiles, name: str, size: int, limits: OpenLimits) -> Vocabulary:
    data = files.read(name)
    lines = data.count(b"\n")
    if not size - 1 <= lines <= size:  # the last line may lack its end
        raise CheckpointError(f"{name} must have {size} tokens, as config.json says. Received: {lines}")
    try:
        vocabulary = Vocabulary.from_text(read_text(data, name))
    except VocabularyError as error:
        raise CheckpointError(f"{name}: {error}") from error
    if len(vocabulary) != size:
        raise CheckpointError(
            f"{name} must have {size} tokens, as config.json says. Received: {len(vocabulary)}"
        )
    limits.check_tokens(name, vocabulary)
    return vocabulary

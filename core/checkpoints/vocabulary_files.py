"""source_vocabulary.txt and target_vocabulary.txt: one token a line, in the order of the ids."""

from __future__ import annotations

from core.checkpoints.format import TARGET, CheckpointError, CheckpointFiles
from core.checkpoints.open_limits import OpenLimits
from core.checkpoints.text_files import read_text
from core.tokens.vocabulary import Vocabulary, VocabularyError


def read_vocabulary(files: CheckpointFiles, name: str, size: int, limits: OpenLimits) -> Vocabulary:
    """One of the two vocabularies; that of the target needs start and end.

    Args:
        files: of the checkpoint.
        name: SOURCE or TARGET.
        size: how many tokens config.json says it has.
        limits: on the length of a token.

    Raises:
        CheckpointError: it is not a vocabulary, or does not fit `size` or `limits`.
    """
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
    if name == TARGET and not vocabulary.has_start_and_end:
        raise CheckpointError(f"{TARGET} must have [START] and [END] as ids 2 and 3.")
    return vocabulary

import dataclasses

import pytest

from core.checkpoints.checkpoint import Checkpoint
from core.corpora.languages import UNKNOWN_LANGUAGE
from core.corpora.toy import PAIRS, PORTUGUESE_PAIRS
from core.records.text import Pair
from core.server.trained_model import TrainedModel
from core.tokens.normalization import SubwordSettings
from core.tokens.subword import SubwordTokenizer
from tests.conftest import subword_checkpoint

BACKWARDS = tuple(Pair(pair.target, pair.source) for pair in PAIRS)


@pytest.mark.parametrize(
    ("examples", "languages"),
    [
        (PAIRS[:5], ("French", "English")),
        (PORTUGUESE_PAIRS[2:7], ("Portuguese", "English")),
        ((*PAIRS[:2], *PORTUGUESE_PAIRS[2:7]), ("", "")),
        ((Pair("ja", "yes"), *PAIRS), ("", "")),
        (BACKWARDS, ("", "")),
        ((), ("", "")),
    ],
)
def test_only_what_the_classroom_pairs_teach_has_a_language(
    checkpoint: Checkpoint, examples: tuple[Pair, ...], languages: tuple[str, str]
) -> None:
    model = TrainedModel("M", dataclasses.replace(checkpoint, examples=examples))
    assert (model.source_language, model.target_language) == languages


def test_an_unknown_language_of_subwords_has_no_name() -> None:
    checkpoint = subword_checkpoint()
    vocabulary = checkpoint.source_tokenizer.vocabulary
    unknown = SubwordTokenizer(vocabulary, SubwordSettings(language=UNKNOWN_LANGUAGE))
    model = TrainedModel("M", dataclasses.replace(checkpoint, source_tokenizer=unknown))
    assert model.source_language == ""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np
import pytest

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.shipped import shipped_checkpoints
from core.config import DecodingConfig
from core.inference.texts import translate_texts
from core.tokens.sentences import without_final_stop
from tests.conftest import subword_checkpoint

if TYPE_CHECKING:
    from core.inference.translator import Translator

BEAM = DecodingConfig(beam_size=4)
TYPED = [
    ("anki_en_fr", "Hello"),
    ("anki_en_fr", "Yes"),
    ("anki_en_fr", "why"),
    ("anki_en_fr", "Where is the train station"),
    ("anki_en_fr", 'He said "yes"'),
    ("ted_pt_en", "olá"),
    ("ted_pt_en", "bom dia"),
    ("ted_pt_en", "onde fica a estação"),
    ("ted_pt_en", "água"),
    ("ted_pt_en", "não"),
]


@pytest.mark.slow
def test_the_classroom_model_is_left_alone(checkpoint: Checkpoint, translator: Translator) -> None:
    assert not checkpoint.needs_stop
    texts = ["bonne nuit", "je ne comprends pas !"]
    found = translator.translate_typed(texts, BEAM)
    assert found == translator.translate(texts, BEAM)
    assert not any(translation.stop_added for translation in found)


@pytest.mark.slow
def test_a_stop_is_read_and_left_out() -> None:
    live = subword_checkpoint(needs_stop=True).translator()
    typed, rest = live.translate_typed(["a casa", "azul?"], BEAM)
    whole, same = live.translate(["a casa.", "azul?"], BEAM)
    assert (typed.source, typed.read, typed.stop_added) == ("a casa", "a casa.", True)
    assert typed.source_tokens == whole.source_tokens == ("a", "casa", ".")
    assert [h.text for h in typed.hypotheses] == [without_final_stop(h.text) for h in whole.hypotheses]
    assert [h.ids for h in typed.hypotheses] == [h.ids for h in whole.hypotheses]
    assert rest == same
    assert (typed.to_dict()["stop_added"], same.to_dict()["stop_added"]) == (True, False)
    assert translate_texts(live, ["a casa"], BEAM)[0].text == typed.hypotheses[0].text
    explained, expected = live.explain(typed).attention, live.explain(whole).attention
    assert explained is not None and expected is not None
    assert explained.source_tokens == typed.source_tokens
    np.testing.assert_array_equal(explained.cross, expected.cross)


@pytest.mark.slow
def test_a_sentence_at_the_limit_has_no_room_for_it() -> None:
    live = subword_checkpoint(needs_stop=True).translator()
    most = live.config.max_source_length
    fits, full = live.translate_typed(["casa " * (most - 1), "casa " * most])
    assert (fits.stop_added, full.stop_added) == (True, False)
    assert len(fits.source_tokens) == len(full.source_tokens) == most


@pytest.fixture(scope="module")
def shipped() -> dict[str, Translator]:
    return {name: Checkpoint.load(folder).translator() for name, folder in shipped_checkpoints().items()}


@pytest.mark.slow
@pytest.mark.parametrize("decoding", [DecodingConfig(), BEAM], ids=["greedy", "beam"])
@pytest.mark.parametrize(("name", "text"), TYPED)
def test_what_people_type_without_a_stop_comes_to_an_end(
    name: str, text: str, decoding: DecodingConfig, shipped: dict[str, Translator]
) -> None:
    (typed,) = translate_texts(shipped[name], [text], decoding)
    (sentence,) = typed.sentences
    assert sentence.best.finished
    assert sentence.stop_added is shipped[name].needs_stop
    assert len(sentence.best.ids) <= 2 * len(sentence.source_tokens) + 2
    assert max(len(list(run)) for _, run in groupby(sentence.best.tokens)) < 3
    assert typed.text != ""

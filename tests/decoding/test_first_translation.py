"""What NumPy writes before there is a graph, against the graph."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from core.config import DecodingConfig, ModelConfig
from core.corpora.toy import PAIRS
from core.decoding.text.first_search import is_plain_greedy
from core.decoding.text.first_translation import FirstTranslator
from core.decoding.text.translation_error import TranslationError
from core.pipeline import PreparedPairs
from core.presets import CLASSROOM
from core.tokens.vocabulary import Vocabulary
from core.tokens.word import WordTokenizer
from tests.conftest import random_weights

if TYPE_CHECKING:
    from core.decoding.translator import Translator
    from core.storage.checkpoint import Checkpoint

PAPER = CLASSROOM.model
MODERN = ModelConfig(
    source_vocab_size=38, target_vocab_size=38, num_layers=1, d_model=12, num_heads=3, d_ff=10, norm="pre",
    activation="gelu", positional_encoding="learned", tie_embeddings=True, share_embeddings=True,
)  # fmt: skip
TIED = replace(
    MODERN, share_embeddings=False, norm="post", positional_encoding="sinusoidal", target_vocab_size=35
)


@pytest.mark.slow
@pytest.mark.parametrize("config", [PAPER, MODERN, TIED], ids=["paper", "modern", "tied"])
def test_it_finds_what_the_graph_finds(
    toy: PreparedPairs, config: ModelConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    from core.decoding import compiled
    from core.decoding.translator import Translator

    monkeypatch.setattr(compiled, "USES_BEFORE_GRAPH", 0)
    weights = {name: array * np.float32(0.7) for name, array in random_weights(config, 5).items()}
    source, target = toy.source_tokenizer, toy.target_tokenizer
    if config.share_embeddings:  # one vocabulary, of the target's kind
        tokens = (*target.vocabulary.tokens, "x", "y", "z")
        source = target = WordTokenizer(Vocabulary(tokens))
    sources = (
        [pair.source for pair in PAIRS]
        if source is not target
        else ["the cat", "i am x y", "thank you z z z"]
    )
    parts = config, weights, source, target
    expected = Translator(*parts).translate(sources)
    received = FirstTranslator(*parts).translate(sources)
    assert [each.best.ids for each in received] == [each.best.ids for each in expected]
    assert [each.source_tokens for each in received] == [each.source_tokens for each in expected]
    assert [each.best.finished for each in received] == [each.best.finished for each in expected]
    for one, other in zip(received, expected, strict=True):
        assert one.best.log_probability == pytest.approx(other.best.log_probability, abs=1e-4)


@pytest.mark.slow
def test_a_translator_traces_its_graph_when_it_is_asked_again(
    translator: Translator, monkeypatch: pytest.MonkeyPatch
) -> None:
    from core.decoding.compiled import USES_BEFORE_GRAPH, CompiledSearch, compiled_search
    from tests.conftest import forget_programs

    forget_programs()
    search = compiled_search(translator.config, 1)
    asked = 0

    def count(self: CompiledSearch, *arguments: Any) -> object:
        nonlocal asked
        asked += 1
        return call(self, *arguments)

    call = CompiledSearch.__call__
    monkeypatch.setattr(CompiledSearch, "__call__", count)
    texts = [translator.translate(["merci"])[0].text for _ in range(USES_BEFORE_GRAPH + 2)]
    assert texts == ["thank you"] * len(texts)
    assert asked == 2
    assert compiled_search(translator.config, 1) is search
    assert search.pays_for(1)


def test_several_sentences_and_beams_have_the_graph_at_once(translator: Translator) -> None:
    from core.decoding.compiled import CompiledSearch

    search = CompiledSearch(translator.config, 1)
    assert search.pays_for(2) and not search.pays_for(1)


def test_what_changes_greedy_decoding_is_left_to_the_graph() -> None:
    """A field that is not listed here is one that the formulas in NumPy would have to follow."""
    changes: dict[str, Any] = {
        "length_penalty": 1.0, "samples": 2, "temperature": 0.5, "top_k": 3, "top_p": 0.5, "seed": 1, "beam_size": 2,
    }  # fmt: skip
    assert changes.keys() == DecodingConfig().to_dict().keys()
    others = {name for name, value in changes.items() if not is_plain_greedy(DecodingConfig(**{name: value}))}
    assert is_plain_greedy(DecodingConfig()) and others == {"beam_size", "samples"}


def test_it_is_greedy_alone(checkpoint: Checkpoint) -> None:
    with pytest.raises(ValueError, match="greedy"):
        checkpoint.first_translator().translate(["merci"], DecodingConfig(beam_size=2))


def test_weights_that_overflow_are_told(checkpoint: Checkpoint) -> None:
    huge = {name: array * np.float32(1e30) for name, array in checkpoint.weights.items()}
    with pytest.raises(TranslationError, match="too large to compute with"):
        replace(checkpoint, weights=huge).first_translator().translate(["merci"])


def test_the_command_line_needs_no_tensorflow_for_a_sentence(checkpoint: Checkpoint, tmp_path: Path) -> None:
    checkpoint.save(tmp_path / "m")
    code = (
        "import sys; from core.__main__ import main; code = main(sys.argv[1:]);"
        "print(code, {'tensorflow', 'keras'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "translate", tmp_path / "m", "merci"],
        cwd=Path(__file__).parents[2], capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == "thank you\n0 set()\n" and done.stderr == ""

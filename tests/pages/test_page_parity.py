"""A page without a server computes what Python computes: its passes, its searches and its tokens.

Python writes fixtures, `node` answers, and both are compared here. Skipped where there is no Node.
"""

import json
import shutil
import subprocess
from itertools import product
from typing import Any

import numpy as np
import pytest

from core.config import DecodingConfig, ModelConfig
from core.corpora.toy import PHRASES
from core.inference.model import DecoderState, InferenceModel
from core.inference.search import IMPOSSIBLE
from core.inference.translator import GREEDY, Translator
from core.tokens.base import Tokenizer
from core.tokens.character import CharacterTokenizer
from core.tokens.vocabulary import START_ID, Vocabulary
from core.tokens.word import WordTokenizer
from core.weights import initial_weights
from pages.components.browser.files import BROWSER
from pages.components.one_page.model import COMPUTED, tokenizer_data

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed"),
]

SIZE = 15  # of a vocabulary
TOKENIZER = WordTokenizer(Vocabulary.from_tokens("abcdefghijk", start_and_end=True))
BEAMS = DecodingConfig(beam_size=4), DecodingConfig(beam_size=16, length_penalty=1.3)


def config_of(ties: bool, shares: bool, **options: Any) -> ModelConfig:
    return ModelConfig(
        SIZE,
        SIZE,
        num_layers=2,
        d_model=18,
        num_heads=3,
        d_ff=23,
        max_source_length=12,
        max_target_length=14,
        tie_embeddings=ties,
        share_embeddings=shares,
        **options,
    )


# Every combination of the options, and by turns the two ways to save embeddings.
CONFIGS = [
    config_of(number % 2 == 1, number % 4 > 1, **dict(zip(COMPUTED, values, strict=True)))
    for number, values in enumerate(product(*COMPUTED.values()))
]


def random_translator(config: ModelConfig, seed: int) -> Translator:
    """Return a translator whose weights are larger than at the start of a training, so that no two tokens tie."""
    random = np.random.default_rng(seed)
    first = initial_weights(config, seed)
    weights = {
        name: (each + random.normal(0, 0.2, each.shape)).astype(np.float32) for name, each in first.items()
    }
    return Translator(config, weights, TOKENIZER, TOKENIZER)


def results_by_step(model: InferenceModel, source: list[int], target: list[int]) -> dict[str, list[float]]:
    """Return every named result of encoding and of decoding step by step, with the heads of a vector side by side."""
    found: dict[str, list[float]] = {}

    def note(name: str, value: np.ndarray) -> np.ndarray:
        part = name.rpartition("/")[2]
        rows = value
        if part in ("queries", "keys", "values", "heads", "scores", "weights") and value.ndim > 3:
            rows = np.swapaxes(value, -2, -3) if value.ndim == 4 else value
        found.setdefault(name, []).extend(np.ravel(rows).tolist())
        return value

    class Noted(InferenceModel):
        def changing(self, changes: object) -> Any:
            return note

    decoder = DecoderState(Noted(model.config, model.weights), np.array([source], np.int32))
    for token in target:
        decoder.step(np.array([[token]], np.int32))
    return found


SOME = CONFIGS[::5]  # each value of each option is in one of them


@pytest.fixture(
    scope="module",
    params=[pytest.param(SOME, id="some"), pytest.param(CONFIGS, id="all", marks=pytest.mark.long)],
)
def translators(request: pytest.FixtureRequest) -> list[Translator]:
    return [random_translator(config, seed) for seed, config in enumerate(request.param)]


def sentences(seed: int) -> list[tuple[list[int], list[int], list[int]]]:
    """Return sources, each with what the decoder reads and the beginning of another translation."""
    random = np.random.default_rng(seed)

    def draw(length: int) -> list[int]:
        return [int(token) for token in random.integers(4, SIZE, length)]

    return [(draw(length), [START_ID, *draw(5)], draw(2)) for length in (1, 7)]


HARD = (
    "J'aime le café !",
    "e\u0301te\u0301 ﬁnança ǅ Straße STRASSE ſ",
    "ΟΔΟΣ Σίσυφος",
    "ı İstanbul",
    "a\u00adb\u200bc",
    "“Olá”, disse ele… ‘sim’ — não?",
    "北京 is 3.5%, U.S. 10:30 a.m.",
    "😀 ok 👍🏽 $5 + £3",
    "नमस्ते दुनिया สวัสดี",
    "مَرْحَبًا بالعالم",
    "ＡＢＣ１２３ ½ ㎏ Ⅷ",
    "\u0301a \u0301\u0302 b",
    "\t \n \u2003x\u00a0y",
    "[PAD] [UNK] [END]",
    "",
)
TEXTS = (*HARD, *(text for pair in PHRASES for text in (pair.source, pair.target)))
TOKENIZERS: tuple[Tokenizer, ...] = tuple(
    kind.fit(TEXTS[::2], start_and_end=True) for kind in (WordTokenizer, CharacterTokenizer)
)


@pytest.fixture(scope="module")
def answered(translators: list[Translator], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the page's modules answer to all fixtures."""
    models = [
        {
            "config": each.config.to_dict(),
            "weights": {name: array.ravel().tolist() for name, array in each.weights.items()},
            "cases": [
                {"source": source, "target": target, "prefix": prefix}
                for source, target, prefix in sentences(seed)
            ],
        }
        for seed, each in enumerate(translators)
    ]
    tokenizers = [{"data": tokenizer_data(each), "texts": TEXTS} for each in TOKENIZERS]
    path = tmp_path_factory.mktemp("fixtures") / "fixtures.json"
    path.write_text(json.dumps({"models": models, "tokenizers": tokenizers}))
    command = ["node", str(BROWSER / "test" / "parity.js"), str(path)]
    run = subprocess.run(command, capture_output=True, check=True, text=True)
    found: dict[str, Any] = json.loads(run.stdout)
    return found


def test_every_result_of_the_pass_is_the_same(
    translators: list[Translator], answered: dict[str, Any]
) -> None:
    for seed, (translator, cases) in enumerate(zip(translators, answered["models"], strict=True)):
        for (source, target, _prefix), case in zip(sentences(seed), cases, strict=True):
            wanted = results_by_step(translator.model, source, target)
            assert case["results"].keys() == wanted.keys() == translator.model.names
            for name, values in wanted.items():
                largest = max(1.0, float(np.abs(values).max()))
                np.testing.assert_allclose(
                    case["results"][name], values, atol=1e-5 * largest, err_msg=f"{name} {translator.config}"
                )


def test_every_search_finds_the_same(translators: list[Translator], answered: dict[str, Any]) -> None:
    for seed, (translator, cases) in enumerate(zip(translators, answered["models"], strict=True)):
        for (source, _target, prefix), case in zip(sentences(seed), cases, strict=True):
            for name, begun in (("greedy", ()), ("begun", prefix)):
                (best, *_), _steps = translator.search(source, GREEDY, begun)
                found = case[name]
                assert (tuple(found["ids"]), found["isFinished"]) == (best.ids, best.finished)
                assert found["logProbability"] == pytest.approx(best.log_probability, abs=1e-4)
            searches = product(((), prefix), BEAMS)
            found_by_each = [each for searched in case["beams"] for each in searched]
            for (start, decoding), hypotheses in zip(searches, found_by_each, strict=True):
                wanted, _steps = translator.search(source, decoding, start)
                found = [each for each in hypotheses if each["logProbability"] > IMPOSSIBLE / 2]
                assert [tuple(each["ids"]) for each in found] == [each.ids for each in wanted]
                scores = [each["score"] for each in found]
                assert scores == pytest.approx([each.score for each in wanted], abs=1e-4)


def test_candidates_of_each_step_are_the_same(
    translators: list[Translator], answered: dict[str, Any]
) -> None:
    for translator, seed in zip(translators, range(len(translators)), strict=True):
        source, _target, _prefix = sentences(seed)[1]
        found = answered["models"][seed][1]["greedy"]
        output = translator.results_of(source, found["ids"], ["output"])["output"][0]
        wanted = translator.candidates(output, 5)
        tokens = TOKENIZER.vocabulary.tokens
        named = [[tokens[each["id"]] for each in step] for step in found["steps"]]
        assert named == [[each.token for each in step] for step in wanted]
        shares = [each["probability"] for step in found["steps"] for each in step]
        assert shares == pytest.approx([each.probability for step in wanted for each in step], abs=1e-5)


def test_every_text_has_the_same_tokens(answered: dict[str, Any]) -> None:
    for tokenizer, found in zip(TOKENIZERS, answered["tokenizers"], strict=True):
        for text, answer in zip(TEXTS, found, strict=True):
            ids = tokenizer.encode(text)
            assert answer == {"tokens": tokenizer.tokens(text), "ids": ids, "text": tokenizer.decode(ids)}, (
                text
            )

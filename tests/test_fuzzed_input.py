"""Whatever comes in from people is read, or refused in words: no parser raises anything else.

A few hundred cases each. `FUZZ_EXAMPLES=10000 pytest tests/test_fuzzed_input.py` tries ten thousand.
"""

import contextlib
import json
import math
import os
import re
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.limits import OPEN_LIMITS, CheckpointError
from core.corpora.delimited import read_pairs, write_pairs
from core.errors import InputError
from core.records.text import Pair
from core.theory.schedule import Schedule
from core.tokens.sentences import split_sentences
from core.tokens.subword import SubwordTokenizer
from core.tokens.vocabulary import Vocabulary
from core.weights import weight_shapes
from pages.checkpoints import card_of
from pages.components.widgets.numbers import MAX_NUMBER, Rows, read_numbers, write_numbers
from pages.content.markdown import plain
from pages.decoding import ForcedPrefix, read_prefix, write_prefix
from pages.learning_rate import read_curves, write_curves
from tests.checkpoints.conftest import framed, joined, parts
from tests.conftest import subword_checkpoint
from tests.pages.markdown import addresses_in

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "200"))
fuzzed = settings(
    max_examples=EXAMPLES,
    derandomize="FUZZ_EXAMPLES" not in os.environ,  # a run with many examples draws new ones
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from([0, 1, -1, 2**31, 10**30, 1e309, -0.0, "", "\x00", "NaN", "../../etc/passwd"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=8,
)
MARKS = st.text(
    st.sampled_from(list("[]().,;:!?'\"`-–—%&<>#@*_~|\\/ \t\n\r\u00a0\u200b\ufeff\u0301iaeTN09é🙂"))
)
texts = st.one_of(st.text(max_size=200), MARKS)


WHOLE = subword_checkpoint(examples=(Pair("a casa", "the house"),)).to_bytes()
ABOUT, HEADER, WEIGHTS = parts(WHOLE)


def opens_or_says_why(data: bytes) -> None:
    try:
        checkpoint = Checkpoint.from_bytes(data, OPEN_LIMITS)
    except CheckpointError as error:
        assert str(error).strip()
        assert len(str(error)) < 1000, "a message for people, not a dump"
    else:
        assert all(math.isfinite(value) for value in checkpoint.metrics.values())
        found = {name: array.shape for name, array in checkpoint.weights.items()}
        assert found == weight_shapes(checkpoint.config)
        assert checkpoint.to_bytes()


@pytest.mark.slow
@fuzzed
@given(st.data())
def test_a_damaged_model(data: st.DataObject) -> None:
    damaged = bytearray(WHOLE)
    for _ in range(data.draw(st.integers(1, 8))):
        place = data.draw(st.integers(0, len(damaged) - 1))
        damaged[place] = data.draw(st.integers(0, 255))
    opens_or_says_why(bytes(damaged[: data.draw(st.integers(0, len(damaged)))]))
    opens_or_says_why(bytes(damaged))


def other(data: st.DataObject, values: dict[str, Any]) -> dict[str, Any]:
    """The same values but for one, at any depth."""
    name = data.draw(st.sampled_from(sorted(values)))
    inner = values[name]
    if isinstance(inner, dict) and inner and data.draw(st.booleans()):
        return {**values, name: other(data, inner)}
    return {**values, data.draw(st.just(name) | st.text(max_size=20)): data.draw(json_values)}


@pytest.mark.long
@fuzzed
@given(st.data())
def test_a_model_of_which_something_else_is_said(data: st.DataObject) -> None:
    opens_or_says_why(joined(other(data, ABOUT), HEADER, WEIGHTS))


@pytest.mark.slow
@fuzzed
@given(st.data())
def test_a_model_whose_weights_are_elsewhere(data: st.DataObject) -> None:
    length = data.draw(st.just(len(WEIGHTS)) | st.integers(0, len(WEIGHTS)))
    opens_or_says_why(joined(ABOUT, other(data, HEADER), WEIGHTS[:length]))


@pytest.mark.slow
@fuzzed
@given(st.one_of(st.binary(max_size=200), texts.map(framed), json_values.map(json.dumps).map(framed)))
def test_a_model_of_anything(data: bytes) -> None:
    opens_or_says_why(data)


@pytest.mark.slow
@fuzzed
@given(st.one_of(st.binary(max_size=300), texts.map(lambda text: text.encode("utf-8", "surrogatepass"))))
def test_files_of_pairs(data: bytes) -> None:
    try:
        pairs = read_pairs(data)
    except InputError as error:
        assert str(error).strip()
    else:
        assert all(pair.source.strip() and pair.target.strip() for pair in pairs)
        assert read_pairs(write_pairs(pairs).encode()) == pairs


@pytest.mark.slow
@fuzzed
@given(st.lists(st.sampled_from(["a", "##a", "##s", "##", "[X]", "é"]) | MARKS | st.text(max_size=4)), texts)
def test_vocabularies(pieces: list[str], text: str) -> None:
    try:
        vocabulary = Vocabulary(("[PAD]", "[UNK]", "[START]", "[END]", *pieces))
        tokenizer = SubwordTokenizer(vocabulary)
    except InputError as error:
        assert len(str(error)) < 1000
    else:
        assert all(0 <= token_id < len(vocabulary) for token_id in tokenizer.encode(text))
        tokenizer.decode(range(len(vocabulary)))


NUMBERS = st.one_of(
    st.integers().map(str),
    st.floats().map(str),
    st.text("0123456789eE+-._ \u0663,;naif", max_size=20),
    st.text(max_size=20),
    st.sampled_from(["9" * 5000, "1e309", "-0", "1_0", "0x10", "\x00", "", "٣"]),
)
TABLE = ((1.0, 2.0), (3.0, 4.0))


@pytest.mark.slow
@fuzzed
@given(
    st.one_of(NUMBERS, st.lists(NUMBERS, max_size=5).map(",".join), st.lists(NUMBERS).map(";".join), texts)
)
def test_texts_in_an_address(text: str) -> None:
    for read in (partial(read_numbers, like=TABLE), read_curves, read_prefix):
        with contextlib.suppress(ValueError):
            read(text)


ROWS = st.tuples(*[st.floats(-MAX_NUMBER, MAX_NUMBER)] * 2)
CURVES = st.builds(Schedule, st.just("warmup"), st.integers(1, 4096), st.integers(0, 10_000))
TOKEN_IDS = st.lists(st.integers(0, 9_999_999), min_size=1, max_size=9)


@pytest.mark.slow
@fuzzed
@given(st.tuples(ROWS, ROWS), st.lists(CURVES, max_size=4, unique=True), TOKEN_IDS, st.integers(0, 8))
def test_what_is_written_into_an_address_is_read_again(
    table: Rows, curves: list[Schedule], ids: list[int], position: int
) -> None:
    found = read_numbers(write_numbers(table), TABLE)
    assert np.array(found) == pytest.approx(np.array(table), rel=1e-9)
    assert read_curves(write_curves(tuple(curves))) == tuple(curves)
    prefix = ForcedPrefix.typed(ids).with_token(tuple(ids), min(position, len(ids) - 1), 7)
    assert read_prefix(write_prefix(prefix)) == prefix


@pytest.mark.slow
@fuzzed
@given(texts)
def test_sentences_lose_no_character_but_white_space(text: str) -> None:
    together = "".join("".join(split_sentences(text)).split())
    assert together == "".join(text.split())
    tokenizer = subword_checkpoint().source_tokenizer
    tokenizer.decode(tokenizer.encode(text))


MARKDOWN = re.split(
    r"(\s)",
    "![ [ ]( ][ ] ) ]: ! \\ \\\\ ` < > <img src= | |-| # a $ &#58;// &period; &#64; &#91;\n\n"
    "http://e.org/x.png HTTPS://e.org http: //e.org www.e.org www .e.org me@e.org",
)


@pytest.mark.slow
@fuzzed
@given(st.one_of(st.lists(st.sampled_from(MARKDOWN), max_size=14).map("".join), texts))
@example("![a][b]\n\n[b]: http://e.org/x.png")
@example("http&#58;//e.org www&period;e.org http:\\//e.org www\\.e.org me\\@e.org")
@example("![a [b] c](http://e.org/x.png)")
@example("<http://e.org/x.png> <ftp:e.org> <me@e.org>")
@example("\\![a](u) \\\\![a](u) !\\[a](u)")
def test_no_card_of_a_stranger_has_a_picture_a_link_or_a_formula(card: str) -> None:
    shown = card_of(SimpleNamespace(card=card, shipped=False))  # type: ignore[arg-type]
    assert addresses_in(shown) == [] and "$" not in shown
    assert addresses_in(plain(card)) == []

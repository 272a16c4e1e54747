"""Whatever comes in from people is read, or refused in words: no parser raises anything else.

A few hundred cases each. `FUZZ_EXAMPLES=10000 pytest tests/test_fuzzed_input.py` tries ten thousand.
"""

import contextlib
import io
import json
import math
import os
import re
import zipfile
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.files import write_zip
from core.checkpoints.limits import CheckpointError
from core.checkpoints.weights_file import read_weights
from core.corpora.corpus import CorpusError
from core.corpora.delimited import read_pairs, write_pairs
from core.records.text import Pair
from core.tokens.sentences import split_sentences
from core.tokens.subword import SubwordTokenizer
from core.tokens.vocabulary import Vocabulary, VocabularyError
from core.weights import weight_shapes
from pages.checkpoints import card_of
from pages.components.widgets.numbers import MAX_NUMBER, read_numbers, write_numbers
from pages.content.markdown import plain
from pages.decoding import PrefixError, read_prefix, write_prefix
from pages.learning_rate import read_curves, write_curves
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


WHOLE = subword_checkpoint(examples=(Pair("a casa", "the house"),)).to_zip()
with zipfile.ZipFile(io.BytesIO(WHOLE)) as _archive:
    FILES = {name: _archive.read(name) for name in _archive.namelist()}
CONFIG = subword_checkpoint().config
HEADER_LENGTH = int.from_bytes(FILES["weights.safetensors"][:8], "little")
HEADER = json.loads(FILES["weights.safetensors"][8 : 8 + HEADER_LENGTH])


def opens_or_says_why(data: bytes) -> None:
    try:
        checkpoint = Checkpoint.from_zip(data)
    except CheckpointError as error:
        assert str(error).strip()
        assert len(str(error)) < 1000, "a message for people, not a dump"
    else:
        assert all(math.isfinite(value) for value in checkpoint.metrics.values())


@fuzzed
@given(st.data())
def test_a_damaged_zip(data: st.DataObject) -> None:
    damaged = bytearray(WHOLE)
    for _ in range(data.draw(st.integers(1, 8))):
        place = data.draw(st.integers(0, len(damaged) - 1))
        damaged[place] = data.draw(st.integers(0, 255))
    opens_or_says_why(bytes(damaged[: data.draw(st.integers(0, len(damaged)))]))
    opens_or_says_why(bytes(damaged))


CONTENTS = st.one_of(
    st.binary(max_size=200), texts.map(str.encode), st.text('0123456789.,e-+naif\n"').map(str.encode)
)


@fuzzed
@given(st.sampled_from(sorted(FILES)), CONTENTS, st.booleans())
def test_a_zip_with_one_file_changed(name: str, content: bytes, behind: bool) -> None:
    opens_or_says_why(write_zip({**FILES, name: FILES[name] + content if behind else content}))


@fuzzed
@given(st.dictionaries(st.sampled_from([*FILES, "../x", "/x", "a/b", "\ud7ff", "a\\..\\b"]), CONTENTS))
def test_a_zip_of_anything(files: dict[str, bytes]) -> None:
    opens_or_says_why(write_zip(files))


@pytest.mark.slow
@fuzzed
@given(st.data())
def test_a_config_with_other_values(data: st.DataObject) -> None:
    config = json.loads(FILES["config.json"])
    place = config
    while isinstance(place, dict) and place:
        name = data.draw(st.sampled_from(sorted(place)))
        if isinstance(place[name], dict) and data.draw(st.booleans()):
            place = place[name]
            continue
        place[name] = data.draw(json_values)
        break
    opens_or_says_why(write_zip({**FILES, "config.json": json.dumps(config).encode()}))


@fuzzed
@given(st.one_of(st.binary(max_size=300), texts.map(lambda text: text.encode("utf-8", "surrogatepass"))))
def test_files_of_pairs(data: bytes) -> None:
    try:
        pairs = read_pairs(data)
    except CorpusError as error:
        assert str(error).strip()
    else:
        assert all(pair.source.strip() and pair.target.strip() for pair in pairs)
        assert read_pairs(write_pairs(pairs).encode()) == pairs


@pytest.mark.slow
@fuzzed
@given(st.data())
def test_weights(data: st.DataObject) -> None:
    """Headers that say other names, dtypes, shapes and places than the file has, and damaged bytes."""
    header: dict[str, Any] = {name: dict(entry) for name, entry in HEADER.items()}
    for _ in range(data.draw(st.integers(0, 3))):
        name = data.draw(st.sampled_from(sorted(HEADER)))
        entry = data.draw(st.one_of(json_values, st.just(HEADER[name])))
        if isinstance(entry, dict) and entry:
            entry = {**entry, data.draw(st.sampled_from(sorted(entry))): data.draw(json_values)}
        header[data.draw(st.one_of(st.just(name), st.text(max_size=20)))] = entry
    text = json.dumps(header).encode()
    length = data.draw(st.one_of(st.just(len(text)), st.integers(0, 2**64 - 1)))
    stored = FILES["weights.safetensors"][8 + HEADER_LENGTH :]
    written = bytearray(length.to_bytes(8, "little") + text + stored)
    for _ in range(data.draw(st.integers(0, 3))):
        written[data.draw(st.integers(0, len(written) - 1))] = data.draw(st.integers(0, 255))
    try:
        weights, _ = read_weights(bytes(written[: data.draw(st.integers(0, len(written)))]), CONFIG)
        weights, _ = read_weights(bytes(written), CONFIG)
    except CheckpointError as error:
        assert len(str(error)) < 1000
    else:
        assert {name: array.shape for name, array in weights.items()} == weight_shapes(CONFIG)


@fuzzed
@given(st.lists(st.sampled_from(["a", "##a", "##s", "##", "[X]", "é"]) | MARKS | st.text(max_size=4)), texts)
def test_vocabularies(pieces: list[str], text: str) -> None:
    try:
        vocabulary = Vocabulary.from_text("\n".join(("[PAD]", "[UNK]", "[START]", "[END]", *pieces)))
        tokenizer = SubwordTokenizer(vocabulary)
    except VocabularyError as error:
        assert len(str(error)) < 1000
    else:
        assert Vocabulary.from_text(vocabulary.to_text()).tokens == vocabulary.tokens
        assert all(0 <= token_id < len(vocabulary) for token_id in tokenizer.encode(text))
        tokenizer.decode(range(len(vocabulary)))


NUMBERS = st.one_of(
    st.integers().map(str),
    st.floats().map(str),
    st.text("0123456789eE+-._ \u0663,;naif", max_size=20),
    st.text(max_size=20),
    st.sampled_from(["9" * 5000, "1e309", "-0", "1_0", "0x10", "\x00", "", "٣"]),
)


@fuzzed
@given(
    st.one_of(NUMBERS, st.lists(NUMBERS, max_size=5).map(",".join), st.lists(NUMBERS).map(";".join), texts)
)
def test_texts_in_an_address(text: str) -> None:
    table = ((1.0, 2.0), (3.0, 4.0))
    with contextlib.suppress(ValueError):
        numbers = read_numbers(text, table)
        assert all(abs(number) <= MAX_NUMBER for row in numbers for number in row)
        assert write_numbers(read_numbers(write_numbers(numbers), table)) == write_numbers(numbers)
    with contextlib.suppress(ValueError):
        curves = read_curves(text)
        assert read_curves(write_curves(curves)) == curves
    with contextlib.suppress(PrefixError):
        prefix = read_prefix(text)
        assert read_prefix(write_prefix(prefix)) == prefix


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

"""Whatever comes in from people is read, or refused in words: no parser raises anything else.

A few hundred cases each. `FUZZ_EXAMPLES=10000 pytest tests/test_fuzzed_input.py` tries ten thousand.
"""

from __future__ import annotations

import io
import json
import math
import os
import zipfile
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.config import ConfigError, DecodingConfig, ModelConfig, TrainingConfig
from core.corpora.delimited import CorpusError, read_pairs, write_pairs
from core.decoding.long_text import split_sentences
from core.records import Pair
from core.storage.checkpoint import Checkpoint, CheckpointError
from core.tokens.vocabulary import Vocabulary, VocabularyError
from tests.conftest import subword_checkpoint

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "200"))
fuzzed = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=20),
    st.sampled_from([0, 1, -1, 2**31, 10**30, 1e309, -0.0, "", "\x00", "NaN", "../../etc/passwd"]),
)
json_values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=8,
)
MARKS = st.text(
    st.sampled_from(list("[]().,;:!?'\"`-–—%&<>#@*_~|\\/ \t\n\r\u00a0\u200b\ufeff\u0301iaeTN09é🙂"))
)
texts = st.one_of(st.text(max_size=200), MARKS)


def parts_of(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


WHOLE = subword_checkpoint(examples=(Pair("a casa", "the house"),)).to_zip()
FILES = parts_of(WHOLE)


def opens_or_says_why(data: bytes) -> None:
    try:
        checkpoint = Checkpoint.from_zip(data)
    except CheckpointError as error:
        assert str(error).strip()
        assert len(str(error)) < 1000, "a message for people, not a dump"
    else:
        assert all(math.isfinite(value) for value in checkpoint.metrics.values())


def test_the_unchanged_checkpoint_opens() -> None:
    assert Checkpoint.from_zip(zipped(FILES)).name == "Tiny"


@fuzzed
@given(st.data())
def test_a_damaged_zip(data: st.DataObject) -> None:
    damaged = bytearray(WHOLE)
    for _ in range(data.draw(st.integers(1, 8))):
        place = data.draw(st.integers(0, len(damaged) - 1))
        damaged[place] = data.draw(st.integers(0, 255))
    opens_or_says_why(bytes(damaged[: data.draw(st.integers(0, len(damaged)))]))
    opens_or_says_why(bytes(damaged))


@fuzzed
@given(
    st.sampled_from(sorted(FILES)), st.one_of(st.binary(max_size=200), texts.map(str.encode)), st.booleans()
)
def test_a_zip_with_one_file_changed(name: str, content: bytes, behind: bool) -> None:
    opens_or_says_why(zipped({**FILES, name: FILES[name] + content if behind else content}))


@fuzzed
@given(
    st.dictionaries(
        st.one_of(
            st.sampled_from([*FILES, "../x", "/x", "a/b"]),
            st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1),
        ),
        st.binary(max_size=50),
    )
)
def test_a_zip_of_anything(files: dict[str, bytes]) -> None:
    opens_or_says_why(zipped(files))


@fuzzed
@given(st.binary(max_size=300))
def test_no_zip_at_all(data: bytes) -> None:
    opens_or_says_why(data)


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
    opens_or_says_why(zipped({**FILES, "config.json": json.dumps(config).encode()}))


@pytest.mark.parametrize("config", [ModelConfig, TrainingConfig, DecodingConfig])
def test_configs(config: Any) -> None:
    names = list(config.__dataclass_fields__)

    @fuzzed
    @given(st.one_of(json_values, st.dictionaries(st.sampled_from(names), scalars, max_size=len(names))))
    def check(values: object) -> None:
        try:
            made = config.from_dict(values)
        except ConfigError as error:
            assert len(str(error)) < 1000
        else:
            assert config.from_dict(json.loads(json.dumps(made.to_dict()))) == made

    check()


@fuzzed
@given(texts)
def test_vocabularies(text: str) -> None:
    try:
        vocabulary = Vocabulary.from_text(text)
    except VocabularyError as error:
        assert len(str(error)) < 1000
    else:
        assert Vocabulary.from_text(vocabulary.to_text()).tokens == vocabulary.tokens


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


def text_functions() -> dict[str, Callable[[str], object]]:
    tokenizer = subword_checkpoint().source_tokenizer
    return {
        "tokens": tokenizer.tokens,
        "ids": lambda text: tokenizer.decode(tokenizer.encode(text)),
    }


@fuzzed
@given(texts)
def test_text_functions(text: str) -> None:
    for function in text_functions().values():
        function(text)
    together = "".join("".join(split_sentences(text)).split())
    assert together == "".join(text.split()), "no character but white space goes missing"

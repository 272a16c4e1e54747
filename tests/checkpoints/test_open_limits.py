"""What opening a checkpoint may cost: refused by config.json alone, and little memory spent until then."""

from __future__ import annotations

import dataclasses
import io
import json
import tracemalloc
import zipfile
from typing import Any

import pytest
import safetensors

from core.checkpoints import files
from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.files import OPEN_LIMITS, CheckpointError, CheckpointTooLargeError, OpenLimits
from core.checkpoints.shipped import shipped_checkpoints
from core.checkpoints.weights_file import MAX_HEADER_BYTES, read_weights
from core.config import ModelConfig
from core.records import Pair
from core.tokens.vocabulary import Vocabulary
from core.tokens.word import WordTokenizer
from core.weights import parameter_count
from tests.conftest import TINY, random_weights
from tests.lying_zip import lying

MIB = 2**20
WEIGHTS = "weights.safetensors"


def tiny(**changes: Any) -> Checkpoint:
    words = [f"w{n}" for n in range(9)]
    values = {
        "config": TINY,
        "weights": random_weights(TINY),
        "source_tokenizer": WordTokenizer(Vocabulary.from_tokens(words, start_and_end=False)),
        "target_tokenizer": WordTokenizer(Vocabulary.from_tokens(words[:5], start_and_end=True)),
        "examples": (Pair("w1", "w2"),),
    }
    return Checkpoint(**{**values, **changes})


def changed(replaced: dict[str, bytes]) -> bytes:
    """The tiny checkpoint's zip with some files replaced."""
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(tiny().to_zip())) as good,
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        for name in good.namelist():
            archive.writestr(name, replaced.get(name, good.read(name)))
    return buffer.getvalue()


def claiming(model: ModelConfig, **replaced: bytes) -> bytes:
    """The tiny checkpoint's zip whose config.json says that it holds `model`."""
    config = {"format_version": 1, "tokenizer": "word", "model": model.to_dict()}
    return changed({"config.json": json.dumps(config).encode(), **replaced})


def peak_of_refusing(data: bytes, limits: OpenLimits, message: str) -> int:
    """Bytes at the peak, beside the upload itself."""
    tracemalloc.start()
    try:
        with pytest.raises(CheckpointError, match=message):
            Checkpoint.from_zip(data, limits)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.fixture
def files_read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the files that have been read out of zips."""
    names: list[str] = []
    original = files.read_entry

    def read(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
        names.append(entry.filename)
        return original(archive, entry)

    monkeypatch.setattr(files, "read_entry", read)
    return names


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"num_layers": 13}, "num_layers must be at most 12 to be opened here. Received: 13"),
        ({"num_heads": 32, "d_model": 32}, "num_heads must be at most 16 .* Received: 32"),
        ({"d_model": 1026}, "d_model must be at most 1,024 .* Received: 1,026"),
        ({"d_ff": 4097}, "d_ff must be at most 4,096 .* Received: 4,097"),
        ({"source_vocab_size": 64_001}, "source_vocab_size must be at most 64,000 .* Received: 64,001"),
        ({"target_vocab_size": 700_000}, "target_vocab_size must be at most 64,000 .* Received: 700,000"),
        ({"max_source_length": 513}, "max_source_length must be at most 512 .* Received: 513"),
        ({"max_target_length": 4096}, "max_target_length must be at most 512 .* Received: 4,096"),
        (
            {"d_model": 1024, "d_ff": 4096, "num_layers": 12},
            "parameters must be at most 30,000,000 .* Received: 3",
        ),
    ],
)
def test_the_app_refuses_by_the_config_before_anything_else_is_read(
    changes: dict[str, Any], message: str, files_read: list[str]
) -> None:
    with pytest.raises(CheckpointTooLargeError, match=message) as caught:
        Checkpoint.from_zip(claiming(TINY.replace(**changes)), OPEN_LIMITS)
    assert len(str(caught.value)) < 300
    assert files_read == ["config.json"]


def test_every_limit_of_the_app_is_tighter_than_the_command_lines() -> None:
    for field in dataclasses.fields(OpenLimits):
        if field.name not in ("max_bytes", "max_entries"):
            assert getattr(OPEN_LIMITS, field.name) < getattr(OpenLimits(), field.name), field.name


@pytest.mark.parametrize(
    ("examples", "message"),
    [
        ([Pair("a", "b")] * 21, "the number of examples must be at most 20 .* Received: 21"),
        ([Pair("a", "b" * 301)], "the characters of an example's side must be at most 300 .* Received: 301"),
    ],
)
def test_examples_that_a_page_would_struggle_with(
    examples: list[Pair], message: str, files_read: list[str]
) -> None:
    data = tiny(examples=tuple(examples)).to_zip()
    with pytest.raises(CheckpointTooLargeError, match=message):
        Checkpoint.from_zip(data, OPEN_LIMITS)
    assert files_read == ["config.json"]
    assert Checkpoint.from_zip(data).examples == tuple(examples)


@pytest.mark.parametrize("metrics", [{f"m{n}": 1.0 for n in range(101)}, {"m" * 101: 1.0}])
def test_metrics_that_a_page_would_struggle_with(metrics: dict[str, float]) -> None:
    with pytest.raises(CheckpointTooLargeError, match=r"^metrics\.json: .*at most 100"):
        Checkpoint.from_zip(tiny(metrics=metrics).to_zip(), OPEN_LIMITS)


@pytest.mark.parametrize("side", ["source", "target"])
def test_a_token_that_is_no_word(side: str, files_read: list[str]) -> None:
    words = ["w" * 101, *(f"w{n}" for n in range(8 if side == "source" else 4))]
    tokenizer = WordTokenizer(Vocabulary.from_tokens(words, start_and_end=side == "target"))
    data = tiny(**{f"{side}_tokenizer": tokenizer}).to_zip()
    Checkpoint.from_zip(data)
    files_read.clear()
    with pytest.raises(CheckpointTooLargeError, match=r"token must be at most 100 .*\. Received: 101"):
        Checkpoint.from_zip(data, OPEN_LIMITS)
    assert WEIGHTS not in files_read


def test_a_first_token_of_any_length_makes_a_short_message() -> None:
    text = b"x" * 500_000 + b"\n" + b"".join(b"w%d\n" % n for n in range(10))
    with pytest.raises(CheckpointError, match=r"must begin with \[PAD\] and \[UNK\]") as caught:
        Checkpoint.from_zip(changed({"source_vocabulary.txt": text}), OPEN_LIMITS)
    assert len(str(caught.value)) < 300


def test_a_zip_that_lies_about_the_weights_is_not_inflated() -> None:
    """zipfile alone cuts at the declared size, and the checksum is that of the part."""
    with zipfile.ZipFile(io.BytesIO(tiny().to_zip())) as archive:
        honest = archive.read(WEIGHTS)
    content = honest + bytes(128 * MIB)
    data = lying(changed({WEIGHTS: content}), content, len(honest), checked=len(honest))
    assert peak_of_refusing(data, OPEN_LIMITS, "not a zip file that can be read") < 8 * MIB


def test_a_zip_with_very_many_files_is_refused_by_its_raw_bytes() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for number in range(20_000):
            archive.writestr(f"{number}", b"")
    assert peak_of_refusing(buffer.getvalue(), OPEN_LIMITS, "This zip has 20,000 files") < MIB


def test_zeros_as_a_claimed_vocabulary_are_refused_unread() -> None:
    hostile = TINY.replace(d_model=512, source_vocab_size=64_000)
    data = claiming(hostile, **{WEIGHTS: bytes(64 * MIB)})
    assert len(data) < 256 * 1024
    assert peak_of_refusing(data, OPEN_LIMITS, "parameters must be at most") < 4 * MIB


def test_a_weights_file_larger_than_its_model_is_refused_unread(files_read: list[str]) -> None:
    data = changed({WEIGHTS: bytes(64 * MIB)})
    message = (
        rf"{WEIGHTS} must have at most \d,\d+,\d+ bytes for the model in config.json. Received: 67,108,864"
    )
    assert peak_of_refusing(data, OpenLimits(), message) < 4 * MIB
    assert files_read == ["config.json"]


def test_a_header_of_very_many_empty_weights_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A million of them took seven seconds."""
    empty = b'"%d":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}'
    entries = b",".join(empty % number for number in range(MAX_HEADER_BYTES // 40))
    header = b"{" + entries + b"}"
    data = len(header).to_bytes(8, "little") + header
    assert len(dict(safetensors.deserialize(data))) == MAX_HEADER_BYTES // 40  # it is a sound file
    monkeypatch.setattr(safetensors, "deserialize", lambda data: pytest.fail("the header is parsed"))
    with pytest.raises(CheckpointError, match=r"must have a header of at most 1,048,576 bytes. Received"):
        read_weights(data, TINY)


def test_an_honest_model_takes_little_more_than_its_weights() -> None:
    """What ships opens in the app; the file has 2 bytes a parameter, and its weights are one float32 vector."""
    folder = next(iter(shipped_checkpoints().values()))
    data = (folder / WEIGHTS).read_bytes()
    config = Checkpoint.load(folder, OPEN_LIMITS).config
    tracemalloc.start()
    try:
        weights, half_precision = read_weights(data, config)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert half_precision and len(weights) > 50
    assert peak < 6.2 * parameter_count(config)

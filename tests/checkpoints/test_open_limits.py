"""What opening a checkpoint may cost: refused by config.json alone, and little memory spent until then."""

import io
import json
import struct
import tracemalloc
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import safetensors

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.files import read_entry
from core.checkpoints.limits import OPEN_LIMITS, CheckpointError, CheckpointTooLargeError
from core.checkpoints.weights_file import MAX_HEADER_BYTES, read_weights
from core.records.text import Pair
from core.tokens.vocabulary import Vocabulary
from core.tokens.word import WordTokenizer
from tests.checkpoints.conftest import small, zipped
from tests.conftest import TINY

MIB = 2**20
WEIGHTS = "weights.safetensors"


def changed(replaced: dict[str, bytes]) -> bytes:
    """The small checkpoint's zip with some files replaced."""
    with zipfile.ZipFile(io.BytesIO(small().to_zip())) as good:
        return zipped({name: replaced.get(name, good.read(name)) for name in good.namelist()})


@contextmanager
def refused_within(limit: int, message: str, error: type[Exception] = CheckpointError) -> Iterator[None]:
    """With so many bytes at the peak, beside the upload itself."""
    tracemalloc.start()
    try:
        with pytest.raises(error, match=message):
            yield
        assert tracemalloc.get_traced_memory()[1] < limit
    finally:
        tracemalloc.stop()


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
        ({"d_model": 1024, "d_ff": 4096, "num_layers": 12}, "parameters must be at most 30,000,000"),
    ],
)
def test_the_app_refuses_by_the_config_before_anything_else_is_read(
    changes: dict[str, Any], message: str
) -> None:
    model = TINY.replace(**changes).to_dict()
    config = json.dumps({"format_version": 1, "tokenizer": "word", "model": model}).encode()
    with pytest.raises(CheckpointTooLargeError, match=message):
        Checkpoint.from_zip(changed({"config.json": config, WEIGHTS: b"damaged"}), OPEN_LIMITS)


LONG_WORD = Vocabulary.from_tokens(["w" * 101, *(f"w{n}" for n in range(8))], start_and_end=False)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"examples": (Pair("a", "b"),) * 21}, "the number of examples must be at most 20 .* Received: 21"),
        ({"examples": (Pair("a", "b" * 301),)}, "an example's side must be at most 300 .* Received: 301"),
        ({"metrics": {f"m{n}": 1.0 for n in range(101)}}, r"^metrics\.json: .*at most 100"),
        ({"metrics": {"m" * 101: 1.0}}, r"^metrics\.json: .*at most 100"),
        ({"source_tokenizer": WordTokenizer(LONG_WORD)}, "token must be at most 100 .* Received: 101"),
    ],
)
def test_what_a_page_would_struggle_with_is_refused(changes: dict[str, Any], message: str) -> None:
    data = small(**changes).to_zip()
    Checkpoint.from_zip(data)  # the command line takes it
    with pytest.raises(CheckpointTooLargeError, match=message):
        Checkpoint.from_zip(data, OPEN_LIMITS)


def test_a_zip_with_very_many_files_is_refused_by_its_raw_bytes() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for number in range(20_000):
            archive.writestr(f"{number}", b"")
    data = buffer.getvalue()
    with refused_within(MIB, "This zip has 20,000 files"):
        Checkpoint.from_zip(data, OPEN_LIMITS)


def test_a_weights_file_larger_than_its_model_is_refused_unread() -> None:
    data = changed({WEIGHTS: bytes(64 * MIB)})
    with refused_within(4 * MIB, rf"{WEIGHTS} must have at most .* bytes for the model in config.json"):
        Checkpoint.from_zip(data)


def test_a_header_of_very_many_empty_weights_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A million of them took seven seconds."""
    empty = b'"%d":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}'
    entries = b",".join(empty % number for number in range(MAX_HEADER_BYTES // 40))
    header = b"{" + entries + b"}"
    data = len(header).to_bytes(8, "little") + header
    monkeypatch.setattr(safetensors, "deserialize", lambda data: pytest.fail("the header is parsed"))
    with pytest.raises(CheckpointError, match=r"must have a header of at most 1,048,576 bytes. Received"):
        read_weights(data, TINY)


CONTENT = bytes(64 * MIB)


def lying(data: bytes, content: bytes, lie: int, *, checked: int | None = None) -> bytes:
    """A zip that says its one file has `lie` bytes; its checksum is of the first `checked` ones, or of all."""
    for old, new in ((len(content), lie), (zlib.crc32(content), zlib.crc32(content[:checked]))):
        before, after = struct.pack("<I", old), struct.pack("<I", new)
        assert data.count(before) == 2  # in the local header and in the directory
        data = data.replace(before, after)
    return data


def read(data: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return read_entry(archive, archive.getinfo("file"))


@pytest.mark.parametrize("size", [0, MIB, MIB + 1])
@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_honest_entries_are_read_whole(method: int, size: int) -> None:
    content = (b"0123456789abcdef" * (size // 16 + 1))[:size]
    assert read(zipped({"file": content}, method)) == content


@pytest.mark.parametrize("more", [None, 0, 1], ids=["all checked", "the part checked", "one more checked"])
@pytest.mark.parametrize("lie", [0, MIB])
def test_more_than_declared_is_refused_without_being_inflated(lie: int, more: int | None) -> None:
    """Where the checksum is of the first bytes, what is cut there looks sound; zipfile's own read inflates all."""
    data = lying(zipped({"file": CONTENT}), CONTENT, lie, checked=None if more is None else lie + more)
    refusal = rf"Bad CRC-32|to the {lie:,} bytes it declares.*more"
    with refused_within(8 * MIB, refusal, zipfile.BadZipFile):
        read(data)


def test_fewer_than_declared_and_other_ways_to_pack_are_refused() -> None:
    with pytest.raises(zipfile.BadZipFile, match="Received: fewer"):
        read(lying(zipped({"file": bytes(3 * MIB)}), bytes(3 * MIB), 4 * MIB))
    for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        with pytest.raises(NotImplementedError, match="Only stored and deflated entries are read"):
            read(zipped({"file": b"text"}, method))

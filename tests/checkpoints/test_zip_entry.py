"""Zips that lie: how much is inflated is measured, not how long it takes."""

from __future__ import annotations

import io
import tracemalloc
import zipfile

import pytest

from core.checkpoints.files import read_entry
from tests.lying_zip import lying

MIB = 2**20
CONTENT = bytes(64 * MIB)


def packed(content: bytes, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        archive.writestr("file", content)
    return buffer.getvalue()


def read(data: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return read_entry(archive, archive.getinfo("file"))


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("size", [0, 1, MIB - 1, MIB, MIB + 1, 3 * MIB])
def test_honest_entries_are_read_whole(method: int, size: int) -> None:
    content = (b"0123456789abcdef" * (size // 16 + 1))[:size]
    assert read(packed(content, method)) == content


@pytest.mark.parametrize("more", [None, 0, 1], ids=["all checked", "the part checked", "one more checked"])
@pytest.mark.parametrize("lie", [0, 10, MIB])
def test_more_than_declared_is_refused_without_being_inflated(lie: int, more: int | None) -> None:
    """Where the checksum is of the first bytes, what is cut there looks sound."""
    data = lying(packed(CONTENT), CONTENT, lie, checked=None if more is None else lie + more)
    tracemalloc.start()
    try:
        with pytest.raises(zipfile.BadZipFile, match=rf"Bad CRC-32|to the {lie:,} bytes it declares.*more"):
            read(data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8 * MIB  # zipfile's own read takes 64 MiB and more


def test_fewer_than_declared_are_refused() -> None:
    with pytest.raises(zipfile.BadZipFile, match="Received: fewer"):
        read(lying(packed(bytes(3 * MIB)), bytes(3 * MIB), 4 * MIB))


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_ways_to_pack_are_refused(method: int) -> None:
    with pytest.raises(NotImplementedError, match="Only stored and deflated entries are read"):
        read(packed(b"text", method))

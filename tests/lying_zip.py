"""Zips that declare another size than their files have."""

from __future__ import annotations

import struct
import zlib


def lying(data: bytes, content: bytes, lie: int, *, checked: int | None = None) -> bytes:
    """The zip with one file's size changed in its local header and in the directory.

    Args:
        data: of the zip; no other four bytes in it may look like the size or the checksum.
        content: the file.
        lie: how many bytes the zip says it has.
        checked: of how many of its first bytes the checksum is; all, if None.
    """
    data = _replaced(data, len(content), lie)
    return _replaced(data, zlib.crc32(content), zlib.crc32(content[:checked]))


def _replaced(data: bytes, old: int, new: int) -> bytes:
    assert data.count(struct.pack("<I", old)) == 2
    return data.replace(struct.pack("<I", old), struct.pack("<I", new))

"""Zips that declare another size than their files have."""

from __future__ import annotations

import struct
import zlib


def lying(data: bytes, honest: int, lie: int, *, content: bytes | None = None) -> bytes:
    """The zip with one file's size changed in its local header and in the directory.

    Args:
        data: of the zip; no other four bytes in it may look like the size.
        honest: bytes of the file.
        lie: what the zip says instead.
        content: the whole file, to have the checksum of its first `lie` bytes put in too: then even what is cut
            at the lie looks sound.
    """
    old, new = struct.pack("<I", honest), struct.pack("<I", lie)
    assert data.count(old) == 2
    data = data.replace(old, new)
    if content is None:
        return data
    checksum = struct.pack("<I", zlib.crc32(content))
    assert data.count(checksum) == 2
    return data.replace(checksum, struct.pack("<I", zlib.crc32(content[:lie])))

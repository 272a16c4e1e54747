"""One file inside a zip, read without trust in what the zip says about it."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from copy import copy
from typing import IO

ZIP_ERRORS = (  # what zipfile raises over damaged files
    zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError, IndexError,
    struct.error, zlib.error,
)  # fmt: skip

_CHUNK = 1 << 20  # bytes inflated at a time


def open_entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> IO[bytes]:
    """Open an entry that is stored or deflated.

    Raises:
        NotImplementedError: it is packed otherwise; LZMA may ask for any amount of memory, and bzip2 inflates
            thousands of times its size at once.
    """
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise NotImplementedError(
            f"Only stored and deflated entries are read. Received: {entry.compress_type}"
        )
    return archive.open(entry)


def read_entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """The bytes of an entry, at most one more than it declares being inflated.

    The caller compares `entry.file_size` with what it can take, and may rely on it.

    Raises:
        BadZipFile: the entry is damaged, or holds more or less than it declares.
        NotImplementedError: as in `open_entry`.
    """
    # ZipFile.read inflates everything at once, then cuts at the declared size, and says nothing of the rest.
    # With room for one byte more the rest shows.
    roomy = copy(entry)
    roomy.file_size += 1
    data = io.BytesIO()
    with open_entry(archive, roomy) as file:
        while chunk := file.read(_CHUNK):
            data.write(chunk)
    if data.tell() != entry.file_size:
        raise zipfile.BadZipFile(
            f"{entry.filename!r:.80} must unpack to the {entry.file_size:,} bytes it declares. "
            f"Received: {'more' if data.tell() > entry.file_size else 'fewer'}"
        )
    return data.getvalue()

"""Sentence pairs from TED talks (Qi et al. 2018), as tensorflow-datasets downloads and prepares them.

The texts are lower-cased, with spaces around punctuation ("i 've"). Prepared files are read without TensorFlow.
"""

import json
import struct
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from core.corpora.corpus import SPLITS, Split, data_folder
from core.errors import InputError
from core.language import _
from core.records.text import Pair

BUILDER = "ted_hrlr_translate"
HOST = "www.phontron.com"
_HOST_SECONDS = 20  # to answer, before a download is tried
_LENGTH_BYTES = 8  # before a record
_CHECKSUM_BYTES = 4  # after the length, and after the record
_LENGTH_DELIMITED = 2  # the kind of a protocol buffer's field that holds a text or a message


class _Prepared(NamedTuple):
    """The prepared files of a language pair on this machine."""

    folder: Path
    sides: tuple[str, str]  # names of the features of source and target
    examples: dict[str, int]  # number of examples by split


def read_ted(split: Split, *, languages: str = "pt_to_en") -> Iterator[Pair]:
    """Stream one split of a TED language pair in the order of the files; the first language is the source.

    Prepared data is read offline, from the folder "tfds" in `data_folder`. Otherwise it is first downloaded and prepared
    there (124 MB, all languages in one archive).

    Args:
        split: the split to read.
        languages: one of the catalogue's.

    Raises:
        InputError: at the call, the data cannot be downloaded or has no such split; while streaming, it is damaged
            or a pair has an empty side.
    """
    data_dir = _data_dir()
    prepared = _find_prepared(languages, data_dir)
    if prepared is None:
        _prepare(languages, data_dir)
        prepared = _find_prepared(languages, data_dir)
    if prepared is None or not prepared.examples.get(split):
        there = ", ".join(prepared.examples) if prepared else "none"
        raise InputError(
            _(
                "{folder} must have a {split} split as TFRecord files. Received: {received}. Name another folder with "
                "TRANSFORMER_CLASSROOM_DATA, and the whole corpus is downloaded to it."
            ).format(folder=data_dir / BUILDER / languages, split=split, received=there)
        )
    return _read_split(prepared, split)


def prepared_splits(languages: str) -> tuple[Split, ...]:
    """Return the splits that `read_ted` finds without a download."""
    prepared = _find_prepared(languages, _data_dir())
    return tuple(split for split in SPLITS if prepared and split in prepared.examples)


def _data_dir() -> Path:
    return data_folder() / "tfds"


def _find_prepared(languages: str, data_dir: Path) -> _Prepared | None:
    for path in sorted((data_dir / BUILDER / languages).glob("*/dataset_info.json"), reverse=True):
        try:
            info = json.loads(path.read_text(encoding="utf-8"))
            examples = {split["name"]: sum(map(int, split["shardLengths"])) for split in info["splits"]}
            source, target = (item["featureKey"] for item in info["supervisedKeys"]["tuple"]["items"])
        except (OSError, ValueError, KeyError, TypeError):  # half written, or another program's
            continue
        if info.get("fileFormat") == "tfrecord":
            return _Prepared(path.parent, (source, target), examples)
    return None


def _prepare(languages: str, data_dir: Path) -> None:
    """Download and prepare a language pair, if the host answers; tensorflow-datasets alone would try for minutes."""
    try:
        _check_host()
        import tensorflow_datasets as tfds

        builder = tfds.builder(f"{BUILDER}/{languages}", data_dir=str(data_dir), file_format="tfrecord")
        builder.download_and_prepare()
    except ImportError as error:  # also importlib_resources, an undeclared dependency
        raise InputError(f"Downloading the TED talks needs a package: pip install {error.name}.") from error
    # Errors of urllib and requests are OSErrors. tensorflow-datasets has its own, which need not be imported yet.
    except Exception as error:
        if not isinstance(error, OSError | ValueError) and type(error).__name__ != "DownloadError":
            raise
        raise InputError(
            f"The TED talks could not be downloaded from {HOST}, which is often down. Try again later, or name a "
            f"data folder that has them: copy {BUILDER}/{languages} into it from a computer where it worked. "
            f"Received: {type(error).__name__}: {error!s:.300}"
        ) from error


def _check_host() -> None:
    """Raise an OSError if the host does not answer within some seconds."""
    request = urllib.request.Request(f"http://{HOST}", method="HEAD")
    try:
        with urllib.request.urlopen(request, timeout=_HOST_SECONDS):
            return
    except urllib.error.HTTPError:
        return  # it answers, whatever it says


def _read_split(prepared: _Prepared, split: Split) -> Iterator[Pair]:
    files = sorted(prepared.folder.glob(f"{BUILDER}-{split}.tfrecord-*"))
    texts: list[list[str]] = []
    try:
        for file in files:
            for record in _read_records(file.read_bytes()):
                row = _read_example(record)
                texts.append([row[side].decode("utf-8") for side in prepared.sides])
    except (OSError, ValueError, KeyError, IndexError, struct.error):
        texts = []
    if len(texts) != prepared.examples[split]:
        raise InputError(
            _("The files of the {split} split are damaged or missing. Prepare them again.").format(
                split=split
            )
        )
    for number, sides in enumerate(texts, start=1):
        # The files have line breaks inside some sentences.
        source, target = (" ".join(side.split()) for side in sides)
        if not source or not target:
            raise InputError(
                _("Pair {pair} of the {split} split must have both sides. Received: {received}").format(
                    pair=number, split=split, received=f"{source!r:.80}, {target!r:.80}"
                )
            )
        yield Pair(source, target)


def _read_records(data: bytes) -> Iterator[bytes]:
    """Yield the records of a TFRecord file: length (8 bytes, little-endian), checksum, record, checksum."""
    at = 0
    while at < len(data):
        (length,) = struct.unpack_from("<Q", data, at)
        start = at + _LENGTH_BYTES + _CHECKSUM_BYTES
        yield data[start : start + length]
        at = start + length + _CHECKSUM_BYTES


def _read_example(record: bytes) -> dict[str, bytes]:
    """Return the texts by name in a tf.train.Example: features -> feature -> (name, bytes list -> bytes)."""
    ((_unused, features),) = _fields(record)
    texts = {}
    for _unused, feature in _fields(features):
        entry = dict(_fields(feature))
        ((_unused, values),) = _fields(entry[2])
        texts[entry[1].decode("utf-8")] = dict(_fields(values))[1]
    return texts


def _fields(message: bytes) -> list[tuple[int, bytes]]:
    """Return the number and bytes of each field of a protocol buffer that has texts and messages alone."""
    fields = []
    at = 0
    while at < len(message):
        number, kind = divmod(message[at], 8)
        if kind != _LENGTH_DELIMITED:
            raise ValueError(f"Field {number} must have a length. Received: kind {kind}")
        # The length in groups of seven bits, the lowest first; the eighth bit says that another one follows.
        length = shift = 0
        while True:
            at += 1
            length |= (message[at] & 0x7F) << shift
            shift += 7
            if message[at] < 0x80:
                break
        at += 1
        fields.append((number, message[at : at + length]))
        at += length
    if at > len(message):
        raise ValueError("The last field must end with its message.")
    return fields

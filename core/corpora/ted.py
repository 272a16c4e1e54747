"""Sentence pairs from TED talks (Qi et al. 2018), through tensorflow-datasets.

Licence CC BY-NC-ND 4.0. The texts are lower-cased, with spaces around punctuation ("i 've").
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from core.corpora.data_folder import DATA_VARIABLE, data_folder, leaves_no_empty_folders
from core.corpora.delimited import CorpusError
from core.corpora.lazy_imports import lazy_imports_in_this_thread_alone
from core.corpora.split import SPLITS, Split
from core.records import Pair

LANGUAGES = (
    "az_to_en", "aztr_to_en", "be_to_en", "beru_to_en", "es_to_pt", "fr_to_pt", "gl_to_en", "glpt_to_en", "he_to_pt",
    "it_to_pt", "pt_to_en", "ru_to_en", "ru_to_pt", "tr_to_en",
)  # fmt: skip
"""The pairs of the builder; "aztr" is a training split of Azerbaijani and Turkish mixed."""

BUILDER = "ted_hrlr_translate"
HOST = "www.phontron.com"
DOWNLOAD_ATTEMPTS = 2  # tensorflow-datasets tries for some minutes in each
_RECORDS_AT_A_TIME = 512


def read_ted(split: Split, *, languages: str = "pt_to_en", data_dir: Path | None = None) -> Iterator[Pair]:
    """Stream one split of a TED language pair; the source is the first, foreign language.

    Data prepared in `data_dir` are read offline. Otherwise they are downloaded and prepared there first
    (124 MB, all language pairs in one archive).

    Args:
        split: which part to read.
        languages: one of `LANGUAGES`.
        data_dir: where tensorflow-datasets keeps its data; by default the folder "tfds" in `data_folder`
            where there is one, or else where tensorflow-datasets keeps everything (~/tensorflow_datasets).

    Returns:
        The pairs in the order of the files, always the same; some hundred are held in memory.

    Raises:
        CorpusError: at the call, the data cannot be downloaded or are damaged, or have no such split; later, a
            pair has an empty side.
        ValueError: `split` or `languages` is none of the above.
    """
    for name, value, choices in (("split", split, SPLITS), ("languages", languages, LANGUAGES)):
        if value not in choices:
            raise ValueError(f"{name} must be one of {', '.join(choices)}. Received: {value!r:.80}")
    builder = _open_builder(languages, data_dir or _default_data_dir())
    splits = builder.info.splits
    if split not in splits or not splits[split].num_examples:
        raise CorpusError(
            f"{builder.data_path} must have a {split} split. Received: {', '.join(splits) or 'none'}. "
            "Name another data folder, and the whole corpus is downloaded to it."
        )
    return _stream(builder, split)


def prepared_splits(languages: str) -> tuple[Split, ...]:
    """The splits that `read_ted` finds without a download."""
    folder = _default_data_dir() or Path.home() / "tensorflow_datasets"
    for path in (folder / BUILDER / languages).glob("*/dataset_info.json"):
        try:
            listed = {split["name"] for split in json.loads(path.read_text(encoding="utf-8"))["splits"]}
        except (OSError, ValueError, KeyError, TypeError):  # half written, or another program's
            continue
        return tuple(split for split in SPLITS if split in listed)
    return ()


def _default_data_dir() -> Path | None:
    folder = data_folder() / "tfds"
    return folder if DATA_VARIABLE in os.environ or folder.is_dir() else None


def _open_builder(languages: str, data_dir: Path | None) -> Any:
    """The tensorflow-datasets builder, its data prepared."""
    try:
        with lazy_imports_in_this_thread_alone():
            import tensorflow_datasets as tfds
    except ImportError as error:
        raise CorpusError("TED talks must be read with tensorflow-datasets: pip install it.") from error

    try:
        builder = tfds.builder(
            f"{BUILDER}/{languages}",
            data_dir=None if data_dir is None else str(data_dir),
            file_format="tfrecord",  # what `_rows` reads, whatever a later version's default may be
        )
    except (OSError, ValueError) as error:  # ValueError: a dataset_info.json that is not JSON
        reason = str(error).rpartition('}": ')[2]  # without the arguments of the builder
        raise CorpusError(
            f"{data_dir} must hold tensorflow-datasets' data as TFRecord files. Received: {reason:.200}"
        ) from error
    # A builder with its splits was prepared, now or before; is_prepared() would also want every file.
    if not builder.info.splits:
        _prepare(builder)
    return builder


def _prepare(builder: Any) -> None:
    """Download and prepare, once more if the host fails."""
    import tensorflow_datasets as tfds

    for attempt in range(1, DOWNLOAD_ATTEMPTS + 1):
        try:
            with leaves_no_empty_folders(Path(builder.data_path)):
                builder.download_and_prepare()
            return
        except (OSError, tfds.download.DownloadError) as error:  # requests' errors are OSErrors
            if attempt == DOWNLOAD_ATTEMPTS:
                raise CorpusError(_host_message(builder, error)) from error
        except ImportError as error:  # importlib_resources, which tensorflow-datasets does not ask for itself
            raise CorpusError(f"Downloading the TED talks needs another package: {error}.") from error


def _host_message(builder: Any, error: Exception) -> str:
    return (
        f"The TED talks could not be downloaded from {HOST}, which is often down. Try again later, or name a data "
        f"folder that has them: copy {BUILDER}/{builder.builder_config.name} into it from a computer where it "
        f"worked. Received after {DOWNLOAD_ATTEMPTS} attempts: {type(error).__name__}: {error!s:.300}"
    )


def _stream(builder: Any, split: Split) -> Iterator[Pair]:
    files = [str(path) for path in builder.info.splits[split].filepaths]
    if not all(map(os.path.isfile, files)):
        raise CorpusError(f"{builder.data_path} must have all files of the {split} split.")
    return _pairs_of(_rows(files, builder.info.supervised_keys, split), split)


def _pairs_of(rows: Iterator[tuple[bytes, bytes]], split: Split) -> Iterator[Pair]:
    for number, row in enumerate(rows, start=1):
        # The files have line breaks inside some sentences.
        source, target = (" ".join(side.decode("utf-8").split()) for side in row)
        if not source or not target:
            raise CorpusError(
                f"Pair {number} of the {split} split must have both sides. Received: {source!r:.80}, {target!r:.80}"
            )
        yield Pair(source, target)


def _rows(files: list[str], sides: tuple[str, str], split: Split) -> Iterator[tuple[bytes, bytes]]:
    """The two sides of each record, one file after the other.

    tensorflow-datasets' own reader takes each record by itself, six times as long.
    """
    import tensorflow as tf

    features = {side: tf.io.FixedLenFeature((), tf.string) for side in sides}
    try:
        for records in tf.data.TFRecordDataset(files).batch(_RECORDS_AT_A_TIME):
            parsed = tf.io.parse_example(records, features)
            yield from zip(*(parsed[side].numpy() for side in sides), strict=True)
    except tf.errors.OpError as error:
        raise CorpusError(
            f"The files of the {split} split are damaged or missing. Prepare them again."
        ) from error

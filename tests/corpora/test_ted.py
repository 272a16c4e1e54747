import os
import shutil
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from core.corpora import ted
from core.corpora.delimited import CorpusError
from core.corpora.ted import read_ted
from core.records import Pair

DATA = (
    Path(os.environ.get("TRANSFORMER_CLASSROOM_DATA", Path(__file__).parents[3] / "shared" / "data")) / "tfds"
)
pytest.importorskip("tensorflow_datasets", reason="needs tensorflow-datasets")

# What requests raised on 21 November 2026 on a computer without a way to the host.
RECORDED = (
    "HTTPConnectionPool(host='www.phontron.com', port=80): Max retries exceeded with url: "
    "/data/qi18naacl-dataset.tar.gz (Caused by NameResolutionError(\"HTTPConnection(host='www.phontron.com', "
    "port=80): Failed to resolve 'www.phontron.com' ([Errno -2] Name or service not known)\"))"
)


@pytest.fixture
def data_dir() -> Path:
    if not (DATA / ted.BUILDER / "pt_to_en").is_dir():
        pytest.skip(f"needs prepared data in {DATA}; set TRANSFORMER_CLASSROOM_DATA")
    return DATA


@pytest.fixture
def written(tmp_path: Path) -> Iterator[Any]:
    """Prepare a small corpus of the same builder: written(train=[(pt, en), ...], ...) gives its data_dir."""
    import tensorflow_datasets as tfds

    def write(languages: str = "pt_to_en", **splits: list[tuple[str, str]]) -> Path:
        builder: Any = tfds.builder(f"{ted.BUILDER}/{languages}", data_dir=str(tmp_path))
        source, target = builder.info.supervised_keys
        Path(builder.data_path).mkdir(parents=True)
        writer = tfds.core.SequentialWriter(builder.info, max_examples_per_shard=5)
        writer.initialize_splits(list(splits))
        for name, pairs in splits.items():
            writer.add_examples({name: [{source: pair[0], target: pair[1]} for pair in pairs]})
        writer.close_all()
        return tmp_path

    yield write


def test_prepared_data_are_read_without_a_network(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ted, "_prepare", lambda builder: pytest.fail("a download was tried"))
    pairs = list(read_ted("validation", data_dir=data_dir))
    assert len(pairs) == 1193
    assert all(pair.source and pair.target for pair in pairs)
    assert any("ção" in pair.source for pair in pairs)
    assert any(" the " in pair.target for pair in pairs)


def test_the_order_is_always_the_same(data_dir: Path) -> None:
    first, second = (list(islice(read_ted("train", data_dir=data_dir), 50)) for _ in range(2))
    assert first == second


def test_files_are_read_one_after_the_other(written: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ted, "_RECORDS_AT_A_TIME", 2)
    pairs = [(f"um {n}", f"one {n}") for n in range(8)]  # five in the first file, three in the second
    assert list(read_ted("train", data_dir=written(train=pairs))) == [Pair(*pair) for pair in pairs]


def test_a_missing_split_says_what_there_is(data_dir: Path) -> None:
    with pytest.raises(
        CorpusError, match=r"must have a test split\. Received: train, validation\. Name another data"
    ):
        read_ted("test", data_dir=data_dir)


def test_the_environment_names_the_default_folder(written: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = written(test=[("olá", "hello")])
    folder.rename(folder.parent / "tfds")
    monkeypatch.setenv(ted.DATA_VARIABLE, str(folder.parent))
    assert list(read_ted("test")) == [Pair("olá", "hello")]


def test_other_languages_go_by_name(written: Any) -> None:
    folder = written("ru_to_pt", train=[("да", "sim"), ("нет ,\n нет", "não , não")])
    assert list(read_ted("train", languages="ru_to_pt", data_dir=folder)) == [
        Pair("да", "sim"),
        Pair("нет , нет", "não , não"),
    ]


def test_the_names_are_those_of_the_builder() -> None:
    import tensorflow_datasets as tfds

    assert set(ted.LANGUAGES) == set(tfds.builder_cls(ted.BUILDER).builder_configs)


def test_an_empty_side_is_refused(written: Any) -> None:
    folder = written(train=[("olá", "hello"), (" ", "nothing")])
    pairs = read_ted("train", data_dir=folder)
    assert next(pairs) == Pair("olá", "hello")
    with pytest.raises(
        CorpusError, match=r"Pair 2 of the train split must have both sides\. Received: '', 'nothing'"
    ):
        next(pairs)


def test_wrong_choices_are_refused() -> None:
    with pytest.raises(ValueError, match=r"languages must be one of az_to_en, .* Received: '\.\./secret'"):
        read_ted("train", languages="../secret")
    with pytest.raises(ValueError, match=r"split must be one of train, validation, test\. Received: 'dev'"):
        read_ted("dev")  # type: ignore[arg-type]


def test_a_damaged_file_is_refused(data_dir: Path, tmp_path: Path) -> None:
    shutil.copytree(data_dir, tmp_path / "tfds")
    (file,) = tmp_path.rglob("*validation.tfrecord*")
    data = bytearray(file.read_bytes())
    data[5000] ^= 0xFF
    file.write_bytes(data)
    with pytest.raises(CorpusError, match="validation split are damaged or missing"):
        list(read_ted("validation", data_dir=tmp_path / "tfds"))


def test_a_missing_file_is_named(written: Any) -> None:
    folder = written(train=[("olá", "hello")])
    next(folder.rglob("*.tfrecord*")).unlink()
    with pytest.raises(CorpusError, match="must have all files of the train split"):
        read_ted("train", data_dir=folder)


def test_another_format_of_files_is_named(written: Any) -> None:
    folder = written(train=[("olá", "hello")])
    (info,) = folder.rglob("dataset_info.json")
    info.write_text(info.read_text().replace('"tfrecord"', '"array_record"'))
    with pytest.raises(CorpusError, match=r"as TFRecord files\. Received: .*ARRAY_RECORD"):
        read_ted("train", data_dir=folder)


class Downloads:
    """Stands for the builder's download: fails as recorded a number of times, then calls `succeed`."""

    def __init__(self, failures: int, succeed: Any = None) -> None:
        self.calls, self.failures, self.succeed = 0, failures, succeed

    def __call__(self, builder: Any) -> None:
        from requests.exceptions import ConnectionError as HostDown

        self.calls += 1
        if self.calls <= self.failures:
            raise HostDown(RECORDED)
        self.succeed()


def let_download(monkeypatch: pytest.MonkeyPatch, downloads: Downloads) -> None:
    import tensorflow_datasets as tfds

    monkeypatch.setattr(tfds.core.DatasetBuilder, "download_and_prepare", lambda self: downloads(self))


def test_a_host_that_is_down_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    downloads = Downloads(failures=99)
    let_download(monkeypatch, downloads)
    with pytest.raises(CorpusError) as caught:
        read_ted("train", languages="gl_to_en", data_dir=tmp_path)
    assert downloads.calls == ted.DOWNLOAD_ATTEMPTS
    for words in (
        "www.phontron.com",
        "Try again later",
        "ted_hrlr_translate/gl_to_en",
        "Failed to resolve",
        "2 attempts",
    ):
        assert words in str(caught.value)


def test_a_host_that_comes_back_is_asked_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    downloads = Downloads(failures=1, succeed=lambda: None)
    let_download(monkeypatch, downloads)
    with pytest.raises(
        CorpusError, match=r"must have a train split\. Received: none"
    ):  # the stand-in writes none
        read_ted("train", data_dir=tmp_path)
    assert downloads.calls == 2

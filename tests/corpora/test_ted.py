import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from core.corpora import ted
from core.corpora.corpus import CorpusError
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


def test_files_are_read_one_after_the_other(written: Any) -> None:
    pairs = [(f"um {n}", f"one {n}") for n in range(8)]  # five in the first file, three in the second
    assert list(read_ted("train", data_dir=written(train=pairs))) == [Pair(*pair) for pair in pairs]


def test_a_missing_split_says_what_there_is(data_dir: Path) -> None:
    with pytest.raises(
        CorpusError, match=r"must have a test split as TFRecord files\. Received: train, validation\. Name"
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


def test_damaged_and_missing_files_are_named(written: Any) -> None:
    folder = written(train=[("olá", "hello"), ("sim", "yes")])
    file = next(folder.rglob("*.tfrecord*"))
    whole = file.read_bytes()
    for data in (
        whole[:-10],
        whole[: len(whole) // 2],
        whole.replace(b"hello", b"\xff\xff\xff\xff\xff"),
        whole[1:],
        b"",
    ):
        file.write_bytes(data)
        with pytest.raises(CorpusError, match="train split are damaged or missing"):
            list(read_ted("train", data_dir=folder))
    file.unlink()
    with pytest.raises(CorpusError, match="train split are damaged or missing"):
        list(read_ted("train", data_dir=folder))


def test_tensorflow_reads_the_same(data_dir: Path) -> None:
    import tensorflow as tf

    (file,) = data_dir.glob(f"{ted.BUILDER}/pt_to_en/*/*validation.tfrecord*")
    features = {side: tf.io.FixedLenFeature((), tf.string) for side in ("pt", "en")}
    records = tf.io.parse_example([*tf.data.TFRecordDataset(str(file))], features)
    texts = [[" ".join(text.decode().split()) for text in records[side].numpy()] for side in ("pt", "en")]
    assert [Pair(*sides) for sides in zip(*texts, strict=True)] == list(
        read_ted("validation", data_dir=data_dir)
    )


def test_a_host_that_is_down_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import tensorflow_datasets as tfds
    from requests.exceptions import ConnectionError as HostDown

    def fail(builder: object) -> None:
        raise HostDown(RECORDED)

    monkeypatch.setattr(tfds.core.DatasetBuilder, "download_and_prepare", fail)
    with pytest.raises(CorpusError) as caught:
        read_ted("train", languages="gl_to_en", data_dir=tmp_path)
    for words in ("www.phontron.com", "Try again later", "ted_hrlr_translate/gl_to_en", "Failed to resolve"):
        assert words in str(caught.value)

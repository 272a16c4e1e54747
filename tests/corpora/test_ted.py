import socket
from pathlib import Path
from typing import Any

import pytest

from core.corpora import ted
from core.corpora.catalogue import CORPORA
from core.corpora.corpus import DATA_VARIABLE
from core.corpora.ted import read_ted
from core.errors import InputError
from core.records.text import Pair

pytest.importorskip("tensorflow_datasets", reason="needs tensorflow-datasets")


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Prepare a small corpus of the same builder in the data folder: written(train=[(pt, en), ...], ...)."""
    import tensorflow_datasets as tfds

    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))

    def write(languages: str = "pt_to_en", **splits: list[tuple[str, str]]) -> Path:
        builder: Any = tfds.builder(f"{ted.BUILDER}/{languages}", data_dir=str(tmp_path / "tfds"))
        source, target = builder.info.supervised_keys
        Path(builder.data_path).mkdir(parents=True)
        writer = tfds.core.SequentialWriter(builder.info, max_examples_per_shard=5)
        writer.initialize_splits(list(splits))
        for name, pairs in splits.items():
            writer.add_examples({name: [{source: pair[0], target: pair[1]} for pair in pairs]})
        writer.close_all()
        return tmp_path

    return write


@pytest.mark.long
def test_files_are_read_one_after_the_other(written: Any) -> None:
    pairs = [(f"um {n}", f"one {n}") for n in range(8)]  # five in the first file, three in the second
    written(train=pairs)
    assert list(read_ted("train")) == [Pair(*pair) for pair in pairs]
    with pytest.raises(InputError, match=r"test.*train"):
        read_ted("test")


def test_other_languages_go_by_name(written: Any) -> None:
    written("ru_to_pt", test=[("да", "sim"), ("нет ,\n нет", "não , não")])
    pairs = list(read_ted("test", languages="ru_to_pt"))
    assert pairs == [Pair("да", "sim"), Pair("нет , нет", "não , não")]


def test_the_names_are_those_of_the_builder() -> None:
    import tensorflow_datasets as tfds

    named = {"_to_".join(corpus.languages) for name, corpus in CORPORA.items() if name.startswith("ted_")}
    assert named == set(tfds.builder_cls(ted.BUILDER).builder_configs)


def test_damaged_files_and_empty_sides_are_named(written: Any) -> None:
    folder = written(train=[("olá", "hello"), (" ", "nothing")])
    with pytest.raises(InputError, match=r"2.*train"):
        list(read_ted("train"))
    file = next(folder.rglob("*.tfrecord*"))
    whole = file.read_bytes()
    for data in (whole[:-10], whole.replace(b"hello", b"\xff\xff\xff\xff\xff"), whole[1:], b"", None):
        file.unlink() if data is None else file.write_bytes(data)
        with pytest.raises(InputError, match=r"train"):
            list(read_ted("train"))


def test_a_host_that_is_down_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import tensorflow_datasets as tfds
    from requests.exceptions import ConnectionError as HostDown

    def fail(builder: object) -> None:
        raise HostDown("Failed to resolve 'www.phontron.com' ([Errno -2] Name or service not known)")

    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))
    monkeypatch.setattr(ted, "_check_host", lambda: None)
    monkeypatch.setattr(tfds.core.DatasetBuilder, "download_and_prepare", fail)
    with pytest.raises(InputError, match=r"www.phontron.com.*translate/gl_to_en.*Failed"):
        read_ted("train", languages="gl_to_en")


def test_a_host_that_does_not_answer_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:  # takes the connection, and says nothing
        monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))
        monkeypatch.setattr(ted, "HOST", f"127.0.0.1:{silent.getsockname()[1]}")
        monkeypatch.setattr(ted, "_HOST_SECONDS", 0.2)
        with pytest.raises(InputError, match=r"127.0.0.1"):
            read_ted("train")

import io
import os
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.corpora.anki import download_anki, read_anki, space_punctuation
from core.corpora.corpus import SPLITS
from core.errors import InputError
from core.records.text import Pair

LINES = "".join(f"Sentence {n}.\tPhrase {n}.\nSentence {n}.\tLa phrase {n}.\tCC-BY 2.0\n" for n in range(200))


def write(folder: Path, text: str = LINES) -> Path:
    path = folder / "fra.txt"
    path.write_text(text, encoding="utf-8")
    return path


def write_zip(folder: Path, **members: str) -> Path:
    path = folder / "fra-eng.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return path


def test_no_english_sentence_stands_in_two_splits(tmp_path: Path) -> None:
    path = write(tmp_path, LINES + LINES.upper())  # case makes no other sentence
    english = [{pair.source.lower() for pair in read_anki(path, split)} for split in SPLITS]
    assert [len(sentences) for sentences in english] == [140, 30, 30]
    assert len(set.union(*english)) == 200


def test_the_splits_together_are_the_file_in_its_order(tmp_path: Path) -> None:
    path = write(tmp_path)
    pairs = [pair for split in SPLITS for pair in read_anki(path, split)]
    expected = [Pair(*map(space_punctuation, line.split("\t")[:2])) for line in LINES.splitlines()]
    assert sorted(pairs, key=expected.index) == expected
    train = list(read_anki(path, "train"))
    assert train == sorted(train, key=expected.index)
    os.utime(write(tmp_path, LINES.replace("Sentence", "Line")), ns=(1, 1))  # another file in its place
    assert sum(1 for split in SPLITS for _ in read_anki(path, split)) == 400


def test_either_direction_and_a_zip_give_the_same_split(tmp_path: Path) -> None:
    path = write(tmp_path)
    forth = list(read_anki(path, "validation"))
    assert [Pair(pair.target, pair.source) for pair in read_anki(path, "validation", source="fr")] == forth
    zipped = write_zip(tmp_path, **{"_about.txt": "about", "fra.txt": LINES})
    assert list(read_anki(zipped, "validation")) == forth


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Cours\u202f!", "Cours !"),
        ("Aujourd’hui, peut-être…", "Aujourd'hui , peut-être . . ."),
        ('He said, "3.5% or 1,000?"', 'He said , " 3.5 % or 1,000 ? "'),
        ("ﬁn\u00ad\u200b  (e\u0301t\u0065\u0301)", "fin ( été )"),
    ],
)
def test_known_texts(text: str, expected: str) -> None:
    assert space_punctuation(text) == expected


@given(st.text())
def test_spaced_text_stays_as_it_is(text: str) -> None:
    once = space_punctuation(text)
    assert space_punctuation(once) == once


def test_what_is_no_corpus_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nothing\.zip.*http://www\.manythings\.org"):
        read_anki(tmp_path / "nothing.zip", "train")
    with pytest.raises(InputError, match=r"fra\.txt.*\['\.\./fra\.txt'\]"):
        read_anki(write_zip(tmp_path, **{"../fra.txt": LINES}), "train")
    with pytest.raises(InputError):
        read_anki(write(tmp_path, "\n \n"), "train")
    for line in ("alone", "english\t ", "\tfrançais"):
        with pytest.raises(InputError, match=r"2.*fra\.txt"):
            read_anki(write(tmp_path, f"Go.\tVa !\n{line}\n"), "train")
    (tmp_path / "fra.txt").write_bytes(b"Go.\tVa \xe9\n")
    with pytest.raises(InputError, match=r"fra\.txt"):
        read_anki(tmp_path / "fra.txt", "train")
    damaged = write_zip(tmp_path, **{"fra.txt": LINES})
    data = bytearray(damaged.read_bytes())
    data[200:400] = bytes(200)
    damaged.write_bytes(data)
    with pytest.raises(InputError):
        read_anki(damaged, "train")


@pytest.fixture
def host() -> Iterator[str]:
    """The address of a host: a zip at /zip, a page at /page, nothing elsewhere, and nothing to urllib's own name."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("fra.txt", LINES)
    answers = {"/zip": buffer.getvalue(), "/page": b"<html>"}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            known = self.path in answers and not self.headers["User-Agent"].startswith("Python-urllib")
            self.send_response(200 if known else 406)
            self.end_headers()
            self.wfile.write(answers[self.path] if known else b"")

        def log_message(self, format: str, *arguments: object) -> None: ...

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_the_file_is_downloaded_once_and_whole(tmp_path: Path, host: str) -> None:
    for page, problem in (("page", ""), ("gone", "406")):
        with pytest.raises(InputError, match=f"{host}/{page}.*{problem}"):
            download_anki(tmp_path, f"{host}/{page}")
        assert list(tmp_path.iterdir()) == []
    path = download_anki(tmp_path / "new", f"{host}/zip")
    assert len(list(read_anki(path, "train"))) == 280
    assert download_anki(tmp_path / "new", f"{host}/gone") == path

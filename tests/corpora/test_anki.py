import io
import os
import threading
import zipfile
from collections.abc import Iterator
from functools import cache
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.corpora import anki
from core.corpora.anki import download_anki, read_anki, space_punctuation
from core.corpora.corpus import SPLITS, CorpusError
from core.records import Pair

DATA = Path(os.environ.get("TRANSFORMER_CLASSROOM_DATA", Path(__file__).parents[3] / "shared" / "data"))
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


def test_another_file_in_its_place_is_split_anew(tmp_path: Path) -> None:
    path = write(tmp_path)
    assert sum(1 for split in SPLITS for _ in read_anki(path, split)) == 400
    os.utime(write(tmp_path, LINES.replace("Sentence", "Line")), ns=(1, 1))
    assert sum(1 for split in SPLITS for _ in read_anki(path, split)) == 400


def test_either_direction_gives_the_same_split(tmp_path: Path) -> None:
    path = write(tmp_path)
    forth, back = read_anki(path, "validation"), read_anki(path, "validation", source="fr")
    assert [Pair(pair.target, pair.source) for pair in back] == list(forth)


def test_a_zip_reads_like_its_text(tmp_path: Path) -> None:
    zipped = write_zip(tmp_path, **{"_about.txt": "about", "fra.txt": LINES})
    assert list(read_anki(zipped, "train")) == list(read_anki(write(tmp_path), "train"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Va !", "Va !"),
        ("Cours\u202f!", "Cours !"),
        ("Aujourd’hui, peut-être…", "Aujourd'hui , peut-être . . ."),
        ('He said, "3.5% or 1,000?"', 'He said , " 3.5 % or 1,000 ? "'),
        ("ﬁn\u00ad\u200b  (e\u0301t\u0065\u0301)", "fin ( été )"),
        ("", ""),
    ],
)
def test_known_texts(text: str, expected: str) -> None:
    assert space_punctuation(text) == expected


@given(st.text())
def test_spaced_text_stays_as_it_is(text: str) -> None:
    once = space_punctuation(text)
    assert space_punctuation(once) == once


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_an_empty_corpus_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(
        CorpusError, match=r"fra\.txt must have a sentence and its translation .* Received: none"
    ):
        read_anki(write(tmp_path, text), "train")


@pytest.mark.parametrize("line", ["alone", "english\t ", "\tfrançais"])
def test_an_empty_side_is_refused(tmp_path: Path, line: str) -> None:
    with pytest.raises(CorpusError, match=r"Line 2 of fra\.txt must have English, a tab, French. Received: "):
        read_anki(write(tmp_path, f"Go.\tVa !\n{line}\n"), "train")


def test_files_that_are_none_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"There is no file .* Download http://www\.manythings\.org"):
        read_anki(tmp_path / "nothing.zip", "train")
    with pytest.raises(CorpusError, match=r"must have fra\.txt in it\. Received: \['\.\./fra\.txt'\]"):
        read_anki(write_zip(tmp_path, **{"../fra.txt": LINES}), "train")
    (tmp_path / "fra.txt").write_bytes(b"Go.\tVa \xe9\n")
    with pytest.raises(CorpusError, match=r"fra\.txt must be UTF-8 text"):
        read_anki(tmp_path / "fra.txt", "train")


def test_a_damaged_zip_is_refused(tmp_path: Path) -> None:
    path = write_zip(tmp_path, **{"fra.txt": LINES})
    data = bytearray(path.read_bytes())
    data[200:400] = bytes(200)
    path.write_bytes(data)
    with pytest.raises(CorpusError, match=r"is damaged\. Download it again"):
        list(read_anki(path, "train"))


@pytest.fixture
def host() -> Iterator[HTTPServer]:
    """A host that sends a zip at /zip, a page at /page, nothing elsewhere, and nothing to urllib's own name."""
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
    yield server
    server.shutdown()
    server.server_close()


def test_the_file_is_downloaded_once(tmp_path: Path, host: HTTPServer) -> None:
    address = f"http://127.0.0.1:{host.server_port}"
    path = download_anki(tmp_path / "new", f"{address}/zip")
    assert len(list(read_anki(path, "train"))) == 280
    assert download_anki(tmp_path / "new", f"{address}/gone") == path


@pytest.mark.parametrize(
    ("page", "message"),
    [("page", "sent is not a zip"), ("gone", r"could not be downloaded \(HTTP Error 406")],
)
def test_a_failing_host_leaves_nothing_behind(
    tmp_path: Path, host: HTTPServer, page: str, message: str
) -> None:
    with pytest.raises(CorpusError, match=f"{message}.*Try again later, or download it in a browser"):
        download_anki(tmp_path, f"http://127.0.0.1:{host.server_port}/{page}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_the_real_file(monkeypatch: pytest.MonkeyPatch) -> None:
    path = DATA / "fra-eng.zip"
    if not path.is_file():
        pytest.skip(f"needs {path}; set TRANSFORMER_CLASSROOM_DATA")
    # The three readings meet each sentence again and again.
    monkeypatch.setattr(anki, "space_punctuation", cache(anki.space_punctuation))
    splits = [list(read_anki(path, split)) for split in SPLITS]
    assert sum(map(len, splits)) == 167_130
    keys = [{pair.source.casefold() for pair in pairs} for pairs in splits]
    assert not keys[0] & keys[1] | keys[0] & keys[2] | keys[1] & keys[2]
    total = sum(map(len, keys))
    assert [round(len(part) / total, 3) for part in keys] == [0.7, 0.15, 0.15]
    assert splits[0][0] == Pair("Go .", "Va !")

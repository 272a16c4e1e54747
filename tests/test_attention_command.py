"""python -m core attention: each kind of file, and what it refuses."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from core.__main__ import main

if TYPE_CHECKING:
    from core.storage.checkpoint import Checkpoint


@pytest.fixture(scope="module")
def saved(checkpoint: Checkpoint, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("checkpoint") / "model"
    checkpoint.save(folder)
    return str(folder)


@pytest.mark.slow
def test_json_is_the_record_of_the_translation(saved: str, checkpoint: Checkpoint, tmp_path: Path) -> None:
    out = tmp_path / "a.json"
    assert main(["attention", saved, "bonne nuit", "--out", str(out), "--beam-size", "3"]) == 0
    values = json.loads(out.read_text(encoding="utf-8"))
    translator = checkpoint.translator()
    record = translator.explain(translator.translate_typed(["bonne nuit"])[0]).attention
    assert record is not None
    assert values["rows"] == [*record.predicted_tokens]
    assert values["weights"][1][2][0] == pytest.approx(record.cross[1, 2, 0], abs=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["svg", "html", "csv"])
def test_pictures_pages_and_tables(
    saved: str, tmp_path: Path, ending: str, capfd: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / f"a.{ending}"
    flags = ["--kind", "joint", "--measure", "norms", "--words", "--layer", "1", "--head", "2"]
    assert main(["attention", saved, "bonne nuit", "--out", str(out), *flags]) == 0
    assert capfd.readouterr().out == f"good night\nSource and target, norm-weighted: {out}\n"
    text = out.read_text(encoding="utf-8")
    if ending == "csv":
        assert text.startswith("layer,head,row,row_token,column,column_token,norm\n")
    else:
        assert "layer 1, head 2" in text
        assert "“good” → “bonne”: norm" in text
    if ending == "svg":
        cells = ElementTree.fromstring(text).findall(".//{*}rect/{*}title")
        assert len(cells) == 2 * 2 + 3 * 2 + 6  # encoder, cross, and the decoder's past


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--out", "a.txt"], "--out must end in one of .json, .csv, .html, .svg. Received: 'a.txt'"),
        (["--out", "a.svg", "--layer", "99"], "--layer must be from 1 to 2 here. Received: 99"),
        (["--out", "a.svg", "--head", "0"], "--head must be from 1 to 4 here. Received: 0"),
    ],
)
def test_what_it_refuses(
    saved: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    flags: list[str],
    said: str,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["attention", saved, "bonne nuit", *flags]) == 2
    assert capfd.readouterr().err == f"attention: {said}\n"
    assert list(tmp_path.iterdir()) == []


def test_a_text_without_words_is_refused(
    saved: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["attention", saved, "?!", "--out", str(tmp_path / "a.svg")]) == 2
    assert capfd.readouterr().err.startswith("attention: There are no words to translate")
    assert list(tmp_path.iterdir()) == []

from __future__ import annotations

import dataclasses
import io
import json
import os
import struct
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.checkpoints import output_folder
from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.files import CheckpointError, OpenLimits
from core.checkpoints.output_folder import check_writable
from core.config import ModelConfig, TrainingConfig
from core.corpora.toy import PAIRS
from core.records import EpochReport, Pair
from core.tokens.subword import SubwordTokenizer
from core.tokens.vocabulary import Vocabulary
from core.tokens.word import WordTokenizer
from tests.conftest import TINY, VARIANTS, random_weights, subword_checkpoint

FILES = {
    "config.json", "weights.safetensors", "source_vocabulary.txt", "target_vocabulary.txt", "metrics.json", "README.md",
    "epochs.csv",
}  # fmt: skip
SOURCES = [pair.source for pair in PAIRS]


def small(config: ModelConfig = TINY) -> Checkpoint:
    words = [f"w{n}" for n in range(20)]
    return Checkpoint(
        config=config,
        weights=random_weights(config),
        source_tokenizer=WordTokenizer(Vocabulary.from_tokens(words[:9], start_and_end=False)),
        target_tokenizer=WordTokenizer(Vocabulary.from_tokens(words[:5], start_and_end=True)),
        training=TrainingConfig(epochs=3),
        metrics={"best_epoch_loss": 0.25, "epochs": 3},
        epochs=(
            EpochReport(1, 4, 2.5, 0.125, 1e-3, 0.1),
            EpochReport(2, 8, 1 / 3, 0.5, 1e-3, 0.2, validation_loss=0.75, validation_accuracy=0.25),
        ),
        name='Où "w"',
        card="# Mine\n\nLicence: é\n",
        examples=(Pair("où w1", "w2"),),
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    small().save(tmp_path / "model")
    return tmp_path / "model"


def zipped(files: dict[str, bytes | str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def files_of(folder: Path) -> dict[str, bytes | str]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def assert_equal(received: Checkpoint, expected: Checkpoint) -> None:
    assert received.config == expected.config
    assert received.training == expected.training
    assert received.metrics == expected.metrics
    assert received.examples == expected.examples
    assert (received.epochs, received.name) == (expected.epochs, expected.name)
    assert (received.card or received.default_card()) == (expected.card or expected.default_card())
    assert (received.half_precision, received.needs_stop) == (expected.half_precision, expected.needs_stop)
    for side in ("source_tokenizer", "target_tokenizer"):
        a, b = getattr(received, side), getattr(expected, side)
        assert (type(a), a.vocabulary.tokens) == (type(b), b.vocabulary.tokens)
    assert list(received.weights) == list(expected.weights)
    for name, array in expected.weights.items():
        assert received.weights[name].dtype == np.float32
        assert np.array_equal(received.weights[name], array), name


# What is kept


@pytest.mark.parametrize("config", VARIANTS)
def test_folder_and_zip_keep_everything(config: ModelConfig, tmp_path: Path) -> None:
    expected = small(config)
    expected.save(tmp_path / "model")
    assert_equal(Checkpoint.load(tmp_path / "model"), expected)
    assert_equal(Checkpoint.from_zip(expected.to_zip()), expected)


def test_subword_tokenizers_keep_their_settings(tmp_path: Path) -> None:
    expected = subword_checkpoint()
    expected.save(tmp_path / "model")
    loaded = Checkpoint.load(tmp_path / "model")
    assert_equal(loaded, expected)
    for side in ("source_tokenizer", "target_tokenizer"):
        a, b = getattr(loaded, side), getattr(expected, side)
        assert isinstance(a, SubwordTokenizer) and a.settings == b.settings


def test_half_precision_halves_the_file_and_rounds_once(tmp_path: Path) -> None:
    whole, half = subword_checkpoint(), subword_checkpoint(half_precision=True)
    whole.save(tmp_path / "whole")
    half.save(tmp_path / "half")
    sizes = [(tmp_path / name / "weights.safetensors").stat().st_size for name in ("whole", "half")]
    assert sizes[1] < 0.7 * sizes[0]
    loaded = Checkpoint.load(tmp_path / "half")
    assert loaded.half_precision
    for name, array in half.weights.items():
        assert loaded.weights[name].dtype == np.float32
        assert np.array_equal(loaded.weights[name], array.astype(np.float16).astype(np.float32))
    loaded.save(tmp_path / "again")
    assert files_of(tmp_path / "again") == files_of(tmp_path / "half")


@pytest.mark.parametrize(
    "text",
    ["epoch,step\n1,2\n", "COLUMNS1,2,x,0,0,0,,\n", "COLUMNS1,2,nan,0,0,0,,\n", "COLUMNS1,2,1,0,0,,,\n", "COLUMNS1,2\n",
     "COLUMNS1.5,2,1,0,0,0,,\n", "COLUMNS1,2,1,0,0,0,,,\n", "COLUMNS1,2,1,0,0,1e999,,\n", "\x00"],
)  # fmt: skip
def test_epochs_that_are_no_table(folder: Path, text: str) -> None:
    columns = (folder / "epochs.csv").read_text().splitlines()[0] + "\n"
    (folder / "epochs.csv").write_text(text.replace("COLUMNS", columns))
    refuse(folder, r"epochs\.csv must be a table of numbers with the columns epoch, step, loss")


def test_the_folder_is_plain_files(folder: Path) -> None:
    assert {path.name for path in folder.iterdir()} == FILES
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    assert config["format_version"] == 1 and config["tokenizer"] == "word"
    assert config["model"] == TINY.to_dict()
    assert config["examples"] == [["où w1", "w2"]]
    assert (folder / "target_vocabulary.txt").read_text().splitlines()[:5] == [
        "[PAD]",
        "[UNK]",
        "[START]",
        "[END]",
        "w0",
    ]
    assert folder.stat().st_mode & 0o777 == 0o755  # others may read it


def test_a_zip_of_the_folder_made_by_hand(folder: Path) -> None:
    """As Windows and macOS make them: everything inside one folder, beside files of their own."""
    files: dict[str, bytes | str] = {f"my model/{name}": data for name, data in files_of(folder).items()}
    files |= {
        "__MACOSX/my model/._config.json": b"\0",
        "my model/.DS_Store": b"\0",
        "my model/notes.txt": "hello",
    }
    assert_equal(Checkpoint.from_zip(zipped(files)), small())


def test_what_may_be_missing(folder: Path) -> None:
    (folder / "metrics.json").unlink()
    (folder / "README.md").unlink()
    config = json.loads((folder / "config.json").read_text())
    del config["training"], config["examples"]
    (folder / "config.json").write_text(json.dumps(config))
    loaded = Checkpoint.load(folder)
    assert (loaded.training, loaded.metrics, loaded.examples) == (None, {}, ())
    assert_equal(Checkpoint.from_zip(loaded.to_zip()), loaded)


def test_training_settings_of_tools_that_are_gone_are_left_out(folder: Path) -> None:
    change_config(
        folder, lambda config: config["training"].update(r_drop=0.0, subword_dropout=0.1, careless_typing=0.3)
    )
    assert Checkpoint.load(folder).training == small().training


# What is refused: one part of a good folder is spoilt at a time


def refuse(folder: Path, message: str) -> None:
    with pytest.raises(CheckpointError, match=message) as caught:
        Checkpoint.load(folder)
    assert len(str(caught.value)) < 500
    with pytest.raises(CheckpointError, match=message):
        Checkpoint.from_zip(zipped(files_of(folder)))


@pytest.mark.parametrize("name", sorted(FILES - {"metrics.json", "README.md", "epochs.csv"}))
def test_a_missing_file(folder: Path, name: str) -> None:
    (folder / name).unlink()
    refuse(folder, rf"^This is not a checkpoint: {name} is missing\.$")


def test_no_such_path_and_an_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"^There is no checkpoint at .*nowhere"):
        Checkpoint.load(tmp_path / "nowhere")
    with pytest.raises(CheckpointError, match=r"This is not a checkpoint: config\.json is missing"):
        Checkpoint.load(tmp_path)


def change_config(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    config = json.loads((folder / "config.json").read_text())
    change(config)
    (folder / "config.json").write_text(json.dumps(config))


@pytest.mark.parametrize("needs_stop", [True, False])
def test_whether_it_needs_a_full_stop_is_kept(tmp_path: Path, needs_stop: bool) -> None:
    """Whatever its examples look like."""
    subword_checkpoint(examples=(Pair("a casa.", "the house."),), needs_stop=needs_stop).save(tmp_path)
    assert Checkpoint.load(tmp_path).needs_stop is needs_stop


@pytest.mark.parametrize(("source", "needs_stop"), [("a casa.", True), ("a casa", False)])
def test_examples_tell_where_an_older_file_does_not(tmp_path: Path, source: str, needs_stop: bool) -> None:
    subword_checkpoint(examples=(Pair(source, "the house."),)).save(tmp_path)
    change_config(tmp_path, lambda config: config.pop("needs_stop"))
    assert Checkpoint.load(tmp_path).needs_stop is needs_stop


@pytest.mark.parametrize("version", [2, 0, "1", None, [], {}, 10**300])
def test_another_version(folder: Path, version: object) -> None:
    change_config(folder, lambda config: config.update(format_version=version))
    refuse(
        folder, r"config\.json: this program reads format version 1\. Received: .*Open the checkpoint with"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"garbage", r"config\.json is not valid JSON"),
        (b"\xff\xfe\x00", r"config\.json is not valid JSON"),
        (b"[" * 200_000, r"config\.json is not valid JSON"),
        (b'{"format_version": ' + b"9" * 10_000 + b"}", r"config\.json is not valid JSON"),
        (b"[]", r"config\.json must hold a JSON object"),
        (b"{}", r"config\.json: this program reads format version 1"),
        (b'{"format_version": 1}', r"config\.json: ModelConfig must be a JSON object\. Received: None"),
        (b'{"format_version": 1, "model": []}', r"config\.json: ModelConfig must be a JSON object"),
        (b'{"format_version": 1, "model": {}}', r"config\.json: ModelConfig needs the field"),
    ],
)
def test_a_nonsense_config(folder: Path, text: bytes, message: str) -> None:
    (folder / "config.json").write_bytes(text)
    refuse(folder, message)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"training": {"epochs": 0}}, r"config\.json: epochs must be a whole number"),
        ({"training": ["epochs"]}, r"config\.json: TrainingConfig must be a JSON object"),
        (
            {"tokenizer": "letter"},
            r"config\.json: tokenizer must be one of word, subword\. Received: 'letter'",
        ),
        ({"tokenizer": "subword"}, r"config\.json: source_tokenizer: A WordPiece vocabulary must"),
        (
            {"tokenizer": "subword", "source_tokenizer": 1},
            r"config\.json: source_tokenizer must be an object",
        ),
        ({"tokenizer": "subword", "source_tokenizer": {"x": 1}}, r"source_tokenizer: .*other fields.*'x'"),
        ({"needs_stop": "yes"}, r"config\.json: needs_stop must be true or false\. Received"),
        (
            {"model": {**TINY.to_dict(), "d_model": 65}},
            r"config\.json: d_model must be divisible by num_heads",
        ),
        (
            {"model": {**TINY.to_dict(), "num_layers": 10**9}},
            r"config\.json: num_layers must be a whole number",
        ),
        ({"model": {**TINY.to_dict(), "dropout_rate": float("nan")}}, r"dropout_rate must be a number .*nan"),
        ({"model": {**TINY.to_dict(), "__class__": "os.system"}}, r"ModelConfig has no field '__class__'"),
        ({"name": 7}, r"config\.json: name must be a text"),
        ({"name": "x" * 81}, r"config\.json: name must be a text of at most 80 characters"),
        ({"examples": "x"}, r"config\.json: examples must be a list of \[source, target\] texts"),
        ({"examples": [["a", 1]]}, r"config\.json: examples must be a list"),
        ({"examples": [["\ud800", "b"]]}, r"config\.json is not valid JSON"),
    ],
)
def test_other_parts_of_the_config(folder: Path, changes: dict[str, Any], message: str) -> None:
    change_config(folder, lambda config: config.update(changes))
    refuse(folder, message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nonsense", r"metrics\.json is not valid JSON"),
        ("[1]", r"metrics\.json must hold a JSON object"),
        ('{"loss": "low"}', r"metrics\.json: 'loss' must be a number"),
        ('{"loss": NaN}', r"metrics\.json: 'loss' must be a number"),
        ('{"loss": 1' + "0" * 400 + "}", r"metrics\.json: 'loss' must be a number"),
    ],
)
def test_nonsense_metrics(folder: Path, text: str, message: str) -> None:
    """Also what could be read but never be written again."""
    (folder / "metrics.json").write_text(text)
    refuse(folder, message)


def test_vocabularies_that_do_not_fit(folder: Path) -> None:
    good = (folder / "source_vocabulary.txt").read_text()
    for text, message in (
        (
            good + "more\n",
            r"source_vocabulary\.txt: It must have 11 tokens, as config\.json says\. Received: 12",
        ),
        (
            good.rsplit("\n", 2)[0] + "\nw1\n",
            r"source_vocabulary\.txt: A token must be in a vocabulary once\. Received twice: 'w1'",
        ),
        (good.replace("[PAD]", "hello"), r"source_vocabulary\.txt: A vocabulary must begin with \[PAD\]"),
        ("", r"source_vocabulary\.txt: It must have 11 tokens, as config\.json says\. Received: 0"),
        ("\n" * 5_000_000, r"source_vocabulary\.txt has 4\.8 MiB; at most 4 MiB are read"),
    ):
        (folder / "source_vocabulary.txt").write_text(text)
        refuse(folder, message)
    (folder / "source_vocabulary.txt").write_bytes(good.encode().replace(b"w1", b"\xff\xfe"))
    refuse(folder, r"source_vocabulary\.txt is not UTF-8 text")


def test_a_target_vocabulary_without_start_and_end(folder: Path) -> None:
    (folder / "target_vocabulary.txt").write_text("[PAD]\n[UNK]\n" + "".join(f"w{n}\n" for n in range(7)))
    refuse(folder, r"target_vocabulary\.txt: It must have \[START\] and \[END\] as ids 2 and 3")


def test_weights_that_do_not_fit(folder: Path) -> None:
    good = small().weights
    name = "output/kernel"  # (8, 9)

    def refuse_weights(weights: dict[str, np.ndarray], message: str) -> None:
        (folder / "weights.safetensors").write_bytes(safetensors.numpy.save(weights))
        refuse(folder, message)

    missing = {key: array for key, array in good.items() if key != name}
    refuse_weights(missing, r"weights\.safetensors lacks 1 weight\(s\), among them output/kernel\.")
    refuse_weights({**missing, "renamed": good[name]}, r"lacks 1 weight\(s\), among them output/kernel\.")
    refuse_weights(
        {**good, "extra": good[name]}, r"has 1 weight\(s\) the model has no place for, among them extra\."
    )
    refuse_weights({**good, "x" * 5000: good[name]}, r"has 1 weight\(s\) the model has no place for")
    refuse_weights(
        {**good, name: np.ascontiguousarray(good[name].T)},
        r"output/kernel must have the shape \(8, 9\)\. Received: \(9, 8\)",
    )
    for dtype, code in ((np.float64, "F64"), (np.int32, "I32"), (np.bool_, "BOOL")):
        refuse_weights(
            {**good, name: good[name].astype(dtype)},
            rf"output/kernel must be float32 or float16\. Received: {code}",
        )
    for value in (np.nan, np.inf, -np.inf):
        spoilt = good[name].copy()
        spoilt[3, 4] = value
        refuse_weights({**good, name: spoilt}, r"output/kernel has entries that are not finite numbers")


def test_damaged_weights(folder: Path) -> None:
    data = (folder / "weights.safetensors").read_bytes()
    long_header = struct.pack("<Q", 2**60) + data[8:]
    for damaged in (data[:-1], data[:1000], data[:7], b"", b"\x80\x04garbage", data + b"more", long_header):
        (folder / "weights.safetensors").write_bytes(damaged)
        refuse(folder, r"weights\.safetensors is damaged or not a safetensors file")


# Zips


def spoil(folder: Path, **more: bytes) -> dict[str, bytes | str]:
    return {**files_of(folder), **more}


@pytest.mark.parametrize(
    "name",
    ["../evil", "a/../../evil", "/etc/evil", "..\\evil", "C:\\evil", "C:evil", "\\\\server\\evil", ".."],
)
def test_zips_that_climb_out_are_refused(folder: Path, name: str) -> None:
    data = zipped({**files_of(folder), name: b"evil"})
    with pytest.raises(CheckpointError, match=r"^This zip is refused: .* points outside its folder\.$"):
        Checkpoint.from_zip(data)
    assert not list(folder.parent.rglob("evil"))


ONE_MIB = OpenLimits(max_bytes=2**20)


@pytest.mark.parametrize("where", ["zip", "folder"])
def test_what_unpacks_to_too_much_is_refused_unread(folder: Path, where: str) -> None:
    (folder / "README.md").write_bytes(b"\0" * 2**21)
    message = r"^This checkpoint unpacks to 2 MiB; at most 1 MiB are read\.$"
    with pytest.raises(CheckpointError, match=message):
        if where == "zip":
            Checkpoint.from_zip(zipped(files_of(folder)), ONE_MIB)
        else:
            Checkpoint.load(folder, ONE_MIB)


def test_an_entry_without_a_name_is_passed_over(checkpoint: Checkpoint) -> None:
    buffer = io.BytesIO(checkpoint.to_zip())
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr("nameless", b"")
    nameless = buffer.getvalue().replace(b"nameless", b"\x00ameless")  # zipfile ends names at the first null
    assert Checkpoint.from_zip(nameless).config == checkpoint.config


def test_a_bomb_in_any_file_of_the_zip_counts(folder: Path) -> None:
    with pytest.raises(CheckpointError, match="unpacks to"):
        Checkpoint.from_zip(zipped({**files_of(folder), "holiday.jpg": b"\0" * 2**21}), ONE_MIB)


def test_two_checkpoints_in_one_zip(folder: Path) -> None:
    files: dict[str, bytes | str] = {f"a/{name}": data for name, data in files_of(folder).items()}
    files |= {f"b/{name}": data for name, data in files_of(folder).items()}
    with pytest.raises(
        CheckpointError, match=r"^This zip has more than one checkpoint in it\. Zip one folder alone\.$"
    ):
        Checkpoint.from_zip(zipped(files))


@pytest.mark.parametrize("data", [b"", b"PK", b"PK\x03\x04garbage", b"\x1f\x8b\x08", b"hello" * 1000])
def test_no_zip(data: bytes) -> None:
    with pytest.raises(CheckpointError, match="This is not a zip file that can be read here"):
        Checkpoint.from_zip(data)


@pytest.mark.parametrize(
    "method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
)
def test_zips_stored_or_deflated_load_and_others_are_refused(folder: Path, method: int) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in files_of(folder).items():
            archive.writestr(name, data)
    if method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        assert_equal(Checkpoint.from_zip(buffer.getvalue()), small())
    else:
        with pytest.raises(CheckpointError, match="This is not a zip file that can be read here"):
            Checkpoint.from_zip(buffer.getvalue())


ZIP = small().to_zip()


@pytest.mark.slow
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data(), method=st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]))
def test_a_damaged_zip_loads_or_is_refused(data: st.DataObject, method: int) -> None:
    """Whatever bytes are changed or cut off: nothing but a CheckpointError comes out."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(ZIP)) as good, zipfile.ZipFile(buffer, "w", method) as archive:
        for name in good.namelist():
            archive.writestr(name, good.read(name) if name != "README.md" else "é" * 50)
    damaged = bytearray(buffer.getvalue())
    # Headers stand at the beginning, between the files and, above all, at the end.
    places = (
        st.integers(0, len(damaged) - 1)
        | st.integers(len(damaged) - 500, len(damaged) - 1)
        | st.integers(0, 60)
    )
    for place in data.draw(st.lists(places, min_size=1, max_size=3)):
        damaged[place] = data.draw(st.integers(0, 255))
    cut = data.draw(st.just(len(damaged)) | st.integers(0, len(damaged)))
    try:
        Checkpoint.from_zip(bytes(damaged[:cut]))
    except CheckpointError as error:
        assert len(str(error)) < 500


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_damaged_weights_load_or_are_refused(data: st.DataObject) -> None:
    with zipfile.ZipFile(io.BytesIO(ZIP)) as archive:
        files: dict[str, bytes | str] = {name: archive.read(name) for name in archive.namelist()}
        damaged = bytearray(archive.read("weights.safetensors"))
    for place in data.draw(st.lists(st.integers(0, 3000), min_size=1, max_size=4)):
        damaged[place] = data.draw(st.integers(0, 255))
    try:
        loaded = Checkpoint.from_zip(zipped({**files, "weights.safetensors": bytes(damaged)}))
    except CheckpointError as error:
        assert len(str(error)) < 500
    else:
        assert all(np.isfinite(array).all() for array in loaded.weights.values())


# Writing


def test_saving_again_replaces_the_whole_folder(folder: Path) -> None:
    other = small(TINY.replace(num_layers=1))
    other.save(folder)
    assert_equal(Checkpoint.load(folder), other)
    assert sorted(path.name for path in folder.parent.iterdir()) == ["model"]


@pytest.mark.parametrize("failing", ["fsync", "rename"])
@pytest.mark.parametrize("before", [True, False], ids=["older one there", "nothing there"])
def test_a_write_that_fails_leaves_everything_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str, before: bool
) -> None:
    target = tmp_path / "model"
    if before:
        small().save(target)
    calls = 0
    owner: Any = os if failing == "fsync" else Path
    original: Callable[..., Any] = getattr(owner, failing)

    def fail_late(self: Any, *arguments: Any) -> Any:
        """The third file, or the move of the new folder to its place."""
        nonlocal calls
        calls += 1
        if (calls == 3) if failing == "fsync" else (arguments == (target,) and calls <= 2):
            raise OSError(28, "No space left on device")
        return original(self, *arguments)

    monkeypatch.setattr(owner, failing, fail_late)
    monkeypatch.setattr(output_folder, "_exchange", lambda one, other: False)  # as where the system cannot
    with pytest.raises(CheckpointError, match=r"^Cannot write .*model: No space left on device\.$"):
        small(TINY.replace(num_layers=1)).save(target)
    monkeypatch.undo()
    assert sorted(path.name for path in tmp_path.iterdir()) == (["model"] if before else [])
    if before:
        assert_equal(Checkpoint.load(target), small())


def test_where_a_checkpoint_may_be_written(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "empty").mkdir()
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "a.jpg").write_text("x")
    check_writable(tmp_path / "new" / "deeper")
    check_writable(tmp_path / "empty")
    check_writable(folder)
    for save in (check_writable, small().save):
        with pytest.raises(
            CheckpointError, match=r"file is a file\. Name a folder to write the checkpoint to\."
        ):
            save(tmp_path / "file")
        with pytest.raises(
            CheckpointError, match=r"photos has other files in it\. Name a new or empty folder\."
        ):
            save(tmp_path / "photos")
        with pytest.raises(CheckpointError, match=r"file is a file\."):
            save(tmp_path / "file" / "below")
    assert (tmp_path / "photos" / "a.jpg").exists() and (tmp_path / "file").read_text() == "x"


def test_a_project_that_happens_to_have_a_config_json_is_not_replaced(tmp_path: Path, folder: Path) -> None:
    """Saving replaces the whole folder, so nothing in it may be anybody else's."""
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "config.json").write_text("{}")
    (tmp_path / "project" / "thesis.tex").write_text("years of work")
    (folder / "notes.txt").write_text("mine")
    for place in (tmp_path / "project", folder):
        with pytest.raises(CheckpointError, match=r"has other files in it\. Name a new or empty folder\."):
            small().save(place)
    assert (tmp_path / "project" / "thesis.tex").read_text() == "years of work"


def test_saving_through_a_link_and_into_the_present_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    (tmp_path / "link").symlink_to(folder)
    other = small(TINY.replace(num_layers=1))
    other.save(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert_equal(Checkpoint.load(folder), other)

    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    other.save(Path())
    assert_equal(Checkpoint.load(tmp_path / "here"), other)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["here", "link", "model"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(CheckpointError, match="Cannot write"):
        check_writable(tmp_path / "model")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a folder is replaced in two steps")
def test_a_process_killed_while_it_saves_leaves_the_old_or_the_new(tmp_path: Path) -> None:
    for name in ("old", "new"):
        (tmp_path / f"{name}.zip").write_bytes(dataclasses.replace(small(), name=name).to_zip())
    arguments = [str(tmp_path / name) for name in ("old.zip", "new.zip", "here/checkpoint")]
    command = [sys.executable, "-m", "tests.checkpoints.killed_saving", *arguments]
    found = subprocess.run(
        command, cwd=Path(__file__).parents[2], capture_output=True, text=True, timeout=300
    )
    names = found.stdout.split()
    assert found.returncode == 0, found.stderr[-2000:]
    assert set(names) == {"old", "new"}
    assert names == sorted(names, reverse=True)  # once it is the new one, it stays
    assert len(names) > 20  # points at which it died

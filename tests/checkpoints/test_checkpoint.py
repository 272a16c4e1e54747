"""What a model's file keeps, and what is refused; tests/test_fuzzed_input.py has files with anything in them."""

import dataclasses
import json
import struct
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy

from core.checkpoints import model_file
from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.limits import OPEN_LIMITS, CheckpointError, CheckpointTooLargeError
from core.checkpoints.model_file import MAX_HEADER_BYTES, NO_MODEL
from core.records.text import Pair
from core.records.training import EpochReport
from core.tokens.character import CharacterTokenizer
from core.tokens.vocabulary import Vocabulary
from core.tokens.word import WordTokenizer
from core.weights import Weights
from tests.checkpoints.conftest import GONE, KEY, framed, joined, parts, saying, small
from tests.conftest import SUBWORD_PIECES, TINY, VARIANTS, subword_checkpoint

CONFIGS: list[Any] = [variant.values[0] for variant in VARIANTS]
WHOLE = small().to_bytes()
ABOUT, HEADER, WEIGHTS = parts(WHOLE)
MIB = 2**20


def contents(checkpoint: Checkpoint) -> dict[str, Any]:
    """All that a checkpoint holds, in a form that `==` compares."""
    values: dict[str, Any] = {
        field.name: getattr(checkpoint, field.name) for field in dataclasses.fields(checkpoint)
    }
    values["weights"] = [(name, array.dtype, array.tolist()) for name, array in checkpoint.weights.items()]
    for side in ("source_tokenizer", "target_tokenizer"):
        tokenizer = values[side]
        values[side] = tokenizer.kind, tokenizer.vocabulary.tokens, getattr(tokenizer, "settings", None)
    return values


def rounded() -> Checkpoint:
    """A checkpoint in half precision, whose weights have been rounded before."""
    half = subword_checkpoint(half_precision=True, needs_full_stop=True, origin="# Old\n")
    weights = {name: array.astype(np.float16).astype(np.float32) for name, array in half.weights.items()}
    return dataclasses.replace(half, weights=weights)


def of_characters() -> Checkpoint:
    letters = [chr(ord("一") + number) for number in range(len(SUBWORD_PIECES))]
    tokenizer = CharacterTokenizer(Vocabulary.from_tokens(letters, start_and_end=True))
    return subword_checkpoint(source_tokenizer=tokenizer, target_tokenizer=tokenizer, name="Characters")


@pytest.mark.parametrize(
    "expected",
    [
        *map(small, CONFIGS),
        small(TINY.replace(causal_mask=False)),
        subword_checkpoint(),
        of_characters(),
        rounded(),
    ],
    ids=lambda each: each.name,
)
def test_a_file_keeps_everything_and_is_the_same_for_the_same_model(
    expected: Checkpoint, tmp_path: Path
) -> None:
    expected.save(tmp_path / "m.safetensors")
    loaded = Checkpoint.load(tmp_path / "m.safetensors")
    assert contents(loaded) == contents(expected)
    backwards: dict[str, Any] = {
        name: dict(reversed(getattr(expected, name).items())) for name in ("weights", "metrics")
    }
    for again in (loaded, dataclasses.replace(expected, **backwards)):
        assert again.to_bytes() == (tmp_path / "m.safetensors").read_bytes()


def test_a_file_with_some_weights_in_16_bits_loses_nothing_when_it_is_saved_again() -> None:
    arrays = safetensors.numpy.load(WHOLE)
    some = {**arrays, NAME: arrays[NAME].astype(np.float16)}
    mixed = Checkpoint.from_bytes(safetensors.numpy.save(some, {KEY: json.dumps(ABOUT)}))
    assert contents(Checkpoint.from_bytes(mixed.to_bytes())) == contents(mixed)


def test_others_read_the_weights_with_safetensors() -> None:
    found = safetensors.numpy.load(WHOLE)
    assert all(np.array_equal(found[name], weights) for name, weights in small().weights.items())


def test_what_may_be_missing() -> None:
    names = ("training", "metrics", "epochs", "examples", "card", "origin", "name", "needs_full_stop")
    config = {name: value for name, value in ABOUT["config"].items() if name != "causal_mask"}
    loaded = Checkpoint.from_bytes(saying(WHOLE, config=config, **dict.fromkeys(names, GONE)))
    assert loaded.config == TINY
    assert (loaded.training, loaded.metrics, loaded.epochs, loaded.examples) == (None, {}, (), ())
    assert contents(Checkpoint.from_bytes(loaded.to_bytes())) == contents(loaded)


def test_two_large_vocabularies_fit() -> None:
    config = TINY.replace(source_vocab_size=64_000, target_vocab_size=64_000, d_model=2, num_heads=1)
    tokens = [f"##word{number}" for number in range(64_000)]
    tokenizers = {
        "source_tokenizer": WordTokenizer(Vocabulary.from_tokens(tokens[:-2], start_and_end=False)),
        "target_tokenizer": WordTokenizer(Vocabulary.from_tokens(tokens[:-4], start_and_end=True)),
    }
    data = small(config, **tokenizers).to_bytes()
    assert Checkpoint.from_bytes(data, OPEN_LIMITS).source_tokenizer.vocabulary.tokens[-1] == tokens[-3]


# What is refused


def refuse(data: bytes, message: str = "", error: type[CheckpointError] = CheckpointError) -> None:
    with pytest.raises(error, match=message) as caught:
        Checkpoint.from_bytes(data, OPEN_LIMITS)
    assert len(str(caught.value)) < 500


DEEP = "[" * 100_000
TWICE = json.dumps(ABOUT)[:-1] + ', "name": "other"}'


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x80\x04garbage",
        b"PK\x03\x04\x14\0\0\0" + WHOLE,  # a zip
        b'{\n  "format_version": 1}',  # files of a folder from an earlier version
        b"[PAD]\n[UNK]\n",
        safetensors.numpy.save(small().weights),
        safetensors.numpy.save(small().weights, {"other": "{}"}),
        struct.pack("<Q", 2**60) + b"{}",
        struct.pack("<Q", 2**64 - 1) + b"{}",
        WHOLE[:7],
        WHOLE[:100],
        framed("[]"),
        framed(DEEP),
        framed('{"a": ' + DEEP),
        framed('{"__metadata__": []}'),
        framed(json.dumps({"__metadata__": {KEY: 3}})),
        framed(json.dumps({"__metadata__": {KEY: ""}})),
        framed('{"x": 1, "x": 2, ' + joined(ABOUT, HEADER, b"")[9:].decode()),  # a name twice
        joined(TWICE, HEADER, WEIGHTS),
        joined(DEEP, HEADER, WEIGHTS),
        joined('{"format_version": ' + "9" * 10_000 + "}", HEADER, WEIGHTS),
        b"\x02\0\0\0\0\0\0\0\xff\xfe",
    ],
)
def test_what_is_no_model(data: bytes) -> None:
    refuse(data, NO_MODEL[:40])


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        *(({"format_version": version}, "format_version") for version in (1, 3, "2", None, 2.5, 10**300)),
        ({"config": GONE}, "config"),
        ({"config": {}}, "config"),
        ({"config": [1]}, "config"),
        ({"config": {**ABOUT["config"], "num_layers": 10**9}}, "num_layers"),
        ({"config": {**ABOUT["config"], "num_layers": True}}, "num_layers"),
        ({"config": {**ABOUT["config"], "num_layers": 2.0}}, "num_layers"),
        ({"config": {**ABOUT["config"], "num_layers": "2"}}, "num_layers"),
        ({"config": {**ABOUT["config"], "dropout_rate": float("nan")}}, "dropout_rate"),
        ({"config": {**ABOUT["config"], "norm": "mid"}}, "norm"),
        ({"config": {**ABOUT["config"], "__class__": "os.system"}}, "__class__"),
        ({"config": {**ABOUT["config"], "source_vocab_size": 12}}, "source_tokenizer"),
        ({"training": {"epochs": 0}}, "epochs"),
        ({"training": "none"}, "training"),
        ({"source_tokenizer": {"vocabulary": 3}}, "vocabulary"),
        ({"source_tokenizer": {"vocabulary": [3]}}, "vocabulary"),
        ({"source_tokenizer": {"vocabulary": [*ABOUT["source_tokenizer"]["vocabulary"], "w"]}}, "tokens"),
        ({"source_tokenizer": {"vocabulary": ["w"] * 11}}, r"\[PAD\]"),
        ({"source_tokenizer": {"vocabulary": ["[PAD]", "[UNK]", *"w" * 9]}}, "once"),
        ({"target_tokenizer": {"vocabulary": ["[PAD]", "[UNK]", *"abcdefg"]}}, r"\[START\]"),
        ({"source_tokenizer": {**ABOUT["source_tokenizer"], "subwords": {}}}, "WordPiece"),
        ({"source_tokenizer": {**ABOUT["source_tokenizer"], "subwords": {"x": 1}}}, "subwords"),
        ({"source_tokenizer": {**ABOUT["source_tokenizer"], "kind": "x"}}, "kind"),
        ({"needs_full_stop": "yes"}, "needs_full_stop"),
        ({"needs_full_stop": 1}, "needs_full_stop"),
        ({"needs_stop": True}, "needs_stop"),
        ({"weights": {}}, "weights"),
        ({"half_precision": True}, "half_precision"),
        ({"name": "x" * 81}, "name"),
        ({"name": "a\nb"}, "name"),
        ({"name": None}, "name"),
        ({"card": "x" * 100_001}, "card"),
        ({"origin": ["x"]}, "origin"),
        ({"examples": [["a", "b"]]}, "examples"),
        ({"examples": [{"source": "a", "target": 1}]}, "examples"),
        ({"examples": [{"source": "a"}]}, "examples"),
        ({"examples": [{"source": "a", "target": "b"}] * 21}, "examples"),
        ({"examples": [{"source": "a", "target": "b" * 301}]}, "300"),
        ({"metrics": {"loss": "low"}}, "loss"),
        ({"metrics": {"loss": float("nan")}}, "loss"),
        ({"metrics": {"loss": float("inf")}}, "loss"),
        ({"metrics": {"loss": 10**400}}, "loss"),
        ({"metrics": {"loss": True}}, "loss"),
        ({"metrics": {f"m{n}": 1.0 for n in range(101)}}, "metrics"),
        ({"metrics": {"m" * 101: 1.0}}, "metrics"),
        ({"epochs": [{"epoch": 1}]}, "epochs"),
        ({"epochs": [{**ABOUT["epochs"][0], "loss": float("nan")}]}, "epochs"),
        ({"epochs": [{**ABOUT["epochs"][0], "more": 1}]}, "more"),
        ({"epochs": ABOUT["epochs"] * 501}, "epochs"),
        ({"epochs": DEEP}, "epochs"),
    ],
)  # fmt: skip
def test_what_is_said_of_it_is_wrong(changes: dict[str, Any], named: str) -> None:
    refuse(saying(WHOLE, **changes), named)


@pytest.mark.parametrize(
    ("config", "named"),
    [
        ({"num_layers": 13}, "num_layers"),
        ({"num_heads": 32, "d_model": 32}, "num_heads"),
        ({"d_model": 1026}, "d_model"),
        ({"d_ff": 4097}, "d_ff"),
        ({"max_source_length": 513}, "max_source_length"),
        ({"max_target_length": 4096}, "max_target_length"),
        ({"d_model": 1024, "d_ff": 4096, "num_layers": 12}, "30,000,000"),
    ],
)
def test_the_app_refuses_what_is_too_large_before_it_looks_at_weights(
    config: dict[str, Any], named: str
) -> None:
    described = saying(WHOLE, config=TINY.replace(**config).to_dict())
    refuse(described[: len(described) // 2 + 2000], named, CheckpointTooLargeError)


@pytest.mark.parametrize(("side", "num_special"), [("source", 2), ("target", 4)])
def test_the_app_refuses_long_tokens_and_many(side: str, num_special: int) -> None:
    def file_with(tokens: list[str]) -> bytes:
        vocabulary = Vocabulary.from_tokens(tokens, start_and_end=side == "target")
        config = TINY.replace(**{f"{side}_vocab_size": len(vocabulary), "d_model": 2, "num_heads": 1})
        return small(config, **{f"{side}_tokenizer": WordTokenizer(vocabulary)}).to_bytes()

    data = file_with(["w" * 101, "w"])
    Checkpoint.from_bytes(data)  # the command line takes it
    refuse(data, "101", CheckpointTooLargeError)
    many = [f"w{number}" for number in range(64_001 - num_special)]
    refuse(file_with(many), "64,001", CheckpointTooLargeError)


NAME = "output/kernel"  # (8, 9)
PLACE = HEADER[NAME]
FIRST, END = PLACE["data_offsets"]
NEXT = next(name for name, place in HEADER.items() if place["data_offsets"][0] == END)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({NAME: GONE}, NAME),
        ({"more" * 1000: PLACE}, "more"),
        ({NAME: 3}, NAME),
        ({NAME: {}}, NAME),
        ({NAME: {**PLACE, "more": 1}}, "more"),
        ({NAME: {**PLACE, "shape": [9, 8]}}, r"\(8, 9\)"),
        ({NAME: {**PLACE, "shape": [72]}}, r"\(8, 9\)"),
        ({NAME: {**PLACE, "shape": [8.0, 9]}}, "shape"),
        ({NAME: {**PLACE, "shape": [8] * 10_000}}, "shape"),
        ({NAME: {**PLACE, "shape": [-8, -9]}}, "shape"),
        ({NAME: {**PLACE, "dtype": "F64"}}, "F64"),
        ({NAME: {**PLACE, "dtype": "I32"}}, "I32"),
        ({NAME: {**PLACE, "dtype": "F16"}}, "gaps"),
        ({NAME: {**PLACE, "data_offsets": [FIRST, END - 4]}}, "gaps"),
        ({NAME: {**PLACE, "data_offsets": [FIRST - 4, END - 4]}}, "gaps"),
        ({NAME: {**PLACE, "data_offsets": [END, FIRST]}}, "gaps"),
        ({NAME: {**PLACE, "data_offsets": [-4, END]}}, "gaps"),
        ({NAME: {**PLACE, "data_offsets": [FIRST, 2**63]}}, "gaps"),
        ({NAME: {**PLACE, "data_offsets": [FIRST]}}, "data_offsets"),
        ({NAME: {**PLACE, "data_offsets": [str(FIRST), END]}}, "data_offsets"),
        ({NEXT: {**HEADER[NEXT], "data_offsets": PLACE["data_offsets"]}}, "gaps"),  # two in one place
    ],
)  # fmt: skip
def test_a_header_that_lies(changes: dict[str, Any], message: str) -> None:
    header = {name: place for name, place in {**HEADER, **changes}.items() if place is not GONE}
    refuse(joined(ABOUT, header, WEIGHTS), message)


@pytest.mark.parametrize("weights", [WEIGHTS[:-1], WEIGHTS[: len(WEIGHTS) // 2], b"", WEIGHTS + b"\0"])
def test_too_few_or_too_many_bytes(weights: bytes) -> None:
    refuse(joined(ABOUT, HEADER, weights), "bytes")


@pytest.mark.parametrize("value", [np.inf, np.nan])
def test_weights_that_are_no_numbers(value: float) -> None:
    weights: Weights = {**small().weights, NAME: np.full((8, 9), value, np.float32)}
    refuse(small(weights=weights).to_bytes(), NAME)


@contextmanager
def within(limit: int) -> Iterator[None]:
    """Run with so many bytes at the peak, beside the file itself."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < limit
    finally:
        tracemalloc.stop()


def test_a_large_header_is_not_read() -> None:
    data = framed(" " * (MAX_HEADER_BYTES + 1))
    with within(MIB):
        refuse(data, "4 MiB")
    with pytest.raises(CheckpointError, match="4 MiB"):
        small(source_tokenizer=huge_tokenizer(), config=TINY.replace(source_vocab_size=100_002)).to_bytes()


def huge_tokenizer() -> WordTokenizer:
    tokens = (f"{number:050}" for number in range(100_000))
    return WordTokenizer(Vocabulary.from_tokens(tokens, start_and_end=False))


@pytest.mark.slow
def test_very_many_empty_weights_are_refused_by_their_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each would take time to look at."""
    empty = {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]}
    data = joined(ABOUT, HEADER | {f"{number}": empty for number in range(60_000)}, WEIGHTS)
    monkeypatch.setattr(model_file, "read", lambda *_: pytest.fail("one is looked at"))
    refuse(data, "superfluous")


@pytest.mark.slow
def test_no_room_is_made_for_weights_that_are_not_there() -> None:
    config = TINY.replace(d_model=512, d_ff=2048, num_layers=3)
    large = joined({**ABOUT, "config": config.to_dict()}, parts(small(config).to_bytes())[1], b"")
    with within(4 * MIB):
        refuse(large, "bytes")


def test_a_long_training_is_kept_short() -> None:
    report = EpochReport(1, 4, 2.5, 0.125, 1e-3, 0.1)
    with pytest.raises(ValueError, match="epochs"):
        small(epochs=(report,) * 1001)
    with pytest.raises(ValueError, match="examples"):
        small(examples=(Pair("a", "b"),) * 21)

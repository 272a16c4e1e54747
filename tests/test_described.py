"""What is described once is checked everywhere: made in code, read from JSON, TOML or the environment."""

import dataclasses
import pickle

import pytest

from core.described import described, read, read_json, read_texts, setting
from core.errors import InputError


@described
class Part:
    size: int = setting(ge=1, le=9)
    share: float = setting(default=0.5, ge=0, lt=1)
    secret: str = setting(default="", max_length=10, is_secret=True)


@described
class Whole:
    first: Part
    others: tuple[Part, ...] = ()
    is_done: bool = False

    def __post_init__(self) -> None:
        if self.is_done and not self.others:
            raise InputError("done without others")


def test_a_description_travels() -> None:
    whole = Whole(Part(3), (Part(4, share=0.25),))
    assert pickle.loads(pickle.dumps(whole)) == whole
    assert hash(pickle.loads(pickle.dumps(whole))) == hash(whole)
    assert read(Whole, dataclasses.asdict(whole)) == whole
    assert dataclasses.replace(whole, others=()).others == ()
    with pytest.raises(InputError):
        dataclasses.replace(whole.first, size=10)
    assert read_texts(Part, {"size": " 7 ", "share": "0.125"}) == Part(7, 0.125)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('{"first": {"size": 0}}', "first.size"),
        ('{"first": {"size": "3"}}', "first.size"),
        ('{"first": {"size": 3, "share": NaN}}', "first.share"),
        ('{"first": {"size": 3}, "others": [{"size": 3}, {"size": 3.5}]}', "others.1.size"),
        ('{"first": {"size": 3}, "others": {}}', "others"),
        ('{"first": {"size": 3}, "is_done": 1}', "is_done"),
        ('{"first": {"size": 3}, "is_done": true}', "done without others"),
        ('{"first": {}}', "first.size"),
        ('{"first": {"size": 3, "more": 1}}', "first.more"),
        ('{"first": {"size": ' + "9" * 4000 + "}}", "first.size"),
        ('{"first": ' + "[" * 100_000, "JSON"),
        ('{"first": "\\ud800"}', "JSON"),
        ("[1]", "[1]"),
    ],
)
def test_what_is_not_as_described_is_named(text: str, names: str) -> None:
    with pytest.raises(InputError) as error:
        read_json(Whole, text)
    assert names in str(error.value)
    assert len(str(error.value)) < 250


def test_a_secret_is_in_no_message() -> None:
    with pytest.raises(InputError) as error:
        read_texts(Part, {"size": "3", "secret": "correct horse"})
    assert "horse" not in str(error.value)

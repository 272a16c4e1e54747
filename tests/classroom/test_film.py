from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from core.classroom.film import Film, FilmMoment
from core.corpora.toy import PAIRS
from tests.figures.records import even_record

if TYPE_CHECKING:
    from core.checkpoints.checkpoint import Checkpoint


def moment(number: int) -> FilmMoment:
    return FilmMoment(number, (even_record(4, 4),))


def test_beyond_the_limit_every_second_moment_goes() -> None:
    film = Film(4 * moment(0).bytes)
    for number in range(5):
        film.add(moment(number))
        assert sum(each.bytes for each in film.moments) <= 4 * moment(0).bytes
    assert [each.moment for each in film.moments] == [0, 2, 4]
    for number in range(5, 20):
        film.add(moment(number))
    assert film.moments[0].moment == 0
    assert film.moments[-1].moment == 19


def test_nothing_is_kept_of_what_does_not_fit_twice() -> None:
    film = Film(2 * moment(0).bytes - 1)
    film.add(moment(0))
    assert film.moments == ()


def test_attention_over_references_is_that_of_each_alone(checkpoint: Checkpoint) -> None:
    from core.interpretability.teacher_forcing import forced_attention

    translator = checkpoint.translator()
    together = forced_attention(translator, PAIRS[:4])
    assert [len(each.source_tokens) for each in together] == [len(pair.source.split()) for pair in PAIRS[:4]]
    for pair, record in zip(PAIRS[:4], together, strict=True):
        (alone,) = forced_attention(translator, [pair])
        assert record.predicted_tokens == (*pair.target.split(), "[END]")
        np.testing.assert_allclose(record.cross, alone.cross, atol=1e-5)
        np.testing.assert_allclose(record.encoder, alone.encoder, atol=1e-5)

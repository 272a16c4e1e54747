"""The attention of a few sentences at several moments of a training, within a memory limit."""

from __future__ import annotations

from typing import NamedTuple

from core.records import AttentionRecord

MAX_FILM_BYTES = 4_000_000  # of attention kept while a model learns, to be watched afterwards


class FilmMoment(NamedTuple):
    """What the heads did at one moment."""

    moment: int  # epochs done
    records: tuple[AttentionRecord, ...]  # of each preview sentence

    @property
    def bytes(self) -> int:
        """Memory that its weights take."""
        return sum(each.encoder.nbytes + each.decoder.nbytes + each.cross.nbytes for each in self.records)


class Film:
    """Moments in order. When they exceed the limit, every second one is dropped, but never the last.

    Args:
        most_bytes: that all weights may take together.
    """

    def __init__(self, most_bytes: int = MAX_FILM_BYTES) -> None:
        self._most_bytes = most_bytes
        self.moments: tuple[FilmMoment, ...] = ()

    def add(self, moment: FilmMoment) -> None:
        """Keep a moment; where not even two fit, nothing is kept."""
        if 2 * moment.bytes > self._most_bytes:
            self.moments = ()
            return
        moments = [*self.moments, moment]
        while sum(each.bytes for each in moments) > self._most_bytes:
            moments = moments[:-1][::2] + moments[-1:]
        self.moments = tuple(moments)

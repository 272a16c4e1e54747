"""What analyses of a translation find. Axis letters: see `core.config`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from core.arrays import Floats


@dataclass(frozen=True)
class NextToken:
    """A token that the model could write at one step."""

    id: int
    token: str
    log_probability: float  # given source and prefix, nats
    rank: int  # from 1, the likeliest


@dataclass(frozen=True, eq=False)
class DecodingStep:
    """One step of decoding."""

    likeliest: tuple[NextToken, ...]  # the likeliest first
    chosen: NextToken  # may not be among them
    cross: Floats  # (L, H, S), cross-attention of the step


class BeamStatus(Enum):
    """The status of a hypothesis after a step of beam search."""

    LIVE = "live"
    FINISHED = "finished"  # ended, and among the best finished hypotheses so far
    PRUNED = "pruned"  # others are likelier, or have a better score if it has ended


@dataclass(frozen=True)
class BeamChild:
    """A candidate of one step of beam search: a live hypothesis and one more token."""

    token: str
    ids: tuple[int, ...]  # of all its tokens, forced ones included
    parent: int  # index of the child of the step before that it continues; -1 for the prefix
    log_probability: float  # of all its tokens, nats
    score: float  # log_probability / length penalty
    status: BeamStatus


@dataclass(frozen=True)
class BeamEnd:
    """A final hypothesis of a beam search."""

    ids: tuple[int, ...]
    log_probability: float  # nats
    penalty: float  # length penalty
    score: float  # log_probability / penalty
    finished: bool  # False if the length limit cut it off
    step: int  # index of its last step; -1 if there was nothing to search
    child: int  # its index among that step's children


@dataclass(frozen=True)
class BeamTree:
    """The tree of a beam search."""

    steps: tuple[tuple[BeamChild, ...], ...]  # the children of each step, the likeliest first
    best: tuple[BeamEnd, ...]  # the winner first


@dataclass(frozen=True, eq=False)
class PaddingOutcome:
    """The outcome of one run of a padding comparison."""

    change: float  # largest change of the encoder's output at real tokens, compared with no padding
    encoder_share: Floats  # (L, H), share of real tokens' attention on padding, 0 to 1
    cross_share: Floats  # (L, H), share of cross-attention on padding
    ids: tuple[int, ...]  # of the greedy translation, with the end id if it has ended
    translation: str
    finished: bool  # False if the length limit cut the translation off


@dataclass(frozen=True, eq=False)
class PaddingComparison:
    """A sentence translated without padding, padded with the mask, and padded without the mask."""

    source_tokens: tuple[str, ...]  # without padding
    num_pads: int
    alone: PaddingOutcome
    masked: PaddingOutcome
    unmasked: PaddingOutcome

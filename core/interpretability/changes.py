"""What a traced pass computes differently from the model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Bools = NDArray[np.bool_]
Ids = NDArray[np.int32]


@dataclass(frozen=True)
class StackPatch:
    """Hidden states that replace those of a stack at some places and positions, as `core.model.interventions.Patch`."""

    hidden: Floats  # (B, L + 1, T, D)
    replaced: Bools  # (B, L + 1, T)


@dataclass(frozen=True)
class Changes:
    """What a pass computes differently from the model; nothing by default. B may be 1 for all rows of a batch."""

    source_mask: Bools | None = None  # (B, 1, 1, S), False where no position may attend; None hides padding
    target_mask: Bools | None = None  # (B, 1, 1 or T, T), beside padding and what lies ahead
    encoder_gates: Floats | None = None  # (B, L, H), 1 as it is, 0 switched off
    decoder_gates: Floats | None = None
    cross_gates: Floats | None = None
    encoder_patch: StackPatch | None = None
    decoder_patch: StackPatch | None = None


NO_CHANGES = Changes()

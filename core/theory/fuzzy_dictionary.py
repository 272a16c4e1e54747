"""Query, key and value as a dictionary with approximate keys (Vaswani et al. 2017, section 3.2)."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Doubles
from core.language import N_
from core.model.forward import scaled_dot_product_attention


@dataclass(frozen=True)
class Entry:
    """A key, as a direction in the plane, and its value."""

    name: str
    degrees: float  # direction of the key
    value: float


# Animals with their number of legs; similar animals have similar directions.
ENTRIES = (
    Entry(N_("fish"), 5, 0),
    Entry(N_("hen"), 32, 2),
    Entry(N_("dog"), 58, 4),
    Entry(N_("cat"), 84, 4),
)


def fuzzy_look_up(degrees: float, strength: float) -> tuple[Doubles, float]:
    """Look up a query: the more similar an entry's key, the more its value counts.

    Args:
        degrees: direction of the query.
        strength: length of the query; the longer, the more weight on the best key.

    Returns:
        The weight of each entry, shape (S,), and the weighted mean of the values.
    """
    keys = directions([entry.degrees for entry in ENTRIES])  # (S, 2)
    query = strength * directions([degrees])  # (1, 2)
    values = np.array([[entry.value] for entry in ENTRIES])  # (S, 1)
    answer, weights = scaled_dot_product_attention(query, keys, values)
    return weights[0], float(answer[0, 0])


def directions(degrees: ArrayLike) -> Doubles:
    """Return unit vectors in these directions, shape (..., 2)."""
    angles = np.asarray(degrees, np.float64) * (math.pi / 180)
    return np.stack([np.cos(angles), np.sin(angles)], axis=-1)

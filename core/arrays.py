"""Types of the arrays that files hand each other, one name for each type of number."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]  # weights, and what a model computes
Doubles = NDArray[np.float64]  # what is summed exactly, or typed into a table
Reals = NDArray[np.floating]  # either of the two
Ids = NDArray[np.int32]  # tokens, as numbers of a vocabulary
Places = NDArray[np.intp]  # indices into another array
Bools = NDArray[np.bool_]

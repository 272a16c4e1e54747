"""weights.safetensors: every weight under its name in `core.weights`."""

from typing import Any

import numpy as np
import safetensors
import safetensors.numpy

from core.checkpoints.files import WEIGHTS
from core.checkpoints.limits import CheckpointError
from core.config import ModelConfig
from core.language import _, number
from core.theory.model_size import BYTES_FLOAT32
from core.weights import Weights, parameter_count, unflatten, weight_shapes

MAX_HEADER_BYTES = 1024 * 1024  # 24 layers need some 130 kB; safetensors allows 100 MB
_LENGTH_BYTES = 8  # of the header's length, little-endian, before the header
_DTYPES = {"F32": np.float32, "F16": np.float16}


def check_weights_size(size: int, config: ModelConfig) -> None:
    """Check that a file of `size` bytes is not larger than the model's weights.

    Raises:
        CheckpointError: it is larger than all weights as float32 with their header.
    """
    most = parameter_count(config) * BYTES_FLOAT32 + MAX_HEADER_BYTES + _LENGTH_BYTES
    if size > most:
        raise CheckpointError(
            _("{file} must have at most {most} bytes for the model in config.json. Received: {size}").format(
                file=WEIGHTS, most=number(most, ","), size=number(size, ",")
            )
        )


def read_weights(data: bytes, config: ModelConfig) -> tuple[Weights, bool]:
    """Return the weights as float32, and whether the file has them as float16.

    Every name, shape and dtype is checked against the config before any array is created.

    Raises:
        CheckpointError: the file is damaged, or its weights do not fit the config or are not finite.
    """
    arrays = _deserialize(data)
    expected = weight_shapes(config)
    if missing := sorted(expected.keys() - arrays.keys()):
        raise CheckpointError(
            _("{file} lacks {count} weight(s), among them {weight}.").format(
                file=WEIGHTS, count=len(missing), weight=missing[0]
            )
        )
    if extra := sorted(arrays.keys() - expected.keys()):
        raise CheckpointError(
            _("{file} has {count} weight(s) the model has no place for, among them {weight}.").format(
                file=WEIGHTS, count=len(extra), weight=extra[0][:120]
            )
        )
    for name, shape in expected.items():
        received = tuple(arrays[name]["shape"])
        if received != shape:
            raise CheckpointError(
                _("{file}: {weight} must have the shape {shape}. Received: {received}").format(
                    file=WEIGHTS, weight=name, shape=shape, received=received
                )
            )
        if arrays[name]["dtype"] not in _DTYPES:
            raise CheckpointError(
                _("{file}: {weight} must be float32 or float16. Received: {received}").format(
                    file=WEIGHTS, weight=name, received=arrays[name]["dtype"]
                )
            )
    half_precision = all(entry["dtype"] == "F16" for entry in arrays.values())
    # As parts of one vector, which lies in large pages of memory that are read faster.
    weights = unflatten(np.empty(parameter_count(config), np.float32), config)
    for name, array in weights.items():
        entry = arrays.pop(name)  # frees the stored bytes
        array[...] = np.frombuffer(entry["data"], _DTYPES[entry["dtype"]]).reshape(array.shape)
    if bad := [name for name, array in weights.items() if not np.isfinite(array).all()]:
        raise CheckpointError(
            _("{file}: {weight} has entries that are not finite numbers.").format(file=WEIGHTS, weight=bad[0])
        )
    return weights, half_precision


def write_weights(weights: Weights, half_precision: bool) -> bytes:
    """Return the weights as the bytes of a safetensors file, in float16 or float32."""
    dtype = np.float16 if half_precision else np.float32
    return safetensors.numpy.save({name: np.asarray(array, dtype) for name, array in weights.items()})


def _deserialize(data: bytes) -> dict[str, dict[str, Any]]:
    """Return dtype, shape and bytes of each array by its name."""
    header = int.from_bytes(data[:_LENGTH_BYTES], "little")
    # Checked before the header is parsed: a million empty arrays would take seconds and a gigabyte.
    if MAX_HEADER_BYTES < header <= len(data) - _LENGTH_BYTES:
        raise CheckpointError(
            _("{file} must have a header of at most {most} bytes. Received: {received}").format(
                file=WEIGHTS, most=number(MAX_HEADER_BYTES, ","), received=number(header, ",")
            )
        )
    try:
        return dict(safetensors.deserialize(data))
    except safetensors.SafetensorError as error:
        raise CheckpointError(
            _("{file} is damaged or not a safetensors file.").format(file=WEIGHTS)
        ) from error

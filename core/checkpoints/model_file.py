"""NAME.safetensors: a model in one file.

    8 bytes    the length of the header, little-endian
    header     JSON: dtype, shape and place of each weight under its name in `core.weights`, and under "__metadata__" one
               text, that of `write_description`
    weights    float32 or float16, without gaps

What is read next is known before to be small, and to fit what was read already. All of it is data: nothing is unpickled
or executed.
"""

import json
import math
import os
import tempfile
from pathlib import Path
from typing import Any, BinaryIO, Literal

import numpy as np
import safetensors.numpy

from core.checkpoints.description import Description, read_description, write_description
from core.checkpoints.limits import CheckpointError, OpenLimits
from core.config import ModelConfig
from core.described import described, read
from core.errors import InputError
from core.language import N_, _, number
from core.weights import Weights, parameter_count, unflatten, weight_shapes

SUFFIX = ".safetensors"
MAX_HEADER_BYTES = 4 * 2**20
_LENGTH_BYTES = 8
_METADATA = "__metadata__"
_KEY = "transformer_classroom"
_DTYPES: dict[str, np.dtype[Any]] = {"F16": np.dtype(np.float16), "F32": np.dtype(np.float32)}
NO_MODEL = N_(
    "This is not a model file. A model is one file, NAME.safetensors. For a model of an earlier version, a folder or a "
    "zip, unzip the zip and run: python -m core convert FOLDER NAME"
)

Header = dict[str, Any]  # by name of a weight, unchecked


@described
class _Place:
    """Where a weight is in a file."""

    dtype: Literal["F16", "F32"]
    shape: tuple[int, ...]
    data_offsets: tuple[
        int, int
    ]  # its first byte and the one after its last, counted from the end of the header


def write_model(model: Description, weights: Weights, half_precision: bool) -> bytes:
    """Return the file of a model, with weights in float16 or float32.

    Raises:
        CheckpointError: its description is too long.
    """
    dtype = np.float16 if half_precision else np.float32
    arrays = {name: np.asarray(array, dtype) for name, array in weights.items()}
    data: bytes = safetensors.numpy.save(arrays, {_KEY: write_description(model)})
    _check_length(int.from_bytes(data[:_LENGTH_BYTES], "little"))
    return data


def read_model(file: BinaryIO, limits: OpenLimits) -> tuple[Description, Weights, bool]:
    """Return what a file says of a model, the weights as float32, and whether the file has them as float16.

    Raises:
        CheckpointError: it is not a model, or is damaged, or is larger than `limits` allow.
    """
    model, header = read_header(file)
    limits.check(model)
    places = _places(header, model.config, _bytes_left(file))
    # As parts of one vector, which lies in large pages of memory that are read faster.
    weights = unflatten(np.empty(parameter_count(model.config), np.float32), model.config)
    for name, place in places.items():
        first, end = place.data_offsets
        stored = np.frombuffer(file.read(end - first), _DTYPES[place.dtype])
        weights[name][...] = stored.reshape(place.shape)
        if not np.isfinite(weights[name]).all():
            raise CheckpointError(_("{weight} has entries that are not finite numbers.").format(weight=name))
    return model, weights, all(place.dtype == "F16" for place in places.values())


def read_header(file: BinaryIO) -> tuple[Description, Header]:
    """Return what a file says of a model, and where it has the weights.

    Raises:
        CheckpointError: it is not a model, or what it says is wrong.
    """
    length = int.from_bytes(file.read(_LENGTH_BYTES), "little")
    if length > _bytes_left(file):
        raise CheckpointError(_(NO_MODEL))
    _check_length(length)
    try:
        header = _parsed(file.read(length).decode())
        text = header.pop(_METADATA)[_KEY]
        _parsed(text)  # refuses what pydantic takes: a name that is there twice
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise CheckpointError(_(NO_MODEL)) from error
    try:
        return read_description(text), header
    except InputError as error:
        raise CheckpointError(str(error)) from error


def check_writable(path: Path) -> None:
    """Check that a model can be written to a file, before a long training run.

    Raises:
        CheckpointError: the path is a folder or has another file, or cannot be written.
    """
    path = path.resolve()
    there = next(each for each in path.parents if each.exists())
    try:
        with tempfile.TemporaryFile(dir=there):  # permissions do not tell everything
            pass
        if path.exists():
            with path.open("rb") as file:
                read_header(file)
    except OSError as error:
        raise CheckpointError(f"Cannot write {path}: {error.strerror or error}.") from error
    except CheckpointError as error:
        raise CheckpointError(f"{path} is another file. Give another name.") from error


def _check_length(length: int) -> None:
    if length > MAX_HEADER_BYTES:
        text = _("The header of a model has at most {most} MiB. Received: {received} MiB")
        most = number(MAX_HEADER_BYTES / 2**20, ",.0f")
        raise CheckpointError(text.format(most=most, received=number(length / 2**20, ",.1f")))


def _parsed(text: str) -> dict[str, Any]:
    """Return the object that a JSON text has, or raise a ValueError."""

    def each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        values = dict(pairs)
        if len(values) != len(pairs):
            raise ValueError("a name is there twice")
        return values

    values = json.loads(text, object_pairs_hook=each_once)
    if not isinstance(values, dict):
        raise ValueError("no object")
    return values


def _places(header: Header, config: ModelConfig, size: int) -> dict[str, _Place]:
    """Return the places of the weights, in the file's order.

    Args:
        header: from `read_header`.
        config: of the model.
        size: bytes after the header.
    """
    shapes = weight_shapes(config)
    if wrong := sorted(shapes.keys() ^ header.keys()):
        text = _("The file must have its model's weights and no others. Missing or superfluous: {weight}")
        raise CheckpointError(text.format(weight=f"{wrong[0]:.120}"))
    places = {}
    for name, shape in shapes.items():
        try:
            places[name] = read(_Place, header[name])
        except InputError as error:
            raise CheckpointError(f"{name}: {error}") from error
        if places[name].shape != shape:
            text = _("{weight} must have the shape {shape}. Received: {received}")
            raise CheckpointError(
                text.format(weight=name, shape=shape, received=f"{places[name].shape!s:.80}")
            )
    places = dict(sorted(places.items(), key=lambda item: item[1].data_offsets))
    end = 0
    for place in places.values():
        first, end = end, end + math.prod(place.shape) * _DTYPES[place.dtype].itemsize
        if place.data_offsets != (first, end):
            raise CheckpointError(_("The file is damaged: its weights must follow each other without gaps."))
    if end != size:
        text = _("The file is damaged: its weights must have {most} bytes. Received: {received}")
        raise CheckpointError(text.format(most=number(end, ","), received=number(size, ",")))
    return places


def _bytes_left(file: BinaryIO) -> int:
    """Return how many bytes there are from the place of reading to the end."""
    here = file.tell()
    end = file.seek(0, os.SEEK_END)
    file.seek(here)
    return end - here

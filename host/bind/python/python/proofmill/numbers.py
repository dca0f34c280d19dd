"""Numbers as users have them, and as the engines take them: little-endian bytes of a fixed width.

An argument of numbers is one of three things, and the result is the same thing:

- a numpy array of ``uint64`` limbs, least significant first, such as ``[n, 4]`` for scalars of 32 bytes and ``[n, 2, 4]`` for points of BN254;
- ``bytes``, ``bytearray``, ``memoryview``: the numbers one after the other;
- a sequence of ``int`` (for points: of ``(x, y)``; in G2 a coordinate is ``(c0, c1)``; ``None`` is the identity).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from .errors import ArgumentError


def is_array(value: Any) -> bool:
    """Whether this is a numpy array, without importing numpy for those who do not use it."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.ndarray)


def pack(argument: str, values: Any, width: int) -> Any:
    """Bytes of numbers of `width` bytes each, or a view of them."""
    if (given := _given(argument, values)) is not None:
        return given
    return b"".join(_number(f"{argument}[{index}]", value, width) for index, value in enumerate(_sequence(argument, values)))


def pack_points(argument: str, values: Any, width: int, extension: int) -> Any:
    """Bytes of points with coordinates of `extension` numbers of `width` bytes."""
    if (given := _given(argument, values)) is not None:
        return given
    return b"".join(_point(f"{argument}[{index}]", point, width, extension) for index, point in enumerate(_sequence(argument, values)))


def like(model: Any, data: bytes, width: int) -> Any:
    """Numbers in the form of `model`."""
    if is_array(model):
        return _array(data, (-1, width // 8))
    if isinstance(model, (bytes, bytearray, memoryview)):
        return data
    return [int.from_bytes(data[at : at + width], "little") for at in range(0, len(data), width)]


def points_like(model: Any, data: bytes, width: int, extension: int) -> Any:
    """Points in the form of `model`."""
    if is_array(model):
        return _array(data, (-1, 2, extension * width // 8))
    if isinstance(model, (bytes, bytearray, memoryview)):
        return data
    size = 2 * extension * width
    return [_unpacked(data[at : at + size], width, extension) for at in range(0, len(data), size)]


def _given(argument: str, values: Any) -> Any:
    """A view of numbers that are bytes already, or limbs; None for a sequence."""
    if is_array(values):
        return _limbs(argument, values)
    if isinstance(values, (bytes, bytearray)):
        return values
    return values.cast("B") if isinstance(values, memoryview) else None


def _sequence(argument: str, values: Any) -> Sequence[Any]:
    if isinstance(values, (str, int)) or not hasattr(values, "__iter__"):
        raise ArgumentError(f"{argument}: {type(values).__name__}; expected a numpy array of uint64, bytes, or a sequence of numbers")
    return list(values)


def _number(argument: str, value: Any, width: int) -> bytes:
    try:
        return int.to_bytes(value.__index__(), width, "little")
    except AttributeError:
        raise ArgumentError(f"{argument}: {type(value).__name__}; expected an int") from None
    except OverflowError:
        raise ArgumentError(f"{argument}: {'negative' if value < 0 else f'more than {width} bytes'}") from None


def _point(argument: str, point: Any, width: int, extension: int) -> bytes:
    if point is None:
        return bytes(2 * extension * width)
    if not isinstance(point, Sequence) or len(point) != 2:
        raise ArgumentError(f"{argument}: expected (x, y), or None for the identity")
    parts = []
    for name, coordinate in zip("xy", point):
        named = f"{argument}.{name}"
        if extension == 1:
            parts.append(_number(named, coordinate, width))
            continue
        if not isinstance(coordinate, Sequence) or len(coordinate) != extension:
            raise ArgumentError(f"{named}: expected {extension} numbers, the coefficient of 1 first")
        parts += [_number(f"{named}[{index}]", value, width) for index, value in enumerate(coordinate)]
    return b"".join(parts)


def _unpacked(data: bytes, width: int, extension: int) -> Any:
    if not any(data):
        return None
    numbers = [int.from_bytes(data[at : at + width], "little") for at in range(0, len(data), width)]
    if extension == 1:
        return tuple(numbers)
    return tuple(numbers[:extension]), tuple(numbers[extension:])


def _limbs(argument: str, values: Any) -> Any:
    if values.dtype != "<u8":
        raise ArgumentError(f"{argument}: an array of {values.dtype}; expected uint64 limbs, least significant first")
    if not values.flags.c_contiguous:
        values = values.copy(order="C")
    return memoryview(values).cast("B") if values.size else b""


def _array(data: bytes, shape: tuple[int, ...]) -> Any:
    import numpy

    return numpy.frombuffer(data, dtype="<u8").reshape(shape)

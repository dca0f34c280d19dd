"""Converts numbers between the forms of Python and the form of the engines: little-endian bytes of a fixed width.

An argument of numbers has one of three forms, and the result has the same form:

- a numpy array of ``uint64`` limbs of either byte order, least significant limb first. The last axis has the limbs: ``(n, 4)`` for scalars
  of 32 bytes, ``(n, 2, 4)`` or ``(n, 8)`` for points of BN254's G1, ``(n, 2, 2, 4)`` or ``(n, 4, 4)`` for points of its G2. Any other shape
  is refused. Strides and order of memory do not matter;
- ``bytes``, ``bytearray``, ``memoryview`` of bytes: the numbers one after the other;
- a sequence of integers (for points: of ``(x, y)``; in G2 a coordinate is ``(c0, c1)``; ``None`` is the identity). An integer is an
  ``int``, anything with ``__index__`` such as ``numpy.uint64``, or a field element such as py_ecc's ``FQ``. A numpy array with
  ``dtype=object`` is a sequence.
"""

from __future__ import annotations

import numbers
import sys
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

from .errors import ArgumentError

#: Formats of the buffer protocol whose items are bytes.
BYTE_FORMATS = ("B", "b", "c")


def is_array(value: Any) -> bool:
    """Returns whether this is a numpy array of limbs. Does not import numpy for those who do not use it."""
    return _is_numpy(value) and value.dtype != object


def pack(argument: str, values: Any, width: int, *, inner: int | None = None) -> Any:
    """Returns the bytes of numbers of `width` bytes each, or a view of them. An array may have an axis of `inner` numbers before the limbs."""
    limbs = width // 8
    tails = [(limbs,)] + ([()] if limbs == 1 else []) + ([(inner, limbs)] if inner is not None else [])
    if (packed := _packed(argument, values, width, tails)) is not None:
        return packed
    return _join(argument, sequence(argument, values), width)


def pack_one(argument: str, value: Any, width: int) -> bytes:
    """Returns the bytes of an integer."""
    return _number(argument, None, value, width)


def pack_points(argument: str, values: Any, width: int, extension: int) -> Any:
    """Returns the bytes of points with coordinates of `extension` numbers of `width` bytes each, or a view of them."""
    if (packed := _packed(argument, values, 2 * extension * width, point_tails(width, extension))) is not None:
        return packed
    return b"".join(_point(f"{argument}[{index}]", point, width, extension) for index, point in enumerate(sequence(argument, values)))


def point_tails(width: int, extension: int) -> list[tuple[int, ...]]:
    """Returns the shapes that a point may have in an array, the usual one first."""
    limbs = width // 8
    return [(2, limbs), (2 * limbs,)] if extension == 1 else [(2, 2, limbs), (4, limbs)]


def like(model: Any, data: bytes, width: int) -> Any:
    """Returns numbers in the form of `model`."""
    if is_array(model):
        return _array(data, () if model.ndim == 1 and width == 8 else (width // 8,))
    if isinstance(model, (bytes, bytearray, memoryview)):
        return data
    return [int.from_bytes(data[at : at + width], "little") for at in range(0, len(data), width)]


def points_like(model: Any, data: bytes, width: int, extension: int, tail: tuple[int, ...] | None = None) -> Any:
    """Returns points in the form of `model`; in an array each has the shape `tail`, or else the usual one."""
    if is_array(model):
        return _array(data, tail or point_tails(width, extension)[0])
    if isinstance(model, (bytes, bytearray, memoryview)):
        return data
    size = 2 * extension * width
    return [_unpacked(data[at : at + size], width, extension) for at in range(0, len(data), size)]


def integer(argument: str, value: Any) -> int:
    """Returns the integer that a value is. Floats, decimals, strings and booleans are refused: none of them becomes an integer by accident."""
    if type(value) is int:
        return value
    kind = type(value).__name__
    if isinstance(value, (str, bytes, bytearray)):
        raise ArgumentError(f"{argument}: {kind}; expected an integer: convert digits by int(…), bytes by int.from_bytes(…)")
    is_number = isinstance(value, numbers.Number) and not isinstance(value, numbers.Integral)
    if not is_number and not isinstance(value, bool) and kind not in ("bool_", "bool"):
        # What has __float__ too, such as an array of one float, would be rounded by __int__.
        conversions = [lambda: value.__index__(), lambda: value.n.__index__()]
        if not hasattr(value, "__float__"):
            conversions.append(lambda: value.__int__())
        for convert in conversions:
            try:
                return int(convert())
            except (AttributeError, TypeError):
                pass
    raise ArgumentError(f"{argument}: {kind}; expected an integer")


def whole(argument: str, value: Any, most: int = 2**32 - 1) -> int:
    """Returns an integer from 0 to `most`."""
    number = integer(argument, value)
    if not 0 <= number <= most:
        raise ArgumentError(f"{argument}: {number}; expected 0 to {most}")
    return number


def plain_bytes(argument: str, value: Any) -> bytes:
    """Returns the bytes of a bytes-like object. An integer is refused, of which `bytes` would make so many zeros."""
    if isinstance(value, bytes):
        return value
    try:
        view = memoryview(value)
    except TypeError:
        hint = ": convert hex by bytes.fromhex(…)" if isinstance(value, str) else ""
        raise ArgumentError(f"{argument}: {type(value).__name__}; expected bytes{hint}") from None
    if view.format.lstrip("@=<>!") not in BYTE_FORMATS:
        raise ArgumentError(f"{argument}: {type(value).__name__} with items of format {view.format!r}; expected bytes")
    return view.tobytes()


def tuples_of_bytes(argument: str, items: Any, names: tuple[str, ...]) -> list[tuple[bytes, ...]]:
    """Returns tuples whose parts, of these names, are bytes."""
    found = []
    for index, item in enumerate(sequence(argument, items)):
        if not isinstance(item, (tuple, list)) or len(item) != len(names):
            raise ArgumentError(f"{argument}[{index}]: expected ({', '.join(names)}), each bytes")
        found.append(tuple(plain_bytes(f"{argument}[{index}].{name}", part) for name, part in zip(names, item)))
    return found


def is_sequence(values: Any) -> bool:
    """Returns whether `sequence` takes this, or it is an array."""
    if _is_numpy(values):
        return True
    unordered = isinstance(values, (str, Mapping, Set)) or _has_buffer(values)
    return isinstance(values, Iterable) and not unordered


def sequence(argument: str, values: Any) -> list[Any]:
    """Returns the items of an ordered iterable."""
    kind = type(values).__name__
    if _is_numpy(values):
        items = values.tolist()
        if isinstance(items, list):
            return items
    elif isinstance(values, (Mapping, Set)):
        raise ArgumentError(f"{argument}: {kind}, which has no order of its items; expected a list")
    elif isinstance(values, Iterable) and not isinstance(values, str) and not _has_buffer(values):
        return list(values)
    raise ArgumentError(f"{argument}: {kind}; expected a numpy array of uint64, bytes, or a sequence of numbers")


def _packed(argument: str, values: Any, size: int, tails: list[tuple[int, ...]]) -> Any:
    """Returns a view of numbers that are bytes already, or limbs; None for a sequence. `size` is that of an item in bytes."""
    if is_array(values):
        return _limbs(argument, values, tails)
    if not isinstance(values, (bytes, bytearray, memoryview)):
        return None
    packed = values if isinstance(values, (bytes, bytearray)) else plain_bytes(argument, values)
    if len(packed) % size:
        raise ArgumentError(f"{argument}: {len(packed)} bytes; expected a multiple of {size}")
    return packed


def _limbs(argument: str, values: Any, tails: list[tuple[int, ...]]) -> Any:
    import numpy

    expected = " or ".join("(" + ", ".join(["n", *map(str, tail)]) + ("," if not tail else "") + ")" for tail in tails)
    if values.dtype.kind != "u" or values.dtype.itemsize != 8:
        raise ArgumentError(f"{argument}: an array of {values.dtype}; expected uint64 limbs of shape {expected}, or integers with dtype=object")
    if isinstance(values, numpy.ma.MaskedArray):
        raise ArgumentError(f"{argument}: a masked array; expected one without a mask")
    if values.ndim == 0 or values.shape[1:] not in tails:
        raise ArgumentError(f"{argument}: an array of shape {values.shape}; expected {expected}, the limbs of a number on the last axis")
    values = numpy.ascontiguousarray(values, dtype="<u8")
    return memoryview(values).cast("B") if values.size else b""


def _join(argument: str, values: list[Any], width: int) -> bytearray:
    """Returns the bytes of integers. Each is written to its place, so that no other copy of all remains in memory."""
    packed, at = bytearray(len(values) * width), 0
    for value in values:
        packed[at : at + width] = _number(argument, at // width, value, width)
        at += width
    return packed


def _number(argument: str, index: int | None, value: Any, width: int) -> bytes:
    named = argument if index is None else f"{argument}[{index}]"
    number = value if type(value) is int else integer(named, value)
    try:
        return number.to_bytes(width, "little")
    except OverflowError:
        raise ArgumentError(f"{named}: {'negative' if number < 0 else f'more than {width} bytes'}") from None


def _point(argument: str, point: Any, width: int, extension: int) -> bytes:
    if point is None:
        return bytes(2 * extension * width)
    if not isinstance(point, Sequence) or isinstance(point, (str, bytes, bytearray)) or len(point) != 2:
        projective = "; normalize projective points first" if isinstance(point, Sequence) and len(point) == 3 else ""
        raise ArgumentError(f"{argument}: expected (x, y), or None for the identity{projective}")
    parts = []
    for name, coordinate in zip("xy", point):
        named = f"{argument}.{name}"
        if extension == 1:
            parts.append(_number(named, None, coordinate, width))
            continue
        coordinate = getattr(coordinate, "coeffs", coordinate)
        if not isinstance(coordinate, Sequence) or isinstance(coordinate, (str, bytes, bytearray)) or len(coordinate) != extension:
            raise ArgumentError(f"{named}: expected {extension} numbers, the coefficient of 1 first")
        parts += [_number(named, index, value, width) for index, value in enumerate(coordinate)]
    return b"".join(parts)


def _unpacked(data: bytes, width: int, extension: int) -> Any:
    if not any(data):
        return None
    found = [int.from_bytes(data[at : at + width], "little") for at in range(0, len(data), width)]
    if extension == 1:
        return tuple(found)
    return tuple(found[:extension]), tuple(found[extension:])


def _is_numpy(value: Any) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.ndarray)


def _has_buffer(value: Any) -> bool:
    """Returns whether this is another kind of array: its items may be bytes, numbers or limbs."""
    try:
        memoryview(value)
    except TypeError:
        return False
    return True


def _array(data: bytes, tail: tuple[int, ...]) -> Any:
    import numpy

    return numpy.frombuffer(data, dtype="<u8").reshape((-1, *tail))

"""Devices and their operations."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from . import _native, _numbers
from .errors import ArgumentError

Check = Literal["none", "curve", "subgroup"]
_CHECKS = {"none": 0, "curve": 1, "subgroup": 2}

#: Bytes of a base-field number, and numbers of a coordinate.
_GROUPS = {
    "bn254_g1": (32, 1), "bn254_g2": (32, 2), "bls12_381_g1": (48, 1), "bls12_381_g2": (48, 2),
    "bls12_377_g1": (48, 1), "bls12_377_g2": (48, 2), "pallas_g1": (32, 1), "vesta_g1": (32, 1),
}
_SCALAR = 32


@dataclass(frozen=True)
class Verdict:
    """The result of a verification. It is true if nothing is wrong; else `errors` names everything that is."""

    errors: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return not self.errors

    def __str__(self) -> str:
        return "valid" if self else "invalid: " + ", ".join(self.errors)


@dataclass(frozen=True)
class Info:
    """The description of a device."""

    uri: str
    kind: str
    description: str
    capabilities: tuple[str, ...]
    queue: int


class Device:
    """A device by its URI: ``"cpu:"``, ``"cpu:?threads=4"``, ``"sim:card"``, ``"cuda:0"``. Several threads may use it.

    A process that is forked later can use a ``cpu:`` device of its parent; it starts threads of its own. Other devices raise a `DeviceError`
    there: open them in the child.
    """

    def __init__(self, uri: str = "cpu:") -> None:
        self._inner = _native.Device(_name("uri", uri))
        uri, kind, description, capabilities, queue = self._inner.info()
        self.info = Info(uri, kind, description, tuple(capabilities), queue)

    def __repr__(self) -> str:
        return f"Device({self.info.uri!r})"

    def msm(self, group: str, points: Any, scalars: Any, *, check: Check = "subgroup") -> Any:
        """Computes the sum of k_i P_i in a group such as ``"bn254_g1"``. Returns one point, in the form of `points`.

        Scalars are below r. Points are checked to be on the curve and in the subgroup; ``check="none"`` skips that for points that are
        known to be. See `proofmill` for the forms of numbers.
        """
        width, extension = _group(group)
        packed = _numbers.pack_points("points", points, width, extension)
        point = self._inner.msm(group, _check(check), packed, _numbers.pack("scalars", scalars, _SCALAR))
        tail = points.shape[1:] if _numbers.is_array(points) else None
        return _one(points, point, width, extension, tail)

    def bases(self, group: str, points: Any, *, check: Check = "subgroup", max_bytes: int = 0) -> "Bases":
        """Loads points on the device, for many MSMs. With precomputed multiples they take at most `max_bytes`."""
        width, extension = _group(group)
        limit = _numbers.whole("max_bytes", max_bytes, sys.maxsize)
        packed = _numbers.pack_points("points", points, width, extension)
        return Bases(self._inner.bases(group, _check(check), limit, packed), group)

    def ntt(self, field: str, elements: Any, *, inverse: bool = False, shift: Any = None) -> Any:
        """Evaluates a polynomial at the powers of a root of unity, in natural order; interpolates it, if `inverse`.

        `field` is ``"goldilocks"``, ``"bn254_fr"``, ``"bls12_381_fr"``, ...; the number of elements is a power of two. `shift`
        is that of a coset: an integer, or the bytes of an element. The result has the form of `elements`.
        """
        width = _native.field_bytes(_name("field", field))
        if isinstance(shift, (bytes, bytearray, memoryview)):
            shift = _numbers.plain_bytes("shift", shift)
            if len(shift) != width:
                raise ArgumentError(f"shift: {len(shift)} bytes; expected {width}")
        elif shift is not None:
            shift = _numbers.pack_one("shift", shift, width)
        done = self._inner.ntt(field, _flag("inverse", inverse), shift, _numbers.pack("elements", elements, width))
        return _numbers.like(elements, done, width)

    def poseidon(self, preimages: Any, arity: int) -> Any:
        """Computes Filecoin's Poseidon: a digest for each preimage of `arity` elements (2 to 36), which follow one after the other.

        Elements are below the order of BLS12-381's scalars. An array of preimages may have the shape ``(n, arity, 4)``, too. The digests
        have the form of `preimages`.
        """
        arity = _numbers.whole("arity", arity)
        packed = _numbers.pack("preimages", preimages, _SCALAR, inner=arity)
        return _numbers.like(preimages, self._inner.poseidon(arity, packed), _SCALAR)

    def vdf_evaluate(self, modulus: int | str, input: int, squarings: int) -> int:
        """Computes y = x^(2^squarings) modulo N and returns the smaller of y and N - y.

        `modulus` is odd, of 1,024 to 4,096 bits and of unknown factors, or ``"rsa-1024"`` or ``"rsa-2048"``. `input` is x, from 2 to N - 2.
        """
        return int(self._inner.vdf_evaluate(*_vdf_claim(modulus, input, squarings)), 16)

    def vdf_prove(self, modulus: int | str, input: int, squarings: int, *, max_bytes: int = 256 << 20) -> dict[str, Any]:
        """Evaluates as `vdf_evaluate` does, and proves the output (Wesolowski, ePrint 2018/623) in at most `max_bytes` of memory.

        Returns the proof as `vdf_verify` and the command ``proofmill vdf verify`` take it.
        """
        claim = _vdf_claim(modulus, input, squarings)
        return json.loads(self._inner.vdf_prove(*claim, _numbers.whole("max_bytes", max_bytes, 2**64 - 1)))

    def ecdsa_verify_batch(
        self, signatures: Iterable[tuple[bytes, bytes, bytes]], *, form: Literal["der", "compact"] = "der", low_s: bool = False
    ) -> list[Verdict]:
        """Verifies signatures on secp256k1.

        Each is a tuple of the key (SEC 1, 33 or 65 bytes), the signature (strict DER, or r and s of 32 bytes each), and the digest of 32
        bytes. With `low_s`, an s above n / 2 is wrong, as in Bitcoin's relay policy.
        """
        if form not in ("der", "compact"):
            raise ArgumentError(f"form: {form!r}; expected 'der' or 'compact'")
        items = _numbers.tuples_of_bytes("signatures", signatures, ("key", "signature", "digest"))
        for index, (_, _, digest) in enumerate(items):
            if len(digest) != 32:
                raise ArgumentError(f"signatures[{index}].digest: {len(digest)} bytes; expected 32")
        verdicts = self._inner.ecdsa_verify_batch(form == "der", _flag("low_s", low_s), items)
        return [Verdict(tuple(errors)) for errors in verdicts]

    def equihash_verify_batch(self, headers: Any, *, n: int = 200, k: int = 9, network: str = "main") -> list[Verdict]:
        """Verifies block headers (140 bytes, CompactSize, solution): bytes of them one after the other, or a sequence of bytes.

        `network` is ``"main"``, ``"test"``, ``"regtest"``, or ``"none"``: the difficulty is not checked.
        """
        n, k = _numbers.whole("n", n), _numbers.whole("k", k)
        packed = _packed("headers", headers, _native.equihash_header_bytes(n, k))
        return [Verdict(tuple(errors)) for errors in self._inner.equihash_verify_batch(n, k, _name("network", network), packed)]

    def equihash_solve(
        self, headers: Any, *, n: int = 200, k: int = 9, personalisation: bytes = b"ZcashPoW", max_bytes: int | None = None
    ) -> list[list[bytes]]:
        """Finds the solutions of block headers, each the 140 bytes before the solution: bytes of them one after the other, or a sequence.

        Returns for each header its solutions, each as the whole header that `equihash_verify_batch` takes. There are 1.88 a header on average at
        (200,9). `max_bytes` limits the memory on ``cpu:``, where less takes more time: by default 1.7 GB, of which (200,9) takes some 110 MB.
        """
        params = (_numbers.whole("n", n), _numbers.whole("k", k))
        personalisation = _numbers.plain_bytes("personalisation", personalisation)
        if len(personalisation) != 8:
            raise ArgumentError(f"personalisation: {len(personalisation)} bytes; expected 8")
        if max_bytes is not None:
            max_bytes = _numbers.whole("max_bytes", max_bytes, 2**64 - 1)
        return self._inner.equihash_solve(params, personalisation, max_bytes, _packed("headers", headers, 140))


class Bases:
    """Points that are resident on a device: `Device.bases`."""

    def __init__(self, inner: Any, group: str) -> None:
        self._inner, self.group = inner, group

    def __len__(self) -> int:
        return len(self._inner)

    def __repr__(self) -> str:
        return f"Bases({len(self)} points of {self.group})"

    def msm(self, scalars: Any) -> Any:
        """Computes the sum of k_i P_i. Returns one point, in the form of `scalars`."""
        width, extension = _group(self.group)
        return _one(scalars, self._inner.msm(1, self._packed("scalars", scalars)), width, extension)

    def msm_batch(self, lists: Sequence[Any]) -> list[Any]:
        """Computes one MSM for each list of scalars, on the device one after the other."""
        width, extension = _group(self.group)
        lists = list(lists) if _numbers.is_array(lists) else _numbers.sequence("lists", lists)
        packed = b"".join(self._packed(f"lists[{index}]", scalars) for index, scalars in enumerate(lists))
        found, size = self._inner.msm(len(lists), packed), 2 * extension * width
        return [_one(scalars, found[at * size : (at + 1) * size], width, extension) for at, scalars in enumerate(lists)]

    def _packed(self, argument: str, scalars: Any) -> Any:
        packed = _numbers.pack(argument, scalars, _SCALAR)
        if len(packed) != len(self) * _SCALAR:
            raise ArgumentError(f"{argument}: {len(packed) // _SCALAR} scalars for {len(self)} points")
        return packed


@lru_cache(maxsize=8)
def _shared(uri: str) -> Device:
    return Device(uri)


def opened(device: Device | str | None) -> Device:
    """Returns a device, or the one that a URI names, which is opened once; ``"cpu:"`` for None."""
    if isinstance(device, Device):
        return device
    if device is None or isinstance(device, str):
        return _shared(device or "cpu:")
    raise ArgumentError(f"device: {type(device).__name__}; expected a Device or a URI")


def devices() -> list[str]:
    """Returns the URIs of the devices that can be opened on this machine."""
    return _native.devices()


def vdf_verify(proof: Mapping[str, Any] | str) -> bool:
    """Verifies a proof of a VDF: of Wesolowski or Pietrzak modulo N, or of Chia's VDF (see ``docs/use/vdf.md`` for the members)."""
    return _native.vdf_verify(proof if isinstance(proof, str) else json.dumps(dict(proof)))


def _packed(argument: str, items: Any, size: int) -> bytes:
    """Returns items of `size` bytes one after the other, from such bytes or from a sequence of items."""
    if isinstance(items, (bytes, bytearray, memoryview)):
        packed = _numbers.plain_bytes(argument, items)
        if len(packed) % size:
            raise ArgumentError(f"{argument}: {len(packed)} bytes; expected a multiple of {size}")
        return packed
    each = [_numbers.plain_bytes(f"{argument}[{index}]", item) for index, item in enumerate(_numbers.sequence(argument, items))]
    for index, item in enumerate(each):
        if len(item) != size:
            raise ArgumentError(f"{argument}[{index}]: {len(item)} bytes; expected {size}")
    return b"".join(each)


def _vdf_claim(modulus: int | str, input: int, squarings: int) -> tuple[str, str, int]:
    modulus = modulus if isinstance(modulus, str) else _natural("modulus", modulus)
    return modulus, _natural("input", input), _numbers.whole("squarings", squarings, 2**64 - 1)


def _natural(argument: str, value: Any) -> str:
    if (number := _numbers.integer(argument, value)) < 0:
        raise ArgumentError(f"{argument}: is negative")
    return hex(number)


def _group(group: str) -> tuple[int, int]:
    try:
        return _GROUPS[group]
    except (KeyError, TypeError):
        raise ArgumentError(f"group: {group!r} is unknown; expected one of {', '.join(_GROUPS)}") from None


def _check(check: str) -> int:
    try:
        return _CHECKS[check]
    except (KeyError, TypeError):
        raise ArgumentError(f"check: {check!r}; expected one of {', '.join(_CHECKS)}") from None


def _name(argument: str, value: Any) -> str:
    if not isinstance(value, str):
        raise ArgumentError(f"{argument}: {type(value).__name__}; expected a str")
    return value


def _flag(argument: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise ArgumentError(f"{argument}: {type(value).__name__}; expected True or False")
    return value


def _one(model: Any, data: bytes, width: int, extension: int, tail: tuple[int, ...] | None = None) -> Any:
    points = _numbers.points_like(model, data, width, extension, tail)
    return points if isinstance(points, bytes) else points[0]

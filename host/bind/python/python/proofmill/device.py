"""Devices, and what they are asked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from . import _native, numbers
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
    """What a verification found. True if nothing is wrong; else `errors` names all that is."""

    errors: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return not self.errors

    def __str__(self) -> str:
        return "valid" if self else "invalid: " + ", ".join(self.errors)


@dataclass(frozen=True)
class Info:
    """What a device says of itself."""

    uri: str
    kind: str
    description: str
    capabilities: tuple[str, ...]
    queue: int


class Device:
    """A device by its URI: ``"cpu:"``, ``"cpu:?threads=4"``, ``"sim:card"``, ``"cuda:0"``. It may be used by several threads."""

    def __init__(self, uri: str = "cpu:") -> None:
        self._inner = _native.Device(uri)
        uri, kind, description, capabilities, queue = self._inner.info()
        self.info = Info(uri, kind, description, tuple(capabilities), queue)

    def __repr__(self) -> str:
        return f"Device({self.info.uri!r})"

    def msm(self, group: str, points: Any, scalars: Any, *, check: Check = "none") -> Any:
        """The sum of k_i P_i in a group such as ``"bn254_g1"``: one point, in the form of `points`.

        Scalars are below r. With `check`, points are looked at first. See `proofmill.numbers` for the forms.
        """
        width, extension = _group(group)
        packed = numbers.pack_points("points", points, width, extension)
        sum = self._inner.msm(group, _check(check), packed, numbers.pack("scalars", scalars, _SCALAR))
        return _one(points, sum, width, extension)

    def bases(self, group: str, points: Any, *, check: Check = "subgroup", room: int = 0) -> "Bases":
        """Points made resident, for many MSMs. `room`: bytes that they may take with precomputed multiples."""
        width, extension = _group(group)
        if room < 0:
            raise ArgumentError(f"room: {room} is negative")
        packed = numbers.pack_points("points", points, width, extension)
        return Bases(self._inner.bases(group, _check(check), room, packed), group)

    def ntt(self, field: str, elements: Any, *, inverse: bool = False, shift: Any = None) -> Any:
        """The values of a polynomial at the powers of a root of unity, in natural order; or back, if `inverse`.

        `field` is ``"goldilocks"``, ``"bn254_fr"``, ``"bls12_381_fr"``, ...; the number of elements is a power of two. `shift`
        is that of a coset: an int, or the bytes of an element. The result has the form of `elements`.
        """
        width = 8 if field == "goldilocks" else 32
        if shift is not None and not isinstance(shift, bytes):
            shift = numbers.pack("shift", [shift], width)
        done = self._inner.ntt(field, inverse, shift, numbers.pack("elements", elements, width))
        return numbers.like(elements, done, width)

    def poseidon(self, preimages: Any, *, arity: int) -> Any:
        """Filecoin's Poseidon: a digest for each preimage of `arity` elements (2 to 36), which stand one after the other.

        Elements are below the order of BLS12-381's scalars. The digests have the form of `preimages`.
        """
        if not isinstance(arity, int) or arity < 0:
            raise ArgumentError(f"arity: {arity!r}; expected 2 to 36")
        digests = self._inner.poseidon(arity, numbers.pack("preimages", preimages, _SCALAR))
        return numbers.like(preimages, digests, _SCALAR)

    def ecdsa_verify_batch(
        self, signatures: Iterable[tuple[bytes, bytes, bytes]], *, form: Literal["der", "compact"] = "der", low_s: bool = False
    ) -> list[Verdict]:
        """Verifies signatures on secp256k1: of each the key (SEC 1, 33 or 65 bytes), the signature (strict DER, or r and s of 32 bytes
        each), and the digest of 32 bytes. With `low_s`, an s above n / 2 is wrong, as in Bitcoin's relay policy.
        """
        if form not in ("der", "compact"):
            raise ArgumentError(f"form: {form!r}; expected 'der' or 'compact'")
        items = [_signature(index, item) for index, item in enumerate(signatures)]
        return [Verdict(tuple(errors)) for errors in self._inner.ecdsa_verify(form == "der", low_s, items)]

    def equihash_verify(self, headers: Any, *, n: int = 200, k: int = 9, network: str = "main") -> list[Verdict]:
        """Verifies block headers (140 bytes, CompactSize, solution): bytes of them one after the other, or a sequence of bytes.

        `network` is ``"main"``, ``"test"``, ``"regtest"``, or ``"none"``: the difficulty is not checked.
        """
        if not isinstance(headers, (bytes, bytearray, memoryview)):
            headers = b"".join(headers)
        return [Verdict(tuple(errors)) for errors in self._inner.equihash_verify(n, k, network, headers)]


class Bases:
    """Points that are resident on a device: `Device.bases`."""

    def __init__(self, inner: Any, group: str) -> None:
        self._inner, self.group = inner, group

    def __len__(self) -> int:
        return len(self._inner)

    def __repr__(self) -> str:
        return f"Bases({len(self)} points of {self.group})"

    def msm(self, scalars: Any) -> Any:
        """The sum of k_i P_i: one point, in the form of `scalars`."""
        width, extension = _group(self.group)
        return _one(scalars, self._inner.msm(1, numbers.pack("scalars", scalars, _SCALAR)), width, extension)

    def msm_batch(self, lists: Sequence[Any]) -> list[Any]:
        """One MSM for each list of scalars, on the device one after the other."""
        return [self.msm(scalars) for scalars in lists] if len(lists) < 2 else self._many(lists)

    def _many(self, lists: Sequence[Any]) -> list[Any]:
        width, extension = _group(self.group)
        packed = b"".join(bytes(numbers.pack(f"scalars[{index}]", scalars, _SCALAR)) for index, scalars in enumerate(lists))
        sums, size = self._inner.msm(len(lists), packed), 2 * extension * width
        return [_one(scalars, sums[at * size : (at + 1) * size], width, extension) for at, scalars in enumerate(lists)]


@lru_cache(maxsize=8)
def _shared(uri: str) -> Device:
    return Device(uri)


def opened(device: Device | str | None) -> Device:
    """A device, or the one that a URI names, which is opened once; nothing is ``"cpu:"``."""
    if isinstance(device, Device):
        return device
    if device is None or isinstance(device, str):
        return _shared(device or "cpu:")
    raise ArgumentError(f"device: {type(device).__name__}; expected a Device or a URI")


def devices() -> list[str]:
    """URIs of the devices that could be opened here."""
    return _native.devices()


def _group(group: str) -> tuple[int, int]:
    try:
        return _GROUPS[group]
    except (KeyError, TypeError):
        raise ArgumentError(f"group: {group!r} is unknown; expected one of {', '.join(_GROUPS)}") from None


def _check(check: str) -> int:
    if check not in _CHECKS:
        raise ArgumentError(f"check: {check!r}; expected one of {', '.join(_CHECKS)}")
    return _CHECKS[check]


def _one(model: Any, data: bytes, width: int, extension: int) -> Any:
    points = numbers.points_like(model, data, width, extension)
    return points if isinstance(points, bytes) else points[0]


def _signature(index: int, item: Any) -> tuple[bytes, bytes, bytes]:
    try:
        key, signature, digest = (bytes(part) for part in item)
    except (TypeError, ValueError):
        raise ArgumentError(f"signatures[{index}]: expected (key, signature, digest), each bytes") from None
    if len(digest) != 32:
        raise ArgumentError(f"signatures[{index}].digest: {len(digest)} bytes; expected 32")
    return key, signature, digest

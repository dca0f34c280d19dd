"""An MSM that is divided among the workers by ranges of its bases.

Worker w receives the scalars of range w only and returns one point for each list; the driver adds the points.

Confirmation. For the points S_j of a range with the scalar lists k_j, the driver chooses random 128-bit rho_j, and a sparse list d of random
scalars at a few random positions. Another worker computes S' with the scalars sum_j rho_j k_j + d. The driver computes the MSM R of d alone,
and accepts if S' = sum_j rho_j S_j + R. If the second worker is honest, a wrong S_j passes with the probability 2^-128. Two wrong workers pass
only if their errors agree under rho, which neither receives. R excludes workers that always return the identity. If the equation fails, the
driver computes S' itself, which shows the wrong worker.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any, Literal

from .. import _device
from ..errors import Error
from ._references import Bases, Range, point_bytes, read_part
from ._schedule import Batch, Finished, Job, Scheduler, WrongResult

_SCALAR = 32
#: Random scalars that a confirmation adds to a range.
_SPARSE = 8

#: The orders of the groups, by the curve.
ORDERS = {
    "bn254": 21888242871839275222246405745257275088548364400416034343698204186575808495617,
    "bls12_381": 52435875175126190479447740508185965837690552500527637822603658699938581184513,
    "bls12_377": 8444461749428370424248824938781546531375899335154063827935233455917409239041,
    "pallas": 28948022309329048855892746252171976963363056481941647379679742748393362948097,
    "vesta": 28948022309329048855892746252171976963363056481941560715954676764349967630337,
}


Confirm = Literal["workers", "driver", "none"]


@dataclass
class _Equation:
    """A confirmation of a range: the factors rho_j, the combined scalars, and the MSM R of the sparse list."""

    factors: list[int]
    scalars: bytes
    offset: bytes

    @classmethod
    def chosen(cls, bases: Range, slices: list[bytes], device: _device.Device) -> "_Equation":
        """Chooses a random equation."""
        order, size = ORDERS[bases.group.rsplit("_", 1)[0]], point_bytes(bases.group)
        factors = [secrets.randbits(128) | 1 << 128 for _ in slices]
        combined = combination(factors, slices, order)
        sparse = {secrets.randbelow(bases.count): 1 + secrets.randbelow(order - 1) for _ in range(_SPARSE)}
        for at, scalar in sparse.items():
            place = slice(at * _SCALAR, (at + 1) * _SCALAR)
            combined[place] = ((int.from_bytes(combined[place], "little") + scalar) % order).to_bytes(_SCALAR, "little")
        points = b"".join(read_part("bases", bases.path, (bases.start + at) * size, size) for at in sparse)
        return cls(factors, bytes(combined), device.msm(bases.group, points, packed(sparse.values())))

    def expected(self, group: str, points: list[bytes], device: _device.Device) -> bytes:
        """Returns sum_j rho_j S_j + R."""
        return device.msm(group, b"".join([*points, self.offset]), packed([*self.factors, 1]), check="none")


@dataclass
class _Part:
    """A range of the bases with its slice of each list of scalars, and what is found for it."""

    bases: Range
    slices: list[bytes]
    points: list[bytes] | None = None
    worker: str = ""
    equation: _Equation | None = None
    is_confirming: bool = False
    confirmation: bytes | None = None
    confirmed_by: str = ""
    truth: bytes | None = None  # the confirmation as the driver computes it


class ShardedMsm:
    """MSMs of one call: two kinds of jobs for each range of the bases, its points and their confirmation.

    `lists` are lists of scalars as bytes, `expires` is the deadline on the monotonic clock.
    """

    def __init__(
        self, scheduler: Scheduler, bases: Bases, lists: list[bytes], confirm: Confirm, priority: int, expires: float
    ) -> None:
        self._scheduler, self._group, self._lists, self._expires = scheduler, bases.group, lists, expires
        self._device, self._workers, self._batch = _device.opened(None), scheduler.usable, Batch("msm", priority)
        self._confirm = "driver" if confirm == "workers" and len(self._workers) < 2 else confirm
        self._parts = []
        for part in bases.ranges(max(1, len(self._workers))):
            place = slice(_SCALAR * part.start, _SCALAR * (part.start + part.count))
            self._parts.append(_Part(part, [values[place] for values in lists]))

    def points(self) -> list[bytes]:
        """Computes a point for each list."""
        try:
            for number in range(len(self._parts)):
                self._compute(number)
            # The equations are chosen while the workers compute.
            for number, part in enumerate(self._parts if self._confirm != "none" else ()):
                part.equation = _Equation.chosen(part.bases, part.slices, self._device)
                if self._confirm == "workers":
                    self._submit_confirmation(number, part)
            while self._batch.unread:
                self._finished(self._batch.take())
        finally:
            self._scheduler.cancel(self._batch)
        return [self._total(number) for number in range(len(self._lists))]

    def _compute(self, number: int, avoid: tuple[str, ...] = ()) -> None:
        """Submits the MSMs of a range."""
        part = self._parts[number]
        self._submit("points", number, b"".join(part.slices), len(self._lists), 0, avoid)

    def _submit_confirmation(self, number: int, part: _Part) -> None:
        """Submits the confirmation of a range, to the next worker."""
        assert part.equation is not None
        part.is_confirming = True
        self._submit("confirmation", number, part.equation.scalars, 1, 1, ())

    def _submit(self, method: str, number: int, scalars: bytes, lists: int, shift: int, avoid: tuple[str, ...]) -> None:
        bases = self._parts[number].bases
        prefer = self._workers[(number + shift) % len(self._workers)] if self._workers else None
        name = f"scalars {bases.start} to {bases.start + bases.count - 1}"

        def accept(value: Any, worker: str) -> tuple[str, list[bytes]]:
            return method, points_of(bases, lists, value, self._device)

        self._scheduler.submit(
            Job(self._batch, number, name, "msm", bases, (lists, scalars), accept, self._expires, prefer=prefer, avoid=set(avoid), label=method)
        )

    def _finished(self, finished: Finished) -> None:
        number, part = finished.job.number, self._parts[finished.job.number]
        if finished.job.label == "confirmation":
            part.is_confirming = False
            if finished.error is None:  # otherwise the driver confirms
                part.confirmation, part.confirmed_by = finished.value[1][0], finished.worker
        else:
            if finished.error is not None:
                raise finished.error
            part.points, part.worker = finished.value[1], finished.worker
        if self._confirm != "none" and part.points is not None and not part.is_confirming:
            self._check(number, part)

    def _check(self, number: int, part: _Part) -> None:
        """Compares the points of a range with their confirmation. If they differ, quarantines the wrong worker and repeats its part."""
        assert part.equation is not None and part.points is not None
        expected = part.equation.expected(self._group, part.points, self._device)
        if part.truth is None and part.confirmation == expected and part.confirmed_by != part.worker:
            return
        if part.truth is None:
            part.truth = self._device.msm(self._group, part.bases.read(), part.equation.scalars)
        if part.confirmation not in (None, part.truth):
            self._scheduler.quarantine(part.confirmed_by, f"a wrong MSM over {part.bases.count} bases")
            part.confirmation = None
        if expected != part.truth:
            wrong, part.points = part.worker, None
            self._scheduler.quarantine(wrong, f"a wrong MSM over {part.bases.count} bases")
            self._compute(number, (wrong,))

    def _total(self, number: int) -> bytes:
        """Returns the sum of the points of all ranges for a list."""
        points = [part.points[number] for part in self._parts if part.points is not None]
        return self._device.msm(self._group, b"".join(points), packed([1] * len(points)), check="none")


def combination(factors: list[int], slices: list[bytes], order: int) -> bytearray:
    """Returns the scalars sum_j rho_j k_j modulo the order."""
    combined = bytearray(len(slices[0]))
    views = [memoryview(values) for values in slices]
    read = int.from_bytes
    for at in range(0, len(combined), _SCALAR):
        end = at + _SCALAR
        combined[at:end] = (
            sum([factor * read(view[at:end], "little") for factor, view in zip(factors, views)]) % order
        ).to_bytes(_SCALAR, "little")
    return combined


def packed(scalars: Any) -> bytes:
    """Returns scalars as bytes."""
    return b"".join(scalar.to_bytes(_SCALAR, "little") for scalar in scalars)


def points_of(bases: Range, lists: int, value: Any, device: _device.Device) -> list[bytes]:
    """Returns the points that a worker returned. Raises `WrongResult` if they are not as many points of the group."""
    size = point_bytes(bases.group)
    if not isinstance(value, bytes) or len(value) != lists * size:
        raise WrongResult(f"not {lists} points of {bases.group}")
    try:
        device.msm(bases.group, value, packed([1] * lists))
    except Error as problem:
        raise WrongResult(f"not points of {bases.group}: {problem}") from None
    return [value[at : at + size] for at in range(0, len(value), size)]

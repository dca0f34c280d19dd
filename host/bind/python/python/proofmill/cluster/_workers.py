"""The worker: a Ray actor with its device, and the keys and bases that are resident on it."""

from __future__ import annotations

import os
import signal
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import ray

from .. import _snark
from ..errors import CancelledError, Error
from ._claims import verified
from ._outcome import Outcome

#: Keys and ranges of bases that a worker keeps; the least recently used is dropped first.
RESIDENT = 4
#: The interval in seconds between two checks for a cancellation.
_CHECK = 0.2


class Worker:
    """Computes jobs one at a time on a device, which is a URI.

    Jobs carry references (see `_references`), so a restart needs no state of the driver.
    """

    def __init__(self, device: str) -> None:
        self._device = device
        self._loaded: OrderedDict[Any, Any] = OrderedDict()

    def identify(self) -> tuple[str, str, int]:
        """Returns the id of the node, its address and the process number."""
        return ray.get_runtime_context().get_node_id(), ray.util.get_node_ip_address(), os.getpid()

    def prove(self, key: Any, kind: str, witness: bytes) -> Outcome:
        """Makes a `Proof`. `kind` is ``"file"`` for the bytes of a .wtns file or ``"values"`` for packed scalars."""
        return self._respond(key, lambda loaded: _snark._proof(loaded.prover._inner.prove((kind, witness), None)))

    def full_prove(self, key: Any, inputs: bytes) -> Outcome:
        """Makes a `Proof` from the inputs of a circuit, as JSON."""
        return self._respond(key, lambda loaded: loaded.prover.full_prove(loaded.calculator, inputs))

    def verify(self, verification_key: str, claims: list[tuple[str, str]]) -> Outcome:
        """Returns the indices of the claims, texts of public.json and proof.json, that are malformed or not valid."""

        def invalid(key: _snark.VerifyingKey) -> list[int]:
            return [index for index, verdict in enumerate(verified(key, claims)) if verdict is not True]

        return self._respond(_VerificationKey(verification_key), invalid)

    def msm(self, bases: Any, lists: int, scalars: bytes) -> Outcome:
        """Returns a point for each list of scalars over a range of bases."""
        return self._respond(bases, lambda loaded: loaded._inner.msm(lists, scalars))

    def _respond(self, reference: Any, compute: Callable[[Any], Any]) -> Outcome:
        begin = time.monotonic()
        try:
            loaded = self._resident(reference)
        except Error as problem:
            return Outcome("refused", error=type(problem).__name__, text=str(problem))
        try:
            with _cancellable():
                value = compute(loaded)
        except Error as problem:
            return Outcome("error", error=type(problem).__name__, text=str(problem), seconds=time.monotonic() - begin)
        return Outcome("value", value, seconds=time.monotonic() - begin)

    def _resident(self, reference: Any) -> Any:
        if reference in self._loaded:
            self._loaded.move_to_end(reference)
        else:
            while len(self._loaded) >= RESIDENT:
                self._loaded.popitem(last=False)
            self._loaded[reference] = reference.load(self._device)
        return self._loaded[reference]


@dataclass(frozen=True)
class _VerificationKey:
    """The text of verification_key.json, prepared for many proofs when it is loaded."""

    text: str

    def load(self, device: str) -> _snark.VerifyingKey:
        return _snark.VerifyingKey(self.text)


@contextmanager
def _cancellable() -> Iterator[None]:
    """Checks for a cancellation by the driver. Proofs check for signals, and Ray runs the methods of an actor on the main thread."""

    def check(*_: Any) -> None:
        if ray.get_runtime_context().is_canceled():
            raise CancelledError("cancelled by the driver")

    before = signal.signal(signal.SIGALRM, check)
    signal.setitimer(signal.ITIMER_REAL, _CHECK, _CHECK)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)

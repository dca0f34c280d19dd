"""Groth16 proofs with the files of circom and snarkjs."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from . import _native
from .errors import ArgumentError

#: A path, or the bytes of the file.
Source = str | os.PathLike[str] | bytes
#: The steps of a proof, which a bar takes for equal parts.
STEPS = ("sum A", "sum B1", "sum B2", "sum C", "rows", "quotient", "sum H", "assembly", "check")


class Bar(Protocol):
    """What a progress bar of tqdm has, and others of its kind."""

    def update(self, n: float) -> Any:
        """So much more is done."""


#: Is told how far a proof is, by any thread: a function of a step and which part of it is done, from 0 to 1, or a bar, such as tqdm's, which goes
#: from 0 to its `total`, or to 1.
Progress = Callable[[str, float], None] | Bar


@dataclass(frozen=True)
class Proof:
    """A proof and its public values, as snarkjs has them."""

    proof: dict[str, Any]
    public: list[str]
    seconds: float = 0.0

    def save(self, proof: str | os.PathLike[str] = "proof.json", public: str | os.PathLike[str] = "public.json") -> None:
        """Writes proof.json and public.json."""
        for path, content in ((proof, self.proof), (public, self.public)):
            with open(path, "w") as file:
                json.dump(content, file, indent=1)


class Prover:
    """A proving key on a device, for many proofs.

    `zkey` is a path or the bytes of a .zkey file, `device` a URI. With `resident`, the device keeps the key's points in its own form:
    faster from the second proof on. Several threads may prove at once.
    """

    def __init__(self, zkey: Source, *, device: str = "cpu:", resident: bool = True) -> None:
        self._inner = _native.Prover(device, _source("zkey", zkey), resident)

    @property
    def curve(self) -> str:
        """``"bn254"`` or ``"bls12_381"``."""
        return self._inner.curve()

    @property
    def verification_key(self) -> dict[str, Any]:
        """The content of verification_key.json."""
        return json.loads(self._inner.verification_key())

    def prove(self, witness: Source, *, progress: Progress | None = None) -> Proof:
        """A proof for a .wtns file, or its bytes. It is verified before it is returned. Ctrl-C gives it up."""
        return _proof(self._inner.prove(_source("witness", witness), _teller(progress)))

    def prove_batch(self, witnesses: Iterable[Source], *, progress: Bar | None = None, errors: Literal["raise", "return"] = "raise") -> list[Any]:
        """A `Proof` for each witness, in their order; several are made at a time, each in memory of its own: faster than one after the other.

        `progress` is a bar, such as tqdm's, which goes one on with each proof. A witness that has no proof raises its error when all are done, or
        has it in the list in place of the proof, if `errors` is ``"return"``. Ctrl-C gives up all.
        """
        if errors not in ("raise", "return"):
            raise ArgumentError(f"errors: {errors!r} is none of raise, return")
        sources = [_source(f"witnesses[{number}]", witness) for number, witness in enumerate(witnesses)]
        made = self._inner.prove_batch(sources, progress and (lambda number: progress.update(1)))
        for outcome in made:
            if errors == "raise" and isinstance(outcome, Exception):
                raise outcome
        return [outcome if isinstance(outcome, Exception) else _proof(outcome) for outcome in made]


def prove(zkey: Source, witness: Source, *, device: str = "cpu:", progress: Progress | None = None) -> Proof:
    """One proof: `Prover` makes many with one key."""
    return Prover(zkey, device=device, resident=False).prove(witness, progress=progress)


def prove_batch(zkey: Source, witnesses: Iterable[Source], *, device: str = "cpu:", progress: Bar | None = None) -> list[Proof]:
    """`Prover.prove_batch` with a prover for this call alone."""
    return Prover(zkey, device=device).prove_batch(witnesses, progress=progress)


def verify(verification_key: Any, proof: Proof | Any, public: Any = None) -> bool:
    """Does a proof convince? Each of the three is what snarkjs writes: parsed, as a JSON text, or a path. A `Proof` brings its public values."""
    if isinstance(proof, Proof):
        proof, public = proof.proof, proof.public if public is None else public
    return _native.verify(_text(verification_key), _text(public), _text(proof))


def _proof(texts: tuple[str, str, float]) -> Proof:
    proof, public, seconds = texts
    return Proof(json.loads(proof), json.loads(public), seconds)


def _teller(progress: Progress | None) -> Callable[[str, float], None] | None:
    """A function of a step and its part."""
    update = getattr(progress, "update", None)
    if update is None:
        return progress  # type: ignore[return-value]
    done, lock, total = dict.fromkeys(STEPS, 0.0), threading.Lock(), getattr(progress, "total", None) or 1

    def tell(step: str, part: float) -> None:
        with lock:
            more = max(0.0, part - done.get(step, 1.0))
            done[step] = done.get(step, 1.0) + more
            if more:
                update(more * total / len(STEPS))

    return tell


def _source(argument: str, source: Any) -> str | bytes:
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(source)
    try:
        return os.fsdecode(source)
    except TypeError:
        raise ArgumentError(f"{argument}: {type(source).__name__}; expected a path, or the bytes of a file") from None


def _text(document: Any) -> str:
    if isinstance(document, str) and document.lstrip()[:1] in ("{", "["):
        return document
    if isinstance(document, (str, os.PathLike)):
        with open(document) as file:
            return file.read()
    return json.dumps(document)

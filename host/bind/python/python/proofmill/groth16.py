"""Groth16 proofs with the files of circom and snarkjs."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from . import _native
from .errors import ArgumentError

#: A path, or the bytes of the file.
Source = str | os.PathLike[str] | bytes
#: Is called with a step and which part of it is done, from 0 to 1, by any thread.
Progress = Callable[[str, float], None]


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
        """A proof for a .wtns file, or its bytes. It is verified before it is returned."""
        proof, public, seconds = self._inner.prove(_source("witness", witness), progress)
        return Proof(json.loads(proof), json.loads(public), seconds)


def prove(zkey: Source, witness: Source, *, device: str = "cpu:", progress: Progress | None = None) -> Proof:
    """One proof: `Prover` makes many with one key."""
    return Prover(zkey, device=device, resident=False).prove(witness, progress=progress)


def prove_batch(zkey: Source, witnesses: Iterable[Source], *, device: str = "cpu:", progress: Progress | None = None) -> list[Proof]:
    """Proofs for several witnesses of one circuit, one after the other, with the key read and converted once."""
    prover = Prover(zkey, device=device)
    return [prover.prove(witness, progress=progress) for witness in witnesses]


def verify(verification_key: Any, proof: Proof | Any, public: Any = None) -> bool:
    """Does a proof convince? Each of the three is what snarkjs writes: parsed, as a JSON text, or a path. A `Proof` brings its public values."""
    if isinstance(proof, Proof):
        proof, public = proof.proof, proof.public if public is None else public
    return _native.verify(_text(verification_key), _text(public), _text(proof))


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

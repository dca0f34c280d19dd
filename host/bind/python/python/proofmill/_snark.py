"""Groth16, PLONK and FFLONK proofs with the files of circom and snarkjs. The key chooses the protocol."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from . import _native, _numbers
from .errors import ArgumentError, FileError

#: A path, or the bytes of the file.
Source = str | os.PathLike[str] | bytes
#: A .wtns file by its path, the bytes of such a file, or the values: a sequence of integers, or an array of uint64 limbs.
WitnessSource = Source | Iterable[Any]
#: The inputs of a circuit: a value for each input signal, or the JSON text, its bytes, or the path of the file.
InputSource = Mapping[str, Any] | Source
#: The first step of a proof from inputs.
_WITNESS = "witness"
#: Bytes of a scalar.
_SCALAR = 32


class Bar(Protocol):
    """The part of a progress bar that is used: tqdm has it, and others of its kind."""

    def update(self, n: float) -> Any:
        """Advances the bar by `n`."""


#: Receives the progress of a proof, on any thread: a function of a step and the part of it that is done, from 0 to 1, or a bar, such as
#: tqdm's, which advances from 0 to its `total`, or to 1.
Progress = Callable[[str, float], None] | Bar


@dataclass(frozen=True)
class Proof:
    """A proof and its public inputs, as snarkjs has them."""

    proof: dict[str, Any]
    public_inputs: list[str]
    seconds: float = 0.0

    def save(self, proof: str | os.PathLike[str] = "proof.json", public_inputs: str | os.PathLike[str] = "public.json") -> None:
        """Writes proof.json and public.json."""
        for path, content in ((proof, self.proof), (public_inputs, self.public_inputs)):
            with open(path, "w") as file:
                json.dump(content, file, indent=1)


class VerifyingKey:
    """A verifying key that is prepared once and verifies many proofs.

    `key` is the content of verification_key.json: parsed, as a JSON text, or the path of the file.
    """

    def __init__(self, key: Any) -> None:
        self._inner = key if isinstance(key, _native.VerifyingKey) else _native.VerifyingKey(_text("verification_key", key))

    def __repr__(self) -> str:
        return f"VerifyingKey({self.protocol}, {self.curve}, {self.public_inputs} public inputs)"

    @property
    def curve(self) -> str:
        """``"bn254"`` or ``"bls12_381"``."""
        return self._inner.curve()

    @property
    def protocol(self) -> str:
        """``"groth16"``, ``"plonk"`` or ``"fflonk"``."""
        return self._inner.protocol()

    @property
    def public_inputs(self) -> int:
        """The number of public inputs."""
        return self._inner.public_inputs()

    def verify(self, proof: Proof | Any, public_inputs: Any = None) -> bool:
        """Returns whether a proof is valid. See `proofmill.verify` for the arguments."""
        return self._inner.verify(_claim("proof", proof, public_inputs))

    def find_invalid(self, proofs: Iterable[Any]) -> list[int]:
        """Returns the indices of the proofs that are not valid. One equation covers all if all are valid.

        Each is a `Proof`, or a tuple of a proof and its public inputs.
        """
        claims = []
        for index, item in enumerate(_numbers.sequence("proofs", proofs)):
            named = f"proofs[{index}]"
            if not isinstance(item, Proof) and not (isinstance(item, (tuple, list)) and len(item) == 2):
                raise ArgumentError(f"{named}: {type(item).__name__}; expected a Proof, or (proof, public_inputs)")
            claims.append(_claim(named, item, None) if isinstance(item, Proof) else _claim(named, *item))
        return self._inner.find_invalid(claims)

    def verify_batch(self, proofs: Iterable[Any]) -> list[bool]:
        """Returns for each proof whether it is valid: `find_invalid` as a list."""
        proofs = _numbers.sequence("proofs", proofs)
        invalid = set(self.find_invalid(proofs))
        return [index not in invalid for index in range(len(proofs))]


class WitnessCalculator:
    """A witness generator of circom 2, for many proofs. Several threads may use it at once.

    `wasm` is a path or the bytes of a .wasm file, which ``circom --wasm`` writes. `max_bytes` limits the memory of the generator, and
    `max_seconds` the time of each calculation.
    """

    def __init__(self, wasm: Source, *, max_bytes: int = 2 << 30, max_seconds: float = 600.0) -> None:
        limit = _numbers.integer("max_bytes", max_bytes)
        if not 0 <= limit < 1 << 63:
            raise ArgumentError(f"max_bytes: {limit}; expected a number of bytes")
        if isinstance(max_seconds, bool) or not isinstance(max_seconds, (int, float)):
            raise ArgumentError(f"max_seconds: {type(max_seconds).__name__}; expected a number of seconds")
        self._inner = _native.Calculator(_source("wasm", wasm), limit, float(max_seconds))

    @property
    def curve(self) -> str:
        """``"bn254"`` or ``"bls12_381"``."""
        return self._inner.curve()

    @property
    def values(self) -> int:
        """The number of values of a witness."""
        return self._inner.values()


class Prover:
    """A proving key on a device, for many proofs.

    `zkey` is a path or the bytes of a .zkey file for Groth16, PLONK or FFLONK, `device` a URI. With `resident`, the device keeps the key's points in its own form:
    faster from the second proof on. Several threads may prove at once, and so may processes that are forked later, on ``cpu:``.
    """

    def __init__(self, zkey: Source, *, device: str = "cpu:", resident: bool = True) -> None:
        if not isinstance(device, str):
            raise ArgumentError(f"device: {type(device).__name__}; expected a URI")
        if not isinstance(resident, bool):
            raise ArgumentError(f"resident: {type(resident).__name__}; expected True or False")
        self._inner = _native.Prover(device, _source("zkey", zkey), resident)

    @property
    def curve(self) -> str:
        """``"bn254"`` or ``"bls12_381"``."""
        return self._inner.curve()

    @property
    def protocol(self) -> str:
        """``"groth16"``, ``"plonk"`` or ``"fflonk"``."""
        return self._inner.protocol()

    @property
    def verification_key(self) -> dict[str, Any]:
        """The content of verification_key.json."""
        return json.loads(self._inner.verification_key())

    @property
    def verifying_key(self) -> VerifyingKey:
        """The same key, prepared for many proofs."""
        return VerifyingKey(self._inner.verifying_key())

    def prove(self, witness: WitnessSource, *, progress: Progress | None = None) -> Proof:
        """Makes a proof and verifies it. Ctrl-C cancels it.

        `witness` is the path of a .wtns file, the bytes of such a file, or the values: a sequence of integers, or an array of uint64 limbs
        of the shape ``(n, 4)``.
        """
        with _Witnesses([("witness", witness)]) as given:
            return _proof(self._inner.prove(given[0], _reporter(progress, self._inner.steps())))

    def full_prove(
        self, calculator: WitnessCalculator | Source, inputs: InputSource, *, progress: Progress | None = None
    ) -> Proof:
        """Calculates the witness for the inputs of the circuit, makes a proof and verifies it. Ctrl-C cancels both.

        `calculator` is the witness generator of the circuit; a path or bytes are opened for this call. `inputs` has a value for each
        input signal: an integer, a string as snarkjs reads it, or a list of them; buses are mappings. It may also be the JSON text, its
        bytes, or the path of the file. An error names the signal, or the failed assertion with its template and line.
        """
        if not isinstance(calculator, WitnessCalculator):
            calculator = WitnessCalculator(calculator)
        report = _reporter(progress, [_WITNESS, *self._inner.steps()])
        return _proof(self._inner.full_prove(calculator._inner, _inputs(inputs), report))

    def prove_batch(
        self, witnesses: Iterable[WitnessSource], *, progress: Bar | None = None, errors: Literal["raise", "return"] = "raise"
    ) -> list[Any]:
        """Makes a `Proof` for each witness, in their order. With a key for Groth16 several are made at a time, each in its own
        memory: faster than one by one.

        `progress` is a bar, such as tqdm's, which advances by one with each proof. If a witness has no proof, its error is raised when all
        are done; with ``errors="return"`` the error takes the proof's place in the list. Ctrl-C cancels all.
        """
        if errors not in ("raise", "return"):
            raise ArgumentError(f"errors: {errors!r} is none of raise, return")
        if progress is not None and not callable(getattr(progress, "update", None)):
            raise ArgumentError(f"progress: {type(progress).__name__}; expected a bar with `update`")
        named = [(f"witnesses[{number}]", witness) for number, witness in enumerate(_numbers.sequence("witnesses", witnesses))]
        with _Witnesses(named) as given:
            made = self._inner.prove_batch(given, None if progress is None else (lambda number: progress.update(1)))
        for outcome in made:
            if errors == "raise" and isinstance(outcome, Exception):
                raise outcome
        return [outcome if isinstance(outcome, Exception) else _proof(outcome) for outcome in made]


def prove(zkey: Source, witness: WitnessSource, *, device: str = "cpu:", progress: Progress | None = None) -> Proof:
    """Makes one proof. `Prover` makes many with one key."""
    return Prover(zkey, device=device, resident=False).prove(witness, progress=progress)


def full_prove(
    zkey: Source, wasm: WitnessCalculator | Source, inputs: InputSource, *, device: str = "cpu:", progress: Progress | None = None
) -> Proof:
    """Makes one proof from the inputs of a circuit. `Prover.full_prove` makes many with one key and one generator."""
    return Prover(zkey, device=device, resident=False).full_prove(wasm, inputs, progress=progress)


def prove_batch(zkey: Source, witnesses: Iterable[WitnessSource], *, device: str = "cpu:", progress: Bar | None = None) -> list[Proof]:
    """Calls `Prover.prove_batch` on a prover for this call alone."""
    return Prover(zkey, device=device).prove_batch(witnesses, progress=progress)


def verify(verification_key: Any, proof: Proof | Any, public_inputs: Any = None) -> bool:
    """Returns whether a proof is valid.

    `verification_key` is a `VerifyingKey`, which is prepared already, or the content of verification_key.json. `proof` is a `Proof`, which
    brings its public inputs, or the content of proof.json. `public_inputs` is the content of public.json, or an array of uint64 limbs. The
    content of a file is parsed, a JSON text, or the path of the file; numbers are decimal strings or integers.
    """
    key = verification_key if isinstance(verification_key, VerifyingKey) else VerifyingKey(verification_key)
    return key.verify(proof, public_inputs)


class _Witnesses:
    """Witnesses as the native half takes them: the one place where their values are converted. Converted values are overwritten in the end."""

    def __init__(self, named: list[tuple[str, Any]]) -> None:
        self._named, self._converted = named, []

    def __enter__(self) -> list[tuple[str, Any]]:
        try:
            return [self._given(argument, witness) for argument, witness in self._named]
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_: object) -> None:
        for values in self._converted:
            values[:] = bytes(len(values))

    def _given(self, argument: str, witness: Any) -> tuple[str, Any]:
        if isinstance(witness, (str, os.PathLike)):
            return "path", os.fsdecode(witness)
        if isinstance(witness, (bytes, bytearray, memoryview)):
            if isinstance(witness, memoryview) and witness.format not in _numbers.BYTE_FORMATS:
                raise ArgumentError(f"{argument}: a memoryview with items of format {witness.format!r}; expected the bytes of a .wtns file")
            return "file", witness if not isinstance(witness, memoryview) else witness.cast("B") if witness.contiguous else witness.tobytes()
        try:
            values = _numbers.pack(argument, witness, _SCALAR)
        except ArgumentError as error:
            if _numbers.is_sequence(witness):
                raise
            raise ArgumentError(f"{argument}: {type(witness).__name__}; expected a path, the bytes of a .wtns file, or integers") from error
        if isinstance(values, bytearray):
            self._converted.append(values)
        return "values", values


def _proof(texts: tuple[str, str, float]) -> Proof:
    proof, public_inputs, seconds = texts
    return Proof(json.loads(proof), json.loads(public_inputs), seconds)


def _inputs(inputs: Any) -> bytes | bytearray:
    """Returns the inputs of a circuit as JSON."""
    if isinstance(inputs, (bytes, bytearray)):
        return inputs
    return _text("inputs", inputs).encode()


def _reporter(progress: Progress | None, steps: list[str]) -> Callable[[str, float], None] | None:
    """Returns a function of a step and its part. A bar takes the steps for equal parts."""
    update = getattr(progress, "update", None)
    if update is None:
        if progress is not None and not callable(progress):
            raise ArgumentError(f"progress: {type(progress).__name__}; expected a function of a step and a part, or a bar with `update`")
        return progress  # type: ignore[return-value]
    done, lock, total = dict.fromkeys(steps, 0.0), threading.Lock(), getattr(progress, "total", None) or 1

    def report(step: str, part: float) -> None:
        with lock:
            more = max(0.0, part - done.get(step, 1.0))
            done[step] = done.get(step, 1.0) + more
            if more:
                update(more * total / len(steps))

    return report


def _source(argument: str, source: Any) -> str | bytes:
    if isinstance(source, (bytes, bytearray, memoryview)):
        return _numbers.plain_bytes(argument, source)
    try:
        return os.fsdecode(source)
    except TypeError:
        raise ArgumentError(f"{argument}: {type(source).__name__}; expected a path, or the bytes of a file") from None


def _claim(argument: str, proof: Any, public_inputs: Any) -> tuple[str, str]:
    """Returns the texts of public.json and proof.json."""
    if isinstance(proof, Proof):
        proof, public_inputs = proof.proof, proof.public_inputs if public_inputs is None else public_inputs
    if public_inputs is None:
        raise ArgumentError("public_inputs: missing; only a Proof brings them")
    return _public_text("public_inputs", public_inputs), _text(argument, proof)


def _public_text(argument: str, values: Any) -> str:
    if isinstance(values, (str, bytes, bytearray, memoryview, os.PathLike)):
        return _text(argument, values)
    if _numbers.is_array(values):
        packed = bytes(_numbers.pack(argument, values, _SCALAR))
        values = [int.from_bytes(packed[at : at + _SCALAR], "little") for at in range(0, len(packed), _SCALAR)]
    values = _numbers.sequence(argument, values)
    texts = [value if isinstance(value, str) else str(_numbers.integer(f"{argument}[{at}]", value)) for at, value in enumerate(values)]
    return json.dumps(texts)


def _text(argument: str, document: Any) -> str:
    """Returns a JSON text."""
    if isinstance(document, (Mapping, list, tuple)):
        try:
            return json.dumps(document, default=lambda value: _numbers.integer(argument, value))
        except (TypeError, ValueError, RecursionError) as problem:
            if isinstance(problem, ArgumentError):
                raise
            raise ArgumentError(f"{argument}: {problem}") from None
    try:
        if isinstance(document, (bytes, bytearray, memoryview)):
            return _numbers.plain_bytes(argument, document).decode()
        if isinstance(document, str) and document.lstrip()[:1] in ("{", "["):
            return document
        if isinstance(document, (str, os.PathLike)):
            with open(document, encoding="utf-8") as file:
                return file.read()
    except UnicodeDecodeError as problem:
        raise FileError(f"{argument}: not a text in UTF-8: {problem.reason}") from None
    except OSError as problem:
        raise FileError(f"{argument}: {problem}") from None
    raise ArgumentError(f"{argument}: {type(document).__name__}; expected the parsed content of a JSON file, its text or its path")

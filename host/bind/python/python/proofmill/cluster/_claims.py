"""Inputs of jobs as they are sent, and the checks of proofs and verdicts on the driver."""

from __future__ import annotations

import os
import secrets
from typing import Any

from .. import _snark
from ..errors import ArgumentError, Error, FileError
from ._schedule import WrongResult

#: Bytes of a scalar.
_SCALAR = 32


def witness_content(name: str, witness: Any) -> tuple[str, bytes]:
    """Returns the form of a witness, ``"file"`` or ``"values"``, and its bytes. A path is read on the driver."""
    if isinstance(witness, (str, os.PathLike)):
        return "file", read_file(name, witness)
    with _snark._Witnesses([(name, witness)]) as given:
        kind, content = given[0]
        return kind, bytes(content)


def inputs_content(name: str, inputs: Any) -> bytes:
    """Returns the inputs of a circuit as JSON. A path is read on the driver."""
    try:
        return bytes(_snark._inputs(inputs))
    except Error as problem:
        raise type(problem)(str(problem).replace("inputs", name, 1)) from None


def claim_texts(name: str, item: Any) -> tuple[str, str]:
    """Returns the texts of public.json and proof.json of a `Proof`, or of a tuple ``(proof, public_inputs)``."""
    if not isinstance(item, _snark.Proof) and not (isinstance(item, (tuple, list)) and len(item) == 2):
        raise ArgumentError(f"{name}: {type(item).__name__}; expected a Proof, or (proof, public_inputs)")
    try:
        return _snark._claim(name, item, None) if isinstance(item, _snark.Proof) else _snark._claim(name, *item)
    except Error as problem:
        raise problem if name in str(problem) else type(problem)(f"{name}: {problem}") from None


def read_file(name: str, path: Any) -> bytes:
    """Returns the content of a file."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as problem:
        raise FileError(f"{name}: {problem}") from None


def public_values(kind: str, witness: bytes, count: int) -> list[int] | None:
    """Returns the public inputs that a witness contains, or None if it is malformed.

    They are its values 1 to `count`: value 0 is the constant 1.
    """
    if kind == "values":
        values, width = memoryview(witness), _SCALAR
    else:
        try:
            values, width = _wtns_values(memoryview(witness))
        except (IndexError, KeyError):
            return None
    if width == 0 or len(values) < (count + 1) * width:
        return None
    return [int.from_bytes(values[at * width : (at + 1) * width], "little") for at in range(1, count + 1)]


def _wtns_values(content: memoryview) -> tuple[memoryview, int]:
    """Returns the values of a .wtns file and the bytes of each: a header of 12 bytes, then sections with a kind (u32) and a length (u64)."""
    sections, at = {}, 12
    while at + 12 <= len(content):
        kind, length = int.from_bytes(content[at : at + 4], "little"), int.from_bytes(content[at + 4 : at + 12], "little")
        sections[kind] = content[at + 12 : at + 12 + length]
        at += 12 + length
    return sections[2], int.from_bytes(sections[1][:4], "little")


def checked_proof(key: _snark.VerifyingKey, proof: Any, public: list[int] | None) -> _snark.Proof:
    """Returns a proof that is valid and has these public inputs, if they are given. Raises `WrongResult` otherwise."""
    if not isinstance(proof, _snark.Proof):
        raise WrongResult(f"a {type(proof).__name__} in place of a proof")
    try:
        is_valid = key.verify(proof)
        found = [int(value) for value in proof.public_inputs]
    except (Error, TypeError, ValueError) as problem:
        raise WrongResult(f"the proof is malformed: {problem}") from None
    if not is_valid:
        raise WrongResult("the proof is not valid")
    if public is not None and found != public:
        raise WrongResult("the proof has other public inputs than the witness")
    return proof


def checked_verdicts(key: _snark.VerifyingKey, claims: list[tuple[str, str]], value: Any, confirm: float) -> list[bool | Error]:
    """Returns whether each claim is valid, or the error of a malformed one. Raises `WrongResult` if the driver finds another verdict.

    The driver verifies each claim that the worker reports as invalid or malformed, and with the probability `confirm` all of them.
    """
    try:
        reported = set(value)
    except TypeError:
        raise WrongResult("the verdicts are malformed") from None
    if not reported <= set(range(len(claims))):
        raise WrongResult("a verdict has no proof")
    if secrets.randbelow(1 << 32) < confirm * (1 << 32):
        verdicts = verified(key, claims)
    else:
        verdicts = [verdict_of(key, claim) if index in reported else True for index, claim in enumerate(claims)]
    for index, verdict in enumerate(verdicts):
        if (verdict is not True) != (index in reported):
            raise WrongResult(f"the verdict of proof {index} of a group is wrong")
    return verdicts


def verified(key: _snark.VerifyingKey, claims: list[tuple[str, str]]) -> list[bool | Error]:
    """Verifies claims: one equation covers all if all are well-formed and valid."""
    try:
        invalid = set(key._inner.find_invalid(claims))
    except Error:
        return [verdict_of(key, claim) for claim in claims]
    return [index not in invalid for index in range(len(claims))]


def verdict_of(key: _snark.VerifyingKey, claim: tuple[str, str]) -> bool | Error:
    """Returns whether a claim is valid, or the error of a malformed one."""
    try:
        return key._inner.verify(claim)
    except Error as problem:
        return problem

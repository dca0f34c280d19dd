"""Groth16, PLONK and FFLONK proofs, MSM, NTT, Poseidon hashes, and verification of ECDSA signatures and Equihash headers, on the CPU or on a card.

>>> import proofmill
>>> proofmill.msm("bn254_g1", [(1, 2), (1, 2)], [5, 3]) == proofmill.msm("bn254_g1", [(1, 2)], [8])
True
>>> proofmill.ntt("goldilocks", [3, 1, 0, 0])[0]
4

Every function takes `device`, a URI or a `Device`; ``"cpu:"`` by default. It releases the lock of the interpreter while it computes. The
library logs to the logger ``"proofmill"``.

An argument of numbers has one of three forms, and the result has the same form:

- a numpy array of ``uint64`` limbs, least significant limb first, on the last axis: ``(n, 4)`` for scalars of 32 bytes, ``(n, 2, 4)`` or
  ``(n, 8)`` for points of BN254's G1, ``(n, 2, 2, 4)`` or ``(n, 4, 4)`` for points of its G2;
- ``bytes``, ``bytearray``, ``memoryview`` of bytes: little-endian numbers one after the other;
- a sequence of integers (for points: of ``(x, y)``; in G2 a coordinate is ``(c0, c1)``; ``None`` is the identity). Field elements of py_ecc
  and numpy arrays with ``dtype=object`` are converted.

Anything else raises an `ArgumentError`.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any, Literal

from . import compat, errors, zcash
from ._device import Bases, Check, Device, Info, Verdict, devices, opened, vdf_verify
from ._native import __version__
from ._pairings import bls_find_invalid, bls_verify, pairing, pairing_is_one
from ._snark import Proof, Prover, VerifyingKey, WitnessCalculator, full_prove, prove, prove_batch, verify
from .errors import (
    ArgumentError, CancelledError, DeviceError, DeviceTimeoutError, DoesNotVerifyError, Error, FileError, UnsupportedError,
)

__all__ = [
    "ArgumentError", "Bases", "CancelledError", "Device", "DeviceError", "DeviceTimeoutError", "DoesNotVerifyError", "Error", "FileError",
    "Info", "Proof", "Prover", "UnsupportedError", "Verdict", "VerifyingKey", "WitnessCalculator", "__version__", "bls_find_invalid",
    "bls_verify", "compat", "devices", "ecdsa_verify_batch", "equihash_solve", "equihash_verify_batch", "errors", "full_prove", "msm", "ntt",
    "pairing", "pairing_is_one", "poseidon", "prove", "prove_batch", "vdf_evaluate", "vdf_prove", "vdf_verify", "verify", "zcash",
]


def __dir__() -> list[str]:
    return sorted(__all__)


# Without a configuration of `logging`, nothing is printed.
logging.getLogger("proofmill").addHandler(logging.NullHandler())


def msm(group: str, points: Any, scalars: Any, *, check: Check = "subgroup", device: Device | str | None = None) -> Any:
    """Calls `Device.msm` on a device."""
    return opened(device).msm(group, points, scalars, check=check)


def ntt(field: str, elements: Any, *, inverse: bool = False, shift: Any = None, device: Device | str | None = None) -> Any:
    """Calls `Device.ntt` on a device."""
    return opened(device).ntt(field, elements, inverse=inverse, shift=shift)


def poseidon(preimages: Any, arity: int, *, device: Device | str | None = None) -> Any:
    """Calls `Device.poseidon` on a device."""
    return opened(device).poseidon(preimages, arity)


def vdf_evaluate(modulus: int | str, input: int, squarings: int, *, device: Device | str | None = None) -> int:
    """Calls `Device.vdf_evaluate` on a device."""
    return opened(device).vdf_evaluate(modulus, input, squarings)


def vdf_prove(
    modulus: int | str, input: int, squarings: int, *, max_bytes: int = 256 << 20, device: Device | str | None = None
) -> dict[str, Any]:
    """Calls `Device.vdf_prove` on a device."""
    return opened(device).vdf_prove(modulus, input, squarings, max_bytes=max_bytes)


def ecdsa_verify_batch(
    signatures: Iterable[tuple[bytes, bytes, bytes]], *, form: Literal["der", "compact"] = "der", low_s: bool = False,
    device: Device | str | None = None,
) -> list[Verdict]:
    """Calls `Device.ecdsa_verify_batch` on a device."""
    return opened(device).ecdsa_verify_batch(signatures, form=form, low_s=low_s)


def equihash_solve(
    headers: Any, *, n: int = 200, k: int = 9, personalisation: bytes = b"ZcashPoW", max_bytes: int | None = None,
    device: Device | str | None = None,
) -> list[list[bytes]]:
    """Calls `Device.equihash_solve` on a device."""
    return opened(device).equihash_solve(headers, n=n, k=k, personalisation=personalisation, max_bytes=max_bytes)


def equihash_verify_batch(
    headers: Any, *, n: int = 200, k: int = 9, network: str = "main", device: Device | str | None = None
) -> list[Verdict]:
    """Calls `Device.equihash_verify_batch` on a device."""
    return opened(device).equihash_verify_batch(headers, n=n, k=k, network=network)

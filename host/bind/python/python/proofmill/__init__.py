"""proofmill makes and verifies Groth16 proofs, computes MSMs, NTTs and Poseidon hashes, and verifies ECDSA signatures and Equihash headers,
on this machine's processor or on a card.

>>> import proofmill
>>> proofmill.msm("bn254_g1", [(1, 2), (1, 2)], [5, 3]) == proofmill.msm("bn254_g1", [(1, 2)], [8])
True
>>> proofmill.ntt("goldilocks", [3, 1, 0, 0])[0]
4

Numbers are ints, bytes or numpy arrays: `proofmill.numbers`. Every function takes `device`, a URI or a `Device`; ``"cpu:"`` by default. The
lock of the interpreter is released while anything is computed. What the library tells are records of the logger ``"proofmill"``.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any, Literal

from ._native import __version__
from .device import Bases, Check, Device, Info, Verdict, devices, opened
from .errors import (
    ArgumentError, CancelledError, DeviceError, DeviceTimeoutError, DoesNotVerifyError, Error, FileError, UnsupportedError,
)
from .groth16 import Proof, Prover, prove, prove_batch, verify
from .pairings import bls_find_invalid, bls_verify, pairing, pairing_is_one

__all__ = [
    "ArgumentError", "Bases", "CancelledError", "Device", "DeviceError", "DeviceTimeoutError", "DoesNotVerifyError", "Error", "FileError",
    "Info", "Proof", "Prover", "UnsupportedError", "Verdict", "__version__", "bls_find_invalid", "bls_verify", "devices",
    "ecdsa_verify_batch", "equihash_verify", "msm", "ntt", "pairing", "pairing_is_one", "poseidon", "prove", "prove_batch", "verify",
]

# Who sets up no logging reads nothing.
logging.getLogger("proofmill").addHandler(logging.NullHandler())


def msm(group: str, points: Any, scalars: Any, *, check: Check = "none", device: Device | str | None = None) -> Any:
    """`Device.msm` on a device."""
    return opened(device).msm(group, points, scalars, check=check)


def ntt(field: str, elements: Any, *, inverse: bool = False, shift: Any = None, device: Device | str | None = None) -> Any:
    """`Device.ntt` on a device."""
    return opened(device).ntt(field, elements, inverse=inverse, shift=shift)


def poseidon(preimages: Any, *, arity: int, device: Device | str | None = None) -> Any:
    """`Device.poseidon` on a device."""
    return opened(device).poseidon(preimages, arity=arity)


def ecdsa_verify_batch(
    signatures: Iterable[tuple[bytes, bytes, bytes]], *, form: Literal["der", "compact"] = "der", low_s: bool = False,
    device: Device | str | None = None,
) -> list[Verdict]:
    """`Device.ecdsa_verify_batch` on a device."""
    return opened(device).ecdsa_verify_batch(signatures, form=form, low_s=low_s)


def equihash_verify(
    headers: Any, *, n: int = 200, k: int = 9, network: str = "main", device: Device | str | None = None
) -> list[Verdict]:
    """`Device.equihash_verify` on a device."""
    return opened(device).equihash_verify(headers, n=n, k=k, network=network)

"""Pairings on BN254 and BLS12-381, and BLS signatures."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from . import _native, numbers
from .errors import ArgumentError

#: Bytes of a number of the base field.
_WIDTHS = {"bn254": 32, "bls12_381": 48}


def pairing(curve: Literal["bn254", "bls12_381"], g1: Any, g2: Any) -> Any:
    """The product of e(P, Q) for points of G1 and as many of G2: twelve numbers in the form of `g1`, the coefficients over Fp2 of 1, w, ..., w^5.

    >>> import proofmill
    >>> from proofmill.compat.py_ecc import bn128
    >>> p, q = bn128.G1, bn128.G2
    >>> proofmill.pairing("bn254", [p, bn128.neg(p)], [q, q]) == [1] + [0] * 11
    True

    Values are those of arkworks: powers of py_ecc's, whose exponent is prime to the groups' order. Points are checked to be in their subgroups.
    """
    product, width = _product(curve, g1, g2)
    return numbers.like(g1, product, width)


def pairing_is_one(curve: Literal["bn254", "bls12_381"], g1: Any, g2: Any) -> bool:
    """Is that product 1?"""
    product, _ = _product(curve, g1, g2)
    return int.from_bytes(product, "little") == 1


def _product(curve: str, g1: Any, g2: Any) -> tuple[bytes, int]:
    if curve not in _WIDTHS:
        raise ArgumentError(f"curve: {curve!r}; pairings are on {' and '.join(_WIDTHS)}")
    width = _WIDTHS[curve]
    return _native.pairing(curve, numbers.pack_points("g1", g1, width, 1), numbers.pack_points("g2", g2, width, 2)), width


def bls_verify(key: bytes, message: bytes, signature: bytes, *, scheme: Literal["basic", "aug", "pop"] = "pop") -> bool:
    """Is this a BLS signature on BLS12-381 of the message? Compressed points: keys of 48 bytes and signatures of 96, or the other way round.

    `scheme` is that of draft-irtf-cfrg-bls-signature-05; Ethereum's is ``"pop"``, Filecoin's ``"basic"``.
    """
    return not bls_find_invalid([(key, message, signature)], scheme=scheme)


def bls_find_invalid(signatures: Iterable[tuple[bytes, bytes, bytes]], *, scheme: Literal["basic", "aug", "pop"] = "pop") -> list[int]:
    """The places of those that are not valid, each a key, a message and a signature: one equation for all if all are valid."""
    return _native.bls_find_invalid(scheme, [tuple(bytes(part) for part in signature) for signature in signatures])  # type: ignore[misc]

"""Pairings on BN254 and BLS12-381, and BLS signatures."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from . import _native, _numbers
from .errors import ArgumentError

#: Bytes of a number of the base field.
_WIDTHS = {"bn254": 32, "bls12_381": 48}


def pairing(curve: Literal["bn254", "bls12_381"], g1: Any, g2: Any) -> Any:
    """Computes the product of e(P, Q) for points of G1 and as many of G2.

    Returns twelve numbers in the form of `g1`: the coefficients over Fp2 of 1, w, ..., w^5.

    >>> import proofmill
    >>> from proofmill.compat.py_ecc import bn128
    >>> p, q = bn128.G1, bn128.G2
    >>> proofmill.pairing("bn254", [p, bn128.neg(p)], [q, q]) == [1] + [0] * 11
    True

    Values are those of arkworks: powers of py_ecc's, whose exponent is prime to the groups' order. Points are checked to be in their subgroups.
    """
    product, width = _product(curve, g1, g2)
    return _numbers.like(g1, product, width)


def pairing_is_one(curve: Literal["bn254", "bls12_381"], g1: Any, g2: Any) -> bool:
    """Returns whether the product of e(P, Q) is 1."""
    product, _ = _product(curve, g1, g2)
    return int.from_bytes(product, "little") == 1


def _product(curve: str, g1: Any, g2: Any) -> tuple[bytes, int]:
    if not isinstance(curve, str) or curve not in _WIDTHS:
        raise ArgumentError(f"curve: {curve!r}; pairings are on {' and '.join(_WIDTHS)}")
    width = _WIDTHS[curve]
    return _native.pairing(curve, _numbers.pack_points("g1", g1, width, 1), _numbers.pack_points("g2", g2, width, 2)), width


def bls_verify(key: bytes, message: bytes, signature: bytes, *, scheme: Literal["basic", "aug", "pop"] = "pop") -> bool:
    """Returns whether this is a BLS signature of the message on BLS12-381.

    Keys and signatures are compressed points: keys of 48 bytes and signatures of 96, or keys of 96 bytes and signatures of 48. `scheme` is
    that of draft-irtf-cfrg-bls-signature-05; Ethereum's is ``"pop"``, Filecoin's ``"basic"``.
    """
    return not bls_find_invalid([(key, message, signature)], scheme=scheme)


def bls_find_invalid(signatures: Iterable[tuple[bytes, bytes, bytes]], *, scheme: Literal["basic", "aug", "pop"] = "pop") -> list[int]:
    """Returns the indices of the signatures that are not valid, each ``(key, message, signature)``. One equation covers all if all are valid."""
    if not isinstance(scheme, str):
        raise ArgumentError(f"scheme: {scheme!r} is none of basic, aug, pop")
    names = ("key", "message", "signature")
    return _native.bls_find_invalid(scheme, _numbers.tuples_of_bytes("signatures", signatures, names))  # type: ignore[arg-type]

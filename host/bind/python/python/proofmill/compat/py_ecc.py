"""The names of py_ecc's curves: ``from proofmill.compat.py_ecc import bn128, bls12_381``.

Points are ``(x, y)`` of ints, in G2 ``((x0, x1), (y0, y1))``, ``None`` is the identity. Points of py_ecc's own field elements are accepted
too, and then the result has them. Points are checked: one that is not on the curve is refused, where py_ecc computes something.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .._device import opened
from .._numbers import integer
from ..errors import ArgumentError


@dataclass(frozen=True)
class Curve:
    """A curve with py_ecc's functions."""

    name: str
    field_modulus: int
    curve_order: int
    b: int
    b2: tuple[int, int]
    G1: Any
    G2: Any
    Z1: None = None
    Z2: None = None

    def multiply(self, point: Any, n: int) -> Any:
        """Computes n P, for any n."""
        return self._sum([point], [n])

    def add(self, p: Any, q: Any) -> Any:
        """Computes P + Q."""
        return self._sum([p, q], [1, 1])

    def double(self, point: Any) -> Any:
        """Computes 2 P."""
        return self._sum([point], [2])

    def neg(self, point: Any) -> Any:
        """Computes -P."""
        return self._sum([point], [-1])

    def eq(self, p: Any, q: Any) -> bool:
        """Returns whether two points are the same."""
        return _plain(p) == _plain(q)

    def is_inf(self, point: Any) -> bool:
        """Returns whether this is the identity."""
        return point is None

    def is_on_curve(self, point: Any, b: Any = None) -> bool:
        """Returns whether this is the identity or satisfies y^2 = x^3 + b. `b` is the curve's own; another one is refused."""
        if point is None:
            return True
        x, y = _plain(point)
        in_g2 = isinstance(x, tuple)
        if b is not None and _coordinate("b", b) != (self.b2 if in_g2 else self.b):
            raise ArgumentError(f"b: not that of {self.name}")
        if not all(0 <= number < self.field_modulus for number in ((*x, *y) if in_g2 else (x, y))):
            return False
        return self._is_on_curve_2(x, y) if in_g2 else (y * y - x * x * x - self.b) % self.field_modulus == 0

    def _is_on_curve_2(self, x: tuple[int, int], y: tuple[int, int]) -> bool:
        p = self.field_modulus

        def times(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
            return (a[0] * b[0] - a[1] * b[1]) % p, (a[0] * b[1] + a[1] * b[0]) % p

        left, right = times(y, y), times(times(x, x), x)
        return all((one - other - b) % p == 0 for one, other, b in zip(left, right, self.b2))

    def _sum(self, points: list[Any], factors: list[int]) -> Any:
        """Computes a sum of multiples, in the group of the points."""
        model = next((point for point in points if point is not None), None)
        if model is None:
            return None
        plain = [_plain(point) for point in points]
        groups = {isinstance(point[0], tuple) for point in plain if point is not None}
        if len(groups) > 1:
            raise ArgumentError("points: of G1 and of G2 together")
        group = f"{self.name}_g{2 if groups.pop() else 1}"
        scalars = [integer("n", factor) % self.curve_order for factor in factors]
        return _of_the_kind(model, opened(None).msm(group, plain, scalars, check="subgroup"))


def _plain(point: Any) -> Any:
    """Returns a point with ints."""
    if point is None:
        return None
    if not isinstance(point, (tuple, list)) or len(point) != 2:
        raise ArgumentError("point: expected (x, y), or None for the identity")
    x, y = (_coordinate(f"point.{name}", part) for name, part in zip("xy", point))
    if isinstance(x, tuple) != isinstance(y, tuple):
        raise ArgumentError("point: x and y are of different fields")
    return x, y


def _coordinate(argument: str, part: Any) -> Any:
    part = getattr(part, "coeffs", part)
    if not isinstance(part, (tuple, list)):
        return integer(argument, part)
    if len(part) != 2:
        raise ArgumentError(f"{argument}: expected 2 numbers, the coefficient of 1 first")
    return tuple(integer(f"{argument}[{index}]", number) for index, number in enumerate(part))


def _of_the_kind(model: Any, point: Any) -> Any:
    """Returns a point with field elements of the kind that the model has."""
    kind = type(model[0])
    return point if point is None or kind in (int, tuple, list) else tuple(kind(part) for part in point)


bn128 = Curve(
    name="bn254",
    field_modulus=0x30644E72E131A029B85045B68181585D97816A916871CA8D3C208C16D87CFD47,
    curve_order=0x30644E72E131A029B85045B68181585D2833E84879B9709143E1F593F0000001,
    b=3,
    b2=(0x2B149D40CEB8AAAE81BE18991BE06AC3B5B4C5E559DBEFA33267E6DC24A138E5, 0x9713B03AF0FED4CD2CAFADEED8FDF4A74FA084E52D1852E4A2BD0685C315D2),
    G1=(1, 2),
    G2=(
        (0x1800DEEF121F1E76426A00665E5C4479674322D4F75EDADD46DEBD5CD992F6ED, 0x198E9393920D483A7260BFB731FB5D25F1AA493335A9E71297E485B7AEF312C2),
        (0x12C85EA5DB8C6DEB4AAB71808DCB408FE3D1E7690C43D37B4CE6CC0166FA7DAA, 0x90689D0585FF075EC9E99AD690C3395BC4B313370B38EF355ACDADCD122975B),
    ),
)
bls12_381 = Curve(
    name="bls12_381",
    field_modulus=0x1A0111EA397FE69A4B1BA7B6434BACD764774B84F38512BF6730D2A0F6B0F6241EABFFFEB153FFFFB9FEFFFFFFFFAAAB,
    curve_order=0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001,
    b=4,
    b2=(4, 4),
    G1=(
        0x17F1D3A73197D7942695638C4FA9AC0FC3688C4F9774B905A14E3A3F171BAC586C55E83FF97A1AEFFB3AF00ADB22C6BB,
        0x8B3F481E3AAA0F1A09E30ED741D8AE4FCF5E095D5D00AF600DB18CB2C04B3EDD03CC744A2888AE40CAA232946C5E7E1,
    ),
    G2=(
        (
            0x24AA2B2F08F0A91260805272DC51051C6E47AD4FA403B02B4510B647AE3D1770BAC0326A805BBEFD48056C8C121BDB8,
            0x13E02B6052719F607DACD3A088274F65596BD0D09920B61AB5DA61BBDC7F5049334CF11213945D57E5AC7D055D042B7E,
        ),
        (
            0xCE5D527727D6E118CC9CDC6DA2E351AADFD9BAA8CBDD3A76D429A695160D12C923AC9CC3BACA289E193548608B82801,
            0x606C4A02EA734CC32ACD2B02BC28B99CB3E287E85A763AF267492AB572E99AB3F370D275CEC1DA1AAA9075FF05F79BE,
        ),
    ),
)

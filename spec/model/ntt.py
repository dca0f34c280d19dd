"""The number-theoretic transform by its definition, and in the passes of the engine (docs/rtl/ntt.md).

    values = transform(field, coefficients)                     # X_i = sum of (g w^i)^j x_j
    transform(field, values, inverse=True) == coefficients
    run(coefficients)                                           # the same over Goldilocks, pass by pass
    run(coefficients, field=field("bn254_fr"), pass_log=10)     # over a field of 255 bits

Sizes are powers of two; elements are integers below the modulus, in natural order before and after.
"""

import functools
import tomllib
from dataclasses import dataclass

from field import SPEC, number

WIRE = tomllib.loads((SPEC / "wire/ntt.toml").read_text())
RADIX = 6  # bits of a core's index
PASS = 2 * RADIX


@dataclass(frozen=True)
class Field:
    name: str
    p: int
    generator: int

    def root(self, log):
        """The standard root of unity of order 2^log."""
        if (self.p - 1) % (1 << log):
            raise ValueError(f"log: {self.name} has no root of order 2^{log}")
        return pow(self.generator, (self.p - 1) >> log, self.p)


@functools.cache
def field(name):
    facts = tomllib.loads((SPEC / f"fields/{name}.toml").read_text())
    return Field(name, number(facts["modulus"]), number(facts["generator"]))


GOLDILOCKS = field("goldilocks")


def log_of(elements):
    log = len(elements).bit_length() - 1
    if len(elements) != 1 << log:
        raise ValueError(f"elements: {len(elements)} is not a power of two")
    return log


def definition(field, elements, root):
    """The values at the powers of the root, one by one."""
    p = field.p
    powers = [1]
    for _ in elements[1:]:
        powers.append(powers[-1] * root % p)
    n = len(elements)
    return [sum(x * powers[i * j % n] for j, x in enumerate(elements)) % p for i in range(n)]


def fast(field, elements, root):
    """The same by halves: even and odd coefficients (Cooley and Tukey, 1965)."""
    n, p = len(elements), field.p
    if n == 1:
        return list(elements)
    even, odd = (fast(field, elements[half::2], root * root % p) for half in (0, 1))
    result, factor = [0] * n, 1
    for i, (a, b) in enumerate(zip(even, odd)):
        product = factor * b % p
        result[i], result[i + n // 2] = (a + product) % p, (a - product) % p
        factor = factor * root % p
    return result


def scaled(field, elements, shift, scale=1):
    """Element i times scale shift^i."""
    found = []
    for x in elements:
        found.append(x * scale % field.p)
        scale = scale * shift % field.p
    return found


def transform(field, elements, inverse=False, coset=1, root=None):
    """The transform of `spec/wire/ntt.toml`: `coset` is the shift g, `root` another one of the order."""
    log, p = log_of(elements), field.p
    w = field.root(log) if root is None else root
    if not inverse:
        return fast(field, scaled(field, elements, coset), w)
    return scaled(field, fast(field, elements, pow(w, -1, p)), pow(coset, -1, p), pow(len(elements), -1, p))


def a_b_less_c(field, a, b, c):
    return [(x * y - z) % field.p for x, y, z in zip(a, b, c)]


def quotient(field, a, b, c, coset, root=None):
    """The values of a b - c on the coset of the shift, of polynomials by their values at the powers of the root: Groth16's quotient, times the value of
    x^n - 1 on the coset."""
    moved = [transform(field, transform(field, x, True, root=root), False, coset, root) for x in (a, b, c)]
    return a_b_less_c(field, *moved)


# The engine's passes.

def columns(log, least=RADIX, pass_log=PASS):
    """Bits of the index that each pass transforms: one of up to `pass_log`, or two, or three."""
    if not least <= log <= 3 * pass_log:
        raise ValueError(f"log: {log} is not between {least} and {3 * pass_log}")
    if log <= 2 * pass_log:
        return [log] if log <= pass_log else [(log + 1) // 2, log // 2]
    rest = max(log - pass_log, 2 * least if least > 1 else 0)
    return [log - rest, (rest + 1) // 2, rest // 2]


def small(elements, sign, bits):
    """A transform of 2^bits points, at most 64: all its factors are powers of 2^39."""
    w = pow(2, sign * 39 << (RADIX - bits), GOLDILOCKS.p)
    return definition(GOLDILOCKS, elements, w)


def cores(elements, sign):
    """A column of 2^(6 + b) elements of Goldilocks: 64 points, powers of the root, 2^b points."""
    p, bits = GOLDILOCKS.p, log_of(elements)
    b = bits - RADIX
    w = pow(GOLDILOCKS.root(bits), sign, p)
    rest = 1 << b
    firsts = [small(elements[j::rest], sign, RADIX) for j in range(rest)]  # index a 2^b + j
    result = [0] * len(elements)
    for o in range(1 << RADIX):
        row = small([firsts[j][o] * pow(w, o * j, p) % p for j in range(rest)], sign, b)
        for r, value in enumerate(row):
            result[o + (r << RADIX)] = value
    return result


def butterfly(field, points, sign):
    """Four points, or two: additions, and one product with a root of order 4."""
    if len(points) == 2:
        return [sum(points) % field.p, (points[0] - points[1]) % field.p]
    i = pow(field.root(2), sign, field.p)
    x0, x1, x2, x3 = points
    even, odd, less, turned = x0 + x2, x1 + x3, x0 - x2, (x1 - x3) * i
    return [value % field.p for value in (even + odd, less + turned, even - odd, less - turned)]


def steps(field, elements, sign):
    """A column of 2^k elements in steps of radix 4, the first one of radix 2 if k is odd; the index's highest bits come first."""
    k, p = log_of(elements), field.p
    if k == 0:
        return list(elements)
    radix = 2 if k % 2 else 4
    w, rest = pow(field.root(k), sign, p), len(elements) // radix
    firsts = [butterfly(field, elements[j::rest], sign) for j in range(rest)]  # index a rest + j
    result = [0] * len(elements)
    for o in range(radix):
        result[o::radix] = steps(field, [firsts[j][o] * pow(w, o * j, p) % p for j in range(rest)], sign)
    return result


def run(elements, inverse=False, shift=1, scale=1, field=GOLDILOCKS, pass_log=PASS):
    """One transform as the engine makes it: factors come before a forward transform's passes, and behind an inverse one's."""
    log, p = log_of(elements), field.p
    sign = -1 if inverse else 1
    goldilocks = field is GOLDILOCKS
    column = cores if goldilocks else lambda elements, sign: steps(field, elements, sign)
    sizes = columns(log, RADIX if goldilocks else 1, pass_log)
    values = elements if inverse else scaled(field, elements, shift, scale)
    if len(sizes) == 1:
        values = column(values, sign)
    else:
        rows, across = 1 << sizes[0], len(elements) >> sizes[0]
        w = pow(field.root(log), sign, p)
        between = [0] * len(elements)  # place i rows + o1, for the rest i of the index
        for i in range(across):
            for o1, value in enumerate(column(values[i::across], sign)):
                between[i * rows + o1] = value * pow(w, i * o1, p) % p
        if len(sizes) == 3:
            between = middle(between, rows, column, sizes[1:], pow(w, rows, p), p, sign)
        side = 1 << sizes[-1]
        values = [0] * len(elements)
        for o in range(len(elements) // side):
            values[o::len(elements) // side] = column(between[o::len(elements) // side], sign)
    return scaled(field, values, shift, scale) if inverse else values


def middle(elements, inner, column, sizes, w, p, sign):
    """The second pass of three: of places (i2 `across` + i3) inner + o1 to places (i3 `rows` + o2) inner + o1."""
    rows, across = (1 << size for size in sizes)
    result = [0] * len(elements)
    for i3 in range(across):
        for o1 in range(inner):
            for o2, value in enumerate(column(elements[i3 * inner + o1::across * inner], sign)):
                result[(i3 * rows + o2) * inner + o1] = value * pow(w, i3 * o2, p) % p
    return result

"""The cases of ecdsa_verify.

A case states its expected mask, and is not recorded if the model returns another. Scalars that need no
particular value are derived from the case's name.
"""

from dataclasses import astuple, fields, replace

import ecdsa_verify as ecdsa
from cases import Cases, painted_number, text
from curve import Weierstrass
from ecdsa_items import Scheme
from ecdsa_make import GROUP, LAMBDA, G, N, P, divided, from_multiples, from_sum, point_near, recovered, scalar, times
from ecdsa_verify import ERROR, SECP256K1, Signature, sign

FAILED = ERROR["failed_sig_ver"]
RANGE_R, RANGE_S, INFINITY, KEY = (
    FAILED | ERROR[name] for name in ("out_of_range_r", "out_of_range_s", "x_infinity_point", "invalid_key")
)
ALL_ONES = 2**256 - 1
FIELDS = [field.name for field in fields(Signature)]


def published(hash, r, s, qx, qy):
    return Signature(*(int(part, 16) for part in (s, r, hash, qx, qy)))


#: Test vectors of zcash-fpga: its simulation's, two that failed on its card (its issue 17), and one that stopped it.
PUBLISHED = {
    "tv1": published(
        "4c7dbc46486ad9569442d69b558db99a2612c4f003e6631b593942f531e67fd4", "01375af664ef2b74079687956fd9042e4e547d57c4438f1fc439cbfcb4c9ba8b",
        "de0f72e442f7b5e8e7d53274bf8f97f0674f4f63af582554dbecbb4aa9d5cbcb", "808a2c66c5b90fa1477d7820fc57a8b7574cdcb8bd829bdfcf98aa9c41fde3b4",
        "eed249ffde6e46d784cb53b4df8c9662313c1ce8012da56cb061f12e55a32249"),
    "tv2": published(
        "aca448f8093e33286c7d284569feae5f65ae7fa2ea5ce9c46acaad408da61e1f", "0bce4a3be622e3f919f97b03b45e3f32ccdf3dd6bcce40657d8f9fc973ae7b29",
        "6abcd5e40fcee8bca6b506228a2dcae67daa5d743e684c4d3fb1cb77e43b48fe", "b661c143ffbbad5acfe16d427767cdc57fb2e4c019a4753ba68cd02c29e4a153",
        "6e1fb00fdb9ddd39b55596bfb559bc395f220ae51e46dbe4e4df92d1a5599726"),
    "tv3": published(
        "9834876dcfb05cb167a5c24953eba58c4ac89b1adf57f28f2f9d09af107ee8f0", "ae235401e2112948be75194de0bad0002e8e76e6cdf9267ccb179643d908dc5e",
        "1f37bd6b617d03db5413cad3dc74fd091d071c2377fb74f488c56077823a2d56", "5db9b06cc4928dd46f675c7dde14de8c7c2a8fd8e6c132da77e4ffeb90ff51d0",
        "54d0967454193d20bc5733d0779ce3f6824666a3a9a66273c7f21e5f26ca0bbf"),
    "tv4": published(
        "9834876dcfb05cb167a5c24953eba58c4ac89b1adf57f28f2f9d09af107ee8f0", "a0c388bad0d0de5b8cd74dde1b130ae24f727874e00b0a19c9a0ee336ea420cf",
        "4d549363cea5e7cf2e5a80de97057e6709b8014c9037d12aac86b9ae4fbb02bb", "87d4561f92925beb4afd97fb0f883bc1f7f573494087191af8bc67557b4ab0f9",
        "0d933ed3e39c30e27dfde32f276ef50db3eef6cbea8e913f7488b3dff15fb3ee"),
    "tv5": Signature(s=0, r=0, hash=0x000AB << 236, qx=0x00BCD << 236, qy=0),
}


class Book(Cases):
    def case(self, id, comment, tags, signature, mask=0):
        found = ecdsa.verify(signature)
        if found != mask:
            raise ValueError(f"{self.where}: case {id} gives mask {found:#04x}, not {mask:#04x}")
        values = dict(zip(FIELDS, map(text, astuple(signature))))
        self.add(id, comment, tags, **values, mask=mask)

    def multiples(self, id, comment, u1=None, u2=None, key=None, tags="multiples"):
        """A valid signature with chosen multiples under a chosen key; what is not chosen is painted. And one with another r for the
        same multiples: a sum that went wrong with a Z of 0 is as good as any r, and would not be seen in the first one.
        """
        u1 = scalar(f"{id} u1") if u1 is None else u1 % N
        u2 = scalar(f"{id} u2") if u2 is None else u2 % N
        key = key or times(scalar(f"{id} key"))
        good = from_multiples(u1, u2, key)
        self.case(id, comment, tags, good)
        self.case(f"{id}-wrong", "the same multiples, and another r", tags, from_multiples(u1, u2, key, good.r % (N - 1) + 1), FAILED)


def good(label):
    """A valid signature painted from a label."""
    return sign(painted_number(2**256, f"ecdsa_verify {label} z"), scalar(f"{label} d"), scalar(f"{label} k"))


def defects(book):
    """What the published card got wrong."""
    for name, signature in PUBLISHED.items():
        mask = RANGE_R | RANGE_S if name == "tv5" else 0
        book.case(name, "published with zcash-fpga" + ("; it stopped the card" if mask else ""), "published", signature, mask)

    total, u1, u2 = times(scalar("wrap R")), scalar("wrap u1"), scalar("wrap u2")
    wrapped = total[0] + 2**256 - N
    book.case("r-plus-n-wraps", "r = x + 2^256 - n: r + n is x in 256 bits; the published card accepts it", "defect",
              from_sum(total, u1, u2, wrapped), FAILED)
    for i in range(4):
        d, u2 = scalar(f"doubling d {i}"), scalar(f"doubling u2 {i}")
        book.case(f"sum-is-a-doubling-{i}", "u1 G = u2 Q: the last addition is a doubling", "defect sum", from_multiples(u2 * d % N, u2, times(d)))
        book.case(f"sum-is-the-identity-{i}", "u1 G = -u2 Q", "defect sum", from_multiples(-u2 * d % N, u2, times(d), scalar(f"identity r {i}")), INFINITY)
    for name, d in (("g", 1), ("minus-g", N - 1), ("lambda-g", LAMBDA)):
        book.case(f"sum-is-a-doubling-of-{name}", "the same with u2 = 1 and a key next to the generator", "defect sum", from_multiples(d, 1, times(d)))
        book.case(f"sum-is-the-identity-of-{name}", "the same with u2 = 1 and a key next to the generator", "defect sum", from_multiples(-d % N, 1, times(d), 1), INFINITY)

    d, k = scalar("digest d"), scalar("digest k")
    for name, z in (("zero", 0), ("n", N), ("one", 1), ("below-n", N - 1), ("above-n", N + 1), ("all-ones", ALL_ONES)):
        book.case(f"digest-{name}", "u1 = 0" if z % N == 0 else "an edge of the digest", "defect digest", sign(z, d, k))
    for name, multiple in (("g", 1), ("minus-g", -1)):
        u2 = scalar(f"digest {name} u2")
        book.case(f"digest-zero-sum-is-{name}", "u1 = 0, and the sum has G's x coordinate", "digest", from_multiples(0, u2, times(divided(multiple, u2))))
    small = sign(5, d, k)
    book.case("digest-reduced-or-not", "z + n in place of z: the same signature", "digest", replace(small, hash=5 + N))
    book.case("wrong-for-digest-zero", "u1 = 0, and another signature", "digest", replace(small, hash=0), FAILED)

    base = good("ranges")
    book.case("s-zero", "no inverse; the published card ran into its timeout", "defect range", replace(base, s=0), RANGE_S)
    book.case("r-zero", "u2 = 0", "defect range", replace(base, r=0), RANGE_R)
    book.case("r-and-s-zero", "both at once", "defect range", replace(base, r=0, s=0), RANGE_R | RANGE_S)
    book.case("s-large", "n - s: as good as s, whatever a network's policy", "range", replace(base, s=N - base.s))


def ranges(book):
    """r, s and the coordinates at the ends of their ranges. All are looked at, and nothing else when one is wrong."""
    base = good("ranges")
    for name, value in (("n", N), ("above-n", N + 1), ("p", P), ("all-ones", ALL_ONES)):
        book.case(f"r-is-{name}", "not below n", "range", replace(base, r=value), RANGE_R)
        book.case(f"s-is-{name}", "not below n", "range", replace(base, s=value), RANGE_S)
        book.case(f"r-and-s-are-{name}", "both not below n", "range", replace(base, r=value, s=value), RANGE_R | RANGE_S)
    for name, value in (("one", 1), ("largest", N - 1)):
        book.case(f"r-is-{name}", "in range, but not the x coordinate", "range", replace(base, r=value), FAILED)
        book.case(f"s-is-{name}-wrong", "in range, but not this signature's", "range", replace(base, s=value), FAILED)
    low = point_near(1)
    unreduced = recovered(low, 3, scalar("unreduced"))
    book.case("r-plus-n", "r + n in place of a small r", "range", replace(unreduced, r=unreduced.r + N), RANGE_R)
    book.case("s-plus-n", "s + n in place of a small s", "range", replace(unreduced, s=unreduced.s + N), RANGE_S)
    for s in (1, 2, 3, -1, -2, 2**100 + 1):
        name = f"{'minus-' if s < 0 else ''}{abs(s):x}"
        book.case(f"s-{name}", "a small s, with a small r", "range", recovered(low, s % N, scalar(f"s {name}")))
        if abs(s) > 1:
            book.case(f"s-inverse-{name}", "a small inverse of s, with a small r", "range", recovered(low, divided(1, s), scalar(f"inverse {name}")))
    for name, point in (("smallest", low), ("100-bits", point_near(2**99)), ("largest", point_near(N - 1, -1))):
        book.case(f"r-{name}", "an edge of r", "range", recovered(point, scalar(f"r {name} s"), scalar(f"r {name} z")))
    book.case("everything-zero", "all five integers 0; (0, 0) is not on the curve, but that is not looked at", "range", Signature(0, 0, 0, 0, 0), RANGE_R | RANGE_S)
    book.case("everything-all-ones", "all five integers 2^256 - 1", "range", Signature(*[ALL_ONES] * 5), RANGE_R | RANGE_S | KEY)
    book.case("range-before-curve", "r = 0 and a key off the curve: only the range is told", "range", replace(base, r=0, qy=base.qy ^ 1), RANGE_R)
    book.case("ranges-together", "s = n and a coordinate of p", "range", replace(base, s=N, qy=P), RANGE_S | KEY)


def above_the_order(book):
    """R's x coordinate between n and p: r is x - n, and r + n is to be tried, if it is below p."""
    for name, point in (("lowest", point_near(N + 1)), ("low", point_near(N + 2**64)), ("middle", point_near(N + (P - N) // 2)), ("highest", point_near(P - 1, -1))):
        signature = from_sum(point, scalar(f"above {name} u1"), scalar(f"above {name} u2"))
        book.case(f"x-above-n-{name}", "R's x is r + n", "candidate", signature)
        book.case(f"x-above-n-{name}-wrong", "the next r", "candidate", replace(signature, r=signature.r + 1), FAILED)
    for name, x in (("lowest", 1), ("low", 2**64), ("highest", P - N - 1)):
        signature = from_sum(point_near(x, -1 if name == "highest" else 1), scalar(f"both {name} u1"), scalar(f"both {name} u2"))
        book.case(f"x-below-p-minus-n-{name}", "r + n is tried too, but r itself is R's x", "candidate", signature)
    for name, x in (("lowest", 1), ("low", 2**64), ("high", 2 * N - P - 1)):
        point = point_near(x, -1 if name == "high" else 1)
        signature = from_sum(point, scalar(f"modulo {name} u1"), scalar(f"modulo {name} u2"), point[0] + P - N)
        book.case(f"r-plus-n-modulo-p-{name}", "r + n is R's x modulo p only: not below p, so not to be tried", "candidate", signature, FAILED)


def keys(book):
    """What is no key, and keys next to the generator."""
    base = good("keys")
    low, flat = point_near(1), next(point for y in range(1, 100) if (point := with_y(y)))
    by_low, by_flat = (from_multiples(scalar(f"{name} u1"), scalar(f"{name} u2"), key) for name, key in (("low", low), ("flat", flat)))
    book.case("qx-small", "the key with the smallest x", "key", by_low)
    book.case("qy-small", "a key with a small y", "key", by_flat)
    book.case("qx-plus-p", "x + p in place of x: the same point, not reduced", "key", replace(by_low, qx=by_low.qx + P), KEY)
    book.case("qy-plus-p", "y + p in place of y", "key", replace(by_flat, qy=by_flat.qy + P), KEY)
    for name, value in (("p", P), ("above-p", P + 1), ("all-ones", ALL_ONES)):
        for axis in ("qx", "qy"):
            book.case(f"{axis}-is-{name}", "not below p", "key", replace(base, **{axis: value}), KEY)
    book.case("q-zero", "(0, 0), as some write the identity", "key", replace(base, qx=0, qy=0), KEY)
    book.case("q-largest", "both coordinates p - 1: not on the curve", "key", replace(base, qx=P - 1, qy=P - 1), KEY)
    book.case("q-swapped", "x and y in each other's place", "key", replace(base, qx=base.qy, qy=base.qx), KEY)
    book.case("q-of-order-2", "(1, 0): of order 2 on a curve with another b", "key", replace(base, qx=1, qy=0), KEY)
    book.case("q-of-order-3", "(0, 1): of order 3 on a curve with another b", "key", replace(base, qx=0, qy=1), KEY)
    book.case("q-negated", "another key: -Q", "key", replace(base, qy=P - base.qy), FAILED)
    book.case("q-rotated", "another key: lambda Q", "key", replace(base, qx=base.qx * SECP256K1.endomorphism[0] % P), FAILED)
    for i, key in enumerate([(base.qx, base.qy ^ 1), (base.qx ^ 1, base.qy), (5, 7)]):
        book.case(f"other-curve-{i}", "z = 0, and valid on the curve with another b on which Q lies: formulas do not see b", "key", on_other_curve(key, f"other {i}"), KEY)

    for name, d in (("g", 1), ("minus-g", -1), ("2g", 2), ("3g", 3), ("minus-5g", -5), ("15g", 15), ("lambda-g", LAMBDA), ("minus-lambda-g", -LAMBDA),
                    ("lambda-lambda-g", LAMBDA**2), ("half-g", divided(1, 2)), ("third-g", divided(1, 3)), ("2-to-128-g", 2**128), ("2-to-248-g", 2**248)):
        key = times(d)
        book.multiples(f"key-{name}", "a key next to the generator", key=key, tags="key")
        if d != -1:
            book.multiples(f"key-{name}-equal-multiples", "and u1 = u2", *[scalar(f"{name} both")] * 2, key=key, tags="key")
        book.case(f"key-{name}-sum-small", "and sums near the identity: R = G", "key", from_multiples(1 - 7 * d, 7, key))


def with_y(y):
    """The point with this y and one of the cube roots of y^2 - 7 as x, if there is one; p = 7 modulo 9."""
    x = pow(y * y - SECP256K1.group("g1").b, (P + 2) // 9, P)
    return (x, y) if GROUP.contains((x, y)) else None


def on_other_curve(key, label):
    """A signature of 0 under a point that is on y^2 = x^3 + b for another b."""
    other = Weierstrass(SECP256K1.fp, (key[1]**2 - key[0]**3) % P)
    u2 = scalar(label)
    return from_multiples(0, u2, key, other.mul(u2, key)[0] % N)


#: Scalars that are edges of some way to cut them up.
SCALARS = {
    "1": 1, "2": 2, "3": 3, "largest": N - 1, "largest-but-one": N - 2, "130": 130, "minus-130": N - 130, "below-half": (N - 1) // 2,
    "above-half": (N + 1) // 2, "lambda": LAMBDA, "lambda-plus-1": LAMBDA + 1, "lambda-minus-1": LAMBDA - 1, "lambda-plus-130": LAMBDA + 130,
    "minus-lambda": N - LAMBDA, "lambda-squared": LAMBDA**2 % N, "2-to-127": 2**127, "2-to-128": 2**128, "2-to-129-minus-1": 2**129 - 1, "2-to-255": 2**255,
    "bytes-80": int("80" * 31, 16), "bytes-7f": int("7f" * 31, 16), "bytes-81": int("81" * 31, 16), "bytes-ff": 2**248 - 1, "bits-alternate": int("55" * 32, 16),
    "bits-alternate-too": int("aa" * 31, 16), "nibbles-8": int("88" * 31, 16), "five-bits-10": sum(0x10 << 5 * i for i in range(51)),
    "five-bits-0f": sum(0x0F << 5 * i for i in range(51)), "sparse": sum(1 << 16 * i for i in range(16)),
}
#: Halves k of a scalar k1 + k2 lambda, of at most 127 bits.
HALVES = {
    "1": 1, "2": 2, "17": 17, "2-to-63": 2**63, "2-to-126": 2**126, "2-to-126-minus-1": 2**126 - 1, "2-to-126-plus-1": 2**126 + 1, "bits-alternate": int("55" * 15, 16),
    "digits-15": sum(15 << 5 * i for i in range(25)), "digits-17": sum(17 << 5 * i for i in range(25)), "digits-far-apart": sum(1 << 6 * i for i in range(21)),
    "long-runs": int("00ffff0000ffff" * 2, 16), "most-digits": sum(1 << 5 * i for i in range(26)),
}


def multiples(book):
    """u1 and u2 whose digits are zero, extreme, negative or alone."""
    for name, k in SCALARS.items():
        book.multiples(f"u1-{name}", "an edge of u1", u1=k)
        book.multiples(f"u2-{name}", "an edge of u2", u2=k)
    for a, b in ((1, 1), (1, N - 1), (N - 1, 1), (N - 1, N - 1), (2, 1), (1, 2), (0, 1), (0, N - 1), (0, 2), (0, LAMBDA), (1, LAMBDA), (LAMBDA, 1), (130, 130), (N - 130, N - 130)):
        label = "-".join("minus-lambda" if k == N - LAMBDA else "lambda" if k == LAMBDA else f"minus-{N - k}" if k > N // 2 else str(k) for k in (a, b))
        book.multiples(f"u1-u2-{label}", "edges of both", a, b)
    for place in range(32):
        book.multiples(f"u1-byte-{place}-is-80", "one digit, as large as one of 8 bits can be", u1=0x80 << 8 * place)
    for place in range(0, 32, 5):
        book.multiples(f"u1-byte-{place}-is-01", "one digit, as small as can be", u1=1 << 8 * place)
    for name, k in HALVES.items():
        for way, (k1, k2) in {"k1": (k, 0), "k2": (0, k), "both": (k, k), "opposite": (k, -k), "negative": (-k, -k)}.items():
            if (name, way) != ("1", "k1"):
                book.multiples(f"u2-{way}-{name}", "u2 = k1 + k2 lambda with these halves", u2=k1 + k2 * LAMBDA)
    (a1, b1), (a2, b2) = Scheme(N, LAMBDA).basis
    for i, j in ((1, 0), (0, 1), (1, 1), (1, -1), (-1, 0), (0, -1), (-1, -1), (-1, 1)):
        for off in (-1, 0, 1):
            k1, k2 = (i * a1 + j * a2) // 2 + off, (i * b1 + j * b2) // 2 + off
            name = "-".join(f"minus-{-it}" if it < 0 else str(it) for it in (i, j, off))
            book.multiples(f"u2-corner-{name}", "halves next to a corner or an edge of what a reduced pair can be", u2=k1 + k2 * LAMBDA)


def changed(book):
    """One signature, and everything near it."""
    base = good("changed")
    book.case("base", "what the cases below change", "valid", base)
    for field in FIELDS:
        for bit in (0, 1, 63, 128, 200, 254, 255):
            value = getattr(base, field) ^ 1 << bit
            mask = KEY if field in ("qx", "qy") else FAILED
            book.case(f"{field}-bit-{bit}", "one bit changed", "changed", replace(base, **{field: value}), mask)
    book.case("r-and-s-swapped", "r and s in each other's place", "changed", replace(base, r=base.s, s=base.r), FAILED)
    reverse = int.from_bytes(base.hash.to_bytes(32, "little"), "big")
    book.case("digest-reversed", "the digest's bytes in the wrong order", "changed", replace(base, hash=reverse), FAILED)
    book.case("r-negated", "n - r", "changed", replace(base, r=N - base.r), FAILED)
    other = good("another")
    book.case("other-key", "another's key", "changed", replace(base, qx=other.qx, qy=other.qy), FAILED)
    book.case("other-digest", "another's digest", "changed", replace(base, hash=other.hash), FAILED)


def painted(book):
    """Nothing in particular."""
    for i in range(60):
        book.case(f"painted-{i}", "painted by rule", "painted", good(f"painted {i}"))
    for i in range(40):
        base, field = good(f"spoiled {i}"), FIELDS[i % 3]
        value = scalar(f"spoiled {i} {field}")
        book.case(f"painted-wrong-{field}-{i}", f"{field} is another's", "painted", replace(base, **{field: value}), FAILED)


def contents():
    """Name -> content of spec/vectors/ecdsa_verify/<name>.json."""
    book = Book("ecdsa_verify")
    for chapter in (defects, ranges, above_the_order, keys, multiples, changed, painted):
        chapter(book)
    name = SECP256K1.name
    return {name: {"schema": "../schema.json", "op": "ecdsa_verify", "curve": name, "cases": book.found}}

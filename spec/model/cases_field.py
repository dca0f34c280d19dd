"""Vectors of the fields: pairs for + - *, single elements for square, inverse and root, bytes for decoding.

Edges are those of the modulus, of the powers of two at limb borders, and of Montgomery forms: R = 2^(64 n) and
2^(52 n), their squares and neighbours, because a value that is small inside is none of these outside.
"""

import field
from cases import Cases, painted, text

RANDOM_PAIRS, RANDOM_SINGLES = 16, 12


def edges(f):
    """Returns value -> reason for the case. The first reason of a value is kept."""
    p, reasons = f.p, {}

    def edge(value, reason):
        reasons.setdefault(value % p, reason)

    for value, reason in ((0, "0"), (1, "1"), (2, "2"), (-1, "p - 1"), (-2, "p - 2"), (p // 2, "(p - 1)/2"), (p // 2 + 1, "(p + 1)/2")):
        edge(value, reason)
    for k in (26, 32, 52, 64, 104, 128, 192, 256, 320, f.bits - 1):
        if k < f.bits:
            edge(1 << k, f"2^{k}")
            edge((1 << k) - 1, f"2^{k} - 1")
    for limb in (52, 64):
        n = -(-f.bits // limb)
        r = 1 << limb * n
        for value, reason in ((r, "R"), (r * r, "R^2"), (pow(r, -1, p), "1/R"), (-r, "-R"), (-pow(r, -1, p), "-1/R")):
            edge(value, f"{reason}, R = 2^({limb} * {n})")
    return reasons


def pairs(f, cases):
    """Every edge with itself, its negative, p - 1 and the next edge; then random ones."""
    reasons = edges(f)
    values = list(reasons)
    chosen = {}
    for a, following in zip(values, values[1:] + values[:1]):
        for b in (a, f.neg(a), f.p - 1, following):
            chosen.setdefault((a, b), f"{reasons[a]} and {reasons.get(b, 'its negative')}")
    for i in range(RANDOM_PAIRS):
        pair = (painted(f, f"{f.name} pair {i} a"), painted(f, f"{f.name} pair {i} b"))
        chosen.setdefault(pair, f"painted from '{f.name} pair {i}'")
    for i, ((a, b), comment) in enumerate(chosen.items()):
        results = {"add": f.add(a, b), "sub": f.sub(a, b), "mul": f.mul(a, b)}
        cases.add(f"pair-{i}", comment, "painted" if "painted" in comment else "edge",
                  a=text(a), b=text(b), **{name: text(value) for name, value in results.items()})


def singles(f, cases):
    chosen = {a: reason for a, reason in edges(f).items()}
    for i in range(RANDOM_SINGLES):
        chosen.setdefault(painted(f, f"{f.name} single {i}"), f"painted from '{f.name} single {i}'")
    for i, (a, comment) in enumerate(chosen.items()):
        inverse = f.inverse(a) if a else None
        cases.add(f"single-{i}", comment, "painted" if "painted" in comment else "edge", a=text(a), neg=text(f.neg(a)),
                  square=text(f.mul(a, a)), inverse=text(inverse), sqrt=text(f.sqrt(a)))


def decodings(f, cases):
    """Canonical little-endian bytes, and every kind that is none."""
    for id, value in (("zero", 0), ("one", 1), ("largest", f.p - 1)):
        cases.add(f"decode-{id}", "canonical", "decode", bytes=f.encode(value).hex(), value=text(value))
    all_ones = (1 << 8 * f.bytes) - 1
    for id, value in (("p", f.p), ("p-plus-1", f.p + 1), ("all-bits", (1 << f.bits) - 1), ("all-bytes", all_ones)):
        if f.p <= value <= all_ones and not any(case["id"] == f"decode-{id}" for case in cases.found):
            cases.add(f"decode-{id}", "not below p", "decode malformed", bytes=value.to_bytes(f.bytes, "little").hex(), refused="not reduced")
    for id, data in (("empty", b""), ("short", bytes(f.bytes - 1)), ("long", bytes(f.bytes + 1))):
        if not any(case.get("bytes") == data.hex() for case in cases.found):
            cases.add(f"decode-{id}", "not the field's number of bytes", "decode malformed", bytes=data.hex(), refused="wrong length")


def contents():
    """Name -> content of spec/vectors/field/<name>.json."""
    made = {}
    for name in field.names():
        f, cases = field.load(name), Cases(name)
        pairs(f, cases)
        singles(f, cases)
        decodings(f, cases)
        made[name] = {"schema": "../schema.json", "op": "field", "field": name, "cases": cases.found}
    return made

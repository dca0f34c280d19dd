"""Vectors of the encodings: every kind of valid one, and every kind of malformed one, with the reason.

Each case is the model's result for these bytes. A malformed case also states the expected reason, so that a confusion of
two reasons is detected.
"""

import curve
import encoding
from cases import Cases, painted_number, text
from encoding import COMPRESSED, IDENTITY, LARGER

VALID = 6


class Book(Cases):
    """Cases of one group and form."""

    def __init__(self, where, decode):
        super().__init__(where)
        self.decode = decode

    def valid(self, id, comment, group, form, data, point):
        if self.decode(group, form, data) != point:
            raise ValueError(f"{self.where}: {id} is decoded to another point")
        self.add(f"{group}-{form}-{id}", comment, "valid", group=group, form=form, bytes=data.hex(), point=text(point))

    def malformed(self, id, comment, group, form, data, reason):
        try:
            self.decode(group, form, data)
        except encoding.Refused as refusal:
            if str(refusal) != reason:
                raise ValueError(f"{self.where}: {id} is refused for `{refusal}`, not `{reason}`") from refusal
            self.add(f"{group}-{form}-{id}", comment, "malformed", group=group, form=form, bytes=data.hex(), refused=reason)
        else:
            raise ValueError(f"{self.where}: {id} is not refused")


def with_bits(data, bits):
    """Inverts flags of the first byte."""
    return bytes([data[0] ^ bits]) + data[1:]


def some_points(facts, which):
    """Returns the generator, small multiples, and pseudo-random points, with both signs of y."""
    group, g = facts.group(which), facts.generator(which)
    yield "g", "the generator", g
    yield "minusG", "its negative", group.neg(g)
    for k in (2, 3):
        yield f"{k}g", f"{k} times the generator", group.mul(k, g)
    for i in range(VALID):
        label = f"{facts.name} {which} encoding {i}"
        yield f"painted{i}", f"a multiple of the generator, painted from '{label}'", group.mul(painted_number(facts.r, label), g)


def first_x(group, has_point):
    """The first x, counted up, that has a point or that has none."""
    return next(x for x in group.field.candidates() if bool(group.with_x(x)) == has_point)


def secp256k1():
    facts = curve.load("secp256k1")
    form, p = encoding.Sec1(facts), facts.fp.p
    book = Book("secp256k1", lambda group, name, data: form.decode(data))
    book.valid("identity", "one byte", "g1", "compressed", b"\x00", None)
    for id, comment, point in some_points(facts, "g1"):
        for name in ("compressed", "uncompressed"):
            book.valid(id, comment, "g1", name, form.encode(point, name == "compressed"), point)
    sec1_malformed(book, form, facts, p)
    return book.found


def sec1_malformed(book, form, facts, p):
    g = facts.generator("g1")
    nowhere = first_x(facts.group("g1"), False).to_bytes(32, "big")
    good = {name: form.encode(g, name == "compressed") for name in ("compressed", "uncompressed")}
    for name, data in good.items():
        book.malformed("short", "the last byte is missing", "g1", name, data[:-1], "wrong length")
        book.malformed("long", "a byte too many", "g1", name, data + b"\x00", "wrong length")
        book.malformed("cut", "only the first byte", "g1", name, data[:1], "wrong length")
        book.malformed("otherForm", "the first byte of the other form", "g1", name, bytes([6 - data[0]]) + data[1:], "wrong length")
        for first in (1, 5, 6, 7, 0x80, 0xFF):
            book.malformed(f"first{first:02x}", "no such first byte; 06 and 07 are the hybrid form of ANSI X9.62", "g1", name, bytes([first]) + data[1:], "wrong flags")
        for id, x in (("xIsP", p), ("xAboveP", p + 1), ("xAllBits", 2**256 - 1)):
            book.malformed(id, "x is not below p", "g1", name, data[:1] + x.to_bytes(32, "big") + data[33:], "not reduced")
        book.malformed("nowhere", "no point has this x", "g1", name, data[:1] + nowhere + data[33:], "not on curve")
    book.malformed("empty", "no bytes", "g1", "compressed", b"", "wrong length")
    book.malformed("identityLong", "the identity has one byte", "g1", "compressed", bytes(33), "wrong length")
    head, y = good["uncompressed"][:33], g[1]
    for id, value, reason in (("yIsP", p, "not reduced"), ("yAllBits", 2**256 - 1, "not reduced"), ("yWrong", y + 1, "not on curve"), ("zeroZero", None, "not on curve")):
        data = head + value.to_bytes(32, "big") if value else b"\x04" + bytes(64)
        book.malformed(id, "y is not below p" if reason == "not reduced" else "no point of the curve", "g1", "uncompressed", data, reason)


def bls12_381():
    facts = curve.load("bls12_381")
    forms = {which: encoding.Zcash(facts, which) for which in facts.groups}
    book = Book("bls12_381", lambda group, name, data: forms[group].decode(data, name == "compressed"))
    for which, form in forms.items():
        points = [("identity", "infinity, all else zero", None), *some_points(facts, which)]
        for id, comment, point in points:
            for name in ("compressed", "uncompressed"):
                book.valid(id, comment, which, name, form.encode(point, name == "compressed"), point)
        for name in ("compressed", "uncompressed"):
            zcash_malformed(book, form, which, name)
    return book.found


def zcash_malformed(book, form, which, name):
    compressed = name == "compressed"
    group, g = form.group, form.curve.generator(which)
    good, identity = form.encode(g, compressed), form.encode(None, compressed)

    def refuse(id, comment, data, reason):
        book.malformed(id, comment, which, name, data, reason)

    for id, data in (("empty", b""), ("short", good[:-1]), ("long", good + b"\x00"), ("identityShort", identity[:-1]), ("otherForm", form.encode(g, not compressed))):
        refuse(id, "not the form's number of bytes", data, "wrong length")
    refuse("formFlag", "the flag says the other form", with_bits(good, COMPRESSED), "wrong flags")
    refuse("identityFormFlag", "the flag says the other form", with_bits(identity, COMPRESSED), "wrong flags")
    refuse("identitySorted", "the identity with the sort flag", with_bits(identity, LARGER), "wrong flags")
    if not compressed:
        refuse("sorted", "the sort flag without compression", with_bits(good, LARGER), "wrong flags")
    refuse("identityStrayLow", "the identity with a bit in its last byte", identity[:-1] + b"\x01", "stray bits")
    refuse("identityStrayHigh", "the identity with a bit beside the flags", with_bits(identity, 1), "stray bits")
    refuse("identityFlagOnPoint", "the identity's flag on a point", with_bits(good, good[0] & LARGER | IDENTITY), "stray bits")
    not_reduced(form, compressed, good, refuse)
    nowhere, elsewhere = first_x(group, False), first_x(group, True)
    flags = COMPRESSED if compressed else 0
    tail = b"" if compressed else good[form.size:]
    refuse("nowhere", "no point has this x", with_bits(encoding.coordinate_bytes(group.field, nowhere), flags) + tail, "not on curve")
    for i, point in enumerate(group.with_x(elsewhere)):
        refuse(f"outside{i}", "on the curve, not in the subgroup", form.encode(point, compressed), "not in subgroup")
    if not compressed:
        y = group.field.add(g[1], group.field.one)
        refuse("yWrong", "y is one too large", form.encode((g[0], y), False), "not on curve")
        refuse("zeroZero", "(0, 0) without the identity's flag", bytes(len(good)), "not on curve")


def not_reduced(form, compressed, good, refuse):
    """Every coordinate in turn, as p, as what it is plus p where this fits, and as all bits."""
    size, p = form.curve.fp.bytes, form.curve.fp.p
    for place in range(len(good) // size):
        flags = good[0] & 0xE0 if place == 0 else 0
        start = place * size
        value = int.from_bytes(with_bits(good[start:start + size], flags), "big")
        room = (1 << 381) - 1
        for id, bad in (("P", p), ("PlusP", value + p), ("AllBits", room)):
            if bad <= room:
                data = good[:start] + with_bits(bad.to_bytes(size, "big"), flags) + good[start + size:]
                refuse(f"coordinate{place}{id}", f"coordinate {place} is not below p", data, "not reduced")


def contents():
    """Name -> content of spec/vectors/encoding/<name>.json."""
    found = {"secp256k1": secp256k1(), "bls12_381": bls12_381()}
    return {name: {"schema": "../schema.json", "op": "encoding", "curve": name, "cases": cases} for name, cases in found.items()}

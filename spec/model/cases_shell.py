"""The cases of the command stream: well-formed packets, and every way in which one can be malformed.

A file of the same cases for each of some cards: `shell` for one with both real Equihash engines, `shell_toy` for one
with the toy, `shell_ecdsa` and `shell_poseidon` for one with that engine.
"""

import ecdsa_verify as ecdsa
import equihash_verify as equihash
import poseidon_card
from cases_ecdsa_verify import PUBLISHED
from cases_equihash_verify import BOOKS
from wire import (
    ECDSA_INSTANCE, EQUIHASH, HEADER, POSEIDON_INSTANCE, SHELL, Card, Identity, command_len, ecdsa_command, equihash_command, layers_command,
    packet, poseidon_command,
)

CARDS = {"shell": ["200_9", "144_5"], "shell_toy": ["48_5"], "shell_ecdsa": [ECDSA_INSTANCE], "shell_poseidon": [POSEIDON_INSTANCE]}

#: Only an example: these bytes of a status reply belong to the build and are free in every case.
IDENTITY = Identity(version=0x000100, build_date="20260101", build_host="example")
BUILD_BYTES = [8, 28]
#: And the cycles of an ECDSA reply to the clock.
CYCLE_BYTES = [17, 19]
#: Number of a reply -> its bytes that are free.
FREE = {SHELL["commands"]["status"]["reply"]: BUILD_BYTES, ecdsa.COMMAND["reply"]: CYCLE_BYTES}

INDEX = 0x0123456789ABCDEF
#: Every card with Poseidon has this arity.
POSEIDON_ARITY = 2
RESET, STATUS = SHELL["commands"]["reset"]["number"], SHELL["commands"]["status"]["number"]


class Exchanges:
    """Cases against one model card, each from reset."""

    def __init__(self, engines):
        self.engines = engines
        self.cases = []

    def case(self, id, comment, *packets):
        card = Card(IDENTITY, self.engines)
        told = []
        for sent in packets:
            reply = card.answer(sent)
            free = FREE.get(int.from_bytes(reply[4:8], "little"))
            told.append({"packet": sent.hex(), "reply": reply.hex(), **({"free": [free]} if free else {})})
        self.cases.append({"id": id, "comment": comment, "exchanges": told})


def padded(sent):
    return sent + bytes(-len(sent) % 8)


def control(cases):
    """Reset and status, and their malformed relatives."""
    status, reset = packet(STATUS), packet(RESET)
    cases.case("status", "the published status request 0800000001000000; its reply has 37 bytes", status)
    cases.case("reset", "the reply has 8 bytes", reset)
    cases.case("reset-then-status", "status is answered after a reset", reset, status)
    cases.case("all-ones", "the published test: a header of all ones with bits 15 to 8 of the number zero",
               bytes.fromhex("ffffffffff00ffff"), status)
    cases.case("all-ones-everywhere", "and with those bits one", b"\xff" * 8, status)
    cases.case("zeros", "length 0: too short for what it is", bytes(8), status)
    for name, good in (("reset", reset), ("status", status)):
        number = int.from_bytes(good[4:], "little")
        for length in (0, 7, 9, 16, 0xFFFFFFFF, 0x80000008, 0x108):
            cases.case(f"{name}-says-{length:x}", f"length field {length:#x} on an 8-byte packet", packet(number, length=length), status)
        for extra in (1, 7, 8, 9, 64):
            cases.case(f"{name}-has-{extra}-more", f"{extra} bytes after the packet that its length says", good + b"\x5a" * extra, status)
        cases.case(f"{name}-twice-in-one", "two packets in one transfer are one malformed packet", good + good, status)
        cases.case(f"{name}-honest-16", "16 bytes, and says so: still not the command's length", packet(number, bytes(8)), status)
    for count in range(1, 8):
        cases.case(f"only-{count}-bytes", "shorter than a header: the missing bytes are echoed as zero", b"\xa5" * count, status)
        cases.case(f"status-cut-to-{count}", "a status request that ends early", status[:count], status)
    for number in (2, 0xFF, 0x80000000, 0x80000001, 0x80000002, 0x80000100, 0x00010000, 0x01000001):
        cases.case(f"number-{number:08x}", "no such command", packet(number), packet(number, bytes(64)), status)
    for name, number in SHELL["command_blocks"].items():
        if name not in ("control", "verification"):
            cases.case(f"reserved-{name.replace('_', '-')}", "a number kept for an engine to come", packet(number), packet(number, bytes(248)), status)
    cases.case("long-garbage", "4,096 bytes that mean nothing", b"\xc3" * 4096, status)


def layout(instance):
    """(number, length) of an engine's commands."""
    if instance == ECDSA_INSTANCE:
        return ecdsa.COMMAND["number"], ecdsa.COMMAND["len"]
    if instance == POSEIDON_INSTANCE:
        return poseidon_card.COMMAND["number"], poseidon_card.command_len(POSEIDON_ARITY)
    return EQUIHASH["number"], command_len(equihash.load_params(instance))


def valid_command(instance):
    """(what it is about, a command whose answer is: valid)."""
    if instance == ECDSA_INSTANCE:
        name, signature = next(iter(PUBLISHED.items()))
        return name, ecdsa_command(INDEX, signature)
    if instance == POSEIDON_INSTANCE:
        return "a node of a binary tree", poseidon_command(INDEX, [3, 0, 1])
    book = BOOKS[instance]()
    name, header = next(iter(book.bases.items()))
    return name, equihash_command(book.params, INDEX, header)


def engines(cases):
    """Commands to the engines, and their malformed relatives."""
    status = packet(STATUS)
    for instance in cases.engines:
        number, length = layout(instance)
        name, good = valid_command(instance)
        label = instance.replace("_", "-")
        cases.case(f"{label}-valid", f"{name}, its packet as long as it says", good)
        if length % 8:
            cases.case(f"{label}-padded", "the last word filled up with zeros", padded(good))
            cases.case(f"{label}-padded-garbage", "what fills up the last word means nothing", good + b"\xff" * (-length % 8))
        if -length % 8 > 1:
            cases.case(f"{label}-padded-partly", "one byte of padding where the word has room for more: neither form", good + b"\0", good)
        flaw = good[:-1] + bytes([good[-1] ^ 1])
        cases.case(f"{label}-faulty-between-valid", "what is invalid leaves no trace", good, flaw, good)
        cases.case(f"{label}-index-largest", "the index is echoed whatever it is", good[:8] + b"\xff" * 8 + good[16:])
        for extra in (8, 16):
            cases.case(f"{label}-has-{extra}-more", f"{extra} bytes too many", padded(good) + bytes(extra), good)
        for missing in (1, 8, length - 16, length - 8):
            cases.case(f"{label}-lacks-{missing}", f"ends {missing} bytes early", good[:-missing], good)
        for said in (0, 8, length - 1, length + 1, length + 8, length | 1 << 31):
            cases.case(f"{label}-says-{said}", f"the right bytes with a length field of {said}", packet(number, good[8:], said), good)
        cases.case(f"{label}-number-changed", "the right bytes under a number that is not built in", packet(0x1FF, good[8:]), good)
        cases.case(f"{label}-status-between", "status between two commands", good, status, good)
        cases.case(f"{label}-reset-between", "reset between two commands", good, packet(RESET), good)
    if POSEIDON_INSTANCE in cases.engines:
        poseidon_elements(cases)
        poseidon_layers(cases)
    for instance in sorted({*BOOKS, ECDSA_INSTANCE, POSEIDON_INSTANCE} - set(cases.engines)):
        number, length = layout(instance)
        cases.case(f"{instance.replace('_', '-')}-not-built-in", "an engine that this card does not have", packet(number, bytes(length - HEADER["bytes"])), status)


def poseidon_elements(cases):
    """What the elements of a state may be."""
    p = poseidon_card.instance(POSEIDON_ARITY).p
    good = poseidon_command(INDEX, [3, 0, 1])
    cases.case("poseidon-largest", "every element is r - 1, the tag too", poseidon_command(INDEX, [p - 1] * 3))
    for number in range(POSEIDON_ARITY + 1):
        for name, value in (("r", p), ("all-ones", 2**256 - 1)):
            state = [value if i == number else 1 for i in range(POSEIDON_ARITY + 1)]
            cases.case(f"poseidon-element-{number}-is-{name}", "refused by its number, and no trace of it in the next digest", poseidon_command(INDEX, state), good)
    cases.case("poseidon-two-are-wrong", "the first one is named", poseidon_command(INDEX, [3, p, p + 1]), good)


def poseidon_layers(cases):
    """A tree of four leaves, and commands of the memory that are not possible."""
    good, granule = poseidon_command(INDEX, [3, 0, 1]), poseidon_card.GRANULE

    def write(leaves):
        data = b"".join(leaf.to_bytes(poseidon_card.ELEMENT, "little") for leaf in leaves).ljust(granule, b"\xff")
        return layers_command("write", index=INDEX, address=granule, data=data)

    def layer(*places, **other):
        return layers_command("layer", **dict(zip(("from", "to", "count"), places), index=INDEX, arity=POSEIDON_ARITY, tag=3) | other)

    above, root = layer(granule, 2 * granule, 2), layer(2 * granule, 3 * granule, 1)
    reads = [layers_command("read", index=INDEX, address=granule * number) for number in (1, 2, 3)]
    cases.case("poseidon-tree", "four leaves, two nodes, a root; all of them are read", write([1, 2, 3, 4]), above, root, *reads, good)
    cases.case("poseidon-tree-in-place", "each layer in the place of the one below", write([1, 2, 3, 4]), layer(granule, granule, 2), layer(granule, granule, 1), reads[0])
    p = poseidon_card.instance(POSEIDON_ARITY).p
    cases.case("poseidon-layer-element-is-r", "refused by its number in all states; the next layer is as ever", write([1, 2, 3, p]), above, write([1, 2, 3, 4]), above)
    cases.case("poseidon-layer-tag-is-r", "element 0", write([1, 2, 3, 4]), layer(granule, 2 * granule, 2, tag=p), above)
    for name, wrong in {
        "no-digest": {"count": 0}, "too-many": {"count": 1 << 40}, "far-too-many": {"count": (1 << 64) - 1}, "arity-3": {"arity": 3}, "arity-0": {"arity": 0},
        "from-odd": {"from": 32}, "to-odd": {"to": 32}, "from-beyond": {"from": 1 << 40}, "to-beyond": {"to": 1 << 63},
    }.items():
        cases.case(f"poseidon-layer-{name}", "invalid, and nothing is written", write([1, 2, 3, 4]), layer(granule, granule, 1, **wrong), reads[0])
    for name, address in (("odd", 8), ("beyond", 1 << 40), ("far-beyond", 1 << 63)):
        cases.case(f"poseidon-write-{name}", "invalid", layers_command("write", index=INDEX, address=address, data=bytes(granule)), good)
        cases.case(f"poseidon-read-{name}", "invalid, and zeros", layers_command("read", index=INDEX, address=address), good)


def contents():
    """File name -> content."""
    made = {}
    for name, built_in in CARDS.items():
        cases = Exchanges(built_in)
        control(cases)
        engines(cases)
        made[name] = {"schema": "../schema.json", "op": "shell", "engines": built_in, "cases": cases.cases}
    return made

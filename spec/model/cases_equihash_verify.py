"""The cases of equihash_verify.

`faults` takes one valid header of any parameter set and spoils it in every way the checks know; each instance
adds what only it can show: blocks of the chain, solved headers with targets at every edge, random ones.
Most cases leave the difficulty unchecked, so that the mask shows the fault and not the changed hash.
"""

import hashlib
from itertools import islice
from pathlib import Path

import equihash_verify as equihash
from book import Book, limit
from equihash_solve import solve

ROOT = Path(__file__).resolve().parent.parent.parent
CHAIN = ROOT / "examples/headers"
SOLVED = Path(__file__).resolve().parent / "headers"

DIFFICULTY, XOR, ORDER, ZERO, DUPLICATE, SIZE = (
    equihash.ERROR[name]
    for name in ("difficulty_fail", "xor_non_zero", "bad_idx_order", "bad_zero_order", "duplicate_fnd", "bad_solution_size")
)
FIELDS = {"version": 0, "previous block": 4, "merkle root": 36, "commitment": 68, "time": 100, "nonce": 108}


def random_bytes(seed, count):
    """Bytes painted by rule: SHA-256 of the seed, a slash and a counter."""
    blocks = (hashlib.sha256(f"{seed}/{i}".encode()).digest() for i in range(-(-count // 32)))
    return b"".join(blocks)[:count]


def stored(path):
    """A header kept as hex, which may have white space and lines starting with #."""
    lines = (line for line in path.read_text().splitlines() if not line.startswith("#"))
    return bytes.fromhex("".join(lines))


class Header:
    """A header in its parts, so that a case can change one of them."""

    def __init__(self, params, header):
        self.params = params
        self.head, self.size, solution = equihash.split(params, header)
        self.indices = equihash.unpack(params, solution)

    def with_indices(self, indices):
        return self.head + self.size + equihash.pack(self.params, indices)

    def with_index(self, place, index):
        return self.with_indices(self.indices[:place] + [index] + self.indices[place + 1:])

    def swapped(self, a, b, count):
        """Two runs of `count` indices change places."""
        indices = list(self.indices)
        indices[a:a + count], indices[b:b + count] = indices[b:b + count], indices[a:a + count]
        return indices


def flipped(header, offset, xor):
    changed = bytearray(header)
    changed[offset] ^= xor
    return bytes(changed)


def with_bits(head, bits):
    return head[:equihash.BITS_OFFSET] + bits.to_bytes(4, "little") + head[equihash.BITS_OFFSET + 4:]


def faults(book, base, network):
    """Everything that can be wrong with one header that is valid on a network."""
    params, header = book.params, book.bases[base]
    parts = Header(params, header)
    start = params.header_bytes + len(params.compact_size)

    def case(id, comment, changed, *tags, **more):
        book.case(id, comment, changed, *tags, base=base, **more)

    # difficulty
    target, _ = equihash.target_of(int.from_bytes(header[104:108], "little"))
    case("limit-is-target", "the largest allowed target is exactly this one", header, "difficulty", network=limit(target), mask=0)
    case("limit-below-target", "the target is one above the limit", header, "difficulty", network=limit(target - 1), mask=DIFFICULTY)
    case("limit-is-one", "no block meets such a limit", header, "difficulty", network=limit(1), mask=DIFFICULTY)
    case("limit-is-largest", "every target is within the limit", header, "difficulty", network=limit(2**256 - 1), mask=0)
    case("unchecked", "no network: the difficulty bit stays clear", header, "difficulty", mask=0)
    for bits in (0x00000000, 0x1F07FFFF, 0x1E800001, 0x207FFFFF, 0x23000001):
        case(f"bits-{bits:08x}", "another target: another header, so the leaves change too",
             with_bits(header, bits), "difficulty", "header", network=network)

    # the 140 bytes
    for field, offset in FIELDS.items():
        case(f"{field.replace(' ', '-')}-changed", f"one bit of the {field} changes every leaf and the block's hash",
             flipped(header, offset, 1), "header", network=network, mask=DIFFICULTY | XOR | ZERO)
    case("last-header-bit-changed", "the last bit of the 140 bytes, next to the leaf number in the hash's second block",
         flipped(header, 139, 0x80), "header", mask=XOR | ZERO)

    # CompactSize
    for offset in range(params.header_bytes, start):
        case(f"size-byte-{offset - params.header_bytes}-changed", "a solution size that is not the parameter set's; the leaves do not depend on it",
             flipped(header, offset, 1), "size", mask=SIZE)
        case(f"size-byte-{offset - params.header_bytes}-changed-hash", "the same on its network: the block's hash covers the size",
             flipped(header, offset, 1), "size", network=network, mask=SIZE | DIFFICULTY)
    zero_size = header[:params.header_bytes] + bytes(start - params.header_bytes) + header[start:]
    case("size-zero", "all size bytes zero", zero_size, "size", mask=SIZE)

    # solution bits
    case("last-solution-bit", "a fault in the last subtree: only the whole sum shows it; published for block 346 as 0x03",
         flipped(header, -1, 1), "xor", network=network, mask=DIFFICULTY | XOR)
    case("last-solution-bit-alone", "the same without the hash", flipped(header, -1, 1), "xor", mask=XOR)
    case("first-solution-bit", "the first index's top bit", flipped(header, start, 0x80), "xor", "zero", mask=None)
    for place in (0, 1, params.indices // 2, params.indices - 2, params.indices - 1):
        case(f"leaf-{place}-replaced", "one index off by one in its last bit",
             parts.with_index(place, parts.indices[place] ^ 1), "xor", "zero")
        case(f"leaf-{place}-smallest", "one index becomes 0", parts.with_index(place, 0), "xor")
        case(f"leaf-{place}-largest", "one index becomes the largest there is",
             parts.with_index(place, (1 << params.index_bits) - 1), "xor")

    # order
    for level in range(params.k):
        half, last = 1 << level, params.indices - (2 << level)
        case(f"siblings-swapped-level-{level}", f"the first two subtrees of {half} leaves change places: nothing but the order is wrong",
             parts.with_indices(parts.swapped(0, half, half)), "order", mask=ORDER)
        if last:
            case(f"last-siblings-swapped-level-{level}", f"the last two subtrees of {half} leaves change places",
                 parts.with_indices(parts.swapped(last, last + half, half)), "order", mask=ORDER)
    case("all-backwards", "all indices in reverse: every level is out of order", parts.with_indices(parts.indices[::-1]), "order", mask=ORDER)

    # step-by-step cancelling
    for level in range(params.k - 1):
        for name, nodes in (("first", (0, 1)), ("last", (-2, -1))):
            indices = cousins_swapped(parts, level, nodes)
            if indices:
                case(f"{name}-cousins-swapped-level-{level}",
                     f"right subtrees of {1 << level} leaves trade parents: the sum holds, level {level} does not",
                     parts.with_indices(indices), "zero", mask=ZERO)

    # duplicates
    half = params.indices // 2
    case("right-half-is-left", "everything cancels, everything stands twice",
         parts.with_indices(parts.indices[:half] * 2), "duplicate", mask=ORDER | DUPLICATE)
    case("left-half-is-right", "the same with the other half",
         parts.with_indices(parts.indices[half:] * 2), "duplicate", mask=ORDER | DUPLICATE)
    case("first-pair-equal", "two equal leaves side by side cancel at once",
         parts.with_index(1, parts.indices[0]), "duplicate", "order")
    case("last-pair-equal", "two equal leaves at the end", parts.with_index(-2 + params.indices, parts.indices[-1]), "duplicate")
    case("first-at-the-end", "the last leaf repeats the first: as far apart as can be",
         parts.with_index(params.indices - 1, parts.indices[0]), "duplicate")
    case("one-repeated-far-away", "a right leaf stands again as the last right leaf: order holds",
         parts.with_index(params.indices - 1, max(parts.indices[1:half:2])), "duplicate")
    case("one-leaf-everywhere", "one index in every place", parts.with_indices([parts.indices[0]] * params.indices), "duplicate", mask=ORDER | DUPLICATE)
    case("all-zero-solution", "every index 0", header[:start] + bytes(params.solution_bytes), "duplicate", mask=ORDER | DUPLICATE)
    case("all-ones-solution", "every index the largest", header[:start] + b"\xff" * params.solution_bytes, "duplicate", mask=ORDER | DUPLICATE)
    case("counting-up", "indices 0, 1, 2 and so on: ordered and distinct, nothing cancels",
         parts.with_indices(list(range(params.indices))), "xor", "zero", mask=XOR | ZERO)
    case("counting-down", "the same backwards", parts.with_indices(list(range(params.indices))[::-1]), "order", mask=XOR | ZERO | ORDER)

    # everything at once, and nothing in particular
    spoiled = parts.with_indices([parts.indices[1]] * 2 + parts.indices[2:])
    case("all-six", "every bit at once", flipped(spoiled, params.header_bytes, 0xFF), "all", network=limit(1),
         mask=DIFFICULTY | XOR | ORDER | ZERO | DUPLICATE | SIZE)
    case("other-personalisation", "the same header under another personalisation", header, "personalisation",
         personalisation="NoSuchPo", mask=XOR | ZERO)
    case("random-solution", "random solution bytes under a good header",
         header[:start] + random_bytes(f"{params.name}/solution", params.solution_bytes), "random")
    case("random-bytes", "random bytes throughout", random_bytes(f"{params.name}/bytes", params.total_bytes), "random", network=network)


def cousins_swapped(parts, level, nodes):
    """Two nodes of a level trade their right subtrees; None where that would disturb the order as well."""
    width = 2 << level
    a, b = (node % (parts.params.indices // width) * width for node in nodes)
    half = width // 2
    in_order = parts.indices[b + half] > parts.indices[a] and parts.indices[a + half] > parts.indices[b]
    return parts.swapped(a + half, b + half, half) if in_order else None


def book_200_9():
    book = Book("200_9")
    for name, network, comment in (
        ("mainnet-346", "main", "mainnet block 346, the published card's test block"),
        ("mainnet-0", "main", "mainnet genesis: its target is the network's limit"),
        ("mainnet-1", "main", "mainnet block 1"),
        ("testnet-0", "test", "testnet genesis: its target is the network's limit"),
    ):
        header = stored(CHAIN / f"{name}.hex")
        book.base(name, header)
        book.case(name, comment, header, "valid", base=name, network=network, mask=0)
    book.case("testnet-0-on-main", "a target that only testnet allows", book.bases["testnet-0"], "difficulty",
              base="testnet-0", network="main", mask=DIFFICULTY)
    book.case("mainnet-346-on-test", "a mainnet block is hard enough for testnet", book.bases["mainnet-346"],
              "difficulty", base="mainnet-346", network="test", mask=0)
    book.case("mainnet-346-on-regtest", "and for regtest", book.bases["mainnet-346"], "difficulty",
              base="mainnet-346", network="regtest", mask=0)
    faults(book, "mainnet-346", "main")
    return book


def book_144_5():
    book = Book("144_5")
    book.base("solved", stored(SOLVED / "144_5-solved.hex"))
    book.base("solved-bgold", stored(SOLVED / "144_5-solved-bgold.hex"))
    book.base("solved-easy", stored(SOLVED / "144_5-solved-easy.hex"))
    book.base("repeating", stored(SOLVED / "144_5-repeating.hex"))
    book.case("solved", "a header made and solved for these vectors", book.bases["solved"], "valid", base="solved",
              network="test", mask=0)
    book.case("solved-on-main", "its target is above the mainnet's limit", book.bases["solved"], "difficulty",
              base="solved", network="main", mask=DIFFICULTY)
    book.case("solved-easy", "another nonce; the hash is above the target", book.bases["solved-easy"], "difficulty",
              base="solved-easy", network="test", mask=DIFFICULTY)
    book.case("solved-easy-unchecked", "the same without a network", book.bases["solved-easy"], "valid",
              base="solved-easy", mask=0)
    book.case("solved-bgold", "the personalisation of a chain that uses these parameters", book.bases["solved-bgold"],
              "valid", "personalisation", base="solved-bgold", personalisation="BgoldPoW",
              network=limit(0x7FFFFF << 232), mask=0)
    book.case("solved-bgold-as-zcash", "the same under Zcash's personalisation", book.bases["solved-bgold"],
              "personalisation", base="solved-bgold", mask=XOR | ZERO)
    book.case("repeating", "a solver's trivial solution: both halves cancel, many leaves stand twice",
              book.bases["repeating"], "duplicate", base="repeating", mask=ORDER | DUPLICATE)
    faults(book, "solved", "test")
    return book


#: Compact targets at every edge of their definition.
EDGES = {
    0x00000000: "zero", 0x00800000: "zero with a sign", 0x01003456: "shifted out to zero", 0x01123456: "one byte left",
    0x01FEDCBA: "negative, one byte left", 0x02123456: "two bytes left", 0x03123456: "three bytes", 0x04923456: "negative",
    0x1D00FFFF: "Bitcoin's limit", 0x1E800001: "negative with an even exponent", 0x1F07FFFF: "mainnet's limit",
    0x1F080000: "just above mainnet's limit", 0x2007FFFF: "testnet's limit", 0x20080000: "just above testnet's limit",
    0x200F0F0F: "regtest's limit, rounded down", 0x200F0F10: "just above regtest's limit", 0x207FFFFF: "largest of size 32",
    0x20800001: "negative in size 32", 0x21007FFF: "size 33 with the top bit clear", 0x2100FFFF: "largest of size 33",
    0x21010000: "overflow by one byte in size 33", 0x22000001: "2^248 in size 34", 0x220000FF: "largest of size 34",
    0x22000100: "overflow in size 34", 0x23000000: "zero in size 35", 0x23000001: "overflow in size 35",
    0xFF000000: "zero with the largest exponent", 0xFF7FFFFF: "largest exponent", 0xFFFFFFFF: "all ones",
}


def toy_headers(params, seed, bits, personalisation=None, repeats=False):
    """Solved toy headers, one solution each, without end."""
    count = 0
    while True:
        head = with_bits(random_bytes(f"{params.name}/{seed}/{count}", params.header_bytes), bits)
        for indices in solve(params, head, personalisation, repeats):
            yield head + params.compact_size + equihash.pack(params, indices)
        count += 1


def first(headers, params, network_limit=None, mask=0, personalisation=None):
    """The first header that gives a mask."""
    return next(h for h in headers if equihash.verify(params, h, personalisation, network_limit) == mask)


def edge(book, bits, comment):
    """A compact target under two limits, with a hash below it where 64 headers can find one, and with one above."""
    everything = 2**256 - 1
    target, allowed = equihash.target_of(bits)
    tries = 64 if allowed and target >= 2**250 else 1
    headers = list(islice(toy_headers(book.params, f"edge {bits:08x}", bits), tries))
    below = [h for h in headers if not equihash.difficulty_fail(h, everything)]
    above = [h for h in headers if equihash.difficulty_fail(h, everything)]
    for name, found in (("below", below), ("above", above)):
        if found:
            why = f"{comment}; the hash is {name} it" if allowed and target else comment
            book.case(f"edge-{bits:08x}-{name}", why, found[0], "difficulty", network=limit(everything),
                      mask=0 if name == "below" else DIFFICULTY)
    book.case(f"edge-{bits:08x}-regtest", f"{comment}; regtest's limit", (below + above)[0], "difficulty", network="regtest",
              mask=0 if below and target <= equihash.POW_LIMIT["regtest"] else DIFFICULTY)


def book_48_5():
    book = Book("48_5")
    params = book.params
    for network, bits in (("test", 0x2007FFFF), ("regtest", 0x200F0F0F)):
        header = first(toy_headers(params, network, bits), params, equihash.POW_LIMIT[network])
        book.case(f"solved-{network}", f"solved, and below the limit of {network}", header, "valid", base=book.base(f"solved-{network}", header),
                  network=network, mask=0)
    for bits, comment in EDGES.items():
        edge(book, bits, comment)
    for count in range(16):
        header = next(toy_headers(params, f"random {count}", 0x207FFFFF))
        book.case(f"random-solved-{count}", "a solved random header", header, "valid", "random", mask=0)
    for count in range(8):
        header = first(toy_headers(params, f"repeats {count}", 0x207FFFFF, repeats=True), params, mask=DUPLICATE)
        book.case(f"repeats-{count}", "ordered, cancels at every step, but an index occurs twice", header, "duplicate", mask=DUPLICATE)
    for name in ("ToyForPM", "\x00\x01\x02\x03\x04\x05\x06\x07"):
        header = next(toy_headers(params, f"personalisation {name!r}", 0x207FFFFF, name.encode()))
        label = name if name.isalnum() else "control-characters"
        book.case(f"personalisation-{label}", "solved under its own personalisation", header, "valid", "personalisation",
                  personalisation=name, mask=0)
        book.case(f"personalisation-{label}-lost", "the same under Zcash's", header, "personalisation", mask=XOR | ZERO)
    for count in range(8):
        book.case(f"garbage-{count}", "random bytes", random_bytes(f"{params.name}/garbage {count}", params.total_bytes), "random",
                  network=("main", "none")[count % 2])
    faults(book, "solved-test", "test")
    return book


BOOKS = {"200_9": book_200_9, "144_5": book_144_5, "48_5": book_48_5}

"""equihash_verify: the executable meaning of every bit of the error mask, written to be read, not to be fast.

Equihash (Zcash protocol specification, 7.7.1) requires 2^k indices whose hash strings of n bits cancel under
exclusive or, in such an order that they cancel step by step: the binary tree over the indices has at level i
subtrees of 2^(i+1) leaves, and each of them cancels in the first (i+1) groups of n/(k+1) bits.

A header is 140 bytes, the CompactSize of the solution, and the solution. `verify` makes every check on every
header, even after a failed one, so the mask is a function of the input alone; the card and the CPU
return the same mask bit for bit. The numbers come from spec/hashes and spec/wire.
"""

import hashlib
import tomllib
from dataclasses import dataclass
from pathlib import Path

SPEC = Path(__file__).resolve().parent.parent
WIRE = tomllib.loads((SPEC / "wire/equihash_verify.toml").read_text())

#: Name of an error -> its bit as a mask.
ERROR = {name: 1 << error["bit"] for name, error in WIRE["errors"].items()}
#: Name of a network -> the largest target it allows.
POW_LIMIT = {name: int(limit, 16) for name, limit in WIRE["networks"].items()}

BITS_OFFSET = 104  # of the compact target in the header: version, three hashes and the time come before it


@dataclass(frozen=True)
class Params:
    """One parameter set; everything but n, k and the header's size is computed."""

    name: str
    n: int
    k: int
    personalisation: bytes
    header_bytes: int

    @property
    def indices(self):
        return 1 << self.k

    @property
    def collision_bits(self):
        return self.n // (self.k + 1)

    @property
    def index_bits(self):
        return self.collision_bits + 1

    @property
    def indices_per_hash(self):
        return 512 // self.n

    @property
    def digest_bytes(self):
        return self.indices_per_hash * self.n // 8

    @property
    def solution_bytes(self):
        return -(-self.indices * self.index_bits // 8)

    @property
    def compact_size(self):
        return compact_size(self.solution_bytes)

    @property
    def total_bytes(self):
        return self.header_bytes + len(self.compact_size) + self.solution_bytes


def load_params(instance):
    """The parameter set of spec/hashes/equihash_<instance>.toml, such as "200_9"."""
    fact = tomllib.loads((SPEC / f"hashes/equihash_{instance}.toml").read_text())
    return Params(fact["name"], fact["n"], fact["k"], fact["personalisation"].encode(), fact["header_bytes"])


def compact_size(count):
    """Bitcoin's variable-length integer, in its only canonical form."""
    if count < 0xFD:
        return count.to_bytes(1, "little")
    if count <= 0xFFFF:
        return b"\xfd" + count.to_bytes(2, "little")
    return b"\xfe" + count.to_bytes(4, "little")


def split(params, header):
    """(the 140 bytes, the CompactSize bytes, the solution)."""
    if len(header) != params.total_bytes:
        raise ValueError(f"header: {len(header)} bytes, expected {params.total_bytes} for {params.name}")
    start = params.header_bytes
    end = start + len(params.compact_size)
    return header[:start], header[start:end], header[end:]


def unpack(params, solution):
    """The indices: index_bits each, the first in the most significant bits of the first byte."""
    number = int.from_bytes(solution, "big") >> (8 * len(solution) - params.indices * params.index_bits)
    mask = (1 << params.index_bits) - 1
    return [number >> (params.index_bits * place) & mask for place in reversed(range(params.indices))]


def pack(params, indices):
    """The inverse of `unpack`."""
    number = 0
    for index in indices:
        number = number << params.index_bits | index
    bits = params.indices * params.index_bits
    return (number << (8 * params.solution_bytes - bits)).to_bytes(params.solution_bytes, "big")


def leaf(params, personalisation, head, index):
    """The n-bit string of an index, as a number whose most significant bit is the string's first."""
    person = personalisation + params.n.to_bytes(4, "little") + params.k.to_bytes(4, "little")
    block = (index // params.indices_per_hash).to_bytes(4, "little")
    digest = hashlib.blake2b(head + block, digest_size=params.digest_bytes, person=person).digest()
    start = index % params.indices_per_hash * params.n // 8
    return int.from_bytes(digest[start:start + params.n // 8], "big")


def group(params, string, level):
    """The collision_bits of a string that must be zero at a level: the first group from the left at level 0."""
    return string >> (params.n - (level + 1) * params.collision_bits) & ((1 << params.collision_bits) - 1)


def xor_non_zero(leaves):
    """Do the leaves fail to cancel?"""
    total = 0
    for string in leaves:
        total ^= string
    return total != 0


def bad_zero_order(params, leaves):
    """Does a subtree fail to cancel in the groups of its level?

    Seen through the exclusive or of the leaves before position c, as the published card does: whenever a
    subtree of level i ends at c, group i must be zero. The tree's own end, c = 2^k, is not looked at: a fault
    in the last subtree is left to `xor_non_zero`.
    """
    running = 0
    for c, string in enumerate(leaves):
        for level in range(params.k):
            if c % (1 << (level + 1)) == 0 and group(params, running, level) != 0:
                return True
        running ^= string
    return False


def bad_idx_order(params, indices):
    """Does a right subtree start with an index that is not greater than its left sibling's first?"""
    for level in range(params.k):
        half = 1 << level
        for start in range(0, params.indices, 2 * half):
            if indices[start + half] <= indices[start]:
                return True
    return False


def target_of(bits):
    """(target, allowed as a number) of a compact target: zcashd's arith_uint256::SetCompact.

    The target is a floating-point number in base 256: exponent, sign, 23 bits of mantissa. Negative numbers
    and numbers above 256 bits are not allowed.
    """
    size, word, sign = bits >> 24, bits & 0x7FFFFF, bits & 0x800000
    target = word >> 8 * (3 - size) if size <= 3 else word << 8 * (size - 3)
    negative = word != 0 and sign != 0
    overflow = word != 0 and (size > 34 or (word > 0xFF and size > 33) or (word > 0xFFFF and size > 32))
    return target, not negative and not overflow


def sha256d(data):
    return hashlib.sha256(hashlib.sha256(data).digest()).digest()


def difficulty_fail(header, pow_limit):
    """Is the block's hash above its target, or the target not one that the network allows?"""
    target, allowed = target_of(int.from_bytes(header[BITS_OFFSET:BITS_OFFSET + 4], "little"))
    if not allowed or target == 0 or target > pow_limit:
        return True
    return int.from_bytes(sha256d(header), "little") > target


def verify(params, header, personalisation=None, pow_limit=None):
    """The error mask of a header: 0 is valid.

    `personalisation` is the first 8 bytes of BLAKE2b's, by default the parameter set's own. `pow_limit` is the
    network's largest target; None leaves the difficulty unchecked and its bit clear.
    """
    personalisation = params.personalisation if personalisation is None else personalisation
    if len(personalisation) != 8:
        raise ValueError(f"personalisation: {len(personalisation)} bytes, expected 8")
    head, size, solution = split(params, header)
    indices = unpack(params, solution)
    leaves = [leaf(params, personalisation, head, index) for index in indices]
    found = {
        "difficulty_fail": pow_limit is not None and difficulty_fail(header, pow_limit),
        "xor_non_zero": xor_non_zero(leaves),
        "bad_idx_order": bad_idx_order(params, indices),
        "bad_zero_order": bad_zero_order(params, leaves),
        "duplicate_fnd": len(set(indices)) != len(indices),
        "bad_solution_size": size != params.compact_size,
    }
    return sum(ERROR[name] for name, wrong in found.items() if wrong)

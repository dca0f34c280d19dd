"""The engine equihash_solve: the candidates of a header as the circuit finds them.

    params = load_params("48_5")
    found = solve(params, head)         # candidates, each its leaves in the verifier's order; some name a leaf twice
    assert solutions(found) == equihash_solve.solve(params, head)

A table holds strings with their trees. A pair of strings with the same collision group becomes a string of the next table unless both have a
parent in common, or the pair is zero; in the last table a pair is a candidate if it is zero. The order of a table, and which of two subtrees is
the left one, depend on the circuit's timing, so trees are compared in the verifier's order.
"""

import tomllib
from collections import defaultdict

import equihash_verify as equihash

WIRE = tomllib.loads((equihash.SPEC / "wire/equihash_solve.toml").read_text())
COMMANDS = WIRE["commands"]
STATUS = WIRE["status"]


def solve(params, head, personalisation=None):
    """The candidates for the 140 header bytes, sorted: their leaves, in order."""
    personalisation = params.personalisation if personalisation is None else personalisation
    table = [(equihash.leaf(params, personalisation, head, index), index, ()) for index in range(1 << params.index_bits)]
    for level in range(params.k - 1):
        table = [(string, pair, pair) for string, pair in pairs(params, table, level) if string]
    return sorted(in_order(leaves(pair)) for string, pair in pairs(params, table, params.k - 1) if not string)


def pairs(params, table, level):
    """The exclusive or and the trees of every two strings that agree in a group, unless they have a parent in common."""
    alike = defaultdict(list)
    for string, tree, parents in table:
        alike[equihash.group(params, string, level)].append((string, tree, parents))
    for bucket in alike.values():
        for place, (string_a, a, parents_a) in enumerate(bucket):
            for string_b, b, parents_b in bucket[place + 1:]:
                if not any(one is other for one in parents_a for other in parents_b):
                    yield string_a ^ string_b, (a, b)


def leaves(tree):
    """The leaves of a tree, from left to right."""
    return [tree] if isinstance(tree, int) else [leaf for part in tree for leaf in leaves(part)]


def in_order(indices):
    """The leaves with the subtrees of each inner node in the verifier's order: that with the lower first leaf first."""
    if len(indices) == 1:
        return tuple(indices)
    half = len(indices) // 2
    left, right = in_order(indices[:half]), in_order(indices[half:])
    return min(left, right) + max(left, right)


def solutions(candidates):
    """The solutions among the candidates, sorted: those that name no leaf twice."""
    return [list(candidate) for candidate in candidates if len(set(candidate)) == len(candidate)]

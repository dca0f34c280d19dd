"""A solver of Equihash for toys: Wagner's generalised birthday search, as plain as it can be.

Rows start as single indices with their hash strings. Each round sorts the rows by the leftmost group of bits
that is still alive, joins every two rows that agree there, and drops the group, which the join made zero. After
k - 1 rounds the last two groups must agree at once. A row keeps its indices as a tuple in the order that the
verifier demands: of two halves, the one that starts with the smaller index comes first.

Only small parameter sets finish: (48,5) in a tenth of a second.
"""

from collections import defaultdict

import equihash_verify as equihash


def solve(params, head, personalisation=None, repeats=False):
    """All solutions for the 140 header bytes, as sorted lists of indices.

    With `repeats`, rows that share an index are joined too, and what comes out may name an index twice: every
    other check of the verifier holds.
    """
    personalisation = params.personalisation if personalisation is None else personalisation
    rows = [
        (equihash.leaf(params, personalisation, head, index), (index,)) for index in range(1 << params.index_bits)
    ]
    for level in range(params.k):
        groups = [level] if level < params.k - 1 else [level, level + 1]
        rows = list(joins(params, rows, groups, repeats))
    return sorted(list(indices) for _, indices in rows)


def joins(params, rows, groups, repeats):
    """Every two rows that agree in the groups, joined in the verifier's order."""
    alike = defaultdict(list)
    for string, indices in rows:
        alike[tuple(equihash.group(params, string, level) for level in groups)].append((string, indices))
    for bucket in alike.values():
        for place, (string_a, a) in enumerate(bucket):
            for string_b, b in bucket[place + 1:]:
                if a[0] != b[0] and (repeats or not set(a) & set(b)):
                    yield string_a ^ string_b, min(a, b) + max(a, b)

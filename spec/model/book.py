"""A book of vectors for one instance of equihash_verify: cases go in as headers, come out as JSON.

A header is written as the few bytes in which it differs from a base, or in full where that is shorter. The
mask of a case is the model's. A case may state an expected mask; the book then refuses to record another one.
"""

import equihash_verify as equihash

DEFAULT_NETWORK = "none"


def pow_limit(network):
    """Returns the limit of a case's `network`: a name, "none", or "limit:0x" and 64 hex digits."""
    if network == "none":
        return None
    if network.startswith("limit:"):
        return int(network.removeprefix("limit:"), 16)
    return equihash.POW_LIMIT[network]


def limit(value):
    """Returns the `network` that allows targets up to a value."""
    return f"limit:0x{value:064x}"


def differences(old, new):
    """Returns the runs of bytes in which two headers differ, as edits. Runs with a distance of less than 5 bytes are merged."""
    edits = []
    for offset, (a, b) in enumerate(zip(old, new, strict=True)):
        if a == b:
            continue
        if edits and offset - edits[-1][1] < 5:
            edits[-1][1] = offset + 1
        else:
            edits.append([offset, offset + 1])
    return [
        {"offset": start, "xor": bytes(a ^ b for a, b in zip(old[start:end], new[start:end])).hex()}
        for start, end in edits
    ]


class Book:
    def __init__(self, instance):
        self.instance = instance
        self.params = equihash.load_params(instance)
        self.bases = {}
        self.cases = []

    def base(self, name, header):
        self.bases[name] = header
        return name

    def case(self, id, comment, header, *tags, base=None, network=DEFAULT_NETWORK, personalisation=None, mask=None):
        """Records one header. `base` is the one that it is encoded from, `mask` the expected mask."""
        if any(case["id"] == id for case in self.cases):
            raise ValueError(f"{self.instance}: case {id} stands twice")
        personalisation = personalisation or self.params.personalisation.decode()
        found = equihash.verify(self.params, header, personalisation.encode(), pow_limit(network))
        if mask is not None and found != mask:
            raise ValueError(f"{self.instance}: case {id} gives mask {found:#04x}, not {mask:#04x}")
        told = {"header": header.hex()}
        if base is not None:
            edits = differences(self.bases[base], header)
            if sum(len(edit["xor"]) + 24 for edit in edits) < 2 * len(header):
                told = {"base": base, "edits": edits}
        self.cases.append({
            "id": id, "comment": comment, **told, "personalisation": personalisation, "network": network,
            "mask": found, "tags": list(tags),
        })

    def content(self):
        return {
            "schema": "../schema.json",
            "op": "equihash_verify",
            "instance": {"n": self.params.n, "k": self.params.k},
            "bases": {name: header.hex() for name, header in self.bases.items()},
            "cases": self.cases,
        }

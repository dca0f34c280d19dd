"""Vectors of keccak256: published digests, and lengths around those of a block."""

from cases import Cases
from cases_equihash_verify import random_bytes
from keccak256 import RATE, keccak256

#: The first from the Keccak team's known answers, the others known from Ethereum: an account's empty code, a function's selector, an event's topic.
PUBLISHED = [
    ("abc", b"abc", "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45"),
    ("rlp-of-empty-string", b"\x80", "56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"),
    ("transfer-event", b"Transfer(address,address,uint256)", "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"),
]


def contents():
    """Name -> content of spec/vectors/keccak256/<name>.json."""
    cases = Cases("keccak256")
    for id, message, digest in PUBLISHED:
        if keccak256(message).hex() != digest:
            raise ValueError(f"{id}: not the published digest")
        cases.add(id, "published", "published", message=message.hex(), digest=digest)
    for length in (1, 7, 8, RATE - 2, RATE - 1, RATE, RATE + 1, 2 * RATE - 1, 2 * RATE, 1000):
        for label in ("one", "two"):
            message = random_bytes(f"keccak256 {length} {label}", length)
            cases.add(f"{length}-bytes-{label}", "a length around that of a block" if length % RATE in (0, 1, RATE - 1) else "a length",
                      "value", message=message.hex(), digest=keccak256(message).hex())
    return {"keccak256": {"schema": "../schema.json", "op": "keccak256", "cases": cases.found}}

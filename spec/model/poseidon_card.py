"""The engine poseidon as packets see it: a state in, a digest out.

    reply = answer(index, state)        # the reply's fields; `state` is the command's, as bytes

The arity of a command follows from its length.
"""

import functools
import tomllib

import poseidon
from field import SPEC

WIRE = tomllib.loads((SPEC / "wire/poseidon.toml").read_text())
COMMAND = WIRE["command"]
STATUS = WIRE["status"]
ELEMENT = 32  # bytes
#: What a card may have; those of Filecoin.
ARITIES = (2, 4, 8, 11)

instance = functools.cache(poseidon.Instance)


def command_len(arity):
    return COMMAND["bare_len"] + ELEMENT * (arity + 1)


def answer(index, state):
    """The fields of the reply to a state of whole elements, its tag first."""
    values = [int.from_bytes(state[i:i + ELEMENT], "little") for i in range(0, len(state), ELEMENT)]
    hashes = instance(len(values) - 1)
    for number, value in enumerate(values):
        if value >= hashes.p:
            return {"index": index, "status": STATUS["refused"], "element": number, "digest": 0}
    return {"index": index, "status": STATUS["done"], "element": 0, "digest": hashes.permutation(values)[1]}

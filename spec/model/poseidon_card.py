"""The engine poseidon at the level of packets: a state in, a digest out; and layers of trees in its memory.

    reply = answer(index, state, "standard")  # the reply's fields; `state` is the command's, as bytes
    engine = Engine(memory=1 << 20)
    engine.layer({"index": 0, "from": 0, "to": 1024, "count": 1, "arity": 2, "tag": 3})

The arity of a hash follows from its command's length, the strength from its number. A RESET leaves the memory as it is.
"""

import functools
import tomllib

import poseidon
from field import SPEC

WIRE = tomllib.loads((SPEC / "wire/poseidon.toml").read_text())
COMMAND = WIRE["command"]
OF_MEMORY = WIRE["commands"]
#: By strength what has the numbers of a hash's command and reply.
HASHES = {"standard": COMMAND, "strengthened": WIRE["strengthened"]}
STATUS = WIRE["status"]
ELEMENT = 32  # bytes
GRANULE = 1024  # bytes of a write and of a read, and what addresses are multiples of
#: What a card may have; those of Filecoin.
ARITIES = (2, 4, 8, 11)

instance = functools.cache(poseidon.Instance)


def command_len(arity):
    return COMMAND["bare_len"] + ELEMENT * (arity + 1)


def answer(index, state, strength="standard"):
    """The fields of the reply to a state of whole elements, its tag first."""
    values = [int.from_bytes(state[i:i + ELEMENT], "little") for i in range(0, len(state), ELEMENT)]
    hashes = instance(len(values) - 1, strength)
    for number, value in enumerate(values):
        if value >= hashes.p:
            return {"index": index, "status": STATUS["refused"], "element": number, "digest": 0}
    return {"index": index, "status": STATUS["done"], "element": 0, "digest": hashes.permutation(values)[1]}


class Engine:
    """Memory and its commands: fields of a command to fields of its reply, `data` as bytes.

    `arities` and `memory` in bytes are the values of the registers.
    """

    def __init__(self, arities=ARITIES, memory=1 << 20):
        self.arities, self.memory = arities, memory
        self.granules = {}  # by address; the others are zeros

    def holds(self, address, size):
        return address % GRANULE == 0 and address + size <= self.memory

    def load(self, address, size):
        first = address // GRANULE
        data = b"".join(self.granules.get(GRANULE * number, bytes(GRANULE)) for number in range(first, -(-(address + size) // GRANULE)))
        return data[address % GRANULE:][:size]

    def store(self, address, data):
        """From the start of a granule on; the rest of the last one becomes zeros."""
        for at in range(0, len(data), GRANULE):
            self.granules[address + at] = data[at:at + GRANULE].ljust(GRANULE, b"\0")

    def write(self, command):
        good = self.holds(command["address"], GRANULE)
        if good:
            self.store(command["address"], command["data"])
        return {"index": command["index"], "status": STATUS["done" if good else "invalid"], "element": 0}

    def read(self, command):
        good = self.holds(command["address"], GRANULE)
        data = self.load(command["address"], GRANULE) if good else bytes(GRANULE)
        return {"index": command["index"], "status": STATUS["done" if good else "invalid"], "element": 0, "data": data}

    def layer(self, command):
        start, to, count, arity = (command[name] for name in ("from", "to", "count", "arity"))
        told = {"index": command["index"], "status": STATUS["invalid"], "element": 0, "digest": 0}
        size = ELEMENT * count * arity
        if arity not in self.arities or count < 1 or not self.holds(start, size) or not self.holds(to, ELEMENT * count):
            return told
        told["status"] = STATUS["done"]
        nodes, digests = self.load(start, size), []
        for number in range(count):
            state = command["tag"].to_bytes(ELEMENT, "little") + nodes[ELEMENT * arity * number:][:ELEMENT * arity]
            one = answer(0, state)
            if one["status"] != STATUS["done"] and told["status"] == STATUS["done"]:
                told |= {"status": one["status"], "element": (arity + 1) * number + one["element"]}
            told["digest"] = one["digest"]
            digests.append(one["digest"].to_bytes(ELEMENT, "little"))
        self.store(to, b"".join(digests))
        return told

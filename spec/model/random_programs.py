"""Random programs of the coprocessor, with what the model makes of them: `python3 spec/model/random_programs.py COUNT SEED` prints them in the form of
spec/vectors/coprocessor.

Instructions that take the model long are few, pairings fewer; memory is that of the vectors, with random slots in it.
"""

import json
import random
import sys

import coprocessor
from cases_coprocessor import OUT, Book
from coprocessor import FACTS, OPCODES, P, Slot

#: How often an opcode is chosen; the others ten times as often as a point's multiple.
RARE = {0x21: 0.02, 0x22: 0.02, 0x23: 0.02, 0x20: 1, 0x24: 1}
LENGTH = 16


def program(rng):
    numbers = [number for number in OPCODES if number]
    weights = [RARE.get(number, 10) for number in numbers]
    for at in range(rng.randrange(1, LENGTH)):
        number = rng.choices(numbers, weights)[0] if at else 0x01
        number = rng.randrange(256) if rng.random() < 0.02 and at else number
        roles = [OPCODES.get(number, {}).get(operand, "index") for operand in "abc"]
        targets = 1 + LENGTH if rng.random() < 0.95 else 1 << 16
        slots = (OUT, OUT + 14, 256, 1 << 16)
        yield number, *(rng.randrange(targets) if role == "target" else rng.randrange(rng.choices(slots, (60, 30, 9, 1))[0]) for role in roles)


def slot(rng):
    value = rng.choice((0, 1, P - 1, P, rng.randrange(P), rng.randrange(P), rng.randrange(1 << coprocessor.VALUE_BITS)))
    return Slot(value, rng.randrange(8))


def main(count, seed):
    rng, book = random.Random(seed), Book()
    for i in range(count):
        data = [(at, slot(rng)) for at in rng.sample(range(256), rng.choice((0, 3, 30)))]
        book.case(f"{seed}-{i}", "drawn", "random endless", *program(rng), limit=30, data=data)
    memory = [slot.to_bytes().hex() for slot in book.memory.slots]
    json.dump({"op": "coprocessor", "curve": FACTS.name, "memory": memory, "cases": book.found}, sys.stdout)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

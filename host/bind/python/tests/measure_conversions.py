"""Measures the cost of each form of numbers: `python3 measure_conversions.py`, where the module is installed. It transforms 2^16 scalars of BN254
as an array, as bytes and as ints, alternately, and takes the fastest run of each. It prints the row of docs/use/python.md.
"""

import datetime
import random
import re
import time
from pathlib import Path

import numpy
import proofmill

COUNT, ROUNDS = 1 << 16, 15


def processor():
    """Returns the processor's name with its family and model."""
    cpuinfo = Path("/proc/cpuinfo")
    text = cpuinfo.read_text() if cpuinfo.exists() else ""
    name, family, model = (re.search(rf"^{key}\s*: (.*)$", text, re.M) for key in ("model name", "cpu family", "model"))
    return f"{name[1]} (family {family[1]}, model {model[1]})" if name and family and model else "unknown processor"


def milliseconds(device, count, rounds):
    """Returns the milliseconds of a transform of `count` scalars for each form of the numbers."""
    chance = random.Random(1)
    packed = b"".join(chance.getrandbits(253).to_bytes(32, "little") for _ in range(count))
    forms = {
        "array": numpy.frombuffer(packed, "<u8").reshape(-1, 4),
        "bytes": packed,
        "ints": [int.from_bytes(packed[start:start + 32], "little") for start in range(0, len(packed), 32)],
    }
    best = dict.fromkeys(forms, float("inf"))
    for _ in range(rounds):
        for form, numbers in forms.items():
            start = time.perf_counter()
            device.ntt("bn254_fr", numbers)
            best[form] = min(best[form], (time.perf_counter() - start) * 1e3)
    return best


def main():
    device = proofmill.Device()
    place = f"{processor()}, {device.info.description}, {datetime.date.today()}"
    print("|", " | ".join([place, *(f"{taken:.3g}" for taken in milliseconds(device, COUNT, ROUNDS).values())]), "|")


if __name__ == "__main__":
    main()

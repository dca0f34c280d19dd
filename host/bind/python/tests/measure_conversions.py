"""What the form of numbers costs: `python3 measure_conversions.py`, where the module is installed. A transform of 2^16 scalars of BN254 with an
array, with bytes and with ints; the three take turns, and the fastest of each counts.
"""

import random
import time

import numpy
import proofmill

COUNT, ROUNDS = 1 << 16, 15


def main():
    chance = random.Random(1)
    packed = b"".join(chance.getrandbits(253).to_bytes(32, "little") for _ in range(COUNT))
    forms = {
        "array": numpy.frombuffer(packed, "<u8").reshape(-1, 4),
        "bytes": packed,
        "ints": [int.from_bytes(packed[start:start + 32], "little") for start in range(0, len(packed), 32)],
    }
    device, best = proofmill.Device(), dict.fromkeys(forms, float("inf"))
    for _ in range(ROUNDS):
        for form, numbers in forms.items():
            start = time.perf_counter()
            device.ntt("bn254_fr", numbers)
            best[form] = min(best[form], time.perf_counter() - start)
    print(f"{COUNT} scalars, {device.info.description}")
    for form, seconds in best.items():
        print(f"{form:<6} {seconds * 1e3:8.2f} ms")


if __name__ == "__main__":
    main()

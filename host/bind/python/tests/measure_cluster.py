"""Prints figures of the cluster on this machine: `python tests/measure_cluster.py [--constraints N] [--proofs N] [--logs A B]`.

1. Proofs per second of one and of two workers with one thread each.
2. An MSM of 2^A to 2^B bases, resident: on this process with two threads, and on two workers with one thread each, for each confirmation.

Needs the variable PROOFMILL_PROGRAM, the path of the command, and a machine with two idle cores.
"""

import argparse
import os
import random
import subprocess
import tempfile
import time
from pathlib import Path

import proofmill
from proofmill import cluster

PROOFMILL = os.environ["PROOFMILL_PROGRAM"]
GROUP = "bn254_g1"
#: Repetitions of which the fastest is printed.
TRIES = 3


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--constraints", type=int, default=1 << 16, help="size of the circuit (default: %(default)s)")
    parser.add_argument("--proofs", type=int, default=24, help="proofs of each measurement (default: %(default)s)")
    parser.add_argument("--logs", type=int, nargs=2, default=[18, 22], metavar=("A", "B"), help="sizes of the MSMs (default: %(default)s)")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        proofs(Path(name), chosen)
        msms(Path(name), range(chosen.logs[0], chosen.logs[1] + 1))


def proofs(folder, chosen):
    made("dev", "circuit", "chain", "--constraints", str(chosen.constraints), "--out", folder)
    key, witness = cluster.Key(folder / "INSECURE.zkey"), (folder / "witness.wtns").read_bytes()
    rates = []
    for workers in (1, 2):
        with cluster.connect(workers=workers) as c:
            c._scheduler.wait_started(600, workers)
            list(c.prove_many(key, [witness] * 4 * workers))  # loads the key
            rates.append(chosen.proofs / fastest(lambda: list(c.prove_many(key, [witness] * chosen.proofs))))
        print(f"{workers} workers: {rates[-1]:.3f} proofs/s, {chosen.constraints} constraints", flush=True)
    print(f"two workers: {rates[1] / rates[0]:.2f} times one")


def msms(folder, logs):
    print("MSM in seconds | local, 2 threads | workers, not confirmed | confirmed by workers | confirmed by the driver")
    with cluster.connect(workers=2) as c:
        c._scheduler.wait_started(600, 2)
        for log in logs:
            path = folder / f"points-{log}"
            made("points", "generate", "--curve", "bn254", "--group", "g1", "--count", str(1 << log), path)
            scalars = random.Random(log).randbytes(32 << log)
            scalars = b"".join(scalars[at : at + 31] + b"\0" for at in range(0, len(scalars), 32))
            local, bases = proofmill.Device("cpu:?threads=2").bases(GROUP, path.read_bytes(), check="none"), cluster.Bases(GROUP, path)
            expected = local.msm(scalars)
            row = [fastest(lambda: local.msm(scalars))]
            for confirm in ("none", "workers", "driver"):
                assert c.msm(bases, scalars, confirm=confirm) == expected
                row.append(fastest(lambda: c.msm(bases, scalars, confirm=confirm)))
            print(f"2^{log} | " + " | ".join(f"{seconds:.3f}" for seconds in row), flush=True)


def made(*arguments):
    subprocess.run([PROOFMILL, *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def fastest(work):
    times = []
    for _ in range(TRIES):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times)


if __name__ == "__main__":
    main()

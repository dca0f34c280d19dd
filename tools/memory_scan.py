"""Searches the memory of a process for secrets: full-width values of a witness, in canonical and in Montgomery form.

`scan` needs numpy; `remaining` runs it in an environment that has it. Both need the right to read /proc/PID/mem: that of root, or of the same user
for a process that allows it (`--allow-core-dumps`). Values below 2^192 are not searched for: such bytes occur by chance.
"""

import json
import os
import re
import subprocess
from pathlib import Path

import setup
from place import ROOT, run

#: The order of G1 of BN254.
R = 21888242871839275222246405745257275088548364400416034343698204186575808495617
#: A smaller value is no evidence.
LEAST = 1 << 192
#: Bytes read at a time; a value across two of them is found, because they overlap.
CHUNK = 1 << 24


def values_of(wtns):
    """Returns the full-width secret values of a .wtns file (BN254) as integers: without the public inputs, whose number is in the
    verification_key.json beside it."""
    data = Path(wtns).read_bytes()
    public = json.loads(Path(wtns).with_name("verification_key.json").read_text())["nPublic"]
    at, sections = 12, {}
    for _ in range(int.from_bytes(data[8:12], "little")):
        kind, size = int.from_bytes(data[at:at + 4], "little"), int.from_bytes(data[at + 4:at + 12], "little")
        sections[kind] = data[at + 12:at + 12 + size]
        at += 12 + size
    values = [int.from_bytes(sections[2][i:i + 32], "little") for i in range(0, len(sections[2]), 32)]
    return [value for value in values[1 + public:] if value >= LEAST]


def patterns(values, modulus=R):
    """Returns the bytes that each value has in canonical and in Montgomery form."""
    return {form.to_bytes(32, "little") for value in values for form in (value, value * (1 << 256) % modulus)}


def regions(pid):
    """Yields start and end of the writable and anonymous memory of a process."""
    for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
        span, permissions, _, _, inode, *_ = line.split(maxsplit=5)
        if permissions.startswith("rw") or (permissions.startswith("r") and inode == "0" and "[v" not in line):
            yield tuple(int(end, 16) for end in span.split("-"))


def found_in(data, wanted, heads):
    """Returns the patterns that occur in these bytes, at any alignment."""
    import numpy

    mask = (1 << 20) - 1
    possible = numpy.zeros(mask + 1, dtype=bool)
    possible[heads & mask] = True
    found = set()
    for shift in range(8):
        words = numpy.frombuffer(data, dtype="<u8", offset=shift, count=(len(data) - shift) // 8)
        few = numpy.flatnonzero(possible[words & mask])  # a search of all words takes ten times as long
        few = few[words[few] != 0]
        places = few[numpy.isin(words[few], heads)] * 8 + shift
        found.update(bytes(data[place:place + 32]) for place in places.tolist())
    return found & wanted


def scan(pid, values):
    """Returns how many of the patterns of these values are in the memory of a process."""
    import numpy

    wanted = patterns(values)
    heads = numpy.array(sorted({int.from_bytes(pattern[:8], "little") for pattern in wanted}), dtype="<u8")
    found = set()
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for start, end in regions(pid):
            for at in range(start, end, CHUNK):
                try:
                    memory.seek(at)
                    data = memory.read(min(CHUNK + 32, end - at))
                except (OSError, ValueError, OverflowError):
                    continue  # a mapping that went away, or that nobody may read
                found |= found_in(data, wanted, heads)
    return len(found)


def levels():
    """Returns the instruction-set levels of this processor that PROOFMILL_ISA can force."""
    flags = set(re.search(r"^flags\s*:(.*)$", Path("/proc/cpuinfo").read_text(), re.M)[1].split())
    known = [("portable", set()), ("bmi2", {"bmi2", "adx"}), ("avx2", {"avx2", "fma"}), ("avx512", {"avx2", "fma", "avx512f"}),
             ("avx512ifma", {"avx512ifma", "avx512f", "avx512dq", "avx512vl"})]
    return [name for name, needs in known if needs <= flags]


def levels_of_bindings():
    """Returns the levels on which each binding is tested: the best, and all in the long checks. The service is tested on all, with the same kernels."""
    return levels() if os.environ.get("PROOFMILL_LONG") else levels()[-1:]


def remaining(pid, wtns):
    """Returns how many of the values of a witness file a process holds, in either form."""
    python = setup.python_tool("python", ["numpy==2.3.5"])
    code = "import sys; sys.path.insert(0, sys.argv[1]); import memory_scan; print(memory_scan.scan(sys.argv[2], memory_scan.values_of(sys.argv[3])))"
    return int(run([python, "-c", code, ROOT / "tools", pid, wtns]))


def remaining_in(command, wtns, **variables):
    """Runs a client that prints `done` after its proofs and waits for the end of its input; returns how many values it holds then."""
    with subprocess.Popen([str(word) for word in command], env={**os.environ, **variables}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as client:
        try:
            if client.stdout.readline() != "done\n":
                raise AssertionError(f"the client ended with {client.wait()}: {command}")
            return remaining(client.pid, wtns)
        finally:
            client.stdin.close()

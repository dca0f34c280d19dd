"""How many cycles the NTT engine takes, pass by pass and for quotients, with each memory: ideal (20 cycles late, a beat a cycle and channel), HBM and DDR4, and these
without the hash of addresses.

Each transform is checked, the largest of longer fields in some places. A pass takes its beats, a tile until the second core can begin, and the latency of the rest; so the passes of
2^24 elements are computed from the largest that are measured, with as many cycles a beat.
"""

import json
import random
from pathlib import Path

from card import ROOT, Card
from ntt_bench import STATUS, Engine, ntt

LATENCY = 20
#: What sim.h calls it, and what rows do.
MEMORIES = {"ideal": "ideal memory", "hbm": "HBM", "ddr4": "DDR4", "hbm_plain": "HBM, addresses not hashed", "ddr4_plain": "DDR4, addresses not hashed"}
LOGS = (6, 9, 12, 14, 16, 18, 20)
#: With addresses that are not hashed, which says nothing of larger ones: the more rows a pass jumps over, the fewer banks it meets.
PLAIN_LOGS = (12, 16, 18)
#: Of elements of 32 bytes, all of which go through the card's door; of larger sizes, and of the card's largest, only some do.
LONG_FIELDS, SAMPLED = (6, 10, 12), 16
#: Of the quotient of Groth16.
QUOTIENTS = (6, 8, 10, 12)
LONG = 24
ROWS = ROOT / "target/bench/cycles-ntt.json"

#: System, cycles of 2^24 elements, DSPs, MHz. Sources: Supranational's ZPrize entry of 2023 ("Nantucket"); Hardcaml's of 2022 with 64 cores.
PUBLISHED = [("Nantucket", 1_146_000, 2880, 464), ("Hardcaml", 9_000_000, 2052, 200)]


class Transforms:
    """Elements of a field of each size, and their transforms."""

    def __init__(self, field, logs, seed):
        source = random.Random(f"{seed} cycles")
        self.logs = logs
        self.elements = {log: [source.randrange(field.p) for _ in range(1 << log)] for log in logs}
        self.results = {log: ntt.fast(field, x, field.root(log)) for log, x in self.elements.items()}

    def measure(self, engine, log):
        """(cycles of the first pass, of the last)"""
        if log not in self.logs:
            return engine.sampled(log, random.Random(log))
        engine.load(self.elements[log])
        status, _, first, last = engine.run(log)
        if status != STATUS["done"] or engine.store(1 << log) != self.results[log]:
            raise RuntimeError(f"2^{log}: not the transform")
        return first, last


def quotient(engine, log, source):
    """Cycles of a quotient's inverse transforms, of its forward ones, and of a b - c."""
    p = engine.field.p
    lists = [[source.randrange(p) for _ in range(1 << log)] for _ in range(3)]
    g = engine.field.root(log + 1)
    status, cycles = engine.quotient(lists, g, pow(1 << log, -1, p))
    if status != STATUS["done"] or engine.store(1 << log) != ntt.quotient(engine.field, *lists, g):
        raise RuntimeError(f"2^{log}: not the quotient")
    return cycles


def rows(name, engine, memory, measured, quotients):
    lanes, goldilocks = engine.lanes, engine.field is ntt.GOLDILOCKS

    def row(metric, value, kind, published=None):
        fields = {"op": "ntt", "instance": engine.field.name, "config": name, "metric": f"{metric}, {lanes} lanes, {MEMORIES[memory]}", "unit": "cycles", "value": value}
        return {**fields, "published": published and published[1], "published_by": published and f"{published[0]}, {published[3]} MHz, on its board", "kind": kind}

    found = []
    for log, (first, last) in measured.items():
        found.append(row(f"transform of 2^{log}", first + last, "measured"))
        if first:
            found += [row(f"first pass of 2^{log}", first, "measured"), row(f"last pass of 2^{log}", last, "measured")]
    for log, cycles in quotients.items():
        found.append(row(f"quotient of 2^{log}", sum(cycles), "measured"))
        parts = zip(("three inverse transforms", "three forward transforms", "a b - c"), cycles)
        found += [row(f"quotient of 2^{log}: {part}", one, "measured") for part, one in parts]
    log = max(measured)
    if not goldilocks or log != max(LOGS):
        return found
    beats = lambda size: 2 * (1 << size) // lanes
    tiles = lambda size: 2 * (1 << size // 2)
    pace = max(1, (sum(measured[log]) - tiles(log)) / beats(log))  # cycles a beat
    computed = round(pace * beats(LONG) + tiles(LONG))
    return [*found, row(f"transform of 2^{LONG} (computed)", computed, "extrapolated", PUBLISHED[0])]


def count(library, memory, transforms, seed):
    with Card(library) as card:
        engine = Engine(card)
        field, goldilocks = engine.field, engine.field is ntt.GOLDILOCKS
        card.lib.pm_sim_memory(card.sim, LATENCY, 0, 64)
        card.set_memory(memory)
        logs = (PLAIN_LOGS if "plain" in memory else LOGS) if goldilocks else LONG_FIELDS
        if field.name not in transforms:
            transforms[field.name] = Transforms(field, LOGS if goldilocks else LONG_FIELDS, seed)
        most = engine.register("most_log")
        logs = sorted({log for log in logs if log <= most} | (set() if goldilocks else {min(SAMPLED, most), most}))
        measured = {log: transforms[field.name].measure(engine, log) for log in logs}
        sizes = () if goldilocks else (log for log in QUOTIENTS if log <= most)
        quotients = {log: quotient(engine, log, random.Random(f"{seed} {log}")) for log in sizes}
        return rows(Path(library).stem, engine, memory, measured, quotients)


def report(libraries, seed):
    made, transforms = [], {}
    for library in libraries:
        for memory in MEMORIES:
            made += count(library, memory, transforms, seed)
    for row in made:
        print(f"{row['config']:22}{row['metric']:72}{row['value']:12,.0f}  {row['kind']}")
    ROWS.parent.mkdir(parents=True, exist_ok=True)
    ROWS.write_text(json.dumps(made, indent=1) + "\n")
    return 0

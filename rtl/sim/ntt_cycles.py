"""How many cycles the NTT engine takes, pass by pass and for quotients, with each memory: ideal (20 cycles late, a beat a cycle and channel), HBM and DDR4, and these
without the hash of addresses.

Each transform is checked, large ones in some places. A pass takes its beats, a tile until the second core can begin, and the latency of the rest; so where 2^24 elements of Goldilocks
are not simulated, their cycles are computed from the largest size that is, with as many cycles a beat.
"""

import json
import os
import random
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path

from card import ROOT, Card
from ntt_bench import STATUS, Engine, ntt

LATENCY, DDR4_CHANNELS = 20, 4
#: What sim.h calls it, and what rows do.
MEMORIES = {"ideal": "ideal memory", "hbm": "HBM", "ddr4": "DDR4", "hbm_plain": "HBM, addresses not hashed", "ddr4_plain": "DDR4, addresses not hashed"}
#: Of Goldilocks. With addresses that are not hashed larger ones would say nothing: the more rows a pass jumps over, the fewer banks it meets.
LOGS, PLAIN_LOGS = (6, 9, 12, 14, 16, 18, 20), (12, 16, 18)
#: Of elements of 32 bytes, besides the card's largest.
LONG_FIELDS = (6, 10, 12, 16)
#: The largest of which all elements go through the card's door; of those of 32 bytes.
WHOLE, WHOLE_LONG = 14, 12
#: Of the quotient of Groth16.
QUOTIENTS = (6, 8, 10, 12)
#: What is published; DDR4 takes too long for it.
LARGEST, LARGEST_BEHIND = 24, ("ideal", "hbm")
ROWS = ROOT / "target/bench/cycles-ntt.json"

#: System, cycles of 2^24 elements, DSPs, MHz. Sources: Supranational's ZPrize entry of 2023 ("Nantucket"); Hardcaml's of 2022 with 64 cores.
PUBLISHED = [("Nantucket", 1_146_000, 2880, 464), ("Hardcaml", 9_000_000, 2052, 200)]


@cache
def example(field, log):
    """Elements, and their transform."""
    source = random.Random(f"{field.name} {log}")
    x = [source.randrange(field.p) for _ in range(1 << log)]
    return x, ntt.fast(field, x, field.root(log))


def transform(engine, log):
    """(cycles of the first pass, of the last)"""
    if log > (WHOLE if engine.field is ntt.GOLDILOCKS else WHOLE_LONG):
        return engine.sampled(log, random.Random(log))
    x, wanted = example(engine.field, log)
    engine.load(x)
    status, _, first, last = engine.run(log)
    if status != STATUS["done"] or engine.store(1 << log) != wanted:
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
        published = PUBLISHED[0] if goldilocks and log == LARGEST else None
        found.append(row(f"transform of 2^{log}", first + last, "measured", published))
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
    computed = round(pace * beats(LARGEST) + tiles(LARGEST))
    return [*found, row(f"transform of 2^{LARGEST} (computed)", computed, "extrapolated", PUBLISHED[0])]


def sizes(engine, memory):
    """Base-2 logarithms of the transforms that are counted."""
    most = engine.register("most_log")
    if engine.field is not ntt.GOLDILOCKS:
        return sorted({log for log in LONG_FIELDS if log < most} | {most})
    if "plain" in memory:
        return PLAIN_LOGS
    return LOGS + ((LARGEST,) if most >= LARGEST and memory in LARGEST_BEHIND else ())


def behind(card, memory):
    """Its engine, in front of this memory; None: the card has more channels than that."""
    card.lib.pm_sim_memory(card.sim, LATENCY, 0, 64)
    engine = Engine(card)
    if "ddr4" in memory and engine.register("channels") > DDR4_CHANNELS:
        return None
    card.set_memory(memory)
    return engine


def count(library, memory, seed):
    """Rows of a card behind a memory; each size has a card as new."""
    with Card(library) as card:
        engine = behind(card, memory)
        if engine is None:
            return []
        logs, most = sizes(engine, memory), engine.register("most_log")
        some = () if engine.field is ntt.GOLDILOCKS else (log for log in QUOTIENTS if log <= most)
        quotients = {log: quotient(engine, log, random.Random(f"{seed} {log}")) for log in some}
    measured = {}
    for log in logs:
        with Card(library) as card:
            engine = behind(card, memory)
            measured[log] = transform(engine, log)
    return rows(Path(library).stem, engine, memory, measured, quotients)


def report(libraries, seed):
    made, tasks = [], [(library, memory, seed) for library in libraries for memory in MEMORIES]
    ROWS.parent.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(os.cpu_count()) as workers:
        for found in workers.map(count, *zip(*tasks)):
            for row in found:
                print(f"{row['config']:22}{row['metric']:72}{row['value']:12,.0f}  {row['kind']}", flush=True)
            made += found
    ROWS.write_text(json.dumps(made, indent=1) + "\n")
    return 0

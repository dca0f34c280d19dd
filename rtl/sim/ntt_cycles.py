"""How many cycles the NTT engine takes, pass by pass, with an ideal memory: 20 cycles late, a beat a cycle and channel.

Each transform is checked. A pass takes a beat a cycle, a tile until the second core can begin, and the latency of the rest, so the passes of 2^24
elements are computed from the largest that are measured.
"""

import json
import random
from pathlib import Path

from card import ROOT, Card
from ntt_bench import P, STATUS, Engine, ntt

LATENCY = 20
LOGS = (6, 9, 12, 14, 16, 18)
LONG = 24
ROWS = ROOT / "target/bench/cycles-ntt.json"

#: System, cycles of 2^24 elements, DSPs, MHz. Sources: Supranational's ZPrize entry of 2023 ("Nantucket"); Hardcaml's of 2022 with 64 cores.
PUBLISHED = [("Nantucket", 1_146_000, 2880, 464), ("Hardcaml", 9_000_000, 2052, 200)]


def measure(engine, log, source):
    """(cycles of the first pass, of the last)"""
    x = [source.randrange(P) for _ in range(1 << log)]
    engine.load(x)
    status, _, first, last = engine.run(log)
    field = ntt.GOLDILOCKS
    if status != STATUS["done"] or engine.store(len(x)) != ntt.fast(field, x, field.root(log)):
        raise RuntimeError(f"2^{log}: not the transform")
    return first, last


def rows(name, lanes, measured):
    def row(metric, value, kind, published=None):
        fields = {"op": "ntt", "instance": "goldilocks", "config": name, "metric": f"{metric}, {lanes} lanes, ideal memory", "unit": "cycles", "value": value}
        return {**fields, "published": published and published[1], "published_by": published and f"{published[0]}, {published[3]} MHz, on its board", "kind": kind}

    found = []
    for log, (first, last) in measured.items():
        found.append(row(f"transform of 2^{log}", first + last, "measured"))
        if first:
            found += [row(f"first pass of 2^{log}", first, "measured"), row(f"last pass of 2^{log}", last, "measured")]
    log = max(measured)
    more = 2 * ((1 << LONG) - (1 << log)) // lanes + 2 * ((1 << LONG // 2) - (1 << log // 2))
    return [*found, row(f"transform of 2^{LONG} (computed)", sum(measured[log]) + more, "extrapolated", PUBLISHED[0])]


def report(libraries, seed):
    made = []
    for library in libraries:
        with Card(library) as card:
            card.lib.pm_sim_memory(card.sim, LATENCY, 0, 64)
            engine, source = Engine(card), random.Random(f"{seed} cycles")
            measured = {log: measure(engine, log, source) for log in LOGS}
            made += rows(Path(library).stem, 8 * engine.channels, measured)
    for row in made:
        print(f"{row['config']:18}{row['metric']:62}{row['value']:12,.0f}  {row['kind']}")
    ROWS.parent.mkdir(parents=True, exist_ok=True)
    ROWS.write_text(json.dumps(made, indent=1) + "\n")
    return 0

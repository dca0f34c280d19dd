"""How many cycles the MSM engine takes, through packets, and what it would take for more points.

Measured is one sum of 2^16 points with uniform scalars and windows of 16 bits: cycles of accumulation and of the tail, as in the reply. The tail of a
pass does not depend on the number of points, so the tails of other windows are those of a sum of one point. In G1 the accumulation goes with points times
windows: what it takes above a cycle for each are points that wait for a bank. In G2 a point that finds its bucket full takes a slot of three cycles, and
another one takes a cycle, or two if memory has only one window to feed; so a point of 2^16, nearly half of which only fill buckets, takes less than one of 2^22. What it takes above that is the
draining of the adder, once a pass. Rows that are made of these are marked as computed, each with the window that is best.
"""

import json
import math
import random
from pathlib import Path

from card import ROOT, Card
from msm_bench import Bench

COUNT, WIDEST = 1 << 16, 16
WINDOWS = range(11, WIDEST)
COMPUTED = [1 << n for n in (14, 16, 18, 20, 22, 24, 26)]
LONG = 1 << 22
ROWS = ROOT / "target/bench/cycles-msm.json"

#: In G1. System, curve, cycles a point, DSPs, LUTs, MHz; None where it is not stated. if-ZKP's DSPs multiply 27 by 27 bits.
#: Sources: if-ZKP (Agilex, BLS12-381 and BN128 with S = 2); Hardcaml's ZPrize entry of 2022; CycloneMSM, ePrint 2022/1396; the ZPrize entries of
#: 2023 by SuperScalar (three adders, all of a U250) and by Yrrid and Ingonyama (three batched affine adders).
PUBLISHED = [
    ("if-ZKP", "bn254", 41.6, 1975, None, 350),
    ("if-ZKP", "bls12_381", 82.4, 4425, None, 351),
    ("Yrrid and Ingonyama", "bls12_381", 7.62, None, None, 250),
    ("Hardcaml", "bls12_377", 20.6, 2999, 387_000, 278),
    ("CycloneMSM", "bls12_377", 21.1, 2277, 525_000, 250),
    ("SuperScalar", "bls12_377", 5.98, 6817, 1_020_000, 280),
    ("Yrrid and Ingonyama", "bls12_377", 7.62, None, None, 250),
]


def window_cycles(count, buckets, interval, supply):
    """Cycles of points for random buckets, which are empty at first: `supply` for a point, which comes from memory, `interval` for one that finds its
    bucket full.

    A fraction exp(-i / buckets) of them is empty for point i, so at first the slots keep up with the memory.
    """
    if interval == 1:
        return count
    first = min(count, buckets * math.log(interval / (interval - supply)))
    written = buckets * (math.exp(-first / buckets) - math.exp(-count / buckets))
    return supply * first + interval * (count - first - written)


class Measurement:
    """One card: the sums are checked like all others."""

    def __init__(self, card, name, seed):
        self.name, self.bench = name, Bench(card, random.Random(f"{seed} cycles {name}"))
        bench, r = self.bench, self.bench.geometry.facts.r
        bench.place(bench.multiples.chain(*(bench.rng.randrange(1, r) for _ in range(2)), COUNT), 0)
        bench.scalars([bench.rng.randrange(r) for _ in range(COUNT)], 0)
        bench.settle()
        self.whole = self.sum(COUNT, WIDEST)
        self.tails = {bits: self.sum(1, bits)["tail"] for bits in WINDOWS} | {WIDEST: self.whole["tail"]}

    def sum(self, count, window_bits):
        self.bench.run(count=count, window_bits=window_bits)
        ((_, _, found),) = self.bench.settle()
        return found

    def least(self, count, window_bits):
        """Cycles of an accumulation at least: those of a window times the windows of an adder."""
        plan = self.bench.geometry.plan(window_bits)
        supply = max(1, self.bench.geometry.group / plan.group)  # a slice a cycle for all windows of an adder
        return plan.passes * plan.group * window_cycles(count, 1 << window_bits - 1, self.bench.interval, supply)

    def computed(self, count, window_bits):
        """(accumulation, tail)"""
        whole, least = self.whole["accumulation"], self.least(COUNT, WIDEST)
        if self.bench.interval == 1:
            return whole * self.least(count, window_bits) / least, self.tails[window_bits]
        plan, widest = map(self.bench.geometry.plan, (window_bits, WIDEST))
        return self.least(count, window_bits) + (whole - least) * plan.passes / widest.passes, self.tails[window_bits]

    def rows(self):
        """What `make report` shows, the fields as bench/src/row.rs has them."""
        geometry, whole = self.bench.geometry, self.whole
        published = {}
        for system, curve, cycles, _, _, mhz in PUBLISHED:
            best = published.get(f"{curve}_g1", (cycles, ""))[0]
            if cycles <= best:  # of several the one with the fewest cycles
                published[f"{curve}_g1"] = (cycles, f"{system}, {mhz} MHz, at its own window and size")
        adders = "1 adder" if geometry.adders == 1 else f"{geometry.adders} adders"

        def row(metric, value, kind, reference=(None, None)):
            fields = {"op": "msm", "instance": geometry.name, "config": self.name, "metric": f"{metric}, {adders}", "unit": "cycles"}
            return {**fields, "value": value, "published": reference[0], "published_by": reference[1], "kind": kind}

        best = min(self.tails, key=lambda bits: sum(self.computed(LONG, bits)))
        return [
            row("accumulation of a point, 2^16 points, windows of 16 bits", whole["accumulation"] / COUNT, "measured"),
            row("tail for each addition that it needs", whole["tail"] / whole["tail_additions"], "measured"),
            row(f"a point of 2^22, windows of {best} bits (computed)", sum(self.computed(LONG, best)) / LONG, "extrapolated", published.get(geometry.name, (None, None))),
        ]

    def print(self):
        self.row(COUNT, WIDEST, self.whole["accumulation"], self.whole["tail"], "measured")
        for count in COMPUTED:
            best = min(self.tails, key=lambda bits: sum(self.computed(count, bits)))
            self.row(count, best, *self.computed(count, best), "computed")
        needed = self.least(COUNT, WIDEST) / self.whole["accumulation"]
        tail, additions = self.whole["tail"], self.whole["tail_additions"]
        print(f"{self.name}: the points need {needed:.2%} of the accumulation's cycles, tail {tail:,} cycles for {additions:,} additions, {tail / additions:.3f} times", flush=True)

    def row(self, count, bits, accumulation, tail, kind):
        plan, adders = self.bench.geometry.plan(bits), self.bench.geometry.adders
        print(f"{self.name:22}{adders:7}{count:10}{bits:7}{plan.passes:7}{accumulation / count:14.3f}{tail / count:9.3f}{(accumulation + tail) / count:10.3f}  {kind}", flush=True)


def report(libraries, seed):
    print(f"{'card':22}{'adders':>7}{'points':>10}{'window':>7}{'passes':>7}{'accumulation':>14}{'tail':>9}{'together':>10}  cycles a point")
    rows = []
    for library in libraries:
        with Card(library) as card:
            measurement = Measurement(card, Path(library).stem, seed)
            measurement.print()
            rows += measurement.rows()
    ROWS.parent.mkdir(parents=True, exist_ok=True)
    ROWS.write_text(json.dumps(rows, indent=1) + "\n")
    for name, curve, cycles, dsp, lut, mhz in PUBLISHED:
        sizes = "".join(f",{size:10,} {what},{cycles * size / 1000:9,.1f}K {what} cycles a point" for size, what in ((dsp, "DSP"), (lut, "LUT")) if size)
        print(f"published: {name:20}{curve:12}{cycles:8.2f} cycles a point, {1000 * cycles / mhz:6.1f} ns at {mhz} MHz{sizes}")
    return 0

"""How many cycles the MSM engine takes, through packets, and what it would take for more points.

Measured is one sum of 2^16 points with uniform scalars and windows of 16 bits: cycles of accumulation and of the tail, as the reply says. A window
then has one pass over the points, and the tail of a pass does not depend on their number. So N points take N / 2^16 times the
accumulation, and the tail; such rows are marked as computed.
"""

import random
from pathlib import Path

from msm_bench import Bench
from test_shell import Card

COUNT, WINDOW = 1 << 16, 16
COMPUTED = (1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 26)

#: System, curve, its cycles a point, its DSPs; /shared reference: if-ZKP and Hardcaml's ZPrize entry, CycloneMSM. if-ZKP's DSPs multiply 27 by 27 bits.
PUBLISHED = [
    ("if-ZKP", "bn254", 41.6, 1975),
    ("if-ZKP", "bls12_381", 82.4, 4425),
    ("Hardcaml", "bls12_377", 20.6, 2999),
    ("CycloneMSM", "bls12_377", 21.1, 2277),
]


def measure(library, seed):
    """(the bench, accumulation, tail, additions of the tail) of one sum that is right."""
    with Card(library) as card:
        bench = Bench(card, random.Random(f"{seed} cycles {library.stem}"))
        r = bench.geometry.facts.r
        bench.place(bench.multiples.chain(*(bench.rng.randrange(1, r) for _ in range(2)), COUNT), 0)
        bench.scalars([bench.rng.randrange(r) for _ in range(COUNT)], 0)
        bench.run(count=COUNT, window_bits=WINDOW)
        ((_, _, found),) = [answer for answer in bench.settle() if answer[0] == "run"]
        return bench, found["accumulation"], found["tail"], found["tail_additions"]


def report(libraries, seed):
    print(f"{'card':22}{'adders':>7}{'passes':>7}{'points':>10}{'accumulation':>14}{'tail':>8}{'together':>10}   cycles a point")
    for library in libraries:
        bench, accumulation, tail, additions = measure(library, seed)
        g = bench.geometry
        plan = g.plan(WINDOW)
        ideal = COUNT * plan.passes * plan.group

        def row(count, note):
            print(f"{Path(library).stem:22}{g.adders:7}{plan.passes:7}{count:10}{accumulation / COUNT:14.3f}{tail / count:8.3f}{accumulation / COUNT + tail / count:10.3f}   {note}", flush=True)

        row(COUNT, f"measured; issue {ideal / accumulation:.2%}, tail {tail / additions:.3f} times its {additions:,} additions")
        for count in COMPUTED:
            row(count, "computed")
    print("published: " + "; ".join(f"{name} {curve} {cycles} cycles a point, {dsp:,} DSP, {cycles * dsp / 1000:.1f}K DSP cycles" for name, curve, cycles, dsp in PUBLISHED))
    return 0

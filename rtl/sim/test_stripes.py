"""Memory channels striped over ports of HBM: an engine gets the full rate of a channel, though one port has less.

`python3 rtl/sim/test_stripes.py` runs the engines of Groth16 with one pseudo-channel of HBM behind each memory port (`hbm_port` of sim.h): on a card without
stripes (`groth16_bn254_small_twin`), which waits for its ports, and on the one for AWS F2, with four ports a channel. Measured are points that a sum reads in a
cycle (one is what it wants: 64 bytes) and cycles of a transform (in which 128 bytes of each channel pass at best),
beside those with the ideal memory.
"""

import json
import random
import sys

import msm_bench  # finds the model's modules
import wire
from card import ROOT, Card
from f2_card import F2
from ntt_bench import Engine

PLAIN, STRIPED = "groth16_bn254_small_twin", "f2_groth16_bn254_small_twin"
POINTS, WINDOW, CYCLES = 1 << 12, 16, 1 << 11
LOG = 12
#: Points a cycle: at least with stripes, at most without. Cycles of a transform, of those with the ideal memory: at most with stripes, at least without.
RATES, SHARES = (0.97, 0.75), (1.1, 1.5)


def opened(name):
    if not name.startswith("f2"):
        return Card(ROOT / f"target/sim/{name}.so")
    card = F2(ROOT / f"target/sim/{name}.so")
    card.open(1)
    card.freeing = card.slots // 2
    return card


def points(card):
    """Points that a sum reads in a cycle while it gathers them. Their coordinates are whatever there is."""
    source = random.Random(1)
    bench = msm_bench.Bench(card, source)
    bench.scalars([source.randrange(bench.geometry.facts.r) for _ in range(POINTS)], 0)
    bench.settle()
    ports = json.loads(card.lib.pm_sim_manifest()).get("pcie", {}).get("stripes", 1)
    reads = lambda: sum(card.memory_counts(port)["reads"] for port in range(ports))
    card.send(wire.msm_command("run", index=1 << 32, points=0, scalars=0, count=POINTS, window_bits=WINDOW))
    while reads() < POINTS // 8:
        card.run(100)
    before = reads()
    card.run(CYCLES)
    return (reads() - before) / CYCLES


def transform(card):
    """Cycles of the passes of a transform; some of its results are checked."""
    return sum(Engine(card).sampled(LOG, random.Random(2)))


def measured(name, model, work):
    with opened(name) as card:
        card.set_memory(model)
        return work(card)


def main():
    outcomes = []

    def judge(good, text):
        outcomes.append(good)
        print(f"{'ok    ' if good else 'FAILED'} {text}", flush=True)

    for name, ports in ((PLAIN, "one port"), (STRIPED, "four ports")):
        striped = name == STRIPED
        rate = measured(name, "hbm_port", points)
        judge(rate >= RATES[0] if striped else rate <= RATES[1], f"{ports} of HBM a channel: a sum reads {rate:.3f} points a cycle")
        cycles, ideal = (measured(name, model, transform) for model in ("hbm_port", "ideal"))
        share = cycles / ideal
        judge(share <= SHARES[0] if striped else share >= SHARES[1], f"{ports} of HBM a channel: a transform takes {cycles} cycles, {ideal} with the ideal memory")
    print(f"{sum(outcomes)} passed, {len(outcomes) - sum(outcomes)} failed")
    return 0 if all(outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())

"""The MSM engine on its card, in Verilator, against the model; and how many cycles it takes.

`python3 rtl/sim/test_msm.py [--seconds N] [--seed N] [--cycles] [CARD ...]` does with each toy card (`make sim` makes them):

  refusals     commands at the edges of what is allowed; the registers are checked on the way, as always
  one, two     every scalar times every point; every pair of scalars over pairs of points: different, equal, opposite
  three        triples drawn at random
  many         up to 2000 points, every distribution of scalars and bases, every window
  order        a run sees the writes before it; writes and other runs are answered while one is under way
  cancels      runs under way, waiting, finished and unknown ones
  faults       errors of the memory, and the same again without them
  nonsense     scalars and points that are none
  resets       RESET in every part of a run, and a run at once
  rounds       for some seconds: writes, runs, cancels, garbage, STATUS and RESET in random order, with random gaps, back-pressure,
               memories and their errors: nothing is lost, nothing is wrong

and with each card of a real curve 0, 1, 2, 3, 100 and 2^8 points with every distribution, and chunks one behind the other; with
PROOFMILL_LONG=1 2^10 instead of 2^8, and 2^16 uniform ones. `--cycles` measures instead (msm_cycles.py).
"""

import argparse
import os
import random
import sys
import time
import traceback
from pathlib import Path

import msm_cycles
from card import ROOT, STATUS, WIRE, Card, header, status_of
from msm_bench import GRANULE, Bench
from msm_toys import Toy

from cases_msm import BASES, DISTRIBUTIONS

TOYS = ["msm_toy", "msm_toy_two", "msm_toy_edwards"]
REAL = ["msm_bn254_twin", "msm_bn254_two_twin", "msm_bls12_381_twin", "msm_bls12_377_twin"]
LONG = bool(os.environ.get("PROOFMILL_LONG"))
MOST_LOG = 10 if LONG else 8  # of the points of each distribution on a real card

class Real(Bench):
    def sizes(self, chain):
        """`chain`: factors whose points are known. Points and scalars are written while the sum before is under way."""
        rng, r, runs = self.rng, self.geometry.facts.r, 0
        self.place(chain[:1], 0)
        self.scalars([r - 1 - rng.randrange(1 << 64)], 0)
        self.run(count=1, window_bits=5)  # its digits wait until the buckets have been cleared, which takes longer than the writes
        self.run(count=0, window_bits=5)
        self.run(points=GRANULE, scalars=GRANULE, count=1, window_bits=5)  # of memory that was never written
        self.settle()
        for count in (1, 2, 3, 100, 1 << MOST_LOG):
            bits = {1: 2, 2: 3, 3: 4, 100: 5}.get(count, 8)
            for i, (name, make) in enumerate(DISTRIBUTIONS.items()):
                if count < 4 and name in ("sparse", "witness", "small", "powers-of-two", "two-buckets"):
                    continue
                bases = list(BASES)[i % len(BASES)]
                place = GRANULE * 128 * (runs % 2)
                runs += 1
                self.place(BASES[bases](rng.sample(chain, count)), place)
                self.scalars(make(r, count, rng.randrange, bits), place)
                self.run(points=place, scalars=place, count=count, window_bits=bits)
                if runs % 2 == 0:
                    self.pace()
        self.pace()

    def pace(self):
        """Settles; no scalars take twice the cycles of others, but for what a pass takes to begin and to end."""
        for name, command, found in self.settle():
            if name == "run":
                plan = self.geometry.plan(command["window_bits"])
                most = plan.passes * (2 * command["count"] * plan.group + 2000)
                assert found["accumulation"] <= most, f"{found['accumulation']} cycles for {command}, {most} allowed"

    def chunks(self, chain):
        """A long sum in parts: the points once, the scalars of the next parts while one is added up."""
        rng, r = self.rng, self.geometry.facts.r
        self.place(chain[:256], 0)
        for part in range(4):
            self.scalars([rng.randrange(r) for _ in range(256)], (1 + part) << 16)
            self.run(scalars=(1 + part) << 16, count=256, window_bits=7)
        found = [name for name, _, _ in self.settle()]
        assert "write" not in found[found.index("run"):], "scalars wait for the sum before theirs"

    def large(self, chain):
        """2^16 points with uniform scalars, c = 16: a point in 97 % of the cycles in which one is wanted, and 1.15 cycles an addition of the tail."""
        rng, r, count = self.rng, self.geometry.facts.r, 1 << 16
        self.place(chain[:count], 0)
        self.scalars([rng.randrange(r) for _ in range(count)], 0)
        self.run(count=count, window_bits=16)
        ((_, _, found),) = [answer for answer in self.settle() if answer[0] == "run"]
        plan = self.geometry.plan(16)
        assert found["accumulation"] <= count * plan.passes * plan.group / 0.97, found
        assert found["tail"] <= 1.15 * found["tail_additions"], found
        return f"2^16 points: {found['accumulation'] / count:.3f} cycles a point, {found['tail'] / found['tail_additions']:.3f} of the tail's additions"


def status_is_told(trial):
    trial.card.send(header(8, STATUS))
    capabilities, _ = status_of(trial.receive())
    assert capabilities == 1 << WIRE["capabilities"][f"msm_{trial.geometry.curve}"], capabilities


def examine_toy(trial, seconds):
    for name in trial.CHECKS:
        begin = time.monotonic()
        getattr(trial, name)()
        print(f"  {name}: {time.monotonic() - begin:.1f} s, {trial.cycles():,} cycles so far", flush=True)
    end, rounds = time.monotonic() + seconds, 0
    while rounds == 0 or time.monotonic() < end:
        trial.round()
        rounds += 1
    return f"{rounds} rounds"


def examine_real(trial):
    chain = trial.multiples.chain(*(trial.rng.randrange(1, trial.geometry.facts.r) for _ in range(2)), 1 << 16 if LONG else 256)
    trial.sizes(chain)
    trial.chunks(chain)
    return trial.large(chain) if LONG else f"up to 2^{MOST_LOG} points"


def examine(library, seed, seconds):
    """All checks of a card; whether all went well."""
    with Card(library) as card:
        source = random.Random(f"{seed} {library.stem}")
        try:
            trial = Toy(card, source) if "toy" in library.stem else Real(card, source)
            status_is_told(trial)
            told = examine_toy(trial, seconds) if isinstance(trial, Toy) else examine_real(trial)
        except AssertionError as problem:
            traceback.print_exc(file=sys.stdout)
            print(f"FAILED: {library}, seed {seed}: {problem}", flush=True)
            return False
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(trial.kinds.items()))
        print(f"{library.name}: {told}, {kinds}, {trial.cycles():,} cycles", flush=True)
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cards", nargs="*", help="names of cards in target/sim, or paths; default: all")
    parser.add_argument("--seconds", type=float, default=10, help="of rounds, for each toy card")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--cycles", action="store_true", help="measure")
    chosen = parser.parse_args()
    seed = random.randrange(1 << 32) if chosen.seed is None else chosen.seed
    print(f"seed {seed}", flush=True)

    def library(name):
        return Path(name) if "/" in name else ROOT / f"target/sim/{name}.so"

    if chosen.cycles:
        return msm_cycles.report([library(name) for name in chosen.cards or REAL], seed)
    outcomes = [examine(library(name), seed, chosen.seconds) for name in chosen.cards or TOYS + REAL]
    print(f"{sum(outcomes)} passed, {len(outcomes) - sum(outcomes)} failed")
    return 0 if all(outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())

"""The MSM engine on its card, in Verilator, against the model; and how many cycles it takes.

`python3 rtl/sim/test_msm.py [--seconds N] [--seed N] [--cycles] [CARD ...]` does with each toy card (`make sim` makes them):

  refusals     commands at the edges of what is allowed; the registers are checked on the way, as always
  one, two     every scalar times every point; every pair of scalars over pairs of points: different, equal, opposite (in G2 some of them)
  three        triples drawn at random
  many         up to 2000 points, every distribution of scalars and bases, every window
  order        a run sees the writes before it; writes and other runs are answered while one is under way
  cancels      runs under way, waiting (as many as may), finished and unknown ones
  crowds       more runs than may wait, cancellations and refusals among them: nothing waits for the run under way
  faults       errors of the memory, and the same again without them
  nonsense     scalars and points that are none, digits at the ends of what is stored and beyond
  resets       RESET in every part of a run, and a run at once
  rounds       for some seconds: writes, runs, cancels, garbage, STATUS and RESET in random order, with random gaps, back-pressure,
               memories and their errors: nothing is lost, nothing is wrong

and with the card of BN254 0, 1, 2, 3, 100 and 2^8 points with every distribution, and chunks one behind the other. The other real cards, those in G2
among them, have the same counts with fewer distributions: those that depend on the curve's order, and of 100 points all where there are two adders.
With PROOFMILL_LONG=1 every card has all of them, 2^10 points instead of 2^8, and 2^16 uniform ones. A card with structural multipliers, where one is
named, has one sum of 300 points. `--cycles` measures instead (msm_cycles.py).
"""

import json
import os
import sys

import msm_cycles
import trial
from card import STATUS, WIRE, header, status_of
from msm_bench import GRANULE, Bench
from msm_oracle import FAULT
from msm_toys import Toy

from cases_msm import BASES, DISTRIBUTIONS

TOYS = ["msm_toy", "msm_toy_two", "msm_toy_bn_g2"]
REAL = ["msm_bn254_twin", "msm_bn254_two_twin", "msm_bls12_381_twin", "msm_bls12_377_twin", "msm_bn254_g2_twin", "msm_bls12_381_g2_twin"]
LONG = bool(os.environ.get("PROOFMILL_LONG"))
MOST_LOG = 10 if LONG else 8  # of the points on a real card
#: Distributions that mean nothing else for up to three points.
ALIKE = ("sparse", "witness", "small", "powers-of-two", "two-buckets")
#: On other cards than that of BN254 in G1, by the count of points at most. The curves differ in widths and in r; how digits fall into buckets does not
#: depend on them, and the toys and BN254 have it all. A run takes 60,000 cycles however few its points are.
FEW = {
    3: ("uniform", "zeros", "r-minus-1", "equal"),
    100: ("uniform", "r-minus-1", "one-bucket", "both-signs", "lowest-digits", "highest-digits", "powers-of-two", "edges"),
    1 << MOST_LOG: ("uniform", "one-bucket"),
}


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
                if not self.wanted(count, name):
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

    def wanted(self, count, name):
        """Is a distribution of so many scalars run on this card?"""
        if LONG or self.geometry.name == "bn254_g1" and (self.geometry.adders == 1 or count == 100):
            return count > 3 or name not in ALIKE
        return name in FEW[max(count, 3)]

    def pace(self):
        """Settles; no point takes more than two slots of an adder, but for what a pass takes to begin and to end."""
        for name, command, found in self.settle():
            if name == "run":
                plan = self.geometry.plan(command["window_bits"])
                most = plan.passes * self.interval * (2 * command["count"] * plan.group + 12_000)  # a sum takes an inversion
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
        """2^16 points with uniform scalars, c = 16: at most 1.03 cycles of a slot where a point is wanted, and of the tail 2.5 for an addition in G1, 5 in
        G2."""
        rng, r, count = self.rng, self.geometry.facts.r, 1 << 16
        self.place(chain[:count], 0)
        self.scalars([rng.randrange(r) for _ in range(count)], 0)
        self.run(count=count, window_bits=16)
        ((_, _, found),) = [answer for answer in self.settle() if answer[0] == "run"]
        plan = self.geometry.plan(16)
        most = {1: 2.5, 2: 5}[self.geometry.group]
        assert found["accumulation"] <= plan.passes * self.interval * (1.03 * count * plan.group + 10_000), found
        assert found["tail"] <= most * found["tail_additions"], found
        return f"2^16 points: {found['accumulation'] / count:.3f} cycles a point, {found['tail'] / found['tail_additions']:.3f} of the tail's additions"


    def examine(self, _):
        """No rounds."""
        chain = self.multiples.chain(*(self.rng.randrange(1, self.geometry.facts.r) for _ in range(2)), 1 << 16 if LONG else 256)
        self.sizes(chain)
        self.chunks(chain)
        assert self.ends(GRANULE * 512).count(FAULT) == 2
        return self.large(chain) if LONG else f"up to 2^{MOST_LOG} points"


class Structural(Real):
    def examine(self, _):
        """One sum, no rounds: points that are different, and equal, opposite and identical ones that meet in their buckets."""
        rng, r = self.rng, self.geometry.facts.r
        chain = self.multiples.chain(*(rng.randrange(1, r) for _ in range(2)), 200)
        terms = [(factor, rng.randrange(r)) for factor in chain]
        point, k = terms[0]
        terms += [(factor, scalar) for factor in (point, r - point) for scalar in (k, r - k) for _ in range(20)]
        terms += [(0, rng.randrange(r)) for _ in range(10)] + [(factor, scalar) for factor in chain[:5] for scalar in (0, 1)]
        rng.shuffle(terms)
        self.place([factor for factor, _ in terms], 0)
        self.scalars([scalar for _, scalar in terms], 0)
        self.settle()
        cycles = self.timed(lambda: self.run(count=len(terms), window_bits=8))
        return f"{len(terms)} points in {cycles:,} cycles"


def make(card, rng):
    """The trial of a card, whose STATUS is right."""
    config = json.loads(card.lib.pm_sim_manifest())["config"]
    made = (Toy if "toy" in config else Real if config.endswith("_twin") else Structural)(card, rng)
    card.send(header(8, STATUS))
    capabilities, _ = status_of(made.receive())
    assert capabilities == 1 << WIRE["capabilities"][made.geometry.capability], capabilities
    return made


def measure(libraries, seed):
    return msm_cycles.report(libraries or [trial.simulation(name) for name in REAL], seed)


if __name__ == "__main__":
    sys.exit(trial.main(make, __doc__, TOYS + REAL, measure=measure))

"""What the scripts that examine a card have in common: checks by name, then rounds for some seconds, and one command line.

    class Trial(trial.Trial):
        CHECKS = ("vectors", "resets")  # methods; what is wrong is an AssertionError
        def round(self): ...            # random traffic

    sys.exit(trial.main(Trial, __doc__, ["toy"]))

What a card does depends only on the seed, from which its registers before the reset come too, and on how many rounds there were.
"""

import argparse
import random
import sys
import time
import traceback
from collections import Counter
from pathlib import Path

from card import ROOT, Card, power_up_by

#: Gaps before input words and refusals of output words, in 256ths of the cycles.
JITTERS = [(0, 0), (0, 0), (30, 0), (128, 0), (240, 0), (0, 128), (0, 250), (0, 253), (60, 60), (200, 230), (250, 250)]


class Trial:
    """One card, and what has been sent to it so far by kind."""

    CHECKS = ()
    #: Rounds at least.
    least = 1

    def __init__(self, card, rng):
        self.card, self.rng, self.kinds = card, rng, Counter()

    def examine(self, seconds):
        """All checks, then rounds; what there was besides packets."""
        for name in self.CHECKS:
            begin = time.monotonic()
            getattr(self, name)()
            print(f"  {name}: {time.monotonic() - begin:.1f} s, {self.cycles():,} cycles so far", flush=True)
        return f"{self.rounds(seconds)} rounds"

    def cycles(self):
        return self.card.lib.pm_sim_cycles(self.card.sim)

    def rounds(self, seconds):
        """As many as `least` at least; how many."""
        end, count = time.monotonic() + seconds, 0
        while count < self.least or time.monotonic() < end:
            try:
                self.round()
            except AssertionError as problem:
                raise AssertionError(f"round {count}: {problem}") from problem
            count += 1
        return count


def simulation(name):
    """The library of a card that `make sim` has built."""
    return ROOT / f"target/sim/{name}.so"


def examine(make, name, library, seed, seconds, least):
    """Whether all went well with the trial that `make` makes of a card and a source."""
    with Card(library) as card:
        try:
            trial = make(card, random.Random(seed))
            trial.least = least
            told = trial.examine(seconds)
        except AssertionError as problem:
            traceback.print_exc(file=sys.stdout)
            print(f"FAILED: {name}, seed {seed}: {problem}", flush=True)
            return False
        kinds = "".join(f", {count} {kind}" for kind, count in sorted(trial.kinds.items()))
        print(f"{name}: {told}{kinds}, {trial.cycles():,} cycles", flush=True)
    return True


def main(make, about, cards, seconds=5, measure=None, find=simulation):
    """The exit status. `measure`, of the libraries of the cards that were named and a seed, is what `--cycles` does instead; `find` is a card's
    library by its name.
    """
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("cards", nargs="*", metavar="CARD", help=f"names of cards, or paths of libraries; default: {', '.join(cards)}")
    parser.add_argument("--seconds", type=float, default=seconds, help="of rounds, for each card")
    parser.add_argument("--rounds", type=int, default=1, help="so many at least, however long they take")
    parser.add_argument("--seed", type=int, default=None)
    if measure:
        parser.add_argument("--cycles", action="store_true", help="measure")
    chosen = parser.parse_args()
    seed = random.randrange(1 << 32) if chosen.seed is None else chosen.seed
    print(f"seed {seed}", flush=True)
    power_up_by(seed)

    def libraries(names):
        return {name: Path(name) if "/" in name else find(name) for name in names}

    if measure and chosen.cycles:
        return measure(list(libraries(chosen.cards).values()), seed)
    outcomes = [examine(make, name, library, seed, chosen.seconds, chosen.rounds) for name, library in libraries(chosen.cards or cards).items()]
    print(f"{sum(outcomes)} passed, {len(outcomes) - sum(outcomes)} failed")
    return 0 if all(outcomes) else 1

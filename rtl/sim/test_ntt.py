"""The engine ntt in Verilator, as packets see it, against spec/model/ntt.py.

`python3 rtl/sim/test_ntt.py`: all sizes of one pass and one of two, in both directions, with and without factors, one transform and a batch; 2^18 behind HBM and DDR4;
elements that are not canonical; what is refused; errors of the memory; latencies and back-pressure; RESET in the middle; garbage. With
PROOFMILL_LONG=1 more sizes of two passes, on the card with structural multipliers too. `--cycles CARD ...` counts cycles instead.
PROOFMILL_SEED repeats a run.
"""

import os
import random
import struct
import sys
import unittest
from functools import cache

import ntt_cycles
import unit
from card import REPLY, RESET, STATUS as ASK, Card, header, status_of
from ntt_bench import COMMANDS, ELEMENTS, GRANULE, P, RUN, SCRATCH, STATUS, WRITE, Engine, ntt
from unit import sim

SEED = unit.seed()
LONG = bool(os.environ.get("PROOFMILL_LONG"))
CONFIG = "ntt_small_twin"
FIELD = ntt.GOLDILOCKS
MEMORY, MOST = 1 << 30, 20

library = cache(sim.build)


def expected(x, inverse, shift, scale):
    w = FIELD.root(ntt.log_of(x))
    if inverse:
        return ntt.scaled(FIELD, ntt.fast(FIELD, x, pow(w, -1, P)), shift, scale)
    return ntt.fast(FIELD, ntt.scaled(FIELD, x, shift, scale), w)


class Checked(unittest.TestCase):
    def setUp(self):
        self.source = random.Random(f"{SEED} {self.id()}")

    def check(self, engine, log, inverse=False, factors=False, count=1):
        source = self.source
        x = [[source.randrange(P) for _ in range(1 << log)] for _ in range(count)]
        shift, scale = (source.randrange(P), source.randrange(P)) if factors else (1, 1)
        engine.load([value for one in x for value in one])
        status, element, _, _ = engine.run(log, inverse, count, shift, scale)
        what = f"2^{log}, inverse {inverse}, shift {shift}, scale {scale}, {count} of them"
        self.assertEqual((status, element), (STATUS["done"], 0), what)
        self.assertEqual(engine.store(count << log), [y for one in x for y in expected(one, inverse, shift, scale)], what)


class Transforms(Checked):
    def test_every_size_of_one_pass(self):
        with Card(library(CONFIG)) as card:
            engine = Engine(card)
            for log in range(6, 13):
                for inverse in (False, True):
                    for factors in (False, True):
                        for count in (1, 3) if log < 10 else (1,):
                            self.check(engine, log, inverse, factors, count)

    def test_two_passes(self):
        with Card(library(CONFIG)) as card:
            engine = Engine(card)
            self.check(engine, 13, inverse=False, factors=True, count=2)
            self.check(engine, 13, inverse=True, factors=True)
            self.check(engine, 14, inverse=True)

    def test_memories_fast_and_slow_and_words_that_stutter(self):
        for latency, gap, bursts, stutter in ((1, 0, 64, 0), (20, 0, 64, 100), (2000, 0, 64, 0), (200, 128, 3, 60)):
            with Card(library(CONFIG)) as card:
                self.assertEqual(card.lib.pm_sim_memory(card.sim, latency, gap, bursts), 0)
                card.jitter(SEED, stutter, stutter)
                engine = Engine(card)
                self.check(engine, 6, inverse=True, factors=True)
                self.check(engine, 9, count=2)
                if latency <= 20:
                    self.check(engine, 13, factors=True)

    def test_drams(self):
        """2^18 complete, behind HBM and behind DDR4."""
        for model in ("hbm", "ddr4"):
            with Card(library(CONFIG)) as card:
                card.set_memory(model)
                engine = Engine(card)
                self.check(engine, 6, inverse=True, factors=True, count=3)
                self.check(engine, 13, factors=True, count=2)
                self.check(engine, 18, inverse=model == "ddr4")

    def test_hbm_costs_little_and_ddr4_is_not_ideal(self):
        """A transform of 2^18 takes at most 1% more cycles behind HBM than behind an ideal memory, which needs the hash of addresses."""
        cycles = {}
        for model in ("ideal", "hbm", "hbm_plain", "ddr4"):
            with Card(library(CONFIG)) as card:
                card.lib.pm_sim_memory(card.sim, 20, 0, 64)
                card.set_memory(model)
                status, _, first, last = Engine(card).run(18)
                self.assertEqual(status, STATUS["done"])
                cycles[model] = first + last
                if model == "hbm":
                    opened, beats = card.memory_counts()["opened"], 2 * 2 * (1 << 15)
                    self.assertLess(opened, beats * 1.05)
        self.assertLess(cycles["hbm"], 1.01 * cycles["ideal"])
        self.assertGreater(cycles["hbm_plain"], 2 * cycles["hbm"])
        self.assertGreater(cycles["ddr4"], 2 * cycles["ideal"])

    def test_edges(self):
        with Card(library(CONFIG)) as card:
            engine = Engine(card)
            for x in ([0] * 64, [P - 1] * 64, [P - 1, 0] * 32, [0] * 63 + [1], [1 << 32] * 64, [(1 << 32) - 1] * 64):
                for inverse in (False, True):
                    engine.load(x)
                    self.assertEqual(engine.run(6, inverse, 1, P - 1, P - 1)[0], STATUS["done"])
                    self.assertEqual(engine.store(64), expected(x, inverse, P - 1, P - 1))

    def test_elements_that_are_not_canonical_are_named(self):
        with Card(library(CONFIG)) as card:
            engine = Engine(card)
            for log, count, wrong in ((6, 1, [5]), (6, 3, [190, 70, 71]), (12, 1, [4095, 64, 63]), (13, 1, [8191, 4097])):
                x = [1] * (count << log)
                for at in wrong:
                    x[at] = self.source.randrange(P, 1 << 64)
                engine.load(x)
                self.assertEqual(engine.run(log, False, count)[:2], (STATUS["not_canonical"], min(wrong)))
            self.check(engine, 7)

    def test_what_is_refused(self):
        with Card(library(CONFIG)) as card:
            engine = Engine(card)
            good = {"log": 6, "inverse": 0, "count": 1, "shift": 1, "scale": 1, "elements": ELEMENTS, "scratch": SCRATCH}
            for wrong in ({"log": 5}, {"log": MOST + 1}, {"log": 0}, {"log": 1 << 31}, {"inverse": 2}, {"count": 0}, {"count": 1 << 40}, {"shift": P}, {"scale": P},
                          {"shift": 1 << 64}, {"scale": 1 << 255}, {"elements": 512}, {"elements": MEMORY}, {"elements": 1 << 63},
                          {"elements": MEMORY - 1024, "log": 8}, {"scratch": 8}, {"log": 13, "scratch": MEMORY - 1024},
                          {"elements": MEMORY - 1024, "count": 3}):
                status, element, first, last = engine.run(**good | wrong)
                self.assertEqual((status, element, first, last), (STATUS["refused"], 0, 0, 0), wrong)
            for address in (1, 1 << 55, MEMORY):
                self.assertEqual(engine.put(address, 0, bytes(GRANULE)), STATUS["refused"])
                self.assertEqual(engine.get(address, 0), (STATUS["refused"], bytes(GRANULE)))
            self.assertEqual(engine.put(0, 1, bytes(GRANULE)), STATUS["refused"])
            engine.load([3] * 64, MEMORY - 1024)
            self.assertEqual(engine.run(6, count=2, elements=MEMORY - 1024)[0], STATUS["done"])
            self.check(engine, 6)

    def test_errors_of_the_memory_are_told(self):
        with Card(library(CONFIG)) as card:
            engine = Engine(card)
            engine.load([1] * 8192)
            for start, log in ((ELEMENTS, 9), (ELEMENTS, 13), (SCRATCH + 4096, 13)):
                card.lib.pm_sim_memory_fault(card.sim, 0, start, start + 64)
                self.assertEqual(engine.run(log)[0], STATUS["memory_fault"], (start, log))
            self.assertEqual(engine.get(SCRATCH + 4096, 0), (STATUS["memory_fault"], bytes(GRANULE)))
            self.assertEqual(engine.put(SCRATCH + 4096, 0, bytes(GRANULE)), STATUS["memory_fault"])
            card.lib.pm_sim_memory_fault(card.sim, 0, 0, 0)
            self.check(engine, 8)

    def test_a_reset_may_come_at_any_time(self):
        body = struct.pack("<QQIIQ", ELEMENTS, SCRATCH, 13, 1, 1) + (5).to_bytes(32, "little") * 2
        for model in ("ideal", "hbm", "ddr4"):
            with Card(library(CONFIG)) as card:
                card.set_memory(model)
                self.reset_at_any_time(Engine(card), body)

    def reset_at_any_time(self, engine, body):
        card = engine.card
        for cycles in (0, 30, 60, 100, 150, 300, 500, 900, 1500, 2000):
            card.send(header(112, RUN) + bytes(8) + body)
            card.run(cycles)
            card.send(header(8, RESET))
            self.assertEqual(card.replies()[-1], header(8, REPLY | RESET))
            card.send(header(24 + GRANULE, WRITE) + bytes(8) + struct.pack("<Q", ELEMENTS) + bytes(GRANULE))
            card.run(cycles % 137)
            card.send(header(8, RESET))
            self.assertEqual(card.replies()[-1], header(8, REPLY | RESET))
            self.check(engine, 6, inverse=bool(cycles % 4))

    def test_garbage_is_answered_and_the_stream_stays_in_sync(self):
        lengths = {COMMANDS[name]["number"]: COMMANDS[name]["len"] for name in COMMANDS}
        with Card(library(CONFIG)) as card:
            for _ in range(60):
                sent = 0
                for _ in range(self.source.randrange(1, 12)):
                    number = self.source.choice([*lengths, 0x403, 0x4FF])
                    length = lengths.get(number, 64) if self.source.random() < 0.6 else self.source.randrange(8, 1100)
                    card.send(header(length, number) + self.source.randbytes(length - 8))
                    sent += 1
                found = card.replies()
                self.assertEqual(len(found), sent)
                card.send(header(8, ASK))
                status_of(card.recv())
            self.check(Engine(card), 7)


@unittest.skipUnless(LONG, "PROOFMILL_LONG=1 runs it")
class Long(Checked):
    def test_larger_sizes(self):
        with Card(library(CONFIG)) as card:
            engine = Engine(card)
            card.set_memory("hbm")
            for log in (15, 16, 17, 20):
                self.check(engine, log, inverse=log % 2 == 1, factors=True)

    def test_other_cards(self):
        """Structural multipliers, and 32 lanes, behind HBM."""
        for config, logs in (("ntt_small", (6, 9, 12, 13)), ("ntt_twin", range(6, 14))):
            with Card(library(config)) as card:
                card.set_memory("hbm")
                engine = Engine(card)
                for log in logs:
                    for inverse in (False, True):
                        self.check(engine, log, inverse, factors=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--cycles"]:
        sys.exit(ntt_cycles.report(sys.argv[2:], SEED))
    unittest.main()

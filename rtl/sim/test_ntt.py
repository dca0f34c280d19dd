"""The engine ntt in Verilator, as packets see it, against spec/model/ntt.py.

`python3 rtl/sim/test_ntt.py`: all sizes up to 2^14 of Goldilocks and 2^12 of BN254's scalar field, in both directions, with and without factors, one transform and a batch; what a transform is,
on the circuit's own results; 2^18 of Goldilocks behind HBM and DDR4; elements that are not canonical; what is refused; errors of the memory; latencies and back-pressure; runs that wait; RESET
in the middle; garbage; a b - c of three lists, and the chain of a quotient. With PROOFMILL_LONG=1 larger sizes, BLS12-381's scalar field, more lanes, and cards with structural multipliers. `--cycles CARD ...` counts cycles instead.
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
from ntt_bench import COMMANDS, DIRECTIONS, ELEMENTS, GRANULE, REGISTERS, RUN, SCRATCH, STATUS, WRITE, Engine, ntt, run_of
from unit import sim

SEED = unit.seed()
LONG = bool(os.environ.get("PROOFMILL_LONG"))
MEMORY = 1 << 30

library = cache(sim.build)


def expected(field, x, inverse, shift, scale):
    w = field.root(ntt.log_of(x))
    if inverse:
        return ntt.scaled(field, ntt.fast(field, x, pow(w, -1, field.p)), shift, scale)
    return ntt.fast(field, ntt.scaled(field, x, shift, scale), w)


class Checked(unittest.TestCase):
    config = "ntt_small_twin"

    def setUp(self):
        self.source = random.Random(f"{SEED} {self.id()}")

    def card(self):
        return Card(library(self.config))

    def check(self, engine, log, inverse=False, factors=False, count=1):
        source, p = self.source, engine.field.p
        x = [[source.randrange(p) for _ in range(1 << log)] for _ in range(count)]
        shift, scale = (source.randrange(p), source.randrange(p)) if factors else (1, 1)
        engine.load([value for one in x for value in one])
        status, element, _, _ = engine.run(log, inverse, count, shift, scale)
        what = f"2^{log}, inverse {inverse}, shift {shift}, scale {scale}, {count} of them"
        self.assertEqual((status, element), (STATUS["done"], 0), what)
        wanted = [y for one in x for y in expected(engine.field, one, inverse, shift, scale)]
        self.assertEqual(engine.store(count << log), wanted, what)

    def check_every_size_of_one_pass(self, counts):
        self.check_every(range(self.least, self.one + 1), counts, outside=False)

    def check_every(self, logs, counts, outside=True):
        """These sizes, in both directions, with and without factors, each as often as in `counts`."""
        with self.card() as card:
            engine = Engine(card, outside)
            self.assertEqual([engine.register(name) for name in ("least_log", "pass_log")], [self.least, self.one])
            for log in logs:
                for inverse in (False, True):
                    for factors in (False, True):
                        for count in counts(log):
                            self.check(engine, log, inverse, factors, count)


class Transforms:
    """What every card has to do. Numbers of the least size, of the largest of one pass and of the largest are `least`, `one` and `most`; of two passes, `two` are gone through."""

    def test_every_size_of_two_passes(self):
        self.check_every(self.two, lambda log: (1, 2) if LONG or log == self.two[0] else (1,))

    def test_what_a_transform_is(self):
        """It is linear, a cyclic convolution's is the product, and an inverse one goes back: on the circuit's own results."""
        with self.card() as card:
            engine = Engine(card, outside=True)
            p, source = engine.field.p, self.source
            for log in (6, self.two[0]):
                n = 1 << log
                x, y = ([source.randrange(p) for _ in range(n)] for _ in range(2))
                a, b, shift = (source.randrange(1, p) for _ in range(3))
                taps = {source.randrange(n): source.randrange(p) for _ in range(4)}
                lists = [x, y, [(a * u + b * v) % p for u, v in zip(x, y)], [taps.get(i, 0) for i in range(n)],
                         [sum(h * x[(i - j) % n] for j, h in taps.items()) % p for i in range(n)]]
                engine.load([u for one in lists for u in one])
                self.assertEqual(engine.run(log, False, len(lists))[0], STATUS["done"])
                found = engine.store(len(lists) << log)
                tx, ty, linear, th, convolved = (found[k << log:k + 1 << log] for k in range(len(lists)))
                self.assertEqual(linear, [(a * u + b * v) % p for u, v in zip(tx, ty)])
                self.assertEqual(convolved, [u * v % p for u, v in zip(tx, th)])
                self.assertEqual(engine.run(log, True, len(lists), 1, pow(n, -1, p))[0], STATUS["done"])
                self.assertEqual(engine.store(len(lists) << log), [u for one in lists for u in one])
                self.assertEqual(engine.run(log, False, 2, shift, 1)[0], STATUS["done"])
                self.assertEqual(engine.run(log, True, 2, pow(shift, -1, p), pow(n, -1, p))[0], STATUS["done"])
                self.assertEqual(engine.store(2 << log), x + y)

    def test_the_memory_is_the_same_from_outside(self):
        """What packets write is there from outside, what is put there from outside is what packets read, and nothing around it has changed."""
        with self.card() as card:
            inside, outside = Engine(card), Engine(card, outside=True)
            count = 3 * GRANULE * inside.channels // inside.element  # three granules of each channel
            for writer, reader in ((inside, outside), (outside, inside)):
                x = [self.source.randrange(inside.field.p) for _ in range(count)]
                writer.load(x, ELEMENTS + GRANULE)
                self.assertEqual(reader.store(5 * count // 3), [0] * (count // 3) + x + [0] * (count // 3))

    def test_runs_may_wait(self):
        """Commands that are sent behind each other, before the first reply, are answered in their order."""
        with self.card() as card:
            engine = Engine(card)
            p, log, runs = engine.field.p, self.two[0], 5
            lists = [[self.source.randrange(p) for _ in range(1 << log)] for _ in range(runs)]
            places = [ELEMENTS + (k << 18) for k in range(runs)]
            for x, place in zip(lists, places):
                engine.load(x, place)
            for k, place in enumerate(places):
                card.send(header(112, RUN) + struct.pack("<Q", 1000 + k) + run_of(log, k % 2, elements=place))
            replies = card.replies(20_000)
            self.assertEqual([struct.unpack("<QQ", reply[8:24]) for reply in replies], [(1000 + k, STATUS["done"]) for k in range(runs)])
            for k, (x, place) in enumerate(zip(lists, places)):
                self.assertEqual(engine.store(1 << log, place), expected(engine.field, x, k % 2, 1, 1), k)

    def test_a_b_less_c(self):
        with self.card() as card:
            engine = Engine(card)
            p, source = engine.field.p, self.source
            for log in (self.unit, self.unit + 1, 6, 7, self.one + 1):
                lists = [[source.randrange(p) for _ in range(1 << log)] for _ in range(3)]
                lists = [[0, p - 1, 0, p - 1][:1 << log] + lists[0][4:], [p - 1, 0, 0, p - 1] + lists[1][4:], [p - 1, 1, 0, 0] + lists[2][4:]]
                engine.load([x for one in lists for x in one])
                behind = engine.store(8, ELEMENTS + (1 << 19))
                status, element, first, _ = engine.run(log, DIRECTIONS["a_b_less_c"], 3)
                self.assertEqual((status, element, first), (STATUS["done"], 0, 0))
                self.assertEqual(engine.store(3 << log), ntt.a_b_less_c(engine.field, *lists) + lists[1] + lists[2], log)
                self.assertEqual(engine.store(8, ELEMENTS + (1 << 19)), behind)
                self.check(engine, log, inverse=True, factors=True)

    def test_a_quotient(self):
        with self.card() as card:
            engine = Engine(card, outside=True)
            p, source = engine.field.p, self.source
            for model, log in (("ideal", self.one), ("hbm", self.one + 2)):
                card.set_memory(model)
                lists = [[source.randrange(p) for _ in range(1 << log)] for _ in range(3)]
                g = source.randrange(1, p)
                status, _ = engine.quotient(lists, g, pow(1 << log, -1, p))
                self.assertEqual(status, STATUS["done"])
                self.assertEqual(engine.store(1 << log), ntt.quotient(engine.field, *lists, g))

    def test_lists_that_are_not_canonical_are_named(self):
        log = self.unit + 1
        with self.card() as card:
            engine = Engine(card)
            for wrong in ([5], [1 << log, 2 << log], [(3 << log) - 1], [(2 << log) + 1, (2 << log) - 1]):
                x = [1] * (3 << log)
                for at in wrong:
                    x[at] = self.source.randrange(engine.field.p, 1 << 8 * engine.element)
                engine.load(x)
                self.assertEqual(engine.run(log, DIRECTIONS["a_b_less_c"], 3)[:2], (STATUS["not_canonical"], min(wrong)), wrong)
            self.check(engine, 7)

    def test_memories_fast_and_slow_and_words_that_stutter(self):
        for latency, gap, bursts, stutter in ((1, 0, 64, 0), (20, 0, 64, 100), (2000, 0, 64, 0), (200, 128, 3, 60)):
            with self.card() as card:
                self.assertEqual(card.lib.pm_sim_memory(card.sim, latency, gap, bursts), 0)
                card.jitter(SEED, stutter, stutter)
                engine = Engine(card)
                self.check(engine, self.least, inverse=True, factors=True)
                self.check(engine, self.least + 3, count=2)
                engine.load([3] * 64 + [5] * 64 + [16] * 64)
                self.assertEqual(engine.run(6, DIRECTIONS["a_b_less_c"], 3)[0], STATUS["done"])
                self.assertEqual(engine.store(64), [engine.field.p - 1] * 64)
                self.check(engine, self.one + 1, factors=True)

    def test_edges(self):
        with self.card() as card:
            engine = Engine(card)
            p, size = engine.field.p, 1 << 6
            middle = [1 << engine.field.p.bit_length() // 2, (1 << engine.field.p.bit_length() // 2) - 1]
            for x in ([0] * size, [p - 1] * size, [p - 1, 0] * (size // 2), [0] * (size - 1) + [1], [middle[0]] * size, [middle[1]] * size):
                for inverse in (False, True):
                    engine.load(x)
                    self.assertEqual(engine.run(6, inverse, 1, p - 1, p - 1)[0], STATUS["done"])
                    self.assertEqual(engine.store(size), expected(engine.field, x, inverse, p - 1, p - 1))

    def test_elements_that_are_not_canonical_are_named(self):
        one = self.one
        cases = ((6, 1, [5]), (6, 3, [190, 70, 71]), (one, 1, [(1 << one) - 1, 33, 32]), (one + 1, 1, [(2 << one) - 1, (1 << one) + 1]))
        with self.card() as card:
            engine = Engine(card)
            for log, count, wrong in cases:
                x = [1] * (count << log)
                for at in wrong:
                    x[at] = self.source.randrange(engine.field.p, 1 << 8 * engine.element)
                engine.load(x)
                self.assertEqual(engine.run(log, False, count)[:2], (STATUS["not_canonical"], min(wrong)))
            engine.load([engine.field.p] + [1] * 63)
            self.assertEqual(engine.run(6)[:2], (STATUS["not_canonical"], 0))
            self.check(engine, 7)

    def test_what_is_refused(self):
        with self.card() as card:
            engine = Engine(card)
            p, least = engine.field.p, self.least
            fit = 1024 * engine.channels // (engine.element << least)
            good = {"log": 6, "inverse": 0, "count": 1, "shift": 1, "scale": 1, "elements": ELEMENTS, "scratch": SCRATCH}
            product = {"inverse": DIRECTIONS["a_b_less_c"], "count": 3}
            for wrong in ({"log": least - 1}, {"log": self.most + 1}, {"log": 0}, {"log": 1 << 31}, product | {"inverse": 4}, product | {"inverse": 1 << 31}, {"inverse": 2},
                          product | {"log": self.unit - 1}, product | {"count": 2}, product | {"elements": MEMORY - 2048, "log": 7}, *self.absent, {"count": 0}, {"count": 1 << 40}, {"shift": p}, {"scale": p},
                          {"shift": p + 1}, {"shift": 1 << 255}, {"scale": 1 << 255}, {"scale": (1 << 256) - 1}, {"elements": 512}, {"elements": MEMORY}, {"elements": 1 << 63},
                          {"elements": MEMORY - 1024, "log": 8}, {"scratch": 8}, {"log": self.one + 1, "scratch": MEMORY - 1024},
                          {"elements": MEMORY - 1024, "log": least, "count": fit + 1}):
                status, element, first, last = engine.run(**good | wrong)
                self.assertEqual((status, element, first, last), (STATUS["refused"], 0, 0, 0), wrong)
            for address in (1, 1 << 55, MEMORY):
                self.assertEqual(engine.put(address, 0, bytes(GRANULE)), STATUS["refused"])
                self.assertEqual(engine.get(address, 0), (STATUS["refused"], bytes(GRANULE)))
            self.assertEqual(engine.put(0, engine.channels, bytes(GRANULE)), STATUS["refused"])
            engine.load([3] * (fit << least), MEMORY - 1024)
            self.assertEqual(engine.run(least, count=fit, elements=MEMORY - 1024)[0], STATUS["done"])
            self.check(engine, 6)

    def test_errors_of_the_memory_are_told(self):
        with self.card() as card:
            engine = Engine(card)
            engine.load([1] * (2 << self.one))
            for start, log in ((ELEMENTS, 6), (ELEMENTS, self.one + 1), (SCRATCH + 1024, self.one + 1)):
                card.lib.pm_sim_memory_fault(card.sim, 0, start, start + 64)
                self.assertEqual(engine.run(log)[0], STATUS["memory_fault"], (start, log))
            card.lib.pm_sim_memory_fault(card.sim, 0, ELEMENTS, ELEMENTS + 64)
            self.assertEqual(engine.run(6, DIRECTIONS["a_b_less_c"], 3)[0], STATUS["memory_fault"])
            card.lib.pm_sim_memory_fault(card.sim, 0, SCRATCH + 1024, SCRATCH + 1088)
            self.assertEqual(engine.get(SCRATCH + 1024, 0), (STATUS["memory_fault"], bytes(GRANULE)))
            self.assertEqual(engine.put(SCRATCH + 1024, 0, bytes(GRANULE)), STATUS["memory_fault"])
            card.lib.pm_sim_memory_fault(card.sim, 0, 0, 0)
            self.check(engine, 8)

    def test_a_reset_may_come_within_a_b_less_c(self):
        body = run_of(self.one, DIRECTIONS["a_b_less_c"], 3)
        with self.card() as card:
            self.reset_at_any_time(Engine(card), body)

    def test_a_reset_may_come_at_any_time(self):
        body = run_of(self.one + 1, True, shift=5, scale=5)
        for model in ("ideal", "hbm", "ddr4"):
            with self.card() as card:
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
        with self.card() as card:
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


class Goldilocks(Transforms, Checked):
    least, unit, one, most, two = 6, 6, 12, 20, range(13, 15)
    absent = [{"inverse": 3, "count": 3}]

    def test_every_size_of_one_pass(self):
        self.check_every_size_of_one_pass(lambda log: (1, 3) if log < 10 else (1, 2))

    def test_drams(self):
        """2^18 complete, behind HBM and behind DDR4."""
        for model in ("hbm", "ddr4"):
            with self.card() as card:
                card.set_memory(model)
                engine = Engine(card, outside=True)
                self.check(engine, 6, inverse=True, factors=True, count=3)
                self.check(engine, 13, factors=True, count=2)
                self.check(engine, 18, inverse=model == "ddr4")

    def test_hbm_costs_little_and_ddr4_is_not_ideal(self):
        """A transform of 2^18 takes at most 1% more cycles behind HBM than behind an ideal memory, which needs the hash of addresses."""
        cycles = {}
        for model in ("ideal", "hbm", "hbm_plain", "ddr4"):
            with self.card() as card:
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


class Bn254(Transforms, Checked):
    config = "ntt_bn254_small_twin"
    least, unit, one, most, two, three = 1, 2, 6, 14, range(7, 13), range(13, 15)
    absent = [{"inverse": 3, "count": 3}]

    def test_every_size_of_one_pass(self):
        self.check_every_size_of_one_pass(lambda log: (1, 2, 3, 5))

    def test_every_size_of_three_passes(self):
        for log in self.three:
            for inverse in (False, True):
                for factors in (False, True):
                    with self.card() as card:
                        engine = Engine(card, outside=True)
                        shift, scale = (self.source.randrange(engine.field.p) for _ in range(2)) if factors else (1, 1)
                        engine.sampled(log, self.source, inverse, shift, scale)

    def test_a_batch_of_three_passes_behind_hbm(self):
        log = self.three[0]
        with self.card() as card:
            card.set_memory("hbm")
            engine = Engine(card, outside=True)
            self.check(engine, log, inverse=True, factors=True, count=2)
            engine.load([engine.field.p], ELEMENTS + (engine.element << log) // engine.channels + GRANULE)
            at = (1 << log) + GRANULE * engine.channels // engine.element
            self.assertEqual(engine.run(log, count=2)[:2], (STATUS["not_canonical"], at))

    def test_a_half_beat_is_left_alone(self):
        """Three transforms of two elements are a beat and a half: the data after them stay, and may be anything."""
        with self.card() as card:
            engine = Engine(card)
            behind = (1 << 256) - 1
            engine.load([1, 2, 3, 4, 5, 6, behind, behind])
            self.assertEqual(engine.run(1, count=3)[:2], (STATUS["done"], 0))
            p = engine.field.p
            self.assertEqual(engine.store(8), [3, p - 1, 7, p - 1, 11, p - 1, behind, behind])


class Prover(Checked):
    """The card with engines of sums in G1 and G2. A quotient can become scalars of the first one. What they are then, host/testkit's tests show by a sum.
    """
    config = "groth16_bn254_small_twin"
    scalars = 1 << 34  # bytes

    def test_lists_stay_and_bad_places_are_refused(self):
        with self.card() as card:
            card.set_memory("hbm")
            engine = Engine(card)
            p, log = engine.field.p, 5
            self.assertEqual(card.read64(engine.block + REGISTERS["scalars"]), self.scalars)
            lists = [[self.source.randrange(p) for _ in range(1 << log)] for _ in range(3)]
            g = self.source.randrange(1, p)
            status, _ = engine.quotient(lists, g, pow(1 << log, -1, p), target=self.scalars - (32 << log))
            self.assertEqual(status, STATUS["done"])
            moved = [ntt.transform(engine.field, ntt.transform(engine.field, x, True), coset=g) for x in lists]
            self.assertEqual(engine.store(3 << log), [x for one in moved for x in one])
            for target in (512, self.scalars, self.scalars - (32 << log) + 1024, 1 << 63):
                self.assertEqual(engine.run(log, DIRECTIONS["a_b_less_c_to_scalars"], 3, scratch=target)[0], STATUS["refused"], target)
            self.check(engine, 6)

    def test_errors_of_the_other_channel_are_told(self):
        with self.card() as card:
            engine = Engine(card)
            engine.load([1] * 192)
            card.lib.pm_sim_memory_fault(card.sim, engine.first - 1, 3072, 3136)  # the last channel of the engine in front
            for target, wanted in ((0, "done"), (2048, "memory_fault"), (4096, "done")):
                self.assertEqual(engine.run(6, DIRECTIONS["a_b_less_c_to_scalars"], 3, scratch=target)[0], STATUS[wanted], target)

    def test_a_reset_may_come_at_any_time(self):
        body = run_of(6, DIRECTIONS["a_b_less_c_to_scalars"], 3, scratch=1 << 20)
        with self.card() as card:
            engine = Engine(card)
            for cycles in range(0, 400, 20):
                card.send(header(112, RUN) + bytes(8) + body)
                card.run(cycles)
                card.send(header(8, RESET))
                self.assertEqual(card.replies()[-1], header(8, REPLY | RESET))
            self.check(engine, 6)


@unittest.skipUnless(LONG, "PROOFMILL_LONG=1 runs it")
class ProverBls12_381(Prover):
    config = "groth16_bls12_381_small_twin"


@unittest.skipUnless(LONG, "PROOFMILL_LONG=1 runs it")
class Bls12_381(Checked):
    config = "ntt_bls12_381_small_twin"
    least, one = 1, 6

    def test_every_size_of_one_pass(self):
        self.check_every_size_of_one_pass(lambda log: (1, 3))

    def test_two_passes(self):
        with self.card() as card:
            engine = Engine(card)
            card.set_memory("hbm")
            for inverse in (False, True):
                self.check(engine, 12, inverse, factors=True)
                self.check(engine, 9, inverse, count=2)


@unittest.skipUnless(LONG, "PROOFMILL_LONG=1 runs it")
class Long(Checked):
    def test_larger_sizes(self):
        for config, logs in (("ntt_small_twin", (15, 16, 17, 20)), ("ntt_bn254_twin", (9, 13)), ("ntt_bls12_381_twin", (9, 13))):
            with Card(library(config)) as card:
                engine = Engine(card, outside=True)
                card.set_memory("hbm")
                for log in logs:
                    self.check(engine, log, inverse=log % 2 == 1, factors=True)

    def test_three_passes(self):
        """Of Goldilocks on a card whose columns have 2^9 elements at most; and the smallest of the largest card that are three passes."""
        with Card(library("ntt_three_twin")) as card:
            card.set_memory("hbm")
            engine = Engine(card, outside=True)
            for log in (18, 19, 20, 22):
                for inverse in (False, True) if log < 22 else (False,):
                    self.check(engine, log, inverse, factors=True)

    def test_the_largest_sizes(self):
        cards = (("ntt_twin", 25), ("ntt_twin", 24), ("ntt_64_twin", 24), ("ntt_bn254_twin", 20), ("ntt_bls12_381_twin", 20), ("ntt_bn254_large_twin", 24), ("ntt_bls12_381_large_twin", 22))
        for config, log in cards:
            with Card(library(config)) as card:
                card.set_memory("hbm")
                Engine(card, outside=True).sampled(log, self.source)

    def test_other_cards(self):
        """Structural multipliers, more lanes, and columns of 2^12, behind HBM."""
        cards = (("ntt_small", (6, 9, 12, 13)), ("ntt_16_twin", range(6, 14)), ("ntt_twin", range(6, 14)), ("ntt_64_twin", range(6, 15)), ("ntt_bn254_large_twin", (1, 11, 12, 13)), ("ntt_bls12_381_large_twin", (11, 12)),
                 ("ntt_bn254_small", (1, 4, 7)), ("ntt_bls12_381_small", (1, 4, 7)))
        for config, logs in cards:
            with Card(library(config)) as card:
                card.set_memory("hbm")
                engine = Engine(card, outside=True)
                for log in logs:
                    for inverse in (False, True):
                        self.check(engine, log, inverse, factors=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--cycles"]:
        sys.exit(ntt_cycles.report(sys.argv[2:], SEED))
    unittest.main()

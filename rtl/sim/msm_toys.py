"""Checks of the MSM engine on a toy card; test_msm.py describes each check."""

import os

from msm_bench import GRANULE, Bench
from msm_oracle import CANCELLED, DONE, FAULT, FULL, REFUSED
from traffic import expected, random_packet

from cases_msm import BASES, DISTRIBUTIONS

#: Gaps before input words and refusals of output words, in 256ths of the cycles.
JITTERS = [(0, 0), (0, 0), (30, 0), (240, 0), (0, 128), (0, 253), (60, 60), (250, 250)]
#: Latency in cycles, gaps between beats in 256ths, bursts under way.
MEMORIES = [(64, 0, 64), (64, 0, 64), (1, 0, 64), (300, 0, 64), (100, 200, 64), (20, 0, 1), (200, 128, 2)]


LONG = bool(os.environ.get("PROOFMILL_LONG"))


class Toy(Bench):
    CHECKS = ["refusals", "one", "two", "three", "many", "order", "cancels", "crowds", "faults", "nonsense", "resets"]

    def windows(self):
        return range(self.geometry.least_window, self.geometry.most_window + 1)

    def step(self, cycles):
        """Cycles from one trial to the next: so many for each cycle of an adder's slot, and no multiple of a slot."""
        return cycles * self.interval + (self.interval > 1)

    def hurry(self):
        self.card.jitter(self.rng.getrandbits(32), *self.rng.choice(JITTERS))
        self.memory(*self.rng.choice(MEMORIES))

    def calm(self):
        self.card.jitter(0, 0, 0)
        self.memory()

    def refusals(self):
        g = self.geometry
        size, top, point = g.memory, g.most_window, g.point_bytes
        self.write(0, size - GRANULE, bytes(GRANULE))
        wrong_writes = [(g.channels + 1, 0), (255, 0), (0, size), (0, GRANULE // 2), (g.channels, 1), (0, 1 << 55), (0, size + GRANULE)]
        for channel, address in wrong_writes:
            self.send("write", channel=channel, address=address, data=bytes(GRANULE))
        self.place([1], 0)
        self.scalars([1], 0)
        wrong = [{"points": 64}, {"scalars": 32}, {"points": size}, {"scalars": size}, {"points": 1 << 63}, {"count": size // point + 1}, {"count": 1 << 63},
                 {"count": (1 << 64) - 1}, {"count": (1 << 64) // point + 1}, {"points": size - GRANULE, "count": GRANULE // point + 1},
                 {"scalars": size - GRANULE, "count": 33}]
        wrong += [{"window_bits": bits} for bits in (0, 1, top + 1, 77, 256 + top, 1 << 63)]
        for change in wrong:
            self.run(**({"count": 1, "window_bits": 2} | change))
        right = [{"count": 0}, {"points": size - GRANULE, "count": GRANULE // point}, {"scalars": size - GRANULE, "count": 32}, {"window_bits": top}]
        for change in right:
            self.run(**({"count": 1, "window_bits": 2} | change))
        found = list(self.statuses().values())
        assert (found.count(REFUSED), found.count(DONE)) == (len(wrong_writes) + len(wrong), len(right) + 2 + g.channels), found

    def some(self, everything, wanted):
        """Returns everything; in G2, where a run takes longer, an eighth of it and what is wanted, unless PROOFMILL_LONG is set."""
        if self.geometry.group == 1 or LONG:
            return everything
        return sorted({*self.rng.sample(everything, len(everything) // 8), *wanted})

    def one(self):
        r = self.geometry.facts.r
        for factor in range(r):
            self.place([factor], GRANULE * factor)
        for k in range(r):
            self.scalars([k], GRANULE * k)
        self.settle()
        for factor in range(r):
            for k in range(r) if factor == 1 else self.some(range(r), (0, 1, r - 1)):
                for bits in self.windows() if factor == 1 or r < 10 else [2 + (factor + k) % len(self.windows())]:
                    self.run(points=GRANULE * factor, scalars=GRANULE * k, count=1, window_bits=bits)
            self.settle()

    def tuples(self, bases, tuples):
        """Every tuple of scalars over every tuple of bases, with alternating windows."""
        for i, factors in enumerate(bases):
            self.place(factors, GRANULE * i)
        room = self.geometry.memory // GRANULE
        for start in range(0, len(tuples), room):
            part = tuples[start:start + room]
            for i, scalars in enumerate(part):
                self.scalars(scalars, GRANULE * i)
            for i, scalars in enumerate(part):
                for j in range(len(bases)):
                    bits = self.geometry.least_window + (start + i + j) % len(self.windows())
                    self.run(points=GRANULE * j, scalars=GRANULE * i, count=len(scalars), window_bits=bits)
            self.settle()

    def two(self):
        r = self.geometry.facts.r
        equal, opposite = [(a, a) for a in range(r)], [(a, -a % r) for a in range(r)]
        self.tuples([(1, 2), (3, 3), (5, r - 5)], self.some([(a, b) for a in range(r) for b in range(r)], equal + opposite))

    def three(self):
        r, rng = self.geometry.facts.r, self.rng
        bases = [tuple(rng.randrange(r) for _ in range(3)) for _ in range(40)]
        self.tuples(bases, [tuple(rng.randrange(r) for _ in range(3)) for _ in range(40)])

    def many(self):
        rng, r = self.rng, self.geometry.facts.r
        for count in (*range(2, 70, 7), 33, 64, 65, 500, 2000):
            for name, make in DISTRIBUTIONS.items():
                bits = rng.choice(self.windows())
                self.hurry()
                factors = rng.choice(list(BASES.values()))([rng.randrange(r) for _ in range(count)])
                self.place(factors, 0)
                self.scalars(make(r, count, rng.randrange, bits), 0)
                self.run(count=count, window_bits=bits)
                self.settle()
        self.calm()

    def order(self):
        """Commands after a run do not wait for it while there is space; commands before it are complete."""
        g, rng = self.geometry, self.rng
        self.place([rng.randrange(g.facts.r) for _ in range(1000)], 0)
        for i in range(20):
            self.scalars([rng.randrange(g.facts.r) for _ in range(1000)], 1 << 15 | (i % 2) << 16)
            self.run(scalars=1 << 15 | (i % 2) << 16, count=1000, window_bits=2)
            if i % 2:
                self.settle()
        run = self.run(count=1000, scalars=1 << 15, window_bits=2)
        writes = [self.send("write", channel=g.channels, address=1 << 18 | GRANULE * i, data=bytes(GRANULE)) for i in range(8)]
        order = [command["index"] for _, command, _ in self.settle()]
        assert order == [*writes, run], "writes do not overtake a run"
        for _ in range(30):
            self.run(count=rng.randrange(40), scalars=1 << 15, window_bits=rng.choice(self.windows()))
        runs = [command["index"] for _, command, _ in self.settle()]
        assert runs == sorted(runs), "runs are not answered in their order"

    def long_run(self):
        """Points and scalars for a run that takes long; how many."""
        r, rng, count = self.geometry.facts.r, self.rng, 3000
        self.place([rng.randrange(r) for _ in range(count)], 0)
        self.scalars([rng.randrange(r) for _ in range(count)], 0)
        self.settle()
        return count

    def cancels(self):
        rng, count = self.rng, self.long_run()
        whole = self.timed(lambda: self.run(count=count, window_bits=3))
        others = 3 * max(self.timed(lambda: self.run(count=100, window_bits=bits)) for bits in self.windows())  # that are not cancelled
        for wait in (0, 1, 5, 30, 100, 300, whole // 2, whole - 400, whole - 100, whole - 50):
            begin = self.cycles()
            runs = [self.run(count=count, window_bits=3)]
            self.card.run(wait)
            runs += [self.press(count=rng.randrange(100), window_bits=rng.choice(self.windows())) for _ in range(8)]  # as many as may wait
            chosen = [0, *rng.sample(range(1, 9), 5)]
            cancels = [self.cancel(runs[i]) for i in chosen] + [self.cancel(runs[0]), self.cancel(1 << 60)]
            found = self.statuses()
            assert found[cancels[-1]] == REFUSED and FULL not in found.values(), found
            if wait <= whole // 2:  # else the run may be over
                assert [found[runs[i]] == CANCELLED for i in range(9)] == [i in chosen for i in range(9)], (wait, found)
            assert wait or self.cycles() - begin < whole // 2 + others, "a cancelled run goes on"
            finished = self.cancel(runs[-1])
            assert self.statuses()[finished] == REFUSED
        self.cancels_everywhere()

    def cancels_everywhere(self):
        """In all parts of a run of few points, with more than one pass where the card has such windows; the next run is right."""
        bits = max(self.windows(), key=lambda bits: (self.geometry.plan(bits).passes, bits))
        whole = self.timed(lambda: self.run(count=20, window_bits=bits))
        done = []
        step = self.step(3)
        for wait in range(0, whole + 50, step):
            run = self.run(count=20, window_bits=bits)
            self.card.run(wait)
            cancel = self.cancel(run)
            self.run(count=20, window_bits=self.rng.choice(self.windows()))
            done.append(self.statuses()[cancel] == DONE)
        last = done.index(False)
        assert step * last > whole - 100 and not any(done[last:]), (whole, last)

    def crowds(self):
        """A run under way, and more behind it than may wait: the ninth finds the queue full. Nothing waits for the run, whatever comes."""
        rng, count = self.rng, self.long_run()
        for runs, others in ((9, 0), (10, 0), *((rng.randrange(9, 30), rng.randrange(30)) for _ in range(20))):
            first = self.run(count=count, window_bits=3)
            self.card.run(rng.choice([50, 100, 300]))
            waiting, full, at_once = [], [], {}
            kinds = [*["run"] * runs, *(rng.choice(["cancel", "cancel", "refused", "write"]) for _ in range(others))]
            rng.shuffle(kinds)
            for kind in kinds:
                if kind == "run":
                    run = self.press(count=rng.randrange(50), window_bits=rng.choice(self.windows()))
                    if len(waiting) < self.queue:
                        waiting.append(run)
                    else:
                        full.append(run)
                        at_once[run] = FULL
                elif kind == "cancel":
                    target = rng.choice([*waiting, *full, 1 << 60])
                    at_once[self.cancel(target)] = DONE if target in waiting else REFUSED
                elif kind == "refused":
                    at_once[self.press(count=1, window_bits=1)] = REFUSED
                else:
                    at_once[self.send("write", channel=self.geometry.channels, address=1 << 18, data=bytes(GRANULE))] = DONE
            while not self.expected.keys().isdisjoint(at_once):
                self.judge(self.receive())
            assert first in self.expected, "commands wait for the run under way"
            at_once[self.cancel(first)] = DONE
            found = self.statuses()
            assert {index: found[index] for index in at_once} == at_once, (found, at_once)
            assert found[first] == CANCELLED and FULL not in (found[run] for run in waiting), found

    def faults(self):
        g, rng = self.geometry, self.rng
        count = 600
        self.place([rng.randrange(g.facts.r) for _ in range(count)], 0)
        self.scalars([rng.randrange(g.facts.r) for _ in range(count)], 0)
        self.settle()
        for channel in range(g.channels + 1):
            for place in (0, 4096, 17_000):
                self.fault(channel, place, place + 64)
                for i in range(4):
                    self.run(count=count if i % 2 else 8, window_bits=3)
                page = place // GRANULE * GRANULE
                self.write(channel, page, self.oracle.read(channel, page, GRANULE))
                found = [answer["status"] for _, _, answer in self.settle()]
                assert found.count(FAULT) == (5 if place == 0 else 3), found
                self.fault()
                self.run(count=count, window_bits=3)
                self.settle()

    def nonsense(self):
        """Points that were never stored end a run; of scalars that are not below r it makes something; and the next run is right."""
        g, rng = self.geometry, self.rng
        found = self.ends(100 * GRANULE)
        assert found.count(FAULT) == 2, found
        for bits in (*self.windows(), *self.windows()):
            self.refill()
            for channel in range(g.channels + 1):
                self.write(channel, 100 * GRANULE, rng.randbytes(200 * g.point_bytes))
            self.hurry()
            self.run(points=100 * GRANULE, scalars=100 * GRANULE, count=200, window_bits=bits)
            self.run(points=self.base, scalars=100 * GRANULE, count=100, window_bits=bits)
            self.run(points=self.base, scalars=GRANULE, count=100, window_bits=bits)
            self.settle()
        self.calm()

    def resets(self):
        g, rng = self.geometry, self.rng
        factors, scalars = ([rng.randrange(g.facts.r) for _ in range(300)] for _ in range(2))

        def fill():
            self.place(factors, 0)
            self.scalars(scalars, 0)

        for wait in range(0, 2000 + 2000 * g.group, 97):  # while the memory is written
            fill()
            self.run(count=300, window_bits=3)
            self.card.run(wait)
            assert self.reset()
            fill()
            self.run(count=300, window_bits=rng.choice(self.windows()))
            self.settle()
        whole = self.timed(lambda: self.run(count=300, window_bits=3))
        for wait in range(0, whole + 100, self.step(23)):  # while it is read, and in the tail; it keeps what it has
            self.run(count=300, window_bits=3)
            self.run(count=10, window_bits=2)
            self.card.run(wait)
            lost = self.reset()
            assert len(lost) == 2 or wait > whole - 100, (wait, whole, lost)
            self.run(count=300, window_bits=rng.choice(self.windows()))
            self.settle()

    def round(self):
        """Points and scalars are written anew after a RESET; what a run reads is not written while it may be under way."""
        rng, g = self.rng, self.geometry
        self.hurry()
        resets, garbage = rng.choice([0, 0, 0.03]), rng.choice([0, 0.2, 0.5])
        sent, run = [], rng.choice([self.run, self.press])
        self.refill()
        if rng.random() < 0.3:
            self.settle()
            channel = rng.randrange(g.channels + 1)
            place = self.base + 64 * rng.randrange(100 * g.group) if channel < g.channels else GRANULE + 64 * rng.randrange(150)
            self.fault(channel, place, place + rng.choice([1, 64, 1000]))
        for step in range(rng.choice([10, 40, 100])):
            chance = rng.random()
            if chance < resets:
                self.reset()
                self.refill()
                sent.clear()
            elif chance < resets + garbage * (1 - resets):
                self.garbage()
            elif rng.random() < 0.4:
                sent.append(run(points=self.base, scalars=GRANULE * rng.randrange(1, 6), count=rng.choice([0, 1, 2, 3, 20, 100]), window_bits=rng.choice([*self.windows(), rng.getrandbits(64)])))
            elif rng.random() < 0.3 and sent:
                self.cancel(rng.choice(sent))
            else:
                self.write(rng.randrange(g.channels + 1), GRANULE * rng.randrange(100, 200), rng.randbytes(GRANULE))
            if rng.random() < 0.1:
                self.card.run(rng.choice([1, 10, 100, 1000]))
                self.hurry()
        self.settle()
        self.fault()

    def refill(self):
        rng, r = self.rng, self.geometry.facts.r
        self.base = GRANULE * rng.randrange(20, 40)
        self.place([rng.randrange(r) for _ in range(100)], self.base)
        self.scalars([rng.choice(list(DISTRIBUTIONS.values()))(r, 1, rng.randrange, 3)[0] for _ in range(300)], GRANULE)

    def garbage(self):
        """A malformed packet, or a command with fields at random."""
        rng = self.rng
        name = rng.choice(list(self.commands))
        command = self.commands[name]
        if rng.random() < 0.3:
            sizes = {field["name"]: field["bytes"] for field in command["fields"] if field["name"] not in ("index", "data")}
            values = {field: rng.getrandbits(8 * size) for field, size in sizes.items()}
            self.send(name, **values, **({"data": rng.randbytes(GRANULE)} if name == "write" else {}))
            return
        lengths = {it["number"]: it["len"] for it in self.commands.values()}
        packet, keeps = random_packet(rng, [command["len"]], 0, command["number"])
        kind = expected(packet, keeps, lambda command, length: lengths.get(command) == length)[0]
        if kind in ("ignore", "status"):
            self.disturb(kind, packet, keeps)

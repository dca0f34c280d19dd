"""Affine additions in batches with one inversion, and the cycles of an MSM core whose adder works so.

    sums(curve, [(p, q), ...], chains=36)          # the sums of pairs of points, each denominator inverted with the others
    adder = BatchAdder(Shape.of("bn254"))          # the cycles: pairs enter in any cycle, sums leave some hundred cycles later
    core = BatchCore(bucket_bits=15, Shape.of("bn254"))
    core.accumulate(items); core.tail(16, 1)       # as msm_core.Core

**Arithmetic** (Montgomery, Speeding the Pollard and elliptic curve methods of factorization, 1987, section 10.3.1, for the inversion). A pair
of affine points has a denominator D and a numerator N: x2 - x1 and y2 - y1, or 2 y1 and 3 x1^2 where the points are equal. Where they are
opposite, or one is the identity, D is 1 and the sum is known. The slots of a frame are dealt to `chains`:

1. Forward: a slot stores the product of the denominators before it in its chain, and the chain's product takes in its own.
2. The products of the chains are multiplied in a tree, the root is inverted, and the tree gives the inverse of each chain's product.
3. Backward, the last slot first: 1 / D is the chain's inverse times the stored product; the chain's inverse takes in D.
4. The chord: l = N / D, x = l^2 - x1 - x2, y = l (x1 - x) - y1.

That is one multiplication forward, two backward and three for the chord, or 6 an addition; those of the tree and the squares of
doublings are made by a seventh multiplier. There is no shortcut for a special case: each of them passes the same steps.

**Cycles.** A multiplier of latency M takes operands in every cycle, and a chain's product is written and read again, so a chain's next slot must be
at least M + 4 cycles later: there are as many chains. A frame is closed as soon as the tree and the inverter are free, with whatever pairs have entered by then: a pair alone does not
wait, and under load a frame has as many pairs as an inversion has cycles. A pair is accepted while there are slots. The
adder's user has space for all sums inside, so a frame never waits for the reader of its sums, nor the reader for a frame.
In G2 a product over Fp2 is three products over Fp (Karatsuba), so a slot lasts three cycles (`interval`) on the same multipliers; the
inversion is that of the norm. In the two cycles between slots, points and sums are still written to empty buckets.
"""

import math
import random
from collections import deque
from dataclasses import dataclass

from msm_core import Core, Integers


def case_of(curve, p, q):
    """Returns (denominator, numerator, the known sum or None) of a pair; the denominator is never 0."""
    f = curve.field
    if p is None or q is None:
        return f.one, f.zero, (q if p is None else p,)
    if p[0] != q[0]:
        return f.sub(q[0], p[0]), f.sub(q[1], p[1]), None
    if p == q and p[1] != f.zero:
        return f.scale(2, p[1]), f.scale(3, f.mul(p[0], p[0])), None
    return f.one, f.zero, (None,)


def inverses(f, products):
    """Returns the inverses of field elements other than 0: a tree of products, one inversion, and the tree downwards."""
    if len(products) == 1:
        return [f.inverse(products[0])]
    pairs = [products[i:i + 2] for i in range(0, len(products), 2)]
    above = inverses(f, [f.mul(*pair) if len(pair) == 2 else pair[0] for pair in pairs])
    found = []
    for pair, inverse in zip(pairs, above, strict=True):
        found += [f.mul(inverse, pair[1]), f.mul(inverse, pair[0])] if len(pair) == 2 else [inverse]
    return found


def sums(curve, pairs, chains):
    """Returns p + q for each pair (p, q) of affine points of a Weierstrass curve, as one frame with one inversion."""
    if not pairs:
        return []
    f = curve.field
    cases = [case_of(curve, p, q) for p, q in pairs]
    product, before = [f.one] * min(chains, len(pairs)), []
    for slot, (denominator, _, _) in enumerate(cases):
        chain = slot % chains
        before.append(product[chain])
        product[chain] = f.mul(product[chain], denominator)
    inverse, found = inverses(f, product), [None] * len(pairs)
    for slot in reversed(range(len(pairs))):
        (denominator, numerator, known), (p, q) = cases[slot], pairs[slot]
        slope = f.mul(numerator, f.mul(inverse[slot % chains], before[slot]))
        inverse[slot % chains] = f.mul(inverse[slot % chains], denominator)
        if known:
            (found[slot],) = known
            continue
        x = f.sub(f.sub(f.mul(slope, slope), p[0]), q[0])
        found[slot] = (x, f.sub(f.mul(slope, f.sub(p[0], x)), p[1]))
    return found


#: Cycles of a slot, by the number of the group: products over Fp in a product of coordinates.
INTERVAL = {1: 1, 2: 3}


@dataclass(frozen=True)
class Shape:
    """The circuit's latencies in cycles, and its sizes."""

    multiply: int  # latency of a multiplier
    invert: int  # the longest inversion
    prepare: int  # from a pair to its denominator: differences, and whether it is 0
    linear: int = 3  # a sum of coordinates, reduced
    slots: int = 2048  # of a frame
    capacity: int = 4096  # pairs inside at most
    aside: int = 64  # sums that wait for a cycle without another pair
    interval: int = 1  # cycles of a slot

    #: Latency of the multiplier, of an inversion by plus-minus division (2 bits + 1 cycles and a conversion), and of a zero test.
    CURVES = {"toy": (9, 40, 6), "toy_bn": (9, 40, 6), "bn254": (32, 530, 8), "bls12_381": (34, 830, 9), "bls12_377": (34, 830, 9)}

    @classmethod
    def of(cls, curve, g2=False, **others):
        multiply, invert, prepare = cls.CURVES[curve]
        extra = 6 if g2 else 0  # sums in front of Karatsuba's three products and after them
        sizes = {"interval": INTERVAL[2], "slots": 1024, "capacity": 2048} if g2 else {}
        return cls(multiply + extra, invert + (4 * multiply if g2 else 0), prepare, **sizes, **others)

    @property
    def chains(self):
        """Slots from one of a chain to the next."""
        return -(-(self.multiply + 4) // self.interval)

    def inversion(self, pairs, squares):
        """Cycles of the tree and the inverter for a frame, whose seventh multiplier also makes the squares of doublings."""
        leaves = min(self.chains, pairs)
        levels = math.ceil(math.log2(leaves)) if leaves > 1 else 0
        products = 3 * (leaves - 1)
        path = 2 * levels * (self.multiply + 1) + products * self.interval // max(levels, 1)
        return max(path, (products + squares) * self.interval) + self.invert

    def backward(self, pairs):
        """Cycles of the backward steps, one after another: those of a chain follow one another at the distance of the forward steps or a longer one."""
        return pairs * self.interval

    @property
    def chord(self):
        """Cycles from the step backward to the sum: 1 / D, the slope, its square, y, and the sums between."""
        return 4 * self.multiply + 3 * self.linear

    @property
    def alone(self):
        """Cycles of a pair that enters when nothing is inside."""
        return self.prepare + self.multiply + 1 + self.inversion(1, 1) + self.backward(1) + self.chord


class BatchAdder:
    """Pairs in, sums out, in cycles. `group` adds; equal operands are a doubling."""

    def __init__(self, shape, group=Integers):
        self.shape, self.group = shape, group
        self.now = self.inside = 0
        self.frame = []  # (destination, left, right) of the pairs that have entered since the last frame was closed
        self.entered = self.inverter_free = self.backward_free = 0
        self.leaving = deque()  # (cycle, destination, sum)
        self.frames = []  # sizes of the closed ones

    @property
    def is_ready(self):
        """Whether a pair may enter in this cycle, with which a slot begins."""
        return len(self.frame) < self.shape.slots and self.now % self.shape.interval == 0

    @property
    def head(self):
        """The next sum with its destination, if it has left; None else."""
        return self.leaving[0][1:] if self.leaving and self.leaving[0][0] <= self.now else None

    def cycle(self, pair=None, take=False):
        """One cycle, in which a pair (destination, left, right) may enter and the head may be taken."""
        if pair:
            assert self.is_ready
            self.frame.append(pair)
            self.inside += 1
            self.entered = self.now
        if take:
            self.leaving.popleft()
            self.inside -= 1
        if self.frame and self.now >= self.inverter_free:
            self.close()
        self.now += 1

    def close(self):
        shape, pairs, self.frame = self.shape, self.frame, []
        self.frames.append(len(pairs))
        squares = sum(left == right for _, left, right in pairs)
        ready = self.entered + shape.prepare + shape.multiply + 1
        self.inverter_free = max(ready, self.inverter_free) + shape.inversion(len(pairs), squares)
        begin = max(self.inverter_free, self.backward_free)
        self.backward_free = begin + shape.backward(len(pairs))
        for step, (destination, left, right) in enumerate(reversed(pairs)):
            self.leaving.append((begin + step * shape.interval + shape.chord, destination, self.group.add(left, right)))


class BatchCore(Core):
    """A core of the MSM engine with a [BatchAdder]: the same matching of points and sums, the same tail. Differences:

    - Where a point and a sum both find their buckets full, the point goes first and the sum is set aside, as long as fewer than `aside`
      are: later it enters the adder, or is written, in a cycle in which nothing else does.
    - A point and a sum that both find their buckets empty are both written if the buckets lie in different banks; else the point enters
      the adder with the identity, in G2 waits a cycle.
    - A write needs no slot of the adder. In a cycle in which the adder accepts no pair, a sum whose bucket is empty is written, a point as well if
      its bucket is empty and not in the same bank, and a sum that was set aside if nothing else is. Whatever finds its bucket full waits. In G1 such
      a cycle comes only when a frame is full, which is never so in `table`; the circuit writes nothing then.
    - There is space for `capacity` pairs inside and their sums. Without it, only sums enter the adder.
    """

    def __init__(self, bucket_bits, shape, group=Integers):
        super().__init__(bucket_bits, 0, group)
        self.adder = BatchAdder(shape, group)
        self.shape, self.aside = shape, deque()  # sums set aside

    @property
    def is_idle(self):
        return not self.adder.inside and not self.aside

    def step(self, pair=None, take=False):
        self.cycles += 1
        self.issues += pair is not None
        self.adder.cycle(pair, take)

    def match(self, x):
        """One cycle of matching; was X taken?"""
        r, t = self.adder.head, self.aside[0] if self.aside else None
        enters = self.adder.is_ready
        spare = enters and self.adder.inside < self.shape.capacity
        full_r, full_x, full_t = (y is not None and y[0] in self.buckets for y in (r, x, t))
        pair, written, taken, moved = None, [], False, False
        if enters and r and x and r[0] == x[0]:
            pair, taken = (r[0], r[1], x[1]), True
        else:
            moved = full_r and full_x and spare and len(self.aside) < self.shape.aside
            if full_r and enters and not moved:
                pair = (r[0], self.buckets.pop(r[0]), r[1])
            elif r and not full_r:
                written.append(r)
            if full_x and spare and not pair:
                pair, taken = (x[0], self.buckets.pop(x[0]), x[1]), True
            elif x and not full_x and not (written and bank_of(x[0]) == bank_of(r[0])):
                written.append(x)
                taken = True
            elif x and not full_x and spare and self.shape.interval == 1:
                pair, taken = (x[0], self.group.zero, x[1]), True
        if t and (full_t and not pair and spare or not full_t and not written):
            self.aside.popleft()
            if full_t:
                pair = (t[0], self.buckets.pop(t[0]), t[1])
            else:
                written.append(t)
        self.buckets.update(written)
        if moved:
            self.aside.append(r)
        self.step(pair, take=r is not None and (enters or not full_r))
        return not x or taken

    def write(self, left=None, right=None, bucket=None):
        """One cycle of the tail in which a sum is written; a pair enters if the adder is ready. Returns whether it did."""
        enters = bucket is not None and self.adder.is_ready and self.adder.inside < self.shape.capacity
        if r := self.adder.head:
            self.buckets[r[0]] = r[1]
        if enters:
            self.buckets[bucket] = None  # its sum is inside
        self.step((bucket, left, right) if enters else None, take=bool(r))
        return enters

    def alone(self, left, right):
        self.cycles += self.adder.shape.alone
        self.issues += 1
        return self.group.add(left, right)


def bank_of(bucket):
    return bucket.bit_count() & 1


def table():
    """Rows (curve, group, what, cycles a point of an accumulation that has filled the buckets, cycles of drain and tail, cycles a point of an
    MSM of 2^22 with 16 windows of 16 bits)."""
    source, count = random.Random(1), 1 << 17
    streams = {"random": lambda: source.randrange(1 << 15), "one bucket": lambda: 7, "two buckets": lambda: source.randrange(2)}
    for curve in ("bn254", "bls12_381", "bls12_377"):
        for group in ("G1", "G2") if curve != "bls12_377" else ("G1",):
            for name, draw in streams.items():
                core = BatchCore(15, Shape.of(curve, g2=group == "G2"))
                halves = [[(draw(), source.randrange(1, 1 << 60)) for _ in range(count)] for _ in range(2)]
                core.accumulate(halves[0])
                begin = core.cycles
                taken = core.accumulate(halves[1]) - begin
                core.tail(16, 1)
                rest = core.cycles - begin - taken
                yield curve, group, name, taken / count, rest, 16 * (taken / count + rest / (1 << 22))


if __name__ == "__main__":
    print("curve      group  scalars      cycles a point  drain and tail  an MSM of 2^22")
    for curve, group, name, each, rest, whole in table():
        print(f"{curve:10} {group:6} {name:12} {each:14.4f}  {rest:14,}  {whole:14.2f}")

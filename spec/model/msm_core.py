"""A core of the MSM engine as a toy: an adder of latency L that takes a pair every cycle, its buckets, and nothing else. The circuit's
adder has a frame's latency and accepts fewer pairs: batch_affine.py changes this toy accordingly.

    core = Core(bucket_bits=15, latency=90)
    core.accumulate([(bucket, value), ...])     # values are integers, or anything with `add` and `zero`
    core.tail(window_bits=16, windows=1)
    core.acc, core.cycles, core.issues

1. Buckets by matching. A bucket is empty or full. What finds its bucket full, be it a point (X) or a sum (R), takes
   the content out and both go to the adder; the sum comes back L cycles later for the same bucket. X and R for the same
   bucket go to the adder together. So nothing ever waits for a sum. An R that finds its bucket empty stays there. An X that does
   goes through the adder alone, so that one write a cycle is enough; but where R and its bucket go to the adder, X stays in
   its own. X waits only where both find their buckets full.
2. The tail of n windows with 2^k = 2^(c - 1) buckets each, window i's from i 2^k on, in which bucket j has weight j + 1:
   a. for l = 0 … k - 1: bucket i += bucket i + 2^l for all multiples i of 2^(l + 1). Then bucket 0 has the sum of all, and
      bucket a != 0 that of buckets a … a + 2^t - 1, where 2^t is the power of two in a.
   b. for h = k - 1 … 1: bucket a += bucket a + 2^h for a = 1 … 2^h - 1 of each window. Buckets below 2^h with the
      same power of two take those above; at the end bucket 2^l has O(l), the sum of all whose number has bit l.
   c. sum of (j + 1) b(j) = bucket 0 + sum of 2^l O(l). For each window from the last one on, c times: acc = 2 acc, then from the
      second time on acc += O(l), l falling from c - 2; at last acc += bucket 0.
   A level's pairs enter one a cycle, the first one when nothing is inside.
"""

from collections import deque


class Integers:
    zero = 0

    @staticmethod
    def add(a, b):
        return a + b


class Core:
    def __init__(self, bucket_bits, latency, group=Integers):
        self.bucket_bits, self.latency, self.group = bucket_bits, latency, group
        self.buckets = {}  # the full ones
        self.inside = deque([None] * latency)
        self.cycles = self.issues = 0
        self.acc = group.zero

    def step(self, pair=None):
        """One cycle in which `pair`, (bucket, left, right), enters; the (bucket, sum) that leaves next."""
        self.cycles += 1
        self.issues += pair is not None
        self.inside.append(pair and (pair[0], self.group.add(pair[1], pair[2])))
        self.inside.popleft()

    @property
    def is_idle(self):
        return not any(self.inside)

    def accumulate(self, items):
        """Puts points into their buckets, None being a cycle without one, until all is in the buckets; cycles until the last
        point was taken.
        """
        waiting, taken = deque(items), None
        while waiting or not self.is_idle:
            if not waiting and taken is None:
                taken = self.cycles
            if self.match(waiting[0] if waiting else None) and waiting:
                waiting.popleft()
        return self.cycles if taken is None else taken

    def match(self, x):
        """One cycle of matching; was X taken?"""
        r = self.inside[0]
        if r and x and r[0] == x[0]:
            self.step((r[0], r[1], x[1]))
            return True
        if r and r[0] in self.buckets:
            pair = (r[0], self.buckets.pop(r[0]), r[1])
            if taken := x and x[0] not in self.buckets:
                self.buckets[x[0]] = x[1]
            self.step(pair)
            return bool(taken)
        pair = x and (x[0], self.buckets.pop(x[0], self.group.zero), x[1])
        if r:
            self.buckets[r[0]] = r[1]
        self.step(pair)
        return True

    def tail(self, window_bits, windows, after=0, first=True):
        k, size = window_bits - 1, 1 << window_bits - 1
        used = windows * size
        for level in range(k):
            self.level([(a, a + (1 << level)) for a in range(0, used, 2 << level)], keep=True)
        for level in range(k - 1, 0, -1):
            self.level([(base + a, base + a + (1 << level)) for base in range(0, used, size) for a in range(1, 1 << level)], keep=False)
        acc = self.group.zero if first else self.acc
        for window in range(windows - 1, -1, -1):
            for level in range(k, -1, -1):
                acc = self.alone(acc, acc)
                if level < k:
                    acc = self.alone(acc, self.buckets.pop(window * size + (1 << level), self.group.zero))
            acc = self.alone(acc, self.buckets.pop(window * size, self.group.zero))
        for _ in range(after):
            acc = self.alone(acc, acc)
        self.acc = acc

    def level(self, pairs, keep):
        """Bucket a += bucket b for all pairs (a, b); b is empty then unless it is kept."""
        for a, b in pairs:
            left, right = (self.buckets.get(bucket, self.group.zero) for bucket in (a, b))
            if not keep:
                self.buckets.pop(b, None)
            while not self.write(left, right, a):
                pass
        self.drain()

    def write(self, left=None, right=None, bucket=None):
        """One cycle of the tail in which a sum is written and a pair enters. Returns whether it did."""
        r = self.inside[0]
        if r:
            self.buckets[r[0]] = r[1]
        if bucket is not None:
            self.buckets[bucket] = None  # its sum is inside
        self.step(None if bucket is None else (bucket, left, right))
        return bucket is not None

    def drain(self):
        while not self.is_idle:
            self.write()

    def alone(self, left, right):
        """A sum that the next one waits for."""
        self.cycles += self.latency
        self.issues += 1
        return self.group.add(left, right)

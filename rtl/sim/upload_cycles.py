"""How many cycles an MSM takes with the upload of its points and scalars through the memory port, while the MSM before is in progress.

`python3 rtl/sim/upload_cycles.py [--log N] [--model hbm] [CARD]` runs two sums of 2^N points (16) on a card behind a bridge for PCIe
(`xdma_msm_bls12_381_twin`), each with points and scalars of its own. Those of the second are written while the first is under way. A run is sent when
its data are written. Cycles are the card's; from the first sum's reply to the second's is what one takes in a sequence of them. Both sums are checked.
"""

import argparse
import random
import sys

from card import ROOT
from msm_bench import DONE, GRANULE, Bench
from test_xdma import BEAT, WRITE, Xdma, ask, packed

BEATS = 512  # of a transfer


class Uploads(Bench):
    """Writes use the memory port, and are counted."""

    waiting = 0

    def write(self, channel, address, data):
        data = data.ljust(-(-len(data) // GRANULE) * GRANULE, b"\0")
        for start in range(0, len(data), GRANULE):
            assert self.answer("write", {"index": 0, "channel": channel, "address": address + start, "data": data[start : start + GRANULE]}) == ({DONE}, None)
        pack = channel < self.geometry.channels and self.geometry.channels > 1
        for start in range(0, len(data), BEATS * BEAT):
            part = data[start : start + BEATS * BEAT]
            body = packed(part) if pack else part
            self.card.transfer(ask(WRITE, start, channel, address + start, len(part) // BEAT, 48 if pack else BEAT) + body)
            self.waiting += 1

    def uploaded(self):
        """Waits for what was written."""
        for _ in range(self.waiting):
            answer = self.card.answer(1_000_000)
            assert answer is not None and answer[0][7] == 0, answer
        self.waiting = 0

    def upload(self, chain, place):
        self.place(chain, place)
        self.scalars([self.rng.randrange(self.geometry.facts.r) for _ in chain], place)
        self.uploaded()


def measure(library, log, model, seed):
    with Xdma(library) as card:
        card.set_memory(model)
        bench = Uploads(card, random.Random(seed))
        r, count, bits = bench.geometry.facts.r, 1 << log, min(16, max(5, log))
        chain = bench.multiples.chain(*(bench.rng.randrange(1, r) for _ in range(2)), count)
        begin = bench.cycles()
        bench.upload(chain, 0)
        alone = bench.cycles() - begin
        bench.run(points=0, scalars=0, count=count, window_bits=bits)
        begin, second = bench.cycles(), bench.geometry.point_bytes * count
        bench.upload(chain, second)
        beside = bench.cycles() - begin
        bench.run(points=second, scalars=second, count=count, window_bits=bits)
        bench.judge(bench.receive())
        first = bench.cycles()
        found = bench.answered + bench.settle()
        whole = bench.cycles() - first
        (_, _, a), (_, _, b) = [it for it in found if it[0] == "run"][-2:]
        print(f"{library.stem}, memory {model}, 2^{log} points, windows of {bits} bits, cycles a point:")
        for name, cycles in (("upload with nothing beside it", alone), ("upload beside a run", beside), ("run, an upload beside it: accumulation", a["accumulation"]),
                             ("run alone: accumulation", b["accumulation"]), ("tail", b["tail"]), ("a sum in a sequence, its upload beside the one before", whole)):
            print(f"  {name:60}{cycles / count:9.3f}")
        for wide in (20, 22, 24):
            each = max(a["accumulation"] / count, beside / count) + b["tail"] / 2**wide
            print(f"  {f'a sum of 2^{wide} in a sequence (computed)':60}{each:9.3f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--log", type=int, default=16)
    parser.add_argument("--model", default="ideal")
    parser.add_argument("--seed", default="1")
    parser.add_argument("card", nargs="?", default="xdma_msm_bls12_381_twin")
    chosen = parser.parse_args()
    sys.exit(measure(ROOT / f"target/sim/{chosen.card}.so", chosen.log, chosen.model, chosen.seed))

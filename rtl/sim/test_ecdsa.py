"""The ECDSA engine on its card, in Verilator, against the model; and how many cycles it takes.

`python3 rtl/sim/test_ecdsa.py [--seconds N] [--seed N] [CARD ...]` does with each card (`make sim` makes them):

  defects   what the published card gets wrong, each by name, and each of them among the vectors
  vectors   every one alone, its bounded time, and all of them one behind the other
  full      8 contexts, 16 and all of the card under way at once, with good, bad and malformed commands alternating
  reuse     a context whose job ended early is taken anew at once
  cut       RESET in every part of a job, and another one at once
  limit     verdicts that are not accepted: cycle_cnt stays at its maximum, last_latency keeps counting
  rounds    vectors, mutants, noise, malformed packets, STATUS and RESET in random order with random gaps and back-pressure:
            every reply equal to the model's, in order, none missing, none too many; the counter of signatures

`--cycles` measures instead: cycles a signature with all contexts full, and of one alone, from its last word to its verdict.
"""

import ctypes
import functools
import json
import random
import struct
import sys

import trial
from card import RESET, ROOT, Card, header, keeps_of
from traffic import Ledger, random_packet

sys.path.insert(0, str(ROOT / "spec/model"))

import ecdsa_verify as ecdsa  # noqa: E402

CARDS = ["ecdsa", "ecdsa_two"]
NUMBER, LENGTH = ecdsa.COMMAND["number"], ecdsa.COMMAND["len"]
REGISTERS = {register["name"]: register["offset"] for register in ecdsa.WIRE["block"]["registers"]}
FIELDS = ("s", "r", "hash", "qx", "qy")
CASES = json.loads((ecdsa.SPEC / "vectors/ecdsa_verify/secp256k1.json").read_text())["cases"]
COUNT_BYTES = 2  # of cycle_cnt, the reply's end
COUNT_LIMIT = (1 << 8 * COUNT_BYTES) - 1

#: More cycles than any signature takes that is alone; and than one takes whose ranges are wrong.
LONGEST, AT_ONCE = 7000, 64

#: More cycles than all the commands that the card holds take to enter it.
SLOW = 3000

#: What the published card gets wrong, or right with this mask: vector, the error bits of the right answer.
DEFECTS = {
    "r-plus-n-wraps": ["failed_sig_ver"],
    "sum-is-a-doubling-0": [],
    "digest-zero": [],
    "digest-n": [],
    "s-zero": ["out_of_range_s", "failed_sig_ver"],
    "r-zero": ["out_of_range_r", "failed_sig_ver"],
    "q-zero": ["invalid_key", "failed_sig_ver"],
    "q-swapped": ["invalid_key", "failed_sig_ver"],
    "other-curve-0": ["invalid_key", "failed_sig_ver"],
    "qx-plus-p": ["invalid_key", "failed_sig_ver"],
    "qy-plus-p": ["invalid_key", "failed_sig_ver"],
    "qx-is-p": ["invalid_key", "failed_sig_ver"],
    "sum-is-the-identity-0": ["x_infinity_point", "failed_sig_ver"],
    "r-is-n": ["out_of_range_r", "failed_sig_ver"],
    "s-is-n": ["out_of_range_s", "failed_sig_ver"],
}
RANGE_S = ecdsa.ERROR["out_of_range_s"] | ecdsa.ERROR["failed_sig_ver"]
RANGES = ecdsa.ERROR["out_of_range_r"] | ecdsa.ERROR["out_of_range_s"]


def signature_of(case):
    return ecdsa.Signature(*(int(case[name], 16) for name in FIELDS))


def packet_of(index, signature):
    return header(LENGTH, NUMBER) + struct.pack("<Q", index) + signature


@functools.lru_cache(1 << 14)
def mask_of(signature):
    return ecdsa.verify(ecdsa.Signature.from_bytes(signature))


def reply_of(index, mask, cycles):
    return header(ecdsa.COMMAND["reply_len"], ecdsa.COMMAND["reply"]) + struct.pack("<QBH", index, mask, cycles)


class Verdicts(Ledger):
    """A ledger whose engine answers with the model's mask, after any number of cycles but 0."""

    number = NUMBER

    def answer(self, length, command):
        index, signature = struct.unpack("<Q", command[8:16])[0], command[16:]
        return reply_of(index, mask_of(signature), 0)

    def same(self, answer, reply):
        return answer[:-COUNT_BYTES] == reply[:-COUNT_BYTES] and any(reply[-COUNT_BYTES:])


class Trial(trial.Trial):
    """One card, what it must have counted, and what has been sent so far."""

    CHECKS = ("defects", "vectors", "full", "reuse", "cut", "limit")

    def __init__(self, card, rng):
        super().__init__(card, rng)
        (engine,) = json.loads(card.lib.pm_sim_manifest())["engines"]
        (packet,) = engine["commands"]
        assert (packet["command"], packet["command_len"]) == (NUMBER, LENGTH), engine
        self.block, self.parameters = engine["block"], engine["parameters"]
        self.signatures = [signature_of(case).to_bytes() for case in CASES]
        self.sent = 0  # packets
        self.alone = []  # of each vector alone
        self.done = 0

    def register(self, name):
        return self.card.read64(self.block + REGISTERS[name])

    def send(self, packet, keeps=None):
        self.card.send(packet, keeps)
        self.sent += 1

    def ask(self, index, signature):
        """(mask, cycles) of a signature alone."""
        self.send(packet_of(index, signature))
        reply = self.card.recv(2 * LONGEST)
        assert reply is not None, "no reply"
        mask, cycles = struct.unpack("<BH", reply[16:])
        assert reply == reply_of(index, mask, cycles), reply.hex()
        self.done += 1
        return mask, cycles

    def defects(self):
        known = {case["id"]: case for case in CASES}
        for name, errors in DEFECTS.items():
            mask, _ = self.ask(1, signature_of(known[name]).to_bytes())
            assert mask == sum(ecdsa.ERROR[error] for error in errors), f"{name}: mask {mask:#04x}"

    def vectors(self):
        for case, signature in zip(CASES, self.signatures):
            mask, cycles = self.ask(self.rng.getrandbits(64), signature)
            self.alone.append(cycles)
            assert mask == case["mask"], f"{case['id']}: mask {mask:#04x}"
            assert cycles < (AT_ONCE if mask & RANGES else LONGEST), f"{case['id']}: {cycles} cycles"
            assert self.card.read(self.block + REGISTERS["last_latency"]) == cycles, case["id"]
        for order in (range(len(CASES)), self.rng.sample(range(len(CASES)), len(CASES))):
            for i in order:
                self.send(packet_of(i, self.signatures[i]))
            replies = self.card.replies(2 * LONGEST)
            found = [struct.unpack("<QB", reply[8:17]) for reply in replies]
            assert found == [(i, CASES[i]["mask"]) for i in order], "all vectors one behind the other"
            self.done += len(CASES)
        assert self.register("done") == self.done, self.register("done")

    def full(self):
        """So many commands at once: the first one good and slow, so that all others are inside, or have been refused, before its reply."""
        good = [signature for case, signature in zip(CASES, self.signatures) if case["mask"] == 0]
        bad = [signature for case, signature in zip(CASES, self.signatures) if case["mask"]]
        slow = [signature for case, signature, cycles in zip(CASES, self.signatures, self.alone) if case["mask"] == 0 and cycles > SLOW]
        for count in (8, 16, self.parameters["cores"] * self.parameters["contexts"]):
            for _ in range(3):
                ledger, packets = Verdicts([LENGTH]), []
                for i in range(count):
                    packet = packet_of(i, self.rng.choice(bad if i % 3 else good if i else slow))
                    malformed = packet[:self.rng.randrange(1, LENGTH)] if i % 2 else packet + self.rng.randbytes(self.rng.randrange(1, 99))
                    packets += [packet, malformed] if i % 3 == 1 else [packet]
                for packet in packets:
                    ledger.sent(packet, keeps_of(packet))
                    self.send(packet)
                replies = []
                while not any(len(reply) == ecdsa.COMMAND["reply_len"] for reply in replies):
                    replies.append(self.card.recv(2 * LONGEST))
                    assert replies[-1] is not None, f"{count} at once: no reply"
                assert self.card.lib.pm_sim_last_word(self.card.sim, self.sent - 1), f"{count} at once: the last one has not entered"
                ledger.check(replies + self.card.replies(2 * LONGEST))
                self.done += count

    def reuse(self):
        """A context taken anew while the items of its last job, whose key was off the curve, may still be made."""
        known = {case["id"]: signature for case, signature in zip(CASES, self.signatures)}
        for between in range(self.parameters["contexts"] + 2):
            ledger = Verdicts([LENGTH])
            group = ["q-largest"] * self.parameters["cores"]
            for name in group + ["s-zero"] * between * len(group) + ["tv1"] * len(group) + ["q-swapped", "tv2"]:
                packet = packet_of(self.done, known[name])
                ledger.sent(packet, keeps_of(packet))
                self.send(packet)
                self.done += 1
            ledger.check(self.card.replies(2 * LONGEST))

    def cut(self):
        """What is left of a job after RESET must not become part of the next one, in the same context."""
        known = {case["id"]: signature for case, signature in zip(CASES, self.signatures)}
        for wait in (*range(20, 600, 20), *range(600, LONGEST, 400)):
            ledger = Verdicts([LENGTH])
            reset = header(8, RESET)
            for packet, cycles in ((reset, 0), (packet_of(wait, known["tv1"]), wait), (reset, 0), (packet_of(0, known["tv2"]), 0)):
                ledger.sent(packet, keeps_of(packet))
                self.send(packet)
                self.card.run(cycles)
            ledger.check(self.card.replies(2 * LONGEST))
            self.done = 1
        assert self.register("done") == self.done, self.register("done")

    def limit(self):
        """Refused replies fill the way out, so that the last of these verdicts waits inside the engine."""
        rejected = signature_of(next(case for case in CASES if case["id"] == "s-zero")).to_bytes()

        def waited(cycles):
            """The last one's latency, replies being refused for so many cycles."""
            self.card.jitter(0, 0, 256)
            for i in range(20):
                self.send(packet_of(i, rejected))
            self.card.run(cycles)
            self.card.jitter(0, 0, 0)
            replies = self.card.replies(LONGEST)
            self.done += len(replies)
            latency = self.card.read(self.block + REGISTERS["last_latency"])
            assert replies[19] == reply_of(19, RANGE_S, min(latency, COUNT_LIMIT)), f"{replies[19].hex()} after {latency} cycles"
            return latency

        cycles = COUNT_LIMIT - 1000
        shift = cycles - waited(cycles)
        for latency in (COUNT_LIMIT - 1, COUNT_LIMIT, COUNT_LIMIT + 1, 2 * COUNT_LIMIT):
            assert waited(latency + shift) == latency, f"last_latency is not {latency}"

    def command(self):
        rng = self.rng
        signature = bytearray(rng.choice(self.signatures))
        if rng.random() < 0.25:
            for _ in range(rng.randrange(1, 4)):
                signature[rng.randrange(len(signature))] ^= 1 << rng.randrange(8)
        elif rng.random() < 0.05:
            signature = rng.randbytes(len(signature))
        packet = packet_of(rng.getrandbits(64), bytes(signature))
        return packet, keeps_of(packet)

    def traffic(self):
        """(bytes, keeps) of each packet of a round."""
        rng = self.rng
        resets, garbage = rng.choice([0, 0, 0, 0.03]), rng.choice([0, 0.2, 0.5])
        for _ in range(rng.choice([10, 30, 100])):
            if rng.random() < resets:
                yield header(8, RESET), b"\xff"
            elif rng.random() < garbage:
                yield random_packet(rng, [LENGTH], rng.getrandbits(64), NUMBER)
            else:
                yield self.command()

    def hurry(self):
        gap, stall = self.rng.choice(trial.JITTERS)
        self.card.jitter(self.rng.getrandbits(64), gap, stall)

    def round(self):
        ledger, bursts = Verdicts([LENGTH]), self.rng.choice([0, 0, 0.2])
        self.hurry()
        for packet, keeps in self.traffic():
            self.kinds[ledger.sent(packet, keeps)] += 1
            self.send(packet, keeps)
            if self.rng.random() < bursts:
                self.card.run(self.rng.choice([1, 10, 100, 2000, 20_000]))
                self.hurry()
        ledger.check(self.card.replies(2 * LONGEST))
        answered = len(ledger.epochs[-1][LENGTH])
        self.done = answered + (self.done if len(ledger.epochs) == 1 else 0)
        assert self.register("done") == self.done, f"{self.register('done')} signatures counted, there were {self.done}"


# How long it takes.


def signed(source):
    """The bytes of a good signature of a random digest under a random key."""
    n = ecdsa.SECP256K1.r
    found = ecdsa.sign(source.getrandbits(256), *(source.randrange(1, n) for _ in range(2)))
    return found.to_bytes()


def arrivals(card, count):
    """Cycles in which so many replies left, all of them good ones."""
    room, cycle, found = ctypes.create_string_buffer(64), ctypes.c_uint64(), []
    while len(found) < count:
        card.lib.pm_sim_run(card.sim, 16 * LONGEST, 1)
        length = card.lib.pm_sim_recv(card.sim, room, len(room), ctypes.byref(cycle))
        assert length == ecdsa.COMMAND["reply_len"] and room.raw[16] == 0, "not the reply to a good signature"
        found.append(cycle.value)
    return found


def measure(library, seed, alone=100, full=300):
    source = random.Random(seed)
    with Card(library) as card:
        examined = Trial(card, source)
        inside = examined.parameters["cores"] * examined.parameters["contexts"]
        latencies = [cycles for mask, cycles in (examined.ask(i, signed(source)) for i in range(alone)) if mask == 0]
        assert len(latencies) == alone
        for i in range(full + 2 * inside):
            card.send(packet_of(i, signed(source)))
        found = arrivals(card, full + 2 * inside)
        sustained = (found[inside + full - 1] - found[inside - 1]) / full
        print(f"{library.stem:12}{examined.parameters['cores']:6}{examined.parameters['contexts']:10}{sustained:22,.1f}"
              f"{sum(latencies) / alone:12,.0f}{min(latencies):8,}{max(latencies):8,}", flush=True)


def measure_all(libraries, seed):
    print(f"{'card':12}{'cores':>6}{'contexts':>10}{'cycles a signature':>22}{'alone: mean':>12}{'min':>8}{'max':>8}")
    for library in libraries or map(trial.simulation, CARDS):
        measure(library, seed)
    print("zcash-fpga: 10,100 published, 11,899 in simulation, one signature at a time")
    return 0


if __name__ == "__main__":
    sys.exit(trial.main(Trial, __doc__, CARDS, measure=measure_all))

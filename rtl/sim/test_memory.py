"""The card's memory channels in Verilator: the model of spec/wire/sim.h, and the shell's guard over resets.

`python3 rtl/sim/test_memory.py [--turns N] [--seed N] [NAME ...]` drives the card `memory` of proofmill.shell.GenerateShellTest, whose
engine writes and fetches bursts on request (MemoryEngine.scala), and checks:

  contents   random writes and fetches with random timing against a plain model
  timing     latency, bandwidth and bursts under way, to the cycle
  faults     ranges that are answered with an error
  resets     RESET in the middle of bursts, by packet and by register: whole beats, and nothing of it afterwards
  rules      bursts that AXI4 forbids are reported, and the card stops; the rules that no engine can break behind the guard
  drams      the timing of HBM and DDR4 (dram.h) against closed forms, and contents through it
"""

import random
import struct
import subprocess
import tempfile
from pathlib import Path

from card import BLOCKS, REPLY, RESET, STATUS, WIRE, Card, header
from shell_cards import main
from traffic import TOY, verify

WRITE, FETCH = 0x300, 0x301
CHANNELS, SIZE = 2, 1 << 20
BEAT, BURST = 64, 1024  # bytes
OKAY, SLAVE_ERROR = 0, 2
CONTROL = BLOCKS + next(r["offset"] for r in WIRE["block"]["registers"] if r["name"] == "control")


def place(address, channel):
    return struct.pack("<Q", address | channel << 56)


def write(index, channel, address, data):
    assert len(data) == BURST
    return header(24 + BURST, WRITE) + struct.pack("<Q", index) + place(address, channel) + data


def fetch(index, channel, address, beats, bursts=1):
    return header(32, FETCH) + struct.pack("<Q", index) + place(address, channel) + struct.pack("<Q", beats - 1 | bursts << 32)


def digest(data):
    total = 0
    for beat in range(0, len(data), BEAT):
        total = (total << 1 | total >> 63) & (1 << 64) - 1
        for word in struct.unpack("<8Q", data[beat : beat + BEAT]):
            total ^= word
    return total


def written(reply, index):
    """The response in the reply to a write."""
    assert reply is not None and reply[:16] == header(24, REPLY | WRITE) + struct.pack("<Q", index), reply
    return struct.unpack("<Q", reply[16:])[0]


def fetched(reply, index):
    """(responses, digest, cycles) in the reply to a fetch."""
    assert reply is not None and reply[:16] == header(40, REPLY | FETCH) + struct.pack("<Q", index), reply
    return struct.unpack("<QQQ", reply[16:])


def ask(card, packet):
    card.send(packet)
    return card.recv(1_000_000)


def set_timing(card, latency, gap, bursts):
    assert card.lib.pm_sim_memory(card.sim, latency, gap, bursts) == 0


def contents(cards, rng, turns):
    memories = [bytearray(SIZE) for _ in range(CHANNELS)]
    pages = [rng.randrange(SIZE // 4096) for _ in range(6)]
    with Card(cards["memory"]) as card:
        expected = []
        for i in range(turns):
            if i % 20 == 0:
                check_contents(card, expected)
                set_timing(card, rng.choice([1, 2, 30, 64, 200]), rng.choice([0, 0, 60, 250]), rng.choice([1, 2, 64]))
                card.jitter(rng.getrandbits(32), rng.choice([0, 100, 220]), rng.choice([0, 100]))
            channel, page = rng.randrange(CHANNELS), 4096 * rng.choice(pages)
            if rng.random() < 0.5:
                address, data = page + BEAT * rng.randrange(49), rng.randbytes(BURST)
                card.send(write(i, channel, address, data))
                memories[channel][address : address + BURST] = data
                expected.append((WRITE, i, None))
            else:
                beats = rng.choice([1, 2, 4, 16, 64])
                bursts = rng.randrange(1, 65)
                address = min(page + BEAT * rng.randrange(64 // beats) * beats, SIZE - BEAT * beats * bursts)
                card.send(fetch(i, channel, address, beats, bursts))
                expected.append((FETCH, i, digest(memories[channel][address : address + BEAT * beats * bursts])))
        check_contents(card, expected)
    return f"{turns} commands"


def check_contents(card, expected):
    for number, index, value in expected:
        reply = card.recv(1_000_000)
        if number == WRITE:
            assert written(reply, index) == OKAY
        else:
            assert fetched(reply, index)[:2] == (OKAY, value), f"fetch {index}"
    expected.clear()


def timing(cards, rng, turns):
    with Card(cards["memory"]) as card:
        call = lambda *values: card.lib.pm_sim_memory(card.sim, *values)
        assert [call(0, 0, 1), call(1, 256, 1), call(1, 0, 0)] == [-1, -1, -1]

        def cycles(beats, bursts=1):
            return fetched(ask(card, fetch(7, 0, 0, beats, bursts)), 7)[2]

        # An address passes the guard in a cycle, is taken in the next, and its data comes `latency` later.
        inside = 3
        assert cycles(1) == inside + 64 - 1, "the latency of a fresh card"
        for latency in (1, 2, 3, 17, 300):
            set_timing(card, latency, 0, 64)
            assert cycles(1) == inside + latency - 1, latency
            assert cycles(16) == inside + latency - 1 + 15, latency
        # 40 bursts of 16: at full rate where enough are under way, else each waits.
        set_timing(card, 100, 0, 64)
        full = inside + 100 - 1 + 40 * 16 - 1
        assert cycles(16, 40) == full
        set_timing(card, 100, 0, 7)
        assert cycles(16, 40) > full
        set_timing(card, 100, 0, 1)
        alone = cycles(16, 2) - cycles(16, 1)
        assert cycles(16, 40) - cycles(16, 1) == 39 * alone and 100 + 16 <= alone <= 100 + 16 + 2
        for gap in (1, 64, 128, 200, 255):
            set_timing(card, 1, gap, 64)
            beats = 16 * 64
            assert abs(cycles(16, 64) - beats * 256 / (256 - gap)) <= 2 * 256 / (256 - gap) + 4, gap
    return "fetches of 1 to 1024 beats"


def faults(cards, rng, turns):
    with Card(cards["memory"]) as card:
        fault = lambda *values: card.lib.pm_sim_memory_fault(card.sim, *values)
        assert fault(CHANNELS, 0, 1) == -1
        before, after = rng.randbytes(BURST), rng.randbytes(BURST)
        for channel in range(CHANNELS):
            assert written(ask(card, write(1, channel, BURST, before)), 1) == OKAY
        bad = BURST + 5 * BEAT
        assert fault(1, bad + 10, bad + 11) == 0
        assert written(ask(card, write(2, 0, BURST, after)), 2) == OKAY, "the other channel"
        assert written(ask(card, write(3, 1, BURST, after)), 3) == SLAVE_ERROR
        assert written(ask(card, write(4, 1, 0, after)), 4) == OKAY
        assert fetched(ask(card, fetch(5, 1, 0, 16, 2)), 5)[0] == SLAVE_ERROR
        assert fetched(ask(card, fetch(6, 1, BURST, 5)), 6)[:2] == (OKAY, digest(after[: 5 * BEAT]))
        assert fault(1, 0, 0) == 0
        kept = after[: 5 * BEAT] + before[5 * BEAT : 6 * BEAT] + after[6 * BEAT :]
        assert fetched(ask(card, fetch(7, 1, BURST, 16)), 7)[:2] == (OKAY, digest(kept)), "a faulty beat is not changed"
    return "one beat of a burst"


def resets(cards, rng, turns):
    """After each reset every beat of the write that it met is the old or the new one, the new ones first; and all that comes is right."""
    cut = 0
    with Card(cards["memory"]) as card:
        for turn in range(turns):
            set_timing(card, rng.choice([1, 20, 300]), rng.choice([0, 200]), rng.choice([1, 8, 64]))
            card.jitter(rng.getrandbits(32), 0, 0)
            channel, address = rng.randrange(CHANNELS), BURST * rng.randrange(SIZE // BURST)
            old, new = rng.randbytes(BURST), rng.randbytes(BURST)
            assert written(ask(card, write(1, channel, address, old)), 1) == OKAY
            card.jitter(rng.getrandbits(32), rng.choice([0, 100]), rng.choice([0, 100]))
            card.send(write(2, channel, address, new))
            card.send(verify(TOY, 3, rng))
            card.send(fetch(4, channel, 0, 16, 50))
            card.run(rng.randrange(1500))
            if turn % 2:
                card.write(CONTROL, 1)
                waited = next(n for n in range(10_000) if not card.read(CONTROL))
                assert waited < 2000, "control reads 1 for ever"
                card.replies(quiet=20_000)  # of commands that were not inside yet
            else:
                card.send(header(8, RESET))
                while (reply := card.recv()) != header(8, REPLY | RESET):
                    assert reply is not None, "no reply to RESET"
            card.jitter(1, 0, 0)
            beats = [fetched(ask(card, fetch(100 + i, channel, address + BEAT * i, 1)), 100 + i)[:2] for i in range(16)]
            kinds = [next(k for k, data in (("new", new), ("old", old)) if beat == (OKAY, digest(data[BEAT * i : BEAT * i + BEAT]))) for i, beat in enumerate(beats)]
            assert kinds == sorted(kinds), kinds
            cut += 0 < kinds.count("old") < 16
            fresh = rng.randbytes(BURST)
            assert written(ask(card, write(5, channel, address, fresh)), 5) == OKAY
            assert fetched(ask(card, fetch(6, channel, address, 16)), 6)[:2] == (OKAY, digest(fresh))
        assert cut, "no reset met a write between two beats"
    return f"{turns}, of them {cut} between two beats of a write"


def rules(cards, rng, turns):
    for packet, told in [
        (fetch(1, 0, 4096 - BEAT, 2), "memory channel 0: a burst crosses 4 KiB: address 0xfc0, 2 beats"),
        (fetch(1, 1, 8192, 65), "memory channel 1: a burst crosses 4 KiB: address 0x2000, 65 beats"),
        (write(1, 1, 4096 - 15 * BEAT, bytes(BURST)), "memory channel 1: a burst crosses 4 KiB: address 0xc40, 16 beats"),
        (fetch(1, 0, 32, 1), "memory channel 0: a burst is not aligned to its beats: address 0x20, 1 beats"),
    ]:
        with Card(cards["memory"]) as card:
            assert card.lib.pm_sim_broken(card.sim) is None
            card.send(packet)
            card.send(header(8, STATUS))
            card.run(1000)
            assert card.lib.pm_sim_broken(card.sim) == told.encode(), card.lib.pm_sim_broken(card.sim)
            at = card.lib.pm_sim_cycles(card.sim)
            assert card.lib.pm_sim_run(card.sim, 500, 0) == 500 and card.lib.pm_sim_cycles(card.sim) == at + 500
    return f"4 on a card, {by_hand('rules.cpp')} by hand"


def by_hand(source):
    """Compiles and runs a program of the folder `rules`; how many lines it printed."""
    with tempfile.TemporaryDirectory() as scratch:
        program = Path(scratch, "program")
        subprocess.run(["g++", "-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-o", program, Path(__file__).parent / "rules" / source], check=True)
        found = subprocess.run([program], stdout=subprocess.PIPE, text=True)
        assert found.returncode == 0, found.stdout
    return len(found.stdout.splitlines())


def drams(cards, rng, turns):
    """What was written is read, and each access takes place once; the second run of the same commands takes the same cycles."""
    lines = by_hand("dram.cpp")
    with Card(cards["memory"]) as card:
        model = lambda name: card.lib.pm_sim_memory_model(card.sim, name)
        assert [model(b"hbm3"), model(b""), model(b"hbm"), model(b"ideal")] == [-1, -1, 0, 0]
        card.send(fetch(1, 0, 0, 16, 60))
        card.run(300)
        assert model(b"hbm") == -1, "in the middle of a fetch"
        card.recv()
        assert set(card.memory_counts().values()) == {0}, "an ideal memory counts nothing"
    for name in ("hbm", "hbm_plain", "ddr4", "ddr4_plain"):
        seed, cycles = rng.getrandbits(32), []
        for _ in range(2):
            with Card(cards["memory"]) as card:
                card.set_memory(name)
                cycles.append(through(card, random.Random(seed), turns // 8))
        assert cycles[0] == cycles[1], f"{name}: {cycles}"
    return f"{lines} by hand, 4 models on a card"


def through(card, rng, turns):
    """Random writes and fetches; the cycles."""
    data = {}
    beats = [0] * CHANNELS
    for i in range(turns):
        channel, address = rng.randrange(CHANNELS), BURST * rng.randrange(SIZE // BURST)
        data[channel, address] = rng.randbytes(BURST)
        assert written(ask(card, write(i, channel, address, data[channel, address])), i) == OKAY
        (channel, address), content = rng.choice(list(data.items()))
        assert fetched(ask(card, fetch(i, channel, address, 16)), i)[:2] == (OKAY, digest(content))
        beats[channel] += BURST // BEAT
    assert [card.memory_counts(channel)["reads"] for channel in range(CHANNELS)] == beats
    return card.lib.pm_sim_cycles(card.sim)


CHECKS = [contents, timing, faults, resets, rules, drams]


if __name__ == "__main__":
    main(__doc__, CHECKS, "turns", 400, "commands, resets")

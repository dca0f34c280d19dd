"""The shell against every kind of packet and register access, in Verilator, through the C interface of spec/wire/sim.h.

`python3 rtl/sim/test_shell.py [--packets N] [--seed N] [NAME ...]` builds the cards of proofmill.shell.GenerateShellTest, whose engines
answer with the exclusive or of the header's bytes after a pseudo-random delay, and checks:

  packets    random, mutated and malformed packets with gaps, back-pressure and RESETs: one reply each, in sync at the end
  kinds      two commands of one engine, distinguished by number and length, keep their order
  busy       STATUS is answered while the engines work
  registers  identification page, chain of blocks, counters, reset values, unmapped addresses
  softreset  the control register in the middle of packets
  interface  what spec/wire/sim.h promises of the simulation itself
  mailbox    the register sequence of the published card's C++ client, and misuse of every register
"""

import ctypes
import json
import struct

from card import BLOCKS, IGNORE, REPLY, RESET, STATUS, WIRE, Card, header, status_of
from shell_cards import main
from shell_mailbox import mailbox
from traffic import EQUIHASH, SMALL, TOY, VERIFY, Ledger, expected, random_packet, verify


def packets(cards, rng, count):
    """Random traffic in rounds of different gaps, back-pressure and share of RESETs."""
    plan = [("bare", []), ("pair", [TOY, SMALL]), ("tight", [TOY, SMALL])]
    kinds = {}
    for name, lengths in plan:
        with Card(cards[name]) as card:
            for turn in range(10):
                card.jitter(rng.randrange(1 << 32), rng.choice([0, 0, 40, 200]), rng.choice([0, 0, 100, 230]))
                resets = rng.choice([0, 0, 0.01, 0.1])
                ledger = Ledger(lengths)
                for i in range(count // (10 * len(plan))):
                    packet, keeps = random_packet(rng, lengths, rng.getrandbits(64))
                    if rng.random() < resets:
                        packet, keeps = header(8, RESET), b"\xff"
                    kind = ledger.sent(packet, keeps)
                    kinds[kind] = kinds.get(kind, 0) + 1
                    card.send(packet, keeps)
                ledger.check(card.replies())
    return ", ".join(f"{n} {kind}" for kind, n in sorted(kinds.items()))


def kinds(cards, rng, count):
    """The first engine of `kinds` has a second command: number one higher, 24 bytes more, and an inverted mask."""
    engines = {(VERIFY, TOY): 0, (VERIFY + 1, TOY + 24): 0, (VERIFY, SMALL): 1}
    combinations = [(number, length) for number in (VERIFY, VERIFY + 1, VERIFY + 2) for length in (TOY, TOY + 24, SMALL)]
    with Card(cards["kinds"]) as card:
        card.jitter(rng.getrandbits(32), 20, 20)
        wanted = [[], [], []]  # replies of the two engines, and ignored ones
        for _ in range(count // 50):
            number, length = rng.choice([*engines, *combinations])
            packet = verify(length, rng.getrandbits(64), rng, number)
            mask = 0xFF * (number - VERIFY) & 0xFF
            for byte in packet[16:]:
                mask ^= byte
            reply = header(17, REPLY | number) + packet[8:16] + bytes([mask])
            engine = engines.get((number, length), 2)
            wanted[engine].append(reply if engine < 2 else header(16, IGNORE) + packet[:8])
            card.send(packet)
        numbers = [len(replies) for replies in wanted]
        for reply in card.replies():
            (mine,) = [replies for replies in wanted if replies and replies[0] == reply]
            mine.pop(0)
        assert not any(wanted), "replies are missing"
    return f"{numbers[0]} of both kinds, {numbers[1]} of another engine, {numbers[2]} ignored"


def busy(cards, rng, count):
    with Card(cards["pair"]) as card:
        for i in range(8):
            card.send(verify(TOY, i, rng))
        card.send(header(8, STATUS))
        replies = card.replies()
        at = next(i for i, r in enumerate(replies) if r[4:8] == struct.pack("<I", REPLY | STATUS))
        assert at < 4 and len(replies) == 9, f"STATUS was reply {at} of {len(replies)}"
        assert status_of(replies[at]) == (1 << 32 | 2, True)
        card.send(header(8, STATUS))
        assert status_of(card.recv()) == (1 << 32 | 2, False)
    return f"STATUS answered as reply {at + 1} of 9"


def registers(cards, rng, count):
    seen = 0
    for name, engines in [("bare", []), ("pair", [TOY, SMALL]), ("door", [TOY])]:
        with Card(cards[name]) as card:
            page = WIRE["identification"]
            assert card.read(page["magic"]["offset"]) == page["magic"]["value"]
            assert card.read(page["layout"]["offset"]) == page["layout"]["value"]
            scratch = page["scratch"]["offset"]
            for value in (0xDEADBEEF, 0, 0x12345678):
                card.write(scratch, value)
                assert card.read(scratch) == value

            mapped = {page[key]["offset"] for key in page}
            if name == "door":
                mapped |= {WIRE["mailbox"][r] for r in WIRE["mailbox"] if r != "depth_words"}
            chain, at = [], card.read(page["first_block"]["offset"])
            while at:
                chain.append(at)
                kind, version, following, size = (card.read(at + 4 * i) for i in range(4))
                layout = (WIRE if at == BLOCKS else EQUIHASH)["block"]
                assert (kind, version) == (layout["type"], layout["version"])
                assert size == max(r["offset"] + r["bits"] // 8 for r in layout["registers"])
                mapped |= {at + 4 * i for i in range(4)}
                for r in layout["registers"]:
                    mapped |= {at + r["offset"] + 4 * i for i in range(r["bits"] // 32)}
                at = following
            assert chain == [BLOCKS + 0x1000 * i for i in range(len(engines) + 1)]
            for address in sorted(set(range(0, 1 << 16, 4 if name == "pair" else 52)) - mapped):
                assert card.read(address) == WIRE["address_map"]["unmapped"], f"0x{address:04x}"
                if address % 104 == 0 and address >= 0x800:
                    card.write(address, 0xFFFFFFFF)
            assert card.read(scratch) == 0x12345678
            seen += len(mapped)
            if name == "door":
                continue
            shell_registers(card, engines, rng)
    return f"{seen} registers, chains of 1 to 3 blocks"


def shell_registers(card, engines, rng):
    shell = {r["name"]: BLOCKS + r["offset"] for r in WIRE["block"]["registers"]}
    card.send(header(8, STATUS))
    status = card.recv()
    assert card.read(shell["version"]) == struct.unpack("<I", status[8:12])[0]
    for name, at in [("build_date", 12), ("build_host", 20), ("cmd_cap", 28)]:
        assert card.read64(shell[name]) == struct.unpack("<Q", status[at : at + 8])[0]
    assert card.read(shell["max_packet"]) == max([8, *engines])

    card.send(header(8, 77))
    for length in engines:
        card.send(verify(length, 1, rng))
    card.replies()
    total = 2 + len(engines)
    assert (card.read64(shell["packets_in"]), card.read64(shell["packets_out"]), card.read64(shell["ignored"])) == (total, total, 1)
    before = card.read64(shell["cycles"])
    card.run(1000)
    assert 1000 < card.read64(shell["cycles"]) - before < 1030

    scratch = WIRE["identification"]["scratch"]["offset"]
    limits = {"personalisation": 0x1122334455667788, "difficulty": 1, "pow_limit": 7}
    written = []
    for i, length in enumerate(engines):
        base = BLOCKS + 0x1000 * (i + 1)
        for r in EQUIHASH["block"]["registers"]:
            words = range(base + r["offset"], base + r["offset"] + r["bits"] // 8, 4)
            value = sum(card.read(a) << 32 * j for j, a in enumerate(words))
            if r["access"] == "rw":
                assert value == limits[r["name"]], r["name"]
                for a in words:
                    pattern = rng.getrandbits(32) if r["name"] != "difficulty" else 0
                    card.write(a, pattern)
                    written.append((a, pattern))
            elif r["name"] == "command_len":
                assert value == length
            elif r["name"] == "done":
                assert value == 1
            elif r["access"] == "ro":
                card.write(base + r["offset"], 0)
    for address, pattern in written:
        assert card.read(address) == pattern, f"0x{address:04x}"
    card.send(header(8, RESET))
    assert card.recv() == header(8, REPLY | RESET)
    assert card.read(scratch) == 0
    assert card.read64(shell["packets_in"]) == card.read64(shell["packets_out"]) == card.read64(shell["ignored"]) == 0
    assert card.read64(shell["cycles"]) < 100
    for i, _ in enumerate(engines):
        for r in EQUIHASH["block"]["registers"]:
            if r["access"] == "rw":
                address = BLOCKS + 0x1000 * (i + 1) + r["offset"]
                value = sum(card.read(address + 4 * j) << 32 * j for j in range(r["bits"] // 32))
                assert value == limits[r["name"]], f"{r['name']} after RESET"


def softreset(cards, rng, count):
    """Written at random moments of random traffic, then the card must be as new and in sync."""
    control = BLOCKS + next(r["offset"] for r in WIRE["block"]["registers"] if r["name"] == "control")
    turns = max(count // 500, 20)
    for name in ("pair", "tight"):
        with Card(cards[name]) as card:
            for turn in range(turns):
                card.jitter(rng.randrange(1 << 32), rng.choice([0, 100]), rng.choice([0, 200]))
                for i in range(rng.randrange(1, 30)):
                    card.send(*random_packet(rng, [TOY, SMALL], rng.getrandbits(64)))
                card.run(rng.randrange(600))
                card.write(control, 1)
                waited = 0
                while card.read(control):
                    waited += 1
                    assert waited < 1000, "control reads 1 for ever"
                for reply in card.replies():
                    assert len(reply) == struct.unpack("<I", reply[:4])[0]
                ledger = Ledger([TOY, SMALL])
                for i in range(10):
                    packet, keeps = random_packet(rng, [TOY, SMALL], rng.getrandbits(64))
                    ledger.sent(packet, keeps)
                    card.send(packet, keeps)
                ledger.check(card.replies())
    return f"{2 * turns} soft resets"


def interface(cards, rng, count):
    with Card(cards["pair"]) as card:
        call = lambda name, *arguments: getattr(card.lib, f"pm_sim_{name}")(*arguments)
        assert call("abi") == 3
        assert json.loads(call("manifest"))["config"] == "pair"
        assert call("trace", card.sim, b"/dev/null") == -1

        assert call("run", card.sim, 100, 0) == 100 and call("run", card.sim, 100, 1) == 100
        card.send(verify(TOY, 5, rng))
        card.send(header(8, STATUS))
        card.run(40)
        first, last = (call(name, card.sim, 0) for name in ("first_word", "last_word"))
        assert last - first == 24 and call("first_word", card.sim, 1) == last + 1
        assert call("first_word", card.sim, 2) == 0
        cycle, room = ctypes.c_uint64(), ctypes.create_string_buffer(37)
        assert call("recv", card.sim, room, 36, ctypes.byref(cycle)) == 37, "a reply too large for the room stays"
        assert call("recv", card.sim, room, 37, ctypes.byref(cycle)) == 37 and status_of(room.raw)
        assert last < cycle.value <= call("cycles", card.sim)
        assert call("run", card.sim, 10_000, 1) < 1000 and len(card.recv()) == 17

        call("freeze", card.sim, 1)
        card.send(header(8, STATUS))
        value = ctypes.c_uint32()
        before = call("cycles", card.sim)
        assert card.recv(500) is None and call("pending", card.sim) == 1
        assert call("reg_read", card.sim, BLOCKS, ctypes.byref(value), 100) == -1
        assert call("reg_write", card.sim, WIRE["identification"]["scratch"]["offset"], 1, 100) == -1
        assert call("cycles", card.sim) - before == 700
        call("freeze", card.sim, 0)
        assert status_of(card.recv()) and card.read(BLOCKS) == WIRE["block"]["type"]
        card.write(WIRE["identification"]["scratch"]["offset"], 7)
        assert card.read(WIRE["identification"]["scratch"]["offset"]) == 7
    return "cycles, lengths, freezing and thawing"


CHECKS = [packets, kinds, busy, registers, softreset, interface, mailbox]


if __name__ == "__main__":
    main(__doc__, CHECKS, "packets", 100_000, "random packets")

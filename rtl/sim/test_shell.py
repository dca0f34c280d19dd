"""The shell against every kind of packet and register access, in Verilator, through the C interface of spec/wire/sim.h.

`python3 rtl/sim/test_shell.py [--packets N] [--seed N] [NAME ...]` builds the cards of proofmill.shell.GenerateShellTest, whose engines
answer with the exclusive or of the header's bytes after a pseudo-random delay, and checks:

  packets    random, mutated and malformed packets with gaps, back-pressure and RESETs: one reply each, in sync at the end
  kinds      two commands of one engine, told apart by number and length, keep their order
  busy       STATUS is answered while the engines work
  registers  identification page, chain of blocks, counters, reset values, unmapped addresses
  softreset  the control register in the middle of packets
  interface  what spec/wire/sim.h promises of the simulation itself
  mailbox    the register sequence of the published card's C++ client, and misuse of every register
"""

import argparse
import ctypes
import json
import random
import struct
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WIRE = tomllib.loads((ROOT / "spec/wire/shell.toml").read_text())
EQUIHASH = tomllib.loads((ROOT / "spec/wire/equihash_verify.toml").read_text())

RESET, STATUS, VERIFY = 0, 1, EQUIHASH["command"]["number"]
REPLY = 0x80000000
IGNORE = WIRE["replies"]["ignore"]["number"]
BLOCKS = WIRE["address_map"]["blocks"]["base"]
UNMAPPED = WIRE["address_map"]["unmapped"]
TOY, SMALL = 193, 257  # command lengths of (48,5) and (144,5)


class Card:
    """One simulated card."""

    def __init__(self, library):
        lib = self.lib = ctypes.CDLL(str(library))
        u64, size = ctypes.c_uint64, ctypes.c_size_t
        for name, result, arguments in [
            ("new", ctypes.c_void_p, []),
            ("free", None, [ctypes.c_void_p]),
            ("send_beats", None, [ctypes.c_void_p, ctypes.POINTER(u64), ctypes.c_char_p, size]),
            ("pending", size, [ctypes.c_void_p]),
            ("run", u64, [ctypes.c_void_p, u64, ctypes.c_int]),
            ("recv", size, [ctypes.c_void_p, ctypes.c_char_p, size, ctypes.POINTER(u64)]),
            ("cycles", u64, [ctypes.c_void_p]),
            ("reg_read", ctypes.c_int, [ctypes.c_void_p, ctypes.c_uint32, ctypes.POINTER(ctypes.c_uint32), u64]),
            ("reg_write", ctypes.c_int, [ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32, u64]),
            ("jitter", None, [ctypes.c_void_p, u64, ctypes.c_uint, ctypes.c_uint]),
            ("freeze", None, [ctypes.c_void_p, ctypes.c_int]),
            ("abi", ctypes.c_uint32, []),
            ("manifest", ctypes.c_char_p, []),
            ("trace", ctypes.c_int, [ctypes.c_void_p, ctypes.c_char_p]),
            ("first_word", u64, [ctypes.c_void_p, u64]),
            ("last_word", u64, [ctypes.c_void_p, u64]),
            ("memory", ctypes.c_int, [ctypes.c_void_p, ctypes.c_uint, ctypes.c_uint, ctypes.c_uint]),
            ("memory_fault", ctypes.c_int, [ctypes.c_void_p, ctypes.c_uint, u64, u64]),
            ("broken", ctypes.c_char_p, [ctypes.c_void_p]),
        ]:
            function = getattr(lib, f"pm_sim_{name}")
            function.restype, function.argtypes = result, arguments
        self.sim = lib.pm_sim_new()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.lib.pm_sim_free(self.sim)

    def send(self, packet, keeps=None):
        """A packet as bytes, or with a `keep` for each of its words."""
        words = -(-len(packet) // 8)
        if keeps is None:
            keeps = bytes([0xFF] * (words - 1) + [(1 << (len(packet) - 8 * words + 8)) - 1])
        data = struct.unpack(f"<{words}Q", packet.ljust(8 * words, b"\xa5"))
        self.lib.pm_sim_send_beats(self.sim, (ctypes.c_uint64 * words)(*data), bytes(keeps), words)

    def recv(self, cycles=100_000):
        """The next reply, None when none came."""
        self.lib.pm_sim_run(self.sim, cycles, 1)
        room = ctypes.create_string_buffer(4096)
        n = self.lib.pm_sim_recv(self.sim, room, len(room), None)
        return room.raw[:n] if n else None

    def run(self, cycles):
        self.lib.pm_sim_run(self.sim, cycles, 0)

    def replies(self, quiet=3000):
        """All replies until nothing is on its way in and none has come for `quiet` cycles."""
        found = []
        while (reply := self.recv(quiet)) is not None or self.lib.pm_sim_pending(self.sim):
            assert reply is not None, "the card takes nothing and answers nothing"
            found.append(reply)
        return found

    def read(self, address):
        value = ctypes.c_uint32()
        code = self.lib.pm_sim_reg_read(self.sim, address, ctypes.byref(value), 1000)
        assert code == 0, f"read of 0x{address:04x}: {code}"
        return value.value

    def read64(self, address):
        return self.read(address) | self.read(address + 4) << 32

    def write(self, address, value):
        code = self.lib.pm_sim_reg_write(self.sim, address, value, 1000)
        assert code == 0, f"write to 0x{address:04x}: {code}"

    def jitter(self, seed, gap, stall):
        self.lib.pm_sim_jitter(self.sim, seed, gap, stall)


# What packets are and what they must be answered with.


def header(length, command):
    return struct.pack("<II", length & 0xFFFFFFFF, command & 0xFFFFFFFF)


def verify(length, index, rng, number=VERIFY):
    return header(length, number) + struct.pack("<Q", index) + rng.randbytes(length - 16)


def masked(word, keep):
    return bytes(b if keep >> i & 1 else 0 for i, b in enumerate(word))


def expected(packet, keeps, lengths, number=VERIFY):
    """('reset',), ('status',), ('ignore', header) or ('engine', length, the whole command); `number` is that of the engines' commands."""
    words = len(keeps)
    padded = packet.ljust(8 * words, b"\xa5")
    head = masked(padded[:8], keeps[0])
    length, command = struct.unpack("<II", head)
    remainder = (1 << ((length - 1) % 8 + 1)) - 1
    whole = all(k == 0xFF for k in keeps[:-1]) and keeps[-1] in (0xFF, remainder) and keeps[0] == 0xFF
    if whole and length >= 8 and words == -(-length // 8):
        if length == 8 and command == RESET:
            return ("reset",)
        if length == 8 and command == STATUS:
            return ("status",)
        if command == number and length in lengths:
            return ("engine", length, padded[:length])
    return ("ignore", head)


def random_packet(rng, lengths, index, number=VERIFY):
    """(bytes, keeps): a good packet or one spoilt in one of many ways."""
    kind = rng.randrange(12)
    length = rng.choice(lengths) if lengths else 193
    if kind < 4:
        packet = verify(length, index, rng, number)
    elif kind < 6:
        packet = header(8, STATUS)
    elif kind == 6:  # another length on the wire than promised
        packet = verify(length, index, rng, number)[: rng.randrange(1, length)] if rng.random() < 0.5 else verify(length, index, rng, number) + rng.randbytes(rng.randrange(1, 40))
    elif kind == 7:  # another length promised than on the wire
        packet = header(rng.choice([0, 1, 7, 8, 9, length - 1, length + 1, length + 8, 0xFFFFFFFF]), number) + rng.randbytes(rng.randrange(0, 300))
    elif kind == 8:  # other commands
        command = rng.choice([2, 0x100, 0x101, 0x200, 0xFFFFFFFF, REPLY, REPLY | 1, number ^ 1 << rng.randrange(32)])
        packet = header(length, command) + rng.randbytes(length - 8)
    elif kind == 9:  # control commands of a wrong length
        packet = header(rng.choice([0, 7, 8, 9, 16]), rng.choice([RESET, STATUS])) + rng.randbytes(rng.choice([0, 1, 8, 30]))
        if expected(packet, keeps_of(packet), lengths, number)[0] == "reset":
            packet += b"x"
    else:
        packet = rng.randbytes(rng.choice([1, 2, 7, 8, 9, 16, rng.randrange(1, 600)]))
    keeps = bytearray(keeps_of(packet))
    if rng.random() < 0.15:  # padded to a whole word
        keeps[-1] = 0xFF
    if rng.random() < 0.1:  # null beats and gaps
        keeps[rng.choice([0, -1, rng.randrange(len(keeps))])] = rng.choice([0, 0xFE, 0x7F, 0x0F, rng.randrange(256)])
    if rng.random() < 0.02:
        packet, keeps = packet.ljust(8 * len(keeps), b"\xa5") + bytes(8), keeps + b"\0"
    return packet, bytes(keeps)


def keeps_of(packet):
    words = -(-len(packet) // 8)
    return bytes([0xFF] * (words - 1) + [(1 << (len(packet) - 8 * words + 8)) - 1])


def status_of(reply):
    """Checks a STATUS reply; its (capabilities, busy)."""
    assert len(reply) == 37 and reply[:8] == header(37, REPLY | STATUS), reply.hex()
    version, date, host, capabilities, state = struct.unpack("<I8s8sQB", reply[8:])
    assert version == 0x000100 and date[::-1] == b"20261121" and host[::-1].lstrip(b"\0") == b"sim", reply.hex()
    assert state in (0, 2)
    return capabilities, state == 2


class Ledger:
    """What was sent and what came back: control replies in order, engine replies a prefix of each epoch's commands."""

    number = VERIFY  # of the engines' commands

    def __init__(self, lengths):
        self.lengths = lengths
        self.control = []  # replies in order, STATUS as its kind alone
        self.epochs = [{length: [] for length in lengths}]

    def answer(self, length, command):
        """The reply to a whole command."""
        mask = 0
        for b in command[16:]:
            mask ^= b
        return header(17, REPLY | self.number) + command[8:16] + bytes([mask])

    def same(self, answer, reply):
        return answer == reply

    def sent(self, packet, keeps):
        """Notes a packet; what it is: 'engine', 'status', 'ignore' or 'reset'."""
        kind, *rest = expected(packet, keeps, self.lengths, self.number)
        if kind == "engine":
            self.epochs[-1][rest[0]].append(self.answer(*rest))
        else:
            self.control.append((kind, *rest))
            if kind == "reset":
                self.epochs.append({length: [] for length in self.lengths})
        return kind

    def check(self, replies):
        control = iter(self.control)
        epoch, taken = 0, {length: 0 for length in self.lengths}
        for reply in replies:
            length, command = struct.unpack("<II", reply[:8])
            assert length == len(reply), f"reply of {len(reply)} bytes says {length}"
            if command == REPLY | self.number:
                mine = [n for n in self.lengths if any(self.same(answer, reply) for answer in self.epochs[epoch][n][taken[n] : taken[n] + 1])]
                assert mine, f"unexpected engine reply {reply.hex()}"
                taken[mine[0]] += 1
                continue
            kind, *rest = next(control, ("nothing",))
            if kind == "status":
                status_of(reply)
            elif kind == "ignore":
                assert reply == header(16, IGNORE) + rest[0], f"{reply.hex()} instead of IGNORE for {rest[0].hex()}"
            elif kind == "reset":
                assert reply == header(8, REPLY | RESET), f"{reply.hex()} instead of the RESET reply"
                epoch, taken = epoch + 1, {length: 0 for length in self.lengths}
            else:
                raise AssertionError(f"one reply too many: {reply.hex()}")
        assert next(control, None) is None, "a control reply is missing"
        for length in self.lengths:
            assert taken[length] == len(self.epochs[epoch][length]), f"replies of the {length}-byte engine are missing"


# The checks.


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
                    kind = expected(packet, keeps, lengths)[0]
                    kinds[kind] = kinds.get(kind, 0) + 1
                    ledger.sent(packet, keeps)
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
                assert card.read(address) == UNMAPPED, f"0x{address:04x}"
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
        assert call("abi") == 2
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


class Client:
    """The register accesses of the published card's C++ client (zcash_fpga.cpp), in its order."""

    def __init__(self, card):
        self.card, self.at = card, WIRE["mailbox"]
        assert self.peek("isr") == 0x01D00000
        self.poke("isr", 0xFFFFFFFF)
        assert self.peek("tdfv") == self.at["depth_words"] - 4
        assert self.peek("rdfo") == 0
        self.poke("ier", 0x0C000000)
        assert self.peek("axi4_mode") >> 31 == 0

    def peek(self, name):
        return self.card.read(self.at[name])

    def poke(self, name, value):
        self.card.write(self.at[name], value)

    def send(self, packet):
        assert self.peek("tdfv") >= len(packet), "no room"
        for i in range(0, len(packet), 4):
            self.poke("tdfd", int.from_bytes(packet[i : i + 4].ljust(4, b"\xa5"), "little"))
        self.poke("tlr", len(packet))
        self.card.run(250)
        assert self.peek("isr") >> 27 & 1, "transmit bit not set"
        self.poke("isr", 0x08000000)

    def recv(self):
        for _ in range(1000):
            if self.peek("isr") >> 26 & 1:
                break
        else:
            return None
        assert self.peek("rdfo") != 0, "ISR says there is a packet, RDFO that there is none"
        length = self.peek("rlr")
        data = b"".join(self.peek("rdfd").to_bytes(4, "little") for _ in range(0, length, 4))
        if self.peek("rdfo") == 0:
            self.poke("isr", 0x04000000)
        return data[:length]


def mailbox(cards, rng, count):
    with Card(cards["door"]) as card:
        client = Client(card)
        client.send(header(8, STATUS))
        assert status_of(client.recv()) == (1 << 32, False)
        assert client.peek("isr") == 0
        for turn in range(20):
            ledger, replies = Ledger([TOY]), []
            for i in range(rng.randrange(1, 8)):
                packet = rng.choice([verify(TOY, rng.getrandbits(64), rng), header(8, STATUS), rng.randbytes(rng.randrange(1, 100)), header(8, RESET)])
                ledger.sent(packet, keeps_of(packet))
                client.send(packet)
                if rng.random() < 0.3:
                    replies.append(client.recv())
            while (reply := client.recv()) is not None:
                replies.append(reply)
            ledger.check([r for r in replies if r is not None])

        # A packet longer than any engine's, up to what the registers say there is room for.
        client.send(header(1503, VERIFY) + rng.randbytes(1495))
        assert client.recv() == header(16, IGNORE) + header(1503, VERIFY)

        # Misuse: sizes that do not match, too many words, reads of nothing, random accesses.
        client.poke("tdfd", 1)
        client.poke("tlr", 8)
        assert client.peek("isr") == 1 << 25
        client.poke("isr", 1 << 25)
        assert client.peek("rlr") == client.peek("rdfd") == 0
        assert client.peek("isr") == 1 << 31 | 1 << 29
        for i in range(client.at["depth_words"] + 8):
            client.poke("tdfd", i)
        assert client.peek("tdfv") == 0 and client.peek("isr") >> 28 & 1
        client.poke("tlr", 0)
        assert client.peek("tdfv") == client.at["depth_words"] - 4
        names = [n for n in client.at if n != "depth_words"]
        for i in range(max(2000, count // 5)):
            if rng.random() < 0.6:
                client.poke(rng.choice(names), rng.choice([rng.getrandbits(32), rng.randrange(20), 4]))
            else:
                client.peek(rng.choice(names))
        def boxes_empty():
            return client.peek("rdfo") == 0 and client.peek("tdfv") == client.at["depth_words"] - 4

        client.poke("tlr", 0)
        for _ in range(client.at["depth_words"] + 2000):
            if boxes_empty():
                card.run(250)  # a packet may be between the boxes: it has left the one and its reply is not yet in the other
                if boxes_empty():
                    break
            client.peek("rdfd")
        client.poke("isr", 0xFFFFFFFF)
        client.send(header(8, STATUS))
        assert status_of(client.recv())[0] == 1 << 32
    return "client sequence, misuse, in sync at the end"


CHECKS = [packets, kinds, busy, registers, softreset, interface, mailbox]


def build():
    """Libraries of the test cards, by name; made by the same tools as those of real cards."""
    sys.path.insert(0, str(ROOT / "tools"))
    import rtl
    import sim
    from place import CACHE, TARGET, made_whole

    folder = TARGET / "rtl-test"
    rtl.java("proofmill.shell.GenerateShellTest", folder)
    cards = {}
    for made in sorted(path for path in folder.iterdir() if path.is_dir()):
        name = sim.name_of(made, sim.CARD, False)
        library = CACHE / "sim" / name / "card.so"
        if not library.exists():
            with made_whole(library.parent) as scratch:
                manifest = json.loads((made / "manifest.json").read_text())
                sim.compile_library(made, sim.CARD, {**manifest, "content": name, "traced": False}, scratch)
        cards[made.name] = library
    return cards


def main(description=__doc__, checks=CHECKS, amount="packets", default=100_000, help="random packets"):
    """The door of a test program: runs its checks, each with the cards, a source of chance and how much of it is asked for."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("names", nargs="*", help="which checks; nothing: all")
    parser.add_argument(f"--{amount}", type=int, default=default, help=help)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--libraries", type=Path, help="folder with <card>/<card>.so, instead of building them")
    chosen = parser.parse_args()
    seed = random.randrange(1 << 32) if chosen.seed is None else chosen.seed
    cards = build() if chosen.libraries is None else {p.stem: p for p in chosen.libraries.glob("*/*.so")}
    print(f"seed {seed}")
    wanted = [check for check in checks if not chosen.names or check.__name__ in chosen.names]
    for check in wanted:
        print(f"{check.__name__}: {check(cards, random.Random(seed), getattr(chosen, amount))}", flush=True)
    print(f"{len(wanted)} passed, 0 failed")


if __name__ == "__main__":
    main()

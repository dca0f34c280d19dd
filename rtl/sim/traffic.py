"""Packets good and bad, what a card must answer to each, and a ledger that holds its replies to it.

The engines' commands are `equihash_verify`'s by default, with the replies of the test engines of proofmill.shell do.
"""

import struct
import tomllib

from card import IGNORE, REPLY, RESET, ROOT, STATUS, header, keeps_of, status_of

EQUIHASH = tomllib.loads((ROOT / "spec/wire/equihash_verify.toml").read_text())
VERIFY = EQUIHASH["command"]["number"]
TOY, SMALL = 193, 257  # command lengths of (48,5) and (144,5)


def verify(length, index, rng, number=VERIFY):
    return header(length, number) + struct.pack("<Q", index) + rng.randbytes(length - 16)


def masked(word, keep):
    return bytes(b if keep >> i & 1 else 0 for i, b in enumerate(word))


def expected(packet, keeps, takes):
    """('reset',), ('status',), ('ignore', header) or ('engine', length, the whole command); `takes`: is there such a command of this number
    and length?
    """
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
        if takes(command, length):
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
        if expected(packet, keeps_of(packet), lambda *_: False)[0] == "reset":
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


class Ledger:
    """What was sent and what came back: control replies in order, engine replies a prefix of each epoch's commands."""

    number = VERIFY  # of the engines' commands

    def __init__(self, lengths):
        self.lengths = lengths
        self.control = []  # replies in order, STATUS as its kind alone
        self.epochs = [self.streams()]

    def takes(self, command, length):
        """Is it a command of an engine?"""
        return command == self.number and length in self.lengths

    def engine(self, length):
        """Whose commands have this length; an engine's replies keep their order."""
        return length

    def numbers(self):
        """Of the engines' commands; their replies have them too."""
        return {self.number}

    def streams(self):
        return {self.engine(length): [] for length in self.lengths}

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
        kind, *rest = expected(packet, keeps, self.takes)
        if kind == "engine":
            self.epochs[-1][self.engine(rest[0])].append(self.answer(*rest))
        else:
            self.control.append((kind, *rest))
            if kind == "reset":
                self.epochs.append(self.streams())
        return kind

    def check(self, replies):
        control = iter(self.control)
        epoch, taken = 0, dict.fromkeys(self.streams(), 0)
        for reply in replies:
            length, command = struct.unpack("<II", reply[:8])
            assert length == len(reply), f"reply of {len(reply)} bytes says {length}"
            if command & ~REPLY in self.numbers():
                mine = [n for n in taken if any(self.same(answer, reply) for answer in self.epochs[epoch][n][taken[n] : taken[n] + 1])]
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
                epoch, taken = epoch + 1, dict.fromkeys(taken, 0)
            else:
                raise AssertionError(f"one reply too many: {reply.hex()}")
        assert next(control, None) is None, "a control reply is missing"
        for engine, answers in self.epochs[epoch].items():
            assert taken[engine] == len(answers), f"replies of engine {engine} are missing"

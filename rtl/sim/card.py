"""A card in Verilator: the C interface of spec/wire/sim.h, and the words of the shell's packets.

    with Card(library) as card:
        card.send(header(8, STATUS))
        capabilities, busy = status_of(card.recv())
"""

import ctypes
import os
import struct
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WIRE = tomllib.loads((ROOT / "spec/wire/shell.toml").read_text())

RESET, STATUS = 0, 1
REPLY = 0x80000000
IGNORE = WIRE["replies"]["ignore"]["number"]
BLOCKS = WIRE["address_map"]["blocks"]["base"]
DRAM_COUNTS = ("reads", "writes", "opened", "closed", "refreshes", "turns")


def power_up_by(seed):
    """Cards that are made from now on hold before their reset what this seed chooses."""
    os.environ["PROOFMILL_SIM_SEED"] = str(seed)


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
            ("memory_model", ctypes.c_int, [ctypes.c_void_p, ctypes.c_char_p]),
            ("memory_counts", ctypes.c_int, [ctypes.c_void_p, ctypes.c_uint, ctypes.POINTER(u64)]),
            ("memory_write", ctypes.c_int, [ctypes.c_void_p, ctypes.c_uint, u64, ctypes.c_char_p, size]),
            ("memory_read", ctypes.c_int, [ctypes.c_void_p, ctypes.c_uint, u64, ctypes.c_char_p, size]),
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
        code = self.lib.pm_sim_reg_read(self.sim, address, ctypes.byref(value), 5000)
        assert code == 0, f"read of 0x{address:04x}: {code}"
        return value.value

    def read64(self, address):
        return self.read(address) | self.read(address + 4) << 32

    def write(self, address, value):
        code = self.lib.pm_sim_reg_write(self.sim, address, value, 5000)
        assert code == 0, f"write to 0x{address:04x}: {code}"

    def set_memory(self, model):
        """`model`: what is behind the memory channels, by its name in sim.h."""
        assert self.lib.pm_sim_memory_model(self.sim, model.encode()) == 0, f"no memory model {model} here and now"

    def memory_counts(self, channel=0):
        """Of a channel's DRAM, by name."""
        counts = (ctypes.c_uint64 * len(DRAM_COUNTS))()
        assert self.lib.pm_sim_memory_counts(self.sim, channel, counts) == 0, f"no memory channel {channel}"
        return dict(zip(DRAM_COUNTS, counts))

    def poke(self, channel, address, data):
        """Writes bytes into a memory channel, at once and without the card."""
        assert self.lib.pm_sim_memory_write(self.sim, channel, address, data, len(data)) == 0, f"no memory channel {channel}"

    def peek(self, channel, address, count):
        """Returns `count` bytes of a memory channel, in the layout of the memory."""
        room = ctypes.create_string_buffer(count)
        assert self.lib.pm_sim_memory_read(self.sim, channel, address, room, count) == 0, f"no memory channel {channel}"
        return room.raw

    def jitter(self, seed, gap, stall):
        self.lib.pm_sim_jitter(self.sim, seed, gap, stall)


def header(length, command):
    return struct.pack("<II", length & 0xFFFFFFFF, command & 0xFFFFFFFF)


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

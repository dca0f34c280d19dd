"""A card on a serial line in Verilator: the C interface of spec/wire/serial.h."""

import ctypes
import json


class SerialCard:
    """One simulated card and the far end of its line."""

    def __init__(self, library):
        lib = self.lib = ctypes.CDLL(str(library))
        pointer, size, u64 = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint64
        for name, result, arguments in [
            ("manifest", ctypes.c_char_p, []),
            ("new", pointer, []),
            ("free", None, [pointer]),
            ("send", None, [pointer, ctypes.c_char_p, size]),
            ("level", None, [pointer, ctypes.c_int, u64]),
            ("pending", size, [pointer]),
            ("run", u64, [pointer, u64, ctypes.c_int]),
            ("recv", size, [pointer, ctypes.c_char_p, size]),
            ("broken", u64, [pointer]),
            ("cycles", u64, [pointer]),
            ("skew", None, [pointer, ctypes.c_int]),
            ("reset", None, [pointer, ctypes.c_int]),
            ("freeze", None, [pointer, ctypes.c_int]),
        ]:
            function = getattr(lib, f"pm_serial_{name}")
            function.restype, function.argtypes = result, arguments
        self.manifest = json.loads(lib.pm_serial_manifest().decode())
        line = self.manifest["serial"]
        self.bit = line["clock"] / line["baud"]  # cycles
        self.idle = int(self.bit * 10 * line["idle_bytes"])  # cycles that end a packet
        self.card = lib.pm_serial_new()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.lib.pm_serial_free(self.card)

    def send(self, data):
        self.lib.pm_serial_send(self.card, bytes(data), len(data))

    def level(self, level, cycles):
        self.lib.pm_serial_level(self.card, level, int(cycles))

    def pause(self):
        """An idle line for as long as ends a packet."""
        self.level(1, self.idle + 20 * self.bit)

    def pending(self):
        return self.lib.pm_serial_pending(self.card)

    def run(self, cycles, until_byte=False):
        return self.lib.pm_serial_run(self.card, int(cycles), until_byte)

    def take(self):
        """The bytes that have come."""
        room = ctypes.create_string_buffer(4096)
        count = self.lib.pm_serial_recv(self.card, room, len(room))
        return room.raw[:count]

    def bytes(self, quiet=None):
        """All bytes until everything is sent and none has come for `quiet` cycles; at first what ends a packet, and some."""
        found = b""
        while self.pending():
            self.run(10 * self.bit)
            found += self.take()
        while self.run(quiet or self.idle + 3000, until_byte=True) and (some := self.take()):
            found += some
        return found

    def replies(self, quiet=None):
        """The same, split by length."""
        found, rest = [], self.bytes(quiet)
        while rest:
            length = int.from_bytes(rest[:4], "little")
            assert 8 <= length <= len(rest), f"no reply: {rest.hex()}"
            found.append(rest[:length])
            rest = rest[length:]
        return found

    def ask(self, packet, quiet=None):
        self.send(packet)
        return self.replies(quiet)

    def skew(self, parts):
        self.lib.pm_serial_skew(self.card, parts)

    def reset(self, pressed):
        self.lib.pm_serial_reset(self.card, pressed)

    def freeze(self, frozen):
        self.lib.pm_serial_freeze(self.card, frozen)

    def broken(self):
        return self.lib.pm_serial_broken(self.card)

    def cycles(self):
        return self.lib.pm_serial_cycles(self.card)

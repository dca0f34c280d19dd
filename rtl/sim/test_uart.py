"""Cards on a serial line in Verilator, against the wire's rules of framing.

`python3 rtl/sim/test_uart.py [-v] [TEST ...]`: the true rates with the shell alone; bytes that are lost, doubled, noisy or broken; lengths that
cannot be; registers over packets; rates that are off; random damage, after which the card has to answer as if nothing had been.
"""

import random
import struct
import sys
import unittest
from pathlib import Path

from card import IGNORE, REPLY, RESET, STATUS, WIRE, header, status_of
from serial_card import SerialCard

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import sim  # noqa: E402

SEED = 20261123
PACKETS = WIRE["register_packets"]
MAGIC = WIRE["identification"]["magic"]
SCRATCH = WIRE["identification"]["scratch"]["offset"]


def read(address):
    return header(16, PACKETS["read"]["number"]) + struct.pack("<II", address, 0xDEAD)


def write(address, value):
    return header(16, PACKETS["write"]["number"]) + struct.pack("<II", address, value)


def was_read(address, value):
    return header(16, PACKETS["read"]["reply"]) + struct.pack("<II", address, value)


def was_written(address, value):
    return header(16, PACKETS["write"]["reply"]) + struct.pack("<II", address, value)


def ignored(packet):
    return header(16, IGNORE) + packet[:8].ljust(8, b"\0")


class Case(unittest.TestCase):
    config = "uart_toy"

    def setUp(self):
        self.card = SerialCard(sim.build(self.config))
        self.addCleanup(self.card.__exit__)

    def ask(self, packet, *wanted):
        self.assertEqual([r.hex() for r in self.card.ask(packet)], [w.hex() for w in wanted])

    def healthy(self):
        """STATUS, RESET and a register are answered, so the card is in step."""
        status, reset, register = self.card.ask(header(8, STATUS) + header(8, RESET) + read(MAGIC["offset"]))
        status_of(status)
        self.assertEqual(reset, header(8, REPLY | RESET))
        self.assertEqual(register, was_read(MAGIC["offset"], MAGIC["value"]))
        self.assertEqual(self.card.broken(), 0)


class TrueRate(Case):
    """50 MHz and 921600 baud: 54.25 cycles a bit."""

    config = "uart_shell"

    def test_packets(self):
        self.healthy()
        self.ask(header(8, 0x777), ignored(header(8, 0x777)))

    def test_a_byte_takes_as_long_as_the_rate_says(self):
        start = self.card.cycles()
        self.card.send(header(8, STATUS))
        self.card.run(10**6, until_byte=True)
        spent = (self.card.cycles() - start) / self.card.bit
        self.assertTrue(80 + 9 < spent < 80 + 12, f"{spent} bits from a command of 80 to the reply's first byte of 10")

    def test_rates_that_are_off_by_three_per_cent(self):
        for parts in (-30_000, 30_000):
            self.card.skew(parts)
            self.healthy()

    def test_a_pause_inside_a_packet(self):
        for share in (0.5, 0.95):
            self.card.send(header(8, STATUS)[:5])
            self.card.level(1, self.card.idle * share)
            self.card.send(header(8, STATUS)[5:])
            status_of(*self.card.replies())


class Framing(Case):
    def test_packets_without_a_pause(self):
        self.healthy()
        unknown = header(21, 0x4711) + bytes(13)
        self.ask(unknown + read(SCRATCH) + unknown, *[ignored(unknown), was_read(SCRATCH, 0), ignored(unknown)])

    def test_a_packet_that_stops(self):
        for n in (*range(1, 8), 8, 9, 15):
            packet = read(SCRATCH)[:n]
            self.ask(packet, ignored(packet))
            self.healthy()

    def test_a_length_that_cannot_be(self):
        for length in (0, 1, 7, 5000, 0xFFFFFFFF):
            packet = header(length, 0x5A5A0000)
            self.ask(packet, ignored(packet))
            self.ask(packet + header(8, STATUS) * 9, ignored(packet))  # swallowed with it
            self.healthy()

    def test_a_break(self):
        for bits in (10, 35, 5000):
            for before in (b"", read(SCRATCH)[:11], header(8, STATUS)[:3]):
                self.card.send(before)
                self.card.level(0, bits * self.card.bit)
                self.assertEqual(self.card.replies(), [ignored(before)])
                self.healthy()

    def test_a_glitch_is_no_start(self):
        for _ in range(20):
            self.card.level(0, 0.3 * self.card.bit)
            self.card.level(1, 3 * self.card.bit)
        self.assertEqual(self.card.replies(), [])
        self.healthy()

    def test_a_glitch_does_not_keep_a_packet_open(self):
        self.card.send(read(SCRATCH)[:9])
        for _ in range(self.card.manifest["serial"]["idle_bytes"] * 3):
            self.card.level(0, 2)
            self.card.level(1, 4 * self.card.bit)
        self.assertEqual(self.card.replies(), [ignored(read(SCRATCH))])

    def test_more_than_the_queue_holds(self):
        """Packets that the shell cannot take as fast: each has a reply that is twice as long."""
        packet = header(8, 0x777)
        replies = self.card.ask(packet * 4000)
        self.assertTrue(all(reply in (ignored(packet), ignored(b"")) for reply in replies))
        self.assertTrue(500 < len(replies) < 4000, len(replies))
        self.healthy()

    def test_the_button(self):
        self.card.send(read(SCRATCH)[:9])
        self.card.run(100 * self.card.bit)
        self.card.reset(True)
        self.card.run(50)
        self.card.reset(False)
        self.card.run(2 * self.card.bit)
        self.healthy()


class Registers(Case):
    def test_what_was_written_is_read(self):
        self.ask(write(SCRATCH, 0x12345678) + read(SCRATCH), was_written(SCRATCH, 0x12345678), was_read(SCRATCH, 0x12345678))

    def test_after_a_reset_in_front_of_it(self):
        """Neither is an access lost in the reset, nor does it come before it."""
        packets = write(SCRATCH, 1) + header(8, RESET) + read(SCRATCH) + header(8, RESET) + write(SCRATCH, 2) + read(SCRATCH)
        done = header(8, REPLY | RESET)
        self.ask(packets, was_written(SCRATCH, 1), done, was_read(SCRATCH, 0), done, was_written(SCRATCH, 2), was_read(SCRATCH, 2))

    def test_an_address_outside(self):
        self.ask(read(1 << 16), ignored(read(1 << 16)))
        self.healthy()

    def test_other_lengths(self):
        for length in (15, 17, 24):
            packet = header(length, PACKETS["read"]["number"]) + bytes(length - 8)
            self.ask(packet, ignored(packet))
        self.healthy()


class Damage(Case):
    """A byte that is lost, comes twice or is another, at each place of a packet and in random streams."""

    def damaged(self, data, random):
        at, kind = random.randrange(len(data)), random.randrange(4)
        byte = bytes([data[at] ^ 1 << random.randrange(8)])
        return data[:at] + [b"", data[at:at + 1] * 2, byte, byte + data[at:at + 1]][kind] + data[at + 1:]

    def test_each_byte_lost_or_doubled(self):
        packet = write(SCRATCH, 0x01020304)
        for at in range(len(packet)):
            for copies in (0, 2):
                replies = self.card.ask(packet[:at] + packet[at:at + 1] * copies + packet[at + 1:])
                self.assertTrue(1 <= len(replies) <= 2, replies)
                self.assertTrue(all(len(reply) == 16 for reply in replies), replies)
                self.healthy()

    def test_random_streams(self):
        generator = random.Random(SEED)
        toy = header(8 + 8 + 224, 0x100)
        for _ in range(60):
            packets = [header(8, STATUS), read(SCRATCH), write(SCRATCH, 5), header(8, RESET), toy + generator.randbytes(232)]
            stream = b"".join(generator.choice(packets) for _ in range(generator.randrange(1, 8)))
            for _ in range(generator.randrange(1, 4)):
                stream = self.damaged(stream, generator) or b"\0"
            self.card.ask(stream)
            self.healthy()

    def test_garbage(self):
        generator = random.Random(SEED)
        for _ in range(30):
            self.card.send(generator.randbytes(generator.randrange(1, 400)))
            for _ in range(generator.randrange(4)):
                self.card.level(generator.randrange(2), generator.randrange(1, 200))
            self.assertTrue(self.card.replies())
            self.healthy()


if __name__ == "__main__":
    unittest.main()

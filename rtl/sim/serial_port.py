"""A simulated card on a serial line behind a pseudo-terminal, so that a host's real transport runs against it.

`python3 rtl/sim/serial_port.py CONFIG|LIBRARY` prints the port's path and stays until its input ends. Each line
of its input is an order, for tests of faults: `drop N` and `double N` lose or repeat the N-th byte from now on its way to the card, `noise N` turns one bit of it,
`break` holds the line low, `hang` stops the card's clock, `go` restarts it, `close` takes the port away.

The card's time advances only while bytes are in transit, and for a while after the last one: an idle host finds an idle process.
"""

import argparse
import os
import select
import sys
import termios
import tty
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from serial_card import SerialCard  # noqa: E402

SLICE = 2000  # cycles between two looks at the port
LATER = 400_000  # cycles that the card goes on after the last byte: longer than an engine takes for its queue


class Port:
    """The card, the pseudo-terminal, and what is done to the bytes between them."""

    def __init__(self, library):
        self.card = SerialCard(library)
        self.master, slave = os.openpty()
        self.path = os.ttyname(slave)
        tty.setraw(slave, termios.TCSANOW)
        self.slave = slave  # open for as long as the card is there: a host may come and go
        os.set_blocking(self.master, False)
        self.faults = []  # (bytes until then, what)
        self.quiet = LATER
        self.rest = b""  # bytes of the card that the host has not taken

    def close(self):
        if self.master >= 0:
            os.close(self.slave)
            os.close(self.master)
            self.master = -1

    def order(self, line):
        word, *number = line.split()
        if word in ("drop", "double", "noise"):
            self.faults.append([int(number[0]), word])
        elif word == "break":
            self.card.level(0, 30 * self.card.bit)
            self.quiet = 0
        elif word in ("hang", "go"):
            self.card.freeze(word == "hang")
        elif word == "close":
            self.close()
        else:
            raise ValueError(f"no order: {line}")

    def damaged(self, data):
        """The bytes as the card gets them."""
        made = bytearray()
        for byte in data:
            due = next((fault for fault in self.faults if fault[0] == 0), None)
            for fault in self.faults:
                fault[0] -= 1
            if due:
                self.faults.remove(due)
            kind = due and due[1]
            made += bytes({None: [byte], "drop": [], "double": [byte, byte], "noise": [byte ^ 0x10]}[kind])
        return bytes(made)

    def turn(self, wait):
        """One look at the port and a slice of the card's time; false when there is nothing to do."""
        try:
            data = os.read(self.master, 4096)
        except BlockingIOError:
            data = b""
        if data:
            self.card.send(self.damaged(data))
            self.quiet = 0
        if self.quiet >= LATER and not self.rest:
            select.select([self.master, *wait], [], [])
            return
        self.quiet += self.card.run(SLICE)
        self.rest += self.card.take()
        if self.rest:
            self.quiet = 0
            try:
                self.rest = self.rest[os.write(self.master, self.rest):]
            except BlockingIOError:
                pass


def serve(library, told=print, orders=None):
    """Stays until the input of orders ends."""
    port, orders = Port(library), orders or sys.stdin
    told(port.path, flush=True)
    while True:
        ready, _, _ = select.select([orders], [], [], 0)
        if ready:
            line = orders.readline()
            if not line:
                return
            port.order(line)
        if port.master < 0:
            select.select([orders], [], [])
        else:
            port.turn([orders])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("card", metavar="CONFIG|LIBRARY", help="such as uart_toy, which is built first; with a / in it: a library")
    chosen = parser.parse_args()
    library = chosen.card
    if "/" not in library:
        import sim
        library = sim.build(library)
    serve(library)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        pass

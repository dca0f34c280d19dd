"""The host's transport, and a client with the published one's habits, on a simulated card behind a pseudo-terminal.

`python3 rtl/sim/test_serial_port.py [-v] [TEST ...]`, with the program that `make test` built; `PROOFMILL_PROGRAM` names another. With
`PROOFMILL_LONG` also on the real engines: block 346 and four signatures by the published client's habits, and the conformance suite.
"""

import json
import os
import struct
import subprocess
import sys
import termios
import time
import tty
import unittest
from pathlib import Path
from select import select

from card import REPLY, RESET, ROOT, STATUS, header, status_of

sys.path.insert(0, str(ROOT / "tools"))

import place  # noqa: E402
import sim  # noqa: E402

PROGRAM = Path(os.environ.get("PROOFMILL_PROGRAM", place.PROOFMILL))
LONG = "PROOFMILL_LONG" in os.environ
#: Seconds without an answer after which the host gives up a card with a fault, and any other card: a slow card is not a wrong card.
TIMEOUT, PATIENCE = 5, 600


class Port:
    """A simulated card and its pseudo-terminal, in a process of their own."""

    def __init__(self, config):
        sim.build(config)
        script = [sys.executable, str(Path(__file__).with_name("serial_port.py")), config]
        self.process = subprocess.Popen(script, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.path = self.process.stdout.readline().strip()

    def order(self, text):
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def close(self):
        self.process.stdin.close()
        self.process.wait(PATIENCE)
        self.process.stdout.close()


class Case(unittest.TestCase):
    config = "uart_toy"

    def port(self):
        port = Port(self.config)
        self.addCleanup(port.close)
        return port

    def start(self, port, *arguments, timeout=PATIENCE):
        device = f"uart:{port.path}?timeout={timeout}"
        return subprocess.Popen([PROGRAM, "selftest", "--device", device, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def selftest(self, port, *arguments, timeout=PATIENCE):
        """(status, output)"""
        said, _ = (running := self.start(port, *arguments, timeout=timeout)).communicate(timeout=2 * PATIENCE)
        return running.returncode, said

    def await_lock(self, port, running):
        """Waits until the host has locked the port."""
        holder, inode, end = f" {running.pid} ", f":{os.stat(port.path).st_ino} ", time.monotonic() + PATIENCE
        while not any(holder in line and inode in line for line in Path("/proc/locks").read_text().splitlines()):
            self.assertIsNone(running.poll(), "it ended before it had the port")
            self.assertLess(time.monotonic(), end, "it does not lock the port")
            time.sleep(0.01)

    def passes(self, port):
        """A part of the suite, with answers of both kinds."""
        status, said = self.selftest(port, "--filter", "solved")
        self.assertEqual(status, 0, said)
        self.assertRegex(said, r" [1-9]\d* checks passed, 0 failed")


class Selftest(Case):
    def test_two_cards_at_once(self):
        running = [self.start(self.port()) for _ in range(2)]
        for one in running:
            said, _ = one.communicate(timeout=2 * PATIENCE)
            self.assertEqual(one.returncode, 0, said)
            self.assertRegex(said, r" [1-9]\d* checks passed, 0 failed")

    def test_a_host_after_one_that_died(self):
        """Half a command, and replies that were not read."""
        port = self.port()
        with open(port.path, "r+b", buffering=0) as file:
            file.write(header(8, STATUS) * 20 + header(240, 0x100) + bytes(100))
        self.passes(port)

    @unittest.skipUnless(LONG, "long")
    def test_the_real_engines(self):
        port = Port("uart_fast")
        self.addCleanup(port.close)
        device = f"uart:{port.path}?timeout={PATIENCE}"
        done = subprocess.run([PROGRAM, "selftest", "--device", device], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)


class Faults(Case):
    """Each ends in time, with an error or with every answer right, and afterwards the card works again."""

    def test_a_damaged_byte(self):
        for fault in ("drop", "double", "noise"):
            for at in (30, 70, 333, 2000) if LONG else (30, 2000):
                port = self.port()
                port.order(f"{fault} {at}")
                status, said = self.selftest(port, "--filter", "solved", timeout=TIMEOUT)
                self.assertIn(status, (1, 3) if at == 2000 else (0, 1, 3), f"{fault} {at}: {said}")
                self.passes(port)

    def test_a_break(self):
        port = self.port()
        running = self.start(port, "--filter", "solved", timeout=TIMEOUT)
        self.await_lock(port, running)
        port.order("break")
        running.communicate(timeout=PATIENCE)
        self.passes(port)

    def test_a_card_that_hangs(self):
        port = self.port()
        port.order("hang")
        status, said = self.selftest(port, timeout=TIMEOUT)
        self.assertEqual(status, 3, said)
        self.assertIn("nothing answers", said)
        port.order("go")
        self.passes(port)

    def test_a_port_that_closes(self):
        port = self.port()
        running = self.start(port, timeout=TIMEOUT)
        self.await_lock(port, running)
        time.sleep(0.5)  # in the middle of the suite, on a machine that is not busy
        port.order("close")
        said, _ = running.communicate(timeout=PATIENCE)
        self.assertIn(running.returncode, (0, 3), said)
        status, said = self.selftest(port)
        self.assertEqual(status, 3, said)
        self.assertIn("there is no /dev/", said)

    def test_a_port_in_use(self):
        port = self.port()
        running = self.start(port)
        self.await_lock(port, running)
        status, said = self.selftest(port)
        running.kill()
        running.communicate()
        self.assertEqual(status, 3, said)
        self.assertIn("another program uses this port", said)


def vectors(name):
    return json.loads((ROOT / "spec/vectors" / f"{name}.json").read_text())


class Client:
    """The published client's habits: a write a command, reads of up to 1,024 bytes, replies split by their length."""

    def __init__(self, path):
        self.file = os.open(path, os.O_RDWR | os.O_NOCTTY)
        tty.setraw(self.file, termios.TCSANOW)

    def close(self):
        os.close(self.file)

    def ask(self, command):
        assert os.write(self.file, command) == len(command)

    def replies(self, count=1):
        """So many of them, and whatever comes with them."""
        data, found = b"", []
        while len(found) < count or data:
            assert select([self.file], [], [], PATIENCE)[0], f"{len(found)} replies and {data}"
            data += os.read(self.file, 1024)
            while len(data) >= 4 and len(data) >= (length := struct.unpack_from("<I", data)[0]):
                assert length >= 8, data
                found.append(data[:length])
                data = data[length:]
        return found


class Published(Case):
    def client(self, port):
        client = Client(port.path)
        self.addCleanup(client.close)
        return client

    def test_status_and_reset(self):
        client = self.client(self.port())
        client.ask(bytes.fromhex("0800000001000000"))
        status_of(*client.replies())
        client.ask(bytes.fromhex("0800000000000000"))
        self.assertEqual(client.replies(), [header(8, REPLY | RESET)])

    @unittest.skipUnless(LONG, "long")
    def test_block_346_and_four_signatures(self):
        port = Port("uart_fast")
        self.addCleanup(port.close)
        client = self.client(port)
        block = bytes.fromhex(vectors("equihash_verify/200_9")["bases"]["mainnet-346"])
        self.assertEqual(len(block), 1487)
        client.ask(header(1503, 0x100) + struct.pack("<Q", 346) + block)
        self.assertEqual(client.replies(), [header(17, 0x80000100) + struct.pack("<QB", 346, 0)])
        signatures = [case for case in vectors("ecdsa_verify/secp256k1")["cases"] if case["id"] in ("tv1", "tv2", "tv3", "tv4")]
        for index, signature in enumerate(signatures):
            fields = b"".join(int(signature[name], 16).to_bytes(32, "little") for name in ("s", "r", "hash", "qx", "qy"))
            client.ask(header(176, 0x101) + struct.pack("<Q", index) + fields)
        answered = {}
        for reply in client.replies(4):
            self.assertEqual(reply[:8], header(19, 0x80000101))
            answered[struct.unpack_from("<Q", reply, 8)[0]] = reply[16]
        self.assertEqual(answered, dict.fromkeys(range(4), 0))
        client.ask(bytes.fromhex("0800000001000000"))
        status_of(*client.replies())
        client.ask(bytes.fromhex("0800000000000000"))
        self.assertEqual(client.replies(), [header(8, REPLY | RESET)])


if __name__ == "__main__":
    unittest.main()

"""No value of a witness remains in the memory of a service after its proofs, on any instruction-set level. The bindings have the same test."""

import http.client
import os
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from memory_scan import levels, remaining, remaining_in, values_of  # noqa: E402
from place import PROOFMILL, run  # noqa: E402

CONSTRAINTS = 16000
#: On the best level, and on each of the others.
PROOFS = 20 if os.environ.get("PROOFMILL_LONG") else 10
FEW = PROOFS if os.environ.get("PROOFMILL_LONG") else 3


class Memory(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        run([PROOFMILL, "dev", "circuit", "chain", "--constraints", CONSTRAINTS, "--out", cls.folder / "circuit"])
        cls.key, cls.witness = cls.folder / "circuit/INSECURE.zkey", cls.folder / "circuit/witness.wtns"
        cls.values = values_of(cls.witness)
        print(f"{len(cls.values)} full-width values; levels: {', '.join(levels())}")

    def test_the_scan_finds_what_a_process_holds(self):
        code = "import sys; held = open(sys.argv[1], 'rb').read(); print('done', flush=True); sys.stdin.read()"
        self.assertEqual(remaining_in([sys.executable, "-c", code, self.witness], self.witness), len(self.values))

    def test_a_service(self):
        *others, best = levels()
        for level, proofs in (*((level, FEW) for level in others), (best, PROOFS)):
            with self.subTest(level=level):
                self.assertEqual(self.scanned_service(level, proofs), 0)

    def test_a_service_disables_core_dumps_unless_they_are_allowed(self):
        for options, limit in (([], "0"), (["--allow-core-dumps"], "4096")):
            with self.subTest(options=options):
                command = ["prlimit", "--core=4096", PROOFMILL, "serve", "--key", f"k={self.key}", "--listen", "127.0.0.1:0", *options]
                with subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as service:
                    try:
                        self.assertIn("//", service.stdout.readline())
                        limits = Path(f"/proc/{service.pid}/limits").read_text()
                        self.assertEqual(next(line for line in limits.splitlines() if "core file" in line).split()[4], limit)
                    finally:
                        service.terminate()

    def scanned_service(self, level, proofs):
        body = self.witness.read_bytes()
        wrong = bytearray(body)
        wrong[-32:] = (int.from_bytes(body[-32:], "little") ^ 1).to_bytes(32, "little")  # satisfies no circuit
        command = [PROOFMILL, "--isa", level, "serve", "--key", f"k={self.key}", "--listen", "127.0.0.1:0", "--allow-core-dumps"]
        with subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as service:
            try:
                address = service.stdout.readline().split("//")[1].strip()
                for number in range(proofs):
                    self.assertEqual(self.sent(address, "POST", "/v1/prove/k", body)[0], 200)
                    if number % 5 == 0:
                        self.assertEqual(self.sent(address, "POST", "/v1/prove/k", bytes(wrong))[0], 422)
                        self.assertEqual(self.sent(address, "POST", "/v1/prove/none", body)[0], 404)
                        status, headers = self.sent(address, "POST", "/v1/prove/k?wait=false", body)
                        self.assertEqual(status, 202)
                        self.sent(address, "DELETE", headers["location"])
                        self.leave_in_mid_upload(address, body)
                self.sent(address, "POST", "/v1/prove/k", iter([body[:70_001], body[70_001:]]))  # chunked
                return remaining(service.pid, self.witness)
            finally:
                service.terminate()

    def sent(self, address, method, path, body=None):
        connection = http.client.HTTPConnection(address)
        connection.request(method, path, body, encode_chunked=not isinstance(body, (bytes, type(None))),
                           headers={} if isinstance(body, (bytes, type(None))) else {"Transfer-Encoding": "chunked"})
        response = connection.getresponse()
        response.read()
        connection.close()
        return response.status, response.headers

    def leave_in_mid_upload(self, address, body):
        host, port = address.split(":")
        with socket.create_connection((host, int(port))) as client:
            client.sendall(f"POST /v1/prove/k HTTP/1.1\r\nHost: {address}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body[:len(body) // 2])


if __name__ == "__main__":
    unittest.main()

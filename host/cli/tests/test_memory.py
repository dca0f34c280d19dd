"""No value of a witness remains in the memory of a service, of a Python process or of a C program after its proofs, on any instruction-set level."""

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

import clib  # noqa: E402
import setup  # noqa: E402
from memory_scan import levels, scan, values_of  # noqa: E402
from place import PROOFMILL, TARGET, run  # noqa: E402

CONSTRAINTS = 16000
PROOFS = 20
#: A client of either binding: proves, says so, and waits for the end of its input while it is scanned.
PYTHON_CLIENT = """
import sys, proofmill
prover = proofmill.Prover(sys.argv[1])
for _ in range(int(sys.argv[3])):
    prover.prove(sys.argv[2])
print("done", flush=True)
sys.stdin.read()
"""
C_CLIENT = """
#include <proofmill.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int count, char **arguments) {
    if (count != 4) return 2;
    size_t proof_length, public_length, length;
    proofmill_prover *prover;
    if (proofmill_prover_open("cpu:", arguments[1], false, &prover)) return 1;
    if (proofmill_prover_sizes(prover, &proof_length, &public_length)) return 1;
    char *proof = malloc(proof_length), *public_inputs = malloc(public_length);
    FILE *file = fopen(arguments[2], "rb");
    if (!file || fseek(file, 0, SEEK_END)) return 1;
    length = (size_t)ftell(file);
    unsigned char *witness = malloc(length);
    setvbuf(file, NULL, _IONBF, 0); /* the caller's own copies are the caller's: none but this one */
    rewind(file);
    if (fread(witness, 1, length, file) != length) return 1;
    fclose(file);
    for (int i = 0; i < atoi(arguments[3]); i++) {
        size_t p = proof_length, q = public_length;
        if (proofmill_prove(prover, witness, length, NULL, NULL, proof, &p, public_inputs, &q)) return 1;
    }
    memset(witness, 0, length);
    __asm__ volatile("" : : "r"(witness) : "memory");
    puts("done");
    fflush(stdout);
    getchar();
    return 0;
}
"""


class Memory(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        run([PROOFMILL, "dev", "circuit", "chain", "--constraints", CONSTRAINTS, "--out", cls.folder / "circuit"])
        cls.key, cls.witness = cls.folder / "circuit/INSECURE.zkey", cls.folder / "circuit/witness.wtns"
        cls.python = setup.python_tool("scan", ["numpy==2.3.5"])
        cls.values = values_of(cls.witness)
        print(f"{len(cls.values)} full-width values; levels: {', '.join(levels())}")

    def remaining(self, pid):
        """Returns how many of the values the process holds, in either form; numpy is in an environment of its own."""
        code = "import sys; sys.path.insert(0, sys.argv[1]); import memory_scan; print(memory_scan.scan(sys.argv[2], memory_scan.values_of(sys.argv[3])))"
        return int(run([self.python, "-c", code, ROOT / "tools", pid, self.witness]))

    def test_the_scan_finds_what_a_process_holds(self):
        code = "import sys; held = open(sys.argv[1], 'rb').read(); print('done', flush=True); sys.stdin.read()"
        self.assertEqual(self.scanned([sys.executable, "-c", code, self.witness], {}), len(self.values))

    def scanned(self, command, environment):
        """Starts a client and scans it when it is done."""
        with subprocess.Popen([str(word) for word in command], env={**os.environ, **environment}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as client:
            try:
                self.assertEqual(client.stdout.readline(), "done\n")
                return self.remaining(client.pid)
            finally:
                client.stdin.close()

    def test_a_service(self):
        for level in levels():
            with self.subTest(level=level):
                self.assertEqual(self.scanned_service(level), 0)

    def scanned_service(self, level):
        body = self.witness.read_bytes()
        wrong = bytearray(body)
        wrong[-32:] = (int.from_bytes(body[-32:], "little") ^ 1).to_bytes(32, "little")  # satisfies no circuit
        command = [PROOFMILL, "--isa", level, "serve", "--key", f"k={self.key}", "--listen", "127.0.0.1:0", "--allow-core-dumps"]
        with subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as service:
            try:
                address = service.stdout.readline().split("//")[1].strip()
                for number in range(PROOFS):
                    self.assertEqual(self.sent(address, "POST", "/v1/prove/k", body)[0], 200)
                    if number % 5 == 0:
                        self.assertEqual(self.sent(address, "POST", "/v1/prove/k", bytes(wrong))[0], 422)
                        self.assertEqual(self.sent(address, "POST", "/v1/prove/none", body)[0], 404)
                        status, headers = self.sent(address, "POST", "/v1/prove/k?wait=false", body)
                        self.assertEqual(status, 202)
                        self.sent(address, "DELETE", headers["location"])
                        self.leave_in_mid_upload(address, body)
                self.sent(address, "POST", "/v1/prove/k", iter([body[:70_001], body[70_001:]]))  # chunked
                return self.remaining(service.pid)
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

    def test_a_program_in_c(self):
        clib.install_for_tests(self.folder / "installed")
        source, program = self.folder / "client.c", self.folder / "client"
        source.write_text(C_CLIENT)
        pc = {**os.environ, "PKG_CONFIG_PATH": str(self.folder / "installed/lib/pkgconfig")}
        run(["cc", "-O1", source, *run(["pkg-config", "--cflags", "--libs", "proofmill"], env=pc).split(), "-o", program])
        for level in levels():
            with self.subTest(level=level):
                environment = {"LD_LIBRARY_PATH": str(self.folder / "installed/lib"), "PROOFMILL_ISA": level}
                self.assertEqual(self.scanned([program, self.key, self.witness, PROOFS], environment), 0)

    def test_a_python_process(self):
        site = TARGET / "test/python"  # the package as the binding's tests install it
        if not (site / "proofmill").is_dir():
            self.skipTest("the Python package is installed by host/bind/python/tests")
        for level in levels():
            with self.subTest(level=level):
                environment = {"PYTHONPATH": str(site), "PROOFMILL_ISA": level}
                self.assertEqual(self.scanned([sys.executable, "-c", PYTHON_CLIENT, self.key, self.witness, PROOFS], environment), 0)


if __name__ == "__main__":
    unittest.main()

"""No value of a witness that a service calculated, and no text of its inputs, remains in the memory of the service."""

import http.client
import json
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools"))

import circom_files  # noqa: E402
from memory_scan import regions, remaining, values_of  # noqa: E402
from place import PROOFMILL  # noqa: E402

PROOFS = 5


def texts_in(pid, texts):
    """Returns how many of these texts are in the memory of a process."""
    found = set()
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for start, end in regions(pid):
            try:
                memory.seek(start)
                data = memory.read(end - start)
            except (OSError, ValueError, OverflowError):
                continue  # a mapping that went away
            found |= {text for text in texts if data and text in data}
    return len(found)


class MemoryOfInputs(unittest.TestCase):
    def test_a_service(self):
        files = circom_files.folder()
        inputs = json.loads((files / "input.json").read_text())
        self.assertGreater(len(values_of(files / "witness.wtns")), 100)
        wrong = {"factors": ["1", *inputs["factors"][1:]]}  # fails the assertion
        command = [PROOFMILL, "serve", "--key", f"k={files / 'plonk.zkey'},{files / 'circuit.wasm'}", "--listen", "127.0.0.1:0", "--allow-core-dumps"]
        with subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as service:
            try:
                address = service.stdout.readline().split("//")[1].strip()
                for _ in range(PROOFS):
                    for body, status in ((inputs, 200), (wrong, 400), ({**inputs, "more": 1}, 400)):
                        self.assertEqual(self.sent(address, json.dumps(body).encode()), status)
                    self.assertEqual(self.sent(address, json.dumps(inputs).encode()[:-1]), 400)  # malformed
                self.assertEqual(remaining(service.pid, files / "witness.wtns"), 0)
                self.assertEqual(texts_in(service.pid, {number.encode() for number in inputs["factors"][:8]}), 0)
            finally:
                service.terminate()
            log = service.stderr.read()
            self.assertIn("key accepts inputs", log)
            self.assertFalse([number for number in inputs["factors"] if number in log])

    def sent(self, address, body):
        connection = http.client.HTTPConnection(address)
        connection.request("POST", "/v1/prove/k", body, headers={"Content-Type": "application/json"})
        response = connection.getresponse()
        response.read()
        connection.close()
        return response.status


if __name__ == "__main__":
    unittest.main()

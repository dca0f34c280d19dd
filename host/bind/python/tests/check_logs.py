"""Log records of the library in Python's `logging`. Logging never deadlocks."""

import logging
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import proofmill
from check_proofs import PROOFMILL

LOGGER = logging.getLogger("proofmill")


class Kept(logging.Handler):
    def __init__(self):
        super().__init__()
        self.records = []

    def emit(self, record):
        self.records.append(record)


class Logs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        command = [PROOFMILL, "dev", "circuit", "chain", "--constraints", "60", "--out", cls.folder]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def setUp(self):
        self.kept = Kept()
        LOGGER.addHandler(self.kept)
        self.addCleanup(LOGGER.removeHandler, self.kept)
        self.addCleanup(LOGGER.setLevel, LOGGER.level)
        LOGGER.propagate = False
        self.addCleanup(setattr, LOGGER, "propagate", True)

    def texts(self):
        return [record.getMessage() for record in self.kept.records]

    def test_a_request_is_told_from_debug_on(self):
        for level, count in ((logging.WARNING, 0), (logging.INFO, 0), (logging.DEBUG, 1), (logging.CRITICAL, 1)):
            LOGGER.setLevel(level)
            proofmill.ntt("goldilocks", [3, 1, 0, 0])
            self.assertEqual(len(self.kept.records), count, self.texts())
        record = self.kept.records[0]
        self.assertRegex(record.getMessage(), r"^operation capability=ntt \(goldilocks\) device=cpu:: done ms=[\d.]+$")
        self.assertEqual((record.name, record.levelno, record.levelname), ("proofmill", logging.DEBUG, "DEBUG"))
        self.assertEqual(record.proofmill["spans"], [("operation", {"capability": "ntt (goldilocks)", "device": "cpu:"})])
        self.assertGreaterEqual(float(record.proofmill["ms"]), 0)
        logging.disable(logging.DEBUG)
        self.addCleanup(logging.disable, logging.NOTSET)
        LOGGER.setLevel(logging.DEBUG)
        proofmill.ntt("goldilocks", [3, 1, 0, 0])
        self.assertEqual(len(self.kept.records), 1)

    def test_phases_of_proofs_on_all_threads(self):
        LOGGER.setLevel(logging.DEBUG)
        prover = proofmill.Prover(self.folder / "INSECURE.zkey")
        prover.prove(self.folder / "witness.wtns")
        done = [text for text in self.texts() if text.startswith("proof curve=bn254: phase step=") and ": done ms=" in text]
        for step in ("MSM A", "MSM B1", "MSM B2", "MSM C", "rows", "quotient", "MSM H", "assembly", "check"):
            self.assertTrue(any(f"step={step}:" in text for text in done), (step, self.texts()))
        self.assertTrue(any(": operation capability=msm (bn254_g2)" in text for text in self.texts()), self.texts())
        self.kept.records.clear()
        prover.prove_batch([self.folder / "witness.wtns"] * 8)
        self.assertEqual(sum("proof curve=bn254: done ms=" in text for text in self.texts()), 8, self.texts())
        witness = (self.folder / "witness.wtns").read_bytes()
        value = str(int.from_bytes(witness[-32:], "little"))
        self.assertFalse(any(value in text or witness[-32:].hex() in text for text in self.texts()), "a witness is logged")

    def test_handlers_that_submit_requests_and_raise_are_harmless(self):
        # Regression: the handler's own requests were logged to it, which overflowed the stack.
        class Submits(logging.Handler):
            def emit(self, record):
                proofmill.ntt("bn254_fr", [1])
                raise ZeroDivisionError

        seen, hook = [], sys.unraisablehook
        sys.unraisablehook = lambda raised: seen.append(raised.exc_type)
        handler = Submits()
        LOGGER.addHandler(handler)
        try:
            LOGGER.setLevel(logging.DEBUG)
            self.assertEqual(proofmill.ntt("bn254_fr", [1]), [1])
        finally:
            LOGGER.removeHandler(handler)
            sys.unraisablehook = hook
        self.assertEqual(seen, [ZeroDivisionError])
        self.assertEqual(len(self.kept.records), 1, self.texts())

    def test_threads_that_prove_drop_and_log_end(self):
        program = (
            "import logging, sys, threading, proofmill\n"
            "logging.basicConfig(level=logging.DEBUG, stream=open('log.txt', 'w'))\n"
            "def work():\n"
            "    for _ in range(6):\n"
            "        prover = proofmill.Prover('INSECURE.zkey', device='cpu:?threads=2')\n"
            "        prover.prove('witness.wtns')\n"
            "        del prover\n"
            "        proofmill.Device('cpu:?threads=2').ntt('bn254_fr', [1] * 4096)\n"
            "threads = [threading.Thread(target=work) for _ in range(4)]\n"
            "[thread.start() for thread in threads]\n"
            "[thread.join() for thread in threads]\n"
            "kept = proofmill.Device('cpu:')  # dropped while the interpreter ends\n"
        )
        done = subprocess.run([sys.executable, "-c", program], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertEqual((self.folder / "log.txt").read_text().count("proof curve=bn254: done ms="), 24)

    def test_who_sets_up_nothing_reads_nothing(self):
        program = "import proofmill; proofmill.ntt('goldilocks', [1])"
        done = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertTrue(any(isinstance(handler, logging.NullHandler) for handler in LOGGER.handlers))


if __name__ == "__main__":
    unittest.main()

"""Processes that are forked from one that has used the library, or is using it: they compute with the objects of their parent and with their own.

Each case is a program of its own, whose children have a generous limit: without threads of their own they would hang for ever.
"""

import re
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

from check_proofs import PROOFMILL, ROOT

#: Seconds after which a child hangs.
HANGS = 300

PRELUDE = f"""
import multiprocessing, os, signal, sys, threading, time, traceback, warnings
import proofmill
warnings.simplefilter("ignore", DeprecationWarning)  # of a fork beside threads, which is what this is about

def child(work):
    '''Runs work in a forked child and returns whether it ended well.'''
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        signal.alarm({HANGS})
        try:
            work()
            status = 0
        except BaseException:
            traceback.print_exc()
            status = 1
        sys.stdout.flush()
        os._exit(status)
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status):
        print("the child hangs" if os.WTERMSIG(status) == signal.SIGALRM else "the child died")
    return status == 0

def checked(prover, witness="witness.wtns"):
    made = prover.prove(witness)
    assert proofmill.verify("verification_key.json", made)
    assert prover.verifying_key.verify_batch([made] * 3) == [True] * 3
    return made
"""


class Forks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        command = [PROOFMILL, "dev", "circuit", "chain", "--constraints", "3000", "--out", cls.folder]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def run_program(self, program, *arguments):
        command = [sys.executable, "-c", PRELUDE + textwrap.dedent(program), *arguments]
        done = subprocess.run(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=20 * HANGS)
        self.assertEqual((done.returncode, done.stdout[-3000:].split("\n")[-2:]), (0, ["right", ""]), done.stdout[-3000:])

    def test_after_a_proof(self):
        self.run_program("""
            prover = proofmill.Prover("INSECURE.zkey")
            checked(prover)
            assert child(lambda: checked(prover))
            assert child(lambda: checked(proofmill.Prover("INSECURE.zkey", device="cpu:?threads=2", resident=False)))
            assert child(lambda: [checked(prover) for _ in range(2)] and child(lambda: checked(prover)) or os._exit(3))

            def batch():
                assert prover.verifying_key.find_invalid(prover.prove_batch(["witness.wtns"] * 4)) == []
            batch()
            assert child(batch)
            checked(prover)
            print("right")
        """)

    def test_a_pool_of_processes(self):
        self.run_program("""
            prover = proofmill.Prover("INSECURE.zkey")
            checked(prover)

            def work(number):
                return number, checked(prover), os.getpid()
            with multiprocessing.get_context("fork").Pool(3) as pool:
                made = pool.map_async(work, range(9), chunksize=1).get(600)
            assert [number for number, _, _ in made] == list(range(9))
            assert all(proofmill.verify("verification_key.json", proof) for _, proof, _ in made)
            assert os.getpid() not in {pid for _, _, pid in made}
            print("right")
        """)

    def test_in_the_middle_of_proofs(self):
        self.run_program("""
            prover, stop, step = proofmill.Prover("INSECURE.zkey"), threading.Event(), threading.Semaphore(0)

            def prove():
                while not stop.is_set():
                    prover.prove("witness.wtns", progress=lambda name, part: step.release())
            threads = [threading.Thread(target=prove) for _ in range(2)]
            for thread in threads:
                thread.start()
            try:
                for number in range(12):
                    for _ in range(1 + 3 * number):
                        step.acquire()
                    assert child(lambda: checked(prover)), number
                assert child(lambda: checked(proofmill.Prover("INSECURE.zkey")))
            finally:
                stop.set()
                for thread in threads:
                    thread.join()
            checked(prover)
            print("right")
        """)

    def test_in_the_middle_of_a_first_proof_and_of_logging(self):
        self.run_program("""
            import logging
            logging.basicConfig(level=logging.DEBUG, stream=open(os.devnull, "w"))
            started, go_on = threading.Event(), threading.Event()

            def held(step, part):
                started.set()
                go_on.wait()
            thread = threading.Thread(target=lambda: proofmill.prove("INSECURE.zkey", "witness.wtns", progress=held))
            thread.start()
            started.wait()
            try:
                assert child(lambda: checked(proofmill.Prover("INSECURE.zkey")))
            finally:
                go_on.set()
                thread.join()
            print("right")
        """)

    def test_from_a_progress_function(self):
        """On a thread of the library, which is the only one in the child."""
        self.run_program("""
            prover, ended = proofmill.Prover("INSECURE.zkey"), []

            def progress(step, part):
                if step not in steps:
                    steps.add(step)
                    ended.append(child(lambda: checked(prover)))
            steps = set()
            prover.prove("witness.wtns", progress=progress)
            assert len(ended) > 5 and all(ended), ended
            print("right")
        """)

    def test_every_operation(self):
        """First in the parent, then in the child with the parent's objects."""
        self.run_program("""
            import json
            from proofmill.compat.py_ecc import bls12_381, bn128
            root = sys.argv[1]
            device = proofmill.Device("cpu:?threads=2")
            bases = device.bases("bn254_g1", [(1, 2)] * 3000)
            header = bytes.fromhex(open(f"{root}/examples/headers/mainnet-346.hex").read().strip())
            signature = json.loads(open(f"{root}/examples/signatures/mainnet.jsonl").readline())
            signature = tuple(bytes.fromhex(signature[name]) for name in ("key", "der")) + (bytes(32),)
            key = bytes.fromhex("a491d1b0ecd9bb917989f0e74f0dea0422eac4a873e5e2644f368dffb9a6e20fd6e10c1b77654d067c0618f6e5a7f79a")
            signed = bytes.fromhex(
                "b6ed936746e01f8ecf281f020953fbf1f01debd5657c4a383940b020b26507f6076334f91e2366c96e9ab279fb515809"
                "0352ea1c5b0c9274504f4f0e7053af24802e51e4568d164fe986834f41e55c8e850ce1f98458c0cfc9ab380b55285a55")
            operations = {
                "msm": lambda: device.msm("bls12_381_g1", [bls12_381.G1] * 300, range(300)),
                "bases": lambda: bases.msm_batch([range(3000)] * 2),
                "new bases": lambda: len(device.bases("bn254_g2", [bn128.G2] * 100)),
                "ntt": lambda: device.ntt("bn254_fr", list(range(1 << 13))),
                "poseidon": lambda: device.poseidon(list(range(400)), 2),
                "ecdsa": lambda: device.ecdsa_verify_batch([signature] * 100),
                "equihash": lambda: device.equihash_verify_batch([header] * 5),
                "shared device": lambda: proofmill.ntt("goldilocks", list(range(1 << 12))),
                "pairing": lambda: proofmill.pairing("bn254", [bn128.G1] * 200, [bn128.G2] * 200),
                "bls": lambda: proofmill.bls_find_invalid([(key, bytes(32), signed)] * 3 + [(key, b"", signed)]),
                "key": lambda: proofmill.VerifyingKey("verification_key.json").curve,
                "devices": proofmill.devices,
            }
            expected = {name: operation() for name, operation in operations.items()}
            for name, operation in operations.items():
                def work():
                    assert operation() == expected[name]
                assert child(work), name

            def all_of_them():
                assert {name: operation() for name, operation in operations.items()} == expected
            assert child(all_of_them)
            print("right")
        """, str(ROOT))

    def test_a_device_elsewhere_says_what_to_do(self):
        server = subprocess.Popen([PROOFMILL, "device-server", "--listen", "127.0.0.1:0", "--threads", "1"],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            port = re.search(r"127\.0\.0\.1:(\d+)", server.stdout.readline())[1]
            self.run_program("""
                uri = f"tcp://127.0.0.1:{sys.argv[1]}"
                device, values = proofmill.Device(uri), list(range(1 << 12))
                expected = device.ntt("goldilocks", values)

                def work():
                    try:
                        device.ntt("goldilocks", values)
                    except proofmill.DeviceError as error:
                        assert "opened before this process was forked" in str(error) and "open the device in this process" in str(error), error
                    else:
                        raise AssertionError("no error")
                    globals().pop("device")
                    assert proofmill.Device(uri).ntt("goldilocks", values) == expected
                assert child(work)
                assert device.ntt("goldilocks", values) == expected, "the parent's connection lives on"
                print("right")
            """, port)
        finally:
            server.terminate()
            server.wait()
            server.stdout.close()


if __name__ == "__main__":
    unittest.main()

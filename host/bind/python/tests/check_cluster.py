"""The cluster, with two Ray nodes on this machine: results, wrong inputs, faults of workers and nodes, and drivers that are killed.

Every wait ends with an event; the limits are only there to end a program that hangs.
"""

import collections
import importlib.util
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
from pathlib import Path

import proofmill
from check_proofs import PROOFMILL, ROOT

if importlib.util.find_spec("ray") is None:
    raise unittest.SkipTest("the cluster: Ray is missing; pip install 'proofmill[ray]'")

from proofmill import cluster  # noqa: E402
from proofmill.cluster._outcome import Outcome  # noqa: E402
from proofmill.cluster._workers import Worker  # noqa: E402
from ray import cloudpickle  # noqa: E402
from ray.cluster_utils import Cluster as Nodes  # noqa: E402

sys.path.insert(0, str(ROOT / "tools"))

import circom_files  # noqa: E402

#: Seconds after which a program hangs.
HANGS = 600
GROUP, POINTS = "bn254_g1", 700
# Workers have no path to this module.
cloudpickle.register_pickle_by_value(sys.modules[__name__])


#: The Ray nodes of all tests: a head without CPUs, and two nodes with one each.
NODES = []


def setUpModule():
    try:
        NODES.append(started(lambda: Nodes(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})))
    except Exception as problem:
        print(f"SKIPPED the cluster: Ray does not start on this machine: {problem}")
        raise unittest.SkipTest("Ray does not start") from None
    unittest.addModuleCleanup(NODES.pop)
    unittest.addModuleCleanup(NODES[0].shutdown)
    for _ in range(2):
        started(lambda: NODES[0].add_node(num_cpus=1))


def started(start):
    """Starts a Ray node. Ray ends the start after 30 s, which a busy machine may need, so it is repeated."""
    for _ in range(9):
        try:
            return start()
        except Exception as problem:
            if "timed out during startup" not in str(problem):
                raise
    return start()


def changed(proof):
    """A proof that a worker did not make for its witness: another public input."""
    return proofmill.Proof(proof.proof, [str(int(value) ^ 1) for value in proof.public_inputs])


class Liar(Worker):
    """Returns a wrong value for each job."""

    def prove(self, key, kind, witness):
        proof = super().prove(key, kind, witness).value
        return Outcome("value", changed(proof))

    def verify(self, verification_key, claims):
        return Outcome("value", [0])

    def msm(self, bases, lists, scalars):
        point = super().msm(bases, lists, scalars).value
        return Outcome("value", proofmill.Device().msm(bases.group, point, b"".join((2).to_bytes(32, "little") for _ in range(lists))))


class Replayer(Worker):
    """Returns its first proof for each witness."""

    def prove(self, key, kind, witness):
        self.first = getattr(self, "first", None) or super().prove(key, kind, witness)
        return self.first


class Refuser(Worker):
    """Reports that valid inputs are not."""

    def prove(self, key, kind, witness):
        return Outcome("error", error="DoesNotVerifyError", text="the witness does not satisfy the circuit")


class Fragile(Worker):
    """Ends its own process in the middle of the first job with this key on the machine."""

    def prove(self, key, kind, witness):
        try:
            os.close(os.open(f"{key.zkey}.ended", os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return super().prove(key, kind, witness)
        os._exit(1)


class Sleeper(Worker):
    """Does not end a job until it is cancelled."""

    def full_prove(self, key, inputs):
        return self._respond(key, lambda _: time.sleep(HANGS))


class Ending(Worker):
    """Ends its own process in each job."""

    def full_prove(self, key, inputs):
        os._exit(1)


class Mixed(cluster.Cluster):
    """A cluster whose first worker has another class."""

    first = Worker

    def _kind(self, number):
        return self.first if number == 0 else Worker


class ClusterCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        for name, constraints in (("one", 60), ("other", 30)):
            command = [PROOFMILL, "dev", "circuit", "chain", "--constraints", str(constraints), "--out", cls.folder / name]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        cls.zkey, cls.witness = cls.folder / "one/INSECURE.zkey", (cls.folder / "one/witness.wtns").read_bytes()
        cls.key = cluster.Key(cls.zkey)
        cls.nodes = NODES[0]

    def connected(self, kind=Worker, workers=2):
        """Returns a cluster whose first worker has a class, when all workers are ready."""
        connection = type("Connection", (Mixed,), {"first": kind})(self.nodes.address, workers=workers)
        self.addCleanup(connection.close)
        connection._scheduler.wait_started(HANGS, workers)
        return connection

    def check_proofs(self, results, count):
        """Checks that there is exactly one valid proof for each number."""
        self.assertEqual(sorted(result.number for result in results), list(range(count)))
        self.assertEqual(self.key.verifying_key.find_invalid([result.proof for result in results]), [])


class Results(ClusterCase):
    def test_results(self):
        connection = self.connected()
        for check in (self.proofs, self.witnesses, self.verdicts, self.msms, self.wrong_inputs, self.job_files, self.command):
            with self.subTest(check.__name__):
                check(connection)
        self.assertEqual({status.state for status in connection.workers()}, {"ready"})
        connection.close()
        with self.assertRaisesRegex(proofmill.DeviceError, "closed"):
            next(connection.prove_many(self.key, [self.witness]))

    def proofs(self, connection):
        reads, reports = [], []
        witnesses = (reads.append(number) or self.witness for number in range(40))
        results = connection.prove_many(self.key, witnesses, progress=lambda done, read: reports.append((done, read)))
        found = [next(results)]
        self.assertLessEqual(len(reads), 7, "inputs are read lazily")
        found += results
        self.check_proofs(found, 40)
        self.assertEqual({result.worker for result in found}, {"worker-0", "worker-1"})
        self.assertEqual([done for done, _ in reports], list(range(1, 41)))
        # A generator without an end is closed; the next call works.
        endless = connection.prove_many(self.key, iter(lambda: self.witness, None))
        self.assertTrue(next(endless).proof)
        endless.close()
        # Values, and a priority beside a call of another.
        low = connection.prove_many(self.key, [self.witness] * 8, priority=-1)
        found = [next(low)]
        self.check_proofs(list(connection.prove_many(self.key, [self.folder / "one/witness.wtns"], priority=1)), 1)
        self.check_proofs(found + list(low), 8)

    def witnesses(self, connection):
        files = circom_files.folder()
        inputs = json.loads((files / "input.json").read_text())
        for protocol in circom_files.PROTOCOLS:
            key = cluster.Key(files / f"{protocol}.zkey", wasm=files / "circuit.wasm", verification_key=files / f"{protocol}.json")
            given = [inputs, files / "input.json", {"factors": [1]}, json.dumps(inputs)]
            found = {result.number: result for result in connection.full_prove_many(key, given, errors="return")}
            self.assertRegex(str(found[2].error), r"^inputs\[2\]: .*factors")
            for number in (0, 1, 3):
                self.assertTrue(proofmill.verify(files / f"{protocol}.json", found[number].proof))
        with self.assertRaisesRegex(proofmill.ArgumentError, "key: has no wasm"):
            connection.full_prove_many(self.key, [inputs])

    def verdicts(self, connection):
        proof = proofmill.prove(self.zkey, self.witness)
        proofs = [proof, changed(proof), (proof.proof, proof.public_inputs), ("{}", "[]"), 7] + [proof] * 20
        for confirm in (0, 1):
            found = {v.number: v for v in connection.verify_many(self.key, proofs, group=5, confirm=confirm, errors="return")}
            self.assertEqual(len(found), len(proofs))
            self.assertEqual([found[number].is_valid for number in range(25)], [True, False, True, None, None] + [True] * 20)
            self.assertRegex(str(found[3].error), r"^proofs\[3\]: proof: .*pi_a")
            self.assertRegex(str(found[4].error), r"^proofs\[4\]: int")
        by_path = connection.verify_many(self.folder / "one/verification_key.json", proofs[:2])
        self.assertEqual([verdict.is_valid for verdict in by_path], [True, False])

    def msms(self, connection):
        bases, points = self.bases()
        lists = [[pow(7, number + row, 1 << 250) for number in range(POINTS)] for row in range(3)]
        expected = [proofmill.msm(GROUP, points, b"".join(k.to_bytes(32, "little") for k in scalars)) for scalars in lists]
        numbers = [tuple(int.from_bytes(point[at : at + 32], "little") for at in (0, 32)) for point in expected]
        for confirm in ("workers", "driver", "none"):
            self.assertEqual(connection.msm_batch(bases, lists, confirm=confirm), numbers)
            self.assertEqual(connection.msm(bases, lists[0], confirm=confirm), numbers[0])
        self.assertIsNone(connection.msm(bases, [0] * POINTS))
        self.assertEqual(connection.msm_batch(bases, []), [])
        order = cluster._msm.ORDERS["bn254"]
        for error, message, attempt in (
            (proofmill.ArgumentError, "lists.0.: 699 scalars for 700 points", lambda: connection.msm(bases, [1] * 699)),
            (proofmill.ArgumentError, "scalars 350 to 699: scalars", lambda: connection.msm(bases, [1] * 400 + [order] * 300)),
            (proofmill.ArgumentError, "confirm", lambda: connection.msm(bases, lists[0], confirm="nobody")),
            (proofmill.ArgumentError, "bases: int", lambda: connection.msm(7, lists[0])),
            (proofmill.FileError, "multiple of 96", lambda: cluster.Bases("bls12_381_g1", bases.path)),
        ):
            with self.assertRaisesRegex(error, message):
                attempt()

    def bases(self):
        path = self.folder / "points"
        if not path.exists():
            command = [PROOFMILL, "points", "generate", "--curve", "bn254", "--group", "g1", "--count", str(POINTS), path]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return cluster.Bases(GROUP, path), path.read_bytes()

    def wrong_inputs(self, connection):
        wrong = self.witness[:-32] + bytes([self.witness[-32] ^ 1]) + self.witness[-31:]
        given = [self.witness, wrong, b"", self.folder / "other/witness.wtns", self.folder / "nowhere", 7, self.witness]
        found = {result.number: result for result in connection.prove_many(self.key, given, errors="return")}
        self.assertEqual([found[number].proof is None for number in range(7)], [False, True, True, True, True, True, False])
        kinds = (proofmill.DoesNotVerifyError, proofmill.FileError, proofmill.ArgumentError, proofmill.FileError, proofmill.ArgumentError)
        for number, kind in enumerate(kinds, 1):
            self.assertIsInstance(found[number].error, kind)
            self.assertIn(f"witnesses[{number}]: ", str(found[number].error))
        found = []
        with self.assertRaises(proofmill.DoesNotVerifyError):
            found += connection.prove_many(self.key, [self.witness, wrong])
        for message, attempt in (
            ("key: str", lambda: connection.prove_many("key", [])),
            ("witnesses: str", lambda: connection.prove_many(self.key, "witness.wtns")),
            ("deadline: 0", lambda: connection.prove_many(self.key, [], deadline=0)),
            ("progress: int", lambda: connection.prove_many(self.key, [], progress=1)),
            ("errors: 'none'", lambda: connection.prove_many(self.key, [], errors="none")),
            ("confirm: 2", lambda: connection.verify_many(self.key, [], confirm=2)),
            ("group: 0", lambda: connection.verify_many(self.key, [], group=0)),
            ("workers: 9 of 1 CPUs each; the cluster has capacity for 2", lambda: cluster.connect(self.nodes.address, workers=9)),
            ("workers: 0", lambda: cluster.connect(workers=0)),
            ("address: int", lambda: cluster.connect(7)),
            ("zkey: bytes", lambda: cluster.Key(b"")),
        ):
            with self.assertRaisesRegex(proofmill.ArgumentError, message):
                attempt()
        # No worker accepts a key that has changed since its hash was taken; the workers remain usable for others.
        path = self.folder / "changed.zkey"
        path.write_bytes(self.zkey.read_bytes())
        key = cluster.Key(path)
        path.write_bytes((self.folder / "other/INSECURE.zkey").read_bytes())
        with self.assertRaisesRegex(proofmill.FileError, f"zkey: .*changed.zkey: has the SHA-256 .*; expected {key.sha256}"):
            list(connection.prove_many(key, [self.witness]))

    def job_files(self, connection):
        path = self.folder / "jobs.sqlite"
        first = list(connection.prove_many(self.key, [self.witness] * 4, jobs=path))
        self.assertEqual(path.stat().st_mode & 0o777, 0o600)
        other = (self.folder / "one/witness.wtns").read_bytes() + b"\0" * 12
        again = list(connection.prove_many(self.key, [self.witness] * 6, jobs=path))
        self.check_proofs(again, 6)
        self.assertEqual([result.is_resumed for result in sorted(again, key=lambda result: result.number)], [True] * 4 + [False] * 2)
        self.assertEqual({r.number: r.proof.proof for r in first}, {r.number: r.proof.proof for r in again if r.is_resumed})
        # A recorded proof that is not valid is made again.
        with sqlite3.connect(path) as database:
            database.execute("UPDATE jobs SET result = ? WHERE number = 2", (json.dumps({"proof": {}, "public_inputs": []}),))
        database.close()
        self.assertEqual([r.number for r in connection.prove_many(self.key, [self.witness] * 6, jobs=path) if not r.is_resumed], [2])
        self.assertNotIn(self.witness[-64:], path.read_bytes())
        self.refused_job_files(connection, path, other)
        verdicts = self.folder / "verdicts.sqlite"
        for is_resumed in (False, True):
            found = list(connection.verify_many(self.key, [first[0].proof, changed(first[0].proof)], jobs=verdicts))
            self.assertEqual([(v.is_valid, v.is_resumed) for v in sorted(found, key=lambda v: v.number)], [(True, is_resumed), (False, is_resumed)])

    def refused_job_files(self, connection, path, other):
        content = path.read_bytes()
        wrong = {"truncated": content[: len(content) // 2], "short": content[:700], "empty": b"", "text": b"job file " * 100}
        for name, part in wrong.items():
            (self.folder / name).write_bytes(part)
        with sqlite3.connect(self.folder / "database") as database:
            database.execute("CREATE TABLE jobs (number)")
        database.close()
        key = cluster.Key(self.folder / "other/INSECURE.zkey")
        for name, message in (("truncated", "damaged"), ("short", "damaged"), ("empty", "is empty"), ("text", "no job file"),
                              ("database", "no job file"), (".", "unable to open")):
            with self.assertRaisesRegex(proofmill.FileError, f"jobs: .*{name}: .*{message}"):
                connection.prove_many(self.key, [], jobs=self.folder / name)
        with self.assertRaisesRegex(proofmill.FileError, "jobs.sqlite: belongs to another key"):
            connection.prove_many(key, [], jobs=path)
        with self.assertRaisesRegex(proofmill.FileError, "jobs.sqlite: belongs to the operation prove"):
            connection.verify_many(self.key, [], jobs=path)
        with self.assertRaisesRegex(proofmill.FileError, "jobs.sqlite: belongs to other inputs: job 1 "):
            list(connection.prove_many(self.key, [self.witness, other], jobs=path))
        results = connection.prove_many(self.key, [self.witness], jobs=path)
        with self.assertRaisesRegex(proofmill.FileError, "jobs.sqlite: is in use"):
            connection.prove_many(self.key, [self.witness], jobs=path)
        self.assertEqual(len(list(results)), 1)
        with self.assertRaisesRegex(proofmill.ArgumentError, "jobs: int"):
            connection.prove_many(self.key, [], jobs=7)

    def command(self, connection):
        """The command, beside the workers of this process: wrong usage, and what needs no worker."""
        out, vkey = self.folder / "out", self.folder / "one/verification_key.json"
        address = ["--address", self.nodes.address]
        for status, message, arguments in (
            (2, "COMMAND", []),
            (2, "--workers", ["prove", "k", "w", "--out", "o", "--workers", "many"]),
            (2, "--out", ["prove", self.zkey, "w"]),
            (2, "PROOF", ["verify", vkey, "one"]),
            (1, "zkey: .*nowhere", ["prove", "nowhere", "w", "--out", out]),
            (1, "verification_key: .*nowhere", ["verify", "nowhere", "proof.json", "public.json"]),
            (1, r"workers: 9 of 1 CPUs each", ["prove", self.zkey, self.folder / "one/witness.wtns", "--out", out, "--workers", "9", *address]),
        ):
            done = self.execute(*arguments)
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertRegex(done.stderr.strip().splitlines()[-1], f"^proofmill.cluster.*{message}")
            self.assertNotIn("Traceback", done.stderr)
        done = self.execute("status", *address)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, "(?m)^2 of 2 CPUs .*in use")

    def execute(self, *arguments):
        command = [sys.executable, "-m", "proofmill.cluster", *map(str, arguments)]
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=HANGS)


class Faults(ClusterCase):
    def test_wrong_workers_are_found_by_their_first_result(self):
        bases, points = Results.bases(self)
        scalars = b"".join(pow(5, number, 1 << 250).to_bytes(32, "little") for number in range(POINTS))
        expected = proofmill.msm(GROUP, points, scalars)
        proof = proofmill.prove(self.zkey, self.witness)
        for kind, compute in (
            (Liar, lambda c: self.check_proofs(list(c.prove_many(self.key, [self.witness] * 12)), 12)),
            (Refuser, lambda c: self.check_proofs(list(c.prove_many(self.key, [self.witness] * 12)), 12)),
            (Liar, lambda c: self.assertEqual({v.is_valid for v in c.verify_many(self.key, [proof] * 12, group=2)}, {True})),
            (Liar, lambda c: self.assertEqual(c.msm(bases, scalars), expected)),
            (Liar, lambda c: self.assertEqual(c.msm(bases, scalars, confirm="driver"), expected)),
        ):
            with self.subTest(kind=kind.__name__):
                connection = self.connected(kind)
                with self.assertLogs("proofmill", "WARNING") as logged:
                    compute(connection)
                first, second = connection.workers()
                self.assertEqual((first.state, second.state), ("quarantined", "ready"))
                self.assertLessEqual(first.finished, 2 if "MSM" in first.reason else 0)
                self.assertIn("worker-0", "".join(logged.output))
                connection.close()

    @unittest.skipUnless(os.environ.get("PROOFMILL_LONG"), "make test-long runs it")
    def test_a_valid_proof_of_another_witness_is_wrong(self):
        files, witnesses = circom_files.folder(), []
        inputs = json.loads((files / "input.json").read_text())
        for number in range(2):
            given, witness = self.folder / f"{number}.json", self.folder / f"{number}.wtns"
            given.write_text(json.dumps({"factors": [str(number + 5), *inputs["factors"][1:]]}))
            subprocess.run([PROOFMILL, "witness", "calculate", files / "circuit.wasm", given, "-o", witness], check=True, stdout=subprocess.DEVNULL)
            witnesses.append(witness)
        for protocol in circom_files.PROTOCOLS:
            connection = self.connected(Replayer)
            key = cluster.Key(files / f"{protocol}.zkey")
            # Both workers are ready, so the first one has the jobs 0 and 2.
            results = list(connection.prove_many(key, [witnesses[0], witnesses[0], witnesses[1], witnesses[1]]))
            self.assertEqual(len({tuple(result.proof.public_inputs) for result in results}), 2)
            self.assertEqual([status.state for status in connection.workers()], ["quarantined", "ready"])
            self.assertIn("witnesses[2]: the proof has other public inputs than the witness", connection.workers()[0].reason)
            connection.close()

    @unittest.skipUnless(os.environ.get("PROOFMILL_LONG"), "make test-long runs it")
    def test_a_process_that_ends_is_started_again(self):
        connection = self.connected(Fragile)
        self.check_proofs(list(connection.prove_many(self.key, [self.witness] * 12)), 12)
        self.assertTrue(Path(f"{self.zkey}.ended").exists())
        connection.close()

    @unittest.skipUnless(os.environ.get("PROOFMILL_LONG"), "make test-long runs it")
    def test_a_deadline_ends_a_job(self):
        files = circom_files.folder()
        key = cluster.Key(files / "groth16.zkey", wasm=files / "circuit.wasm")
        for kind in (Sleeper, Ending):
            with self.subTest(kind=kind.__name__):
                connection = self.connected(kind, workers=1)
                with self.assertRaisesRegex(proofmill.DeviceTimeoutError, r"inputs\[0\]: no result within the deadline"):
                    list(connection.full_prove_many(key, [{}], deadline=1))
                # The worker has cancelled it.
                self.check_proofs(list(connection.prove_many(self.key, [self.witness])), 1)
                (status,) = connection.workers()
                self.assertEqual((status.state, status.running, status.finished), ("ready", 0, 1))
                connection.close()

    def test_a_driver_that_is_killed_continues(self):
        """It is killed after some results; what they contain is not computed again."""
        path = self.folder / "killed.sqlite"
        witnesses = [self.folder / f"w{number}.wtns" for number in range(20)]
        for witness in witnesses:
            witness.write_bytes(self.witness)
        program = textwrap.dedent("""
            import os, signal, sys
            from proofmill import cluster
            address, zkey, jobs, *witnesses = sys.argv[1:]
            with cluster.connect(address, workers=2) as c:
                for number, result in enumerate(c.prove_many(cluster.Key(zkey), witnesses, jobs=jobs)):
                    if number == 6:
                        os.kill(os.getpid(), signal.SIGKILL)
        """)
        command = [sys.executable, "-c", program, self.nodes.address, self.zkey, path, *witnesses]
        self.assertEqual(subprocess.run(command, timeout=HANGS, stderr=subprocess.DEVNULL).returncode, -9)
        with sqlite3.connect(path) as database:
            recorded = dict(database.execute("SELECT number, result FROM jobs WHERE state = 'done'"))
        database.close()
        self.assertGreaterEqual(len(recorded), 7)
        self.assertLess(len(recorded), 20)
        out = self.folder / "killed"
        address = ["--address", self.nodes.address]
        done = Results.execute(self, "prove", self.zkey, *witnesses, "--out", out, "--jobs", path, *address)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"20 proofs, {len(recorded)} of them from {path}", done.stdout)
        for number, result in recorded.items():
            self.assertEqual(json.loads((out / f"w{number}.proof.json").read_text()), json.loads(result)["proof"])
        files = [(out / f"w{number}.proof.json", out / f"w{number}.public.json") for number in range(20)]
        self.assertEqual(self.key.verifying_key.find_invalid(files), [])
        (out / "w3.public.json").write_text(json.dumps(["1"]))
        done = Results.execute(self, "verify", self.folder / "one/verification_key.json", out, *address)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("w3.proof.json: invalid", done.stdout)
        self.assertIn("19 of 20 proofs are valid", done.stdout)

    def test_a_node_that_is_lost(self):
        node = started(lambda: self.nodes.add_node(num_cpus=1))
        self.nodes.wait_for_nodes(HANGS)
        connection = self.connected(workers=3)
        (lost,) = (status.name for status in connection.workers() if status.node == node.node_id)
        found = []
        for result in connection.prove_many(self.key, [self.witness] * 64):
            found.append(result)
            if len(found) == 10:
                self.nodes.remove_node(node, allow_graceful=False)
        self.check_proofs(found, 64)
        self.assertLess(collections.Counter(result.worker for result in found)[lost], 32)
        # No node has a CPU for its replacement.
        self.assertEqual({status.name: status.state for status in connection.workers()}[lost], "starting")
        connection.close()


class Page(ClusterCase):
    def test_the_example(self):
        """The example of docs/use/cluster.md, unchanged: it starts Ray."""
        (example,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs/use/cluster.md").read_text(), re.S)
        work = self.folder / "page"
        work.mkdir()
        (work / "circuit.zkey").symlink_to(self.zkey)
        (work / "witness.wtns").symlink_to(self.folder / "one/witness.wtns")
        done = started(lambda: self.run_example(example, work))
        self.assertEqual(done.returncode, 0, done.stdout)
        proofs = [(work / f"{number}.proof.json", work / f"{number}.public.json") for number in range(8)]
        self.assertEqual(self.key.verifying_key.find_invalid(proofs), [])

    def run_example(self, example, work):
        command = [sys.executable, "-c", example]
        done = subprocess.run(command, cwd=work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=HANGS)
        if "timed out during startup" in done.stdout:
            raise TimeoutError(done.stdout)
        return done


class Imports(unittest.TestCase):
    def test_ray_is_optional(self):
        program = textwrap.dedent("""
            import sys
            import proofmill
            assert "ray" not in sys.modules
            sys.modules["ray"] = None
            try:
                import proofmill.cluster
            except ImportError as problem:
                print(problem)
        """)
        done = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=HANGS)
        self.assertRegex(done.stdout, r"^proofmill.cluster: Ray is missing .*pip install 'proofmill\[ray\]'\n$")


if __name__ == "__main__":
    unittest.main()

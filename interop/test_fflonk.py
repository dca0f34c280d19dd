"""FFLONK: proofmill and snarkjs accept each other's proofs, write the same files and refuse the same forgeries."""

import json
import unittest

import circuits
import test_interop
from programs import done, max_memory, proofmill


class Fflonk(test_interop.Agreement):
    """A circuit with a key for FFLONK."""

    #: Only the contract of snarkjs reads `inv`; its program does not.
    UNREAD = "inv"

    def forgeries(self, proof, public):
        """Changed proofs and public values by name, each with our exit code."""
        values = proof["evaluations"]
        name = "zw"
        yield f"another {name}", self.with_value(proof, name, int(values[name]) + 1), public, 1

    @staticmethod
    def with_value(proof, name, value):
        return {**proof, "evaluations": {**proof["evaluations"], name: str(value % 2**250)}}

    def test_forgeries_are_refused_by_both(self):
        proof, public = (json.loads(path.read_text()) for path in self.ours)
        for name, changed, values, ours in self.forgeries(proof, public):
            with self.subTest(name):
                verdict, theirs = self.forged(changed, values)
                self.assertEqual(verdict, ours)
                self.assertNotEqual(theirs, 0)
        changed = self.with_value(proof, self.UNREAD, int(proof["evaluations"][self.UNREAD]) + 1)
        self.assertEqual(self.forged(changed, public)[0], 1)

    def test_a_batch_of_both_proofs_is_valid(self):
        files = [path for proof, public in (self.ours, self.theirs) for path in (public, proof)]
        result = proofmill("verify", "--batch", self.made.vkey, *files)
        self.assertEqual((result.returncode, result.stdout.count(": valid")), (0, 2), result.stdout)

    def test_a_proof_takes_the_memory_of_its_plan(self):
        files = self.folder / "planned.json", self.folder / "planned_public.json"
        report = json.loads(done(proofmill("prove", "--json", self.made.zkey, self.made.wtns, "-o", files[0], "--public", files[1])))
        self.assertLessEqual(report["memory"], max_memory(report))

    def test_the_key_is_described_and_checked(self):
        said = json.loads(done(proofmill("key", "info", "--check", "--json", self.made.zkey)))
        self.assertEqual((said["protocol"], said["checked"]), ("fflonk", True))
        self.assertEqual(said["public_inputs"], len(json.loads(self.ours[1].read_text())))


class FflonkSums(Fflonk, unittest.TestCase):
    POINTS = ("C1", "C2", "W1", "W2")

    maker = staticmethod(circuits.fflonk_sums)

    def forgeries(self, proof, public):
        points = proof["polynomials"]
        for name, other in zip(self.POINTS, (*self.POINTS[1:], "C1")):
            yield f"{other} in place of {name}", {**proof, "polynomials": {**points, name: points[other]}}, public, 1
        x, y, z = points["C2"]
        for name, point, ours in (("minus C2", [x, str(self.p - int(y)), z], 1), ("C2 beside the curve", [y, x, z], 2)):
            yield name, {**proof, "polynomials": {**points, "C2": point}}, public, ours
        for name, value in proof["evaluations"].items():
            if name != self.UNREAD:
                yield f"another {name}", self.with_value(proof, name, int(value) + 1), public, 1
        for i, value in enumerate(public):
            others = [*public[:i], str((int(value) + 1) % 2**250), *public[i + 1:]]
            yield f"another public value {i}", proof, others, 1
        yield "one public value more", proof, [*public, "1"], 2


class FflonkOwn(Fflonk, unittest.TestCase):
    """Circuit, key and witness are our own."""

    @staticmethod
    def maker(folder):
        return circuits.own(folder, "chain", 200, "fflonk")


class FflonkWithoutPublicValues(Fflonk, unittest.TestCase):
    maker = staticmethod(circuits.fflonk_private)


if __name__ == "__main__":
    unittest.main()

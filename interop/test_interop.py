"""proofmill and snarkjs accept each other's proofs, write the same files and refuse the same forgeries.

Each test case is a circuit of circuits.py. `Agreement` has the tests that all of them share.
"""

import hashlib
import json
import os
import tempfile
import tomllib
import unittest
from pathlib import Path

import circuits
from programs import CARDS, ROOT, SEMAPHORE, SLOTS, done, emulates_gpus, max_memory, on_f2, on_pcie, proofmill, snarkjs

#: Circuits of sums over BN254, alone and with quotients, with multipliers by a function.
SUMS, QUOTIENTS = "msm_bn254_twin", "groth16_bn254_small_twin"
NO_SIMULATION = f"no simulation: `make sim CONFIG='{SUMS} {QUOTIENTS} f2_{QUOTIENTS}'` builds it, PROOFMILL_SIM_DIR=target/sim names it"


def verdicts(made, proof, public):
    """The exit codes of both verifiers, ours first."""
    both = proofmill("verify", made.vkey, public, proof), snarkjs(made.protocol, "verify", made.vkey, public, proof)
    return tuple(result.returncode for result in both)


def proved_on(test, made, folder, device, *more):
    """The verdicts on our proof, whose MSMs in G1, and these steps, are this device's."""
    proof, public = folder / "simulated.json", folder / "simulated_public.json"
    done_there = proofmill("prove", made.zkey, made.wtns, "-o", proof, "--public", public, "--device", device, "--no-retry", "--json")
    report = json.loads(done(done_there))
    test.assertEqual([report[what] for what in ("retried", "wrong_answers", "failures")], [None, 0, 0])
    steps = {step["step"]: step["device"] for step in report["steps"]}
    test.assertEqual({steps[step] for step in ("MSM A", "MSM B1", "MSM C", "MSM H", *more)}, {device})
    return verdicts(made, proof, public)


class Agreement:
    """A circuit's two proofs, ours and snarkjs', made once for all of its tests."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.made = circuits.shared(cls.maker)
        cls.p = int(tomllib.loads((ROOT / f"spec/fields/{cls.made.prime}.toml").read_text())["modulus"], 0)
        cls.ours = cls.folder / "ours.json", cls.folder / "ours_public.json"
        cls.theirs = cls.folder / "theirs.json", cls.folder / "theirs_public.json"
        done(proofmill("prove", cls.made.zkey, cls.made.wtns, "-o", cls.ours[0], "--public", cls.ours[1]))
        done(snarkjs(cls.made.protocol, "prove", cls.made.zkey, cls.made.wtns, *cls.theirs))

    def verdicts(self, proof, public):
        return verdicts(self.made, proof, public)

    def forged(self, proof, public, by_both=True):
        """The verdicts on changed values; `None` for that of snarkjs where only ours is requested."""
        paths = self.folder / "forged.json", self.folder / "forged_public.json"
        for path, value in zip(paths, (proof, public)):
            path.write_text(json.dumps(value))
        return self.verdicts(*paths) if by_both else (proofmill("verify", self.made.vkey, paths[1], paths[0]).returncode, None)

    def test_our_proof_is_accepted_by_both(self):
        self.assertEqual(self.verdicts(*self.ours), (0, 0))

    def test_the_proof_of_snarkjs_is_accepted_by_both(self):
        self.assertEqual(self.verdicts(*self.theirs), (0, 0))

    def test_the_files_are_those_that_snarkjs_writes(self):
        self.assertEqual(self.ours[1].read_bytes(), self.theirs[1].read_bytes())
        ours, theirs = (json.loads(paths[0].read_text()) for paths in (self.ours, self.theirs))
        self.assertEqual(self.ours[0].read_text(), json.dumps(ours, indent=1))
        self.assertEqual(shape(ours), shape(theirs))
        self.assertEqual(self.theirs[0].read_text(), json.dumps(theirs, indent=1))
        exported = self.folder / "exported.json"
        done(proofmill("key", "export-vkey", self.made.zkey, "-o", exported))
        self.assertEqual(exported.read_bytes(), self.made.vkey.read_bytes())

    def test_forgeries_are_refused_by_both(self):
        proof, public = (json.loads(path.read_text()) for path in self.ours)
        other = [str((int(public[0]) + 1) % 2**250), *public[1:]]
        x, y, z = proof["pi_a"]
        cases = {
            "another public value": (proof, other, 1),
            "minus A": ({**proof, "pi_a": [x, str(self.p - int(y)), z]}, public, 1),
            "A in place of C": ({**proof, "pi_c": proof["pi_a"]}, public, 1),
            "A beside the curve": ({**proof, "pi_a": [y, x, z]}, public, 2),
        }
        for name, (proof, public, ours) in cases.items():
            with self.subTest(name):
                verdict, theirs = self.forged(proof, public)
                self.assertEqual(verdict, ours)
                self.assertNotEqual(theirs, 0)

    def test_a_witness_that_does_not_fit_gives_no_proof(self):
        content = bytearray(self.made.wtns.read_bytes())
        content[-32] ^= 1  # the last signal's lowest bit
        broken, proof, public = self.folder / "broken.wtns", self.folder / "none.json", self.folder / "none_public.json"
        broken.write_bytes(content)
        result = proofmill("prove", self.made.zkey, broken, "-o", proof, "--public", public)
        self.assertEqual(result.returncode, 2)
        self.assertIn("does not verify", result.stdout)
        self.assertFalse(proof.exists() or public.exists())


def shape(value):
    """A JSON value without its numbers: keys in their order, lengths of lists, constants of the format."""
    if isinstance(value, dict):
        return [(key, shape(inner)) for key, inner in value.items()]
    if isinstance(value, list):
        return [shape(inner) for inner in value]
    return value if value in ("0", "1") or not value.isdigit() else "a number"


class PoseidonChain(Agreement, unittest.TestCase):
    maker = staticmethod(circuits.poseidon_chain)

    def test_snarkjs_finds_the_key_right(self):
        made = self.made.zkey.parent
        said = done(snarkjs("zkey", "verify", made / "poseidon_chain.r1cs", made / "tau.ptau", self.made.zkey))
        self.assertIn("ZKey Ok!", said)

    @unittest.skipUnless("PROOFMILL_SIM_DIR" in os.environ, NO_SIMULATION)
    def test_snarkjs_accepts_a_proof_whose_quotient_and_five_msms_a_circuit_made(self):
        self.assertEqual(proved_on(self, self.made, self.folder, f"sim:{QUOTIENTS}", "quotient", "MSM B2"), (0, 0))

    def test_snarkjs_accepts_a_proof_that_the_kernels_of_gpus_made(self):
        if not emulates_gpus():
            print("SKIPPED: there is no emulation of GPUs; `make cuda EMULATED=1` builds it")
            return
        self.assertEqual(proved_on(self, self.made, self.folder, "cuda:emulated", "quotient", "MSM B2"), (0, 0))


class CardsOnBoards(unittest.TestCase):
    """A small circuit of our own: its sums are those of two simulated cards behind a driver's files, as one device, or all that a card can make is the
    top's for F2.
    """

    @unittest.skipUnless("PROOFMILL_SIM_DIR" in os.environ, NO_SIMULATION)
    def test_snarkjs_accepts_a_proof_whose_sums_two_cards_made(self):
        self.assertTrue(CARDS.exists(), "`cargo test --no-run` builds it")
        library = Path(os.environ["PROOFMILL_SIM_DIR"]) / f"{SUMS}.so"
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            made = circuits.own(folder, "chain", 30)
            with on_pcie(library, library) as device:
                self.assertEqual(proved_on(self, made, folder, device), (0, 0))

    @unittest.skipUnless("PROOFMILL_SIM_DIR" in os.environ, NO_SIMULATION)
    def test_snarkjs_accepts_a_proof_that_the_top_for_f2_made(self):
        self.assertTrue(SLOTS.exists(), "`cargo test --no-run` builds it")
        library = Path(os.environ["PROOFMILL_SIM_DIR"]) / f"f2_{QUOTIENTS}.so"
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            made = circuits.own(folder, "chain", 30)
            with on_f2(library) as device:
                self.assertEqual(proved_on(self, made, folder, device, "quotient", "MSM B2"), (0, 0))


class MerkleMembership(Agreement, unittest.TestCase):
    maker = staticmethod(circuits.merkle)


class SquaresOverBls12381(Agreement, unittest.TestCase):
    maker = staticmethod(circuits.squares)


class Plonk(Agreement):
    """A circuit with a key for PLONK."""

    POINTS = ("A", "B", "C", "Z", "T1", "T2", "T3", "Wxi", "Wxiw")
    VALUES = ("eval_a", "eval_b", "eval_c", "eval_s1", "eval_s2", "eval_zw")
    #: One in so many forgeries is put to snarkjs too, which takes a second for each.
    EVERY = 5

    def test_forgeries_are_refused_by_both(self):
        proof, public = (json.loads(path.read_text()) for path in self.ours)
        cases = {}
        for name, other in zip(self.POINTS, (*self.POINTS[1:], "A")):
            cases[f"{other} in place of {name}"] = ({**proof, name: proof[other]}, public, 1)
        for name in self.VALUES:
            cases[f"another {name}"] = ({**proof, name: str((int(proof[name]) + 1) % 2**250)}, public, 1)
        for i, value in enumerate(public):
            others = [*public[:i], str((int(value) + 1) % 2**250), *public[i + 1:]]
            cases[f"another public value {i}"] = (proof, others, 1)
        x, y, z = proof["Z"]
        cases["minus Z"] = ({**proof, "Z": [x, str(self.p - int(y)), z]}, public, 1)
        cases["Z beside the curve"] = ({**proof, "Z": [y, x, z]}, public, 2)
        cases["one public value more"] = (proof, [*public, "1"], 2)
        every = 1 if os.environ.get("PROOFMILL_LONG") else self.EVERY
        for number, (name, (proof, public, ours)) in enumerate(cases.items()):
            with self.subTest(name):
                verdict, theirs = self.forged(proof, public, by_both=number % every == 0)
                self.assertEqual(verdict, ours)
                self.assertNotEqual(theirs, 0)

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
        self.assertEqual((said["protocol"], said["checked"]), ("plonk", True))
        self.assertEqual(said["public_inputs"], len(json.loads(self.ours[1].read_text())))


class PlonkSquares(Plonk, unittest.TestCase):
    maker = staticmethod(circuits.plonk_squares)


class PlonkSquaresOverBls12381(Plonk, unittest.TestCase):
    maker = staticmethod(circuits.plonk_squares_over_bls12_381)


class PlonkSums(Plonk, unittest.TestCase):
    maker = staticmethod(circuits.plonk_sums)
    EVERY = 1


class PlonkOwn(Plonk, unittest.TestCase):
    """Circuit, key and witness are our own."""
    maker = staticmethod(circuits.plonk_own)
    test_forgeries_are_refused_by_both = None  # those of `PlonkSums`


class PlonkWithoutPublicValues(unittest.TestCase):
    """snarkjs 0.7.6 makes and verifies such keys, and its prover fails."""

    def test_our_proof_is_accepted_by_both(self):
        with tempfile.TemporaryDirectory() as folder:
            folder, made = Path(folder), circuits.shared(circuits.plonk_private)
            proof, public = folder / "proof.json", folder / "public.json"
            done(proofmill("prove", made.zkey, made.wtns, "-o", proof, "--public", public))
            self.assertEqual(public.read_text(), "[\n]")  # as snarkjs writes it for other protocols
            self.assertEqual(verdicts(made, proof, public), (0, 0))

    @unittest.skipUnless("PROOFMILL_SIM_DIR" in os.environ, NO_SIMULATION)
    def test_snarkjs_accepts_a_proof_whose_transforms_and_commitments_a_circuit_made(self):
        device = f"sim:{QUOTIENTS}"
        with tempfile.TemporaryDirectory() as folder:
            folder, made = Path(folder), circuits.shared(circuits.plonk_private)
            proof, public = folder / "proof.json", folder / "public.json"
            files = made.zkey, made.wtns, "-o", proof, "--public", public
            report = json.loads(done(proofmill("prove", *files, "--device", device, "--no-retry", "--json")))
            devices = {step["step"]: step["device"] for step in report["steps"]}
            own = {"evaluations", "openings", "check"}
            self.assertEqual({step: None if step in own else device for step in devices}, devices)
            self.assertEqual(verdicts(made, proof, public), (0, 0))


class Digest(Agreement):
    """SHA-256 of a message that we know: public are the digest's halves."""

    def test_the_public_values_are_the_digest(self):
        digest = hashlib.sha256(self.message).digest()
        halves = [str(int.from_bytes(half)) for half in (digest[:16], digest[16:])]
        self.assertEqual(json.loads(self.ours[1].read_text()), halves)


@unittest.skipUnless("PROOFMILL_LONG" in os.environ, "long: snarkjs makes the key for a minute; `OwnSha256` is as large")
class Sha256(Digest, unittest.TestCase):
    maker = staticmethod(circuits.sha256)
    message = circuits.MESSAGE


class OwnSha256(Digest, unittest.TestCase):
    """Circuit, key and witness are our own; the preimage is the one that `dev circuit` takes for one block."""
    maker = staticmethod(circuits.own)
    message = bytes((i * i + 7 * i) % 256 for i in range(55))


class Ceremony(Agreement):
    """A key of a real ceremony."""

    def test_the_exported_key_is_the_published_one(self):
        # Their spaces differ.
        published = json.loads((SEMAPHORE / self.made.zkey.with_suffix(".json").name).read_text())
        self.assertEqual(json.loads(self.made.vkey.read_text()), published)


class Semaphore1(Ceremony, unittest.TestCase):
    maker = staticmethod(circuits.semaphore(1))


@unittest.skipUnless("PROOFMILL_LONG" in os.environ, "long: the depths 1 and 32 are its neighbours")
class Semaphore16(Ceremony, unittest.TestCase):
    maker = staticmethod(circuits.semaphore(16))


class Semaphore32(Ceremony, unittest.TestCase):
    maker = staticmethod(circuits.semaphore(32))


if __name__ == "__main__":
    unittest.main()

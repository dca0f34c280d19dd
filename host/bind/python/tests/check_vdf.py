"""Verifiable delay functions from Python."""

import json
import unittest

import proofmill

RSA_1024 = int(
    "135066410865995223349603216278805969938881475605667027524485143851526510604859533833940287150571909441798207282164471551373680419703"
    "964191743046496589274256239341020864383202110372958725762358509643110564073501508187510676594629205563685529475213500852879416377328"
    "533906109750544334999811150056977236890927563"
)


class Proofs(unittest.TestCase):
    def test_an_output_and_its_proof(self):
        output = proofmill.vdf_evaluate(RSA_1024, 5, 300)
        power = pow(5, 1 << 300, RSA_1024)
        self.assertEqual(output, min(power, RSA_1024 - power))
        proof = proofmill.vdf_prove("rsa-1024", 5, 300, max_bytes=1 << 16)
        self.assertEqual(int(proof["output"], 16), output)
        self.assertTrue(proofmill.vdf_verify(proof))
        self.assertTrue(proofmill.vdf_verify(json.dumps(proof)))
        self.assertFalse(proofmill.vdf_verify({**proof, "squarings": 301}))

    def test_mistakes(self):
        for argument, call in {
            "modulus: has 6 bits": lambda: proofmill.vdf_evaluate(35, 5, 1),
            "modulus: is negative": lambda: proofmill.vdf_evaluate(-35, 5, 1),
            "modulus: 'rsa' is no number": lambda: proofmill.vdf_evaluate("rsa", 5, 1),
            "input: is 0, 1 or -1": lambda: proofmill.vdf_prove(RSA_1024, 1, 1),
            "squarings: is 0": lambda: proofmill.vdf_prove(RSA_1024, 5, 0),
            "proof: missing field": lambda: proofmill.vdf_verify({}),
        }.items():
            with self.subTest(argument), self.assertRaisesRegex(proofmill.ArgumentError, argument):
                call()


if __name__ == "__main__":
    unittest.main()

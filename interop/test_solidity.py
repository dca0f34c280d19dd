"""Contracts that `proofmill key solidity` writes, compiled by solc and called in an EVM, beside those of snarkjs.

A field is a word of the call's arguments. Of each, the contract must refuse another value, and the same value plus its modulus.
"""

import json
import re
import tempfile
import tomllib
import unittest
from pathlib import Path

import circuits
import fflonk_simulator
import plonk_simulator
from evm import FALSE, GAS, OPTIMIZED, REVERTED, TRUE, Evm
from programs import ROOT, done, proofmill, snarkjs

P, R = (int(tomllib.loads((ROOT / f"spec/fields/bn254_{field}.toml").read_text())["modulus"], 0) for field in ("fp", "fr"))
#: Other ways to compile a contract, and an EVM each.
SETTINGS = {
    "not optimized": ({}, "prague"),
    "by the IR": ({**OPTIMIZED, "viaIR": True}, "prague"),
    "for an older EVM": ({**OPTIMIZED, "evmVersion": "paris"}, "paris"),
    "with the prices of EIP-7883": (OPTIMIZED, "osaka"),
}
#: The gas of a transaction, and of a byte of its data: 0, another.
TRANSACTION, ZERO, OTHER = 21_000, 4, 16


def contract(key):
    """Returns the text of the contract for a key."""
    path = key.with_suffix(".sol")
    done(proofmill("key", "solidity", key, "--output", path))
    return path.read_text()


def calldata(proof, public):
    return done(proofmill("calldata", "--format", "hex", proof, public)).strip()


def words(data):
    """The arguments of a call."""
    digits = data[10:]
    return [int(digits[at:at + 64], 16) for at in range(0, len(digits), 64)]


def changed(data, at, value):
    """The same call with another word."""
    start = 10 + 64 * at
    return f"{data[:start]}{value:064x}{data[start + 64:]}"


class Contracts:
    """The contracts of a protocol: for a circuit with twelve public inputs, one with one, and one without."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.evm = Evm()
        cls.addClassCleanup(cls.evm.close)
        many, one = cls.folder / "many", cls.folder / "one"
        for inner in (many, one):
            inner.mkdir()
        made = circuits.powers(many, cls.protocol)
        cls.ours, cls.theirs = [(many / f"{who}.json", many / f"{who}_public.json") for who in ("ours", "theirs")]
        done(proofmill("prove", made.zkey, made.wtns, "-o", cls.ours[0], "--public", cls.ours[1]))
        done(snarkjs(cls.protocol, "prove", made.zkey, made.wtns, *cls.theirs))
        done(snarkjs("zkey", "export", "solidityverifier", made.zkey, many / "theirs.sol"))
        single = circuits.own(one, "chain", 30, cls.protocol)
        done(snarkjs("zkey", "export", "solidityverifier", single.zkey, one / "theirs.sol"))
        done(proofmill("prove", single.zkey, single.wtns, "-o", one / "proof.json", "--public", one / "public.json"))
        none, nothing = cls.without_public_inputs()
        cls.vkey = made.vkey
        cls.sources = {"many": contract(made.zkey), "one": contract(single.zkey), "none": contract(none)}
        cls.snarkjs = {f"{name} of snarkjs": (folder / "theirs.sol").read_text() for name, folder in (("many", many), ("one", one))}
        cls.data = {"many": calldata(*cls.ours), "one": calldata(one / "proof.json", one / "public.json"), "none": nothing}
        cls.fields = len(words(cls.data["many"])) - 12

    def returned(self, data, source="many", gas=GAS):
        """Returns what the contract returns for each call."""
        reply = self.evm(self.sources, [(source, each, gas) for each in data])
        self.assertEqual(reply["messages"], [])
        return [result for result, _ in reply["results"]]

    def all_refused(self, data, how=FALSE):
        """`data` has a name for each call."""
        for name, result in zip(data, self.returned(data.values())):
            with self.subTest(name):
                self.assertEqual(result, how)

    def test_valid_proofs_are_accepted(self):
        reply = self.evm(self.sources, [(name, data, GAS) for name, data in {**self.data, "many": calldata(*self.theirs)}.items()])
        self.assertEqual((reply["messages"], [result for result, _ in reply["results"]]), ([], [TRUE] * 3))
        self.assertEqual(self.returned([self.data["many"]]), [TRUE])

    def test_the_function_is_that_of_snarkjs_and_costs_no_more(self):
        names = [(name, f"{name} of snarkjs") for name in ("many", "one")]
        calls = [(source, self.data[pair[0]], GAS) for pair in names for source in pair]
        reply = self.evm({**self.sources, **self.snarkjs}, calls)
        self.assertEqual([result for result, _ in reply["results"]], [TRUE] * 4)
        gas = [used for _, used in reply["results"]]
        for (name, other), used, by_snarkjs in zip(names, gas[::2], gas[1::2]):
            functions, theirs = (reply["contracts"][source]["functions"] for source in (name, other))
            self.assertEqual(functions, theirs)
            self.assertEqual(self.data[name][2:10], *functions.values())
            data = bytes.fromhex(self.data[name][2:])
            whole = TRANSACTION + sum(OTHER if byte else ZERO for byte in data)
            sizes = [reply["contracts"][source]["bytes"] for source in (name, other)]
            print(f"gas {self.protocol}, {name}: {used}, snarkjs {by_snarkjs}, ratio {used / by_snarkjs:.4f}; in a transaction {used + whole}, "
                  f"snarkjs {by_snarkjs + whole}; bytes of code {sizes[0]}, snarkjs {sizes[1]}")
            self.assertLessEqual(used, by_snarkjs)
            self.assertLess(sizes[0], sizes[1])

    def test_each_changed_field_is_refused(self):
        data = self.data["many"]
        values = words(data)
        cases = {}
        for at, value in enumerate(values):
            others = {value ^ 1, 0} | ({(value + 1) % R} if at >= 2 * self.points else set())
            cases |= {(at, other): changed(data, at, other) for other in others - {value}}
        self.all_refused(cases)

    def test_other_points_are_refused(self):
        data = self.data["many"]
        values = words(data)
        cases = {}
        for y in self.ys:
            cases[f"{y} negated"] = changed(data, y, P - values[y])
            cases[f"{y} the generator"] = changed(changed(data, y - 1, 1), y, 2)
            cases[f"{y} the identity"] = changed(changed(data, y - 1, 0), y, 0)
        self.all_refused(cases)

    def test_values_that_are_not_reduced_are_refused(self):
        data = self.data["many"]
        cases = {}
        for at, value in enumerate(words(data)):
            modulus = P if at < 2 * self.points else R
            for larger in (value + modulus, value + 2 * modulus):
                cases[at, larger] = changed(data, at, larger)
        self.all_refused(cases)

    def test_short_call_data_is_refused_and_more_is_ignored(self):
        data = self.data["many"]
        cuts = [2, 10, 10 + 64, 10 + 64 * self.fields, len(data) - 64, len(data) - 2]
        self.all_refused({length: data[:length] for length in cuts}, REVERTED)
        self.assertEqual(self.returned([f"{data}00", f"{data}{'ff' * 64}"]), [TRUE, TRUE])

    def test_a_contract_that_inherits_the_function_keeps_its_memory(self):
        name, parameters, arguments = self.inherited
        source = self.sources["one"] + f"""
contract Heir is {name} {{
    function check(uint256 mark, {parameters}) external view returns (uint256, bool, uint256) {{
        uint256[] memory kept = new uint256[](3);
        kept[2] = mark;
        bool valid = verifyProof({arguments});
        return (kept.length, valid, kept[2]);
    }}
}}
"""
        source = source.replace(f"contract {name} {{", f"abstract contract {name} {{")
        functions = self.evm({"one": source}, [])["contracts"]["one"]["functions"]
        selector = next(selector for signature, selector in functions.items() if signature.startswith("check"))
        data = f"0x{selector}{7:064x}{self.data['one'][10:]}"
        reply = self.evm({"one": source}, [("one", each, GAS) for each in (data, changed(data, 1 + self.fields, 5))])
        self.assertEqual(reply["messages"], [])
        self.assertEqual([returned for returned, _ in reply["results"]], [f"0x{3:064x}{valid:064x}{7:064x}" for valid in (1, 0)])

    def test_too_little_gas_accepts_nothing(self):
        for gas in self.too_little:
            self.assertIn(*self.returned([self.data["one"]], "one", gas), (FALSE, REVERTED))

    def test_every_way_to_compile_gives_the_same(self):
        data = self.data["many"]
        wrong = changed(data, self.fields, 5)
        for name, (settings, hardfork) in SETTINGS.items():
            with self.subTest(name):
                calls = [("many", data, GAS), ("many", wrong, GAS)]
                reply = self.evm({"many": self.sources["many"]}, calls, settings, hardfork)
                self.assertEqual((reply["messages"], [result for result, _ in reply["results"]]), ([], [TRUE, FALSE]))

    def test_the_text_of_a_call_is_that_of_snarkjs(self):
        for proof, public in (self.ours, self.theirs):
            self.assertEqual(done(proofmill("calldata", proof, public)), f"{done(snarkjs('generatecall', public, proof)).strip()}\n")

    def test_keys_of_either_kind_give_the_same_contract(self):
        self.assertEqual(contract(self.vkey), self.sources["many"])


class Groth16(Contracts, unittest.TestCase):
    protocol, points, too_little = "groth16", 4, (100_000, 180_000)
    inherited = (
        "Groth16Verifier", "uint256[2] calldata a, uint256[2][2] calldata b, uint256[2] calldata c, uint256[1] calldata x", "a, b, c, x")
    #: The words with the y of a point in G1.
    ys = (1, 7)

    @classmethod
    def without_public_inputs(cls):
        """A key whose equation holds for the identity as A, B and C: IC_0 = -alpha, and gamma = beta."""
        generator = [[str(number) for number in pair] for pair in ((
            10857046999023057135944570762232829481370756359578518086990519993285655852781,
            11559732032986387107991004021392285783925812861821192530917403151452391805634), (
            8495653923123431417604973247489272438418190587263600148770280649306958101930,
            4082367875863433681332203403145435568316851327593401208105741076214120093531), (1, 0))]
        key = {
            "protocol": "groth16", "curve": "bn128", "nPublic": 0, "vk_alpha_1": ["1", "2", "1"], "vk_beta_2": generator,
            "vk_gamma_2": generator, "vk_delta_2": generator, "IC": [["1", str(P - 2), "1"]],
        }
        identity = ["0", "1", "0"]
        proof = {"pi_a": identity, "pi_b": [["0", "0"], ["1", "0"], ["0", "0"]], "pi_c": identity, "protocol": "groth16", "curve": "bn128"}
        paths = [cls.folder / f"identity_{name}.json" for name in ("key", "public", "proof")]
        for path, value in zip(paths, (key, [], proof)):
            path.write_text(json.dumps(value))
        done(proofmill("verify", *paths))
        return paths[0], calldata(paths[2], paths[1])


    def test_without_its_check_the_contract_accepts_a_public_input_of_r_and_more(self):
        data = self.data["many"]
        larger = changed(data, self.fields, words(data)[self.fields] + R)
        unchecked = self.sources["many"].replace("lt(factor, R)", "1")
        self.assertEqual(self.evm({"unchecked": unchecked}, [("unchecked", larger, GAS)])["results"][0][0], TRUE)


class Polynomials(Contracts):
    """The contracts of a protocol with values of polynomials, which a simulator proves, too."""

    #: The words of the proof that are not hashed.
    unhashed = ()

    @classmethod
    def without_public_inputs(cls):
        folder = cls.folder / "none"
        folder.mkdir()
        made = cls.private(folder)
        proof, public = folder / "proof.json", folder / "public.json"
        done(proofmill("prove", made.zkey, made.wtns, "-o", proof, "--public", public))
        return made.vkey, calldata(proof, public)

    def test_simulated_proofs_have_one_encoding(self):
        """Proofs that are valid except that a word is hashed with its modulus added. The identity, as zeros, is a point."""
        simulator = self.simulator.Simulator("solidity")
        key, paths = self.folder / "simulated.json", [self.folder / f"simulated_{name}.json" for name in ("public", "proof")]
        key.write_text(json.dumps(simulator.verifying_key()))
        source = contract(key)
        evaluations, inputs = simulator.evaluations, simulator.public_inputs

        def larger(values, at):
            return [value + R * (place == at) for place, value in enumerate(values)]

        valid = [simulator.words(), simulator.words(points=dict.fromkeys(simulator.points, 0))]
        scalars = [simulator.words(evaluations=larger(evaluations, at)) for at in range(len(evaluations))]
        scalars += [simulator.words(added={at: R}) for at in self.unhashed]
        scalars += [simulator.words(public_inputs=larger(inputs, at)) for at in range(len(inputs))]
        points = [simulator.words(added={at: P}) for at in range(2 * self.points)]
        unchecked, checks = re.subn(r"lt\((x|calldataload\((evaluations|add\(\w+, \w+\))\)), R\)", "1", source)
        self.assertEqual(checks, self.fields - 2 * self.points + 2)  # the first public input, and the others in a loop
        selector = None
        for proof, public in map(self.simulator.proof, valid):
            for path, value in zip(paths, (public, proof)):
                path.write_text(json.dumps(value))
            done(proofmill("verify", key, *paths))
            selector = calldata(paths[1], paths[0])[:10]
        calls = [(name, selector + "".join(f"{word:064x}" for word in each), GAS)
                 for name, proofs in (("checked", valid + scalars + points), ("unchecked", scalars + points)) for each in proofs]
        reply = self.evm({"checked": source, "unchecked": unchecked}, calls)
        self.assertEqual(reply["messages"], [])
        expected = [TRUE] * 2 + [FALSE] * len(scalars + points) + [TRUE] * len(scalars) + [FALSE] * len(points)
        self.assertEqual([result for result, _ in reply["results"]], expected)


class Plonk(Polynomials, unittest.TestCase):
    protocol, points, too_little = "plonk", 9, (100_000, 180_000)
    inherited = "PlonkVerifier", "uint256[24] calldata proof, uint256[1] calldata x", "proof, x"
    ys = range(1, 18, 2)
    private, simulator = staticmethod(circuits.plonk_private), plonk_simulator


class Fflonk(Polynomials, unittest.TestCase):
    protocol, points, too_little = "fflonk", 4, (100_000, 140_000)
    inherited = "FflonkVerifier", "bytes32[24] calldata proof, uint256[1] calldata x", "proof, x"
    ys = range(1, 8, 2)
    private, simulator = staticmethod(circuits.fflonk_private), fflonk_simulator
    unhashed = 23,

    def test_without_its_check_the_contract_accepts_another_inv(self):
        simulator = fflonk_simulator.Simulator("inv")
        key = self.folder / "other_inv.json"
        key.write_text(json.dumps(simulator.verifying_key()))
        source = contract(key)
        unchecked = source.replace("ok := eq(mulmod(mulmod(left, right, R), inv, R), 1)", "ok := 1")
        selector = next(iter(self.evm({"checked": source}, [])["contracts"]["checked"]["functions"].values()))
        valid, other = ("0x" + selector + "".join(f"{word:064x}" for word in simulator.words(scale=scale)) for scale in (1, 3))
        calls = [(name, data, GAS) for data in (valid, other) for name in ("checked", "unchecked")]
        reply = self.evm({"checked": source, "unchecked": unchecked}, calls)
        self.assertEqual([result for result, _ in reply["results"]], [TRUE, TRUE, FALSE, TRUE])


if __name__ == "__main__":
    unittest.main()

"""The field processor's programs for ECDSA in Verilator: a lane whose jobs bring their items, against two models.

Every case of spec/vectors/ecdsa_verify that reaches the programs gets the verdict of the operation's model; random
signatures, good and bad and rejected ones mixed, get it in the cycle of the machine's model, with the same
values written on the way. PROOFMILL_SEED repeats a run; PROOFMILL_LONG=1 runs the circuit of the lane beside its behavioural model.
"""

import json
import random
import sys
import unittest
from functools import cache

import test_micro
import unit
from test_micro import LONG, ROOT, in_order, rtl
from unit import Unit

import ecdsa_items
import ecdsa_verify
import micro

SEED = unit.seed() if __name__ == "__main__" else 1
TWIN = "micro_ecdsa_twin"
CONTEXTS = 16
SCHEME = ecdsa_items.load()
VECTORS = ROOT / "spec/vectors/ecdsa_verify/secp256k1.json"

built = cache(Unit)


@cache
def image():
    return micro.load(rtl.generate(TWIN) / "image.json")


def program(name):
    return [entry["name"] for entry in image()["entries"]].index(name)


def job(signature):
    """What the engine makes of a signature: a job with its items, or one that is rejected at once."""
    elements = [signature.qx, signature.qy, signature.r]
    if ecdsa_verify.out_of_range(signature, ecdsa_verify.SECP256K1):
        return micro.Job(program("reject"), [], elements, ([], []))
    u1, u2 = SCHEME.scalars(signature.hash, signature.r, signature.s)
    q = [(item.magnitude, bool(item.minus), item.count) for item in SCHEME.q_items(u2)]
    g = [(item.magnitude, bool(item.minus), None) for item in SCHEME.g_items(u1)]
    return micro.Job(program("ecdsa_verify"), [], elements, (q, g), int(u1 == 0))


def operand(unit, found):
    """The same job as words of the lane's ports."""
    ports = {port.name: port for port in unit.operands}

    def word(port, item):
        magnitude, minus, count = item
        counted = port.name == "q"
        bits = port.width - 1 - (COUNT_BITS if counted else 0)
        return magnitude | minus << bits | (count << bits + 1 if counted else 0)
    lists = []
    for name, items in zip("qg", found.lists):
        lists.append([word(ports[name], item) for item in items] + [0] * (ports[name].digits - len(items)))
    return (found.program, *found.elements, *lists, *map(len, found.lists), found.given)


COUNT_BITS = SCHEME.half_bits.bit_length()


def run(signatures, config=TWIN, **doors):
    circuit = built(config)
    jobs = [operand(circuit, job(signature)) for signature in signatures]
    outcome = circuit.run(jobs, limit=10_000 * (len(jobs) + 10), **doors)
    return [flags for ((flags,),) in outcome.results], outcome


def modelled(signatures, trace=None, contexts=CONTEXTS):
    machine = micro.Machine({**image(), "contexts": contexts})
    answers, left = machine.run([job(signature) for signature in signatures], trace)
    return [flags for (flags,) in answers], left, machine


def mask(signature, flags):
    """The error mask as the engine makes it from the program's flags."""
    error, entry = ecdsa_verify.ERROR, image()["entries"][program("ecdsa_verify")]
    flag = {name: flags >> place & 1 for name, place in entry["flags"].items()}
    failed = error["failed_sig_ver"]
    if not flag["on_curve"]:
        return failed | error["invalid_key"]
    if flag["same_x"] and not flag["same_y"] and not flag["u1_zero"]:
        return failed | error["x_infinity_point"]
    c = ecdsa_verify.SECP256K1
    return 0 if flag["match"] or flag["match_n"] and signature.r + c.r < c.fp.p else failed


def random_signatures(count, source):
    """Good ones, ones of another digest, and ones that are rejected before the program."""
    c, found = ecdsa_verify.SECP256K1, []
    for _ in range(count):
        d, k = source.randrange(1, c.r), source.randrange(1, c.r)
        good = ecdsa_verify.sign(source.getrandbits(256), d, k)
        fields = {"good": {}, "bad": {"hash": good.hash ^ 1 << source.randrange(256)}, "rejected": {"s": 0}, "off": {"qx": good.qx ^ 1}}
        kind = source.choice(["good", "good", "bad", "rejected", "off"])
        found.append(ecdsa_verify.Signature(**{**vars(good), **fields[kind]}))
    return found


def vectors():
    """(id, signature, mask) of every case that reaches the program."""
    cases = json.loads(VECTORS.read_text())["cases"]
    names = ("s", "r", "hash", "qx", "qy")
    read = [(case["id"], ecdsa_verify.Signature(*(int(case[name], 16) for name in names)), case["mask"]) for case in cases]
    return [row for row in read if not ecdsa_verify.out_of_range(row[1], ecdsa_verify.SECP256K1)]


class Verdicts(unittest.TestCase):
    def check(self, signatures, flags):
        for signature, found in zip(signatures, flags, strict=True):
            if not ecdsa_verify.out_of_range(signature, ecdsa_verify.SECP256K1):
                self.assertEqual(mask(signature, found), ecdsa_verify.verify(signature), signature)
            else:
                self.assertEqual(found, 0)

    def test_every_vector(self):
        rows = vectors()
        flags, _ = run([signature for _, signature, _ in rows])
        for (name, signature, expected), found in zip(rows, flags, strict=True):
            self.assertEqual(mask(signature, found), expected, name)

    def test_random_signatures_with_gaps_and_refusals(self):
        for gaps, refusals in ((0, 0), (250, 0), (0, 250)):
            with self.subTest(gaps=gaps, refusals=refusals):
                signatures = random_signatures(40, random.Random(f"{SEED} {gaps} {refusals}"))
                self.check(signatures, run(signatures, gaps=gaps, refusals=refusals, seed=SEED)[0])

    @unittest.skipUnless(LONG, "PROOFMILL_LONG=1 builds the structural lane")
    def test_structure(self):
        """The circuit of the multiplier instead of its behavioural model: the same results in the same cycles."""
        signatures = random_signatures(12, random.Random(f"{SEED} structure"))
        twin, structure = run(signatures), run(signatures, config="micro_ecdsa")
        self.assertEqual(twin[0], structure[0])
        self.assertEqual(twin[1].left, structure[1].left)


class Cycles(unittest.TestCase):
    def test_every_answer_leaves_when_the_model_says(self):
        signatures = random_signatures(40, random.Random(f"{SEED} cycles"))
        flags, outcome = run(signatures)
        expected, left, _ = modelled(signatures)
        self.assertEqual(flags, expected)
        self.assertEqual(outcome.left, left)

    def test_the_trace_is_the_models(self):
        signatures = random_signatures(6, random.Random(f"{SEED} trace"))
        trace = []
        modelled(signatures, trace)
        circuit = test_micro.lines(image(), f"import test_micro_ecdsa as t, random; "
                                   f"t.run(t.random_signatures(6, random.Random('{SEED} trace')), config='micro_ecdsa_trace_twin')")
        self.assertEqual([str(line) for line in in_order(circuit)], [str(line) for line in in_order(trace)])

    def test_the_goals(self):
        """1,900 cycles a signature with one multiplier, 7,500 for one alone; this lane is without the scalars, of which the table hides a part."""
        found = figures(CONTEXTS)
        self.assertLess(found["each"], 1900)
        self.assertLess(found["alone"], 5600)


def figures(contexts, rounds=4):
    """Cycles a signature with so many contexts full, of one alone from input to output, and its products."""
    source = random.Random("figures")
    signatures = [ecdsa_verify.sign(*(source.randrange(1, SCHEME.n) for _ in range(3))) for _ in range(rounds * contexts)]
    _, (alone,), machine = modelled(signatures[:1])
    _, left, _ = modelled(signatures, contexts=contexts)
    each = (left[(rounds - 1) * contexts - 1] - left[contexts - 1]) / ((rounds - 2) * contexts)
    return {"each": each, "alone": alone, "products": machine.begun[0]}


def print_cycles():
    """Rows as test_micro.py --cycles has them."""
    entry = image()["entries"][program("ecdsa_verify")]
    for contexts in (CONTEXTS, 8):
        found = figures(contexts)
        print(f"{f'ecdsa, {contexts}':15}{entry['name']:14}{entry['words']:>7}{entry['products']:>8}+{entry['sums']}{found['products']:>10}"
              f"{found['each']:>10.1f}{found['alone']:>8}{found['products'] / found['each']:>7.3f}")


if __name__ == "__main__":
    if "--cycles" in sys.argv:
        print_cycles()
    else:
        unittest.main()

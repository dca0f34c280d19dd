"""Vectors of vdf: a toy modulus whole, small moduli, the moduli RSA-1024 and RSA-2048 of the RSA Factoring Challenge, and published proofs."""

import json
from pathlib import Path

import vdf
from cases import Cases, painted_number, text

PUBLISHED = Path(__file__).resolve().parent / "published/vdf_pietrzak.json"
#: Every residue of a toy modulus is an input.
TOY = 3 * 5 * 7
#: Numbers of the RSA Factoring Challenge whose factors are not known.
RSA = {
    1024: 135066410865995223349603216278805969938881475605667027524485143851526510604859533833940287150571909441798207282164471551373680419703964191743046496589274256239341020864383202110372958725762358509643110564073501508187510676594629205563685529475213500852879416377328533906109750544334999811150056977236890927563,
    2048: 25195908475657893494027183240048398571429282126204032027777137836043662020707595556264018525880784406918290641249515082189298559149176184502808489120072844992687392807287776735971418347270261896375014971824691165077613379859095700097330459748808428401797429100642458691817195118746121515172654632282216869987549182422433637259085141865462043576798423387184774447920739934236584823824281198163815010674810451660377306056201619676256133844143603833904414952634432190114657544454178424020924616515723350778707749817125772467962926386356373289912154831438167899885040445364023527381951378636564391212010397122822120720357,
}
#: Moduli of other lengths: product of two numbers, which need not be prime here.
SMALL = {
    64: 0xFFFFFFFB * 0xFFFFFFEF, 127: (2**61 - 1) * (2**66 - 5), 520: (2**255 - 19) * (2**265 - 49),
    3072: (2**1536 - 1) * (2**1535 + 1) | 1,
}


def contents():
    """Name -> content of spec/vectors/vdf/<name>.json."""
    cases = Cases("vdf")
    for x in range(TOY):
        add(cases, f"toy-{x}", "every residue of a toy modulus", "toy", TOY, x, 1 + x % 7)
    for bits, n in SMALL.items():
        for t in (1, 2, 17):
            add(cases, f"{bits}-bits-{t}", "a length that is no multiple of a lane", "value", n, painted_number(n, f"vdf {bits} {t}"), t)
    for bits, n in RSA.items():
        add(cases, f"rsa-{bits}-two", "the smallest input", "value", n, 2, 100)
        add(cases, f"rsa-{bits}-ends", "the largest residue: -1", "value", n, n - 1, 1)
        for t in (1, 64, 1000):
            add(cases, f"rsa-{bits}-{t}", "an input", "value", n, painted_number(n, f"vdf rsa {bits} {t}"), t)
    return {"vdf": {"schema": "../schema.json", "op": "vdf", "cases": cases.found},
            "pietrzak": {"schema": "../schema.json", "op": "vdf", "cases": published()}}


def add(cases, id, comment, tags, n, x, t):
    """Adds a claim and, in a group where it makes sense, its proofs."""
    what = {"modulus": text(n), "input": text(x), "squarings": t, "output": text(vdf.evaluate(n, x, t))}
    if n != TOY and n % 2 and x:
        proof = vdf.prove(n, x, t)
        if not vdf.verify(n, x, vdf.evaluate(n, x, t), t, proof):
            raise ValueError(f"{id}: the proof does not verify")
        what |= {"challenge": text(vdf.challenge(n, x, vdf.evaluate(n, x, t), t)), "proof": text(proof)}
        what |= {"halvings": text(vdf.prove_by_halving(n, x, t, 1))}
    cases.add(id, comment, tags, **what)


def published():
    """The published proofs by halving, each verified by the model."""
    cases = Cases("pietrzak")
    for proof in json.loads(PUBLISHED.read_text())["proofs"]:
        n, x, y = (int(proof[name], 16) for name in ("n", "x", "y"))
        halvings = [int(v, 16) for v in proof["halvings"]]
        if not vdf.verify_by_halving(n, x, y, proof["squarings"], halvings):
            raise ValueError(f"{proof['id']}: the published proof does not verify")
        cases.add(proof["id"], "a published proof by halving", "published", modulus=text(n), input=text(x), squarings=proof["squarings"],
                  output=text(y), halvings=text(halvings))
    return cases.found

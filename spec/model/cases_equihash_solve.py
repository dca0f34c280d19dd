"""Vectors of equihash_solve: all solutions of headers with the toy parameters, found by the slow solver."""

from cases import Cases
from cases_equihash_verify import random_bytes
from equihash_solve import solve
from equihash_verify import load_params, pack

#: Personalisation -> headers.
HEADERS = {b"ZcashPoW": 12, b"Toy_PoW_": 3}


def contents():
    """Name -> content of spec/vectors/equihash_solve/<name>.json."""
    params = load_params("48_5")
    cases = Cases("equihash_solve")
    for personalisation, count in HEADERS.items():
        for number in range(count):
            head = random_bytes(f"equihash_solve {personalisation.decode()} {number}", params.header_bytes)
            found = [pack(params, indices).hex() for indices in solve(params, head, personalisation)]
            cases.add(f"{personalisation.decode().strip('_').lower().replace('_', '-')}-{number}", f"a header with {len(found)} solutions", "value",
                      header=head.hex(), personalisation=personalisation.decode(), solutions=found)
    if not any(case["solutions"] == [] for case in cases.found):
        raise ValueError("no header without a solution")
    return {"48_5": {"schema": "../schema.json", "op": "equihash_solve", "instance": {"n": params.n, "k": params.k}, "cases": cases.found}}

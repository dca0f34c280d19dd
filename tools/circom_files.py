"""A circuit of circom with keys for both protocols, for the tests of bindings and of the service: prints the folder that holds its files.

circuit.wasm is the generator of interop/circuits/factors.circom. KEY.zkey, for KEY in groth16 and plonk, comes from INSECURE powers of tau, with
KEY.json as its verification key. input.json has the inputs and witness.wtns their witness; verification_key.json is that of groth16. The
folder is in the cache, so that one run of circom and snarkjs serves all tests.
"""

import json
import random
import shutil

import node_packages
from place import CACHE, PROOFMILL, ROOT, digest, main, made_whole, run

SOURCE = ROOT / "interop/circuits/factors.circom"
PROTOCOLS = ("groth16", "plonk")
#: The order of G1 of BN254.
R = 21888242871839275222246405745257275088548364400416034343698204186575808495617


def inputs():
    """Returns the inputs of the circuit: full-width numbers derived from a public seed."""
    numbers = random.Random("factors")
    return {"factors": [str(numbers.randrange(1 << 252, R)) for _ in range(60)]}


def folder():
    """Made on first use, with the command that is built."""
    packages = node_packages.folder()
    final = CACHE / f"circom-{digest(SOURCE, packages.name, __doc__)}"
    if not final.is_dir():
        with made_whole(final) as made:
            circom = ["node", packages / "node_modules/circom2/cli.js", SOURCE, "--r1cs", "--wasm", "--O1", "-o", made]
            run(circom, cwd=packages)
            shutil.copy(made / "factors_js/factors.wasm", made / "circuit.wasm")
            (made / "input.json").write_text(json.dumps(inputs()))
            run([PROOFMILL, "witness", "calculate", made / "circuit.wasm", made / "input.json", "-o", made / "witness.wtns"])
            run([PROOFMILL, "dev", "ptau", "--power", 8, "--out", made / "tau.ptau"])
            for protocol in PROTOCOLS:
                zkey = made / f"{protocol}.zkey"
                run(["node", packages / "node_modules/snarkjs/build/cli.cjs", protocol, "setup", made / "factors.r1cs", made / "tau.ptau", zkey])
                run([PROOFMILL, "key", "export-vkey", zkey, "-o", made / f"{protocol}.json"])
            shutil.copy(made / "groth16.json", made / "verification_key.json")
    return final


if __name__ == "__main__":
    main(lambda: print(folder()))

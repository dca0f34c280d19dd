"""Generators of circom and inputs for the bench of witnesses: `generators.py NAME` prints the folder with NAME_js and input.json.

The folder is in the cache, so that circom compiles a circuit once.
"""

import json
import sys

from programs import INSTALLED, PACKAGES, ROOT
from place import CACHE, digest, made_whole, main, run  # found by way of programs

MERKLE = ROOT / "interop/circuits/merkle.circom"
SIGNATURE = ROOT / "examples/circom/signature"
DEPTH = 32
MESSAGE = bytes(i * i % 256 for i in range(512))


def sha256_512():
    text = 'pragma circom 2.0.0;\ninclude "circomlib/circuits/sha256/sha256.circom";\ncomponent main = Sha256(4096);\n'
    return text, {"in": [str(byte >> (7 - bit) & 1) for byte in MESSAGE for bit in range(8)]}


def merkle_32():
    text = MERKLE.read_text().replace("main = Membership(20)", f"main = Membership({DEPTH})")
    return text, {"leaf": "7", "siblings": [str(i * i + 1) for i in range(DEPTH)], "sides": [str(i % 3 % 2) for i in range(DEPTH)]}


def signature():
    return SIGNATURE.with_suffix(".circom").read_text(), json.loads(SIGNATURE.with_suffix(".json").read_text())


CIRCUITS = {circuit.__name__: circuit for circuit in (sha256_512, merkle_32, signature)}


def folder(name):
    text, values = CIRCUITS[name]()
    final = CACHE / f"generator-{name}-{digest(text, json.dumps(values), INSTALLED.name)}"
    if not final.is_dir():
        with made_whole(final) as made:
            source = made / f"{name}.circom"
            source.write_text(text)
            run(["node", PACKAGES / "circom2/cli.js", source, "--wasm", "--O1", "-l", "node_modules", "-o", made], cwd=INSTALLED)
            (made / "input.json").write_text(json.dumps(values))
    return final


if __name__ == "__main__":
    main(lambda: print(folder(*sys.argv[1:])))

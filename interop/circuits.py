"""Statements to prove: a key, a witness and a verifying key, made by circom and snarkjs in a folder, or by a ceremony.
`circuits.py NAME FOLDER` makes one of circom's circuits for the bench.

Every maker takes a folder and returns a `Statement`. The powers of tau are those of `proofmill dev ptau`. Their secret
is public, so the keys are for tests only.
"""

import atexit
import functools
import json
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from programs import SEMAPHORE, circom, done, proofmill, snarkjs
from place import main  # found by way of programs


#: The input of the circuit sha256.
MESSAGE = bytes(range(32))


@dataclass
class Statement:
    """Paths of the files."""
    zkey: Path
    wtns: Path
    vkey: Path  # as snarkjs exports it
    prime: str = "bn254_fp"  # the field of the points' coordinates, by its name in spec/fields
    protocol: str = "groth16"  # snarkjs's name


@functools.cache
def shared(maker):
    """Returns what a maker makes, once for all tests of a process. They may not change its files."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    return maker(Path(folder.name))


def compiled(folder, circuit, values, power, prime="bn128", curve="bn254", protocol="groth16"):
    """A circuit of interop/circuits with a key from powers of tau up to 2^power."""
    ptau, zkey = folder / "tau.ptau", folder / "circuit.zkey"
    r1cs, wasm = circom(circuit, prime, folder)
    done(proofmill("dev", "ptau", "--power", power, "--curve", curve, "--out", ptau))
    done(snarkjs(protocol, "setup", r1cs, ptau, zkey))
    made = statement(folder, zkey, wasm, values)
    made.protocol = protocol
    return made


def witness(folder, wasm, values):
    """Returns the path of the witness to some inputs."""
    wanted, wtns = folder / "input.json", folder / "witness.wtns"
    wanted.write_text(json.dumps(values))
    done(snarkjs("wtns", "calculate", wasm, wanted, wtns))
    return wtns


def statement(folder, zkey, wasm, values):
    """The witness to some inputs, and the verifying key."""
    wtns, vkey = witness(folder, wasm, values), folder / "vkey.json"
    done(snarkjs("zkey", "export", "verificationkey", zkey, vkey))
    return Statement(zkey, wtns, vkey)


def poseidon_chain(folder):
    return compiled(folder, "poseidon_chain", {"secret": "20260721"}, 12)


def merkle(folder):
    depth = 20
    values = {"leaf": "7", "siblings": [str(i * i + 1) for i in range(depth)], "sides": [str(i % 3 % 2) for i in range(depth)]}
    return compiled(folder, "merkle", values, 13)


def sha256(folder):
    return compiled(folder, "sha256", {"message": list(MESSAGE)}, 15)


def squares(folder):
    """Over BLS12-381."""
    made = compiled(folder, "squares", {"secret": "3", "addend": "5"}, 10, "bls12381", "bls12_381")
    made.prime = "bls12_381_fp"
    return made


def plonk_squares(folder):
    return compiled(folder, "squares", {"secret": "3", "addend": "5"}, 11, protocol="plonk")


def plonk_squares_over_bls12_381(folder):
    made = compiled(folder, "squares", {"secret": "3", "addend": "5"}, 11, "bls12381", "bls12_381", "plonk")
    made.prime = "bls12_381_fp"
    return made


def sums(folder, power, protocol):
    return compiled(folder, "sums", {"terms": [str(i * i + 1) for i in range(24)]}, power, protocol=protocol)


def plonk_sums(folder):
    return sums(folder, 10, "plonk")


def fflonk_sums(folder):
    """FFLONK needs powers of tau for nine times the domain."""
    return sums(folder, 13, "fflonk")


def plonk_private(folder):
    """Without public values."""
    return compiled(folder, "private", {"number": "12345"}, 4, protocol="plonk")


def fflonk_private(folder):
    """Without public values."""
    return compiled(folder, "private", {"number": "12345"}, 7, protocol="fflonk")


def powers(folder, protocol):
    """Twelve public values."""
    power = 10 if protocol == "fflonk" else 7
    return compiled(folder, "powers", {"base": "3141592653589793"}, power, protocol=protocol)


def own(folder, statement="sha256", constraints=30000, protocol="groth16"):
    """A circuit, a key and a witness of our own: nothing of circom in it."""
    done(proofmill("dev", "circuit", statement, "--constraints", constraints, "--protocol", protocol, "--out", folder))
    zkey, vkey = folder / "INSECURE.zkey", folder / "vkey.json"
    done(snarkjs("zkey", "export", "verificationkey", zkey, vkey))
    return Statement(zkey, folder / "witness.wtns", vkey, protocol=protocol)


def plonk_own(folder):
    return own(folder, "chain", 1500, "plonk")


def semaphore(depth):
    """Returns a maker of Semaphore's group membership in a tree of `depth` levels, with the key of its ceremony."""
    def made(folder):
        values = {
            "secret": "271828182845904523536", "merkleProofLength": depth, "merkleProofIndex": 2**depth - 2,
            "merkleProofSiblings": [str(1000 + i) for i in range(depth)], "message": "1", "scope": "2",
        }
        return statement(folder, SEMAPHORE / f"semaphore-{depth}.zkey", SEMAPHORE / f"semaphore-{depth}.wasm", values)
    return made


def program():
    name, folder = sys.argv[1:]
    {"poseidon_chain": poseidon_chain, "sha256": sha256}[name](Path(folder))


if __name__ == "__main__":
    main(program)

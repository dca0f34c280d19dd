"""From a circuit of circomlib to a contract and a Node application:

    python3 examples/circom/road.py                               # a Poseidon preimage, by Groth16, PLONK and FFLONK
    python3 examples/circom/road.py groth16 --circuit signature   # a larger circuit: EdDSA

Prints each command, its seconds, and the seconds of snarkjs for the same step; then wrong inputs and their messages. Every step is checked,
and any that does not end as it should ends the script. The commands run in one folder, the project of a circom developer.

`make test` builds what it needs and runs it. By hand, build first with

    cargo build --release --package proofmill-cli --package proofmill-c --package proofmill-python --package proofmill-node

circom, circomlib, snarkjs, solc and an EVM are installed from npm into the user's cache folder.
"""

import argparse
import contextlib
import json
import shutil
import sys
import tempfile
import time
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "interop"), str(ROOT / "tools")]

import dist  # noqa: E402
from evm import FALSE, GAS, TRUE, Evm  # noqa: E402
from place import PRODUCTS, Failed, main, run  # noqa: E402
from programs import PACKAGES, PROOFMILL, outcome  # noqa: E402

PROTOCOLS = ("groth16", "plonk", "fflonk")
#: Log2 of the powers of tau that a circuit needs. FFLONK needs nine times its domain.
POWERS = {"preimage": 15, "signature": 19}
#: The order of the field of public inputs.
R = int(tomllib.loads((ROOT / "spec/fields/bn254_fr.toml").read_text())["modulus"], 0)
PROGRAMS = {
    "proofmill": [PROOFMILL],
    "circom2": ["node", PACKAGES / "circom2/cli.js"],
    "snarkjs": ["node", PACKAGES / "snarkjs/build/cli.cjs"],
    "node": ["node"],
}


@dataclass
class Project:
    """A folder with a circuit, its inputs, the applications and node_modules."""
    folder: Path
    circuit: str
    evm: Evm
    values: dict = field(init=False)

    def __post_init__(self):
        for name in (f"{self.circuit}.circom", "application.mjs", "from_snarkjs.mjs"):
            shutil.copy(HERE / name, self.folder)
        shutil.copy(HERE / f"{self.circuit}.json", self.folder / "input.json")
        self.values = json.loads(self.read("input.json"))
        program = self.read("from_snarkjs.mjs")
        self.write("with_proofmill.mjs", program.replace('from "snarkjs"', 'from "proofmill/snarkjs"'))
        modules = self.folder / "node_modules"
        shutil.copytree(PACKAGES / "circomlib/circuits", modules / "circomlib/circuits")
        (modules / "snarkjs").symlink_to(PACKAGES / "snarkjs")
        # As `npm install` unpacks the package of `make dist`.
        triple = dist.target()
        for name, mode, content in dist.node_contents(dist.node_library(PRODUCTS, triple), triple, ""):
            path = modules / "proofmill" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            path.chmod(mode)

    @property
    def wasm(self):
        return f"{self.circuit}_js/{self.circuit}.wasm"

    def read(self, name):
        return self.content(name).decode()

    def content(self, name):
        return (self.folder / name).read_bytes()

    def write(self, name, content):
        """Writes a text, bytes, or a value as JSON."""
        if isinstance(content, bytes):
            (self.folder / name).write_bytes(content)
        else:
            (self.folder / name).write_text(content if isinstance(content, str) else json.dumps(content))

    def outcome(self, command):
        """Returns the finished process and its seconds."""
        program, *arguments = command.split()
        start = time.monotonic()
        result = outcome([*PROGRAMS[program], *arguments], cwd=self.folder)
        return result, time.monotonic() - start

    def timed(self, command):
        """Runs a command that must succeed. Returns its output and seconds."""
        result, seconds = self.outcome(command)
        expect(result.returncode == 0, f"{command} ended with {result.returncode}: {result.stdout}")
        return result.stdout, seconds

    def step(self, command, theirs=None):
        """Runs and prints a step, and the one of snarkjs. Returns the output of `command`."""
        output, seconds = self.timed(command)
        line(seconds, self.timed(theirs)[1] if theirs else None, command)
        return output

    def refused(self, command, code, message):
        """Runs and prints a command with a wrong input: its exit code, and a part of its message."""
        result, _ = self.outcome(command)
        said = next((said for said in result.stdout.splitlines() if message in said), None)
        expect(result.returncode == code and said, f"{command} ended with {result.returncode}: {result.stdout}")
        print(f"{command}\n    exit code {code}: {said.strip()}")

    def returned(self, contract, *calls):
        """Returns what a contract returns for each call data, and the gas of the first call."""
        reply = self.evm({"verifier": self.read(contract)}, [("verifier", data, GAS) for data in calls])
        return [returned for returned, _ in reply["results"]], reply["results"][0][1]


def expect(condition, problem):
    if not condition:
        raise Failed(problem)


def line(ours, theirs, what):
    print(f"{ours:8.2f} s", f"{theirs:8.2f} s" if theirs is not None else 10 * " ", what, sep="  ")


def title(text):
    print(f"\n{text}\n{'seconds':>10}  {'snarkjs':>10}")


def circuit(project):
    """Compiles the circuit, makes powers of tau and a witness."""
    title(f"The circuit {project.circuit}")
    name, wasm = project.circuit, project.wasm
    project.step(f"circom2 {name}.circom --r1cs --wasm --sym --O2 -l node_modules -o .")
    project.step(f"proofmill r1cs info {name}.r1cs", f"snarkjs r1cs info {name}.r1cs")
    # INSECURE: anyone knows tau. A real key needs the file of a ceremony, such as the perpetual powers of tau.
    project.step(f"proofmill dev ptau --power {POWERS[name]} --out tau.ptau")
    project.step(f"proofmill witness calculate {wasm} input.json -o witness.wtns", f"snarkjs wtns calculate {wasm} input.json theirs.wtns")
    both = [project.content(name) for name in ("witness.wtns", "theirs.wtns")]
    expect(both[0] == both[1], "the witnesses differ")
    project.step(f"proofmill witness check {name}.r1cs witness.wtns", f"snarkjs wtns check {name}.r1cs witness.wtns")


def key(project, protocol):
    """Makes a key with snarkjs and checks it."""
    name = project.circuit
    if protocol == "groth16":
        project.step(f"snarkjs groth16 setup {name}.r1cs tau.ptau first.zkey")
        project.step("snarkjs zkey contribute first.zkey groth16.zkey --name=developer -e=random")
        project.step(f"proofmill key verify groth16.zkey {name}.r1cs tau.ptau", f"snarkjs zkey verify {name}.r1cs tau.ptau groth16.zkey")
    else:
        project.step(f"snarkjs {protocol} setup {name}.r1cs tau.ptau {protocol}.zkey")
        project.step(f"proofmill key info --check {protocol}.zkey")
    project.step(f"proofmill key export-vkey {protocol}.zkey -o {protocol}.json",
                 f"snarkjs zkey export verificationkey {protocol}.zkey theirs.json")
    expect(project.read(f"{protocol}.json") == project.read("theirs.json"), "the verification keys differ")


def proof(project, protocol):
    """Makes a proof with each program and verifies each with the other program."""
    zkey, vkey, ours, theirs = f"{protocol}.zkey", f"{protocol}.json", (f"{protocol}_public.json", f"{protocol}_proof.json"), ("public.json", "proof.json")
    project.step(f"proofmill prove {zkey} --wasm {project.wasm} --input input.json -o {ours[1]} --public {ours[0]}",
                 f"snarkjs {protocol} fullprove input.json {project.wasm} {zkey} {theirs[1]} {theirs[0]}")
    expect(project.read(ours[0]) == project.read(theirs[0]), "the public inputs differ")
    project.step(f"proofmill verify {vkey} {theirs[0]} {theirs[1]}", f"snarkjs {protocol} verify {vkey} {ours[0]} {ours[1]}")


def contract(project, protocol):
    """Verifies the proof in the contracts of both programs, in an EVM."""
    proof, public = f"{protocol}_proof.json", f"{protocol}_public.json"
    project.step(f"proofmill key solidity {protocol}.zkey -o verifier.sol", f"snarkjs zkey export solidityverifier {protocol}.zkey theirs.sol")
    data = project.step(f"proofmill calldata --format hex {proof} {public}", f"snarkjs generatecall {public} {proof}").strip()
    changed = f"{data[:-1]}{int(data[-1], 16) ^ 1:x}"  # another public input
    (verdicts, ours), (by_theirs, theirs) = (project.returned(name, data, changed) for name in ("verifier.sol", "theirs.sol"))
    expect(verdicts == by_theirs == [TRUE, FALSE], f"the contracts returned {verdicts} and {by_theirs}")
    print(f"{24 * ' '}the contract accepts the proof for {ours} gas, that of snarkjs for {theirs}; both refuse another public input")


def application(project, protocol, proofs):
    """Runs the applications: with proofmill, and the one of snarkjs before and after the change of its import."""
    files = f"input.json {project.wasm} {protocol}.zkey {proofs}"
    commands = [f"node application.mjs {files}",
                *(f"node {name}.mjs {files} {protocol} {protocol}.json" for name in ("with_proofmill", "from_snarkjs"))]
    prover, ours, theirs = (json.loads(project.timed(command)[0]) for command in commands)
    public = json.loads(project.read(f"{protocol}_public.json"))
    expect(all(made["publicSignals"] == public for made in (prover, ours, theirs)), "the public signals differ")
    line(prover["seconds"], theirs["seconds"], f"a proof in application.mjs: `{commands[0]}`")
    line(ours["seconds"], theirs["seconds"], "a proof in from_snarkjs.mjs with `proofmill/snarkjs` in its import")


def wrong_inputs(project):
    """Wrong files and values in the commands of `circuit`."""
    print("\nWrong inputs of the commands above:\n")
    name, wasm = project.circuit, project.wasm
    first, *rest = project.values
    project.write("missing.json", {})
    project.write("long.json", {**project.values, first: [1, 2, 3]})
    project.write("fraction.json", {**project.values, first: "1.5"})
    project.write("other.json", {**project.values, "other": 1})
    project.write("cut.r1cs", project.content(f"{name}.r1cs")[:-100])
    project.write("changed.wtns", changed(project.content("witness.wtns"), -32))
    for command, code, message in (
        (f"proofmill witness calculate {wasm} missing.json", 2, "input values are missing"),
        (f"proofmill witness calculate {wasm} long.json", 2, f"signal `{first}` has 3 values; the circuit has 1"),
        (f"proofmill witness calculate {wasm} fraction.json", 2, "not an integer"),
        (f"proofmill witness calculate {wasm} other.json", 2, "signal `other` is not an input of the circuit"),
        (f"proofmill witness calculate {name}.r1cs input.json", 2, "not a WebAssembly module"),
        (f"proofmill witness check {name}.r1cs changed.wtns --sym {name}.sym", 1, "constraint"),
        (f"proofmill witness check {name}.r1cs input.json", 2, "input.json"),
        ("proofmill r1cs info cut.r1cs", 2, "cut.r1cs: "),
        ("proofmill r1cs print witness.wtns", 2, "witness.wtns: "),
    ):
        project.refused(command, code, message)


def wrong_keys(project, protocol):
    """Wrong files and values in the commands with the key of a protocol."""
    name, wasm, key = project.circuit, project.wasm, f"{protocol}.zkey"
    proof, public = f"{protocol}_proof.json", f"{protocol}_public.json"
    values = json.loads(project.read(public))
    project.write("cut.zkey", project.content(key)[:-100])
    project.write("cut.ptau", project.content("tau.ptau")[:-100])
    project.write("other_public.json", [str(int(values[0]) ^ 1), *values[1:]])
    project.write("large_public.json", [str(int(values[0]) + R), *values[1:]])
    print("\nWrong inputs of the commands above:\n")
    if protocol == "groth16":
        project.refused(f"proofmill key verify first.zkey {name}.r1cs tau.ptau", 1, "anyone can forge proofs")
        project.refused(f"proofmill key verify {key} {name}.r1cs cut.ptau", 2, "cut.ptau: ")
        project.refused(f"proofmill key verify {key} cut.r1cs tau.ptau", 2, "cut.r1cs: ")
    else:
        project.refused(f"proofmill key verify {key} {name}.r1cs tau.ptau", 2, "has no contributions")
    last_section = "contributions" if protocol == "groth16" else f"{protocol} header"
    for command, code, message in (
        ("proofmill key info cut.zkey", 2, f"({last_section})"),
        ("proofmill key export-vkey witness.wtns", 2, "witness.wtns: "),
        (f"proofmill prove {key} changed.wtns", 2, "does not verify"),
        (f"proofmill prove {key} --wasm {wasm}", 2, "--input"),
        (f"proofmill prove {key} --wasm {wasm} --input missing.json", 2, "input values are missing"),
        (f"proofmill verify {protocol}.json other_public.json {proof}", 1, ": invalid"),
        (f"proofmill verify {protocol}.json large_public.json {proof}", 2, "large_public.json"),
        (f"proofmill verify {protocol}.json {proof} {public}", 2, proof),
        (f"proofmill key solidity {key} --name lower", 2, "upper-case"),
        (f"proofmill key solidity {proof}", 2, proof),
        (f"proofmill calldata {proof} large_public.json", 2, "large_public.json"),
        (f"proofmill calldata {public} {proof}", 2, public),
        (f"node application.mjs missing.json {wasm} {key} 1", 1, "input values are missing"),
        (f"node application.mjs input.json {wasm} cut.zkey 1", 1, "cut.zkey"),
        (f"node with_proofmill.mjs input.json {key} {key} 1 {protocol} {protocol}.json", 1, "not a WebAssembly module"),
    ):
        project.refused(command, code, message)


def changed(content, at):
    """Returns bytes with another bit."""
    content = bytearray(content)
    content[at] ^= 1
    return bytes(content)


def road(project, protocol, proofs):
    title(f"{protocol}, {project.circuit}")
    key(project, protocol)
    proof(project, protocol)
    contract(project, protocol)
    application(project, protocol, proofs)
    wrong_keys(project, protocol)


@contextlib.contextmanager
def new_project(name):
    evm = Evm()
    with tempfile.TemporaryDirectory() as folder:
        try:
            yield Project(Path(folder), name, evm)
        finally:
            evm.close()


def program():
    parser = argparse.ArgumentParser(description="From a circuit of circomlib to a contract and a Node application")
    parser.add_argument("protocols", nargs="*", metavar="PROTOCOL", help=f"{', '.join(PROTOCOLS)} [default: all]")
    parser.add_argument("--circuit", choices=POWERS, default="preimage")
    parser.add_argument("--proofs", type=int, default=3, help="proofs of each application, of which the last is timed [default: 3]")
    arguments = parser.parse_args()
    sys.stdout.reconfigure(line_buffering=True)
    with new_project(arguments.circuit) as project:
        circuit(project)
        wrong_inputs(project)
        for protocol in arguments.protocols or PROTOCOLS:
            road(project, protocol, arguments.proofs)


if __name__ == "__main__":
    main(program)

"""Tests the errors for features that the build of `make run` omits: `python3 tools/omitted.py`, after `make run`.

Each command ends with status 2 and names the feature that it needs; commands without features work. The library with `cpu:` only depends on no
driver of cards, no simulator and no keys for tests.
"""

import json
import subprocess

from place import ROOT, Failed, main, output, run

#: What `make run` builds, whatever profile other tests use.
PROOFMILL = output("release") / "proofmill"
ABSENT = "is not in this build; build with the feature"
#: Arguments -> part of the error.
OMITTED = {
    "points generate --curve pallas --count 1 /dev/null": f"'pallas_g1' {ABSENT} 'pasta'",
    "points generate --curve bls12_377 --group g2 --count 1 /dev/null": f"'bls12_377_g2' {ABSENT} 'bls12_377'",
    "ntt --field pasta_fq from to": f"'pasta_fq' {ABSENT} 'pasta'",
    "selftest --device sim:": "build with --features selftest",
    "bench --html x.html": "build with --features bench",
    "device-server": "build with --features remote",
    "demo --device tcp://127.0.0.1:1": f"the client of remote devices (tcp:) {ABSENT} 'remote'",
    "serve --key a=b": "build with --features serve",
    "witness calculate a.wasm b.json": "build with --features witness",
    "demo --device sim:": f"the driver of cards (sim:, uart:, pcie:, f2:) {ABSENT} 'card'",
    "demo --device cuda:0": f"the driver of GPUs (cuda:) {ABSENT} 'cuda'",
}


def answer(arguments):
    done = subprocess.run([PROOFMILL, *arguments.split()], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def cli():
    for asked, wanted in OMITTED.items():
        status, said = answer(asked)
        if status != 2 or wanted not in said:
            raise Failed(f"`proofmill {asked}` ended with {status}: {said}")
    for command in ("devices", "doctor"):
        said = run([PROOFMILL, command])
        for feature in ("card", "cuda"):
            if f"{ABSENT} '{feature}'" not in said:
                raise Failed(f"`proofmill {command}` does not name the feature '{feature}': {said}")
    levels = json.loads(run([PROOFMILL, "doctor", "--json"]))["cpu"]["omitted"]
    for level in levels:
        status, said = answer(f"demo --isa {level}")
        if status != 2 or f"{level} is not in this build" not in said:
            raise Failed(f"`proofmill demo --isa {level}` ended with {status}: {said}")
    run([PROOFMILL, "points", "generate", "--curve", "bn254", "--count", "1", "/dev/null"])
    needed = run(["cargo", "tree", "--offline", "--package", "proofmill", "--no-default-features", "--edges", "no-dev,features", "--prefix", "none"], cwd=ROOT)
    for part in ("proofmill-card", "proofmill-cuda", "proofmill-testkit", "libloading", "proofmill-remote", "proofmill-witness", "wasmi", 'proofmill-proof feature "dev"'):
        if part in needed:
            raise Failed(f"the library for cpu: alone depends on {part}")
    print(f"{len(OMITTED) + len(levels) + 6} passed, 0 failed")


if __name__ == "__main__":
    main(cli)

#!/usr/bin/env python3
"""Tests and measures `cuda:` on a machine with a GPU, from one folder that was filled on another machine.

`gpu.py pack FOLDER` builds the programs, the kernels (with nvcc: --architectures 90) and, with --circom FOLDER, adds a key, witness and verifying key of
interop/circuits.py. `FOLDER/gpu.py run` there needs Python and the driver alone: it runs the crate's tests, the bench, a proof of the circom circuit, NVRTC and
compute-sanitizer where they are, each within a time limit, and writes logs and results to --to. Programs of peers (bench/peers/sppark, bench/peers/icicle) in
FOLDER/peers run after the bench.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
#: Programs of peers with their arguments, for the rows of the bench.
PEERS = ["sppark_msm_bn254_g1 20 24", "sppark_msm_bls12_381_g1 20", "sppark_msm_bls12_381_g2 20", "sppark_ntt_bn254 22", "sppark_ntt_goldilocks 24",
         "icicle_msm_bn254_g1 20", "icicle_ntt_bn254 22"]
#: Tests under compute-sanitizer, by tool: small requests.
SANITIZED = {"memcheck": ["conforms", "equal_and_opposite"], "racecheck": ["conforms"], "initcheck": ["equal_and_opposite"], "synccheck": ["equal_and_opposite"]}


def pack(arguments):
    """Fills the folder."""
    import cuda
    from place import BUILT, ROOT
    folder = arguments.folder.resolve()
    for name in ("bin", "kernels"):
        shutil.rmtree(folder / name, ignore_errors=True)
        (folder / name).mkdir(parents=True)
    subprocess.run(["cargo", "build", "--release", "--package", "proofmill-bench", "--package", "proofmill-cli"], cwd=ROOT, check=True)
    command = ["cargo", "test", "--package", "proofmill-cuda", "--test", "all", "--no-run", "--message-format=json"]
    messages = map(json.loads, subprocess.run(command, cwd=ROOT, check=True, text=True, stdout=subprocess.PIPE).stdout.splitlines())
    tests = next(it["executable"] for it in messages if it.get("executable"))
    for source, name in ((BUILT / "release/proofmill-bench", "bench"), (BUILT / "release/proofmill", "proofmill"), (tests, "tests")):
        shutil.copy(source, folder / "bin" / name)
        subprocess.run(["strip", folder / "bin" / name], check=True)
    names, _ = cuda.write_sources()
    cuda.fat_binaries(folder / "kernels", names, arguments.architectures, "")
    if arguments.circom:
        (folder / "circom").mkdir(exist_ok=True)
        for name in ("circuit.zkey", "witness.wtns", "vkey.json"):
            shutil.copy(arguments.circom / name, folder / "circom")
    shutil.copy(HERE / "gpu.py", folder)


def run(arguments):
    """Runs all that the folder has; the number of steps that failed."""
    to = arguments.to.resolve()
    to.mkdir(parents=True, exist_ok=True)
    programs, kernels = HERE / "bin", {"PROOFMILL_CUDA_DIR": str(HERE / "kernels")}
    failed = []

    def step(name, command, limit, environment=kernels, cwd=HERE):
        start = time.monotonic()
        with open(to / f"{name}.txt", "a") as log:
            log.write(f"$ {' '.join(str(word) for word in command)}\n")
            log.flush()
            try:
                command = [str(word) for word in command]
                code = subprocess.run(command, cwd=cwd, env={**os.environ, **environment}, stdout=log, stderr=subprocess.STDOUT, timeout=limit).returncode
            except (subprocess.TimeoutExpired, OSError) as problem:
                log.write(f"{problem}\n")
                code = -1
        print(f"{name}: {'ok' if code == 0 else f'FAILED ({code})'}, {time.monotonic() - start:.1f} s", flush=True)
        if code != 0:
            failed.append(name)

    tests = {**kernels, "PROOFMILL_TEST_GPU": "0"}
    step("about", ["nvidia-smi", "--query-gpu=name,driver_version,clocks.max.sm,memory.total", "--format=csv"], 20)
    step("tests", [programs / "tests", "--test-threads=4"], 90, tests)
    step("bench", [programs / "bench", "gpu"], 120)
    for peer in PEERS:
        program, *sizes = peer.split()
        if (HERE / "peers" / program).exists():
            step("peers", [HERE / "peers" / program, *sizes], 30)
    step("doctor", [programs / "proofmill", "doctor"], 20)
    step("selftest", [programs / "proofmill", "selftest", "--device", "cuda:0"], 60)
    if (HERE / "circom").exists():
        with tempfile.TemporaryDirectory() as folder:
            key, witness = (HERE / "circom" / name for name in ("circuit.zkey", "witness.wtns"))
            step("prove", [programs / "proofmill", "prove", key, witness, "--device", "cuda:0", "--json"], 60, cwd=folder)
            for name in ("proof.json", "public.json"):
                if (Path(folder) / name).exists():
                    shutil.copy(Path(folder) / name, to)
    libraries = [str(path.parent) for pattern in ("/usr/local/cuda*/lib64/libnvrtc.so*", f"{sys.prefix}/lib/python3*/site-packages/nvidia/*/lib/libnvrtc.so*")
                 for path in Path("/").glob(pattern.lstrip("/"))]
    with tempfile.TemporaryDirectory() as empty:
        compiled = {"PROOFMILL_CUDA_DIR": empty, "LD_LIBRARY_PATH": ":".join([*libraries, os.environ.get("LD_LIBRARY_PATH", "")])}
        step("nvrtc", [programs / "bench", "gpu", "--quick", "--only", "msm bn254_g1 20 tables,ntt goldilocks"], 60, compiled)
    sanitizer = shutil.which("compute-sanitizer") or next((str(path) for path in Path("/usr/local").glob("cuda*/bin/compute-sanitizer")), None)
    for tool, chosen in SANITIZED.items() if sanitizer else ():
        step("sanitizer", [sanitizer, "--tool", tool, "--error-exitcode", "9", programs / "tests", "--test-threads=1", *chosen], 60, tests)
    if not sanitizer:
        print("SKIPPED: there is no compute-sanitizer")
    return len(failed)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    packing = commands.add_parser("pack", help="fill a folder with all that a machine with a GPU needs")
    packing.add_argument("folder", type=Path)
    packing.add_argument("--architectures", type=lambda text: [int(it) for it in text.split(",")], default=[90], help="such as 80,90")
    packing.add_argument("--circom", type=Path, help="a folder that interop/circuits.py made")
    running = commands.add_parser("run", help="test and measure, from that folder")
    running.add_argument("--to", type=Path, default=Path("gpu-results"), help="where logs and results go")
    arguments = parser.parse_args()
    if arguments.command == "pack":
        pack(arguments)
        return 0
    return 1 if run(arguments) else 0


if __name__ == "__main__":
    sys.exit(main())

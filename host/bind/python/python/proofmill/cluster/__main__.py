"""The command: ``python -m proofmill.cluster up|status|prove|verify``. See docs/use/cluster.md."""

from __future__ import annotations

import argparse
import json
import os
import secrets
import sys
from pathlib import Path
from typing import Any, NoReturn

import ray

from .. import _snark
from ..errors import ArgumentError, Error, FileError
from ._cluster import Cluster, connect, initialize
from ._references import Key

_NAME = "proofmill.cluster"


class _Parser(argparse.ArgumentParser):
    """Reports wrong usage in one line, with the exit status 2."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; --help lists the arguments\n")


def main(arguments: list[str] | None = None) -> int:
    """Runs the command. Returns the exit status: 0, 1 for a failure or an invalid proof; exits with 2 for wrong usage."""
    chosen = _parser().parse_args(arguments)
    try:
        return chosen.run(chosen)
    except Error as problem:
        print(f"{_NAME}: {problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"{_NAME}: interrupted", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog=_NAME, description="Proofs and verifications on a Ray cluster.")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    cluster = _Parser(add_help=False)
    cluster.add_argument("--address", metavar="HOST:PORT", help="the cluster, or 'auto'; by default Ray is started on this machine")
    work = _Parser(add_help=False, parents=[cluster])
    work.add_argument("--workers", type=_count, metavar="N", help="number of workers (default: as many as the CPUs allow)")
    work.add_argument("--cpus", type=_count, default=1, metavar="N", help="CPUs of each worker (default: 1)")
    work.add_argument("--device", metavar="URI", help="device of each worker (default: cpu: with one thread for each CPU)")
    work.add_argument("--jobs", metavar="FILE", help="job file: results in it are not computed again")
    work.add_argument("--deadline", type=_seconds, default=3600.0, metavar="SECONDS", help="time limit of each job (default: 3600)")

    up = commands.add_parser("up", parents=[cluster], help="start a node, and run it until it is interrupted")
    up.add_argument("--workers", type=_count, default=os.cpu_count() or 1, metavar="N", help="CPUs that the node offers to workers (default: all)")
    up.add_argument("--port", type=int, default=6379, help="port of a new cluster, without --address (default: 6379)")
    up.set_defaults(run=_up)

    status = commands.add_parser("status", parents=[cluster], help="list the nodes of a cluster")
    status.set_defaults(run=_status)

    prove = commands.add_parser("prove", parents=[work], help="make proofs: STEM.proof.json and STEM.public.json for each STEM.wtns")
    prove.add_argument("key", metavar="KEY", help=".zkey file")
    prove.add_argument("witnesses", nargs="+", metavar="WITNESS", help=".wtns file; with --wasm a JSON file of inputs")
    prove.add_argument("--out", required=True, metavar="FOLDER", help="folder for the proofs; created if missing")
    prove.add_argument("--wasm", metavar="FILE", help="witness generator of the circuit")
    prove.set_defaults(run=_prove)

    verify = commands.add_parser("verify", parents=[work], help="verify proofs; the exit status is 1 if one is invalid")
    verify.add_argument("key", metavar="VKEY", help="verification_key.json")
    files = "proof.json and public.json of each proof, or a folder that `prove` has written"
    verify.add_argument("proofs", nargs="+", metavar="PROOF PUBLIC", help=files)
    verify.set_defaults(run=_verify, usage=verify.error)
    return parser


def _up(chosen: argparse.Namespace) -> int:
    place = ["--head", f"--port={chosen.port}"] if chosen.address is None else [f"--address={chosen.address}"]
    if chosen.address is None:
        print(f"{_NAME}: starting a cluster; other nodes join with: up --address HOST:{chosen.port}", flush=True)
    command = [sys.executable, "-m", "ray.scripts.scripts", "start", "--block", f"--num-cpus={chosen.workers}", "--disable-usage-stats", *place]
    os.execv(sys.executable, command)


def _status(chosen: argparse.Namespace) -> int:
    initialize(chosen.address or "auto")
    try:
        for node in ray.nodes():
            state = "alive" if node["Alive"] else "lost"
            print(f"{node['NodeID'][:12]}  {node['NodeManagerAddress']}  {state}  {node['Resources'].get('CPU', 0):g} CPUs")
        total, free = ray.cluster_resources().get("CPU", 0), ray.available_resources().get("CPU", 0)
        print(f"{total - free:g} of {total:g} CPUs are in use")
    finally:
        ray.shutdown()
    return 0


def _connected(chosen: argparse.Namespace) -> Cluster:
    return connect(chosen.address, workers=chosen.workers, cpus=chosen.cpus, device=chosen.device)


def _prove(chosen: argparse.Namespace) -> int:
    stems = [Path(witness).name.removesuffix(".wtns").removesuffix(".json") for witness in chosen.witnesses]
    if twice := {stem for stem in stems if stems.count(stem) > 1}:
        raise ArgumentError(f"WITNESS: several files are named {', '.join(sorted(twice))}")
    key, out = Key(chosen.key, wasm=chosen.wasm), Path(chosen.out)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise FileError(f"--out: {problem}") from None
    made = resumed = failed = 0
    with _connected(chosen) as cluster:
        prove: Any = cluster.full_prove_many if chosen.wasm else cluster.prove_many
        for result in prove(key, chosen.witnesses, deadline=chosen.deadline, jobs=chosen.jobs, errors="return"):
            name = chosen.witnesses[result.number]
            if result.error is not None:
                failed += 1
                print(f"{_NAME}: {name}: {result.error}", file=sys.stderr, flush=True)
                continue
            _write(out / f"{stems[result.number]}.public.json", result.proof.public_inputs)
            _write(out / f"{stems[result.number]}.proof.json", result.proof.proof)
            made, resumed = made + 1, resumed + result.is_resumed
            print(f"{name}: {f'from {chosen.jobs}' if result.is_resumed else f'{result.worker}, {result.seconds:.2f} s'}", flush=True)
    print(f"{made} proofs" + (f", {resumed} of them from {chosen.jobs}" if resumed else "") + f" in {out}" + (f"; {failed} failed" if failed else ""))
    return int(failed > 0)


def _verify(chosen: argparse.Namespace) -> int:
    pairs = _pairs(chosen)
    valid = 0
    key = _snark._text("verification_key", chosen.key)
    _snark.VerifyingKey(key)
    with _connected(chosen) as cluster:
        for verdict in cluster.verify_many(key, pairs, deadline=chosen.deadline, jobs=chosen.jobs, errors="return"):
            valid += verdict.is_valid is True
            if verdict.is_valid is not True:
                print(f"{pairs[verdict.number][0]}: {'invalid' if verdict.error is None else verdict.error}", flush=True)
    print(f"{valid} of {len(pairs)} proofs are valid")
    return int(valid < len(pairs))


def _pairs(chosen: argparse.Namespace) -> list[tuple[Path, Path]]:
    """Returns the files of each proof."""
    given = [Path(path) for path in chosen.proofs]
    if len(given) == 1 and given[0].is_dir():
        pairs = [(proof, proof.with_name(proof.name.replace(".proof.json", ".public.json"))) for proof in sorted(given[0].glob("*.proof.json"))]
        if not pairs:
            raise FileError(f"PROOF: {given[0]}: has no *.proof.json")
        return pairs
    if len(given) % 2:
        chosen.usage(f"PROOF: {len(given)} files; expected a folder, or pairs of proof.json and public.json")
    return list(zip(given[::2], given[1::2]))


def _write(path: Path, content: Any) -> None:
    """Writes a file as a whole or not at all."""
    part = path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")
    try:
        try:
            with open(part, "x") as file:
                json.dump(content, file, indent=1)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as problem:
        raise FileError(f"--out: {problem}") from None


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number}; expected at least 1")
    return number


def _seconds(text: str) -> float:
    number = float(text)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text}; expected a number of seconds")
    return number


if __name__ == "__main__":
    sys.exit(main())

"""Writes the KubeRay manifest of a cluster for a key: the resources of raycluster.yaml follow from the key's plan.

    proofmill prove circuit.zkey --plan --json --threads 16 > plan.json
    python3 examples/cluster/manifest.py plan.json --threads 16 --nodes 17 --image registry.example/proofmill-ray:1 > cluster.yaml

Several plans are those of several keys; each worker keeps up to four of them. Uses the standard library only.
"""

import argparse
import json
import re
import sys
from pathlib import Path

TEMPLATE = Path(__file__).resolve().with_name("raycluster.yaml")
MIB = 2**20
#: A process whose allocator keeps freed memory has had up to 1.23 of the plan (docs/use/groth16.md).
KEPT = 1.25
#: Assumed memory of Ray's own processes on a node, and of the Python interpreter of a worker with its modules.
NODE, INTERPRETER = 512 * MIB, 192 * MIB
#: Jobs that a worker has at a time, and the smallest object store, as a multiple of the space for their witnesses and as a size.
OUTSTANDING, SPARE, SMALLEST = 2, 2, 128 * MIB
#: Keys that a worker keeps.
RESIDENT = 4


def store_bytes(plans, workers):
    """Returns the object store of a node, which holds the witnesses of all jobs of its workers."""
    return max(SMALLEST, SPARE * OUTSTANDING * workers * max(plan["witness"] for plan in plans))


def memory_bytes(plans, workers):
    """Returns the memory of a node. The workers share the pages of the mapped keys."""
    keys = sum(sorted((plan["key"] for plan in plans), reverse=True)[:RESIDENT])
    working = max(plan["memory"] - plan["key"] for plan in plans)
    return NODE + keys + store_bytes(plans, workers) + workers * (int(KEPT * working) + INTERPRETER)


def values(plans, nodes, workers, threads, gpus, image):
    """Returns name -> value of the marked places."""
    return {"nodes": nodes, "cpus": workers * threads, "gpus": gpus, "image": image, "store": store_bytes(plans, workers),
            "memory": f"{-(-memory_bytes(plans, workers) // MIB)}Mi"}


def filled(template, found):
    """Returns the manifest with the marked values replaced. Quotes and anchors stay."""
    def fill(line):
        return f"{line[1]}{line[2]}{found[line[4]]}{line[2]}{line[3]}{line[4]}"
    return re.sub(r'^( *[\w./-]+: (?:&\w+ )?)("?)[^"#\n]*?\2(  # = )(\w+)$', fill, template, flags=re.M)


def cli():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("plans", nargs="+", metavar="PLAN", type=Path, help="the output of `proofmill prove KEY --plan --json --threads THREADS`")
    parser.add_argument("--nodes", type=int, default=1, help="pods with workers")
    parser.add_argument("--workers", type=int, default=1, help="workers of a pod")
    parser.add_argument("--threads", type=int, default=16, help="threads of a worker")
    parser.add_argument("--gpus", type=int, default=0, help="GPUs of a pod")
    parser.add_argument("--image", default="proofmill-ray:latest", help="the image of Containerfile")
    chosen = parser.parse_args()
    plans = [json.loads(path.read_text()) for path in chosen.plans]
    if any(plan.get("type") != "plan" for plan in plans):
        raise SystemExit("manifest.py: a file is not the output of `proofmill prove --plan --json`")
    sys.stdout.write(filled(TEMPLATE.read_text(), values(plans, chosen.nodes, chosen.workers, chosen.threads, chosen.gpus, chosen.image)))


if __name__ == "__main__":
    cli()

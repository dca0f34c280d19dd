"""Proofs, verifications and MSMs on many machines, with Ray: ``pip install 'proofmill[ray]'``.

>>> from proofmill import cluster
>>> key = cluster.Key("circuit.zkey")          # doctest: +SKIP
>>> with cluster.connect(workers=2) as c:          # doctest: +SKIP
...     for result in c.prove_many(key, ["a.wtns", "b.wtns"], jobs="jobs.sqlite"):
...         print(result.number, result.worker, result.proof.public_inputs)

Each result is checked on the driver, which is the process that calls `connect`. A worker that returns a wrong result is quarantined and its
job repeated on another. ``python -m proofmill.cluster`` is the command.
"""

from __future__ import annotations

import os

# Ray reports usage to its makers by default.
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"

try:
    import ray as _ray  # noqa: F401
except ImportError as problem:
    raise ImportError(f"proofmill.cluster: Ray is missing ({problem}); install it with: pip install 'proofmill[ray]'") from None

from ._cluster import Cluster, ProofResult, Verification, connect
from ._references import Bases, Key
from ._schedule import WorkerStatus

__all__ = ["Bases", "Cluster", "Key", "ProofResult", "Verification", "WorkerStatus", "connect"]

"""Metrics of the driver in Ray's dashboard and its Prometheus endpoint. They contain no input and no path."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterable
from typing import Any

from ray.util.metrics import Counter, Gauge, Histogram

_SECONDS = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000]


class Metrics:
    """Counts jobs by operation and result, their seconds on a worker, waiting jobs, and workers by state."""

    def __init__(self) -> None:
        self._jobs = Counter("proofmill_cluster_jobs", "Jobs by result: done, failed, wrong, cancelled, resumed", ("operation", "result"))
        self._seconds = Histogram("proofmill_cluster_seconds", "Seconds of a job on its worker", _SECONDS, ("operation",))
        self._pending = Gauge("proofmill_cluster_pending", "Jobs that wait for a worker")
        self._workers = Gauge("proofmill_cluster_workers", "Workers by state", ("state",))

    def count(self, operation: str, result: str) -> None:
        """Counts a job."""
        self._jobs.inc(1, {"operation": operation, "result": result})

    def observe(self, operation: str, seconds: float) -> None:
        """Records the seconds of a job."""
        self._seconds.observe(seconds, {"operation": operation})

    def pending(self, jobs: int) -> None:
        """Sets the number of waiting jobs."""
        self._pending.set(jobs)

    def workers(self, slots: Iterable[Any]) -> None:
        """Sets the number of workers in each state."""
        tally = Tally(slot.state for slot in slots)
        for state in ("starting", "ready", "quarantined", "failed"):
            self._workers.set(tally[state], {"state": state})

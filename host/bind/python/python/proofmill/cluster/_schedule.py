"""The scheduler on the driver: workers, jobs, priorities, deadlines and faults.

1. A batch is the jobs of one call. Its caller submits a job when it reads an input, and takes finished jobs from a queue.
2. A job is assigned to a worker that is ready and has fewer than `outstanding` jobs: the highest priority first, then in order of submission.
3. The response is checked on the driver. A wrong value quarantines the worker, and the job is assigned to another one. An error of a job is
   returned only if a second worker reports it, too.
4. Ray restarts a worker whose process ends, and repeats its jobs (`max_restarts=-1`, `max_task_retries=-1`). A worker whose node is lost, or
   that does not end a cancelled job, is replaced by a new actor, and its jobs are assigned again. Each attempt has a number, so a late
   response of an earlier attempt is dropped: a job has exactly one result.
5. A job that passes its deadline ends with a `DeviceTimeoutError`, whatever its worker does.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, Literal

import ray
from ray.exceptions import RayActorError, RayTaskError, TaskCancelledError

from .. import errors
from ..errors import CancelledError, DeviceError, DeviceTimeoutError, Error
from ._metrics import Metrics
from ._outcome import Outcome

_log = logging.getLogger("proofmill")
#: Seconds between two checks of deadlines and nodes.
_WATCH = 1.0
#: Seconds after which a worker that does not end a cancelled job is replaced.
_GRACE = 30.0
#: Workers that fail to start this many times in a row are not started again.
_STARTS = 3

State = Literal["starting", "ready", "quarantined", "failed"]


class WrongResult(Exception):
    """A worker returned a wrong result; the text describes it."""


@dataclass(frozen=True)
class WorkerStatus:
    """The state of a worker.

    `node` is the id of its Ray node and `address` that node's address; both are empty until it has started. `reason` explains why it is
    quarantined or failed.
    """

    name: str
    node: str
    address: str
    state: State
    running: int
    finished: int
    reason: str = ""


@dataclass(frozen=True)
class Finished:
    """A job that has ended: a value that was checked, or an error."""

    job: "Job"
    value: Any
    error: Error | None
    worker: str
    seconds: float


class Batch:
    """The jobs of one call. `unread` counts those that were submitted and not yet taken from the queue `finished`."""

    def __init__(self, operation: str, priority: int) -> None:
        self.operation, self.priority = operation, priority
        self.finished: queue.SimpleQueue[Finished] = queue.SimpleQueue()
        self.unread = 0

    def take(self) -> Finished:
        """Waits for a finished job."""
        finished = self.finished.get()
        self.unread -= 1
        return finished


@dataclass(eq=False)
class Job:
    """A call of a method of a worker.

    `name` is that of its input in errors, `label` distinguishes jobs of a batch, `reference` is what the worker has to load. `accept` receives
    the value and the worker's name; it returns what the caller receives, or raises `WrongResult`. `record` receives the finished job before
    the caller does. `expires` is in seconds of the monotonic clock. The worker `prefer` is used while it is usable, the workers `avoid` are not.
    """

    batch: Batch
    number: int
    name: str
    method: str
    reference: Hashable
    arguments: tuple[Any, ...]
    accept: Callable[[Any, str], Any]
    expires: float
    record: Callable[[Finished], None] | None = None
    label: str = ""
    prefer: str | None = None
    avoid: set[str] = field(default_factory=set)
    failure: tuple[str, Error, float] | None = None  # the first worker that reported an error, the error, and the worker's seconds
    refusal: Error | None = None
    ended: float | None = None  # time at which it ended


class _Slot:
    """A worker, through all of its actors."""

    def __init__(self, name: str, kind: type, options: dict[str, Any], device: str) -> None:
        self.name, self._kind, self._options, self._device = name, kind, options, device
        self.state: State = "starting"
        self.actor: Any = None
        self.generation, self.starts, self.completed = 0, 0, 0
        self.node = self.address = self.reason = ""
        self.running: dict[int, tuple[Job, Any]] = {}
        self.refused: set[Hashable] = set()

    @property
    def is_usable(self) -> bool:
        return self.state in ("starting", "ready")

    def status(self) -> WorkerStatus:
        """Returns the state. Jobs that are cancelled do not count as running."""
        running = sum(job.ended is None for job, _ in self.running.values())
        return WorkerStatus(self.name, self.node, self.address, self.state, running, self.completed, self.reason)

    def start(self) -> Any:
        """Starts a new actor and returns a reference to its identity."""
        self.generation += 1
        self.starts += 1
        self.state, self.node = "starting", ""
        self.actor = ray.remote(self._kind).options(**self._options).remote(self._device)
        return self.actor.identify.remote()

    def stop(self) -> None:
        """Ends the actor."""
        if self.actor is not None:
            ray.kill(self.actor, no_restart=True)
            self.actor = None


class Scheduler:
    """Assigns jobs to workers and checks their responses, on a thread of its own."""

    def __init__(self, kinds: list[type], *, resources: dict[str, float], device: str, outstanding: int) -> None:
        options = {**resources, "max_restarts": -1, "max_task_retries": -1, "scheduling_strategy": "SPREAD"}
        self._outstanding, self._metrics = outstanding, Metrics()
        self._slots = [_Slot(f"worker-{number}", kind, options, device) for number, kind in enumerate(kinds)]
        self._pending: list[Job] = []
        self._events: queue.SimpleQueue[tuple[str, Any, int, int, Any] | None] = queue.SimpleQueue()
        self._lock, self._attempts = threading.RLock(), 0
        self._changed = threading.Condition(self._lock)
        self._broken: Error | None = None
        with self._lock:
            for slot in self._slots:
                self._start(slot)
        self._thread = threading.Thread(target=self._run, name="proofmill-cluster", daemon=True)
        self._thread.start()

    def wait_started(self, seconds: float, workers: int = 1) -> None:
        """Waits until some workers are ready. Raises a `DeviceError` if they are not after these seconds, or fail to start."""

        def is_decided() -> bool:
            ready = sum(slot.state == "ready" for slot in self._slots)
            return ready >= workers or sum(slot.is_usable for slot in self._slots) < workers or self._broken is not None

        with self._changed:
            self._changed.wait_for(is_decided, seconds)
            ready = sum(slot.state == "ready" for slot in self._slots)
            if self._broken is not None:
                raise self._broken
            if ready < workers:
                raise DeviceError(f"cluster: {ready} of {workers} workers started within {seconds:.0f} s{self._reasons()}")

    @property
    def window(self) -> int:
        """The number of jobs of a batch that may be submitted and not yet read by the caller."""
        with self._lock:
            return max(1, sum(slot.is_usable for slot in self._slots)) * (self._outstanding + 1)

    @property
    def usable(self) -> list[str]:
        """The names of the workers that are not quarantined."""
        with self._lock:
            return [slot.name for slot in self._slots if slot.is_usable]

    def status(self) -> list[WorkerStatus]:
        """Returns the state of each worker."""
        with self._lock:
            return [slot.status() for slot in self._slots]

    def submit(self, job: Job) -> None:
        """Adds a job."""
        with self._lock:
            job.batch.unread += 1
            self._pending.append(job)
            if self._broken is not None:
                self._end(job, None, self._broken)
            self._assign()

    def resumed(self, batch: Batch) -> None:
        """Counts a job whose result is from a job file."""
        self._metrics.count(batch.operation, "resumed")

    def cancel(self, batch: Batch) -> None:
        """Cancels the jobs of a batch. They have no result."""
        with self._lock:
            self._pending = [job for job in self._pending if job.batch is not batch]
            for slot in self._slots:
                for job, running in slot.running.values():
                    if job.batch is batch and job.ended is None:
                        job.ended = time.monotonic()
                        self._metrics.count(batch.operation, "cancelled")
                        ray.cancel(running)
            self._assign()

    def quarantine(self, worker: str, reason: str) -> None:
        """Stops a worker that returned a wrong result for good; its other jobs are assigned again."""
        with self._lock:
            slot = next(slot for slot in self._slots if slot.name == worker)
            if slot.state == "quarantined":
                return
            _log.warning("%s on %s returned a wrong result and is quarantined: %s", slot.name, slot.address, reason)
            self._retire(slot, "quarantined", reason)
            self._assign()

    def close(self) -> None:
        """Ends all workers, and jobs that are not finished with a `CancelledError`."""
        self._events.put(None)
        self._thread.join()
        with self._lock:
            self._fail_all(CancelledError("cluster: is closed"))
            for slot in self._slots:
                slot.generation += 1
                slot.stop()

    def _run(self) -> None:
        watched = time.monotonic()
        try:
            while True:
                try:
                    event = self._events.get(timeout=_WATCH)
                    if event is None:
                        return
                    with self._lock:
                        self._handle(*event)
                        self._assign()
                except queue.Empty:
                    pass
                if time.monotonic() - watched >= _WATCH:
                    nodes = {node["NodeID"] for node in ray.nodes() if node["Alive"]}
                    with self._lock:
                        self._watch(nodes)
                        self._assign()
                    watched = time.monotonic()
        except Exception as problem:  # such as the loss of the head node
            _log.exception("the scheduler of the cluster ended")
            with self._lock:
                self._fail_all(DeviceError(f"cluster: {type(problem).__name__}: {problem}"))
                self._changed.notify_all()

    def _handle(self, event: str, slot: _Slot, generation: int, attempt: int, future: Any) -> None:
        if generation != slot.generation:
            return
        if event == "identity":
            self._identified(slot, future)
            return
        found = slot.running.pop(attempt, None)
        if found is None:
            return
        job, _ = found
        try:
            outcome = future.result()
        except TaskCancelledError:
            self._again(job)
        except RayActorError as problem:
            self._again(job)
            self._restart(slot, str(problem))
        except RayTaskError as problem:
            self._failed(job, slot, DeviceError(f"{slot.name}: {str(problem).strip().splitlines()[-1]}"), 0.0)
        except Exception as problem:  # such as the loss of an object in the object store
            _log.warning("%s: %s: %s", slot.name, type(problem).__name__, problem)
            self._again(job)
            self._restart(slot, str(problem))
        else:
            if job.ended is None:
                self._responded(job, slot, outcome)

    def _identified(self, slot: _Slot, future: Any) -> None:
        try:
            slot.node, slot.address, process = future.result()
        except Exception as problem:
            self._restart(slot, str(problem))
            return
        slot.state = "ready"
        self._metrics.workers(self._slots)
        _log.info("%s is ready on %s, process %d", slot.name, slot.address, process)
        self._changed.notify_all()

    def _responded(self, job: Job, slot: _Slot, outcome: Any) -> None:
        if not isinstance(outcome, Outcome):
            outcome = Outcome("value", outcome)  # which is a wrong value
        if outcome.kind == "refused":
            slot.refused.add(job.reference)
            job.refusal = _error(outcome.error, f"{outcome.text} (on {slot.name})")
            _log.warning("%s on %s: %s", slot.name, slot.address, outcome.text)
            self._again(job)
            return
        if outcome.kind == "error":
            self._failed(job, slot, _error(outcome.error, f"{job.name}: {outcome.text}"), outcome.seconds)
            return
        try:
            value = job.accept(outcome.value, slot.name)
        except Exception as wrong:  # a malformed value may raise any
            reason = str(wrong) if isinstance(wrong, WrongResult) else f"malformed: {type(wrong).__name__}: {wrong}"
            self._metrics.count(job.batch.operation, "wrong")
            self._again(job)
            self.quarantine(slot.name, f"{job.name}: {reason}")
            return
        slot.starts = 0
        slot.completed += 1
        self._end(job, value, None, slot.name, outcome.seconds)
        if job.failure is not None and not isinstance(job.failure[1], DeviceError):
            self.quarantine(job.failure[0], f"reported an error for a valid input: {job.failure[1]}")

    def _failed(self, job: Job, slot: _Slot, error: Error, seconds: float) -> None:
        """Assigns a job with an error to another worker; ends it with the error of the second."""
        if job.ended is not None:
            return
        others = any(other.is_usable and other is not slot for other in self._slots)
        if job.failure is not None or not others:
            self._end(job, None, error, slot.name, seconds)
            return
        job.failure = (slot.name, error, seconds)
        job.avoid.add(slot.name)
        self._again(job)

    def _again(self, job: Job) -> None:
        if job.ended is None:
            self._pending.insert(0, job)

    def _end(self, job: Job, value: Any, error: Error | None, worker: str = "", seconds: float = 0.0) -> None:
        job.ended = time.monotonic()
        if job in self._pending:
            self._pending.remove(job)
        finished = Finished(job, value, error, worker, seconds)
        if job.record is not None:
            try:
                job.record(finished)
            except Error as problem:
                finished = Finished(job, None, problem, worker, seconds)
        self._metrics.count(job.batch.operation, "failed" if finished.error else "done")
        self._metrics.observe(job.batch.operation, seconds)
        job.batch.finished.put(finished)

    def _assign(self) -> None:
        for job in sorted(self._pending, key=lambda job: -job.batch.priority):  # the sort is stable
            usable = [slot for slot in self._slots if slot.is_usable and job.reference not in slot.refused]
            candidates = [slot for slot in usable if slot.name not in job.avoid]
            if not candidates:
                self._end_without_worker(job)
                continue
            preferred = [slot for slot in candidates if slot.name == job.prefer]
            free = [slot for slot in preferred or candidates if slot.state == "ready" and len(slot.running) < self._outstanding]
            if free:
                self._send(job, min(free, key=lambda slot: len(slot.running)))
        self._metrics.pending(len(self._pending))

    def _end_without_worker(self, job: Job) -> None:
        if job.failure is not None:
            worker, error, seconds = job.failure
            self._end(job, None, error, worker, seconds)
        else:
            self._end(job, None, job.refusal or DeviceError(f"{job.name}: no worker is left{self._reasons()}"))

    def _send(self, job: Job, slot: _Slot) -> None:
        self._pending.remove(job)
        self._attempts += 1
        attempt, generation = self._attempts, slot.generation
        running = getattr(slot.actor, job.method).remote(job.reference, *job.arguments)
        slot.running[attempt] = (job, running)
        running.future().add_done_callback(lambda future: self._events.put(("response", slot, generation, attempt, future)))

    def _watch(self, nodes: set[str]) -> None:
        now = time.monotonic()
        for job in [job for job in self._pending if job.expires <= now]:
            self._expire(job)
        for slot in self._slots:
            for job, running in slot.running.values():
                if job.ended is None and job.expires <= now:
                    self._expire(job)
                    ray.cancel(running)
            overdue = any(job.ended is not None and now - job.ended > _GRACE for job, _ in slot.running.values())
            if slot.state == "ready" and slot.node not in nodes:
                self._restart(slot, "its node is lost")
            elif overdue:
                self._restart(slot, "a cancelled job did not end")

    def _expire(self, job: Job) -> None:
        self._end(job, None, DeviceTimeoutError(f"{job.name}: no result within the deadline"))

    def _start(self, slot: _Slot) -> None:
        identity, generation = slot.start(), slot.generation
        identity.future().add_done_callback(lambda future: self._events.put(("identity", slot, generation, 0, future)))

    def _restart(self, slot: _Slot, reason: str) -> None:
        """Replaces the actor of a worker, and assigns its jobs again."""
        if not slot.is_usable:
            return
        _log.warning("%s on %s is replaced: %s", slot.name, slot.address, reason)
        if slot.starts > _STARTS:
            self._retire(slot, "failed", reason)
            return
        self._release(slot)
        self._start(slot)

    def _retire(self, slot: _Slot, state: State, reason: str) -> None:
        slot.state, slot.reason = state, reason
        slot.generation += 1
        self._release(slot)
        self._metrics.workers(self._slots)
        self._changed.notify_all()

    def _release(self, slot: _Slot) -> None:
        jobs = [job for job, _ in slot.running.values()]
        slot.running.clear()
        slot.stop()
        for job in reversed(jobs):
            self._again(job)

    def _fail_all(self, error: Error) -> None:
        self._broken = error
        running = [job for slot in self._slots for job, _ in slot.running.values() if job.ended is None]
        for job in [*self._pending, *running]:
            self._end(job, None, error)
        self._pending.clear()

    def _reasons(self) -> str:
        reasons = [f"{slot.name}: {slot.reason}" for slot in self._slots if slot.reason]
        return f" ({'; '.join(reasons)})" if reasons else ""


def _error(name: str, text: str) -> Error:
    """Returns an error of proofmill by the name of its class."""
    kind = getattr(errors, name, DeviceError)
    return kind(text) if isinstance(kind, type) and issubclass(kind, Error) else DeviceError(text)

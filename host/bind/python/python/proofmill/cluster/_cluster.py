"""The cluster: a connection to Ray, its workers, and the calls that compute on them."""

from __future__ import annotations

import hashlib
import logging
import math
import os
import socket
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

import ray

from .. import _device, _numbers, _snark
from ..errors import ArgumentError, DeviceError, Error
from ._claims import checked_proof, checked_verdicts, claim_texts, inputs_content, public_values, verdict_of, witness_content
from ._jobs import JobFile
from ._msm import Confirm, ShardedMsm
from ._references import Bases, Key, packed_lists
from ._schedule import Batch, Finished, Job, Scheduler, WorkerStatus, WrongResult
from ._workers import Worker

#: Seconds for the start of the first worker.
_START = 300.0
#: Seconds for a connection to the head node.
_CONNECT = 60.0
#: A bar with `update`, which advances by one with each result, or a function of the number of results and of the jobs read so far.
Progress = Callable[[int, int], Any] | _snark.Bar
Errors = Literal["raise", "return"]


@dataclass(frozen=True)
class ProofResult:
    """The result of a job of `Cluster.prove_many` or `Cluster.full_prove_many`.

    `number` is the position of the input. `proof` is None if there is an `error`. `worker` made the proof in `seconds`; with `is_resumed` in an
    earlier run, and the proof is from the job file.
    """

    number: int
    proof: _snark.Proof | None
    worker: str
    seconds: float
    error: Error | None = None
    is_resumed: bool = False


@dataclass(frozen=True)
class Verification:
    """The result for a proof of `Cluster.verify_many`. `is_valid` is None if there is an `error`: the proof is malformed or has no verdict."""

    number: int
    is_valid: bool | None
    worker: str
    error: Error | None = None
    is_resumed: bool = False


def connect(
    address: str | None = None, *, workers: int | None = None, cpus: int = 1, gpus: float = 0, device: str | None = None, outstanding: int = 2,
) -> "Cluster":
    """Starts Ray on this machine, or joins the cluster at `address` (``"auto"``, ``"HOST:PORT"``), and starts workers.

    Each of the `workers` reserves `cpus` CPUs and `gpus` GPUs and computes on `device`, a URI that is opened on its node; by default
    ``"cpu:?threads=CPUS"``. Without `workers` there are as many as the CPUs allow. A worker has at most `outstanding` jobs at a time, one of
    which runs. If this process has initialized Ray, that connection is used and stays open.

    Raises a `DeviceError` if the cluster cannot be reached or no worker starts.
    """
    return Cluster(address, workers=workers, cpus=cpus, gpus=gpus, device=device, outstanding=outstanding)


class Cluster:
    """Workers of this process on a Ray cluster: `connect`. Several threads may use it. Use it in a ``with`` statement, or call `close`.

    A generator that a method returns reads its inputs lazily, in the thread that iterates: as many as the workers need. Closing it cancels its
    jobs.
    """

    def __init__(
        self, address: str | None = None, *, workers: int | None = None, cpus: int = 1, gpus: float = 0, device: str | None = None,
        outstanding: int = 2,
    ) -> None:
        if address is not None and not isinstance(address, str):
            raise ArgumentError(f"address: {type(address).__name__}; expected HOST:PORT, 'auto' or None")
        cpus, outstanding = _positive("cpus", cpus), _positive("outstanding", outstanding)
        count = None if workers is None else _positive("workers", workers)
        uri = f"cpu:?threads={cpus}" if device is None else _device._name("device", device)
        self._owns_ray = not ray.is_initialized()
        if self._owns_ray:
            local = (count or max(1, (os.cpu_count() or 1) // cpus)) * cpus
            initialize(address, local)
        self._scheduler: Scheduler | None = None
        try:
            capacity = sum(int(node["Resources"].get("CPU", 0)) // cpus for node in ray.nodes() if node["Alive"])
            if (count or 1) > capacity:
                raise ArgumentError(f"workers: {count or 1} of {cpus} CPUs each; the cluster has capacity for {capacity}")
            kinds = [self._kind(number) for number in range(count or capacity)]
            self._scheduler = Scheduler(kinds, resources={"num_cpus": cpus, "num_gpus": gpus}, device=uri, outstanding=outstanding)
            self._scheduler.wait_started(_START)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> "Cluster":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the workers, and Ray if `connect` started it or joined it. Calls that are not finished raise a `CancelledError`."""
        if self._scheduler is not None:
            self._scheduler.close()
            self._scheduler = None
        if self._owns_ray and ray.is_initialized():
            ray.shutdown()

    def workers(self) -> list[WorkerStatus]:
        """Returns the state of each worker."""
        return self._open().status()

    def prove_many(
        self, key: Key, witnesses: Iterable[Any], *, deadline: float = 3600.0, priority: int = 0, jobs: str | os.PathLike[str] | None = None,
        progress: Progress | None = None, errors: Errors = "raise",
    ) -> Iterator[ProofResult]:
        """Makes a proof for each witness, one at a time on each worker, and returns results as they are finished.

        `witnesses` may be of any length, and its items are as in `proofmill.Prover.prove`; the driver reads files. `deadline` is in seconds from
        the time at which a witness is read; a job that exceeds it has a `DeviceTimeoutError`. Jobs of a higher `priority` run first. `jobs`
        is the path of a job file: results that it contains are returned from it and not computed again.

        If a witness has no proof, its error is raised after all other results; with ``errors="return"`` it is in the result.
        """
        public = _checked("key", key, Key).verifying_key.public_inputs

        def prepare(number: int, witness: Any) -> "_Prepared":
            name = f"witnesses[{number}]"
            kind, content = witness_content(name, witness)
            values = public_values(kind, content, public)
            return _Prepared(name, kind.encode() + content, (kind, content), lambda proof: checked_proof(key.verifying_key, proof, values))

        return self._proofs("prove", key, _iterated("witnesses", witnesses), prepare, _Options(deadline, priority, jobs, progress, errors))

    def full_prove_many(
        self, key: Key, inputs: Iterable[Any], *, deadline: float = 3600.0, priority: int = 0, jobs: str | os.PathLike[str] | None = None,
        progress: Progress | None = None, errors: Errors = "raise",
    ) -> Iterator[ProofResult]:
        """Calculates the witness of each item of `inputs` and makes a proof, as `prove_many` does. `key` must have a `wasm`.

        The items are as in `proofmill.Prover.full_prove`. The driver verifies the proof for the public inputs that the worker returns. It does
        not calculate the witness, so it does not check that these public inputs follow from the item.
        """
        if _checked("key", key, Key).reference.wasm is None:
            raise ArgumentError("key: has no wasm, which calculates witnesses")

        def prepare(number: int, item: Any) -> "_Prepared":
            name = f"inputs[{number}]"
            content = inputs_content(name, item)
            return _Prepared(name, content, (content,), lambda proof: checked_proof(key.verifying_key, proof, None))

        return self._proofs("full_prove", key, _iterated("inputs", inputs), prepare, _Options(deadline, priority, jobs, progress, errors))

    def verify_many(
        self, verification_key: Any, proofs: Iterable[Any], *, group: int = 64, confirm: float = 0.1, deadline: float = 3600.0,
        priority: int = 0, jobs: str | os.PathLike[str] | None = None, progress: Progress | None = None, errors: Errors = "raise",
    ) -> Iterator[Verification]:
        """Verifies proofs in groups of `group` on each worker, and returns the verdicts as they are finished.

        `verification_key` is a `Key`, or the content or the path of verification_key.json. An item of `proofs` is a `proofmill.Proof`, or a
        tuple of a proof and its public inputs. The driver verifies each proof that a worker reports as invalid, and with the probability
        `confirm` (0 to 1) a whole group. A worker that reports an invalid proof as valid is therefore found with this probability for each
        group; only ``confirm=1`` excludes a wrong verdict.
        """
        key, text = _verification_key(verification_key)
        size = _positive("group", group)
        if isinstance(confirm, bool) or not isinstance(confirm, (int, float)) or not 0 <= confirm <= 1:
            raise ArgumentError(f"confirm: {confirm!r}; expected a probability from 0 to 1")
        options = _Options(deadline, priority, jobs, progress, errors)
        file = options.open_file("verify", hashlib.sha256(text.encode()).hexdigest())
        batch = Batch("verify", options.priority)

        def prepare(numbered: list[tuple[int, Any]]) -> Iterator[Verification | Job]:
            claims: list[tuple[int, tuple[str, str]]] = []
            for number, item in numbered:
                try:
                    texts = claim_texts(f"proofs[{number}]", item)
                except Error as problem:
                    yield Verification(number, None, "", problem)
                    continue
                recorded = file.begin(number, "\0".join(texts).encode()) if file else None
                if recorded is None:
                    claims.append((number, texts))
                elif (verdict := verdict_of(key, texts)) is recorded[0]:
                    yield Verification(number, verdict, recorded[1], is_resumed=True)
                else:
                    file.restart(number)  # type: ignore[union-attr]
                    claims.append((number, texts))
            if claims:
                first, texts_only = claims[0][0], [texts for _, texts in claims]
                yield Job(
                    batch, first, f"proofs[{first}]", "verify", text, (texts_only,),
                    lambda value, worker: [(number, v) for (number, _), v in zip(claims, checked_verdicts(key, texts_only, value, confirm))],
                    options.expires(), record=lambda finished: record(finished, [number for number, _ in claims]),
                )

        def record(finished: Finished, numbers: list[int]) -> None:
            for number, verdict in finished.value or ():
                if file and isinstance(verdict, bool):
                    file.finish(number, verdict, finished.worker, finished.seconds)
            if file and finished.error:
                for number in numbers:
                    file.fail(number)
            finished.job.arguments = (numbers,)

        def present(finished: Finished) -> list[Verification]:
            if finished.error is not None:
                return [Verification(number, None, finished.worker, finished.error) for number in finished.job.arguments[0]]
            return [
                Verification(number, verdict, finished.worker) if isinstance(verdict, bool)
                else Verification(number, None, finished.worker, type(verdict)(f"proofs[{number}]: {verdict}"))
                for number, verdict in finished.value
            ]

        numbered = enumerate(_iterated("proofs", proofs))
        groups = iter(lambda: list(islice(numbered, size)), [])
        return self._stream(batch, groups, prepare, present, options, file)

    def msm(self, bases: Bases, scalars: Any, *, confirm: Confirm = "workers", deadline: float = 3600.0, priority: int = 0) -> Any:
        """Computes the sum of k_i P_i over bases that are divided among the workers. Returns one point, in the form of `scalars`.

        See `msm_batch`.
        """
        return self.msm_batch(bases, [scalars], confirm=confirm, deadline=deadline, priority=priority)[0]

    def msm_batch(
        self, bases: Bases, lists: Any, *, confirm: Confirm = "workers", deadline: float = 3600.0, priority: int = 0
    ) -> list[Any]:
        """Computes one MSM for each list of scalars. Returns a point for each, in the form of its list.

        Each worker loads a range of the bases, receives the scalars of its range, and returns one point for each list; the driver adds them.
        `confirm` is who checks the points of each range by a random linear combination: ``"workers"``, another worker, which costs one more
        MSM for all lists together; ``"driver"``, which trusts no worker and costs the driver an MSM of the size of the bases; ``"none"``.
        With one worker, ``"workers"`` means the driver.

        Raises a `DeviceTimeoutError` if there is no result `deadline` seconds after the call.
        """
        if confirm not in ("workers", "driver", "none"):
            raise ArgumentError(f"confirm: {confirm!r}; expected 'workers', 'driver' or 'none'")
        _checked("bases", bases, Bases)
        options = _Options(deadline, priority, None, None, "raise")
        given = list(lists) if _numbers.is_array(lists) else _numbers.sequence("lists", lists)
        content = packed_lists(bases, given)
        if not content:
            return []
        width, extension = _device._group(bases.group)
        points = ShardedMsm(self._open(), bases, content, confirm, options.priority, options.expires()).points()
        return [_device._one(model, point, width, extension) for model, point in zip(given, points)]

    def _kind(self, number: int) -> type:
        """Returns the class of a worker."""
        return Worker

    def _open(self) -> Scheduler:
        if self._scheduler is None:
            raise DeviceError("cluster: is closed")
        return self._scheduler

    def _proofs(
        self, operation: str, key: Key, items: Iterator[Any], prepare_one: Callable[[int, Any], "_Prepared"], options: "_Options"
    ) -> Iterator[ProofResult]:
        reference = key.reference
        file = options.open_file(operation, reference.sha256 + (f"+{reference.wasm_sha256}" if operation == "full_prove" else ""))
        batch = Batch(operation, options.priority)

        def prepare(numbered: tuple[int, Any]) -> Iterator[ProofResult | Job]:
            number, item = numbered
            try:
                given = prepare_one(number, item)
            except Error as problem:
                yield ProofResult(number, None, "", 0.0, problem)
                return
            recorded = file.begin(number, given.content) if file else None
            if recorded is not None:
                value, worker, seconds = recorded
                try:
                    proof = given.accept(_snark.Proof(value["proof"], value["public_inputs"], seconds))
                    yield ProofResult(number, proof, worker, seconds, is_resumed=True)
                    return
                except (WrongResult, KeyError, TypeError):
                    file.restart(number)  # type: ignore[union-attr]
            yield Job(
                batch, number, given.name, operation, reference, given.arguments, lambda value, _: given.accept(value), options.expires(),
                record=record,
            )

        def record(finished: Finished) -> None:
            finished.job.arguments = ()
            if file and finished.error is None:
                content = {"proof": finished.value.proof, "public_inputs": finished.value.public_inputs}
                file.finish(finished.job.number, content, finished.worker, finished.seconds)
            elif file:
                file.fail(finished.job.number)

        def present(finished: Finished) -> list[ProofResult]:
            return [ProofResult(finished.job.number, finished.value, finished.worker, finished.seconds, finished.error)]

        return self._stream(batch, enumerate(items), prepare, present, options, file)

    def _stream(
        self, batch: Batch, source: Iterator[Any], prepare: Callable[[Any], Iterator[Any]], present: Callable[[Finished], list[Any]],
        options: "_Options", file: JobFile | None,
    ) -> Iterator[Any]:
        scheduler, report = self._open(), options.report
        first_error, is_exhausted, read, done = None, False, 0, 0

        def counted(results: Iterable[Any]) -> Iterator[Any]:
            nonlocal done, first_error
            for result in results:
                done += 1
                if getattr(result, "is_resumed", False):
                    scheduler.resumed(batch)
                report(done, read)
                if result.error is None or options.errors == "return":
                    yield result
                else:
                    first_error = first_error or result.error

        try:
            while True:
                # A result that is finished is returned before the next input is read.
                while not is_exhausted and batch.unread < scheduler.window and batch.finished.empty():
                    item = next(source, _END)
                    if item is _END:
                        is_exhausted = True
                        break
                    read += len(item) if isinstance(item, list) else 1
                    for step in prepare(item):
                        if isinstance(step, Job):
                            scheduler.submit(step)
                        else:
                            yield from counted([step])
                if batch.unread:
                    yield from counted(present(batch.take()))
                elif is_exhausted:
                    break
        finally:
            scheduler.cancel(batch)
            if file:
                file.close()
        if first_error is not None:
            raise first_error


_END = object()


@dataclass(frozen=True)
class _Prepared:
    """An input as it is sent: its name, what identifies it, the arguments of the worker, and the check of the result."""

    name: str
    content: bytes
    arguments: tuple[Any, ...]
    accept: Callable[[Any], _snark.Proof]


class _Options:
    """The options that all calls have, checked."""

    def __init__(self, deadline: Any, priority: Any, jobs: Any, progress: Any, errors: Any) -> None:
        if isinstance(deadline, bool) or not isinstance(deadline, (int, float)) or not 0 < deadline < math.inf:
            raise ArgumentError(f"deadline: {deadline!r}; expected a number of seconds")
        if errors not in ("raise", "return"):
            raise ArgumentError(f"errors: {errors!r} is none of raise, return")
        update = getattr(progress, "update", None)
        if progress is not None and not callable(progress) and not callable(update):
            raise ArgumentError(f"progress: {type(progress).__name__}; expected a function of two numbers, or a bar with `update`")
        self.deadline, self.priority, self.jobs, self.errors = deadline, _numbers.integer("priority", priority), jobs, errors
        self.report: Callable[[int, int], Any] = (lambda *_: None) if progress is None else (lambda *_: update(1)) if callable(update) else progress

    def expires(self) -> float:
        """Returns the time at which a job that is submitted now exceeds its deadline."""
        return time.monotonic() + self.deadline

    def open_file(self, operation: str, key_sha256: str) -> JobFile | None:
        """Opens the job file, if there is one."""
        return None if self.jobs is None else JobFile(self.jobs, operation, key_sha256)


def initialize(address: str | None, cpus: int = 0) -> None:
    """Joins a cluster, or starts Ray on this machine with these CPUs. Raises a `DeviceError` if that fails."""
    if address not in (None, "auto"):
        _check_address(address)
    # Without "local", Ray would join a cluster that runs on this machine.
    options: dict[str, Any] = {"address": address or "local"}
    if address is None:
        options |= {"num_cpus": cpus, "include_dashboard": False}
    try:
        ray.init(**options, namespace="proofmill", logging_level=logging.ERROR, log_to_driver=False)
    except Exception as problem:  # ray raises errors of many kinds
        hint = "" if address is None or "RAY_AUTH_MODE" in os.environ else "; if the cluster requires tokens, set RAY_AUTH_MODE=token"
        raise DeviceError(f"address: {address or 'this machine'}: {str(problem).strip().splitlines()[0]}{hint}") from None


def _check_address(address: str) -> None:
    """Raises an error if nothing accepts connections at an address, which Ray retries for minutes."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal():
        raise ArgumentError(f"address: {address!r}; expected HOST:PORT or 'auto'")
    try:
        socket.create_connection((host.strip("[]"), int(port)), _CONNECT).close()
    except (OSError, OverflowError) as problem:
        raise DeviceError(f"address: {address}: {problem}") from None


def _verification_key(given: Any) -> tuple[_snark.VerifyingKey, str]:
    """Returns a key for the driver, and the text of verification_key.json for the workers."""
    if isinstance(given, Key):
        return given.verifying_key, given.verification_key
    if isinstance(given, _snark.VerifyingKey):
        raise ArgumentError("verification_key: a VerifyingKey; expected a Key, or the content or the path of verification_key.json")
    text = _snark._text("verification_key", given)
    return _snark.VerifyingKey(text), text


def _checked(argument: str, value: Any, kind: type) -> Any:
    if not isinstance(value, kind):
        raise ArgumentError(f"{argument}: {type(value).__name__}; expected a cluster.{kind.__name__}")
    return value


def _iterated(argument: str, items: Any) -> Iterator[Any]:
    if isinstance(items, (str, bytes, bytearray, os.PathLike, Mapping)) or not isinstance(items, Iterable):
        raise ArgumentError(f"{argument}: {type(items).__name__}; expected an iterable of them")
    return iter(items)


def _positive(argument: str, value: Any) -> int:
    number = _numbers.integer(argument, value)
    if number < 1:
        raise ArgumentError(f"{argument}: {number}; expected at least 1")
    return number

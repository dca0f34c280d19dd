"""References to files: a path and the SHA-256 of its content. Workers receive a reference, never the content.

A worker loads what a job refers to and keeps it resident. A worker that restarts loads it again without the driver, and rejects a file with
another hash.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from typing import Any

from .. import _device, _numbers, _snark
from ..errors import ArgumentError, FileError

#: Bytes read at a time.
_CHUNK = 1 << 22


@dataclass(frozen=True)
class KeyReference:
    """A proving key, and the witness generator of its circuit if there is one."""

    zkey: str
    sha256: str
    wasm: str | None
    wasm_sha256: str | None
    max_bytes: int
    max_seconds: float

    def load(self, device: str) -> "LoadedKey":
        """Loads the key on a device. Raises a `FileError` if a file is missing or its hash differs."""
        prover = _unchanged("zkey", self.zkey, self.sha256, lambda: _snark.Prover(self.zkey, device=device))
        calculator = None
        if self.wasm is not None and self.wasm_sha256 is not None:
            calculator = _unchanged("wasm", self.wasm, self.wasm_sha256, self._calculator)
        return LoadedKey(prover, calculator)

    def _calculator(self) -> _snark.WitnessCalculator:
        return _snark.WitnessCalculator(self.wasm or "", max_bytes=self.max_bytes, max_seconds=self.max_seconds)


@dataclass(frozen=True)
class LoadedKey:
    """A key on a worker's device."""

    prover: _snark.Prover
    calculator: _snark.WitnessCalculator | None


@dataclass(frozen=True)
class Range:
    """The points ``start`` to ``start + count - 1`` of a file of bases; `sha256` is that of these points alone."""

    path: str
    group: str
    start: int
    count: int
    sha256: str

    def read(self) -> bytes:
        """Returns the points. Raises a `FileError` if they cannot be read or their hash differs."""
        size = point_bytes(self.group)
        content = read_part("bases", self.path, self.start * size, self.count * size)
        found = hashlib.sha256(content).hexdigest()
        if found != self.sha256:
            last = self.start + self.count - 1
            raise FileError(f"bases: {self.path}: points {self.start} to {last} have the SHA-256 {found}; expected {self.sha256}")
        return content

    def load(self, device: str) -> _device.Bases:
        """Loads the points on a device, and checks them to be in the subgroup."""
        return _device.opened(device).bases(self.group, self.read())


class Key:
    """A proving key for `Cluster.prove_many`, by the path of its file.

    `zkey` is a .zkey file for Groth16, PLONK or FFLONK, `wasm` the witness generator of its circuit, which `Cluster.full_prove_many` needs.
    Every node must have the same files at the same absolute paths. The driver verifies proofs with `verification_key`, the content or the
    path of verification_key.json; by default it is that of the zkey. `max_bytes` and `max_seconds` limit the generator.
    """

    def __init__(
        self, zkey: str | os.PathLike[str], *, wasm: str | os.PathLike[str] | None = None, verification_key: Any = None,
        max_bytes: int = 2 << 30, max_seconds: float = 600.0,
    ) -> None:
        path, generator = _path("zkey", zkey), None if wasm is None else _path("wasm", wasm)
        digest = file_sha256("zkey", path)
        generator_digest = None if generator is None else file_sha256("wasm", generator)
        if generator is not None:
            _snark.WitnessCalculator(generator, max_bytes=max_bytes, max_seconds=max_seconds)  # rejects a wrong file and wrong limits
        if verification_key is None:
            verification_key = _snark.Prover(path, resident=False).verification_key
        self.verification_key = _snark._text("verification_key", verification_key)
        self.verifying_key = _snark.VerifyingKey(self.verification_key)
        self.reference = KeyReference(path, digest, generator, generator_digest, max_bytes, float(max_seconds))

    def __repr__(self) -> str:
        return f"Key({self.reference.zkey!r}, {self.verifying_key.protocol}, {self.verifying_key.curve})"

    @property
    def sha256(self) -> str:
        """The SHA-256 of the zkey, in hex."""
        return self.reference.sha256


class Bases:
    """The points of an MSM that is divided among the workers, by the path of their file.

    `path` is a file of points of `group` one after the other, each x and y as little-endian numbers, as ``proofmill points generate`` writes
    it. Every node must have the same file at the same absolute path; a worker reads its range only.
    """

    def __init__(self, group: str, path: str | os.PathLike[str]) -> None:
        self.group, self.path = group, _path("path", path)
        size = point_bytes(group)
        length = _file_size("path", self.path)
        if length % size:
            raise FileError(f"path: {self.path}: {length} bytes; expected a multiple of {size}, the size of a point of {group}")
        self._count = length // size
        self.sha256 = file_sha256("path", self.path)
        self._ranges: dict[int, list[Range]] = {}

    def __len__(self) -> int:
        return self._count

    def __repr__(self) -> str:
        return f"Bases({len(self)} points of {self.group}, {self.path!r})"

    def ranges(self, parts: int) -> list[Range]:
        """Returns up to `parts` even ranges, none of them empty. Raises a `FileError` if the file has changed."""
        parts = min(parts, len(self))
        if parts not in self._ranges:
            self._ranges[parts] = self._divided(parts)
        return self._ranges[parts]

    def _divided(self, parts: int) -> list[Range]:
        size, whole, ranges = point_bytes(self.group), hashlib.sha256(), []
        for part in range(parts):
            start, end = len(self) * part // parts, len(self) * (part + 1) // parts
            digest = hashlib.sha256()
            for at in range(start * size, end * size, _CHUNK):
                content = read_part("bases", self.path, at, min(_CHUNK, end * size - at))
                whole.update(content)
                digest.update(content)
            ranges.append(Range(self.path, self.group, start, end - start, digest.hexdigest()))
        if parts and whole.hexdigest() != self.sha256:
            raise FileError(f"bases: {self.path}: has changed; its SHA-256 is no longer {self.sha256}")
        return ranges


def point_bytes(group: str) -> int:
    """Returns the bytes of a point."""
    width, extension = _device._group(group)
    return 2 * extension * width


def file_sha256(argument: str, path: str) -> str:
    """Returns the SHA-256 of a file in hex."""
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as problem:
        raise FileError(f"{argument}: {problem}") from None


def read_part(argument: str, path: str, offset: int, length: int) -> bytes:
    """Returns `length` bytes of a file from `offset` on."""
    try:
        with open(path, "rb") as file:
            file.seek(offset)
            content = file.read(length)
    except OSError as problem:
        raise FileError(f"{argument}: {problem}") from None
    if len(content) != length:
        raise FileError(f"{argument}: {path}: ends at {offset + len(content)} bytes; expected {offset + length}")
    return content


def packed_lists(bases: Bases, lists: Any) -> list[bytes]:
    """Returns lists of scalars as bytes, as many scalars in each as there are points."""
    lists = list(lists) if _numbers.is_array(lists) else _numbers.sequence("lists", lists)
    packed = []
    for index, scalars in enumerate(lists):
        content = bytes(_numbers.pack(f"lists[{index}]", scalars, 32))
        if len(content) != 32 * len(bases):
            raise ArgumentError(f"lists[{index}]: {len(content) // 32} scalars for {len(bases)} points")
        packed.append(content)
    return packed


def _unchanged(argument: str, path: str, expected: str, load: Any) -> Any:
    """Returns what `load` makes of a file that has the expected hash, and has not changed meanwhile."""
    before = _identity(argument, path)
    found = file_sha256(argument, path)
    if found != expected:
        raise FileError(f"{argument}: {path}: has the SHA-256 {found}; expected {expected}")
    loaded = load()
    if _identity(argument, path) != before:
        raise FileError(f"{argument}: {path}: changed while it was loaded")
    return loaded


def _identity(argument: str, path: str) -> tuple[int, ...]:
    try:
        found = os.stat(path)
    except OSError as problem:
        raise FileError(f"{argument}: {problem}") from None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def _file_size(argument: str, path: str) -> int:
    return _identity(argument, path)[2]


def _path(argument: str, path: Any) -> str:
    if not isinstance(path, (str, os.PathLike)) or isinstance(path, bytes) or not isinstance(os.fspath(path), str):
        raise ArgumentError(f"{argument}: {type(path).__name__}; expected the path of a file that every node has")
    return os.path.abspath(os.fspath(path))

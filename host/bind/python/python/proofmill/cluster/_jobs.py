"""The job file: a SQLite database of the jobs of one call, their inputs by hash, and their results.

A driver that was killed continues with the same file: jobs with a result are returned from it and not computed again. The file contains no
witness and no input, only their hashes with a random salt of the file.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import sqlite3
import threading
from typing import Any

from ..errors import ArgumentError, FileError

#: The number in the header of the database that identifies a job file, and the version of its tables.
_APPLICATION, _VERSION = 0x70726D6A, 1
_TABLES = """
CREATE TABLE call (operation TEXT NOT NULL, key_sha256 TEXT NOT NULL, salt TEXT NOT NULL);
CREATE TABLE jobs (
    number INTEGER PRIMARY KEY, input_sha256 TEXT NOT NULL, state TEXT NOT NULL CHECK (state IN ('running', 'done', 'failed')),
    result TEXT, worker TEXT NOT NULL DEFAULT '', seconds REAL NOT NULL DEFAULT 0);
"""


class JobFile:
    """A job file of one operation with one key. One process at a time can open it.

    `path` is created if it is missing. Raises a `FileError` that names the file if it is no job file, is damaged, is in use, or belongs to
    another operation or key.
    """

    def __init__(self, path: str | os.PathLike[str], operation: str, key_sha256: str) -> None:
        if not isinstance(path, (str, os.PathLike)):
            raise ArgumentError(f"jobs: {type(path).__name__}; expected the path of a job file")
        self.path, self._lock = os.fspath(path), threading.Lock()
        is_new = not os.path.exists(self.path)
        if not is_new and os.path.isfile(self.path) and not os.path.getsize(self.path):
            raise self._problem("is empty; expected a job file, or a path that does not exist")
        if is_new:
            self._create_file()
        try:
            # Autocommit: each statement is on disk before the result is returned.
            self._database = sqlite3.connect(self.path, timeout=0, isolation_level=None, check_same_thread=False)
        except sqlite3.Error as problem:
            raise self._problem(problem) from None
        try:
            self._database.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._database.execute("PRAGMA synchronous = FULL")
            self._database.execute("BEGIN EXCLUSIVE")
            if is_new:
                self._create(operation, key_sha256)
            self._database.execute("COMMIT")
            self._salt = self._checked(operation, key_sha256)
        except sqlite3.OperationalError as problem:
            self._database.close()
            locked = "locked" in str(problem)
            raise self._problem("is in use by another process" if locked else problem) from None
        except sqlite3.Error as problem:
            self._database.close()
            raise self._problem(f"is damaged or no job file: {problem}") from None
        except BaseException:
            self._database.close()
            raise

    def close(self) -> None:
        """Closes the file."""
        with self._lock:
            self._database.close()

    def begin(self, number: int, content: bytes) -> tuple[Any, str, float] | None:
        """Records that a job is running. Returns its result, worker and seconds if it is done already.

        `content` identifies the input. Raises a `FileError` if the file has another input for this number.
        """
        digest = hashlib.sha256(self._salt + content).hexdigest()
        found = self._execute("SELECT input_sha256, state, result, worker, seconds FROM jobs WHERE number = ?", number)
        if not found:
            self._execute("INSERT INTO jobs (number, input_sha256, state) VALUES (?, ?, 'running')", number, digest)
            return None
        recorded, state, result, worker, seconds = found[0]
        if recorded != digest:
            raise self._problem(f"belongs to other inputs: job {number} has another input")
        if state != "done":
            self._execute("UPDATE jobs SET state = 'running' WHERE number = ?", number)
            return None
        try:
            return json.loads(result), worker, seconds
        except (TypeError, ValueError):
            raise self._problem(f"is damaged: the result of job {number} is not JSON") from None

    def restart(self, number: int) -> None:
        """Records that a job whose recorded result is not valid is running again."""
        self._execute("UPDATE jobs SET state = 'running', result = NULL WHERE number = ?", number)

    def finish(self, number: int, result: Any, worker: str, seconds: float) -> None:
        """Records the result of a job."""
        values = (json.dumps(result), worker, seconds, number)
        self._execute("UPDATE jobs SET state = 'done', result = ?, worker = ?, seconds = ? WHERE number = ?", *values)

    def fail(self, number: int) -> None:
        """Records that a job has no result. It is computed again when the file is used again."""
        self._execute("UPDATE jobs SET state = 'failed' WHERE number = ?", number)

    def _create_file(self) -> None:
        """Creates the file, which only its owner can read: SQLite gives its journal the same rights."""
        try:
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        except FileExistsError:
            raise self._problem("is in use by another process") from None
        except OSError as problem:
            raise self._problem(problem.strerror) from None

    def _create(self, operation: str, key_sha256: str) -> None:
        for statement in _TABLES.strip().split(";\n"):
            self._database.execute(statement)
        self._database.execute("INSERT INTO call VALUES (?, ?, ?)", (operation, key_sha256, secrets.token_hex(16)))
        self._database.execute(f"PRAGMA application_id = {_APPLICATION}")
        self._database.execute(f"PRAGMA user_version = {_VERSION}")

    def _checked(self, operation: str, key_sha256: str) -> bytes:
        """Returns the salt of a file that belongs to this operation and key."""
        (application,), (version,) = (self._database.execute(f"PRAGMA {name}").fetchone() for name in ("application_id", "user_version"))
        if application != _APPLICATION:
            raise self._problem("is a SQLite database, but no job file")
        if version != _VERSION:
            raise self._problem(f"has the version {version}; expected {_VERSION}")
        (state,) = self._database.execute("PRAGMA integrity_check(1)").fetchone()
        if state != "ok":
            raise self._problem(f"is damaged: {state}")
        row = self._database.execute("SELECT operation, key_sha256, salt FROM call").fetchone()
        if row is None:
            raise self._problem("is damaged: no operation is recorded")
        if row[0] != operation:
            raise self._problem(f"belongs to the operation {row[0]}; expected {operation}")
        if row[1] != key_sha256:
            raise self._problem(f"belongs to another key, with the SHA-256 {row[1]}; expected {key_sha256}")
        return row[2].encode()

    def _execute(self, statement: str, *values: Any) -> list[Any]:
        try:
            with self._lock:
                return self._database.execute(statement, values).fetchall()
        except sqlite3.Error as problem:
            raise self._problem(problem) from None

    def _problem(self, problem: Any) -> FileError:
        return FileError(f"jobs: {self.path}: {problem}")

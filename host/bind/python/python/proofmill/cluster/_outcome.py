"""The response of a worker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Outcome:
    """The response to a job: a value; an error of the job; or an error of what it refers to, such as a key with another hash."""

    kind: Literal["value", "error", "refused"]
    value: Any = None
    error: str = ""  # the name of a class in proofmill.errors
    text: str = ""
    seconds: float = 0.0

"""Zcash blocks: headers, transactions, proofs and signatures, verified on a device.

>>> verifier = proofmill.zcash.BlockVerifier("main")          # doctest: +SKIP
>>> for report in verifier.verify(open("blk00000.dat", "rb").read()):          # doctest: +SKIP
...     print(report.height, report.verdict, report.invalid)

What depends on the chain is not verified: that spent outputs and anchors exist, that nullifiers are new, the difficulty adjustment, the
subsidy, the link to the previous block. A part that needs more than the blocks is reported in `not_checked`, with the reason.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

from . import _native, _numbers
from .errors import ArgumentError

__all__ = ["BlockReport", "BlockVerifier", "Finding", "MalformedBlock", "TransactionReport"]

#: "incomplete": nothing is invalid, and a part could not be checked.
Verdict = Literal["valid", "incomplete", "invalid"]


@dataclass(frozen=True)
class Finding:
    """A part of a block or a transaction, its number if there are several, and what is wrong with it or why it was not checked."""

    part: str
    number: int | None
    text: str

    def __str__(self) -> str:
        return f"{self.part}: {self.text}" if self.number is None else f"{self.part} {self.number}: {self.text}"


@dataclass(frozen=True)
class TransactionReport:
    """The report on a transaction."""

    txid: str
    verdict: Verdict
    invalid: tuple[Finding, ...]
    not_checked: tuple[Finding, ...]


@dataclass(frozen=True)
class BlockReport:
    """The report on a block. `verdict` includes the transactions; the findings are those on the header and the block as a whole."""

    hash: str
    height: int
    verdict: Verdict
    invalid: tuple[Finding, ...]
    not_checked: tuple[Finding, ...]
    transactions: tuple[TransactionReport, ...]


@dataclass(frozen=True)
class MalformedBlock:
    """Bytes that are no block, with the place and the problem."""

    problem: str
    verdict: Literal["malformed"] = "malformed"


class BlockVerifier:
    """Verifies blocks of a network, ``"main"`` or ``"test"``. Outputs of verified blocks are known to later ones, up to about a million."""

    def __init__(self, network: str = "main", *, device: str = "cpu:") -> None:
        for name, value in (("network", network), ("device", device)):
            if not isinstance(value, str):
                raise ArgumentError(f"{name}: {type(value).__name__}; expected str")
        self._inner = _native.ZcashVerifier(device, network)

    def add_output(self, txid: str, index: int, value: int, script: bytes) -> None:
        """Adds a transparent output that blocks spend: the identifier as block explorers show it, the value in zatoshi."""
        if not isinstance(txid, str):
            raise ArgumentError(f"txid: {type(txid).__name__}; expected str")
        index, value = _numbers.whole("index", index), _numbers.whole("value", value, 2**64 - 1)
        self._inner.add_output(txid, index, value, bytes(_numbers.plain_bytes("script", script)))

    def verify(self, blocks: Any) -> list[BlockReport | MalformedBlock]:
        """Verifies blocks: bytes as zcashd stores them (``blk*.dat``), one block after the other, or lines of hexadecimal digits.

        Returns a report for each, or why it is malformed. After some errors the next block cannot be found; they are the last.
        """
        results = self._inner.verify(_numbers.plain_bytes("blocks", blocks))
        return [_block(json.loads(text)) if is_report else MalformedBlock(text) for is_report, text in results]


def _block(fields: dict[str, Any]) -> BlockReport:
    transactions = tuple(TransactionReport(**_findings(it)) for it in fields["transactions"])
    return BlockReport(**{**_findings(fields), "transactions": transactions})


def _findings(fields: dict[str, Any]) -> dict[str, Any]:
    return {**fields, **{name: tuple(Finding(**it) for it in fields[name]) for name in ("invalid", "not_checked")}}

"""Verifies the blocks that a Zebra node stores, through its RPC interface.

    python3 examples/zcash/verify_zebra.py --first 1687104 --count 1000
    python3 examples/zcash/verify_zebra.py --url http://127.0.0.1:18232 --network test

Blocks are verified in groups. Outputs of earlier blocks of the run are known, so start early enough to have them.
The exit code is 0 if nothing is invalid, 1 if something is, 2 if the node does not answer.
"""

import argparse
import base64
import json
import sys
import urllib.error
import urllib.request
from collections import Counter
from pathlib import Path

import proofmill

NOT_VERIFIED = """NOT VERIFIED, since it depends on the chain's state, which the node has verified:
- spent outputs exist and were not spent; anchors exist; nullifiers are new
- the difficulty adjustment, the median of past times, checkpoints
- the subsidy, the fees of a block, funding streams, the limit of signature operations
- commitments to the note commitment trees and to the chain's history
Verified: everything else of docs/use/zcash.md, with the link between the blocks of this run."""


class Node:
    """Zebra's JSON-RPC interface."""

    def __init__(self, url, cookie):
        self.url, self.headers = url, {"Content-Type": "application/json"}
        if cookie:
            self.headers["Authorization"] = "Basic " + base64.b64encode(cookie.read_bytes().strip()).decode()

    def call(self, method, *parameters):
        body = json.dumps({"jsonrpc": "2.0", "id": 0, "method": method, "params": parameters}).encode()
        request = urllib.request.Request(self.url, body, self.headers)
        with urllib.request.urlopen(request, timeout=60) as answer:
            fields = json.load(answer)
        if fields.get("error"):
            raise RuntimeError(f"{method}: {fields['error'].get('message', fields['error'])}")
        return fields["result"]

    def block(self, height):
        """Returns the bytes of a block."""
        return bytes.fromhex(self.call("getblock", str(height), 0))


def to_line(block):
    return block.hex().encode()


def verify(node, verifier, heights, group):
    """Verifies blocks, and that each names the one before it. Returns the number of blocks with each verdict."""
    verdicts, previous = Counter(), None
    for start in range(heights.start, heights.stop, group):
        blocks = [node.block(height) for height in range(start, min(start + group, heights.stop))]
        for block, report in zip(blocks, verifier.verify(b"\n".join(map(to_line, blocks))), strict=True):
            if isinstance(report, proofmill.zcash.MalformedBlock):
                raise RuntimeError(f"the node sent what is no block: {report.problem}")
            linked = previous in (None, block[4:36][::-1].hex())
            previous = report.hash
            verdicts[report.verdict if linked else "invalid"] += 1
            if not linked:
                print(f"{report.height} {report.hash}: it does not follow the block before it")
            for finding in report.invalid:
                print(f"{report.height} {report.hash}: {finding}")
            for transaction in report.transactions:
                for finding in transaction.invalid:
                    print(f"{report.height} {transaction.txid}: {finding}")
        print(f"to height {start + len(blocks) - 1}: {dict(verdicts)}", file=sys.stderr)
    return verdicts


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--url", default="http://127.0.0.1:8232", help="Zebra's RPC interface")
    parser.add_argument("--cookie", type=Path, help="the node's cookie file, if it requires authentication")
    parser.add_argument("--network", default="main", choices=["main", "test"])
    parser.add_argument("--first", type=int, default=0, help="the first height")
    parser.add_argument("--count", type=int, help="the number of blocks; all without it")
    parser.add_argument("--group", type=int, default=100, help="blocks of a batch")
    parser.add_argument("--device", default="cpu:")
    chosen = parser.parse_args(arguments)
    print(NOT_VERIFIED)
    node = Node(chosen.url, chosen.cookie)
    try:
        stop = node.call("getblockcount") + 1 if chosen.count is None else chosen.first + chosen.count
        verifier = proofmill.zcash.BlockVerifier(chosen.network, device=chosen.device)
        verdicts = verify(node, verifier, range(chosen.first, stop), chosen.group)
    except (urllib.error.URLError, RuntimeError, OSError) as problem:
        print(f"{chosen.url}: {problem}", file=sys.stderr)
        return 2
    print(f"{verdicts.total()} blocks: {dict(verdicts)}")
    return 1 if verdicts["invalid"] else 0


if __name__ == "__main__":
    sys.exit(main())

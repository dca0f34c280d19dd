"""Compiles contracts with solc and calls them in an EVM, by a process of evm.mjs."""

import json
import subprocess

from programs import PACKAGES, ROOT
from place import Failed  # found by way of programs

OPTIMIZED = {"optimizer": {"enabled": True, "runs": 200}}
#: More than any verification takes.
GAS = 1_000_000
#: What a verification returns; a call that reverts returns nothing.
TRUE, FALSE, REVERTED = f"0x{1:064x}", f"0x{0:064x}", None


class Evm:
    """A process of evm.mjs."""

    def __init__(self):
        command = ["node", str(ROOT / "interop/evm.mjs"), str(PACKAGES)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, sources, calls, settings=OPTIMIZED, hardfork="prague"):
        """Compiles sources and makes calls `(source, data, gas)`. Returns the reply."""
        request = {"sources": sources, "settings": settings, "hardfork": hardfork, "calls": calls}
        self.process.stdin.write(f"{json.dumps(request)}\n")
        self.process.stdin.flush()
        reply = self.process.stdout.readline()
        if not reply:
            raise Failed("evm.mjs has ended")
        return json.loads(reply)

    def close(self):
        self.process.communicate()

"""The npm package of the verifier as its users have it: its tarball in a new folder, in Node and in a browser.

The proofs are our prover's and those of snarkjs in host/proof/tests/snarkjs. Verdicts are compared with those of the command.
"""

import http.server
import json
import os
import shutil
import subprocess
import sys
import tarfile
import threading
import unittest
from functools import partial
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[3]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "interop")]

import node_packages  # noqa: E402
import wasm  # noqa: E402
from machines import missing_target  # noqa: E402
from place import TARGET, run  # noqa: E402
from programs import done, proofmill  # noqa: E402

SNARKJS = ROOT / "host/proof/tests/snarkjs"
FILES = ("verification_key.json", "public.json", "proof.json")
#: What the command's exit status means; an error is named by the argument.
VERDICTS = {0: True, 1: False}
#: Seconds that a browser may take.
PATIENCE = 600
WORKS = TARGET / "test/wasm"


def proofs(folder):
    """Yields name and files of valid proofs: snarkjs's, and our own of the same keys."""
    for path in sorted(SNARKJS.iterdir()):
        if (path / "proof.json").exists():
            yield f"snarkjs {path.name}", [path / name for name in FILES]
        if (path / "proof.json").exists() and (path / "circuit.zkey").exists():
            public, proof = folder / f"{path.name}_public.json", folder / f"{path.name}_proof.json"
            done(proofmill("prove", path / "circuit.zkey", path / "witness.wtns", "--output", proof, "--public", public))
            yield path.name, [path / FILES[0], public, proof]
    for curve in ("bn254", "bls12_381"):
        own = folder / curve
        done(proofmill("dev", "circuit", "chain", "--constraints", 50, "--curve", curve, "--out", own))
        done(proofmill("prove", own / "INSECURE.zkey", own / "witness.wtns", "--output", own / "proof.json", "--public", own / "public.json"))
        yield f"groth16 {curve}", [own / name for name in FILES]


def altered(value, path=""):
    """Yields path and a copy of a JSON value with one field altered, for each number and word in it."""
    if isinstance(value, dict):
        for name, inner in value.items():
            for at, new in altered(inner, f"{path}.{name}"):
                yield at, {**value, name: new}
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            for at, new in altered(inner, f"{path}[{i}]"):
                yield at, [*value[:i], new, *value[i + 1:]]
    else:
        yield path, str(int(value) + 1) if str(value).isdigit() else f"{value}x"


def verdict(folder, texts):
    """Returns the command's verdict on these texts: true, false, or the name of the argument in its error."""
    paths = [folder / f"altered_{name}" for name in FILES]
    for path, text in zip(paths, texts):
        path.write_text(text)
    result = proofmill("verify", *paths)
    if result.returncode in VERDICTS:
        return VERDICTS[result.returncode]
    if result.returncode != 2:
        raise AssertionError(f"the command ended with {result.returncode}: {result.stdout}")
    words = {"altered_verification_key.json": "verifyingKey", "altered_public.json": "publicSignals", "altered_proof.json": "proof",
             "verifying key": "verifyingKey", "public": "publicSignals", "proof": "proof"}
    # The command names the files before the argument.
    return words[max(words, key=lambda word: result.stdout.rfind(f"{word}:"))]


def cases(folder):
    """Returns the cases: valid proofs, each with every field of the proof, the first public input and parts of the key altered."""
    found = []
    for name, paths in proofs(folder):
        key, public, proof = (json.loads(path.read_text()) for path in paths)
        variants = [("", key, public, proof)]
        variants += [(f"proof{at}", key, public, new) for at, new in altered(proof)]
        variants += [(f"public{at}", key, new, proof) for at, new in list(altered(public))[:1]]
        variants += [("public longer", key, [*public, "1"], proof), ("public shorter", key, public[1:], proof)] if public else []
        variants += [(f"key{at}", new, public, proof) for at, new in list(altered(key))[2::5] if "vk_alphabeta_12" not in at]  # which verifiers compute
        for at, *values in variants:
            texts = [json.dumps(value) for value in values]
            expected = verdict(folder, texts)
            if (expected is True) != (at == ""):
                raise AssertionError(f"{name} {at}: the command says {expected}")
            found.append({"name": f"{name} {at}", "expected": expected, **dict(zip(("key", "publicSignals", "proof"), texts))})
    return found


def browser():
    """Returns a Chromium; None where none is installed and Debian's cannot be."""
    names = ("chromium", "chromium-browser", "google-chrome")
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None and os.environ.get("PROOFMILL_LONG") and os.geteuid() == 0 and shutil.which("apt-get"):
        subprocess.run(["apt-get", "install", "-y", "--no-install-recommends", "chromium"], env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        found = shutil.which("chromium")
    return found


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves the site and receives the result."""
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".mjs": "text/javascript", ".wasm": "application/wasm"}

    def do_POST(self):
        self.server.result = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(204)
        self.end_headers()
        self.server.ended.set()

    def log_message(self, *_):
        pass


@unittest.skipIf(missing_target(wasm.TRIPLE), f"{wasm.TRIPLE} cannot be installed")
class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(WORKS, ignore_errors=True)
        cls.site = WORKS / "site"
        (WORKS / "data").mkdir(parents=True)
        cls.tarball = wasm.package()
        with tarfile.open(cls.tarball) as tar:
            tar.extractall(cls.site, filter="data")
        cls.cases = cases(WORKS / "data")
        (cls.site / "cases.json").write_text(json.dumps(cls.cases))
        installed = cls.site / "node_modules"
        installed.mkdir()
        (installed / "proofmill-verifier").symlink_to(cls.site / "package")
        for name in ("suite.mjs", "node.mjs", "browser.html", "types.mts"):
            shutil.copy(HERE / name, cls.site)

    def test_the_cases_are_of_all_kinds(self):
        kinds = {case["expected"] for case in self.cases}
        self.assertEqual(kinds, {True, False, "verifyingKey", "publicSignals", "proof"})
        valid = [case["name"] for case in self.cases if case["expected"] is True]
        for protocol in ("groth16 bn254", "groth16 bls12_381", "plonk_bn254", "plonk_bls12_381", "fflonk_bn254"):
            self.assertTrue([name for name in valid if name.startswith(protocol)], valid)

    def test_node(self):
        result = subprocess.run(["node", "node.mjs", "cases.json"], cwd=self.site, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(result.returncode, 0, result.stdout[-4000:])
        print(f"{len(self.cases)} verdicts in Node")

    def test_browser(self):
        program = browser()
        if program is None:
            self.skipTest("there is no Chromium; `make test-long` installs Debian's")
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=self.site))
        server.ended, server.result = threading.Event(), None
        threading.Thread(target=server.serve_forever, daemon=True).start()
        command = [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", f"--user-data-dir={WORKS / 'profile'}",
                   "--remote-debugging-port=0", f"http://127.0.0.1:{server.server_address[1]}/browser.html"]
        running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            self.assertTrue(server.ended.wait(PATIENCE), f"the browser reports nothing within {PATIENCE} s")
        finally:
            running.terminate()
            running.wait()
            server.shutdown()
            server.server_close()
        self.assertEqual(server.result, [])
        print(f"{len(self.cases)} verdicts in a browser")

    def test_types(self):
        packages = node_packages.folder(node_packages.TYPESCRIPT) / "node_modules"
        run(["node", packages / "typescript/bin/tsc", "--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--lib", "es2022,dom",
             "types.mts"], cwd=self.site)


if __name__ == "__main__":
    unittest.main()

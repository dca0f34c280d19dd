"""The command as a package for Debian and what derives from it."""

import gzip
import os
import re
import shutil
import tempfile
from pathlib import Path

from place import ROOT, run

CONTROL = """Package: proofmill
Version: {version}
Architecture: {architecture}
Maintainer: proofmill <proofmill@localhost.invalid>
Section: science
Priority: optional
Installed-Size: {kilobytes}
Depends: libc6 (>= {libc}), libgcc-s1
Description: zero-knowledge proofs, MSM, NTT, Poseidon, ECDSA and Equihash
 Proves and verifies with the files of circom and snarkjs (Groth16, PLONK, FFLONK), on the
 processor, on GPUs and on FPGA cards, as a command and as a service.
"""
COPYRIGHT = """Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: proofmill

Files: *
Copyright: the authors of proofmill
License: MIT or Apache-2.0
 The texts are in LICENSE-MIT and LICENSE-APACHE, those of the linked crates in THIRD-PARTY, all in this folder.
"""


def libc(binary):
    """Returns the lowest version of glibc that has all symbols of a binary."""
    return "2." + str(max(map(int, re.findall(rb"\0GLIBC_2\.(\d+)", binary.read_bytes()))))


def build(binary, version, third_party, into):
    """Writes the package of a binary into a folder with dpkg-deb. Returns its path."""
    architecture = run(["dpkg", "--print-architecture"]).strip()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "root"
        program, texts = root / "usr/bin/proofmill", root / "usr/share/doc/proofmill"
        program.parent.mkdir(parents=True)
        texts.mkdir(parents=True)
        shutil.copy(binary, program)
        for name in ("README.md", "LICENSE-MIT", "LICENSE-APACHE"):
            shutil.copy(ROOT / name, texts)
        (texts / "THIRD-PARTY").write_text(third_party)
        (texts / "copyright").write_text(COPYRIGHT)
        (texts / "changelog.gz").write_bytes(gzip.compress((ROOT / "CHANGELOG.md").read_bytes(), mtime=0))
        kilobytes = sum(path.stat().st_size for path in root.rglob("*") if path.is_file()) // 1024
        control = CONTROL.format(version=version, architecture=architecture, kilobytes=kilobytes, libc=libc(binary))
        (root / "DEBIAN").mkdir()
        (root / "DEBIAN/control").write_text(control)
        for path in [root, *root.rglob("*")]:
            path.chmod(0o755 if path.is_dir() or path == program else 0o644)
            os.utime(path, (0, 0))
        package = into / f"proofmill_{version}_{architecture}.deb"
        run(["dpkg-deb", "--root-owner-group", "--build", root, package], env={**os.environ, "SOURCE_DATE_EPOCH": "0"})
    return package

"""Packs what people install: the folder, reproducible tarballs, licences, checksums and bills of materials."""

import base64
import gzip
import hashlib
import io
import json
import re
import tarfile
import zipfile
from functools import cache
from pathlib import Path

import bill
import clib
from place import ROOT, TARGET, run

FOLDER = TARGET / "artifacts"
LICENCES = ["LICENSE-MIT", "LICENSE-APACHE"]
LICENCE_FILES = ("LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE")


@cache
def third_party_packages(triple):
    """Returns cargo's metadata of all crates of others that the workspace uses on a target."""
    metadata = json.loads(run(["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", triple], cwd=ROOT))
    ours = set(metadata["workspace_members"])
    return [package for package in metadata["packages"] if package["id"] not in ours]


def linked(triple, package, features=()):
    """Returns the third-party packages whose code is in the binary: no macros, no build scripts, no dependencies of tests only."""
    tree = run(["cargo", "tree", "--locked", "--package", package, *features, "--target", triple, "--edges", "normal,no-proc-macro",
                "--prefix", "none", "--format", "{p}"], cwd=ROOT)
    names = {tuple(line.split()[:2]) for line in tree.splitlines()}
    found = [package for package in third_party_packages(triple) if (package["name"], f"v{package['version']}") in names]
    return sorted(found, key=lambda package: (package["name"], package["version"]))


def licences(package):
    """Returns the licence texts of a package."""
    folder = Path(package["manifest_path"]).parent
    files = sorted(file for file in folder.iterdir() if file.is_file() and file.name.upper().startswith(LICENCE_FILES))
    return [file.read_text(errors="replace").strip() for file in files]


def third_party(packages, whole):
    """Returns the list of crates in `whole`, then each licence text once, with its crates."""
    texts = {}
    lines = [f"{whole} contains code of the Rust standard library (MIT OR Apache-2.0) and of these crates, under their own licences.",
             "Their texts follow.", ""]
    for package in packages:
        name = f"{package['name']} {package['version']}"
        lines.append(f"{name:<32} {package['license'] or 'see its licence text'}")
        for text in licences(package):
            texts.setdefault(text, []).append(name)
    for text, names in texts.items():
        lines += ["", "=" * 100, ", ".join(names), "=" * 100, text]
    return "\n".join(lines) + "\n"


def licence_entries(listing):
    """Returns the files with the licences, for the text of THIRD-PARTY."""
    return [("THIRD-PARTY", 0o644, listing.encode()), *((page, 0o644, (ROOT / page).read_bytes()) for page in LICENCES)]


def pack(tarball, folder, contents):
    """Writes a tarball of (name, mode, bytes) that does not depend on the time or the user."""
    with open(tarball, "wb") as raw, gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0) as packed, tarfile.open(fileobj=packed, mode="w") as tar:
        for name, mode, data in contents:
            entry = tarfile.TarInfo(f"{folder}/{name}")
            if isinstance(data, str):  # a link to a file beside it
                entry.type, entry.linkname = tarfile.SYMTYPE, data
                tar.addfile(entry)
            else:
                entry.size, entry.mode = len(data), mode
                tar.addfile(entry, io.BytesIO(data))


def write(tarball, folder, contents, packages):
    """Packs a tarball into the folder, with what belongs beside it. Returns its path."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    tarball = FOLDER / tarball
    pack(tarball, folder, contents)
    accompany(tarball, packages)
    return tarball


def accompany(file, packages):
    """Writes the SHA-256 and the bill of materials of a file beside it."""
    checksum = hashlib.sha256(file.read_bytes()).hexdigest()
    file.with_name(file.name + ".sha256").write_text(f"{checksum}  {file.name}\n")
    file.with_name(file.name + ".cdx.json").write_text(bill.of(file.name, clib.version(), checksum, packages))
    print(f"{file.relative_to(ROOT)}: {file.stat().st_size} bytes; {len(packages)} crates of others")


def add_to_wheel(wheel, entries, final):
    """Writes a copy of a wheel with licence files (name, mode, bytes) as PEP 639 places and lists them. It does not depend on the time."""
    with zipfile.ZipFile(wheel) as old:
        files = {name: old.read(name) for name in old.namelist()}
        attributes = {entry.filename: entry.external_attr for entry in old.infolist()}
    (metadata,) = (name for name in files if re.fullmatch(r"[^/]+\.dist-info/METADATA", name))
    information = metadata.removesuffix("METADATA")
    head, blank, text = files[metadata].partition(b"\n\n")
    listed = "".join(f"\nLicense-File: {name}" for name, _, _ in entries)
    files[metadata] = head + listed.encode() + blank + text
    files |= {f"{information}licenses/{name}": data for name, _, data in entries}
    record = f"{information}RECORD"
    del files[record]  # the last one, as PEP 427 recommends for the whole folder
    files[record] = "".join([*(f"{name},sha256={wheel_digest(data)},{len(data)}\n" for name, data in files.items()), f"{record},,\n"]).encode()
    with zipfile.ZipFile(final, "w", zipfile.ZIP_DEFLATED) as new:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, attributes.get(name, 0o100644 << 16)
            new.writestr(entry, data)
    return final


def wheel_digest(data):
    """Returns the SHA-256 of a file as RECORD has it."""
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()

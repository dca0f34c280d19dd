"""Paths of the repository, and a cache for slow results: in the user's cache folder, named by their content.

Everything cached is made in a folder of its own and renamed into place when it is whole, so an interrupted
build leaves nothing behind that looks finished, and two builds at a time do not meet.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "target"
#: The output of cargo, one folder per profile.
BUILT = Path(os.environ.get("CARGO_TARGET_DIR", TARGET))


def output(profile):
    """Returns the folder of what cargo builds in a profile."""
    return BUILT / ("debug" if profile == "dev" else profile)


#: The profile in which tests use the command and the libraries. `make test` names `dev`, in which the host's tests are built anyway.
PROFILE = os.environ.get("PROOFMILL_PROFILE", "release")
#: The packages of the command and of the libraries, their folder, and the command.
SHIPPED = ["proofmill-cli", "proofmill-c", "proofmill-python", "proofmill-node"]
PRODUCTS = output(PROFILE)
PROOFMILL = PRODUCTS / "proofmill"
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "proofmill"


class Failed(Exception):
    """The error of a step; its text is printed for the user."""


def prepare(folder):
    """Makes a folder, a private one if it belongs to the cache."""
    if CACHE == folder or CACHE in folder.parents:
        private_folder(folder)
    else:
        folder.mkdir(parents=True, exist_ok=True)


def digest(*parts):
    """Returns sixteen hex digits that identify the content of texts, byte strings and files (paths)."""
    total = hashlib.sha256()
    for part in parts:
        data = part.read_bytes() if isinstance(part, Path) else part if isinstance(part, bytes) else str(part).encode()
        total.update(len(data).to_bytes(8, "little") + data)
    return total.hexdigest()[:16]


def private_folder(folder):
    """Makes a folder that no other user can enter (mode 700); one below `CACHE` is shielded by that folder.

    What is cached is executed: other users must not be able to change it, whatever the umask. Raises `Failed` for a folder of another user.
    """
    if CACHE in folder.parents:
        private_folder(CACHE)
        folder.mkdir(parents=True, exist_ok=True)
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.stat()
    if found.st_uid != os.geteuid():
        raise Failed(f"{folder} belongs to the user {found.st_uid}, not to you (user {os.geteuid()}), and code in it is executed: remove it, or set XDG_CACHE_HOME to a folder of yours")
    if found.st_mode & 0o077:
        folder.chmod(0o700)


@contextmanager
def made_whole(final):
    """Yields a scratch folder. It is renamed to `final` after the block, or removed if the block raises."""
    prepare(final.parent)
    scratch = Path(tempfile.mkdtemp(prefix=f".{final.name}-", dir=final.parent))
    try:
        yield scratch
        try:
            scratch.rename(final)
        except OSError:
            if not final.is_dir():  # else somebody else was first, with the same content
                raise
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


@contextmanager
def alone(name):
    """Admits one process at a time; the others wait. For results that cannot be made in a scratch folder and renamed."""
    private_folder(CACHE)
    with open(CACHE / f"{name}.lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def link(name, to):
    """Makes or moves a symbolic link in one step. It leads to code, so its folder is private."""
    private_folder(name.parent)
    scratch = name.with_name(f".{name.name}-{os.getpid()}")
    scratch.symlink_to(to)
    scratch.replace(name)


def write_whole(path, text):
    """Writes a file so that a reader sees the old one or the new one."""
    prepare(path.parent)
    scratch = path.with_name(f".{path.name}-{os.getpid()}")
    scratch.write_text(text)
    scratch.replace(path)


def run(command, **options):
    """Runs a command and returns its standard output. On failure, prints all of its output and raises `Failed`."""
    command = [str(part) for part in command]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
    except FileNotFoundError:
        raise Failed(f"there is no {command[0]}: tools/setup.py installs what is missing, or names it") from None
    if done.returncode != 0:
        sys.stderr.write(done.stdout + done.stderr)
        raise Failed(f"{Path(command[0]).name} failed with status {done.returncode}: {' '.join(command)[:400]}")
    return done.stdout


def main(function):
    """Ends the program with the function's result. Prints `Failed` as a message without a traceback."""
    try:
        if CACHE.exists():
            private_folder(CACHE)  # before anything in it is used
        sys.exit(function() or 0)
    except Failed as problem:
        print(f"{Path(sys.argv[0]).stem}: {problem}", file=sys.stderr)
        sys.exit(1)

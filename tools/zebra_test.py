"""Real blocks for the tests: prints the folder of the published crate `zebra-test`, fetched with cargo.

Only its block files are read; it is never compiled. The manifest is copied to the user's cache folder, so that
cargo writes its lock file there and not into the repository.
"""

import json
import shutil
import tomllib

from place import CACHE, ROOT, Failed, digest, main, made_whole, run

MANIFEST = ROOT / "tools/zebra-test/Cargo.toml"


def folder():
    """The crate's own folder; cargo keeps it, a second call needs no network."""
    place = CACHE / f"zebra-test-{digest(MANIFEST)}"
    if not place.is_dir():
        with made_whole(place) as scratch:
            shutil.copy(MANIFEST, scratch)
            (scratch / "nothing.rs").touch()
            run(["cargo", "fetch", "--quiet", "--manifest-path", scratch / "Cargo.toml"])
    listing = run(["cargo", "metadata", "--format-version", "1", "--offline", "--quiet", "--manifest-path", place / "Cargo.toml"])
    name, version = next(iter(tomllib.loads(MANIFEST.read_text())["dependencies"].items()))
    for package in json.loads(listing)["packages"]:
        if package["name"] == name and package["version"] == version.lstrip("="):
            return package["manifest_path"].removesuffix("/Cargo.toml")
    raise Failed(f"cargo metadata names no {name} {version}")


if __name__ == "__main__":
    main(lambda: print(folder()))

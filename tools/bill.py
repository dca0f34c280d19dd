"""Bills of materials of what is distributed: CycloneDX 1.6 in JSON (ECMA-424)."""

import json
import tomllib
from functools import cache

from place import ROOT


@cache
def checksums():
    """Returns (name, version) -> SHA-256 of the crates' packages, as Cargo.lock has them."""
    packages = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    return {(package["name"], package["version"]): package["checksum"] for package in packages if "checksum" in package}


def component(package):
    """Returns a crate of others as a component. `package` is cargo's metadata of it."""
    name, version = package["name"], package["version"]
    url = f"pkg:cargo/{name}@{version}"
    found = {"type": "library", "bom-ref": url, "name": name, "version": version, "purl": url}
    if package["license"]:
        # Older crates have "/" for "OR", which is no longer an expression of SPDX.
        found["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
    if checksum := checksums().get((name, version)):
        found["hashes"] = [{"alg": "SHA-256", "content": checksum}]
    return found


def of(name, version, checksum, packages):
    """Returns the bill of a file of this name and SHA-256 that contains code of these packages. It depends on nothing else, such as the time."""
    whole = {"type": "file", "bom-ref": name, "name": name, "version": version, "licenses": [{"expression": "MIT OR Apache-2.0"}],
             "hashes": [{"alg": "SHA-256", "content": checksum}]}
    components = [component(package) for package in packages]
    document = {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1, "metadata": {"component": whole}, "components": components,
                "dependencies": [{"ref": name, "dependsOn": [component["bom-ref"] for component in components]}]}
    return json.dumps(document, indent=1) + "\n"

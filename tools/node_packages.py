"""circom, snarkjs, solc, an EVM and the keys of a real ceremony: prints the folder that holds their `node_modules`.

interop/package.json names the versions, its lock file their content. GPL-3 for the most part: tools that run beside
proofmill, installed into the user's cache folder, never into the repository.
"""

import shutil

from place import CACHE, ROOT, digest, main, made_whole, run

MANIFESTS = [ROOT / "interop/package.json", ROOT / "interop/package-lock.json"]


def folder():
    """Installed on first use; a second call needs no network."""
    final = CACHE / f"node-{digest(*MANIFESTS)}"
    if not final.is_dir():
        with made_whole(final) as scratch:
            for path in MANIFESTS:
                shutil.copy(path, scratch)
            run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], cwd=scratch)
    return final


if __name__ == "__main__":
    main(lambda: print(folder()))

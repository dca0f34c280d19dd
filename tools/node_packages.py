"""circom, snarkjs, solc, an EVM and the keys of a real ceremony: prints the folder that holds their `node_modules`.

interop/package.json names the versions, its lock file their content. GPL-3 for the most part: tools that run beside
proofmill, installed into the user's cache folder, never into the repository.
"""

import shutil

from place import CACHE, ROOT, digest, main, made_whole, run

#: The folder of what the tests of the npm package run: the compiler of TypeScript and types of Node.
TYPESCRIPT = ROOT / "host/bind/node/tests"


def folder(manifests=ROOT / "interop"):
    """Returns the folder with the packages of these manifests. Installed on first use; a second call needs no network."""
    files = [manifests / "package.json", manifests / "package-lock.json"]
    final = CACHE / f"node-{digest(*files)}"
    if not final.is_dir():
        with made_whole(final) as scratch:
            for path in files:
                shutil.copy(path, scratch)
            run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], cwd=scratch)
    return final


if __name__ == "__main__":
    main(lambda: print(folder()))

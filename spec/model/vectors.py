"""Makes spec/vectors, the only way they are made: `python3 spec/model/vectors.py`.

With --check nothing is written: the vectors are compared with the existing files, and the differing files are
listed. Everything is derived from the specification and the stored headers, so the result is the same on every
machine.
"""

import argparse
import json
import sys
from pathlib import Path

import cases_coprocessor
import cases_curve
import cases_ecdsa_verify
import cases_encoding
import cases_equihash_solve
import cases_equihash_verify
import cases_field
import cases_formula
import cases_keccak256
import cases_msm
import cases_ntt
import cases_pairing
import cases_permutation
import cases_poseidon
import cases_quotient
import cases_shell
import cases_vdf

VECTORS = Path(__file__).resolve().parent.parent / "vectors"
#: Folders whose files all have the same shape, and what makes them.
FOLDERS = {
    "wire": cases_shell, "ecdsa_verify": cases_ecdsa_verify, "field": cases_field, "formula": cases_formula, "curve": cases_curve,
    "encoding": cases_encoding, "equihash_solve": cases_equihash_solve, "keccak256": cases_keccak256, "msm": cases_msm, "ntt": cases_ntt, "pairing": cases_pairing, "poseidon": cases_poseidon,
    "permutation": cases_permutation, "coprocessor": cases_coprocessor, "quotient": cases_quotient, "vdf": cases_vdf,
}


def rendered(content):
    """JSON with one case or point a line, so that a change to a case is a change to a line."""
    lines = ["{"]
    for key, value in content.items():
        if key == "cases":
            cases = ",\n".join(f"    {json.dumps(case)}" for case in value)
            lines.append(f'  "cases": [\n{cases}\n  ]')
        elif key == "bases":
            bases = ",\n".join(f"    {json.dumps(name)}: {json.dumps(header)}" for name, header in value.items())
            lines.append(f'  "bases": {{\n{bases}\n  }},')
        elif key in ("points", "memory"):
            entries = ",\n".join(f"    {json.dumps(entry)}" for entry in value)
            lines.append(f'  "{key}": [\n{entries}\n  ],')
        else:
            lines.append(f"  {json.dumps(key)}: {json.dumps(value)},")
    return "\n".join(lines + ["}"]) + "\n"


def files():
    """Relative path -> text of every file."""
    made = {
        f"equihash_verify/{instance}.json": rendered(book().content())
        for instance, book in cases_equihash_verify.BOOKS.items()
    }
    for folder, cases in FOLDERS.items():
        made |= {f"{folder}/{name}.json": rendered(content) for name, content in cases.contents().items()}
    return made


def differing(made):
    """Files that are missing, stale, or there without being made."""
    found = {str(path.relative_to(VECTORS)): path.read_text() for path in VECTORS.glob("*/*.json")}
    return sorted(name for name in made.keys() | found.keys() if made.get(name) != found.get(name))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, fail when a file is not up to date")
    made = files()
    if parser.parse_args().check:
        stale = differing(made)
        for name in stale:
            print(f"spec/vectors/{name} is not what `make vectors` makes", file=sys.stderr)
        return 1 if stale else 0
    for name, text in made.items():
        path = VECTORS / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        print(f"spec/vectors/{name}: {len(text):,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())

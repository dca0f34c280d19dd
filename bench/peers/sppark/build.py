"""sppark as programs that time it on a GPU: built of its source and blst's, one program per curve and group or per field.

build.py SPPARK BLST OUT [--nvcc NVCC] [--arch 90] [--only NAME...]

SPPARK and BLST are checkouts of supranational/sppark and supranational/blst, both under Apache-2.0. What harness.cu
needs to know of a curve comes from spec/. The flags are those of sppark's own build scripts. For x86-64 with ADX.
"""

import argparse
import shutil
import subprocess
import tempfile
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
SPEC = HERE.parents[2] / "spec"
#: Program -> sppark's name for the curve or field, operation, our name for the curve or field, degree of the coordinates, logarithms.
PROGRAMS = {
    "msm_bn254_g1": ("BN254", "MSM", "bn254", 1, [20, 22, 24]),
    "msm_bls12_381_g1": ("BLS12_381", "MSM", "bls12_381", 1, [20, 22]),
    "msm_bls12_381_g2": ("BLS12_381", "MSM", "bls12_381", 2, [20]),
    "msm_bls12_377_g1": ("BLS12_377", "MSM", "bls12_377", 1, [20]),
    "msm_bn254_g2": ("BN254", "MSM", "bn254", 2, [20]),
    "ntt_bn254": ("BN254", "NTT", "bn254_fr", 0, [20, 22, 24]),
    "ntt_bls12_381": ("BLS12_381", "NTT", "bls12_381_fr", 0, [22]),
    "ntt_goldilocks": ("GOLDILOCKS", "NTT", "goldilocks", 0, [20, 22, 24]),
}
#: Macros that sppark's own build defines for a field.
EXTRA = {"GOLDILOCKS": ["-DGL64_NO_REDUCTION_KLUDGE"]}


def run(command):
    print("+", " ".join(map(str, command)), flush=True)
    subprocess.run(list(map(str, command)), check=True)


def read(kind, name):
    return tomllib.loads((SPEC / kind / f"{name}.toml").read_text())


def number(value):
    return value if isinstance(value, int) else int(value, 16)


def array(name, values, modulus):
    """Formats 64-bit limbs, the least significant first, as many per value as the modulus needs."""
    count = -(-modulus.bit_length() // 64)
    words = ", ".join(f"{number(value) >> 64 * i & (1 << 64) - 1:#x}u" for value in values for i in range(count))
    return f"constexpr uint64_t {name}[] = {{{words}}};\n"


def constants(peer, source, selection, what, name, degree, logs):
    """Returns the text of constants.h."""
    macros = [*selection, f"HARNESS_{what}", f"HARNESS_DEGREE {degree}", f"HARNESS_LOGS {', '.join(map(str, logs))}"]
    text = "#pragma once\n#include <cstdint>\n\n" + "".join(f"#define {macro}\n" for macro in macros)
    text += f'constexpr char NAME[] = "{name}", PEER[] = "{peer}", PEER_COMMIT[] = "{commit(source)}";\n'
    if what == "NTT":
        modulus = number(read("fields", name)["modulus"])
        return text + array("SCALAR_MODULUS", [modulus], modulus)
    curve = read("curves", name)
    scalar, base = (number(read("fields", curve[field])["modulus"]) for field in ("scalar_field", "base_field"))
    group = curve[f"g{degree}"]
    x, y = (group[axis] if degree == 2 else [group[axis]] for axis in ("x", "y"))
    return text + array("SCALAR_MODULUS", [scalar], scalar) + array("GENERATOR_X", x, base) + array("GENERATOR_Y", y, base)


def commit(folder):
    """Returns the commit of a checkout, or the contents of the file COMMIT in an unpacked archive."""
    if (folder / "COMMIT").is_file():
        return (folder / "COMMIT").read_text().strip()
    told = subprocess.run(["git", "-C", folder, "rev-parse", "HEAD"], capture_output=True, text=True)
    return told.stdout.strip() if told.returncode == 0 and (folder / ".git").exists() else "unknown"


def build(arguments):
    nvcc = [arguments.nvcc, "-O3", "-std=c++17", "-gencode", f"arch=compute_{arguments.arch},code=sm_{arguments.arch}", "-Xcompiler", "-Wno-unused-function",
            "-DTAKE_RESPONSIBILITY_FOR_ERROR_MESSAGE", "-D__ADX__", f"-I{arguments.sppark}", f"-I{arguments.blst / 'src'}"]
    arguments.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="sppark-") as scratch:
        scratch = Path(scratch)
        run(["g++", "-c", "-D__ADX__", arguments.blst / "build/assembly.S", "-o", scratch / "assembly.o"])
        run([*nvcc, "-c", arguments.sppark / "util/all_gpus.cpp", "-o", scratch / "all_gpus.o"])
        for program in arguments.only or PROGRAMS:
            folder = scratch / program
            folder.mkdir()
            feature, *rest = PROGRAMS[program]
            (folder / "constants.h").write_text(constants("sppark", arguments.sppark, [f"FEATURE_{feature}"], *rest))
            run([*nvcc, *EXTRA.get(feature, []), f"-I{folder}", "-c", HERE / "harness.cu", "-o", folder / "harness.o"])
            made = folder / program
            # NVIDIA's wheels for Python have their libraries in another folder than the one that nvcc searches.
            run([*nvcc, f"-L{arguments.nvcc.resolve().parent.parent / 'lib'}", "-cudart", "static", folder / "harness.o", scratch / "all_gpus.o",
                 scratch / "assembly.o", "-o", made])
            run(["strip", made])
            shutil.copy2(made, arguments.out / f"sppark_{program}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sppark", type=Path)
    parser.add_argument("blst", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--nvcc", type=Path, default=shutil.which("nvcc") or "nvcc")
    parser.add_argument("--arch", default="90", help="the GPU's compute capability, without its dot")
    parser.add_argument("--only", nargs="+", choices=PROGRAMS, help="these programs only")
    build(parser.parse_args())

"""ICICLE of version 2 as programs that time it on a GPU: one program per curve and group or per field.

build.py ICICLE OUT [--nvcc NVCC] [--arch 90] [--only NAME...]

ICICLE is a checkout of ingonyama-zk/icicle at v2.8.0, under the MIT licence: from version 3 on, the code for GPUs is not
public. Of it the folder icicle/ is needed. The flags are those of ICICLE's own build scripts. There is no Goldilocks in it.
"""

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "sppark"))
from build import constants, run  # noqa: E402

#: ICICLE's numbers of the curves, and of their scalar fields.
IDS = {"bn254": 1, "bls12_381": 2, "bls12_377": 3}
#: Program -> curve, what is measured, ours for the curve or field, degree of the coordinates, logarithms.
PROGRAMS = {
    "msm_bn254_g1": ("bn254", "MSM", "bn254", 1, [20, 22, 24]),
    "msm_bls12_381_g1": ("bls12_381", "MSM", "bls12_381", 1, [20]),
    "msm_bls12_381_g2": ("bls12_381", "MSM", "bls12_381", 2, [20]),  # built only when it is named: it takes nvcc more than ten minutes
    "msm_bls12_377_g1": ("bls12_377", "MSM", "bls12_377", 1, [20]),
    "ntt_bn254": ("bn254", "NTT", "bn254_fr", 0, [20, 22, 24]),
}


def build(arguments):
    source = arguments.icicle / "icicle"
    nvcc = [arguments.nvcc, "-O3", "-std=c++17", "-gencode", f"arch=compute_{arguments.arch},code=sm_{arguments.arch}", "--expt-relaxed-constexpr", "-w",
            f"-I{source}", f"-I{source / 'include'}", f"-I{source / 'src/ntt'}"]
    arguments.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="icicle-") as scratch:
        for program in arguments.only or [name for name in PROGRAMS if not name.endswith("g2")]:
            folder = Path(scratch) / program
            folder.mkdir()
            curve, what, *rest = PROGRAMS[program]
            selection = [f"-DFIELD_ID={IDS[curve]}", *([f"-DCURVE_ID={IDS[curve]}"] if what == "MSM" else [])]
            (folder / "constants.h").write_text(constants("icicle", arguments.icicle, [], what, *rest))
            sources = [HERE / "harness.cu", *([source / "src/ntt/kernel_ntt.cu"] if what == "NTT" else [])]
            objects = []
            for one in sources:
                objects.append(folder / f"{one.stem}.o")
                run([*nvcc, *selection, f"-I{folder}", "-c", one, "-o", objects[-1]])
            made = folder / program
            run([*nvcc, f"-L{arguments.nvcc.resolve().parent.parent / 'lib'}", "-cudart", "static", *objects, "-o", made])
            run(["strip", made])
            shutil.copy2(made, arguments.out / f"icicle_{program}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("icicle", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--nvcc", type=Path, default=shutil.which("nvcc") or "nvcc")
    parser.add_argument("--arch", default="90", help="the GPU's compute capability, without its dot")
    parser.add_argument("--only", nargs="+", choices=PROGRAMS, help="these programs only")
    build(parser.parse_args())

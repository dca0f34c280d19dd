#!/usr/bin/env python3
"""Compiles the GPU kernels ahead of time, into the folder that `cuda:` looks in.

With nvcc at hand, each module becomes a fat binary for some architectures. With --emulated, all modules become the library of `cuda:emulated`, for which a C++
compiler is enough. What is there already is not compiled again.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from place import prepare

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "target" / "cuda"
ARCHITECTURES = [80, 86, 89, 90, 100, 120]  # data centres and workstations from Ampere on
SANITIZE = ["-fsanitize=address", "-fno-omit-frame-pointer", "-g"]


def folder():
    """Where `cuda:` looks (host/cuda/src/compile.rs)."""
    named = os.environ.get("PROOFMILL_CUDA_DIR")
    if named:
        return Path(named)
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "proofmill" / "cuda"


def write_sources():
    """The modules' file names by module, and the emulation's."""
    command = ["cargo", "run", "--quiet", "--package", "proofmill-cuda", "--example", "write_kernels", "--", str(SOURCES)]
    lines = subprocess.run(command, cwd=ROOT, check=True, text=True, stdout=subprocess.PIPE).stdout
    names = dict(line.split() for line in lines.splitlines())
    return names, names.pop("emulated")


def run(command):
    done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(str(word) for word in command)}\n{done.stdout}")
    return done.stdout


def build(target, command):
    """Runs a compiler that writes to `{target}`; the file gets its name when it is whole."""
    part = target.with_name(f"{target.name}.part-{os.getpid()}")
    run([part if word == "{target}" else word for word in command])
    part.rename(target)


def emulated(to, names, library, sanitize):
    """The library of `cuda:emulated`."""
    target = to / library
    if target.exists():
        return target
    objects = SOURCES / ("sanitized" if sanitize else "emulated")
    objects.mkdir(parents=True, exist_ok=True)
    flags = ["-std=c++17", "-O2", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas"]
    flags += SANITIZE if sanitize else []
    compiler = os.environ.get("CXX", "g++")

    def compile_one(name, source):
        command = [compiler, *flags, f"-I{SOURCES}", "-x", "c++", "-c", source, "-o", objects / f"{name}.o"]
        run(command)
        return objects / f"{name}.o"

    sources = [(name, SOURCES / f"{name}.cu") for name in names] + [("emulate", SOURCES / "emulate.cpp")]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        parts = list(pool.map(lambda one: compile_one(*one), sources))
    build(target, [compiler, "-shared", *(SANITIZE if sanitize else []), *parts, "-o", "{target}"])
    return target


def find_nvcc():
    found = os.environ.get("NVCC") or shutil.which("nvcc")
    if not found and Path("/usr/local/cuda/bin/nvcc").exists():
        found = "/usr/local/cuda/bin/nvcc"
    if not found:
        sys.exit("nvcc was not found: install the CUDA toolkit, or set NVCC to its path. Without it, kernels are compiled by NVRTC when they are first used.")
    return found


def fat_binaries(to, names, architectures, only):
    """A fat binary a module, with PTX of the newest architecture for those to come."""
    nvcc = find_nvcc()
    codes = [f"-gencode=arch=compute_{it},code=sm_{it}" for it in architectures]
    newest = max(architectures)
    codes.append(f"-gencode=arch=compute_{newest},code=compute_{newest}")

    def compile_one(name, file):
        target = to / f"{file}.fatbin"
        if not target.exists():
            build(target, [nvcc, "-std=c++17", "-fatbin", *codes, SOURCES / f"{name}.cu", "-o", "{target}"])
        return target

    chosen = [(name, file) for name, file in names.items() if only in name]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda one: compile_one(*one), chosen))


def examined(names, architecture, only):
    """What the compiler made of each kernel: registers, spilled bytes, and multiply instructions of a product."""
    nvcc = find_nvcc()
    disassembler = shutil.which("cuobjdump") or str(Path(nvcc).parent / "cuobjdump")
    for name in names:
        if only not in name:
            continue
        cubin = SOURCES / f"{name}.cubin"
        flags = [f"-arch=sm_{architecture}", "-cubin", "-Xptxas", "-v"]
        log = run([nvcc, "-std=c++17", *flags, SOURCES / f"{name}.cu", "-o", cubin])
        kernels = re.findall(r"Compiling entry function '(\w+)'.*?(\d+) bytes spill stores, (\d+) bytes spill loads.*?Used (\d+) registers", log, re.S)
        for kernel, stores, loads, registers in kernels:
            print(f"{name} {kernel}: {registers} registers, {stores} bytes spilled, {loads} loaded")
        if Path(disassembler).exists() and any(kernel == "products_of" for kernel, *_ in kernels):
            code = run([disassembler, "-sass", "-fun", "products_of", cubin])
            products = len(re.findall(r"\bIMAD(?:\.WIDE|\.HI|\b(?!\.(?:MOV|SHL|IADD|X)))", code))
            print(f"{name} products_of: {products} multiply instructions")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--emulated", action="store_true", help="the library of cuda:emulated")
    parser.add_argument("--sanitize", action="store_true", help="with AddressSanitizer, for the emulation")
    parser.add_argument("--architectures", type=lambda text: [int(it) for it in text.split(",")], default=ARCHITECTURES, help="such as 80,90")
    parser.add_argument("--only", default="", metavar="TEXT", help="modules with this in their names")
    parser.add_argument("--examine", action="store_true", help="print what nvcc makes of each kernel for the first architecture, and write nothing")
    parser.add_argument("--folder", type=Path, default=folder(), help="where to; where cuda: looks, if not given")
    arguments = parser.parse_args()
    names, library = write_sources()
    if arguments.examine:
        examined(names, arguments.architectures[0], arguments.only)
        return
    to = arguments.folder.resolve()
    prepare(to)
    if arguments.emulated:
        print(emulated(to, names, library, arguments.sanitize))
    else:
        for file in fat_binaries(to, names, arguments.architectures, arguments.only):
            print(file)


if __name__ == "__main__":
    main()

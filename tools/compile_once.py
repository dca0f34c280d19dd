"""g++ for the models of SpinalHDL's simulator: `python3 tools/compile_once.py g++ FLAG ... -c -o OBJECT SOURCE`, as make calls it for `proofmill.RtlTests`.

These models are small, and g++ would spend most of its time on what they share. So in the folder that PROOFMILL_OBJECTS names there are, for each set
of flags, the objects of Verilator's own files (verilated*.cpp) and its header as g++ keeps it when it has read it. This is run for every file of
every model and imports little.
"""

import hashlib
import os
import shutil
import subprocess
import sys


def made_once(final, make):
    """A folder that is made when it is not there yet; two may make it at a time."""
    if os.path.isdir(final):
        return 0
    scratch = f"{final}-{os.getpid()}"
    os.makedirs(scratch)
    status = make(scratch)
    if status == 0:
        try:
            os.rename(scratch, final)
        except OSError:  # the other one was first
            pass
    shutil.rmtree(scratch, ignore_errors=True)
    return status


def main(command):
    if "PROOFMILL_OBJECTS" not in os.environ or "-c" not in command:
        os.execvp(command[0], command)
    compiler, source, made = command[:command.index("-c")], command[-1], command[command.index("-o") + 1]
    folder = os.path.join(os.environ["PROOFMILL_OBJECTS"], hashlib.sha256("\0".join(compiler).encode()).hexdigest()[:16])
    name = os.path.basename(source)

    def header(scratch):
        with open(f"{scratch}/model.h", "w") as file:
            file.write('#include "verilated.h"\n')
        return subprocess.call([*compiler, "-x", "c++-header", f"{scratch}/model.h", "-o", f"{scratch}/model.h.gch"])

    if name.startswith("verilated"):
        kept = f"{folder}-{name}"
        status = made_once(kept, lambda scratch: subprocess.call([*compiler, "-c", source, "-o", f"{scratch}/object.o"]))
        if status == 0:
            shutil.copyfile(f"{kept}/object.o", made)
        return status
    status = made_once(folder, header)
    return status or subprocess.call([*compiler, "-include", f"{folder}/model.h", "-c", "-o", made, source])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

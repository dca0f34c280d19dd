"""Makes Amazon's custom logic of a card: `cl.py FOLDER EXAMPLES [MHZ]`. NOT RUN by us with Amazon's tools.

FOLDER is what `make verilog CONFIG=f2_...` wrote, EXAMPLES the folder hdk/cl/examples of Amazon's aws-fpga, MHZ the engines' clock (200).
Writes EXAMPLES/cl_proofmill/: the top between the ports of the shell and ours, clocks and memory as a block design, constraints, and beside them the
scripts of Amazon's CL_TEMPLATE. Ports are read from both sides, so this program repeats no width.
"""

import json
import re
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
NAME = "cl_proofmill"
# Amazon's range for images of its customers; subsystem as in its examples.
IDS = {"CL_SH_ID0": "32'hF0F2_1D0F", "CL_SH_ID1": "32'h1D51_FEDC"}
# Of our buses, the shell's names: prefix of what it drives, prefix of what it is driven by.
BUSES = {"ocl": ("ocl_cl_", "cl_ocl_"), "pcis": ("sh_cl_dma_pcis_", "cl_sh_dma_pcis_"), "pcim": ("sh_cl_pcim_", "cl_sh_pcim_")}
# What the shell offers on no port; AXI has a value that means nothing special.
ABSENT = {"ocl_awprot": "3'b0", "ocl_arprot": "3'b0"}
# Of the shell's inputs, those that are not driven with zeros where nothing else drives them.
OTHERWISE = {
    "cl_sh_flr_done": "1'b1", "cl_sh_id0": "`CL_SH_ID0", "cl_sh_id1": "`CL_SH_ID1", "cl_sh_ddr_stat_ack": "1'b1",
    "cl_sh_pcim_awburst": "2'b01", "cl_sh_pcim_awsize": "3'b110", "cl_sh_pcim_arburst": "2'b01", "cl_sh_pcim_arsize": "3'b110",
}
HBM_UNIT = 1 << 29  # bytes of a pseudo-channel of the VU47P, of which there are 32
OUR_PORT = re.compile(r"^\s*(input|output)\s+(?:wire|reg)?\s*(?:\[(\d+):0\])?\s*(\w+)", re.M)
SHELL_PORT = re.compile(r"^\s*(input|output|inout)\s+(?:logic|wire)\s*(?:\[\s*(\d+)\s*:\s*0\s*\])?\s*(\w+)", re.M)


def ports(pattern, text):
    """Direction and width by name."""
    return {name: (direction, int(high or 0) + 1) for direction, high, name in pattern.findall(text)}


def connections(ours, shell):
    """What each port of the top is connected to, and which of the shell's that drives."""
    connected, driven = {}, set()
    for name, (direction, width) in ours.items():
        bus, _, signal = name.partition("_")
        if name in ABSENT:
            connected[name] = ABSENT[name]
        elif bus in BUSES:
            other = BUSES[bus][direction == "output"] + signal
            if other not in shell:
                raise SystemExit(f"the shell has no {other} for {name}")
            if shell[other][1] != width:
                raise SystemExit(f"{name} has {width} bits, {other} {shell[other][1]}")
            connected[name] = other
            driven |= {other} if direction == "output" else set()
        else:
            connected[name] = {"clk": "clk_main_a0", "resetn": "rst_main_n"}.get(name, name)
    return connected, driven


def placed(channels):
    """Of the memory channels' address ports, what the HBM's are driven with: each begins at its pseudo-channel (boards/hbm.tcl)."""
    found = {}
    for j, size in enumerate(channels):
        if size > HBM_UNIT:
            raise SystemExit(f"channel {j} has {size} bytes, a pseudo-channel {HBM_UNIT}")
        number, rest = j * (32 // len(channels)), HBM_UNIT.bit_length() - size.bit_length()
        zeros = f"{rest}'d0, " if rest else ""
        for name in (f"mem{j}_awaddr", f"mem{j}_araddr"):
            found[name] = f"{{5'd{number}, {zeros}{name}}}"
    return found


def instance(module, name, connected):
    lines = ",\n".join(f"    .{port}({wire})" for port, wire in connected.items())
    return f"  {module} {name} (\n{lines}\n  );\n"


def top(module, ours, shell, template, channels):
    """The custom logic. Its DIMM has no controller, but its pins need Amazon's module."""
    connected, driven = connections(ours, shell)
    inner = {name: width for name, (_, width) in ours.items() if connected[name] == name}
    dimm = {name: name for name in re.findall(r"^\s*\.(\w+)\s*\(\s*\1\s*\)", template, re.M)} | {"cl_RST_DIMM_N": "RST_DIMM_N"}
    dimm = {"clk": "clk_main_a0", "rst_n": "rst_main_n", "stat_clk": "clk_main_a0", "stat_rst_n": "rst_main_n"} | dimm
    driven |= set(dimm.values())
    idle = [name for name, (direction, _) in shell.items() if direction == "output" and name not in driven]
    parts = {"main_clk": "clk_main_a0", "main_resetn": "rst_main_n", "hbm_ref": "clk_hbm_ref"} | {name: name for name in inner} | placed(channels)
    wires = "".join(f"  wire [{width - 1}:0] {name};\n" for name, width in inner.items())
    ends = "".join(f"  assign {name} = {OTHERWISE.get(name, chr(39) + '0')};\n" for name in idle)
    return f"""// Made by boards/f2/cl.py: {module} between the ports of Amazon's shell.
`include "cl_id_defines.vh"

module {NAME} (
  `include "cl_ports.vh"
);
{wires}
{instance(module, "card", connected)}
{instance("cl_parts_wrapper", "parts", parts)}
{instance("sh_ddr #(.DDR_PRESENT(0))", "SH_DDR", dimm)}
{ends}endmodule
"""


def main(folder, examples, mhz="200"):
    folder, examples = Path(folder), Path(examples)
    about = json.loads((folder / "about.json").read_text())
    if "slots" not in about:
        raise SystemExit(f"{folder} is no card for F2: `make verilog CONFIG=f2_msm_bls12_381`")
    template = examples / "CL_TEMPLATE"
    shell = ports(SHELL_PORT, (examples.parents[1] / "common/shell_stable/design/interfaces/cl_ports.vh").read_text())
    text = (folder / f"{about['top']}.v").read_text()
    ours = ports(OUR_PORT, text[text.index(f"module {about['top']} ") :].partition(");")[0])
    into = examples / NAME
    shutil.rmtree(into, ignore_errors=True)
    shutil.copytree(template / "build", into / "build", symlinks=True)
    (into / "build/scripts/synth_CL_TEMPLATE.tcl").unlink()
    design = into / "design"
    design.mkdir()
    for name in (folder / "files.f").read_text().split():
        shutil.copy(folder / name, design)
    channels = about.get("memories", [])
    ids = "".join(f"`define {name} {value}\n" for name, value in IDS.items())
    (design / "cl_id_defines.vh").write_text(f"`ifndef CL_ID_DEFINES\n`define CL_ID_DEFINES\n{ids}`endif\n")
    (design / f"{NAME}.sv").write_text(top(about["top"], ours, shell, (template / "design/CL_TEMPLATE.sv").read_text(), channels))
    facts = f"set channels {{{' '.join(map(str, channels))}}}\nset mhz {float(mhz):g}\n"
    (into / f"build/scripts/synth_{NAME}.tcl").write_text(facts + (HERE / "synth.tcl").read_text())
    for script in (HERE / "parts.tcl", HERE.parent / "hbm.tcl"):
        shutil.copy(script, into / "build/scripts")
    shutil.copy(HERE.parent / "xdma/crossings.xdc", into / "build/constraints/cl_timing_user.xdc")
    print(f"wrote {into}")


if __name__ == "__main__":
    if len(sys.argv) not in {3, 4}:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])

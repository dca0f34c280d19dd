"""A test bench in plain Verilog for a unit of a field, such as a multiplier: for tools/testbench.py."""

import random
import shutil
import sys

import verilog
from place import ROOT, Failed

sys.path.insert(0, str(ROOT / "rtl/sim"))

import unit  # noqa: E402

SOURCE = ROOT / "rtl/testbench/unit_testbench.v"
COUNT = 200  # operands
PATIENCE = 200_000  # cycles until all results are there


def operands(ports, source):
    """Returns digits for each port: at first their bounds and small numbers in all combinations, then digits at random."""
    def likely(port):
        ends = [(value,) * port.digits for value in (port.low, port.high)]
        return ends + [(value, *[0] * (port.digits - 1)) for value in (0, 1, port.high)]

    ends = [[]]
    for port in ports:
        ends = [[*chosen, digits] for chosen in ends for digits in likely(port)]
    return ends + [[port.draw(source) for port in ports] for _ in range(COUNT - len(ends))]


def residues(kind, ports, result, values):
    """Returns, of each operand, what the result's digits represent modulo p."""
    computed, p = unit.meaning(kind), result.modulus
    return [computed(*(port.value(digits) for port, digits in zip(ports, each))) * result.scale % p for each in values]


def instance(top, ports, result, waits):
    """Returns the unit with its ports, and the function that computes the residue of a result."""
    lines, connections, low = [], [".clk(clk)", ".reset(reset)", ".in_valid(in_valid)", ".out_valid(out_valid)"], 0
    for port in ports:
        lines.append(f"wire [{port.bits - 1}:0] {port.name} = operand[{low + port.bits - 1}:{low}];")
        connections.append(f".{port.name}({port.name})")
        low += port.bits
    connections += [".in_ready(in_ready)", ".out_ready(out_ready)"] if waits else []
    lines += [] if waits else ["assign in_ready = 1'b1; // the unit takes operands in every cycle"]
    connections.append(f".{result.name}(result)")
    lines += [f"{top} unit ({', '.join(connections)});", "", "// The integer that the digits represent, modulo p.",
              "function [RESIDUE_BITS-1:0] residue(input [RESULT_BITS-1:0] digits);", "  reg signed [WORK_BITS-1:0] value;", "  begin",
              "    value = 0;"]
    for at in reversed(range(result.digits)):
        digit = f"digits[{result.width * (at + 1) - 1}:{result.width * at}]"
        lines.append(f"    value = value * BASE + $signed({digit if result.signed else f'{{1{chr(39)}b0, {digit}}}'});")
    lines += ["    residue = value; // a canonical integer, so it is compared itself"] if is_canonical(result) else ["    value = value % MODULUS;", "    residue = value < 0 ? value + MODULUS : value;"]
    lines += ["  end", "endfunction"]
    return "".join(f"  {line}".rstrip() + "\n" for line in lines)


def is_canonical(port):
    return (port.low, port.high) == (0, port.modulus - 1)


def signed(value, bits):
    return f"{'-' if value < 0 else ''}{bits}'sh{abs(value):x}"


def written(config, out, manifest):
    """Writes a unit and its test bench. Returns the folder."""
    try:
        unit.meaning(manifest["unit"])
    except KeyError:
        raise Failed(f"{config}: there are test benches of {', '.join(unit.MEANING)} among the units") from None
    folder, top = verilog.written(config, out)
    ports, (result,) = ([unit.Unit.port(entry) for entry in manifest[name]] for name in ("operands", "results"))
    values = operands(ports, random.Random(config))
    words = [sum(port.pack(digits) << sum(other.bits for other in ports[:at]) for at, (port, digits) in enumerate(zip(ports, each))) for each in values]
    (folder / "operands.hex").write_text("".join(f"{word:x}\n" for word in words))
    (folder / "residues.hex").write_text("".join(f"{residue:x}\n" for residue in residues(manifest["unit"], ports, result, values)))
    work = max(result.bits, result.modulus.bit_length()) + 8
    sizes = {"COUNT": COUNT, "PATIENCE": PATIENCE, "LATENCY": max(manifest["latency"], 0), "OPERAND_BITS": sum(port.bits for port in ports),
             "RESULT_BITS": result.bits, "RESIDUE_BITS": result.bits if is_canonical(result) else result.modulus.bit_length(), "WORK_BITS": work}
    numbers = {"MODULUS": result.modulus, "BASE": result.base if result.digits > 1 else 0}
    text = "".join(f"localparam {name} = {size};\n" for name, size in sizes.items())
    text += "".join(f"localparam signed [{work - 1}:0] {name} = {signed(value, work)};\n" for name, value in numbers.items())
    (folder / "sizes.vh").write_text(text)
    (folder / "instance.vh").write_text(instance(top, ports, result, manifest["latency"] < 0))
    shutil.copy(SOURCE, folder / "testbench.v")
    return folder

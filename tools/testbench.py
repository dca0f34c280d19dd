"""Writes a test bench in plain Verilog for a card or a unit: `python3 tools/testbench.py CONFIG ... [--with icarus|verilator] [--waves]`.

Writes the card (`make verilog`) and, into the same folder, testbench.v with packets and expected replies, and runs it. The packets
use each engine a little; the replies are those of spec/model. The result of an MSM has many projective forms, so the bench prints
it and this program checks it. A unit of a field gets operands and the residues of their results (unit_bench.py).
"""

import argparse
import json
import re
import shutil
import sys
from dataclasses import fields as fields_of
from pathlib import Path

import rtl
import sim
import verilog
from place import ROOT, TARGET, Failed, main, run

sys.path[:0] = [str(ROOT / "spec/model"), str(ROOT / "rtl/sim")]

import ecdsa_verify as ecdsa  # noqa: E402
import equihash_solve_card as solver_card  # noqa: E402
import equihash_verify as equihash  # noqa: E402
import msm  # noqa: E402
import ntt  # noqa: E402
import poseidon_card  # noqa: E402
import unit_bench  # noqa: E402
import vdf_card  # noqa: E402
import wire  # noqa: E402
from msm_card import GRANULE, SCALAR, Geometry  # noqa: E402

SOURCES = ["axi_memory.v", "testbench.v"]
SIGNATURE = ("s", "r", "hash", "qx", "qy")
PATIENCE = 1_000_000  # cycles until a reply
STREAMS = ["tvalid", "tready", "tlast", "tdata", "tkeep"]
#: Ports of a memory channel that the test bench's memory has.
MEMORY = ["awvalid", "awready", "awaddr", "awlen", "wvalid", "wready", "wdata", "wstrb", "wlast", "bvalid", "bready", "bresp",
          "arvalid", "arready", "araddr", "arlen", "rvalid", "rready", "rdata", "rresp", "rlast"]


def status(manifest):
    """Returns the status packet, which every card answers; version and date are those of the build."""
    card = wire.Card(wire.Identity(0, "", ""), [])
    reply = bytearray(card.status())
    reply[28:36] = manifest["cmd_cap"].to_bytes(8, "little")
    return wire.packet(wire.SHELL["commands"]["status"]["number"]), bytes(reply), [(8, 28)]


def answered(card, packets, free):
    return [(packet, card.answer(packet), free) for packet in packets]


def vectors(op, name):
    return json.loads((ROOT / f"spec/vectors/{op}/{name}.json").read_text())


def of_equihash(engine):
    """Returns a header with a solution, and the same with a byte changed."""
    name = engine["instance"].removeprefix("equihash_")
    params = equihash.load_params(name)
    header = bytes.fromhex(next(iter(vectors("equihash_verify", name)["bases"].values())))
    spoilt = header[:-1] + bytes([header[-1] ^ 1])
    card = wire.Card(wire.Identity(0, "", ""), [name])
    return answered(card, [wire.equihash_command(params, i, it) for i, it in enumerate((header, spoilt))], [])


def of_solver(engine):
    """Returns a header with candidates, a candidate, whose order is the circuit's, and a number above the last one."""
    params = equihash.load_params(engine["instance"].removeprefix("equihash_"))
    head, solve, read = bytes(params.header_bytes), solver_card.COMMANDS["solve"], solver_card.COMMANDS["read"]
    count = len(solver_card.solve(params, head))
    leaves = 4 * params.indices

    def reply(of, index, status, rest):
        return wire.packet(of["reply"], wire.word(index, 8) + wire.word(solver_card.STATUS[status], 8) + rest)

    return [
        (wire.solver_command("solve", 0, header=head), reply(solve, 0, "done", wire.word(count, 4) + bytes(4)), []),
        (wire.solver_command("read", 1, number=0), reply(read, 1, "done", bytes(leaves)), [(24, 24 + leaves)]),
        (wire.solver_command("read", 2, number=count), reply(read, 2, "invalid", bytes(leaves)), []),
    ]


def of_ecdsa(_):
    """Returns a valid signature and an invalid one; the last two bytes of a reply count cycles."""
    cases = vectors("ecdsa_verify", "secp256k1")["cases"]
    chosen = [next(case for case in cases if bool(case["mask"]) == bad) for bad in (False, True)]
    signatures = [ecdsa.Signature(*(int(case[name], 16) for name in SIGNATURE)) for case in chosen]
    card = wire.Card(wire.Identity(0, "", ""), [wire.ECDSA_INSTANCE])
    return answered(card, [wire.ecdsa_command(i, it) for i, it in enumerate(signatures)], [(17, 19)])


def of_poseidon(engine):
    """Returns a hash of each arity and strength, and an element that is not below the modulus."""
    said = [(it["command"], it["command_len"]) for it in engine["commands"]]
    arities = [arity for arity in poseidon_card.ARITIES if (poseidon_card.COMMAND["number"], poseidon_card.command_len(arity)) in said]
    packets = [
        wire.poseidon_command(arity, [2**arity - 1, *range(1, arity + 1)], strength)
        for strength, it in poseidon_card.HASHES.items() for arity in arities if (it["number"], poseidon_card.command_len(arity)) in said
    ]
    refused = wire.poseidon_command(99, [0, poseidon_card.instance(arities[0]).p, *[0] * (arities[0] - 1)])
    return answered(wire.Card(wire.Identity(0, "", ""), [wire.POSEIDON_INSTANCE]), [*packets, refused], [])


def geometry_of(engine):
    """Returns an MSM engine's registers, from the manifest."""
    values = {field.name: engine["parameters"][field.name] for field in fields_of(Geometry)}
    values["curve"] = next(name for name, number in msm.WIRE["curves"].items() if number == values["curve"])
    return Geometry(**values)


def of_msm(engine):
    """Returns an MSM of the multiples 1, 2, 3, 4 of the generator with small and large scalars."""
    geometry = geometry_of(engine)
    points = [geometry.slices(geometry.law.mul(factor, geometry.generator)) for factor in (1, 2, 3, 4)]
    scalars = [1, 2, geometry.facts.r - 1, geometry.facts.r // 2]

    def written(index, channel, data):
        return wire.msm_command("write", geometry.group, index=index, channel=channel, address=0, data=data.ljust(GRANULE, b"\0"))

    packets = [written(channel, channel, b"".join(slices[channel] for slices in points)) for channel in range(geometry.channels)]
    packets.append(written(geometry.channels, geometry.channels, b"".join(k.to_bytes(SCALAR, "little") for k in scalars)))
    asked = wire.msm_command("run", geometry.group, index=100, count=len(points), window_bits=geometry.least_window)
    card = wire.Card(wire.Identity(0, "", ""), [], geometry)
    (sum_of,) = [field["offset"] for field in msm.WIRE["commands"]["run"]["reply_fields"] if field["name"] == "sum"]
    return answered(card, packets, []) + answered(card, [asked], [(24, sum_of + geometry.sum_bytes)])


def of_ntt(engine):
    """Returns a transform of 64 elements, and its inverse."""
    commands, channels = ntt.WIRE["commands"], engine["parameters"]["channels"]
    field, size = ntt.field(engine["instance"]), 64
    element = ntt.WIRE["fields"][field.name]["element"]
    each = 64 // element  # of a beat
    before = [pow(7, i, field.p) for i in range(size)]
    after = ntt.transform(field, before)
    scale = pow(size, -1, field.p)

    def parts(elements):
        """Returns the elements of each channel."""
        groups = [elements[i:i + each] for i in range(0, size, each)]
        return [b"".join(x.to_bytes(element, "little") for group in groups[channel::channels] for x in group).ljust(GRANULE, b"\0") for channel in range(channels)]

    found = []

    def exchange(name, body, answer, free=()):
        index = len(found).to_bytes(8, "little")
        found.append((wire.packet(commands[name]["number"], index + body), wire.packet(commands[name]["reply"], index + answer), list(free)))

    def place(channel):
        return (channel << 56).to_bytes(8, "little")

    def turn(inverse, factor):
        asked = bytes(8) + (1 << 14).to_bytes(8, "little") + (6).to_bytes(4, "little") + inverse.to_bytes(4, "little") + (1).to_bytes(8, "little")
        exchange("run", asked + (1).to_bytes(32, "little") + factor.to_bytes(32, "little"), bytes(32), [(32, 48)])

    for channel, data in enumerate(parts(before)):
        exchange("write", place(channel) + data, b"\0")
    turn(0, 1)
    for channel, data in enumerate(parts(after)):
        exchange("read", place(channel), bytes(8) + data)
    turn(1, scale)
    for channel, data in enumerate(parts(before)):
        exchange("read", place(channel), bytes(8) + data)
    return found


def of_vdf(engine):
    """Returns the constants of a modulus, squarings from an input and continued, and fields out of range."""
    geometry = vdf_card.Geometry(engine["parameters"]["bits"])
    card, found = vdf_card.Engine(geometry), []
    n = (1 << geometry.bits) - 59
    asked = [("load", {"position": j, "reserved": 0, "constant": constant}) for j, constant in enumerate(geometry.constants_of(n))]
    for squarings, resume in ((3, 0), (2, 1), (0, 0), (1, 2)):
        asked.append(("square", {"squarings": squarings, "resume": resume, "input": 7}))
    for index, (name, fields) in enumerate(asked):
        packet = wire.vdf_command(name, geometry, index=index, **fields)
        found.append((packet, wire.vdf_reply(name, geometry, getattr(card, name)({"index": index, **fields})), []))
    return found


ENGINES = {"vdf": of_vdf, "equihash_solve": of_solver, "equihash_verify": of_equihash, "ecdsa_verify": of_ecdsa, "poseidon": of_poseidon, "msm": of_msm, "ntt": of_ntt}


def exchanges(manifest):
    """Returns (packet, reply, bytes of it that may have any value) for all engines of a card."""
    known = [engine for engine in manifest.get("engines", []) if engine["op"] in ENGINES]
    if not known:
        raise Failed(f"{manifest['config']}: no engine that a test bench asks: {', '.join(ENGINES)}")
    return [status(manifest), *(exchange for engine in known for exchange in ENGINES[engine["op"]](engine))]


def words(packet, free=()):
    """Returns (last, keep, data, mask of compared bits) of each word."""
    counts = bytearray(b"\xff" * len(packet))
    for start, end in free:
        counts[start:end] = bytes(end - start)
    for at in range(0, len(packet), 8):
        part, mask = packet[at:at + 8], counts[at:at + 8]
        yield at + 8 >= len(packet), (1 << len(part)) - 1, int.from_bytes(part, "little"), int.from_bytes(mask, "little")


def instance(module):
    """Returns the instance of the card, with its streams, its idle registers, and a memory for each of its channels."""
    ports = {name: (direction, int(high or 0) + 1) for direction, high, name in verilog.PORT.findall(module.ports)}
    memories = sorted({int(found[1]) for name in ports if (found := re.match(r"mem(\d+)_", name))})
    lines, connections = [], []
    for name, (direction, bits) in ports.items():
        stream = name in ("clk", "reset") or name.startswith(("rx_", "tx_"))
        if direction == "output" or name.startswith("mem"):
            lines += [] if stream else [f"wire [{bits - 1}:0] {name};"]
            connections.append(f".{name}({name})")
        else:
            connections.append(f".{name}({name if stream else f'{bits}' + chr(39) + 'd0'})")
    lines += [f"{module.name} card ({', '.join(connections)});"]
    for memory in memories:
        joined = [f".{port}(mem{memory}_{port})" for port in MEMORY]
        address = ports[f"mem{memory}_awaddr"][1]
        lines += [f"axi_memory #(.ADDRESS({address})) memory{memory} (.clk(clk), .reset(reset), {', '.join(joined)});"]
    return "".join(f"  {line}\n" for line in lines), memories, ports


def waves(module, modules, memories, ports):
    """Returns a save file of GTKWave: streams, memories and the ports of the card's parts, in groups."""
    def signal(path, bits):
        return f"testbench.{path}" + (f"[{bits - 1}:0]" if bits > 1 else "")

    def group(name, signals, closed=False):
        begin, end = ("@c00200", "@1401200") if closed else ("@800200", "@1000200")
        return [begin, f"-{name}", "@22", *signals, end, f"-{name}"]

    lines = ['[dumpfile] "waves.vcd"', "[timestart] 0", "@28", "testbench.clk", "testbench.reset"]
    for name, stream in (("Commands", "rx"), ("Replies", "tx")):
        lines += group(name, [signal(f"{stream}_{port}", ports[f"{stream}_{port}"][1]) for port in STREAMS])
    for memory in memories:
        lines += group(f"Memory {memory}", [signal(f"mem{memory}_{port}", ports[f"mem{memory}_{port}"][1]) for port in MEMORY], closed=True)
    for part, name in module.parts:
        inside = [(port, int(high or 0) + 1) for _, high, port in verilog.PORT.findall(modules[part].ports) if not port.endswith(("clk", "reset"))]
        lines += group(f"{part} {name}", [signal(f"card.{name}.{port}", bits) for port, bits in inside], closed=True)
    return "\n".join(lines) + "\n"


def written(config, out):
    """Writes a card and its test bench. Returns the folder and the exchanges of the bench."""
    folder, top = verilog.written(config, out)
    manifest = json.loads((folder / "about.json").read_text())
    asked = exchanges(manifest)
    requests = [word for packet, _, _ in asked for word in words(packet)]
    replies = [word for _, reply, free in asked for word in words(reply, free)]
    (folder / "requests.hex").write_text("".join(f"{last << 72 | keep << 64 | data:019x}\n" for last, keep, data, _ in requests))
    (folder / "replies.hex").write_text("".join(f"{last << 136 | keep << 128 | data << 64 | mask:035x}\n" for last, keep, data, mask in replies))
    sizes = {"REQUEST_WORDS": len(requests), "REPLY_WORDS": len(replies), "PATIENCE": PATIENCE}
    (folder / "sizes.vh").write_text("".join(f"localparam {name} = {size};\n" for name, size in sizes.items()))
    modules = verilog.modules_of("".join(path.read_text() for path in sorted(folder.glob("*.v"))))
    text, memories, ports = instance(modules[top])
    (folder / "instance.vh").write_text(text)
    (folder / "waves.gtkw").write_text(waves(modules[top], modules, memories, ports))
    for source in SOURCES:
        shutil.copy(ROOT / "rtl/testbench" / source, folder)
    return folder, asked


def commands(folder, simulator, shown, sources=SOURCES):
    """Returns the commands that build the bench and run it."""
    files = [*(folder / "files.f").read_text().split(), *sources]
    if simulator == "icarus":
        return ["iverilog", "-g2005", "-s", "testbench", "-o", "testbench", *files], ["vvp", "-n", "testbench", *shown]
    flags = ["--binary", "--timing", "--trace", "--timescale", "1ns/1ps", "-Wno-fatal", "-Wno-lint", "-Wno-style", "-O3", sim.EXACT, "--x-initial", "unique"]
    return ["verilator", *flags, *files, "--top-module", "testbench"], ["obj_dir/Vtestbench", *shown]


def sums(asked, said, engines):
    """Returns (geometry, the model's reply, the card's) of each run of an MSM, whose results the bench does not compare."""
    geometries = [geometry_of(engine) for engine in engines if engine["op"] == "msm"]
    of_reply = {geometry.commands["run"]["reply"]: geometry for geometry in geometries}
    came = {}
    for packet, word in re.findall(r"^reply (\d+): ([0-9a-f]{16})", said, re.M):
        came.setdefault(int(packet), []).append(bytes.fromhex(word)[::-1])
    for at, (_, reply, _) in enumerate(asked):
        if geometry := of_reply.get(int.from_bytes(reply[4:8], "little")):
            yield geometry, reply, b"".join(came[at])[:len(reply)]


def examine_unit(config, out, simulator, shown):
    """Writes and runs the test bench of a unit."""
    folder = unit_bench.written(config, out, rtl.manifest(rtl.generate(config)))
    build, start = commands(folder, simulator, shown, ["testbench.v"])
    run(build, cwd=folder)
    said = run(start, cwd=folder)
    print(said, end="")
    if "PASSED" not in said:
        raise Failed(f"{folder}: the test bench failed")


def examine(config, out, simulator, shown):
    """Writes and runs the test bench of a card."""
    folder, asked = written(config, out)
    build, start = commands(folder, simulator, [*shown, "+show"])
    run(build, cwd=folder)
    said = run(start, cwd=folder)
    print("".join(f"{line}\n" for line in said.splitlines() if not line.startswith("reply ")), end="")
    if "PASSED" not in said:
        raise Failed(f"{folder}: the test bench failed")
    engines = json.loads((folder / "about.json").read_text())["engines"]
    for geometry, wanted, came in sums(asked, said, engines):
        if geometry.sum_of(came[48:]) != geometry.sum_of(wanted[48:]):
            raise Failed(f"{folder}: the sum of the MSM is wrong")
        print("the sum of the MSM is the model's")


def cli():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("configs", nargs="+", metavar="CONFIG", help="a card or a unit of a field, as `python3 tools/rtl.py` lists them")
    parser.add_argument("--with", dest="simulator", choices=["icarus", "verilator"], default="icarus", help="the simulator (icarus; verilator is faster for all but toys)")
    parser.add_argument("--waves", action="store_true", help="write waves.vcd too, for `gtkwave waves.vcd waves.gtkw`")
    parser.add_argument("--stall", action="store_true", help="hold replies up")
    parser.add_argument("--out", type=Path, default=TARGET / "verilog", help="the folder (target/verilog)")
    chosen = parser.parse_args()
    cards, units = rtl.configs(), rtl.units()
    rtl.require(chosen.configs, cards + units)
    for config in chosen.configs:
        if config.endswith("_twin"):
            raise Failed(f"{config}: twins are for our own simulation; take {config.removesuffix('_twin')}")
        if config in units and chosen.stall:
            raise Failed(f"--stall: {config} has no replies, which are a card's")
        shown = [f"+{name}" for name in ("waves", "stall") if getattr(chosen, name)]
        (examine if config in cards else examine_unit)(config, chosen.out, chosen.simulator, shown)
    return 0


if __name__ == "__main__":
    main(cli)

"""A synthesised module in a short form: which nets each cell connects, without its function.

A net is a number from 1 on; 0 is a constant or nothing. Cells are grouped by what their timing is:

| group | one cell |
|---|---|
| `lut` | output, inputs |
| `muxf` | output, select, data, data |
| `carry` | CI, CYINIT, then DI, S, O and CO of each of four bits |
| `ff` | Q, D, CE, R (set, clear) |
| `srl` | Q, D, CE, address |
| `lutram` | outputs, read addresses, what is written: data, addresses, enables |
| `bram`, `uram` | outputs, addresses, enables, data |
| `dsp` | outputs, inputs |
"""

import re

#: Part of the cache's names: to be changed with what `compact` gives.
FORM = "cells 1"
KINDS = ("lut", "muxf", "carry", "ff", "srl", "lutram", "bram", "uram", "dsp")
IGNORED = {"BUFG", "GND", "VCC", "$scopeinfo"}


def kind(cell):
    """The group of a primitive; None when it has no timing or is not known."""
    for pattern, name in ((r"LUT[1-6]|INV", "lut"), (r"MUXF[789]", "muxf"), (r"CARRY4", "carry"), (r"FD[RSCP]E(_1)?|LD[CP]E", "ff"),
                          (r"SRL\w+", "srl"), (r"RAMB\w+", "bram"), (r"URAM288", "uram"), (r"DSP48E\d", "dsp"), (r"RAM\w+", "lutram")):
        if re.fullmatch(pattern, cell):
            return name
    return None


def compact(netlist, modules):
    """The short form of a module of yosys's JSON; cells whose type is in `modules` are instances."""
    numbers = {}

    def net(bit):
        return 0 if isinstance(bit, str) else numbers.setdefault(bit, len(numbers) + 1)

    made = {name: [] for name in KINDS}
    instances = []
    for name, cell in netlist["cells"].items():
        pins = {pin: [net(bit) for bit in bits] for pin, bits in cell["connections"].items()}
        if cell["type"] in modules:
            instances.append([name, cell["type"], pins])
        elif group := kind(cell["type"]):
            made[group].append(_FORMS[group](pins))
        elif cell["type"] not in IGNORED:
            raise ValueError(f"{name}: the timing of a {cell['type']} is not known")
    ports = {name: [port["direction"][0], [net(bit) for bit in port["bits"]]] for name, port in netlist["ports"].items()}
    return {"nets": len(numbers), "names": _names(netlist["netnames"], numbers), "ports": ports, "instances": instances, **made}


def hollow(ports):
    """The short form of a module that has nothing but a register at each of its ports: name -> (direction, bits)."""
    made, names, numbered, nets = {name: [] for name in KINDS}, {}, {}, 0
    for name, (direction, width) in ports.items():
        bits = list(range(nets + 1, nets + width + 1))
        nets += width
        numbered[name] = [direction[0], bits]
        names |= {bit: name if width == 1 else f"{name}[{i}]" for i, bit in enumerate(bits)}
    for direction, bits in list(numbered.values()):
        for bit in bits:
            nets += direction == "i"
            made["ff"].append([nets, bit, 0, 0] if direction == "i" else [bit, 0, 0, 0])
    return {"nets": nets, "names": names, "ports": numbered, "instances": [], **made}


def _names(netnames, numbers):
    """Net -> name, the most readable one of each: a person's before a tool's, the shorter of two."""
    found = {}
    for name, entry in netnames.items():
        rank = (bool(entry.get("hide_name")) or name.startswith("$"), "_zz_" in name, "." in name, len(name), name)
        bits = entry["bits"]
        for i, bit in enumerate(bits):
            if not isinstance(bit, str) and bit in numbers and not rank[0]:
                text = name if len(bits) == 1 else f"{name}[{i}]"
                number = numbers[bit]
                if number not in found or rank < found[number][0]:
                    found[number] = (rank, text)
    return {number: text for number, (_, text) in found.items()}


def _lut(pins):
    return [*pins["O"], *(net for pin, bits in sorted(pins.items()) if pin[0] == "I" for net in bits)]


def _muxf(pins):
    return [*pins["O"], *pins["S"], *pins["I0"], *pins["I1"]]


def _carry(pins):
    bits = [pins.get(pin, [0] * 4) for pin in ("DI", "S", "O", "CO")]
    return [*pins.get("CI", [0]), *pins.get("CYINIT", [0]), *(bits[pin][i] for i in range(4) for pin in range(4))]


def _ff(pins):
    reset = next((pins[pin] for pin in ("R", "S", "CLR", "PRE") if pin in pins), [0])
    return [*pins["Q"], *pins["D"], *pins.get("CE", pins.get("GE", [0])), *reset]


def _srl(pins):
    address = [net for pin, bits in sorted(pins.items()) if pin[0] == "A" for net in bits]
    return [*pins["Q"], *pins["D"], *pins.get("CE", [0]), *address]


def _group(pins, *patterns):
    return [[net for pin, bits in sorted(pins.items()) if re.fullmatch(pattern, pin) for net in bits if net] for pattern in patterns]


def _lutram(pins):
    # The last address port of a multi-port memory is the one it is written at.
    ports = sorted(pin for pin in pins if re.fullmatch(r"ADDR[A-H]", pin))
    written = ports[-1] if ports else "A"
    reads = [net for pin, bits in sorted(pins.items()) for net in bits if net and (pin in ports[:-1] or pin.startswith("DPRA") or pin == "A" or re.fullmatch(r"A\d", pin))]
    out, data = _group(pins, r"DO[A-H]?|O|DPO|SPO|O\d", r"DI[A-H]?|D|WE")
    return [out, reads, data + [net for net in pins.get(written, []) if net]]


def _bram(pins):
    return _group(pins, r"DO.*", r"ADDR.*", r"EN.*|WE.*|REGCE.*|RST.*|BWE.*|RDB.*", r"DI.*")


def _dsp(pins):
    return _group(pins, r"P", r"A|B|C|D|CARRYIN|INMODE|OPMODE|ALUMODE")


_FORMS = {"lut": _lut, "muxf": _muxf, "carry": _carry, "ff": _ff, "srl": _srl, "lutram": _lutram, "bram": _bram, "uram": _bram, "dsp": _dsp}

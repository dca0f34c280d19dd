"""`make timing`: estimates the clock of each engine and unit in an UltraScale+ device of speed grade -2.

Static timing over the yosys netlists of the modules, joined to one netlist: every path from a register to a register, across module
borders. Cells have published delays, a wire's delay depends only on its fan-out (`delays`), and nothing is placed. docs/rtl/timing.md has
the model, its sources and its accuracy.

Engines are timed inside their card: a path belongs to the engine of its end, else to the engine of its beginning, else to the shell. Units
are timed alone, with a register before each input and after each output. Boards' top levels are timed with registers in place of their
shell, which other cards have.
"""

import argparse
import bisect
import gc
import json
import re
import sys
from array import array
from collections import Counter
from pathlib import Path

import cells
import delays
import rtl
import synthesis
from place import TARGET, Failed, main, write_whole

#: The default cards.
CARDS = ["card", "toy", "mailbox", "ecdsa", "msm_toy", "msm_bn254", "msm_bn254_g2", "msm_bls12_381", "msm_bls12_381_g2", "msm_bls12_377", "poseidon_2", "vdf_1024", "equihash_solve_200_9"]
#: Top levels of boards that are timed by default.
TOPS = ["uart", "xdma_msm_bls12_381", "f2_msm_bls12_381"]
#: Number of paths to show for each engine, and minimum picoseconds of a path.
SHOWN, SHORTEST = 4, 1000

#: Drivers of nets.
NOTHING, FF, LUT, MUX, CARRY, MEMORY, DSP, OTHER = range(8)

#: Arcs through cells: name, delay, routing of the wire to it.
ROUTED, TO_CARRY, TO_MUX, CHAIN, TO_DSP = range(5)
ARCS = [
    ("LUT", delays.LUT, ROUTED),
    ("MUXF", delays.MUX_SELECT, ROUTED),
    ("MUXF", delays.MUX_DATA, TO_MUX),
    ("CARRY", delays.CARRY_S, TO_CARRY),
    ("CARRY", delays.CARRY_DI, ROUTED),
    ("CARRY", delays.CARRY_STEP, CHAIN),
    ("CARRY", delays.CARRY_SUM, CHAIN),
    ("CARRY", delays.SUM_S, TO_CARRY),
    ("CARRY", delays.CARRY_S, ROUTED),  # from CYINIT
    ("LUTRAM", delays.LUTRAM_READ, ROUTED),
    ("DSP", 0, TO_DSP),
    ("DSP", 0, CHAIN),  # from the product to its bits
]
A_LUT, A_SELECT, A_DATA, A_S, A_DI, A_STEP, A_SUM, A_S_SUM, A_CYINIT, A_READ, A_DSP, A_PRODUCT = range(len(ARCS))

#: Ends of paths: name, setup.
ENDS = [("D", 0), ("CE", delays.ENABLE), ("R", delays.ENABLE), ("write", delays.SRL_WRITE), ("write", delays.LUTRAM_WRITE)]
E_D, E_CE, E_R, E_SRL, E_LUTRAM = range(5)
for memory in ("bram", "uram"):
    ENDS += [(pin, setup[memory]) for pin, setup in (("address", delays.MEMORY_ADDRESS), ("enable", delays.MEMORY_ENABLE), ("data", delays.MEMORY_DATA))]
E_MEMORY = {"bram": 5, "uram": 8}
ENDS.append(("output", delays.ENABLE))
E_OUTPUT = len(ENDS) - 1


class Part:
    """The timing of one module: arcs, ends and beginnings over its own nets."""

    def __init__(self, made):
        self.nets, self.ports, self.instances = made["nets"], made["ports"], made["instances"]
        self.names = {int(net): name for net, name in made["names"].items()}
        self.source, self.sink, self.arc = array("i"), array("i"), array("b")
        self.end, self.end_kind, self.end_of = array("i"), array("b"), array("i")
        self.begin, self.begin_kind = array("i"), array("b")
        self.first_own = self.nets + 1
        for group in cells.KINDS:
            for cell in made[group]:
                getattr(self, f"_{group}")(cell)

    def _new(self):
        self.nets += 1
        return self.nets

    def _through(self, source, sink, arc):
        if source and sink:
            self.source.append(source)
            self.sink.append(sink)
            self.arc.append(arc)

    def _ends(self, net, kind, of=0):
        if net:
            self.end.append(net)
            self.end_kind.append(kind)
            self.end_of.append(of)

    def _begins(self, net, kind):
        self.begin.append(net)
        self.begin_kind.append(kind)

    def _lut(self, cell):
        for net in cell[1:]:
            self._through(net, cell[0], A_LUT)

    def _muxf(self, cell):
        for net, arc in zip(cell[1:], (A_SELECT, A_DATA, A_DATA)):
            self._through(net, cell[0], arc)

    def _carry(self, cell):
        below, first = (cell[0], A_STEP) if cell[0] else (cell[1], A_CYINIT)
        for i in range(2, 18, 4):
            di, s, total, carry = cell[i:i + 4]
            carry = carry or self._new()
            if below:
                self._through(below, carry, first)
                self._through(below, total, A_SUM if first == A_STEP else first)
            self._through(s, carry, A_S)
            self._through(s, total, A_S_SUM)
            self._through(di, carry, A_DI)
            below, first = carry, A_STEP

    def _ff(self, cell):
        q, d, ce, r = cell
        self._begins(q, FF)
        self._ends(d, E_D, q)
        self._ends(ce, E_CE, q)
        self._ends(r, E_R, q)

    def _srl(self, cell):
        q, d, ce, *address = cell
        self._begins(q, OTHER)
        self._ends(d, E_SRL, q)
        self._ends(ce, E_LUTRAM, q)
        for net in address:
            self._through(net, q, A_READ)

    def _lutram(self, cell):
        outputs, addresses, written = cell
        middle = self._new()
        for net in addresses:
            self._through(net, middle, A_READ)
        for net in outputs:
            self._begins(net, OTHER)
            self._through(middle, net, A_PRODUCT)
        for net in written:
            self._ends(net, E_LUTRAM, outputs[-1] if outputs else 0)

    def _memory(self, cell, kind):
        outputs, *inputs = cell
        for net in outputs:
            self._begins(net, MEMORY if kind == "bram" else -MEMORY)
        for i, nets in enumerate(inputs):
            for net in nets:
                self._ends(net, E_MEMORY[kind] + i, outputs[0] if outputs else 0)

    def _bram(self, cell):
        self._memory(cell, "bram")

    def _uram(self, cell):
        self._memory(cell, "uram")

    def _dsp(self, cell):
        outputs, inputs = cell
        product = self._new()
        for net in inputs:
            self._through(net, product, A_DSP)
        for net in outputs:
            self._through(product, net, A_PRODUCT)


class Netlist:
    """Modules joined to one netlist with consecutive numbers of nets; 0 is a constant."""

    def __init__(self, parts, top):
        self.parts = parts
        self.source, self.sink, self.arc = array("i"), array("i"), array("b")
        self.end, self.end_kind, self.end_of = array("i"), array("b"), array("i")
        self.begin, self.begin_kind = array("i"), array("b")
        self.bases, self.places = [], []  # first net of each instance, and (its path, its module, its own nets)
        self.alias = {}
        self.nets = 0
        self._take(top, "", {})
        self._join()
        ports = parts[top].ports
        self.inputs = {self.net_of(0, net) for direction, nets in ports.values() if direction == "i" for net in nets if net}
        self.outputs = {self.net_of(0, net) for direction, nets in ports.values() if direction == "o" for net in nets if net}
        for net in sorted(self.outputs):
            self.end.append(net)
            self.end_kind.append(E_OUTPUT)
            self.end_of.append(net)

    def _take(self, module, path, outside):
        """Adds an instance; `outside`: its nets that are connected to the parent."""
        part = self.parts[module]
        base = self.nets
        self.nets += part.nets
        numbers = list(range(base, base + part.nets + 1))
        numbers[0] = 0
        for net, known in outside.items():
            numbers[net] = known
        self.bases.append(base + 1)
        self.places.append((path, module, outside))
        for mine, its in ((self.source, part.source), (self.sink, part.sink), (self.end, part.end), (self.end_of, part.end_of), (self.begin, part.begin)):
            mine.extend([numbers[net] for net in its])
        self.arc.extend(part.arc)
        self.end_kind.extend(part.end_kind)
        self.begin_kind.extend(part.begin_kind)
        for name, child, pins in part.instances:
            inside, seen = self.parts[child].ports, {}
            for port, nets in pins.items():
                direction, own = inside[port]
                for net, inner in zip(nets, own):
                    known = numbers[net]
                    if not inner:
                        continue  # the child ties it to a constant
                    if inner in seen:
                        self._same(seen[inner], known)
                    elif known or direction == "i":
                        seen[inner] = known
            self._take(child, f"{path}{name}.", seen)

    def _find(self, net):
        while net in self.alias:
            net = self.alias[net]
        return net

    def _same(self, one, other):
        one, other = self._find(one), self._find(other)
        if one and other and one != other:
            self.alias[max(one, other)] = min(one, other)

    def _join(self):
        if self.alias:
            for name in ("source", "sink", "end", "end_of", "begin"):
                setattr(self, name, array("i", [self._find(net) if net in self.alias else net for net in getattr(self, name)]))

    def net_of(self, instance, net):
        return self._find(self.places[instance][2].get(net, self.bases[instance] - 1 + net))

    def place_of(self, net):
        """Returns the number of the instance that owns the net."""
        return bisect.bisect_right(self.bases, net) - 1

    def name_of(self, net):
        """Returns the name of a net, with the path of instances, or None."""
        index = self.place_of(net)
        path, module, _ = self.places[index]
        name = self.parts[module].names.get(net - self.bases[index] + 1)
        return f"{path}{name}" if name else None


class Timing:
    """The arrival time of every net."""

    def __init__(self, netlist):
        self.netlist = netlist
        count = netlist.nets + 1
        self._loads(count)
        self._beginnings(count)
        self._arrivals(count)
        self._slowest()

    def _loads(self, count):
        n = self.netlist
        fanout, plain, self.driver = [0] * count, [0] * count, bytearray(count)
        for net, arc in zip(n.source, n.arc):
            if arc not in (A_S_SUM, A_DI, A_SUM, A_STEP, A_PRODUCT):  # a LUT in front of a carry chain is counted once
                fanout[net] += 1
        for net in n.end:
            fanout[net] += 1
        of = {A_LUT: LUT, A_SELECT: MUX, A_DATA: MUX, A_S: CARRY, A_DI: CARRY, A_STEP: CARRY, A_SUM: CARRY, A_S_SUM: CARRY, A_CYINIT: CARRY, A_READ: OTHER, A_DSP: DSP, A_PRODUCT: DSP}
        for net, arc in zip(n.sink, n.arc):
            self.driver[net] = of[arc]
        for net, kind in zip(n.begin, n.begin_kind):
            self.driver[net] = abs(kind)
        resets = {of for kind, of in zip(n.end_kind, n.end_of) if kind == E_R}
        for net, kind, of in zip(n.end, n.end_kind, n.end_of):
            if kind == E_D and of not in resets:
                plain[net] += 1
        #: Nets whose only readers are registers, which a memory or a DSP tile can contain.
        self.owned = bytearray(count)
        for net in range(1, count):
            self.owned[net] = fanout[net] == plain[net] > 0
        self.fanout = fanout
        known = {fanout: delays.wire(fanout) for fanout in set(fanout)}
        self.wire = [known[f] for f in fanout]

    def _beginnings(self, count):
        n = self.netlist
        self.arrival = array("d", [-1e9]) * count
        for net in n.inputs:
            self.arrival[net] = delays.REGISTER
        output = {FF: delays.REGISTER, OTHER: delays.SRL, MEMORY: delays.MEMORY["bram"][0], -MEMORY: delays.MEMORY["uram"][0]}
        large = set()
        for net, kind in zip(n.begin, n.begin_kind):
            self.arrival[net] = output[kind]
            if kind == -MEMORY:
                large.add(net)
        for net, kind, of in zip(n.end, n.end_kind, n.end_of):
            if kind == E_D and self.driver[net] == MEMORY and self.owned[net]:
                self.arrival[of] = delays.MEMORY["uram" if net in large else "bram"][1]
        self.arrival[0] = -1e9

    def _arrivals(self, count):
        """Computes arrival times in topological order."""
        n, arrival, wire, driver = self.netlist, self.arrival, self.wire, self.driver
        first, waits = array("i", [0]) * (count + 1), array("i", [0]) * count
        for source, sink in zip(n.source, n.sink):
            first[source + 1] += 1
            waits[sink] += 1
        for i in range(count):
            first[i + 1] += first[i]
        at, order = array("i", first), array("i", [0]) * len(n.source)
        for i, source in enumerate(n.source):
            order[at[source]] = i
            at[source] += 1
        self.before = array("i", [-1]) * count  # the arc that the latest signal came by
        ready = [net for net in range(1, count) if not waits[net]]
        done = 0
        while ready:
            net = ready.pop()
            done += 1
            now = arrival[net]
            for i in order[first[net]:first[net + 1]]:
                sink = n.sink[i]
                then = now + self.way(net, n.arc[i])
                if then > arrival[sink]:
                    arrival[sink] = then
                    self.before[sink] = i
                waits[sink] -= 1
                if not waits[sink]:
                    ready.append(sink)
        #: Number of nets on loops without a register, whose delays are meaningless.
        self.loops = count - 1 - done

    def way(self, net, arc):
        """Returns the delay of a net's wire and the cell behind it."""
        _, cell, wire = ARCS[arc]
        if wire == ROUTED:
            return self.wire[net] + cell
        if wire == CHAIN:
            return cell
        if wire == TO_CARRY:
            return delays.TO_CARRY + cell if self.driver[net] == LUT else self.wire[net] + delays.LUT + cell
        if wire == TO_MUX:
            return delays.TO_MUX + cell if self.driver[net] in (LUT, MUX) else self.wire[net] + delays.LUT + cell
        if self.driver[net] == FF:  # a register in front of a tile is the tile's own
            return delays.DSP_REGISTERED - delays.REGISTER - delays.CLOCK
        return self.wire[net] + delays.DSP_OPERAND

    def finish(self, index):
        """Returns the time at which the input of the end `index` is stable."""
        n = self.netlist
        net, kind = n.end[index], n.end_kind[index]
        if kind == E_D:
            driver = self.driver[net]
            if driver in (MEMORY, DSP) and self.owned[net]:
                return self.arrival[net] if driver == DSP else 0
            if driver in (LUT, MUX, CARRY) and self.fanout[net] == 1:
                return self.arrival[net] + delays.TO_REGISTER + delays.LOCAL_D
            return self.arrival[net] + self.wire[net] + delays.BYPASS
        return self.arrival[net] + self.wire[net] + ENDS[kind][1]

    def _slowest(self):
        self.finishes = array("d", map(self.finish, range(len(self.netlist.end))))

    def begin_of(self, net):
        """Returns the first net of the latest path to a net."""
        while self.before[net] >= 0:
            net = self.netlist.source[self.before[net]]
        return net

    def path(self, index):
        """Returns the nets of the path to an end, and the cells between."""
        nets, through = [self.netlist.end[index]], []
        while self.before[nets[-1]] >= 0:
            arc = self.before[nets[-1]]
            through.append(ARCS[self.netlist.arc[arc]][0])
            nets.append(self.netlist.source[arc])
        return nets[::-1], through[::-1]

    def levels(self, index):
        """Returns the number of cells of a path as in vendors' reports: eight bits of a carry chain are one."""
        total, run = 0, 0
        for name in [*self.path(index)[1], ""]:
            if name == "CARRY":
                run += 1
                continue
            total += -(-run // 8) + (name != "")
            run = 0
        return total

    def described(self, index):
        """Formats a path: its named nets, without the numbers of bits."""
        n = self.netlist
        nets, through = self.path(index)
        names = []
        for net in nets:
            name = re.sub(r"\[\d+\]$", "", n.name_of(net) or "")
            if name and name not in names[-1:]:
                names.append(name)
        last = re.sub(r"\[\d+\]$", "", n.name_of(n.end_of[index]) or "?")
        counts = Counter(through)
        cells = ", ".join(f"{count} {name}" for name, count in counts.items())
        return f"{' > '.join(dict.fromkeys(names))} > {last}.{ENDS[n.end_kind[index]][0]} ({cells or 'a wire'}, last fan-out {self.fanout[nets[-1]]})"


def clock(finish):
    """Returns the clock in MHz for a path of `finish` picoseconds."""
    return 1e6 / (max(finish, 0) + delays.CLOCK)


def joined(parts, top):
    """Returns the timing of modules by name, in the form of `cells.compact`, joined under the top."""
    gc.disable()  # many small lists without cycles
    timing = Timing(Netlist({name: Part(made) for name, made in parts.items()}, top))
    gc.enable()
    return timing


def timed(files, top, jobs=None, hollow=()):
    """Returns the timing of Verilog files under a module."""
    return joined(synthesis.synthesise_all(synthesis.Modules(files, hollow), top, jobs), top)


def depth(parts, top):
    """Returns the number of cells of the slowest path."""
    timing = joined(parts, top)
    return timing.levels(max(range(len(timing.finishes)), key=lambda i: timing.finishes[i]))


def worst(timing, owners):
    """Returns owner -> ends of its slowest paths, the slowest first, one for each pair of beginning and end; `owners` are names of instances, the
    shell is ""."""
    n, found, seen = timing.netlist, {}, set()
    place_owner = [next((owner for owner in owners if re.search(rf"(^|[._]){owner}\.", path)), "") for path, _, _ in n.places]
    for index in sorted(range(len(n.end)), key=lambda i: -timing.finishes[i]):
        if found and timing.finishes[index] < SHORTEST or len(found) > len(owners) and min(map(len, found.values())) == SHOWN:
            break
        end, begin = n.end_of[index], timing.begin_of(n.end[index])
        owner = place_owner[n.place_of(end)] or place_owner[n.place_of(begin)]
        pair = (owner, *(re.sub(r"\d+", "#", n.name_of(net) or "?") for net in (begin, end)))
        ways = found.setdefault(owner, [])
        if len(ways) < SHOWN and pair not in seen:
            seen.add(pair)
            ways.append(index)
    return found


def report(title, timing, ways):
    print(f"\n{title}: {clock(timing.finishes[ways[0]]):.0f} MHz")
    for index in ways:
        print(f"  {timing.finishes[index] + delays.CLOCK:6.0f} ps, {timing.levels(index)} levels: {timing.described(index)}")
    sys.stdout.flush()


def row(op, instance, config, timing, index):
    return {
        "op": op, "instance": instance, "config": config, "metric": "clock", "unit": "MHz", "value": round(clock(timing.finishes[index])),
        "levels": timing.levels(index), "path": timing.described(index), "published": None, "published_by": None, "kind": "estimated",
    }


def card(config, jobs, hollow=()):
    """Returns the rows of a card: each engine, and the shell; for a board's card, the top level around its shell."""
    folder = rtl.generate(config)
    manifest = rtl.manifest(folder)
    if board := synthesis.board(manifest):
        if hollow:
            raise Failed(f"--without: {config} is a board's, of which only the top is looked into")
        return top(config, board, folder, manifest, jobs)
    if unknown := set(hollow) - set(synthesis.Modules(rtl.verilog(folder)).text):
        raise Failed(f"--without: {config} has no module {', '.join(sorted(unknown))}")
    timing = timed(rtl.verilog(folder), manifest["top"], jobs, hollow)
    engines = {engine["instance"]: engine["op"] for engine in manifest["engines"]}

    rows = []
    for owner, ways in worst(timing, list(engines)).items():
        op, instance = (engines[owner], owner) if owner else ("shell", config)
        report(f"{op} {instance} ({config})", timing, ways)
        rows.append(row(op, instance, config, timing, ways[0]))
    return rows


def top(config, board, folder, manifest, jobs):
    """Returns the row of a board's top level."""
    timing = timed(rtl.verilog(folder), manifest["top"], jobs, {synthesis.SHELL})
    ways = worst(timing, [])[""]
    report(f"top {board} ({config})", timing, ways)
    return [row("top", board, config, timing, ways[0])]


def unit(config, jobs):
    """Returns the row of a stand-alone unit."""
    folder = rtl.generate(config)
    manifest = rtl.manifest(folder)
    timing = timed(rtl.verilog(folder), manifest["top"], jobs)
    ways = worst(timing, [])[""]
    report(config, timing, ways)
    return [row(manifest["unit"], manifest["instance"], config, timing, ways[0])]


def cli():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("configs", nargs="*", metavar="CONFIG", help="what to time; nothing: those of CARDS and all units")
    parser.add_argument("--out", type=Path, default=TARGET / "bench/timing.json", help="where the rows go")
    parser.add_argument("--jobs", type=int, help="modules that are synthesised at a time; nothing: one a processor")
    parser.add_argument("--without", action="append", default=[], metavar="MODULE", help="replace this module of cards by registers at its ports; no rows are written then")
    chosen = parser.parse_args()
    cards, units = rtl.synthesised(chosen.configs, CARDS + TOPS)
    rows = [row for config in cards for row in card(config, chosen.jobs, chosen.without)]
    if chosen.without:
        return
    rows += [row for config in units for row in unit(config, chosen.jobs)]
    write_whole(chosen.out, json.dumps(rows, indent=1) + "\n")
    print(f"\n{chosen.out}: {len(rows)} rows", file=sys.stderr)


if __name__ == "__main__":
    main(cli)

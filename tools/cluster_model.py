"""Computes the nodes, memory, network and cost of a number of proofs a day, and simulates the queue of such a cluster.

    python3 tools/cluster_model.py                            # prints all tables with the default assumptions
    python3 tools/cluster_model.py --proofs 1e7 --link 100    # the same with other ones
    python3 tools/cluster_model.py --fill                     # writes the tables and plots of docs/design/cluster_capacity.md
    python3 tools/cluster_model.py --check                    # fails when the page or a plot is not what this program makes

Times are kept rows of bench/results, and sizes are those of a key's plan. Everything else is a field of `Scenario`: an assumption with a default
and an argument. The output depends on the rows and the arguments only. The simulation is a program of simpy, which is installed into the user's
cache folder on first use.
"""

import argparse
import cmath
import heapq
import importlib
import math
import random
import re
import sys
import textwrap
from collections import deque
from dataclasses import dataclass, field, fields, replace
from functools import cache
from pathlib import Path

import plot
import report
from place import ROOT, Failed, main, write_whole
from setup import SIMULATION_PACKAGES, python_tool

PAGE, PLOTS = ROOT / "docs/design/cluster_capacity.md", ROOT / "docs/figures"
DAY, HOUR, SIZE = 86400, 3600, 2**20
#: Loads of the simulated fleets, as shares of their capacity, and the share of a run that is not counted.
LOADS, WARM_UP = (0.8, 0.95, 1.2), 0.1
#: Bytes in the plan of a BN254 key with 2^20 rows: `proofmill dev circuit chain --constraints 1048568 --out D`, then
#: `proofmill prove D/INSECURE.zkey --plan --json --threads 16`; `memory` includes the other two. Proofs as snarkjs writes them have less than 1 KiB.
PLAN = {"key": 494926695, "witness": 33554240, "memory": 783514047}
#: `memory` with `--threads 2`.
MEMORY_OF_TWO_THREADS = 730528191


def assumed(default, what):
    return field(default=default, metadata={"what": what})


@dataclass(frozen=True)
class Scenario:
    """Everything that is not measured."""
    proofs: float = assumed(1e6, "proofs a day, with 2^20 constraints each")
    target: float = assumed(0.8, "share of its capacity at which a fleet makes these proofs")
    cpu_price: tuple = assumed((0.4, 1.0), "price of an hour of a node with 16 threads, lowest and highest")
    gpu_price: tuple = assumed((2.0, 8.0), "the same with a GPU")
    fpga_price: tuple = assumed((1.0, 3.0), "the same with an FPGA card")
    drivers: int = assumed(4, "drivers, each of which sends one witness at a time")
    link: float = assumed(10.0, "Gbit/s of the link between a driver and the nodes, all of which a witness uses")
    copy: float = assumed(0.1, "seconds of a driver to read, hash and copy a witness before it is sent")
    dispatch: float = assumed(0.002, "seconds of a driver for each job besides, which include the check of the proof")
    jitter: float = assumed(0.05, "mean excess over the measured time of a proof, exponentially distributed")
    slow_share: float = assumed(0.05, "share of slow nodes, rounded up")
    slow_factor: float = assumed(2.0, "time of a proof on a slow node, compared with another")
    mtbf: float = assumed(4.0, "hours between two failures of a node, exponentially distributed")
    detect: float = assumed(30.0, "seconds until the driver submits a lost job again")
    repair: float = assumed(300.0, "seconds until a failed node works again, loading of the key included")
    errors: float = assumed(0.001, "share of attempts that end with an error")
    attempts: int = assumed(3, "attempts until a job has failed")
    inputs: float = assumed(10000.0, "bytes of a circuit's inputs, where nodes compute the witness")
    hours: float = assumed(0.75, "simulated hours")
    seed: int = assumed(57, "seed of the simulation")

    def send(self, size=PLAN["witness"]):
        """Returns the seconds of a driver for one job, whose witness or inputs have this size."""
        return size * 8 / (self.link * 1e9) + size / PLAN["witness"] * self.copy + self.dispatch


@dataclass(frozen=True)
class Fleet:
    name: str  # also the class of its lines in plots
    node: str
    seconds: float  # of one proof
    price: str  # a field of the scenario
    basis: str


# Measured rates


def row_of(figures, name, op, instance, metric, threads=None, peer=""):
    """Returns the newest kept row of these, and its date. `metric` is a pattern."""
    for content in figures.get(name, ()):
        for row in content["rows"]:
            if (row["op"], row["instance"]) == (op, instance) and re.fullmatch(metric, row["metric"]) and threads in (None, row.get("threads")) \
                    and str(row.get("peer_name")).startswith(peer):
                return row, content["date"]
    raise Failed(f"bench/results has no row `{metric}` of {op} {instance} in {name}")


class Rates:
    """Times of one proof and their parts, in seconds, and the rows of the table of inputs."""

    def __init__(self, figures):
        self.table = []

        def gpu(op, instance, metric, what, beside=False):
            """Returns the seconds on the GPU, and on the CPU if that is an input, too."""
            row, date = row_of(figures, "gpu", op, instance, metric, 16, "proofmill on cpu:")
            self.add(f"{what}, `cuda:`", f"{row['ours']:.1f} ms", f"`gpu`, {date}: {row['metric']}", re.sub(r" \([^)]*\)|\(R\)", "", row["processor"]))
            if not beside:
                return row["ours"] / 1e3
            self.add(f"{what}, `cpu:`", f"{row['peer']:,.1f} ms", "the same row, its peer", f"{row['peer_name'].removeprefix('proofmill on cpu:, ')}, of that host")
            return row["ours"] / 1e3, row["peer"] / 1e3

        def cycles(name, op, instance, metric, what, unit="cycles"):
            row, date = row_of(figures, name, op, instance, metric)
            self.add(what, f"{row['value']:,.6g} {unit}", f"`{name}`, {date}: {row['metric']}", f"`{row['config'].removesuffix('_twin')}`, {'estimate' if name == 'timing' else 'simulation'}")
            return row["value"]
        self.gpu, self.cpu = gpu("prove", "bn254", r"2\^20 constraints, key resident.*", "a proof of 2^20 constraints", True)
        g1 = gpu("msm", "bn254_g1", r"2\^20 points, uniform scalars from the host", "an MSM of 2^20 points in G1")
        g2, self.cpu_g2 = gpu("msm", "bn254_g2", r"2\^20 points, uniform scalars from the host", "an MSM of 2^20 points in G2", True)
        quotient = gpu("ntt", "bn254_fr", r"quotient of 2\^20, .*", "the quotient of 2^20 rows")
        self.host = self.gpu - 4 * g1 - g2 - quotient
        point = cycles("cycles-msm", "msm", "bn254_g1", "accumulation of a point, .* 1 adder", "a point of an MSM in G1")
        addition = cycles("cycles-msm", "msm", "bn254_g1", "tail for each addition .* 1 adder", "an addition of its tail")
        transform = cycles("cycles-ntt", "ntt", "bn254_fr", r"transform of 2\^20, 4 lanes, HBM", "a transform of 2^20")
        clock = cycles("timing", "top", "xdma", "clock", "clock of the card", "MHz") * 1e6
        self.card = 4 * (SIZE * point + 16 * 2**16 * addition) / clock
        self.quotient = (6 * transform + 3 * SIZE / 4) / clock
        self.fpga = max(self.card, self.cpu_g2 + self.host)
        self.two = [(plot.machine(content), row["ours"] / 1e3) for content in figures["prove"] for row in content["rows"]
                    if (row["instance"], row["threads"]) == ("bn254", 2) and re.fullmatch(r"2\^18 constraints, key resident, fastest peer", row["metric"])]

    def add(self, *row):
        self.table.append(row)

    def fleets(self):
        return [Fleet("cpu", "16 threads", self.cpu, "cpu_price", "measured"),
                Fleet("gpu", "H200, 16 threads", self.gpu, "gpu_price", "measured"),
                Fleet("fpga", "FPGA card, 16 threads", self.fpga, "fpga_price", "simulated cycles, estimated clock; no board was run")]


# Capacity


def speeds(scenario, nodes):
    """Returns the factor of a proof's time on each node."""
    slow = math.ceil(scenario.slow_share * nodes)
    return [scenario.slow_factor] * slow + [1.0] * (nodes - slow)


def capacity(scenario, seconds, nodes):
    """Returns the proofs per second of a fleet that always has work.

    A node lives for an exponential time of mean M and is repaired in R. An attempt takes S. A life contains 1/(e^(S/M) - 1) whole attempts on
    average, so a node ends that number of attempts per M + R, of which a share succeeds.
    """
    life = scenario.mtbf * HOUR

    def attempts(factor):
        one = seconds * factor * (1 + scenario.jitter)
        return 1 / one if math.isinf(life) else 1 / (math.expm1(one / life) * (life + scenario.repair))
    return (1 - scenario.errors) * sum(attempts(factor) for factor in speeds(scenario, nodes))


def nodes_for(scenario, seconds, proofs):
    """Returns the smallest fleet whose capacity has these proofs a day as its target load."""
    wanted = proofs / DAY / scenario.target
    nodes = max(1, int(wanted / capacity(scenario, seconds, 1000) * 1000) - 2)
    while capacity(scenario, seconds, nodes) < wanted:
        nodes += 1
    return nodes


def waiting_time(nodes, load, seconds):
    """Returns the mean wait in M/D/c, exactly: Poisson arrivals, equal service times, no failures.

    The number of jobs, observed once in each service time, is a queue that serves c per step. Its mean needs the c - 1 roots of
    z^c = e^(-m (1 - z)) inside the unit circle, m = c load (Janssen and van Leeuwaarden, "Analytic computation schemes for the discrete-time
    bulk service queue", Queueing Systems 50, 2005).
    """
    m = nodes * load
    total = m / (2 * (nodes - m)) + m / 2 - (nodes - 1) / 2
    for k in range(1, nodes):
        z, unit = 0, cmath.exp(2j * cmath.pi * k / nodes)
        for _ in range(2000):
            z = unit * cmath.exp(-load * (1 - z))
        total += (1 / (1 - z)).real
    return (total - m) / m * seconds


# Simulation


@cache
def simpy():
    """Returns the library of the simulation."""
    environment = python_tool("python", SIMULATION_PACKAGES).parent.parent
    sys.path.append(str(environment / f"lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"))
    return importlib.import_module("simpy")


class Job:
    """A job; `started` is the time of its first attempt."""
    __slots__ = ("submitted", "started", "ended", "attempts", "failed")

    def __init__(self, now):
        self.submitted, self.started, self.ended, self.attempts, self.failed = now, None, None, 0, False


class Run:
    """A simulated cluster, from empty.

    1. Arrive: jobs are Poisson. The driver that is free first sends the witness, then the job joins the end of the one queue.
    2. Start: a free node takes the first job.
    3. End: the attempt succeeds, or a share of attempts ends with an error.
    4. Fail: a node loses its job, and works again after its repair.
    5. Return: after an error, or when the loss is detected, a driver sends the job again and it joins the head of the queue. After its last attempt
       it has failed.
    """

    def __init__(self, scenario, seconds, nodes, rate):
        self.scenario, self.seconds, self.rate, self.cost = scenario, seconds, rate, scenario.send()
        self.random, self.time = random.Random(scenario.seed), simpy().Environment()
        self.jobs, self.waiting, self.idle, self.samples = [], deque(), deque(), []
        self.drivers, self.sent, self.node_failures, self.returned = [0.0] * scenario.drivers, 0, 0, 0
        self.time.process(self.arrive())
        self.time.process(self.sample())
        for factor in speeds(scenario, nodes):
            node = self.time.process(self.node(factor))
            if math.isfinite(scenario.mtbf):
                self.time.process(self.fail(node))
        self.time.run(scenario.hours * HOUR)

    def arrive(self):
        while True:
            yield self.time.timeout(self.random.expovariate(self.rate))
            self.jobs.append(Job(self.time.now))
            self.send(self.jobs[-1], self.waiting.append)

    def send(self, job, join):
        """Sends a job from the driver that is free first. `join` adds it to the queue."""
        def arrived(_):
            self.sent -= 1
            join(job)
            if self.idle:
                self.idle.popleft().succeed()
        now = self.time.now
        done = max(now, heapq.heappop(self.drivers)) + self.cost
        heapq.heappush(self.drivers, done)
        self.sent += 1
        self.time.timeout(done - now).callbacks.append(arrived)

    def sample(self):
        """Records the jobs that wait for a driver or a node every five seconds."""
        while True:
            self.samples.append(self.sent + len(self.waiting))
            yield self.time.timeout(5)

    def node(self, factor):
        free = job = None
        while True:
            try:
                while not self.waiting:
                    free = self.time.event()
                    self.idle.append(free)
                    yield free
                job = self.waiting.popleft()
                yield self.time.timeout(self.attempt(job, factor))
                self.end(job)
                job = None
            except simpy().Interrupt:
                if free in self.idle:
                    self.idle.remove(free)
                if job:
                    self.time.process(self.lose(job))
                job = None
                if self.idle and self.waiting:  # this node was about to take a job
                    self.idle.popleft().succeed()
                yield self.time.timeout(self.scenario.repair)

    def attempt(self, job, factor):
        """Starts an attempt and returns its duration."""
        job.attempts += 1
        if job.started is None:
            job.started = self.time.now
        excess = self.random.expovariate(1 / self.scenario.jitter) if self.scenario.jitter else 0
        return self.seconds * factor * (1 + excess)

    def end(self, job):
        if self.random.random() < self.scenario.errors:
            self.return_job(job)
        else:
            job.ended = self.time.now

    def fail(self, node):
        while True:
            yield self.time.timeout(self.random.expovariate(1 / (self.scenario.mtbf * HOUR)))
            self.node_failures += 1
            node.interrupt()
            yield self.time.timeout(self.scenario.repair)

    def lose(self, job):
        yield self.time.timeout(self.scenario.detect)
        self.return_job(job)

    def return_job(self, job):
        if job.attempts >= self.scenario.attempts:
            job.failed, job.ended = True, self.time.now
            return
        self.returned += 1
        self.send(job, self.waiting.appendleft)

    # Results of the time after the warm-up

    def counted(self):
        return [job for job in self.jobs if job.submitted >= WARM_UP * self.time.now]

    def mean_wait(self):
        waits = [job.started - job.submitted for job in self.counted() if job.started is not None]
        return sum(waits) / len(waits)

    def times(self):
        """Returns the sorted times from submission to proof."""
        return sorted(job.ended - job.submitted for job in self.counted() if job.ended is not None and not job.failed)

    def growth(self):
        """Returns the waiting jobs that are added per second."""
        begin = int(WARM_UP * len(self.samples))
        return (self.samples[-1] - self.samples[begin]) / (5 * (len(self.samples) - 1 - begin))


@cache
def runs(scenario, fleet):
    """Returns load -> run of the fleet that the scenario needs."""
    nodes = nodes_for(scenario, fleet.seconds, scenario.proofs)
    return {load: Run(scenario, fleet.seconds, nodes, load * capacity(scenario, fleet.seconds, nodes)) for load in LOADS}


# Tables


def markdown(head, rows):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *("| " + " | ".join(map(str, row)) + " |" for row in rows)]) + "\n"


def span(prices, scale, digits=0):
    return " to ".join(f"{price * scale:,.{digits}f}" for price in prices)


def text(value):
    return " to ".join(f"{part:g}" for part in value) if isinstance(value, tuple) else f"{value:,g}"


def seconds(value):
    return f"{value:,.3g}" if value < 1000 else f"{value:,.0f}"


def answers(scenario, rates):
    """Returns the list at the head of the page."""
    cpu, gpu, fpga = rates.fleets()
    count = {fleet: nodes_for(scenario, fleet.seconds, scenario.proofs) for fleet in (cpu, gpu, fpga)}
    others = [nodes_for(scenario, time / 2, scenario.proofs) for _, time in rates.two]
    rate, mib = scenario.proofs / DAY, 2**20
    points = [
        f"**CPU**: {rate:.1f} proofs a second need {count[cpu]} nodes with one proof at a time on 16 threads, as measured. With eight workers of two threads "
        f"on a node it would be {min(others)} to {max(others)} nodes, by the processor; that is extrapolated from smaller proofs.",
        f"**GPU**: {count[gpu]} nodes with one H200 each. They cost less than the CPU nodes if an hour of one costs less than {cpu.seconds / gpu.seconds:.1f} times "
        "an hour of the other.",
        f"**FPGA card**: {count[fpga]} nodes, on paper: simulated cycles and an estimated clock; no board was run. The host beside the card sets the rate "
        f"({1e3 * (rates.cpu_g2 + rates.host):.0f} ms a proof), not the card ({1e3 * rates.card:.0f} ms).",
        f"**Network and memory**: {PLAN['witness'] / mib:.0f} MiB to a node for each proof, {rate * PLAN['witness'] * 8 / 1e9:.1f} Gbit/s in all; "
        f"{PLAN['memory'] / mib:.0f} MiB of memory for a worker.",
        f"**The driver is the first limit.** One driver sends {DAY / scenario.send() / 1e6:.2f} million witnesses a day. If nodes compute the witnesses, it sends "
        f"the inputs of {DAY / scenario.send(scenario.inputs) / 1e6:.0f} million.",
        "**A small fleet needs a spare node.** " + "; ".join(f"a fleet of {nodes} that loses one has {f'{100 * scenario.target * nodes / (nodes - 1):.0f} % load' if nodes > 1 else 'none left'}"
                                                             for nodes in (count[cpu], count[gpu])) + "."]
    return "\n".join(textwrap.fill(f"- {point}", 118, subsequent_indent="  ", break_on_hyphens=False) for point in points) + "\n"


def inputs(scenario, rates):
    return markdown(("quantity, BN254", "value", "kept rows", "machine"), rates.table)


def assumptions(scenario, rates):
    return markdown(("assumption", "default", "argument"), [(one.metadata["what"], text(getattr(scenario, one.name)), f"`--{one.name.replace('_', '-')}`") for one in fields(Scenario)])


def parts(scenario, rates):
    return markdown(("part of a proof on an FPGA card", "ms", "computed from"), [
        ("four MSMs in G1, on the card", f"{rates.card * 1e3:.0f}", "4 (2^20 points + 16 windows × 2^16 additions) at the clock"),
        ("quotient, on the card beside them", f"{rates.quotient * 1e3:.0f}", "six transforms and 3/4 · 2^20 cycles at the clock"),
        ("MSM in G2, on the host", f"{rates.cpu_g2 * 1e3:.0f}", "its row"),
        ("other work of the host", f"{rates.host * 1e3:.0f}", "the proof on the GPU less its MSMs and quotient"),
        ("a proof, if the card and the host work on two proofs", f"{rates.fpga * 1e3:.0f}", "the larger of card and host")])


def fleets(scenario, rates):
    rows = []
    for fleet in rates.fleets():
        nodes = nodes_for(scenario, fleet.seconds, scenario.proofs)
        price = getattr(scenario, fleet.price)
        rows.append((fleet.name, fleet.node, f"{fleet.seconds * 1e3:,.0f}", f"{capacity(scenario, fleet.seconds, 1000) * DAY / 1000:,.0f}",
                     f"{fleet.seconds * scenario.proofs / DAY:,.1f}", nodes, span(price, 24 * nodes), span(price, 24e3 * nodes / scenario.proofs, 3),
                     f"{rates.cpu / fleet.seconds:.2f}", fleet.basis))
    return markdown(("fleet", "node", "ms a proof", "proofs a day and node", "days on one node, without failures", "nodes", "price a day", "price of 1,000 proofs",
                     "break-even price of an hour, cpu = 1", "basis"), rows)


def workers(scenario, rates):
    rows = [("16 threads, as measured", "", f"{rates.cpu * 1e3:,.0f}", f"{16 * rates.cpu:.1f}", f"{1 / rates.cpu:.2f}", nodes_for(scenario, rates.cpu, scenario.proofs))]
    for machine, time in rates.two:
        large = 4 * time
        rows.append((machine, f"{time * 1e3:,.0f}", f"{large * 1e3:,.0f}", f"{2 * large:.1f}", f"{8 / large:.2f}", nodes_for(scenario, large / 8, scenario.proofs)))
    return markdown(("machine, two threads a worker", "ms, 2^18, measured", "ms, 2^20, extrapolated", "thread seconds a proof", "proofs a second and node", "nodes"), rows)


def amounts(scenario, rates):
    mib, shared = 2**20, PLAN["key"]
    rate = scenario.proofs / DAY
    return markdown(("amount", "value"), [
        ("witness, driver to node, for each proof", f"{PLAN['witness'] / mib:.0f} MiB"),
        ("proof and public inputs, node to driver", "under 1 KiB"),
        ("all witnesses", f"{rate * PLAN['witness'] * 8 / 1e9:.2f} Gbit/s, {rate * scenario.send():.2f} drivers"),
        ("key, once for each start of a node", f"{shared / mib:.0f} MiB"),
        (f"keys of 1,000 nodes from one place, over {scenario.link:g} Gbit/s", f"{1000 * shared * 8 / (scenario.link * 1e9) / 60:.1f} minutes"),
        ("memory of a node, one worker with 16 threads", f"{PLAN['memory'] / mib:.0f} MiB"),
        ("memory of a node, eight workers with two threads, which share the mapped key", f"{(shared + 8 * (MEMORY_OF_TWO_THREADS - shared)) / mib:,.0f} MiB")])


def queue(scenario, rates):
    rows = []
    for fleet in rates.fleets()[:2]:
        nodes = nodes_for(scenario, fleet.seconds, scenario.proofs)
        power = capacity(scenario, fleet.seconds, nodes)
        for load, run in runs(scenario, fleet).items():
            times = run.times()
            ended = sum(job.ended is not None and not job.failed for job in run.jobs)
            exact = seconds(waiting_time(nodes, load, nodes / power) + scenario.send()) if load < 1 else "grows"
            rows.append((f"{fleet.name}, {nodes}", f"{100 * load:.0f} %", f"{len(run.jobs):,}", f"{ended:,}", sum(job.failed for job in run.jobs), f"{run.returned:,}", run.node_failures,
                         seconds(run.mean_wait()), exact, *(seconds(times[int(share * len(times))]) for share in (0.5, 0.99)), f"{max(run.samples):,}",
                         f"{round(run.growth(), 2) + 0.0:.2f}", f"{max(0, run.rate - power):.2f}"))
    return markdown(("fleet, nodes", "load", "jobs", "proofs", "failed", "returned", "node failures", "mean wait, s", "transfer and M/D/c", "median time, s", "99 %, s",
                     "longest queue", "growth a second", "the same, computed"), rows)


def limits(scenario, rates):
    rows = [(f"a driver that sends witnesses over {link:g} Gbit/s", f"{DAY / replace(scenario, link=link).send() / 1e6:,.2f}") for link in (1, 10, 25, 100)]
    rows.append((f"the same without copies, over {scenario.link:g} Gbit/s", f"{DAY / replace(scenario, copy=0).send() / 1e6:,.2f}"))
    rows.append((f"a driver that sends inputs of {scenario.inputs:,.0f} bytes", f"{DAY / scenario.send(scenario.inputs) / 1e6:,.0f}"))
    rows += [(f"1,000 nodes, {fleet.name}", f"{capacity(scenario, fleet.seconds, 1000) * scenario.target * DAY / 1e6:,.0f}") for fleet in rates.fleets()]
    return markdown(("limit", "million proofs a day"), rows)


TABLES = [answers, inputs, assumptions, parts, fleets, workers, amounts, queue, limits]


# Plots


@dataclass(frozen=True)
class Axis:
    low: float
    high: float
    ticks: tuple  # pairs of a value and its label
    logarithmic: bool = True

    def at(self, value):
        """Returns the position of a value, 0 to 1."""
        value = min(max(value, self.low), self.high)
        return math.log(value / self.low) / math.log(self.high / self.low) if self.logarithmic else (value - self.low) / (self.high - self.low)


def powers(low, high):
    """Returns the axis from 10^low to 10^high."""
    return Axis(10.0**low, 10.0**high, tuple((10.0**power, f'10<tspan dy="-4" font-size="9">{power}</tspan>' if high > 5 else f"{10.0**power:,g}") for power in range(low, high + 1)))


#: Name of a line -> its colours on light and on dark pages.
COLOURS = {"cpu": plot.COLOURS["gnark"], "gpu": plot.COLOURS["blst"], "fpga": plot.COLOURS["arkworks"],
           "load80": plot.COLOURS["blst"], "load95": plot.COLOURS["gnark"], "load120": plot.COLOURS["proofmill"], "limit": ("#8a94a6", "#7d879a")}


def panel(title, lines, x, y, first):
    """Draws one pair of axes with its lines; only the first of a row has numbers on the left."""
    drawn = [f'<text class="title" y="-8">{title}</text>']
    for value, label in x.ticks:
        across = plot.WIDTH * x.at(value)
        drawn += [f'<line class="grid" x1="{across:.1f}" x2="{across:.1f}" y1="0" y2="{plot.HEIGHT}"/>', f'<text class="middle" x="{across:.1f}" y="{plot.HEIGHT + 16}">{label}</text>']
    for value, label in y.ticks:
        down = plot.HEIGHT * (1 - y.at(value))
        drawn += [f'<line class="grid" x1="0" x2="{plot.WIDTH}" y1="{down:.1f}" y2="{down:.1f}"/>'] + [f'<text class="end" x="-6" y="{down + 4:.1f}">{label}</text>'] * first
    for name, line in lines:
        points = " L".join(f"{plot.WIDTH * x.at(across):.1f} {plot.HEIGHT * (1 - y.at(value)):.1f}" for across, value in line)
        drawn.append(f'<path class="{name}" d="M{points}"/>')
    return "\n".join(drawn)


def drawing(what, axes, labels, panels):
    """Returns a whole SVG. `labels`: pairs of a line's name and its text; `panels`: titles, lines and axes."""
    rules = [" ".join(f"path.{name} {{ stroke: {COLOURS[name][i]} }} text.{name} {{ fill: {COLOURS[name][i]} }}" for name, _ in labels) for i in (0, 1)]
    drawn, right = [f"<style>{rules[0]} @media (prefers-color-scheme: dark) {{ {rules[1]} }}</style>"], plot.LEFT
    for name, label in labels:
        drawn.append(f'<text class="{name} title" x="{right}" y="38">{label}</text>')
        right += 8 * len(label) + 20
    for across, (title, lines, x, y) in enumerate(panels):
        drawn.append(f'<g transform="translate({plot.LEFT + across * (plot.WIDTH + plot.GAP)} {plot.TOP})">\n{panel(title, lines, x, y, across == 0)}\n</g>')
    width = max(plot.LEFT + len(panels) * (plot.WIDTH + plot.GAP), right, 6.6 * len(axes))
    return plot.document(what, axes, round(width), plot.TOP + plot.HEIGHT + 30, [], drawn)


LOAD_LABELS = [(f"load{100 * load:.0f}", f"load {100 * load:.0f} %") for load in LOADS]


def simulated(scenario, rates, line, x, y):
    """Returns a panel for each simulated fleet."""
    def lines(fleet):
        return [(name, line(run)) for (name, _), run in zip(LOAD_LABELS, runs(scenario, fleet).values())]
    return [(f"{fleet.name}: {nodes_for(scenario, fleet.seconds, scenario.proofs)} nodes", lines(fleet), x, y) for fleet in rates.fleets()[:2]]


def queue_plot(scenario, rates):
    def line(run):
        means = [sum(run.samples[at:at + 12]) / 12 for at in range(0, len(run.samples) - 11, 12)]
        return [(minute + 0.5, mean) for minute, mean in enumerate(means)]
    minutes = scenario.hours * 60
    x = Axis(0, minutes, tuple((minutes * part / 3, f"{minutes * part / 3:g}") for part in range(4)), False)
    axes = "waiting jobs, mean of a minute, over the simulated minutes (0.1 also where fewer wait)"
    return drawing("Queue of a cluster", axes, LOAD_LABELS, simulated(scenario, rates, line, x, powers(-1, 5)))


def time_plot(scenario, rates):
    def line(run):
        times = run.times()
        return [(times[min(len(times) - 1, int((1 - 10**-(part / 20)) * len(times)))], 10**-(part / 20)) for part in range(61)]
    axes = "share of proofs that take longer than a number of seconds from submission"
    return drawing("Time to a proof", axes, LOAD_LABELS, simulated(scenario, rates, line, powers(-1, 3), powers(-3, 0)))


def scale_plot(scenario, rates):
    x, y = powers(5, 9), powers(0, 5)
    lines = [(fleet.name, [(10 ** (part / 10), nodes_for(scenario, fleet.seconds, 10 ** (part / 10))) for part in range(50, 91)]) for fleet in rates.fleets()]
    lines += [("limit", [(DAY / driver, y.low), (DAY / driver, y.high)]) for driver in (scenario.send(), scenario.send(scenario.inputs))]
    labels = [(fleet.name, fleet.name) for fleet in rates.fleets()] + [("limit", "one driver: witnesses, inputs")]
    return drawing("Nodes of a cluster", "nodes over proofs a day", labels, [("2^20 constraints, BN254", lines, x, y)])


DRAWINGS = {"cluster_queue": queue_plot, "cluster_times": time_plot, "cluster_scale": scale_plot}


# The page


def filled(page, tables):
    """Returns the page's text with its marked places replaced."""
    def fill(found):
        if found[1] not in tables:
            raise Failed(f"no table is called {found[1]}; there are {', '.join(tables)}")
        return f"<!-- cluster {found[1]} -->\n{tables[found[1]]}<!-- end -->"
    return re.sub(r"<!-- cluster (\w+) -->\n.*?<!-- end -->", fill, page, flags=re.S)


def shown(scenario, rates):
    """Returns path -> text of the page and of its plots."""
    tables = {table.__name__: table(scenario, rates) for table in TABLES}
    return {PAGE: filled(PAGE.read_text(), tables)} | {PLOTS / f"{name}.svg": draw(scenario, rates) for name, draw in DRAWINGS.items()}


def cli():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fill", action="store_true", help="the page and its plots, with the default assumptions")
    parser.add_argument("--check", action="store_true", help="fails when the page or a plot differs from what this program makes")
    for one in fields(Scenario):
        several = isinstance(one.default, tuple)
        parser.add_argument(f"--{one.name.replace('_', '-')}", type=float if several else type(one.default), nargs=2 if several else None, default=one.default, help=one.metadata["what"])
    chosen = parser.parse_args()
    values = {one.name: getattr(chosen, one.name) for one in fields(Scenario)}
    scenario = Scenario(**{name: tuple(value) if isinstance(value, list) else value for name, value in values.items()})
    rates = Rates(report.newest())
    if not (chosen.fill or chosen.check):
        for table in TABLES:
            print(f"## {table.__name__}\n\n{table(scenario, rates)}")
        return
    if scenario != Scenario():
        raise Failed("the page shows the default assumptions: --fill and --check take no others")
    for path, content in shown(scenario, rates).items():
        if chosen.fill:
            write_whole(path, content)
        elif not path.exists() or path.read_text() != content:
            raise Failed(f"{path.relative_to(ROOT)} is not what tools/cluster_model.py makes: run it with --fill")


if __name__ == "__main__":
    main(cli)

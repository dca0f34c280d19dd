"""What the tops of boards add to a card: cycles of a request's way, and of each 64 bytes that pass.

`python3 rtl/sim/top_cycles.py` (`make cycles OP=top`) measures the toy cards bare, on a serial line, behind a bridge for PCIe and behind F2's shell; rows go to
target/bench/cycles-top.json. Cycles are the engines' (300 MHz; the bridge has 250, the memory 325), on the serial line the line's (8 to a bit). The host
takes no time, nor does PCIe; on F2 a ring has four slots, where a real card has 64. It fails where a top takes more than `MOST`.
"""

import json
import sys

from card import IGNORE, REPLY, ROOT, STATUS, Card, header
from f2_card import F2
from serial_card import SerialCard
from test_xdma import BEAT, DONE, READ, WRITE, Xdma, ask

ROWS = ROOT / "target/bench/cycles-top.json"
TOYS = {"bare": "toy", "uart": "uart_toy", "xdma": "xdma_toy", "f2": "f2_toy"}
DOORS = {"xdma": "xdma_msm_toy", "f2": "f2_msm_toy"}
TRIP, REGISTER, WORDS, WRITES, READS = (
    "STATUS: from its first byte to its reply's last", "a register's read", "64 bytes of packets to the card", "64 bytes to the memory, by the door",
    "64 bytes from the memory, by the door")
#: Cycles at most, by metric and top.
MOST = {
    TRIP: {"bare": 12, "xdma": 24, "f2": 70}, REGISTER: {"bare": 5, "xdma": 18, "f2": 20}, WORDS: {"bare": 8.1, "xdma": 9.8, "f2": 9.9},
    WRITES: {"xdma": 1.4, "f2": 1.6}, READS: {"xdma": 1.6, "f2": 1.9},
}


def library(name):
    return ROOT / f"target/sim/{name}.so"


def cycles(card):
    return card.lib.pm_sim_cycles(card.sim)


def timed(card, work):
    begin = cycles(card)
    work()
    return cycles(card) - begin


def trip(card):
    def one():
        card.send(header(8, STATUS))
        assert card.recv()[:8] == header(37, REPLY | STATUS)
    return min(timed(card, one) for _ in range(16))


def register(card):
    return min(timed(card, lambda: card.read(0x0800)) for _ in range(16))


def words(card, packets=16, length=8192):
    def stream():
        for _ in range(packets):
            card.send(header(length, 0xFE) + bytes(length - 8))
        for _ in range(packets):
            assert card.recv()[:8] == header(16, IGNORE)
    return timed(card, stream) / (packets * length / BEAT)


def transfers_of(card, kind, transfers=16, beats=512):
    def stream():
        for i in range(transfers):
            card.transfer(ask(kind, i, 0, i * beats * BEAT, beats) + bytes(beats * BEAT if kind == WRITE else 0))
        for _ in range(transfers):
            assert card.answer()[0][7] == DONE
    return timed(card, stream) / (transfers * beats)


def on_the_line():
    """Cycles of a byte, and what STATUS takes beyond its bytes and those of its reply."""
    with SerialCard(library(TOYS["uart"])) as card:
        card.pause()
        card.bytes()
        byte, begin = 10 * card.bit, card.cycles()
        card.send(header(8, STATUS))
        reply = b""
        while len(reply) < 37:
            card.run(2000, until_byte=True)
            reply += card.take()
        assert reply[:8] == header(37, REPLY | STATUS)
        return byte, card.cycles() - begin - byte * (8 + 37)


def opened(top, name):
    card = {"bare": Card, "xdma": Xdma, "f2": F2}[top](library(name))
    if top == "f2":
        card.open(1)
        card.freeing = card.slots
    return card


def measure():
    found = {}
    for top in ("bare", "xdma", "f2"):
        for metric, count in ((TRIP, trip), (REGISTER, register), (WORDS, words)):
            with opened(top, TOYS[top]) as card:
                found[metric, top] = count(card)
        if top in DOORS:
            for metric, kind in ((WRITES, WRITE), (READS, READ)):
                with opened(top, DOORS[top]) as card:
                    found[metric, top] = transfers_of(card, kind)
    byte, beyond = on_the_line()
    found["a byte on the line", "uart"] = byte
    found["STATUS, beyond its bytes and its reply's", "uart"] = beyond
    return found


def main():
    found = measure()
    rows = [
        {"op": "top", "instance": top, "config": TOYS[top] if metric in (TRIP, REGISTER, WORDS) or top == "uart" else DOORS[top], "metric": metric, "unit": "cycles",
         "value": round(value, 2), "bare card": round(found[metric, "bare"], 2) if (metric, "bare") in found else None, "published": None, "published_by": None,
         "kind": "measured"}
        for (metric, top), value in found.items() if top != "bare"
    ]
    for row in rows:
        bare = "" if row["bare card"] is None else f"   bare card {row['bare card']:g}"
        print(f"{row['instance']:6}{row['config']:14}{row['metric']:52}{row['value']:9g}{bare}")
    ROWS.parent.mkdir(parents=True, exist_ok=True)
    ROWS.write_text(json.dumps(rows, indent=1) + "\n")
    slow = [f"{top}: {metric}: {value:.2f} cycles" for (metric, top), value in found.items() if value > MOST.get(metric, {}).get(top, value)]
    print("\n".join(slow) or "within their limits")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())

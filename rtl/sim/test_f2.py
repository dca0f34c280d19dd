"""A card behind the shell of AWS F2, in Verilator: three clocks, a model of the shell that holds the card to its rules, and hosts that die.

`python3 rtl/sim/test_f2.py [--seconds N] [--seed N] [CHECK ...]` drives the card `f2_msm_toy` (`make sim` makes it) and checks:

  packets, transfers, refusals, memory, silent   as test_xdma.py does, through the rings
  engine     requests of the MSM engine: writes, sums, errors
  registers  always respond; those of a card that is in reset or hangs, with an error and all ones
  rings      full in both directions, and invalid descriptors
  numbers    of pages go round, in both directions of both streams: beyond 2^16 from 60 seconds on
  hosts      die at any moment, with stores on their way; the next one finds rings of its own, and the memory that it closed stays unchanged
  shell      reset at any moment, and with a host's memory that is not mapped, or a PCIM that hangs: a fault, and an end
"""

import os
import struct

import test_xdma
from card import IGNORE, ROOT, STATUS, header, status_of
from f2_card import DESCRIPTOR, DOOR, F2, PACKETS, PAGE, ROOM, STATE, place, register
from msm_toys import Toy
from test_xdma import BRIDGE, CHANNELS, DONE, GRANULE, READ, SLAVE_ERROR, begun

CARD_CLOCK = 3
UNMAPPED = 0xBEEF
ONES = 0xFFFFFFFF
SHARES = [0, 0, 60, 180]


def opened():
    card = F2(os.environ.get("PROOFMILL_F2") or ROOT / "target/sim/f2_msm_toy.so")
    card.open(1)
    return card


def engine(make, rng, seconds):
    with make() as card:
        toy = Toy(card, rng)
        for name in ("refusals", "order", "faults"):
            getattr(toy, name)()
        card.check()
    return f"{toy.kinds['run']} sums"


def registers(make, rng, seconds):
    with make() as card:
        always = ("magic", "layout", "slots", "state")
        values = [card.read_always(name) for name in always]
        for address in (0x10000 + 0x3C, 0x20000, 0x3FFFFFC, 0xFFFFFFFC, 0x20800, 0x1000C + (1 << 17)):
            card.write(address, ONES)
            assert card.read(address) == UNMAPPED, hex(address)
        for name in ("magic", "layout", "slots", "state"):
            card.write(register(name), ONES)
        assert [card.read_always(name) for name in always] == values
        assert card.try_read(0x0800) == (0, 0x4C4D5250)
        # Closed: the card's registers answer, but no page passes.
        card.send(header(8, STATUS))
        status_of(card.recv())
        card.close()
        card.await_state(STATE["down"])
        assert card.try_read(0x0800) == (0, 0x4C4D5250)
        # In reset.
        for session in (2, 3, 4):
            card.write(register("session"), session)
            assert card.state() & STATE["resetting"]
            assert card.try_read(0x0800) == (SLAVE_ERROR, ONES)
            assert card.lib.pm_sim_reg_write(card.sim, 0x080C, 1, 1000) == SLAVE_ERROR
            assert card.read_always("session") == session and card.read_always("taken") == session << 16
            card.await_state(STATE["resetting"] | STATE["down"])
            assert card.read(0x080C) == 0 and card.try_read(0x0800) == (0, 0x4C4D5250)
        # Its clock stands still.
        card.reset(CARD_CLOCK, 20_000)
        assert card.try_read(0x0800) == (SLAVE_ERROR, ONES) and card.try_read(0x0800) == (SLAVE_ERROR, ONES)
        assert card.read_always("magic") == values[0]
        card.run(25_000)
        assert card.try_read(0x0800) == (SLAVE_ERROR, ONES), "only a session ends it"
        card.open(5)
        card.works(rng)
    return "always answered"


def short(card, stream):
    """The state that requests a page of this stream, and the state that waits for it."""
    if stream == PACKETS:
        return lambda: card.send(header(8, STATUS)), lambda *cycles: (reply := card.recv(*cycles)) and (status_of(reply), reply)
    return lambda: card.transfer(test_xdma.ask(READ, 1, CHANNELS, 0, 1)), lambda *cycles: card.answer(*cycles)


def rings(make, rng, seconds):
    with make() as card:
        # A host that frees nothing: so many replies, and no more; then all.
        for stream in (PACKETS, DOOR):
            ask, answer = short(card, stream)
            card.free(stream)
            card.freeing = 1 << 30
            for _ in range(3 * card.slots):
                ask()
            for _ in range(card.slots):
                assert answer()
            assert answer(5000) is None, "a page without a slot"
            card.write(register("freed", stream), 7 << 16 | card.streams[stream].read)  # of another session
            card.write(register("freed", stream), card.session << 16 | card.streams[stream].read + 1)  # that is not written yet
            assert answer(5000) is None, "a page without a slot"
            for _ in range(2):
                card.free(stream)
                for _ in range(card.slots):
                    assert answer()
            card.free(stream)
            card.freeing = 2
            card.works(rng)

        # The other way: the card takes no more of a packet than there is room for, and PCIS goes on.
        card.freeing = 1 << 30
        many = 40 * card.slots
        for _ in range(many):
            card.send(header(8, STATUS))
        card.run(20_000)
        assert card.lib.pm_sim_pcis_pending(card.sim) == 0
        card.freeing = 1
        card.free(PACKETS)
        for _ in range(many):
            status_of(card.recv())

        # Nonsense, each dropped and told of, and the page behind it taken.
        for session, (size, last) in enumerate([(0, 1), (0, 0), (PAGE + 1, 1), (65535, 0), (100, 0), (8, 0)], start=2):
            card.open(session)
            assert not card.state() & STATE["refused"]
            card.describe(PACKETS, 0, size, last)
            card.streams[PACKETS].sent = 1
            card.send(header(8, STATUS))
            status_of(card.recv())
            assert card.state() & STATE["refused"] and card.read_always("taken") == session << 16 | 2
        # A number that is not due, another session, half a descriptor, and places where nothing is.
        card.describe(PACKETS, 7, 8, 1)
        card.store(place("descriptors", PACKETS, 2), struct.pack(DESCRIPTOR, card.session + 1, 2, 8, 1))
        assert card.recv(3000) is None
        card.store(place("descriptors", PACKETS, 2), struct.pack("<HHH", card.session, 2, 8))
        for offset in (ROOM["bytes"] - 64, place("descriptors", PACKETS, card.slots), place("descriptors", 2, 0), place("pages", PACKETS, card.slots), place("pages", 2, 0)):
            card.store(offset, rng.randbytes(64))
        assert card.recv(3000) is None
        card.works(rng)

        # A session that there has been before finds empty slots.
        for session, count in [(20, card.slots), (21, 1), (20, 1)]:
            card.open(session)
            for _ in range(count):
                card.send(header(8, STATUS))
                status_of(card.recv())
            assert card.recv(1000) is None, "a page of an older session"
    return f"{many} replies waited for"


def numbers(make, rng, seconds):
    pages = min(66_000, max(3000, int(1100 * seconds)))
    with make() as card:
        card.freeing = 3
        ways = [short(card, stream) for stream in (PACKETS, DOOR)]
        for _ in range(0, pages, card.slots):
            for ask, _ in ways * card.slots:
                ask()
            for _, answer in ways * card.slots:
                assert answer() is not None
        read = [it.read for it in card.streams]
        for stream, count in enumerate(read):
            assert card.read_always("taken", stream) == card.session << 16 | count % 65536
            card.free(stream)
            assert card.read_always("freed", stream) == card.session << 16 | count % 65536
        card.works(rng)
    return f"{' and '.join(map(str, read))} pages each way"


def hosts(make, rng, seconds):
    lives = max(24, int(8 * seconds))
    late, used = 0, {0, 1}
    with make() as card:
        for life in range(lives):
            card.freeing = rng.choice([1, 2, card.slots])
            begun(card, rng)
            card.jitter(rng.getrandbits(32), rng.choice([0, 100, 200, 245]), rng.choice(SHARES))
            for _ in range(rng.randrange(4)):
                card.recv(rng.randrange(300))
            dead = [(it.sent, it.read) for it in card.streams]
            # Its last words: pages and descriptors for all slots, which arrive when the next one is there.
            for s in (PACKETS, DOOR):
                for number in range(dead[s][0], dead[s][0] + rng.randrange(card.slots + 1)):
                    card.put_page(s, number, header(64, 0xDEAD) * rng.choice([8, 64, 512]), 1)
            of_the_dead = card.session
            session = rng.choice([of_the_dead + 1, *(rng.randrange(1, 60000) for _ in range(2))])
            while session in used:
                session += 1
            used.add(session)
            card.open(session, cycles=20_000, pause=rng.choice([0, 0, 500]))
            late += card.lib.pm_sim_pcis_pending(card.sim) > 0
            for s in (PACKETS, DOOR):
                card.write(register("freed", s), of_the_dead << 16 | rng.randrange(card.slots + 1))

            # Late lines of data and descriptors, right where the new rings are being written.
            def between(stream, number):
                card.store(place("pages", stream, number % card.slots), rng.randbytes(64), session=of_the_dead)
                card.describe(stream, number + rng.randrange(2), 64, 1, session=of_the_dead)

            card.between = between
            # What this one says is answered, and nothing else.
            lengths = [rng.randrange(8, 3 * PAGE) for _ in range(2 * card.slots)]
            for length in lengths:
                card.send(header(length, 0xFE) + rng.randbytes(length - 8))
            for length in lengths:
                reply = card.recv()
                assert reply is not None and reply[:16] == header(16, IGNORE) + header(length, 0xFE), (life, reply)
            data = rng.randbytes(5 * GRANULE)
            assert card.put(life, 0, 0, data) == DONE and card.get(life, 0, 0, len(data) // 64) == (DONE, data)
            card.send(header(8, STATUS))
            status_of(card.recv())
            assert card.recv(500) is None and card.answer(500) is None, "an answer to nobody"
            card.jitter(1, 0, 0)
            card.between = lambda stream, number: None
        card.works(rng)
    assert late, "no host had stores on their way when the next one was there"
    return f"{lives} hosts, {late} of them with stores on their way"


def shell(make, rng, seconds):
    turns = max(10, int(3 * seconds))
    with make() as card:
        for _ in range(turns):
            begun(card, rng)
            card.jitter(1, 0, 0)
            card.reset(BRIDGE, rng.choice([5, 100]))
            card.run(120)
            assert card.read_always("session") == 0
            card.await_state(STATE["resetting"] | STATE["down"])
            card.open(1)  # which there may have been before the reset
            card.works(rng)
        # No room at its address.
        card.reach(False)
        card.send(header(8, STATUS))
        assert card.recv(5000) is None and card.state() & STATE["fault"]
        card.reach(True)
        card.send(header(8, STATUS))
        assert card.recv(5000) is None, "a page after one that was lost"
        card.open(100)
        assert not card.state() & STATE["fault"]
        card.works(rng)
        # PCIM takes nothing any more: an end, and faults, until the shell is reset.
        card.jitter(1, 0, 256)
        card.send(header(8, STATUS))
        card.run(1000)
        card.open(101, cycles=100_000)
        card.jitter(1, 0, 0)
        card.send(header(8, STATUS))
        assert card.recv(5000) is None and card.state() & STATE["fault"]
        card.reset(BRIDGE, 10)
        card.run(30)
        card.await_state(STATE["resetting"] | STATE["down"])
        card.open(1)
        card.works(rng)
    return f"{turns} resets"


if __name__ == "__main__":
    test_xdma.main(opened, __doc__, (test_xdma.packets, test_xdma.transfers, test_xdma.refusals, engine, registers, rings, numbers, hosts, test_xdma.memory, test_xdma.silent, shell))

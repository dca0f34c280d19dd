"""The card's mailbox: the register sequence of the published card's C++ client, and misuse of every register."""

from card import IGNORE, RESET, STATUS, WIRE, Card, header, keeps_of, status_of
from traffic import TOY, VERIFY, Ledger, verify


class Client:
    """The register accesses of the published card's C++ client (zcash_fpga.cpp), in its order."""

    def __init__(self, card):
        self.card, self.at = card, WIRE["mailbox"]
        assert self.peek("isr") == 0x01D00000
        self.poke("isr", 0xFFFFFFFF)
        assert self.peek("tdfv") == self.at["depth_words"] - 4
        assert self.peek("rdfo") == 0
        self.poke("ier", 0x0C000000)
        assert self.peek("axi4_mode") >> 31 == 0

    def peek(self, name):
        return self.card.read(self.at[name])

    def poke(self, name, value):
        self.card.write(self.at[name], value)

    def send(self, packet):
        assert self.peek("tdfv") >= len(packet), "no room"
        for i in range(0, len(packet), 4):
            self.poke("tdfd", int.from_bytes(packet[i : i + 4].ljust(4, b"\xa5"), "little"))
        self.poke("tlr", len(packet))
        self.card.run(250)
        assert self.peek("isr") >> 27 & 1, "transmit bit not set"
        self.poke("isr", 0x08000000)

    def recv(self):
        for _ in range(1000):
            if self.peek("isr") >> 26 & 1:
                break
        else:
            return None
        assert self.peek("rdfo") != 0, "ISR says there is a packet, RDFO that there is none"
        length = self.peek("rlr")
        data = b"".join(self.peek("rdfd").to_bytes(4, "little") for _ in range(0, length, 4))
        if self.peek("rdfo") == 0:
            self.poke("isr", 0x04000000)
        return data[:length]


def mailbox(cards, rng, count):
    with Card(cards["door"]) as card:
        client = Client(card)
        client.send(header(8, STATUS))
        assert status_of(client.recv()) == (1 << 32, False)
        assert client.peek("isr") == 0
        for turn in range(20):
            ledger, replies = Ledger([TOY]), []
            for i in range(rng.randrange(1, 8)):
                packet = rng.choice([verify(TOY, rng.getrandbits(64), rng), header(8, STATUS), rng.randbytes(rng.randrange(1, 100)), header(8, RESET)])
                ledger.sent(packet, keeps_of(packet))
                client.send(packet)
                if rng.random() < 0.3:
                    replies.append(client.recv())
            while (reply := client.recv()) is not None:
                replies.append(reply)
            ledger.check([r for r in replies if r is not None])

        # A packet longer than any engine's, up to what the registers say there is room for.
        client.send(header(1503, VERIFY) + rng.randbytes(1495))
        assert client.recv() == header(16, IGNORE) + header(1503, VERIFY)

        # Misuse: sizes that do not match, too many words, reads of nothing, random accesses.
        client.poke("tdfd", 1)
        client.poke("tlr", 8)
        assert client.peek("isr") == 1 << 25
        client.poke("isr", 1 << 25)
        assert client.peek("rlr") == client.peek("rdfd") == 0
        assert client.peek("isr") == 1 << 31 | 1 << 29
        for i in range(client.at["depth_words"] + 8):
            client.poke("tdfd", i)
        assert client.peek("tdfv") == 0 and client.peek("isr") >> 28 & 1
        client.poke("tlr", 0)
        assert client.peek("tdfv") == client.at["depth_words"] - 4
        names = [n for n in client.at if n != "depth_words"]
        for i in range(max(2000, count // 5)):
            if rng.random() < 0.6:
                client.poke(rng.choice(names), rng.choice([rng.getrandbits(32), rng.randrange(20), 4]))
            else:
                client.peek(rng.choice(names))

        def boxes_empty():
            return client.peek("rdfo") == 0 and client.peek("tdfv") == client.at["depth_words"] - 4

        client.poke("tlr", 0)
        for _ in range(client.at["depth_words"] + 2000):
            if boxes_empty():
                card.run(250)  # a packet may be between the boxes: it has left the one and its reply is not yet in the other
                if boxes_empty():
                    break
            client.peek("rdfd")
        client.poke("isr", 0xFFFFFFFF)
        client.send(header(8, STATUS))
        assert status_of(client.recv())[0] == 1 << 32
    return "client sequence, misuse, in sync at the end"

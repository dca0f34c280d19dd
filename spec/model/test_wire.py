"""The model of the command stream against published packets, and its one promise: one reply to every packet."""

import random
import unittest

import equihash_verify as equihash
import wire
from cases_ecdsa_verify import PUBLISHED
from cases_equihash_verify import CHAIN, random_bytes, stored
from msm_card import Geometry

IDENTITY = wire.Identity(0x010300, "20180311", "test")


def ignored(sent):
    return bytes.fromhex("1000000002000080") + sent[:8].ljust(8, b"\0")


class Shell(unittest.TestCase):
    def setUp(self):
        self.card = wire.Card(IDENTITY, ["200_9", "48_5"])

    def test_published_bytes(self):
        self.assertEqual(self.card.answer(bytes.fromhex("0800000000000000")).hex(), "0800000000000080")
        status = self.card.answer(bytes.fromhex("0800000001000000"))
        self.assertEqual(len(status), 37)
        self.assertEqual(status[:8].hex(), "2500000001000080")
        self.assertEqual(status[8:12].hex(), "00030100")
        self.assertEqual(status[12:20], b"11308102")
        self.assertEqual(status[20:28], b"tset\0\0\0\0")
        self.assertEqual(int.from_bytes(status[28:36], "little"), 1 | 1 << 32)
        self.assertEqual(status[36], 0)

    def test_texts_longer_than_their_field_are_refused(self):
        with self.assertRaisesRegex(ValueError, "more than 8"):
            wire.reversed_text("123456789")

    def test_equihash_on_the_wire(self):
        params = equihash.load_params("200_9")
        command = wire.equihash_command(params, 0xA, stored(CHAIN / "mainnet-346.hex"))
        self.assertEqual(command[:16].hex(), "df05000000010000" + "0a00000000000000")
        reply = bytes.fromhex("1100000000010080" + "0a00000000000000" + "00")
        self.assertEqual(self.card.answer(command), reply)
        self.assertEqual(self.card.answer(command + b"\x77"), reply)
        self.assertEqual(self.card.answer(command[:-1]), ignored(command))
        self.assertEqual(self.card.answer(command + bytes(9)), ignored(command))

    def test_ecdsa_on_the_wire(self):
        card = wire.Card(IDENTITY, ["secp256k1"])
        command = wire.ecdsa_command(0xA, PUBLISHED["tv1"])
        self.assertEqual((len(command), command[:16].hex()), (176, "b000000001010000" + "0a00000000000000"))
        self.assertEqual(card.answer(command).hex(), "1300000001010080" + "0a00000000000000" + "00" + "0000")
        self.assertEqual(card.answer(command[:-1] + b"\0")[16], 0x28)
        self.assertEqual(card.answer(command[:-1]), ignored(command))
        self.assertEqual(self.card.answer(command), ignored(command))
        self.assertEqual(card.answer(wire.packet(1))[28], 1 << 2)

    def test_poseidon_on_the_wire(self):
        card = wire.Card(IDENTITY, [wire.POSEIDON_INSTANCE])
        command = wire.poseidon_command(0xA, [3, 0, 1])
        self.assertEqual((len(command), command[:16].hex()), (112, "7000000000050000" + "0a00000000000000"))
        # neptune's digest of 0 and 1.
        digest = 0x396508D75E76A56B739E0FD902EFE161A6FBA9339D05A69D2E203C369A02E7FF
        reply = bytes.fromhex("3800000000050080" + "0a00000000000000" + "00" * 8) + digest.to_bytes(32, "little")
        self.assertEqual(card.answer(command), reply)
        p = wire.poseidon_card.instance(2).p
        refused = card.answer(wire.poseidon_command(0xA, [3, p, p]))
        self.assertEqual(refused, reply[:16] + bytes.fromhex("0100000001000000") + bytes(32))
        # The same by the strengthened instance, which has a number of its own.
        strengthened = card.answer(wire.poseidon_command(0xA, [3, 0, 1], "strengthened"))
        digest = wire.poseidon_card.poseidon.Instance(2, "strengthened").hash([0, 1])
        self.assertEqual(strengthened, bytes.fromhex("3800000004050080") + reply[8:24] + digest.to_bytes(32, "little"))
        self.assertEqual([wire.poseidon_card.command_len(arity) for arity in (4, 8, 11)], [176, 304, 400])
        self.assertEqual(card.answer(wire.poseidon_command(0, [1] * 4)), ignored(wire.poseidon_command(0, [1] * 4)))
        self.assertEqual(self.card.answer(command), ignored(command))
        self.assertEqual(card.answer(wire.packet(1))[28], 1 << 6)

    def test_layers_on_the_wire(self):
        """A tree of four leaves, the last of which is wrong at first."""
        card, model = wire.Card(IDENTITY, [wire.POSEIDON_INSTANCE]), wire.poseidon_card
        hashes = model.instance(2)

        def ask(name, **values):
            command = wire.layers_command(name, index=7, **values)
            self.assertEqual(len(command), model.OF_MEMORY[name]["len"])
            reply = card.answer(command)
            self.assertEqual(len(reply), model.OF_MEMORY[name]["reply_len"])
            return wire.fields_of(model.OF_MEMORY[name]["reply_fields"], reply)

        def layer(start, to, count, **other):
            told = ask("layer", **{"from": start, "to": to, "count": count, "arity": 2, "tag": 3} | other)
            return told["status"], told["element"], told["digest"]

        leaves = [1, 2, 3, hashes.p]
        for last in (hashes.p, 4):
            leaves[-1] = last
            data = b"".join(leaf.to_bytes(32, "little") for leaf in leaves).ljust(1024, b"\1")
            self.assertEqual(ask("write", address=1024, data=data)["status"], 0)
            if last == hashes.p:
                self.assertEqual(layer(1024, 2048, 2), (1, 5, 0))
        nodes = [hashes.hash(leaves[:2]), hashes.hash(leaves[2:])]
        self.assertEqual(layer(1024, 2048, 2), (0, 0, nodes[1]))
        self.assertEqual(ask("read", address=2048)["data"], b"".join(node.to_bytes(32, "little") for node in nodes) + bytes(960))
        self.assertEqual(layer(2048, 2048, 1), (0, 0, hashes.hash(nodes)))
        for wrong in ({"arity": 3}, {"count": 0}, {"count": (1 << 14) + 1}, {"count": 1 << 63}, {"from": 32}, {"to": 1 << 20}):
            self.assertEqual(layer(**{"start": wrong.pop("from", 0), "to": wrong.pop("to", 0), "count": wrong.pop("count", 1)}, **wrong)[0], 2)
        self.assertEqual(ask("read", address=1 << 20), {"index": 7, "status": 2, "element": 0, "data": bytes(1024)})

    def test_solving_on_the_wire(self):
        command = wire.solver_command("solve", 0xA, header=bytes(range(140)))
        self.assertEqual(command[:16], bytes.fromhex("9c000000000700000a00000000000000"))
        self.assertEqual(command[16:], bytes(range(140)))
        command = wire.solver_command("read", 0xA, number=3)
        self.assertEqual(command, bytes.fromhex("18000000010700000a000000000000000300000000000000"))
        self.assertEqual(wire.solver_command("read", 0xA, number=3, reserved=1)[20:], bytes.fromhex("01000000"))

    def test_squarings_on_the_wire(self):
        geometry = wire.vdf_card.Geometry(64)
        fields = {"index": 0xA, "position": 6, "reserved": 0, "constant": 0x0102}
        command = wire.vdf_command("load", geometry, **fields)
        self.assertEqual(command.hex(), "2000000000060000" + "0a00000000000000" + "0600000000000000" + "0201000000000000")
        self.assertEqual(wire.vdf_fields("load", command), fields)
        command = wire.vdf_command("square", geometry, index=0xA, squarings=5, resume=1, input=7)
        self.assertEqual(command.hex(), "2000000001060000" + "0a00000000000000" + "0500000001000000" + "0700000000000000")
        reply = wire.vdf_reply("square", geometry, {"index": 0xA, "status": 0, "state": 1 << 80})
        self.assertEqual(reply.hex(), "2800000001060080" + "0a00000000000000" + "00" * 8 + "00" * 10 + "0100" + "00" * 4)
        self.assertEqual(len(wire.vdf_reply("load", geometry, {"index": 0, "status": 2})), 24)

    def test_msm_on_the_wire(self):
        geometry = Geometry.of("toy")
        card = wire.Card(IDENTITY, [], msm=geometry)
        g = geometry.generator
        contents = [(0, geometry.slices(g)[0] * 16), (1, (5).to_bytes(32, "little") + bytes(992))]
        for channel, data in contents:
            command = wire.msm_command("write", index=0xB, address=2048, channel=channel, data=data)
            self.assertEqual((len(command), command[:24].hex()), (1048, "1804000000030000" + "0b00000000000000" + f"00080000000000{channel:02x}"))
            self.assertEqual(card.answer(command).hex(), "1100000000030080" + "0b00000000000000" + "00")
        command = wire.msm_command("run", index=0xC, points=2048, scalars=2048, count=16, window_bits=4)
        reply = card.answer(command)
        self.assertEqual((len(command), command[:8].hex(), reply[:16].hex()), (48, "3000000001030000", "3600000001030080" + "0c00000000000000"))
        self.assertEqual(geometry.sum_of(wire.msm_fields("run", reply, "reply_fields")["sum"]), geometry.law.mul(5, g))
        self.assertEqual(card.answer(wire.msm_command("cancel", index=1, target=0xC)).hex(), "1100000002030080" + "0100000000000000" + "01")
        self.assertEqual(card.answer(command[:-1]), ignored(command))
        self.assertEqual(self.card.answer(command), ignored(command))
        self.assertEqual(card.answer(wire.packet(1))[28:36], (1 << 33).to_bytes(8, "little"))
        with self.assertRaisesRegex(ValueError, "no field window"):
            wire.msm_command("run", window=4)

    def test_msm_in_g2_on_the_wire(self):
        geometry = Geometry.of("toy_bn", 2)
        card = wire.Card(IDENTITY, [], msm=geometry)
        self.assertEqual(card.answer(wire.packet(1))[28:36], (1 << 35).to_bytes(8, "little"))
        (x0, x1), (y0, y1) = geometry.generator
        point = bytes([x0, y0]).ljust(64, b"\0") + bytes([x1, y1]).ljust(64, b"\0")
        command = wire.msm_command("write", 2, channel=0, data=point.ljust(1024, b"\0"))
        self.assertEqual((command[:8].hex(), card.answer(command)[:8].hex()), ("1804000010030000", "1100000010030080"))
        card.answer(wire.msm_command("write", 2, channel=1, data=(1).to_bytes(32, "little").ljust(1024, b"\0")))
        reply = card.answer(wire.msm_command("run", 2, index=0xC, count=8, window_bits=4))
        self.assertEqual(reply[:8].hex(), "3c00000011030080")
        in_g1 = wire.msm_command("run", index=0xC, count=8, window_bits=4)
        self.assertEqual(card.answer(in_g1), ignored(in_g1))
        digits = b"".join(digit.to_bytes(geometry.digit_bytes, "little") for digit in (x0, x1, y0, y1, 1, 0))
        self.assertEqual(wire.msm_fields("run", reply, "reply_fields")["sum"], digits)

    def test_reset_restores_the_registers(self):
        params = equihash.load_params("200_9")
        command = wire.equihash_command(params, 1, stored(CHAIN / "mainnet-346.hex"))
        self.card.personalisation = b"NoSuchPo"
        self.assertEqual(self.card.answer(command)[16], 0x0A)
        self.card.answer(wire.packet(0))
        self.assertEqual(self.card.answer(command)[16], 0)

    def test_malformed_packets_are_ignored_with_their_header(self):
        for sent in (b"\x01", b"\x08\0\0\0\x01\0\0", bytes(8), bytes.fromhex("ffffffffff00ffff"),
                     wire.packet(0, length=9), wire.packet(1) + b"\0", wire.packet(0x101, bytes(168))):
            self.assertEqual(self.card.answer(sent), ignored(sent))

    def test_one_reply_to_every_random_packet(self):
        rng = random.Random(1)
        for _ in range(2000):
            sent = wire.packet(rng.choice((0, 1, 2, 0x100, 0x101, 0x80000001)), random_bytes(rng.random(), rng.randrange(300)),
                               rng.choice((None, 8, 9, 193, rng.getrandbits(32))))[:rng.randrange(1, 320)]
            reply = self.card.answer(sent)
            self.assertEqual(int.from_bytes(reply[:4], "little"), len(reply))
            self.assertIn(reply[7], (0x80,))
            if reply[4] == 2 and reply[5] == 0:
                self.assertEqual(reply, ignored(sent))


if __name__ == "__main__":
    unittest.main()

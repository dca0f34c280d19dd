"""The command stream: what a card answers to a packet, whatever the packet is.

Every packet gets exactly one reply. A packet is executed if its length field and the number of
received bytes agree with its command; its last 64-bit word may be padded. Everything else is answered
with `ignore`, which echoes the first eight bytes (those that are missing as zero), and does nothing.

The model answers at once; a card answers commands to different engines in any order.
"""

import tomllib
from dataclasses import dataclass

import ecdsa_verify as ecdsa
import equihash_solve_card
import equihash_verify as equihash
import msm_card
import poseidon_card
import vdf_card

SHELL = tomllib.loads((equihash.SPEC / "wire/shell.toml").read_text())
EQUIHASH = equihash.WIRE["command"]
HEADER = SHELL["header"]
ECDSA_INSTANCE = ecdsa.SECP256K1.name
POSEIDON_INSTANCE = poseidon_card.poseidon.FACTS["name"]


@dataclass(frozen=True)
class Identity:
    """The status reply's fields of a build; the texts have at most 8 ASCII characters."""

    version: int
    build_date: str
    build_host: str


def word(value, count):
    return value.to_bytes(count, "little")


def packet(command, body=b"", length=None):
    """A packet with its header: the length of the whole, then the number."""
    length = HEADER["bytes"] + len(body) if length is None else length
    return word(length, HEADER["len"]["bytes"]) + word(command, HEADER["cmd"]["bytes"]) + body


def ignore(received):
    echo = received[:HEADER["bytes"]].ljust(HEADER["bytes"], b"\0")
    return packet(SHELL["replies"]["ignore"]["number"], echo)


def reversed_text(text):
    """Eight characters, the last one first; a shorter text is followed by zeros."""
    if len(text) > 8:
        raise ValueError(f"text: {text!r} has more than 8 characters")
    return text.encode("ascii")[::-1].ljust(8, b"\0")


def solver_command(name, index, **values):
    """A command of the engine equihash_solve; `header` is bytes, other values are integers."""
    command = equihash_solve_card.COMMANDS[name]
    fields = {"index": index, "reserved": 0, **values}
    parts = (fields[it["name"]] for it in command["fields"])
    body = (part if isinstance(part, bytes) else word(part, it["bytes"]) for part, it in zip(parts, command["fields"]))
    return packet(command["number"], b"".join(body))


def vdf_command(name, geometry, **values):
    """A command of the engine vdf: `geometry` determines its length."""
    fields = vdf_card.COMMANDS[name]["fields"]
    sizes = {field["name"]: field.get("bytes", geometry.bits // 8) for field in fields}
    return packet(vdf_card.COMMANDS[name]["number"], b"".join(word(values[field], size) for field, size in sizes.items()))


def vdf_fields(name, command):
    """The fields of a command of the engine vdf."""
    def value(field):
        end = field["offset"] + field["bytes"] if "bytes" in field else len(command)
        return int.from_bytes(command[field["offset"]:end], "little")
    return {field["name"]: value(field) for field in vdf_card.COMMANDS[name]["fields"]}


def vdf_reply(name, geometry, values):
    """The reply of the engine vdf with these fields."""
    fields = vdf_card.COMMANDS[name]["reply_fields"]
    body = (word(values[field["name"]], field.get("bytes", 8 * geometry.state_words)) for field in fields)
    return packet(vdf_card.COMMANDS[name]["reply"], b"".join(body))


def framed(received, length):
    """Returns whether the length field is `length` and so many bytes were received, or padded to a multiple of 8."""
    field = HEADER["len"]
    said = int.from_bytes(received[field["offset"]:field["offset"] + field["bytes"]], "little")
    return said == length and len(received) in (length, -(-length // 8) * 8)


class Card:
    """A card with some engines, named by their instances: Equihash's such as "200_9", the ECDSA engine by its curve, the one of Poseidon,
    which has all arities of Filecoin and both strengths, by its hash.

    `msm` is the geometry of its MSM engine, if it has one.
    """

    def __init__(self, identity, engines, msm=None):
        self.identity = identity
        self.verifies_ecdsa = ECDSA_INSTANCE in engines
        self.hashes_poseidon = POSEIDON_INSTANCE in engines
        self.engines = [equihash.load_params(name) for name in engines if name not in (ECDSA_INSTANCE, POSEIDON_INSTANCE)]
        self.msm = msm and msm_card.Engine(msm)
        self.layers = poseidon_card.Engine()
        self.reset()

    def reset(self):
        """The registers that change what an engine answers, as after power-up."""
        registers = {register["name"]: register for register in equihash.WIRE["block"]["registers"]}
        self.personalisation = registers["personalisation"]["reset"].encode()
        self.pow_limit = equihash.POW_LIMIT[registers["pow_limit"]["reset"]]

    def answer(self, received):
        """The reply to one packet of at least one byte."""
        if not received:
            raise ValueError("received: 0 bytes, a packet has at least 1")
        field = HEADER["cmd"]
        number = int.from_bytes(received[field["offset"]:field["offset"] + field["bytes"]], "little")
        commands = SHELL["commands"]
        if number == commands["reset"]["number"] and framed(received, commands["reset"]["len"]):
            self.reset()
            return packet(commands["reset"]["reply"])
        if number == commands["status"]["number"] and framed(received, commands["status"]["len"]):
            return self.status()
        for params in self.engines:
            if number == EQUIHASH["number"] and framed(received, command_len(params)):
                return self.verify_equihash(params, received)
        if self.verifies_ecdsa and number == ecdsa.COMMAND["number"] and framed(received, ecdsa.COMMAND["len"]):
            return self.verify_ecdsa(received)
        for arity in poseidon_card.ARITIES if self.hashes_poseidon else ():
            if number in {it["number"] for it in poseidon_card.HASHES.values()} and framed(received, poseidon_card.command_len(arity)):
                return poseidon_reply(received)
        for name, command in poseidon_card.OF_MEMORY.items() if self.hashes_poseidon else ():
            if number == command["number"] and framed(received, command["len"]):
                return layers_reply(name, getattr(self.layers, name)(fields_of(command["fields"], received)))
        for name, command in self.msm.geometry.commands.items() if self.msm else ():
            if number == command["number"] and framed(received, command["len"]):
                return msm_reply(name, getattr(self.msm, name)(msm_fields(name, received)), self.msm.geometry.group)
        return ignore(received)

    def status(self):
        capabilities = sum(1 << SHELL["capabilities"][params.name] for params in self.engines)
        capabilities += self.verifies_ecdsa << SHELL["capabilities"][f"ecdsa_{ECDSA_INSTANCE}"]
        capabilities += self.hashes_poseidon << SHELL["capabilities"]["poseidon"]
        capabilities += 1 << SHELL["capabilities"][self.msm.geometry.capability] if self.msm else 0
        body = word(self.identity.version, 4)
        body += reversed_text(self.identity.build_date) + reversed_text(self.identity.build_host)
        body += word(capabilities, 8) + word(0, 1)
        return packet(SHELL["commands"]["status"]["reply"], body)

    def verify_equihash(self, params, received):
        index = received[8:16]
        header = received[16:command_len(params)]
        mask = equihash.verify(params, header, self.personalisation, self.pow_limit)
        return packet(EQUIHASH["reply"], index + word(mask, 1))

    def verify_ecdsa(self, received):
        """A model has no clock: its count of cycles is 0."""
        mask = ecdsa.verify(ecdsa.Signature.from_bytes(received[16:ecdsa.COMMAND["len"]]))
        return packet(ecdsa.COMMAND["reply"], received[8:16] + word(mask, 1) + word(0, 2))


def command_len(params):
    """Length of the command for a parameter set: packet header, index, block header."""
    return HEADER["bytes"] + 8 + params.total_bytes


def equihash_command(params, index, header):
    """Returns the command for a header's verdict, without padding."""
    if len(header) != params.total_bytes:
        raise ValueError(f"header: {len(header)} bytes, expected {params.total_bytes} for {params.name}")
    return packet(EQUIHASH["number"], word(index, 8) + header)


def ecdsa_command(index, signature):
    """Returns the command for a signature's verdict; its length is a multiple of a word."""
    return packet(ecdsa.COMMAND["number"], word(index, 8) + signature.to_bytes())


def poseidon_command(index, state, strength="standard"):
    """Returns the command for the hash of a state of integers below 2^256, its tag first; its length is a multiple of a word."""
    return packet(poseidon_card.HASHES[strength]["number"], word(index, 8) + b"".join(word(value, poseidon_card.ELEMENT) for value in state))


def poseidon_reply(command):
    """The reply to a whole command."""
    asked = int.from_bytes(command[4:8], "little")
    strength = next(strength for strength, it in poseidon_card.HASHES.items() if it["number"] == asked)
    told = poseidon_card.answer(int.from_bytes(command[8:16], "little"), command[16:], strength)
    fields = poseidon_card.COMMAND["reply_fields"]
    return packet(poseidon_card.HASHES[strength]["reply"], b"".join(word(told[field["name"]], field["bytes"]) for field in fields))


def layers_command(name, **values):
    """A command of `poseidon`'s memory, as `msm_command`."""
    return command_of(poseidon_card.OF_MEMORY, name, values)


def layers_reply(name, values):
    """Its reply from its fields."""
    return reply_of(poseidon_card.OF_MEMORY, name, values)


def msm_command(name, group=1, **values):
    """A command of `msm` in a group: its fields by name, `data` as bytes and the others as integers; those that are not named are 0."""
    return command_of(msm_card.commands(group), name, values)


def msm_fields(name, received, part="fields"):
    """The inverse; with "reply_fields" the fields of a reply, whose sum has no length of its own and takes the rest."""
    return fields_of(msm_card.WIRE["commands"][name][part], received)


def msm_reply(name, values, group=1):
    """A reply of `msm` in a group from its fields."""
    return reply_of(msm_card.commands(group), name, values)


def command_of(commands, name, values):
    fields = {field["name"]: field["bytes"] for field in commands[name]["fields"]}
    if unknown := values.keys() - fields:
        raise ValueError(f"{name}: no field {', '.join(sorted(unknown))}")
    values = {field: values.get(field, 0) for field in fields}
    return packet(commands[name]["number"], b"".join(
        value if isinstance(value, bytes) else word(value, fields[field]) for field, value in values.items()))


def fields_of(fields, received):
    """By name: `data` and `sum` as bytes, the others as integers; a field without a length takes the rest."""
    found = {}
    for field in fields:
        data = received[field["offset"]:field["offset"] + field["bytes"]] if "bytes" in field else received[field["offset"]:]
        found[field["name"]] = data if field["name"] in ("data", "sum") else int.from_bytes(data, "little")
    return found


def reply_of(commands, name, values):
    sizes = {field["name"]: field.get("bytes") for field in commands[name]["reply_fields"]}
    return packet(commands[name]["reply"], b"".join(
        values[field] if isinstance(values[field], bytes) else word(values[field], size) for field, size in sizes.items()))

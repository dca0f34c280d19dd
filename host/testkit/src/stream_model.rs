//! The required reaction of a card to any packet: the rules of `spec/wire/shell.toml` as one function. It is the slow,
//! obvious reference for the shell's parser.

use proofmill_card::wire::constants::shell::commands::{reset, status};
use proofmill_card::wire::constants::{ecdsa_verify, equihash_verify, msm, ntt, poseidon};
use proofmill_card::wire::{Header, INDEX_OFFSET, msm_number, u64_at};
use proofmill_op::Capability;
use proofmill_op::poseidon::ELEMENT_BYTES;

use crate::soft_card::poseidon::ARITIES;

/// The required reaction to a packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// A reset.
    Reset,
    /// A status reply.
    Status,
    /// A reply from an engine.
    Engine {
        /// The engine.
        engine: Capability,
        /// The index to echo.
        index: u64,
        /// The command after its index.
        body: Vec<u8>,
    },
    /// An ignore with these eight bytes: the packet's first ones, zeros where it has none.
    Ignore([u8; Header::BYTES]),
}

/// Offset of a command's body, after header and index, for every engine.
pub const BODY: usize = INDEX_OFFSET as usize + size_of::<u64>();

/// Returns number and length of an engine's commands; of Poseidon with all arities of Filecoin and both strengths.
pub fn commands_of(engine: &Capability) -> Vec<Header> {
    use msm::commands::{cancel, run, write};
    let commands = match engine {
        Capability::EquihashVerify(params) => {
            vec![(equihash_verify::command::NUMBER, (BODY + params.header_bytes()) as u32)]
        }
        Capability::EcdsaVerify => {
            vec![(ecdsa_verify::command::NUMBER, ecdsa_verify::command::LEN)]
        }
        Capability::Msm(instance) => {
            let commands = [
                (write::NUMBER, write::LEN),
                (run::NUMBER, run::LEN),
                (cancel::NUMBER, cancel::LEN),
            ];
            commands.map(|(number, len)| (msm_number(number, instance.group), len)).into()
        }
        Capability::Ntt(_) => {
            use ntt::commands::{read, run, write};
            vec![(write::NUMBER, write::LEN), (run::NUMBER, run::LEN), (read::NUMBER, read::LEN)]
        }
        Capability::Poseidon(_) => {
            use poseidon::commands::{layer, read, write};
            let hashes = [poseidon::command::NUMBER, poseidon::strengthened::NUMBER]
                .into_iter()
                .flat_map(|number| {
                    let len =
                        |arity| poseidon::command::BARE_LEN + ((arity + 1) * ELEMENT_BYTES) as u32;
                    ARITIES.map(|arity| (number, len(arity)))
                });
            let of_memory = [
                (write::NUMBER, write::LEN),
                (layer::NUMBER, layer::LEN),
                (read::NUMBER, read::LEN),
            ];
            hashes.chain(of_memory).collect()
        }
        other => panic!("{other}: the wire has no such engine"),
    };
    commands.into_iter().map(|(cmd, len)| Header { len, cmd }).collect()
}

/// Returns the reaction of a card with these engines to `packet`, which has at least one byte. A packet is executed if
/// its command is known, its length is that of the command, and it ends there or at the next multiple of eight, but not
/// between the two.
pub fn reaction(engines: &[Capability], packet: &[u8]) -> Reaction {
    let mut echo = [0; Header::BYTES];
    let known = packet.len().min(Header::BYTES);
    echo[..known].copy_from_slice(&packet[..known]);
    let Some(header) = Header::of(packet) else { return Reaction::Ignore(echo) };

    let len = header.len as usize;
    if packet.len() != len && packet.len() != len.next_multiple_of(8) {
        return Reaction::Ignore(echo);
    }
    match header {
        Header { cmd: reset::NUMBER, len: reset::LEN } => Reaction::Reset,
        Header { cmd: status::NUMBER, len: status::LEN } => Reaction::Status,
        _ => match engines.iter().find(|engine| commands_of(engine).contains(&header)) {
            Some(engine) => Reaction::Engine {
                engine: engine.clone(),
                index: u64_at(packet, INDEX_OFFSET).unwrap_or_default(),
                body: packet[BODY..len].to_vec(),
            },
            None => Reaction::Ignore(echo),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofmill_card::wire::{bare, ecdsa_verify, equihash_verify};
    use proofmill_op::equihash_verify::Params;

    const TOY: [Capability; 1] = [Capability::EquihashVerify(Params::N48_K5)];

    #[test]
    fn whole_and_padded_commands_are_executed() {
        let body = vec![9; Params::N48_K5.header_bytes()];
        let mut packet = equihash_verify(5, &body);
        let wanted = Reaction::Engine { engine: TOY[0].clone(), index: 5, body };
        assert_eq!(reaction(&TOY, &packet), wanted);
        packet.resize(packet.len().next_multiple_of(8), 0xee);
        assert_eq!(reaction(&TOY, &packet), wanted);
        let (engine, body) = (Capability::EcdsaVerify, vec![7; 160]);
        let engines = [&TOY[..], std::slice::from_ref(&engine)].concat();
        let packet = ecdsa_verify(6, &body);
        assert_eq!(reaction(&engines, &packet), Reaction::Engine { engine, index: 6, body });
        assert_eq!(reaction(&TOY, &bare(0)), Reaction::Reset);
        assert_eq!(reaction(&TOY, &bare(1)), Reaction::Status);
    }

    #[test]
    fn everything_else_is_ignored_with_its_header() {
        let packet = equihash_verify(5, &vec![9; Params::N48_K5.header_bytes()]);
        let echo = packet[..8].try_into().unwrap();
        assert_eq!(reaction(&TOY, &packet[..packet.len() - 1]), Reaction::Ignore(echo));
        let other = [Capability::EquihashVerify(Params::N200_K9), Capability::EcdsaVerify];
        assert_eq!(reaction(&other, &packet), Reaction::Ignore(echo));
        assert_eq!(
            reaction(&TOY, &[&packet[..], &[0]].concat()),
            Reaction::Ignore(echo),
            "half padded"
        );
        let long = [&packet[..], &[0; 8]].concat();
        assert_eq!(reaction(&TOY, &long), Reaction::Ignore(echo));
        assert_eq!(reaction(&TOY, &[1, 2]), Reaction::Ignore([1, 2, 0, 0, 0, 0, 0, 0]));
        assert_eq!(reaction(&TOY, &bare(2)), Reaction::Ignore(bare(2)));
        assert_eq!(reaction(&TOY, &[0xff; 64]), Reaction::Ignore([0xff; 8]));
    }
}

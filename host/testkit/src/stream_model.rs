//! What a card must do with any packet whatsoever: the rules of `spec/wire/shell.toml` as one function. The slow,
//! obvious twin of the shell's parser.

use proofmill_card::wire::constants::equihash_verify::command as equihash;
use proofmill_card::wire::constants::shell::commands::{reset, status};
use proofmill_card::wire::{Header, u64_at};
use proofmill_op::equihash_verify::Params;

/// What a packet asks of a card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// A reset.
    Reset,
    /// A status reply.
    Status,
    /// An answer from the engine of these parameters.
    EquihashVerify {
        /// The engine.
        params: Params,
        /// To be echoed.
        index: u64,
        /// To be verified.
        header: Vec<u8>,
    },
    /// An ignore with these eight bytes: the packet's first ones, zeros where it has none.
    Ignore([u8; Header::BYTES]),
}

/// What a card with these engines does with `packet`, which has at least one byte. A packet is executed when its
/// command is known, its length is that of the command, and it ends there or at the next multiple of eight, not
/// anywhere between the two.
pub fn reaction(engines: &[Params], packet: &[u8]) -> Reaction {
    let mut echo = [0; Header::BYTES];
    let known = packet.len().min(Header::BYTES);
    echo[..known].copy_from_slice(&packet[..known]);
    let Some(header) = Header::of(packet) else { return Reaction::Ignore(echo) };

    let len = header.len as usize;
    if packet.len() != len && packet.len() != len.next_multiple_of(8) {
        return Reaction::Ignore(echo);
    }
    let body = &packet[..len];
    let at = equihash::fields::header::OFFSET as usize;
    let engine = engines.iter().find(|params| at + params.header_bytes() == len);
    match (header.cmd, engine) {
        (reset::NUMBER, _) if header.len == reset::LEN => Reaction::Reset,
        (status::NUMBER, _) if header.len == status::LEN => Reaction::Status,
        (equihash::NUMBER, Some(&params)) => {
            let index = u64_at(body, equihash::fields::index::OFFSET).unwrap_or_default();
            Reaction::EquihashVerify { params, index, header: body[at..].to_vec() }
        }
        _ => Reaction::Ignore(echo),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofmill_card::wire::{bare, equihash_verify};

    const TOY: [Params; 1] = [Params::N48_K5];

    #[test]
    fn whole_and_padded_commands_are_executed() {
        let header = vec![9; Params::N48_K5.header_bytes()];
        let mut packet = equihash_verify(5, &header);
        let wanted = Reaction::EquihashVerify { params: Params::N48_K5, index: 5, header };
        assert_eq!(reaction(&TOY, &packet), wanted);
        packet.resize(packet.len().next_multiple_of(8), 0xee);
        assert_eq!(reaction(&TOY, &packet), wanted);
        assert_eq!(reaction(&TOY, &bare(0)), Reaction::Reset);
        assert_eq!(reaction(&TOY, &bare(1)), Reaction::Status);
    }

    #[test]
    fn everything_else_is_ignored_with_its_header() {
        let packet = equihash_verify(5, &vec![9; Params::N48_K5.header_bytes()]);
        let echo = packet[..8].try_into().unwrap();
        assert_eq!(reaction(&TOY, &packet[..packet.len() - 1]), Reaction::Ignore(echo));
        assert_eq!(reaction(&[Params::N200_K9], &packet), Reaction::Ignore(echo));
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

//! The wire of `spec/wire`: constants generated at build time, and the layouts of packets.

use proofmill_op::equihash_solve::HEADER_BYTES;
use proofmill_op::msm::Group;
use proofmill_op::poseidon::Strength;

use constants::shell;

/// One module a file of `spec/wire`, one constant a number in it.
#[allow(missing_docs)]
pub mod constants {
    include!(concat!(env!("OUT_DIR"), "/wire.rs"));
}

/// The first eight bytes of every packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Header {
    /// Bytes of the whole packet, this header included.
    pub len: u32,
    /// The number of the command or of the reply.
    pub cmd: u32,
}

impl Header {
    /// The header's size in bytes.
    pub const BYTES: usize = shell::header::BYTES as usize;

    /// Returns its bytes on the wire.
    pub fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        put(&mut bytes, shell::header::len::OFFSET, &self.len.to_le_bytes());
        put(&mut bytes, shell::header::cmd::OFFSET, &self.cmd.to_le_bytes());
        bytes
    }

    /// The header of a packet; `None` when the packet is shorter than one.
    pub fn of(packet: &[u8]) -> Option<Self> {
        Some(Self {
            len: u32_at(packet, shell::header::len::OFFSET)?,
            cmd: u32_at(packet, shell::header::cmd::OFFSET)?,
        })
    }
}

/// A packet that is nothing but its header.
pub fn bare(cmd: u32) -> [u8; Header::BYTES] {
    Header { len: shell::header::BYTES, cmd }.to_bytes()
}

/// Encodes the command that requests the verdict on one header: any bytes, also wrong ones.
pub fn equihash_verify(index: u64, header: &[u8]) -> Vec<u8> {
    engine_command(constants::equihash_verify::command::NUMBER, index, header)
}

/// Encodes the command that finds the candidates of a header, its bytes before the solution.
pub fn equihash_solve(index: u64, header: &[u8; HEADER_BYTES]) -> Vec<u8> {
    engine_command(constants::equihash_solve::commands::solve::NUMBER, index, header)
}

/// Encodes the command that reads a candidate of the last header.
pub fn equihash_solve_read(index: u64, candidate: u32) -> Vec<u8> {
    let number = constants::equihash_solve::commands::read::NUMBER;
    engine_command(number, index, &u64::from(candidate).to_le_bytes())
}

/// Encodes the command that requests the verdict on one signature: s, r, hash, qx, qy in the layout of a request.
pub fn ecdsa_verify(index: u64, signature: &[u8]) -> Vec<u8> {
    engine_command(constants::ecdsa_verify::command::NUMBER, index, signature)
}

/// Encodes the command that requests the hash of a state: a tag and elements in the layout of a request.
pub fn poseidon(index: u64, strength: Strength, state: &[u8]) -> Vec<u8> {
    use constants::poseidon::{command, strengthened};
    let number = match strength {
        Strength::Standard => command::NUMBER,
        Strength::Strengthened => strengthened::NUMBER,
    };
    engine_command(number, index, state)
}

/// The command that writes to the memory of the Poseidon engine: at most as many bytes as it takes, the rest are zeros.
pub fn poseidon_write(index: u64, address: u64, data: &[u8]) -> Vec<u8> {
    use constants::poseidon::commands::write::{LEN, NUMBER, fields as at};
    let mut packet = engine_command(NUMBER, index, &[0; (LEN - INDEX_OFFSET - 8) as usize]);
    put(&mut packet, at::address::OFFSET, &address.to_le_bytes());
    put(&mut packet, at::data::OFFSET, data);
    packet
}

/// The command that hashes nodes in that memory.
pub fn poseidon_layer(
    index: u64,
    from: u64,
    to: u64,
    count: u64,
    arity: u64,
    tag: &[u8; 32],
) -> Vec<u8> {
    let words = [from, to, count, arity].map(u64::to_le_bytes);
    let body = [words.as_flattened(), tag].concat();
    engine_command(constants::poseidon::commands::layer::NUMBER, index, &body)
}

/// The command that reads that memory.
pub fn poseidon_read(index: u64, address: u64) -> Vec<u8> {
    let number = constants::poseidon::commands::read::NUMBER;
    engine_command(number, index, &address.to_le_bytes())
}

/// Returns the number of a group in the register `group` of an MSM engine.
pub const fn msm_group(group: Group) -> u32 {
    match group {
        Group::G1 => 1,
        Group::G2 => 2,
    }
}

/// Returns the number of a command or a reply of an MSM engine for a group, by its number in G1.
pub const fn msm_number(in_g1: u32, group: Group) -> u32 {
    match group {
        Group::G1 => in_g1,
        Group::G2 => in_g1 + constants::msm::command_offsets::G2,
    }
}

/// The command that writes to a memory channel of the MSM engine: at most as many bytes as it takes, the rest are zeros.
pub fn msm_write(group: Group, index: u64, address: u64, channel: u8, data: &[u8]) -> Vec<u8> {
    use constants::msm::commands::write::{LEN, NUMBER, fields as at};
    let number = msm_number(NUMBER, group);
    let mut packet = engine_command(number, index, &[0; (LEN - INDEX_OFFSET - 8) as usize]);
    put(&mut packet, at::address::OFFSET, &address.to_le_bytes()[..7]);
    put(&mut packet, at::channel::OFFSET, &[channel]);
    put(&mut packet, at::data::OFFSET, data);
    packet
}

/// Returns the command that computes an MSM.
pub fn msm_run(
    group: Group,
    index: u64,
    points: u64,
    scalars: u64,
    count: u64,
    window_bits: u32,
) -> Vec<u8> {
    let words = [points, scalars, count, window_bits.into()].map(u64::to_le_bytes);
    let number = msm_number(constants::msm::commands::run::NUMBER, group);
    engine_command(number, index, words.as_flattened())
}

/// The command that ends a run.
pub fn msm_cancel(group: Group, index: u64, target: u64) -> Vec<u8> {
    let number = msm_number(constants::msm::commands::cancel::NUMBER, group);
    engine_command(number, index, &target.to_le_bytes())
}

/// The command that writes to a memory channel of the NTT engine: at most as many bytes as it takes, the rest are zeros.
pub fn ntt_write(index: u64, address: u64, channel: u8, data: &[u8]) -> Vec<u8> {
    use constants::ntt::commands::write::{LEN, NUMBER, fields as at};
    let mut packet = engine_command(NUMBER, index, &[0; (LEN - INDEX_OFFSET - 8) as usize]);
    put(&mut packet, at::address::OFFSET, &address.to_le_bytes()[..7]);
    put(&mut packet, at::channel::OFFSET, &[channel]);
    put(&mut packet, at::data::OFFSET, data);
    packet
}

/// The command that reads from a memory channel of the NTT engine.
pub fn ntt_read(index: u64, address: u64, channel: u8) -> Vec<u8> {
    use constants::ntt::commands::read::{LEN, NUMBER, fields as at};
    let mut packet = engine_command(NUMBER, index, &[0; (LEN - INDEX_OFFSET - 8) as usize]);
    put(&mut packet, at::address::OFFSET, &address.to_le_bytes()[..7]);
    put(&mut packet, at::channel::OFFSET, &[channel]);
    packet
}

/// The fields of the command that transforms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // they are those of spec/wire/ntt.toml
pub struct NttRun {
    pub elements: u64,
    pub scratch: u64,
    pub log_size: u32,
    pub direction: u32,
    pub count: u64,
    pub shift: [u8; 32],
    pub scale: [u8; 32],
}

/// The command that transforms elements in the card's memory.
pub fn ntt_run(index: u64, run: &NttRun) -> Vec<u8> {
    use constants::ntt::commands::run::{LEN, NUMBER, fields as at};
    let mut packet = engine_command(NUMBER, index, &[0; (LEN - INDEX_OFFSET - 8) as usize]);
    put(&mut packet, at::elements::OFFSET, &run.elements.to_le_bytes());
    put(&mut packet, at::scratch::OFFSET, &run.scratch.to_le_bytes());
    put(&mut packet, at::log_size::OFFSET, &run.log_size.to_le_bytes());
    put(&mut packet, at::direction::OFFSET, &run.direction.to_le_bytes());
    put(&mut packet, at::count::OFFSET, &run.count.to_le_bytes());
    put(&mut packet, at::shift::OFFSET, &run.shift);
    put(&mut packet, at::scale::OFFSET, &run.scale);
    packet
}

/// The command that loads a constant of a modulus into the engine of repeated squaring.
pub fn vdf_load(index: u64, position: u32, constant: &[u8]) -> Vec<u8> {
    let number = constants::vdf::commands::load::NUMBER;
    engine_command(number, index, &[&u64::from(position).to_le_bytes(), constant].concat())
}

/// The command that squares repeatedly, from an input or, with zeros for it, from the last state.
pub fn vdf_square(index: u64, squarings: u32, resumes: bool, input: &[u8]) -> Vec<u8> {
    let fields = [squarings, resumes.into()].map(u32::to_le_bytes);
    let number = constants::vdf::commands::square::NUMBER;
    engine_command(number, index, &[fields.as_flattened(), input].concat())
}

/// A reply has the number of its command with this bit.
pub const REPLY: u32 = 1 << 31;

/// The offset of the index in every engine's command and reply: directly after the header.
pub const INDEX_OFFSET: u32 = shell::header::BYTES;

/// A command to an engine: header, index and body.
fn engine_command(number: u32, index: u64, body: &[u8]) -> Vec<u8> {
    let index = index.to_le_bytes();
    let len = u32::try_from(Header::BYTES + index.len() + body.len());
    let len = len.expect("a command is shorter than 4 GiB");
    [&Header { len, cmd: number }.to_bytes(), &index[..], body].concat()
}

/// Returns whether this is the number of a command to an engine or of its reply. Control has a block of numbers of its own.
pub fn is_engine(cmd: u32) -> bool {
    cmd & 0xff00 != shell::command_blocks::CONTROL
}

/// Copies a field into a packet that is long enough for it.
pub fn put(packet: &mut [u8], offset: u32, field: &[u8]) {
    let at = offset as usize;
    packet[at..at + field.len()].copy_from_slice(field);
}

/// `N` bytes of a packet; `None` past its end.
pub fn bytes_at<const N: usize>(packet: &[u8], offset: u32) -> Option<[u8; N]> {
    let at = offset as usize;
    packet.get(at..at.checked_add(N)?)?.try_into().ok()
}

/// A little-endian 32-bit field.
pub fn u32_at(packet: &[u8], offset: u32) -> Option<u32> {
    bytes_at(packet, offset).map(u32::from_le_bytes)
}

/// A little-endian 64-bit field.
pub fn u64_at(packet: &[u8], offset: u32) -> Option<u64> {
    bytes_at(packet, offset).map(u64::from_le_bytes)
}

/// A text that the wire stores last character first, padded with zeros.
pub fn reversed_text(bytes: [u8; 8]) -> String {
    bytes
        .iter()
        .rev()
        .filter(|byte| byte.is_ascii_graphic())
        .map(|&byte| char::from(byte))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_request_is_the_published_one() {
        assert_eq!(bare(shell::commands::status::NUMBER), [8, 0, 0, 0, 1, 0, 0, 0]);
    }

    #[test]
    fn an_equihash_command_has_the_published_length() {
        let packet = equihash_verify(7, &[0; 1487]);
        assert_eq!(Header::of(&packet), Some(Header { len: 0x5df, cmd: 0x100 }));
        assert_eq!(u64_at(&packet, 8), Some(7));
        assert_eq!(
            packet.len() - 1487,
            constants::equihash_verify::command::fields::header::OFFSET as usize
        );
    }

    #[test]
    fn commands_that_solve_have_the_layout_of_the_wire() {
        use constants::equihash_solve::commands::{read, solve};
        let packet = equihash_solve(7, &[9; HEADER_BYTES]);
        assert_eq!(Header::of(&packet), Some(Header { len: solve::LEN, cmd: solve::NUMBER }));
        assert_eq!((packet.len(), u64_at(&packet, 8)), (solve::LEN as usize, Some(7)));
        assert_eq!(packet[solve::fields::header::OFFSET as usize..], [9; 140]);
        let packet = equihash_solve_read(7, 3);
        assert_eq!(Header::of(&packet), Some(Header { len: read::LEN, cmd: read::NUMBER }));
        assert_eq!((packet.len(), u64_at(&packet, 8)), (read::LEN as usize, Some(7)));
        assert_eq!(u32_at(&packet, read::fields::number::OFFSET), Some(3));
        assert_eq!(u32_at(&packet, read::fields::reserved::OFFSET), Some(0));
    }

    #[test]
    fn an_ecdsa_command_has_the_published_layout() {
        use constants::ecdsa_verify::command::{LEN, fields as at};
        let packet = ecdsa_verify(7, &std::array::from_fn::<u8, 160, _>(|i| i as u8));
        assert_eq!(Header::of(&packet), Some(Header { len: LEN, cmd: 0x101 }));
        assert_eq!((packet.len(), u64_at(&packet, at::index::OFFSET)), (0xb0, Some(7)));
        let fields =
            [at::s::OFFSET, at::r::OFFSET, at::hash::OFFSET, at::qx::OFFSET, at::qy::OFFSET];
        assert_eq!(fields.map(|at| packet[at as usize]), [0, 32, 64, 96, 128]);
    }

    #[test]
    fn msm_commands_have_the_published_layout() {
        use constants::msm::commands::{cancel, run, write};
        let packet = msm_write(Group::G1, 7, 0x1234_5400, 2, &[9; 100]);
        assert_eq!(Header::of(&packet), Some(Header { len: write::LEN, cmd: write::NUMBER }));
        assert_eq!(packet.len(), write::LEN as usize);
        assert_eq!(u64_at(&packet, write::fields::address::OFFSET), Some(0x0200_0000_1234_5400));
        assert_eq!((&packet[24..124], &packet[124..]), (&[9; 100][..], &[0; 924][..]));
        let packet = msm_run(Group::G1, 7, 1024, 2048, 3, 5);
        assert_eq!(Header::of(&packet), Some(Header { len: run::LEN, cmd: run::NUMBER }));
        use run::fields as at;
        for (offset, value) in [
            (at::index::OFFSET, 7),
            (at::points::OFFSET, 1024),
            (at::scalars::OFFSET, 2048),
            (at::count::OFFSET, 3),
            (at::window_bits::OFFSET, 5),
        ] {
            assert_eq!(u64_at(&packet, offset), Some(value));
        }
        let packet = msm_cancel(Group::G1, 8, 7);
        assert_eq!(Header::of(&packet), Some(Header { len: cancel::LEN, cmd: cancel::NUMBER }));
        assert_eq!(u64_at(&packet, cancel::fields::target::OFFSET), Some(7));
        let in_g2 = msm_cancel(Group::G2, 8, 7);
        assert_eq!(Header::of(&in_g2), Some(Header { len: cancel::LEN, cmd: 0x312 }));
        assert_eq!(in_g2[Header::BYTES..], packet[Header::BYTES..]);
    }

    #[test]
    fn a_poseidon_command_has_the_layout_of_the_wire() {
        use constants::poseidon::command::{BARE_LEN, fields as at};
        let packet = poseidon(7, Strength::Standard, &[9; 96]);
        assert_eq!(Header::of(&packet), Some(Header { len: BARE_LEN + 96, cmd: 0x500 }));
        assert_eq!(u64_at(&packet, at::index::OFFSET), Some(7));
        assert_eq!(packet[at::state::OFFSET as usize..], [9; 96]);
        let strengthened = poseidon(7, Strength::Strengthened, &[9; 96]);
        assert_eq!(Header::of(&strengthened), Some(Header { len: BARE_LEN + 96, cmd: 0x504 }));
        assert_eq!(strengthened[Header::BYTES..], packet[Header::BYTES..]);
    }

    #[test]
    fn commands_of_layers_have_the_layout_of_the_wire() {
        use constants::poseidon::commands::{layer, read, write};
        let packet = poseidon_write(7, 2048, &[9; 100]);
        assert_eq!(Header::of(&packet), Some(Header { len: write::LEN, cmd: write::NUMBER }));
        assert_eq!((packet.len(), u64_at(&packet, 16)), (write::LEN as usize, Some(2048)));
        assert_eq!((&packet[24..124], &packet[124..]), (&[9; 100][..], &[0; 924][..]));
        let packet = poseidon_layer(7, 1024, 2048, 3, 8, &[5; 32]);
        assert_eq!(Header::of(&packet), Some(Header { len: layer::LEN, cmd: layer::NUMBER }));
        use layer::fields as at;
        for (offset, value) in [
            (at::from::OFFSET, 1024),
            (at::to::OFFSET, 2048),
            (at::count::OFFSET, 3),
            (at::arity::OFFSET, 8),
        ] {
            assert_eq!(u64_at(&packet, offset), Some(value));
        }
        assert_eq!(packet[at::tag::OFFSET as usize..], [5; 32]);
        let packet = poseidon_read(8, 1024);
        assert_eq!(Header::of(&packet), Some(Header { len: read::LEN, cmd: read::NUMBER }));
        assert_eq!(u64_at(&packet, read::fields::address::OFFSET), Some(1024));
    }

    #[test]
    fn every_engine_differs_from_control() {
        use constants::{ecdsa_verify, equihash_verify};
        for cmd in [equihash_verify::command::NUMBER, ecdsa_verify::command::REPLY] {
            assert!(is_engine(cmd));
        }
        for cmd in [shell::commands::status::NUMBER, shell::replies::ignore::NUMBER, 0x0001_00ff] {
            assert!(!is_engine(cmd));
        }
    }

    #[test]
    fn fields_past_the_end_are_none() {
        assert_eq!(Header::of(&[0; 7]), None);
        assert_eq!(u64_at(&[0; 15], 8), None);
        assert_eq!(u32_at(&[0; 4], u32::MAX), None);
    }

    #[test]
    fn reversed_texts_are_turned() {
        assert_eq!(reversed_text(*b"\0\0\0\0tset"), "test");
        assert_eq!(reversed_text(*b"11308102"), "20180311");
    }
}

//! Register values of the software model of the card: the identification page, the shell's block, and a block per
//! engine.

use std::collections::HashMap;

use proofmill_card::wire::constants::shell::{address_map, block, block_header, identification};
use proofmill_card::wire::constants::{ecdsa_verify, equihash_verify, msm, ntt, poseidon};
use proofmill_op::Capability;
use proofmill_op::equihash_verify::{Network, Personalisation};

use super::{SoftCard, SoftEngine};
use crate::stream_model::commands_of;

/// Addresses and words.
type Words = Vec<(u32, u32)>;

/// Returns the read-only registers.
pub(super) fn fixed(engines: &[SoftEngine], capabilities: u64) -> Words {
    let shell = address_map::blocks::BASE;
    let next = |number: usize| if number < engines.len() { SoftCard::block_of(number) } else { 0 };
    let mut words = vec![
        (identification::magic::OFFSET, identification::magic::VALUE),
        (identification::layout::OFFSET, identification::layout::VALUE),
        (identification::first_block::OFFSET, shell),
    ];
    use block::registers as at;
    words.extend(header(shell, block::TYPE, block::VERSION, next(0)));
    words.extend([
        (shell + at::version::OFFSET, SoftCard::VERSION),
        (shell + at::build_date::OFFSET, u32::from_le_bytes(*b"1211")),
        (shell + at::build_date::OFFSET + 4, u32::from_le_bytes(*b"6202")),
        (shell + at::build_host::OFFSET, 0),
        (shell + at::build_host::OFFSET + 4, u32::from_le_bytes(*b"tfos")),
        (shell + at::control::OFFSET, 0),
        (shell + at::cmd_cap::OFFSET, capabilities as u32),
        (shell + at::cmd_cap::OFFSET + 4, (capabilities >> 32) as u32),
    ]);
    for (number, engine) in engines.iter().enumerate() {
        let at = SoftCard::block_of(number);
        let (kind, version, own) = of_engine(engine);
        words.extend(header(at, kind, version, next(number + 1)));
        words.extend(own.into_iter().map(|(offset, word)| (at + offset, word)));
    }
    words
}

fn header(at: u32, kind: u32, version: u32, next: u32) -> Words {
    vec![
        (at + block_header::TYPE, kind),
        (at + block_header::VERSION, version),
        (at + block_header::NEXT, next),
        (at + block_header::SIZE, address_map::blocks::STRIDE),
    ]
}

/// Returns type and version of an engine's block, and its own registers with their offsets.
fn of_engine(engine: &SoftEngine) -> (u32, u32, Words) {
    if let Some(geometry) = &engine.msm {
        return (msm::block::TYPE, msm::block::VERSION, geometry.registers(engine.queue));
    }
    if let Capability::Poseidon(_) = engine.capability {
        let own = super::poseidon::registers(engine.queue);
        return (poseidon::block::TYPE, poseidon::block::VERSION, own);
    }
    if let Capability::Ntt(field) = engine.capability {
        let own = super::ntt::registers(field, engine.queue);
        return (ntt::block::TYPE, ntt::block::VERSION, own);
    }
    let len = commands_of(&engine.capability)[0].len;
    match &engine.capability {
        Capability::EquihashVerify(params) => {
            use equihash_verify::block::{TYPE, VERSION, registers as at};
            let own = vec![
                (at::n::OFFSET, params.n()),
                (at::k::OFFSET, params.k()),
                (at::command_len::OFFSET, len),
                (at::queue::OFFSET, engine.queue),
            ];
            (TYPE, VERSION, own)
        }
        _ => {
            use ecdsa_verify::block::{TYPE, VERSION, registers as at};
            let own = vec![(at::command_len::OFFSET, len), (at::queue::OFFSET, engine.queue)];
            (TYPE, VERSION, own)
        }
    }
}

/// Returns the writable registers with their values after a reset.
pub(super) fn settings(engines: &[SoftEngine]) -> Words {
    use equihash_verify::block::registers as at;
    let mut words = Words::new();
    for (number, engine) in engines.iter().enumerate() {
        if !matches!(engine.capability, Capability::EquihashVerify(_)) {
            continue;
        }
        let block = SoftCard::block_of(number);
        let limit = Network::Main.pow_limit().expect("mainnet has a limit");
        for (offset, bytes) in [
            (at::personalisation::OFFSET, &Personalisation::default().0[..]),
            (at::difficulty::OFFSET, &1u32.to_le_bytes()),
            (at::pow_limit::OFFSET, &limit),
        ] {
            let chunks = bytes.as_chunks::<4>().0.iter().map(|&word| u32::from_le_bytes(word));
            words.extend((block + offset..).step_by(4).zip(chunks));
        }
    }
    words
}

/// Returns the settings of the Equihash engine with this block.
pub(super) fn asked(registers: &HashMap<u32, u32>, block: u32) -> (Personalisation, Network) {
    use equihash_verify::block::registers as at;
    let read = |offset: u32, bytes: &mut [u8]| {
        for (i, word) in (0..).step_by(4).zip(bytes.chunks_exact_mut(4)) {
            word.copy_from_slice(&registers[&(block + offset + i)].to_le_bytes());
        }
    };
    let (mut personalisation, mut limit) = ([0; 8], [0; 32]);
    read(at::personalisation::OFFSET, &mut personalisation);
    read(at::pow_limit::OFFSET, &mut limit);
    let checked = registers[&(block + at::difficulty::OFFSET)] & 1 == 1;
    let network = if checked { Network::Limit(limit) } else { Network::None };
    (Personalisation(personalisation), network)
}

//! Replies of the shell in the software model of the card.

use std::collections::HashMap;

use proofmill_card::wire::constants::shell::commands::{reset, status};
use proofmill_card::wire::constants::shell::replies::ignore;
use proofmill_card::wire::constants::shell::{address_map, block};
use proofmill_card::wire::{Header, put};

use super::SoftCard;

/// Returns the reply to RESET.
pub(super) fn reset() -> Vec<u8> {
    Header { len: reset::REPLY_LEN, cmd: reset::REPLY }.to_bytes().into()
}

/// Returns the reply to STATUS of a card with these registers.
pub(super) fn status(registers: &HashMap<u32, u32>, capabilities: u64, busy: bool) -> Vec<u8> {
    use status::reply_fields as at;
    let word = |offset: u32| registers[&(address_map::blocks::BASE + offset)].to_le_bytes();
    let mut reply = vec![0; status::REPLY_LEN as usize];
    put(&mut reply, 0, &Header { len: status::REPLY_LEN, cmd: status::REPLY }.to_bytes());
    put(&mut reply, at::version::OFFSET, &SoftCard::VERSION.to_le_bytes());
    for (to, from) in [
        (at::build_date::OFFSET, block::registers::build_date::OFFSET),
        (at::build_host::OFFSET, block::registers::build_host::OFFSET),
    ] {
        put(&mut reply, to, &word(from));
        put(&mut reply, to + 4, &word(from + 4));
    }
    put(&mut reply, at::cmd_cap::OFFSET, &capabilities.to_le_bytes());
    put(&mut reply, at::state::OFFSET, &[u8::from(busy) << 1]);
    reply
}

/// Returns the reply to an unknown packet with these first bytes.
pub(super) fn ignored(echo: [u8; 8]) -> Vec<u8> {
    [Header { len: ignore::LEN, cmd: ignore::NUMBER }.to_bytes(), echo].concat()
}

//! `ecdsa_verify` on a card: one command a signature, one reply each, with the cycles that it took. The engine has no
//! settings.

use proofmill_op::ecdsa_verify::{Request, Response, SIGNATURE_BYTES, Verdict};
use proofmill_op::{Bytes, Capability, Result, SecretBytes};

use super::chain::Chain;
use super::job::{self, Engine, Exchange, Lane, Respond, Settings};
use crate::Transport;
use crate::wire::constants::ecdsa_verify::{block, command};
use crate::wire::constants::shell::capabilities::ECDSA_SECP256K1;
use crate::wire::{self, Header};

/// The capability and its bit.
pub const KNOWN: [(Capability, u32); 1] = [(Capability::EcdsaVerify, ECDSA_SECP256K1)];

/// Finds this operation's engine among the blocks: there is one at most, however many cores it has.
pub fn find(transport: &mut dyn Transport, chain: &Chain, uri: &str) -> Result<Option<Engine>> {
    use block::registers as at;
    chain.engine("ecdsa_verify", (block::TYPE, block::VERSION), uri, |it| {
        let len = it.read(transport, at::command_len::OFFSET)?;
        if len != command::LEN {
            let expected = command::LEN;
            return Err(it.broken(format!("commands of {len} bytes, where {expected} are needed")));
        }
        let queue = it.queue(transport, at::queue::OFFSET)?;
        let lane = Lane {
            block: it.address,
            exchanges: vec![Exchange {
                command: Header { len, cmd: command::NUMBER },
                reply: Header { len: command::REPLY_LEN, cmd: command::REPLY },
            }],
            queue,
            progress: &[],
        };
        Ok(Some(Engine { capability: Capability::EcdsaVerify, lane }))
    })
}

/// A request: the signatures, and the verdicts and cycles that have arrived.
pub struct Job {
    signatures: Bytes,
    settings: Settings,
    verdicts: Vec<Verdict>,
    cycles: Vec<u16>,
}

impl Job {
    /// Checks the request and returns its job, for the device with this identity.
    pub fn new(request: Request, device: u64) -> Result<Self> {
        let count = request.count()?;
        Ok(Self {
            signatures: request.signatures.on(device)?.clone(),
            settings: Settings::new(),
            verdicts: vec![Verdict::default(); count],
            cycles: vec![0; count],
        })
    }
}

impl job::Job for Job {
    fn commands(&self) -> usize {
        self.verdicts.len()
    }

    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn command(&mut self, position: usize, index: u64) -> SecretBytes {
        let from = position * SIGNATURE_BYTES;
        wire::ecdsa_verify(index, &self.signatures[from..from + SIGNATURE_BYTES]).into()
    }

    fn accept(&mut self, position: usize, reply: &[u8]) -> std::result::Result<(), String> {
        use command::reply_fields as at;
        let [mask] = wire::bytes_at(reply, at::mask::OFFSET).ok_or("a reply without a mask")?;
        let cycles =
            wire::bytes_at(reply, at::cycle_cnt::OFFSET).ok_or("a reply without its cycles")?;
        self.verdicts[position] = verdict(mask)?;
        self.cycles[position] = u16::from_le_bytes(cycles);
        Ok(())
    }
}

impl Respond<Response> for Job {
    fn respond(self: Box<Self>) -> Result<Response> {
        Ok(Response { verdicts: self.verdicts, cycles: Some(self.cycles) })
    }
}

/// A mask as the wire allows it: bits that are defined, and failed_sig_ver with every other one.
fn verdict(mask: u8) -> std::result::Result<Verdict, String> {
    if mask & !Verdict::DEFINED != 0 {
        return Err(format!("error bits {mask:#04x}, of which some are undefined"));
    }
    if mask != 0 && mask & Verdict::FAILED_SIG_VER == 0 {
        return Err(format!("error bits {mask:#04x}, without the one that comes with all others"));
    }
    Ok(Verdict::from_mask(mask))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_those_of_the_wire() {
        let allowed: Vec<u8> = (0..=u8::MAX).filter(|&mask| verdict(mask).is_ok()).collect();
        assert_eq!(allowed.len(), 1 + 32);
        for mask in allowed {
            assert!(mask == 0 || mask & 8 == 8 && mask < 64, "{mask:#04x}");
            assert_eq!(verdict(mask).unwrap().mask(), mask);
        }
    }
}

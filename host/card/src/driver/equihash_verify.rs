//! `equihash_verify` on a card: one command and one reply for each header. The parameter set is the engine's; the
//! personalisation and the difficulty rule are in its registers.

use proofmill_op::equihash_verify::{Network, Params, Personalisation, Request, Response, Verdict};
use proofmill_op::{Bytes, Capability, Result, SecretBytes};

use super::chain::Chain;
use super::job::{self, Engine, Exchange, Lane, Respond, Settings, words};
use crate::Transport;
use crate::wire::constants::equihash_verify::{block, command};
use crate::wire::constants::shell::capabilities::{EQUIHASH_48_5, EQUIHASH_144_5, EQUIHASH_200_9};
use crate::wire::{self, Header};

/// The parameter sets that have a capability bit.
pub const KNOWN: [(Capability, u32); 3] = [
    (Capability::EquihashVerify(Params::N200_K9), EQUIHASH_200_9),
    (Capability::EquihashVerify(Params::N144_K5), EQUIHASH_144_5),
    (Capability::EquihashVerify(Params::N48_K5), EQUIHASH_48_5),
];

/// Finds this operation's engines among the blocks.
pub fn find(transport: &mut dyn Transport, chain: &Chain, uri: &str) -> Result<Vec<Engine>> {
    use block::registers as at;
    let mut engines: Vec<Engine> = Vec::new();
    for it in chain.engines("equihash_verify", (block::TYPE, block::VERSION), uri) {
        let (n, k) = (it.read(transport, at::n::OFFSET)?, it.read(transport, at::k::OFFSET)?);
        let params = Params::new(n, k).map_err(|error| it.broken(error))?;
        let len = it.read(transport, at::command_len::OFFSET)?;
        let expected = command::fields::header::OFFSET as usize + params.header_bytes();
        if len as usize != expected {
            return Err(
                it.broken(format!("commands of {len} bytes, where ({params}) needs {expected}"))
            );
        }
        let queue = it.queue(transport, at::queue::OFFSET)?;
        let capability = Capability::EquihashVerify(params);
        if engines.iter().any(|other| other.capability == capability) {
            return Err(it.broken(format!("a second engine for ({params})")));
        }
        let lane = Lane {
            block: it.address,
            exchanges: vec![Exchange {
                command: Header { len, cmd: command::NUMBER },
                reply: Header { len: command::REPLY_LEN, cmd: command::REPLY },
            }],
            queue,
            progress: &[],
        };
        engines.push(Engine { capability, lane });
    }
    Ok(engines)
}

/// A request: the headers, and the verdicts that have arrived.
pub struct Job {
    headers: Bytes,
    header_bytes: usize,
    settings: Settings,
    verdicts: Vec<Verdict>,
}

impl Job {
    /// Checks the request and returns its job, for the device with this identity.
    pub fn new(request: Request, device: u64) -> Result<Self> {
        let count = request.count()?;
        Ok(Self {
            headers: request.headers.on(device)?.clone(),
            header_bytes: request.params.header_bytes(),
            settings: settings(request.personalisation, request.network),
            verdicts: vec![Verdict::default(); count],
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
        let from = position * self.header_bytes;
        wire::equihash_verify(index, &self.headers[from..from + self.header_bytes]).into()
    }

    fn accept(&mut self, position: usize, reply: &[u8]) -> std::result::Result<(), String> {
        let [mask] = wire::bytes_at(reply, command::reply_fields::mask::OFFSET)
            .ok_or("a reply without a mask")?;
        if mask & !Verdict::DEFINED != 0 {
            return Err(format!("error bits {mask:#04x}, of which some are undefined"));
        }
        self.verdicts[position] = Verdict::from_mask(mask);
        Ok(())
    }
}

impl Respond<Response> for Job {
    fn respond(self: Box<Self>) -> Result<Response> {
        Ok(Response { verdicts: self.verdicts })
    }
}

/// The registers' contents for a request. Without a difficulty check the limit does not matter and stays as it is.
fn settings(personalisation: Personalisation, network: Network) -> Settings {
    use block::registers as at;
    let mut settings = words(at::personalisation::OFFSET, &personalisation.0);
    let limit = network.pow_limit();
    settings.push((at::difficulty::OFFSET, limit.is_some().into()));
    if let Some(limit) = limit {
        settings.extend(words(at::pow_limit::OFFSET, &limit));
    }
    settings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_stand_in_little_endian_words() {
        let all = settings(Personalisation::default(), Network::Main);
        assert_eq!(all.len(), 2 + 1 + 8);
        assert_eq!(all[0], (0x80, u32::from_le_bytes(*b"Zcas")));
        assert_eq!(all[1], (0x84, u32::from_le_bytes(*b"hPoW")));
        assert_eq!(all[2], (0x88, 1));
        assert_eq!(all[10], (0xbc, 0x0007_ffff));
        assert_eq!(settings(Personalisation::default(), Network::None).last(), Some(&(0x88, 0)));
    }
}

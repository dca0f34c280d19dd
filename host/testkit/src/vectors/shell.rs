//! The cases of the command stream: packets and their replies.

use proofmill_op::{Capability, Error};
use serde::Deserialize;

/// A case of the command stream.
#[derive(Clone, Debug)]
pub struct ShellCase {
    /// The engines of the card. The case is for no other card.
    pub engines: Vec<Capability>,
    /// Unique in its file.
    pub id: String,
    /// Packets with their replies, in order.
    pub exchanges: Vec<Exchange>,
}

/// A packet and its reply.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// The packet.
    pub packet: Vec<u8>,
    /// The expected reply.
    pub reply: Vec<u8>,
    /// Ranges of the reply that identify the build and may have any value.
    pub free: Vec<(usize, usize)>,
}

impl Exchange {
    /// Returns whether the reply is the expected one.
    pub fn is_met_by(&self, reply: &[u8]) -> bool {
        let free = |at| self.free.iter().any(|&(from, to)| (from..to).contains(&at));
        let mut pairs = reply.iter().zip(&self.reply).enumerate();
        reply.len() == self.reply.len()
            && pairs.all(|(at, (found, wanted))| found == wanted || free(at))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ShellFile {
    #[serde(rename = "schema")]
    _schema: String,
    #[serde(rename = "op")]
    _op: String,
    engines: Vec<String>,
    cases: Vec<ShellCaseText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ShellCaseText {
    id: String,
    #[serde(rename = "comment")]
    _comment: String,
    exchanges: Vec<ExchangeText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExchangeText {
    packet: String,
    reply: String,
    #[serde(default)]
    free: Vec<(usize, usize)>,
}

/// Returns every embedded case of the command stream. An error names the file and the case.
pub fn cases() -> Result<Vec<ShellCase>, String> {
    super::read_all("wire/shell", parse)
}

fn parse(text: &str) -> Result<Vec<ShellCase>, String> {
    let file: ShellFile = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let engines: Vec<_> = file.engines.iter().map(|name| engine(name)).collect::<Result<_, _>>()?;
    let read = |case: ShellCaseText| {
        let exchanges: Result<_, _> = case.exchanges.iter().map(read_exchange).collect();
        let exchanges = exchanges.map_err(|problem| format!("{}: {problem}", case.id))?;
        Ok(ShellCase { engines: engines.clone(), id: case.id, exchanges })
    };
    file.cases.into_iter().map(read).collect()
}

/// Parses an engine's instance: Equihash's parameters such as `200_9`, a curve, or a hash.
fn engine(instance: &str) -> Result<Capability, String> {
    if instance == "secp256k1" {
        return Ok(Capability::EcdsaVerify);
    }
    if let Some(instance) = instance.strip_prefix("poseidon_") {
        let instance = instance.parse().map_err(|error: Error| error.to_string())?;
        return Ok(Capability::Poseidon(instance));
    }
    let params = instance.replace('_', ",").parse().map_err(|error: Error| error.to_string())?;
    Ok(Capability::EquihashVerify(params))
}

fn read_exchange(text: &ExchangeText) -> Result<Exchange, String> {
    let bytes = |hex: &String| hex::decode(hex).map_err(|error| error.to_string());
    Ok(Exchange {
        packet: bytes(&text.packet)?,
        reply: bytes(&text.reply)?,
        free: text.free.clone(),
    })
}

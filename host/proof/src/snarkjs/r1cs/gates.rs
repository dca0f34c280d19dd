//! Custom gates of PLONK circuits.

use crate::Result;
use crate::snarkjs::container::{Container, Part};
use crate::snarkjs::curve::SCALAR_BYTES;

/// Bytes of a signal's number.
const SIGNAL: usize = 8;

/// The custom gates of a constraint system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CustomGates {
    /// The names of the templates, each with a line feed at its end.
    names: String,
    count: usize,
    uses: usize,
}

impl CustomGates {
    /// Reads both sections, if they exist.
    pub(super) fn read(container: &Container, labels: u64) -> Result<Self> {
        let (names, count) = container.optional(4).map(names).transpose()?.unwrap_or_default();
        let uses = container.optional(5).map(|part| uses(part, count, labels)).transpose()?;
        Ok(Self { names, count, uses: uses.unwrap_or_default() })
    }

    /// Returns the names of the gates' templates, in the file's order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.split_terminator('\n')
    }

    /// Returns the number of gates.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the number of uses of all gates.
    pub fn uses(&self) -> usize {
        self.uses
    }
}

fn names(mut part: Part<'_>) -> Result<(String, usize)> {
    let count = part.u32("the number of custom gates")?;
    let mut names = String::new();
    for number in 0..count {
        names += &name(&mut part, number)?;
        names.push('\n');
        let parameters = u64::from(part.u32("the number of parameters")?);
        let bytes = parameters * SCALAR_BYTES as u64;
        part.shared(usize::try_from(bytes).unwrap_or(usize::MAX), "the parameters")?;
    }
    part.finish()?;
    Ok((names, count as usize))
}

/// Takes a name up to its zero byte.
fn name(part: &mut Part<'_>, number: u32) -> Result<String> {
    let start = part.at();
    let wrong = |problem: &str| part.wrong(start, format!("custom gate {number}: {problem}"));
    let length = part.rest().iter().position(|&byte| byte == 0);
    let length = length.ok_or_else(|| wrong("no zero byte ends its name"))?;
    let name = String::from_utf8(part.clone().take(length, "a name")?).ok();
    let name = name.filter(|name| !name.chars().any(char::is_control));
    let name = name.ok_or_else(|| wrong("its name is not printable UTF-8"))?;
    part.shared(length + 1, "a name")?;
    Ok(name)
}

fn uses(mut part: Part<'_>, gates: usize, labels: u64) -> Result<usize> {
    let count = part.u32("the number of uses")?;
    for number in 0..count {
        let start = part.at();
        let gate = part.u32("a gate's number")?;
        if gate as usize >= gates {
            let problem = format!("use {number}: custom gate {gate}, where there are {gates}");
            return Err(part.wrong(start, problem).into());
        }
        let signals = part.u32("the number of signals")?;
        let at = part.at();
        let bytes = u64::from(signals) * SIGNAL as u64;
        let signals = part.take(usize::try_from(bytes).unwrap_or(usize::MAX), "the signals")?;
        let signals = signals.as_chunks().0.iter().map(|signal| u64::from_le_bytes(*signal));
        if let Some((i, signal)) = signals.enumerate().find(|&(_, signal)| signal >= labels) {
            let problem = format!("use {number}: signal {signal}, where there are {labels}");
            return Err(part.wrong(at + i * SIGNAL, problem).into());
        }
    }
    part.finish()?;
    Ok(count as usize)
}

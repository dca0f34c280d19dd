//! `proofmill vdf eval` and `prove`: squarings in pieces, each of which is saved.

use std::io::Write as _;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context as _;
use proofmill::vdf::record::Record;
use proofmill::vdf::states::StateFile;
use proofmill::vdf::wesolowski::{self, Settings};
use proofmill::vdf::{Claim, Request, format_number};
use proofmill::{Device, Submit};
use serde_json::json;

use super::{ClaimArguments, Evaluate, Prove};
use crate::new_file::{NewFile, is_stdout};
use crate::output::{Exit, Output};
use crate::progress::Progress;
use crate::threads;

/// The spacing of states if neither the file nor an option has one.
const STRIDE: u64 = 1 << 16;
/// States that are computed between two writes, at most.
const STATES_PER_WRITE: u64 = 16;

/// Evaluates a claim.
pub fn evaluate(arguments: &Evaluate, output: &mut Output) -> anyhow::Result<Exit> {
    let claim = arguments.claim.claim()?;
    let device = arguments.claim.open()?;
    let start = Instant::now();
    let (found, squarings) = match saved(&arguments.claim, &claim, &*device)? {
        Some(saved) => (claim.canonical(last(&claim, saved.file.states()))?, saved.squarings),
        None => {
            let progress = Arc::new(Progress::of_parts(1));
            let found = with_progress(&progress, &claim, &*device)?;
            progress.finish();
            (found, claim.squarings())
        }
    };
    let seconds = start.elapsed().as_secs_f64();
    if !arguments.json {
        output.line(format_number(&found))?;
        return Ok(Exit::Valid);
    }
    output.line(json!({
        "type": "vdf",
        "modulus": format_number(&claim.modulus()),
        "input": format_number(&claim.input()),
        "squarings": claim.squarings(),
        "output": format_number(&found),
        "seconds": seconds,
        "squarings_made": squarings,
    }))?;
    Ok(Exit::Valid)
}

/// Evaluates and proves a claim.
pub fn prove(arguments: &Prove, output: &mut Output) -> anyhow::Result<Exit> {
    let claim = arguments.claim.claim()?;
    let device = arguments.claim.open()?;
    let progress = Arc::new(Progress::of_parts(1));
    let mut settings =
        Settings { max_bytes: u64::from(arguments.memory) << 20, ..Settings::default() };
    let threads = device.caps().threads;
    let found = match saved(&arguments.claim, &claim, &*device)? {
        Some(saved) => {
            settings.progress = Some(reporter(&progress, "proof"));
            let states = saved.file.states();
            threads::run(threads, || {
                Ok(wesolowski::prove_with_states(&claim, saved.stride, states, &settings)?)
            })?
        }
        None => {
            settings.progress = Some(reporter(&progress, "evaluation and proof"));
            threads::run(threads, || Ok(wesolowski::prove(&*device, &claim, &settings)?))?
        }
    };
    progress.finish();
    let record = Record::of(&claim, &found).to_json()?;
    if is_stdout(&arguments.output) {
        output.line(record)?;
        return Ok(Exit::Valid);
    }
    let named = || format!("--output: {}", arguments.output.display());
    let mut file = NewFile::create(&arguments.output).with_context(named)?;
    writeln!(file, "{record}").and_then(|()| file.finish()).with_context(named)?;
    Ok(Exit::Valid)
}

/// A complete file of states.
struct Saved {
    file: StateFile,
    stride: u64,
    /// Squarings that this run made.
    squarings: u64,
}

/// Continues the file of `--states` up to its last state.
fn saved(
    arguments: &ClaimArguments,
    claim: &Claim,
    device: &dyn Device,
) -> anyhow::Result<Option<Saved>> {
    let Some(path) = &arguments.states else { return Ok(None) };
    let of_file = || match path.metadata() {
        Ok(metadata) if metadata.len() > 0 => StateFile::stride(path),
        _ => Ok(STRIDE),
    };
    let stride = arguments.stride.map_or_else(of_file, Ok).context("--states")?;
    let mut file = StateFile::open(path, claim, stride).context("--states")?;
    let each = claim.byte_count();
    let progress = Arc::new(Progress::of_parts(1));
    let mut squarings = 0;
    loop {
        let done = ((file.states().len() / each) as u64 * stride).min(claim.squarings());
        progress.say("evaluation", done as f64 / claim.squarings() as f64);
        if done == claim.squarings() {
            break;
        }
        let piece = (claim.squarings() - done).min(stride.saturating_mul(STATES_PER_WRITE));
        let from = if done == 0 { claim.input() } else { last(claim, file.states()).to_vec() };
        let request = Request { stride, ..Request::new(claim.modulus(), from, piece) };
        file.append(&device.submit(request)?.wait()?.states).context("--states")?;
        squarings += piece;
    }
    progress.finish();
    Ok(Some(Saved { file, stride, squarings }))
}

fn last<'a>(claim: &Claim, states: &'a [u8]) -> &'a [u8] {
    &states[states.len() - claim.byte_count()..]
}

fn with_progress(
    progress: &Arc<Progress>,
    claim: &Claim,
    device: &dyn Device,
) -> anyhow::Result<Vec<u8>> {
    let mut request = claim.request(claim.squarings());
    request.progress = Some(reporter(progress, "evaluation"));
    Ok(claim.canonical(device.submit(request)?.wait()?.output())?)
}

/// Returns a callback that moves the bar.
fn reporter(progress: &Arc<Progress>, name: &'static str) -> proofmill::Progress {
    let progress = Arc::clone(progress);
    proofmill::Progress::new(move |done| progress.say(name, done))
}

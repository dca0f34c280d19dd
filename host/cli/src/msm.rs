//! `proofmill msm`, `proofmill points` and `proofmill scalars`: points and scalars from files, a point out.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::str::FromStr as _;
use std::time::Instant;

use anyhow::{Context as _, ensure};
use clap::{Args, ValueEnum};
use proofmill::msm::{self, Bases, Check, Curve, Instance, Plan, Request, SCALAR_BYTES};
use proofmill::{Capability, Data, Device, SecretBytes, Submit, Uri};

use crate::hardening::Hardening;
use crate::output::{Exit, Output, note, one_of};
use crate::point;
use crate::source::regular;

/// Points that are made at a time.
const BLOCK: u64 = 1 << 16;

#[derive(Args)]
#[command(after_help = examples!(
    "proofmill msm --curve bn254 --group g1 --bases points --scalars scalars",
    "proofmill msm --curve bls12_381 --group g1 --bases points --scalars scalars --json",
))]
pub struct Arguments {
    #[command(flatten)]
    group: Group,
    /// Points: x and y, little-endian (four numbers in G2), all zeros for the identity
    #[arg(long, value_name = "FILE")]
    bases: PathBuf,
    /// Scalars: 32 bytes each, little-endian, below r. Repeat the option for several MSMs over the same points
    #[arg(long, value_name = "FILE", required = true)]
    scalars: Vec<PathBuf>,
    /// Checks on the points: in the subgroup (which includes the curve), on the curve, or none
    #[arg(long, value_name = "CHECK", default_value = "subgroup")]
    check: PointCheck,
    /// Precomputes multiples of the points in at most this much memory: faster MSMs
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(1..))]
    precompute: Option<u32>,
    /// Device that computes (see `proofmill devices`)
    #[arg(long, value_name = "URI", default_value = "cpu:")]
    device: Uri,
    /// Checks the results on cpu: with a random linear combination, at about the cost of one MSM there
    #[arg(long)]
    confirm: bool,
    #[command(flatten)]
    hardening: Hardening,
    /// Writes one line of JSON per result: the point, seconds (of all together), cycles where counted, and the plan
    #[arg(long)]
    json: bool,
}

#[derive(clap::Subcommand)]
pub enum Command {
    /// Writes consecutive multiples of the generator, as points for `proofmill msm`.
    Generate(Generate),
}

#[derive(Args)]
#[command(after_help = examples!(
    "proofmill points generate --curve bn254 --group g1 --count 65536 points",
    "proofmill points generate --curve bls12_381 --group g2 --count 1000 --first 7 points",
))]
pub struct Generate {
    #[command(flatten)]
    group: Group,
    /// Number of points
    #[arg(long)]
    count: u64,
    /// The first multiple of the generator
    #[arg(long, default_value_t = 1)]
    first: u64,
    /// Where to write them; an existing file is replaced
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

#[derive(clap::Subcommand)]
pub enum ScalarCommand {
    /// Writes random scalars below r, as scalars for `proofmill msm` and coefficients for `proofmill ntt`.
    Generate(Scalars),
}

#[derive(Args)]
#[command(after_help = examples!(
    "proofmill scalars generate --curve bn254 --count 65536 scalars",
    "proofmill scalars generate --curve bls12_381 --count 1000 --seed 7 scalars",
))]
pub struct Scalars {
    #[arg(long, help = one_of("The curve", &Curve::ALL.map(Curve::name)))]
    curve: String,
    /// Number of scalars
    #[arg(long)]
    count: u32,
    /// The same seed makes the same scalars
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Where to write them; an existing file is replaced
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

#[derive(Args)]
struct Group {
    #[arg(long, help = one_of("The curve", &Curve::ALL.map(Curve::name)))]
    curve: String,
    /// The group: g1, or g2 where the curve has one
    #[arg(long, default_value = "g1")]
    group: String,
}

#[derive(Clone, Copy, ValueEnum)]
enum PointCheck {
    Subgroup,
    Curve,
    None,
}

impl Group {
    fn instance(&self) -> anyhow::Result<Instance> {
        format!("{}_{}", self.curve, self.group).parse().context("--curve, --group")
    }
}

/// Computes MSMs.
pub fn run(arguments: &Arguments, output: &mut Output) -> anyhow::Result<Exit> {
    arguments.hardening.apply();
    let instance = arguments.group.instance()?;
    let device = proofmill::open_uri(&arguments.device)?;
    device.caps().require(&Capability::Msm(instance))?;
    let check = match arguments.check {
        PointCheck::Subgroup => Check::Subgroup,
        PointCheck::Curve => Check::Curve,
        PointCheck::None => Check::None,
    };
    let points = regular(&arguments.bases).with_context(|| named("--bases", &arguments.bases))?;
    let bases = Bases::streamed(instance, points).checked(check);
    let count = bases.count().with_context(|| named("--bases", &arguments.bases))?;
    let scalars = arguments.scalars.iter().map(|file| {
        Ok(read_scalars(file, count).with_context(|| named("--scalars", file))?.into())
    });
    let scalars: Vec<Data> = scalars.collect::<anyhow::Result<_>>()?;
    let (used, plan) = match arguments.precompute {
        None => (bases.clone(), msm::plan(&device, instance, count, false)?),
        Some(mebibytes) => precomputed(&device, &bases, mebibytes)?,
    };
    let request = Request::batch(bases, scalars);
    let start = Instant::now();
    let computed = device.submit(Request { bases: used, ..request.clone() })?.wait()?;
    let seconds = start.elapsed().as_secs_f64();
    let confirmed = match arguments.confirm {
        true => {
            let cpu = proofmill::open("cpu:")?;
            Some(msm::confirm(&cpu, &device, &request, &computed.points)?)
        }
        false => None,
    };
    let mut cycles = computed.cycles.into_iter().flatten();
    for (point, file) in computed.points.iter().zip(&arguments.scalars) {
        if !arguments.json {
            output.line(point::to_text(instance, point))?;
            continue;
        }
        let cycles = cycles.next().map(|cycles| {
            serde_json::json!({
                "accumulation": cycles.accumulation,
                "tail": cycles.tail,
                "tail_additions": cycles.tail_additions,
            })
        });
        let line = serde_json::json!({
            "type": "msm",
            "instance": instance.name(),
            "scalars": file.display().to_string(),
            "point": point::to_json(instance, point),
            "seconds": seconds,
            "cycles": cycles,
            "confirmed_seconds": confirmed.map(|time| time.as_secs_f64()),
            "plan": {
                "windows": plan.windows,
                "window_bits": plan.window_bits,
                "memory": plan.memory,
                "resident": plan.resident,
                "multiples": plan.multiples,
            },
        });
        output.line(line)?;
    }
    if let Some(time) = confirmed {
        note(format_args!("confirmed by cpu: in {:.3} ms", time.as_secs_f64() * 1e3));
    }
    Ok(Exit::Valid)
}

/// Loads the points with precomputed multiples, and returns them with the plan.
fn precomputed(
    device: &dyn Device,
    bases: &Bases,
    mebibytes: u32,
) -> anyhow::Result<(Bases, Plan)> {
    let max_bytes = (mebibytes as usize).saturating_mul(1 << 20);
    let plan = msm::plan_precomputed(device, bases.instance, bases.count()?, max_bytes)
        .context("--precompute")?;
    let bases = msm::load_bases(device, bases.clone().precomputed(max_bytes))?;
    Ok((bases.into(), plan))
}

/// Writes points.
pub fn generate(arguments: &Generate) -> anyhow::Result<Exit> {
    let Generate { count, first, ref file, .. } = *arguments;
    let instance = arguments.group.instance()?;
    let end = first.checked_add(count).context("--first, --count: more than 2^64 - 1")?;
    let mut written = File::create(file).with_context(|| named("FILE", file))?;
    for start in (first..end).step_by(BLOCK as usize) {
        let points = msm::multiples(instance, start, BLOCK.min(end - start) as usize)?;
        written.write_all(&points).with_context(|| named("FILE", file))?;
    }
    Ok(Exit::Valid)
}

/// Writes scalars.
pub fn generate_scalars(arguments: &Scalars) -> anyhow::Result<Exit> {
    let Scalars { curve, count, seed, file } = arguments;
    let instance = Instance::from_str(&format!("{curve}_g1")).context("--curve")?;
    let scalars = msm::scalars(instance, *seed, *count as usize)?;
    std::fs::write(file, scalars).with_context(|| named("FILE", file))?;
    Ok(Exit::Valid)
}

/// Reads scalars. A file of another length is not read, and of a pipe not more than the scalars and a byte.
fn read_scalars(file: &Path, points: usize) -> anyhow::Result<SecretBytes> {
    let opened = File::open(file)?;
    let (metadata, wanted) = (opened.metadata()?, (points * SCALAR_BYTES) as u64);
    let mut scalars = Vec::with_capacity(wanted as usize + 1);
    let found = match metadata.is_file() && metadata.len() != wanted {
        true => metadata.len(),
        false => opened.take(wanted + 1).read_to_end(&mut scalars)? as u64,
    };
    ensure!(
        found == wanted,
        "{found} bytes{}; expected {wanted}: one scalar of {SCALAR_BYTES} bytes for each of {points} points",
        if metadata.is_file() { "" } else { " or more" }
    );
    Ok(scalars.into())
}

fn named(argument: &str, file: &Path) -> String {
    format!("{argument}: {}", file.display())
}

//! Measures each code path on this machine in a few seconds: rough figures, to compare the paths. `make bench` measures
//! accurately.

use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use proofmill::ecdsa::{self, Item, Policy, file::Reader};
use proofmill::equihash::{self, Network, Params, read};
use proofmill::msm::{self, Bases, Instance};
use proofmill::ntt::{self, Field};
use proofmill::{Data, Device};
use proofmill_algebra::Isa;
use serde_json::{Value, json};

use crate::output::Output;

/// Time of all measurements; each runs at least once.
const BUDGET: Duration = Duration::from_secs(4);
const POINTS: usize = 1 << 14;
const ELEMENTS: usize = 1 << 16;
const SIGNATURES: usize = 1000;
const HEADERS: usize = 64;

/// The columns: key, heading.
const COLUMNS: [(&str, &str); 4] = [
    ("msm_bn254_g1_points", "MSM BN254 G1 2^14, points/s"),
    ("ntt_bn254_fr_elements", "NTT BN254 Fr 2^16, elements/s"),
    ("ecdsa_signatures", "ECDSA, signatures/s"),
    ("equihash_headers", "Equihash, headers/s"),
];

/// An object for each level up to the best of this process, slowest first.
pub fn all_levels() -> anyhow::Result<Value> {
    let best = Isa::best();
    let levels: Vec<_> = Isa::present().into_iter().filter(|isa| *isa <= best).collect();
    let share = BUDGET / (Isa::present().len() * COLUMNS.len()) as u32;
    let mut rows = Vec::new();
    for isa in levels {
        match Isa::named(isa.name()) {
            Ok(_) => rows.push(level(isa, share)?),
            // The path without BMI2 applies to a whole process.
            Err(_) => rows.extend(alone(isa)?),
        }
    }
    Ok(rows.into())
}

/// The rows as a table.
pub fn table(rows: &[Value], output: &mut Output) -> anyhow::Result<()> {
    let wide =
        COLUMNS.map(|(_, heading)| heading).iter().map(|heading| heading.len()).max().unwrap_or(0);
    let head: Vec<_> = rows.iter().map(|row| row["level"].as_str().unwrap_or_default()).collect();
    let line = |name: &str, cells: Vec<String>| {
        let cells: String = cells.iter().map(|cell| format!(" {cell:>12}")).collect();
        format!("{name:<wide$}{cells}")
    };
    output.line(line("", head.iter().map(ToString::to_string).collect()))?;
    for (key, heading) in COLUMNS {
        let cells = rows
            .iter()
            .map(|row| row[key].as_f64().map_or("-".into(), |rate| format!("{rate:.0}")));
        output.line(line(heading, cells.collect()))?;
    }
    Ok(())
}

/// Runs this program again, limited to a level.
fn alone(isa: Isa) -> anyhow::Result<Vec<Value>> {
    let program = std::env::current_exe().context("this program's file")?;
    let done =
        Command::new(program).args(["--isa", isa.name(), "doctor", "--measure", "--json"]).output();
    let done = done.with_context(|| format!("doctor --isa {isa}"))?;
    ensure!(done.status.success(), "doctor --isa {isa}: {}", String::from_utf8_lossy(&done.stderr));
    let seen: Value = serde_json::from_slice(&done.stdout).context("its JSON")?;
    Ok(seen["measured"].as_array().cloned().unwrap_or_default())
}

fn level(isa: Isa, share: Duration) -> anyhow::Result<Value> {
    let device = proofmill::open(&format!("cpu:?isa={isa}"))?;
    let device = &*device;
    let rates = [
        msm(device, "bn254_g1".parse()?, POINTS, share)?,
        ntt(device, Field::Bn254Fr, ELEMENTS, share)?,
        ecdsa(device, SIGNATURES, share)?,
        equihash(device, HEADERS, share)?,
    ];
    let mut row = json!({ "level": isa.name() });
    for ((key, _), rate) in COLUMNS.into_iter().zip(rates) {
        row[key] = rate.into();
    }
    Ok(row)
}

/// Returns the rate per second of work on `count` items: the best of several runs, after one that warms up.
pub fn rate<T>(
    each: usize,
    share: Duration,
    mut work: impl FnMut() -> anyhow::Result<T>,
) -> anyhow::Result<f64> {
    let begun = Instant::now();
    work()?;
    let mut best = Duration::MAX;
    loop {
        let start = Instant::now();
        work()?;
        best = best.min(start.elapsed());
        if begun.elapsed() > share {
            return Ok(each as f64 / best.as_secs_f64());
        }
    }
}

/// Points a second of a sum over resident points.
pub fn msm(
    device: &dyn Device,
    group: Instance,
    count: usize,
    share: Duration,
) -> anyhow::Result<f64> {
    let points = msm::multiples(group, 1, count)?;
    let bases = msm::load_bases(device, Bases::new(group, points).unchecked())?;
    let scalars: Data = numbers(4, count).into();
    rate(count, share, || Ok(msm::msm(device, bases.clone(), scalars.clone())?))
}

/// Elements a second of a transform.
pub fn ntt(
    device: &dyn Device,
    field: Field,
    count: usize,
    share: Duration,
) -> anyhow::Result<f64> {
    let elements: Data = numbers(field.bytes() / 8, count).into();
    let mut memory = Vec::new();
    rate(count, share, || {
        let request = ntt::Request::forward(field, elements.clone());
        memory = ntt::transform(device, request.with_buffer(std::mem::take(&mut memory)))?;
        Ok(())
    })
}

/// Signatures a second, parsing included.
pub fn ecdsa(device: &dyn Device, count: usize, share: Duration) -> anyhow::Result<f64> {
    let entries = Reader::new(&include_bytes!("../demo/data/mainnet.jsonl")[..])?;
    let real: Vec<Item> = entries.map(|entry| Ok(entry?.item?)).collect::<anyhow::Result<_>>()?;
    let items: Vec<Item> = real.iter().cycle().take(count).cloned().collect();
    rate(count, share, || Ok(ecdsa::find_invalid(device, &items, Policy::default())?))
}

/// Headers a second.
pub fn equihash(device: &dyn Device, count: usize, share: Duration) -> anyhow::Result<f64> {
    let params = Params::N200_K9;
    let real = read::headers(include_bytes!("../demo/data/mainnet-346.hex"), params)?;
    let header = real.iter().next().context("the header that is built in")?;
    let headers: Data = header.repeat(count).into();
    rate(count, share, || {
        Ok(equihash::verify_many(device, params, Network::Main, headers.clone())?)
    })
}

/// Numbers of so many words, three bits short of full, so below the modulus of every field that is measured, that look random: a Weyl
/// sequence, mixed.
pub fn numbers(words: usize, count: usize) -> Vec<u8> {
    let words = (1..=words * count).map(|i| {
        let mixed = (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let top = if i % words == 0 { u64::MAX >> 3 } else { u64::MAX };
        (mixed ^ (mixed >> 32)) & top
    });
    words.flat_map(u64::to_le_bytes).collect()
}

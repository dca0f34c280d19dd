//! `proofmill bls`: signatures on BLS12-381.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, ensure};
use clap::{Args, ValueEnum};
use proofmill::bls::{self, PublicKey, Scheme, Signature, Variant, Verifier};
use proofmill::json_error;
use proofmill_algebra::Isa;
use serde_json::{Map, Value, json};

use crate::output::{Exit, Output, count};
use crate::source::DeviceArguments;

#[derive(clap::Subcommand)]
pub enum Command {
    /// Verifies signatures and aggregates of signatures.
    Verify(Arguments),
}

#[derive(Args)]
#[command(after_help = examples!(
    "proofmill bls verify --scheme possession signatures.jsonl",
    "proofmill bls verify --variant min-sig --json signatures.jsonl",
))]
pub struct Arguments {
    /// Which group has the public keys: G1 (min-pk, as in Ethereum and Filecoin) or G2 (min-sig)
    #[arg(long, value_name = "VARIANT", default_value = "min-pk")]
    variant: Asked,
    /// The ciphersuite: basic (NUL), augmented (AUG) or possession (POP, as in Ethereum)
    #[arg(long, value_name = "SCHEME", default_value = "basic")]
    scheme: Suite,
    #[command(flatten)]
    device: DeviceArguments,
    /// Writes one line of JSON a signature
    #[arg(long)]
    json: bool,
    /// JSON lines: `public_key`, `message` and `signature` in hex; or `public_keys`, and `message` or `messages`, of an aggregate
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

#[derive(Clone, Copy, ValueEnum)]
enum Asked {
    MinPk,
    MinSig,
}

#[derive(Clone, Copy, ValueEnum)]
enum Suite {
    Basic,
    Augmented,
    Possession,
}

/// A claim of a line.
enum Claim {
    One(PublicKey, Vec<u8>, Signature),
    OfOneMessage(Vec<PublicKey>, Vec<u8>, Signature),
    OfMany(Vec<(PublicKey, Vec<u8>)>, Signature),
}

/// Verifies a file: signatures of one key by one equation, aggregates one by one.
pub fn verify(arguments: &Arguments, output: &mut Output) -> anyhow::Result<Exit> {
    let variant = match arguments.variant {
        Asked::MinPk => Variant::MinPk,
        Asked::MinSig => Variant::MinSig,
    };
    let scheme = match arguments.scheme {
        Suite::Basic => Scheme::Basic,
        Suite::Augmented => Scheme::MessageAugmentation,
        Suite::Possession => Scheme::ProofOfPossession,
    };
    let (claims, verdicts) = arguments.device.pairings(|pairings| {
        let claims = read(pairings.isa(), &arguments.file, variant, scheme)?;
        let verdicts = verdicts(&Verifier { pairings }, scheme, &claims)?;
        Ok((claims, verdicts))
    })?;
    let mut exit = Exit::Valid;
    for ((number, _), problem) in claims.iter().zip(&verdicts) {
        if problem.is_some() {
            exit = Exit::Invalid;
        }
        if arguments.json {
            let told = json!({ "type": "bls", "line": number, "valid": problem.is_none(), "problem": problem });
            output.line(told)?;
        } else {
            let told = problem.as_ref().map_or("valid".into(), |it| format!("invalid: {it}"));
            output.line(format_args!("line {number}: {told}"))?;
        }
    }
    Ok(exit)
}

/// Reads the claims of a file with their line numbers. A line that is no claim is an error.
fn read(
    isa: Isa,
    file: &Path,
    variant: Variant,
    scheme: Scheme,
) -> anyhow::Result<Vec<(u64, Result<Claim, String>)>> {
    let named = || format!("FILE: {}", file.display());
    let lines = BufReader::new(File::open(file).with_context(named)?).lines();
    let mut claims = vec![];
    for (number, line) in (1..).zip(lines) {
        let line = line.with_context(named)?;
        if line.trim().is_empty() {
            continue;
        }
        let of_line = || format!("{}, line {number}", file.display());
        let fields = fields(&line).with_context(of_line)?;
        claims.push((number, claim(isa, variant, scheme, &fields).with_context(of_line)?));
    }
    ensure!(!claims.is_empty(), "FILE: {} has no signature", file.display());
    Ok(claims)
}

/// Why each claim is not true, if it is not. A key or a signature that is none makes it so.
fn verdicts(
    verifier: &Verifier,
    scheme: Scheme,
    claims: &[(u64, Result<Claim, String>)],
) -> anyhow::Result<Vec<Option<String>>> {
    const WRONG: &str = "the signature does not verify";
    let mut verdicts = vec![];
    let (mut ones, mut places) = (vec![], vec![]);
    for (at, (_, claim)) in claims.iter().enumerate() {
        let valid = match claim {
            Err(problem) => {
                verdicts.push(Some(problem.clone()));
                continue;
            }
            Ok(Claim::One(key, message, signature)) => {
                ones.push((key, &message[..], signature));
                places.push(at);
                true
            }
            Ok(Claim::OfOneMessage(keys, message, signature)) => {
                let keys: Vec<_> = keys.iter().collect();
                verifier.fast_aggregate_verify(&keys, message, signature)?
            }
            Ok(Claim::OfMany(claims, signature)) => {
                let claims: Vec<_> = claims.iter().map(|(key, it)| (key, &it[..])).collect();
                verifier.aggregate_verify(scheme, &claims, signature)?
            }
        };
        verdicts.push((!valid).then(|| WRONG.to_owned()));
    }
    for wrong in verifier.find_invalid(scheme, &ones)? {
        verdicts[places[wrong]] = Some(WRONG.to_owned());
    }
    Ok(verdicts)
}

fn fields(line: &str) -> anyhow::Result<Map<String, Value>> {
    let value = serde_json::from_str(line);
    match value.map_err(|error| anyhow!("JSON: {}", json_error::problem(&error)))? {
        Value::Object(fields) => Ok(fields),
        _ => Err(anyhow!("no JSON object")),
    }
}

/// Parses a line. Fields that are missing or not hex are errors; bytes that are no key or signature make a false claim.
fn claim(
    isa: Isa,
    variant: Variant,
    scheme: Scheme,
    fields: &Map<String, Value>,
) -> anyhow::Result<Result<Claim, String>> {
    let known = ["public_key", "public_keys", "message", "messages", "signature"];
    if let Some(other) = fields.keys().find(|key| !known.contains(&&key[..])) {
        return Err(anyhow!("'{other}' is unknown; expected {}", known.join(", ")));
    }
    let signature = bytes(fields, "signature")?;
    let many = ["public_keys", "messages"].map(|key| fields.contains_key(key));
    let (keys, messages) = match many {
        [false, false] => (vec![bytes(fields, "public_key")?], vec![bytes(fields, "message")?]),
        [true, false] => (list(fields, "public_keys")?, vec![bytes(fields, "message")?]),
        [true, true] => (list(fields, "public_keys")?, list(fields, "messages")?),
        [false, true] => return Err(anyhow!("'messages' without 'public_keys'")),
    };
    let of_one_message = many == [true, false];
    ensure!(
        !of_one_message || scheme == Scheme::ProofOfPossession,
        "'public_keys' of one 'message' need --scheme possession; give 'messages'"
    );
    ensure!(
        many != [true, true] || keys.len() == messages.len(),
        "{} and {}",
        count(keys.len() as u64, "public key"),
        count(messages.len() as u64, "message")
    );
    Ok(points(isa, variant, many, keys, messages, &signature))
}

fn points(
    isa: Isa,
    variant: Variant,
    many: [bool; 2],
    keys: Vec<Vec<u8>>,
    mut messages: Vec<Vec<u8>>,
    signature: &[u8],
) -> Result<Claim, String> {
    let told = |error: bls::Error| error.to_string();
    let keys: Vec<_> = keys.iter().map(|key| &key[..]).collect();
    let keys = PublicKey::each_from_bytes(isa, variant, &keys).into_iter();
    let mut keys = keys.collect::<Result<Vec<_>, _>>().map_err(told)?;
    let signature = Signature::from_bytes(variant, signature).map_err(told)?;
    Ok(match many {
        [true, true] => Claim::OfMany(keys.into_iter().zip(messages).collect(), signature),
        [true, false] => Claim::OfOneMessage(keys, messages.remove(0), signature),
        _ => Claim::One(keys.remove(0), messages.remove(0), signature),
    })
}

fn bytes(fields: &Map<String, Value>, key: &str) -> anyhow::Result<Vec<u8>> {
    let value = fields.get(key).with_context(|| format!("no '{key}'"))?;
    hexadecimal(value).with_context(|| format!("'{key}'"))
}

fn list(fields: &Map<String, Value>, key: &str) -> anyhow::Result<Vec<Vec<u8>>> {
    let values = fields[key].as_array().with_context(|| format!("'{key}': not a list"))?;
    values.iter().map(|value| hexadecimal(value).with_context(|| format!("'{key}'"))).collect()
}

fn hexadecimal(value: &Value) -> anyhow::Result<Vec<u8>> {
    let text = value.as_str().context("not a text")?;
    hex::decode(text.strip_prefix("0x").unwrap_or(text)).context("not hex")
}

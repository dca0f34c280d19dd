//! `proofmill poseidon`: hashes and trees of elements from files, to files.

use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, anyhow, ensure};
use clap::{Args, ValueEnum};
use proofmill::poseidon::tree::{self, Build, Leaves, Proof, Shape};
use proofmill::poseidon::{self, Domain, ELEMENT_BYTES, Instance, Request, Strength, plain};
use proofmill::{Capability, Device, Uri, json_error};
use serde_json::json;

use crate::new_file::{NewFile, keep_apart, write_all};
use crate::output::{Exit, Output};
use crate::progress::Progress;
use crate::source::{self, regular, shown};
use part::Part;

mod part;

#[derive(clap::Subcommand)]
pub enum Command {
    /// Hashes preimages.
    Hash(Hash),
    /// Builds a Merkle tree from leaves or columns.
    Tree(Tree),
    /// Makes the proof that a leaf is in a tree.
    Prove(Prove),
    /// Checks such a proof against the tree's root.
    Check(Check),
}

#[derive(Args)]
#[command(after_help = examples!(
    "proofmill poseidon hash --arity 8 preimages digests",
    "proofmill poseidon hash --instance poseidon2_goldilocks --arity 12 states permuted",
))]
pub struct Hash {
    /// Filecoin's hashes (bls12_381), circomlib's (circom), or the permutation of Poseidon2 (poseidon2_bn254, poseidon2_goldilocks)
    #[arg(long, value_name = "NAME", default_value = "bls12_381", value_parser = named)]
    instance: Named,
    /// Elements of a preimage: 2 to 36; of circom 1 to 16; of poseidon2_bn254 2, 3, 4, 8, 12 or 16; of poseidon2_goldilocks 8, 12, 16 or 20
    #[arg(long)]
    arity: usize,
    /// What is hashed, which decides the domain tag
    #[arg(long, value_name = "DOMAIN", default_value = "merkle-tree")]
    domain: Asked,
    /// Elements of each preimage in the domain constant-length
    #[arg(long, required_if_eq("domain", "constant-length"))]
    length: Option<usize>,
    /// Takes a quarter more partial rounds
    #[arg(long)]
    strengthened: bool,
    /// Device that computes (see `proofmill devices`)
    #[arg(long, value_name = "URI", default_value = "cpu:")]
    device: Uri,
    /// Writes one line of JSON: the number of hashes, and seconds
    #[arg(long)]
    json: bool,
    /// Preimages one after the other: elements of 32 bytes (poseidon2_goldilocks: 8), little-endian, below the modulus
    #[arg(value_name = "FROM")]
    from: PathBuf,
    /// Where to write the digests, in the same form; an existing file is replaced
    #[arg(value_name = "TO")]
    to: PathBuf,
}

/// What hashes: a device, or scalar code.
#[derive(Clone, Copy)]
enum Named {
    OnDevice(Instance),
    Plain(plain::Instance),
}

fn named(name: &str) -> Result<Named, String> {
    if let Ok(instance) = plain::instance(name) {
        return Ok(Named::Plain(instance));
    }
    let all = || plain::Instance::ALL.map(plain::Instance::name).join(", ");
    let unknown = |problem: proofmill::Error| format!("{problem}, {}", all());
    name.parse().map(Named::OnDevice).map_err(unknown)
}

/// A domain without its length.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Asked {
    MerkleTree,
    VariableLength,
    ConstantLength,
    Encryption,
}

#[derive(Args)]
#[command(after_help = examples!(
    "proofmill poseidon tree --arity 8 leaves tree",
    "proofmill poseidon tree --arity 8 --columns 11 --resume columns tree",
))]
pub struct Tree {
    /// Children of a node: 2, 4, 8 or 11, or any number up to 36
    #[arg(long)]
    arity: usize,
    /// Leaves are the hashes of columns, each of so many elements
    #[arg(long, value_name = "ELEMENTS")]
    columns: Option<usize>,
    /// Keeps the state on interruption, in TREE.part and TREE.part.json, and resumes from an existing state
    #[arg(long)]
    resume: bool,
    /// Device that computes (see `proofmill devices`)
    #[arg(long, value_name = "URI", default_value = "cpu:")]
    device: Uri,
    /// Writes one line of JSON: the root, the number of leaves, and seconds
    #[arg(long)]
    json: bool,
    /// Leaves, or columns: elements of 32 bytes, little-endian, below r. The number of leaves is a power of the arity
    #[arg(value_name = "FROM")]
    from: PathBuf,
    /// Where to write all rows, from the leaves to the root; an existing file is replaced
    #[arg(value_name = "TREE")]
    tree: PathBuf,
}

#[derive(Args)]
#[command(after_help = examples!(
    "proofmill poseidon prove --arity 8 --index 42 tree proof.json",
    "proofmill poseidon prove --arity 2 --index 0 tree proof.json",
))]
pub struct Prove {
    /// Children of a node
    #[arg(long)]
    arity: usize,
    /// The leaf's number, from 0 on
    #[arg(long)]
    index: u64,
    /// All rows, as `proofmill poseidon tree` writes them
    #[arg(value_name = "TREE")]
    tree: PathBuf,
    /// Where to write the proof as JSON; an existing file is replaced, - is standard output
    #[arg(value_name = "PROOF")]
    proof: PathBuf,
}

#[derive(Args)]
#[command(after_help = examples!(
    "proofmill poseidon check --root 0x48fe0b1331196f6cdb33a7c6e5af61b76fd388e1ef1d3d418be5147f0e4613d4 proof.json",
    "proofmill poseidon check --root 0x48fe0b1331196f6cdb33a7c6e5af61b76fd388e1ef1d3d418be5147f0e4613d4 --device cpu:?threads=1 proof.json",
))]
pub struct Check {
    /// The root that is trusted
    #[arg(long, value_name = "HEX")]
    root: String,
    /// Device that computes (see `proofmill devices`)
    #[arg(long, value_name = "URI", default_value = "cpu:")]
    device: Uri,
    /// The proof, a file, a pipe or - for standard input
    #[arg(value_name = "PROOF")]
    proof: PathBuf,
}

/// Runs the subcommand.
pub fn run(command: &Command, output: &mut Output) -> anyhow::Result<Exit> {
    match command {
        Command::Hash(arguments) => hash(arguments, output),
        Command::Tree(arguments) => build(arguments, output),
        Command::Prove(arguments) => prove(arguments),
        Command::Check(arguments) => check(arguments, output),
    }
}

fn open(uri: &Uri, instance: Instance) -> anyhow::Result<Box<dyn Device>> {
    let device = proofmill::open_uri(uri)?;
    device.caps().require(&Capability::Poseidon(instance))?;
    Ok(device)
}

fn hash(arguments: &Hash, output: &mut Output) -> anyhow::Result<Exit> {
    let Hash { arity, length, strengthened, ref from, .. } = *arguments;
    let domain = match (arguments.domain, length) {
        (Asked::ConstantLength, length) => Domain::ConstantLength(length.unwrap_or(arity)),
        (_, Some(_)) => anyhow::bail!("--length: only the domain constant-length has one"),
        (Asked::MerkleTree, None) => Domain::MerkleTree,
        (Asked::VariableLength, None) => Domain::VariableLength,
        (Asked::Encryption, None) => Domain::Encryption,
    };
    let read = || std::fs::read(from).with_context(|| format!("FROM: {}", from.display()));
    let instance = match arguments.instance {
        Named::OnDevice(instance) => instance,
        Named::Plain(instance) => {
            ensure!(domain == Domain::MerkleTree, "--domain: only the instance bls12_381 has some");
            ensure!(!strengthened, "--strengthened: only the instance bls12_381 has this strength");
            let uri = &arguments.device;
            ensure!(uri.scheme() == "cpu", "--device: {uri} does not have {instance}; cpu: has");
            let (preimages, start) = (read()?, Instant::now());
            let digests = plain::hash(instance, arity, &preimages)?;
            let count = preimages.len() / (arity * instance.element_bytes());
            return written(arguments, &digests, count, start, output);
        }
    };
    let device = open(&arguments.device, instance)?;
    let preimages = read()?;
    let strength = if strengthened { Strength::Strengthened } else { Strength::Standard };
    let request = Request::new(arity, preimages).in_domain(domain).with_strength(strength);
    let count = request.count()?;
    let start = Instant::now();
    let digests = poseidon::digests(&*device, request)?;
    written(arguments, &digests, count, start, output)
}

fn written(
    arguments: &Hash,
    digests: &[u8],
    count: usize,
    start: Instant,
    output: &mut Output,
) -> anyhow::Result<Exit> {
    let (seconds, to) = (start.elapsed().as_secs_f64(), &arguments.to);
    std::fs::write(to, digests).with_context(|| format!("TO: {}", to.display()))?;
    if arguments.json {
        output.line(json!({
            "type": "poseidon", "arity": arguments.arity, "count": count, "seconds": seconds,
        }))?;
    }
    Ok(Exit::Valid)
}

fn build(arguments: &Tree, output: &mut Output) -> anyhow::Result<Exit> {
    let Tree { arity, columns, ref from, tree: ref to, .. } = *arguments;
    let part = Part::of(to);
    let mut outputs = vec![("TREE", to)];
    if arguments.resume {
        outputs.extend([("TREE.part", &part.rows), ("TREE.part.json", &part.checkpoint)]);
    }
    keep_apart(&outputs, &[("FROM", from)])?;
    let device = open(&arguments.device, Instance::default())?;
    let place = || format!("FROM: {}", from.display());
    let mut file = regular(from).with_context(place)?;
    let bytes = file.metadata().with_context(place)?.len();
    let each = columns.unwrap_or(1).saturating_mul(ELEMENT_BYTES) as u64;
    ensure!(each > 0, "--columns: is 0; expected 2 to 36");
    let what = if columns.is_some() { "columns" } else { "leaves" };
    ensure!(
        bytes.is_multiple_of(each),
        "FROM: {bytes} bytes are not a whole number of {each}-byte {what}"
    );
    let shape = Shape::new(arity, bytes / each)?;
    let leaves = columns.map_or(Leaves::Nodes, Leaves::Columns);
    let place = || format!("TREE: {}", to.display());
    let bar = Arc::new(Progress::of_parts(1));
    let shown = bar.clone();
    let plan = Build::new(shape, leaves)?.with_progress(move |done| shown.say("leaves", done));
    let start = Instant::now();
    let root = if arguments.resume {
        part.build(&plan, &*device, &mut file, to)?
    } else {
        let mut rows = NewFile::create(to).with_context(place)?;
        let root = plan.run(&*device, &mut file, &mut rows)?;
        rows.finish().with_context(place)?;
        root
    };
    bar.finish();
    let seconds = start.elapsed().as_secs_f64();
    let root = tree::to_text(&root);
    if arguments.json {
        output.line(json!({
            "type": "poseidon_tree", "arity": arity, "leaves": shape.leaves(), "root": root,
            "seconds": seconds,
        }))?;
    } else {
        output.line(root)?;
    }
    Ok(Exit::Valid)
}

fn prove(arguments: &Prove) -> anyhow::Result<Exit> {
    let Prove { arity, index, ref tree, proof: ref to } = *arguments;
    keep_apart(&[("PROOF", to)], &[("TREE", tree)])?;
    let place = || format!("TREE: {}", tree.display());
    let mut file = regular(tree).with_context(place)?;
    let bytes = file.metadata().with_context(place)?.len();
    let proof = tree::prove(Shape::of_tree(arity, bytes)?, &mut file, index)?;
    let text = serde_json::to_string_pretty(&proof)? + "\n";
    write_all(&[("PROOF", to, text.as_bytes())])?;
    Ok(Exit::Valid)
}

/// More than any proof has.
const MOST_PROOF_BYTES: u64 = 1 << 20;

fn check(arguments: &Check, output: &mut Output) -> anyhow::Result<Exit> {
    let Check { root, device, proof: path } = arguments;
    let root = tree::of_text(root);
    let root = root.with_context(|| format!("--root: '{}' is not a number 0x…", arguments.root))?;
    let proof = read_proof(path).with_context(|| format!("PROOF: {}", shown(path)))?;
    let found = proof.root(&*open(device, Instance::default())?)?;
    if found == root {
        output.line("valid")?;
        return Ok(Exit::Valid);
    }
    output.line(format_args!("invalid: leads to {}", tree::to_text(&found)))?;
    Ok(Exit::Invalid)
}

fn read_proof(path: &Path) -> anyhow::Result<Proof> {
    let file = BufReader::new(source::open(path)?.take(MOST_PROOF_BYTES));
    serde_json::from_reader(file).map_err(|error| anyhow!("JSON: {}", json_error::problem(&error)))
}

//! Verification of whole blocks: headers, transactions, proofs and signatures, each kind in one batch over all blocks of a call.

mod commitment;
mod devices;
mod groth;
mod report;
mod shielded;
mod structure;

use std::fmt;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

pub use devices::VerifierDevices;
use proofmill::Device;
use proofmill::equihash::{self, Params};
use proofmill_op::process::parallel;
use proofmill_proof::Pairings;
use rayon::prelude::*;
pub use report::{BlockReport, Finding, Findings, Part, TransactionReport, Verdict};
use zcash_protocol::consensus::Network;
use zcash_transparent::bundle::{OutPoint, TxOut};

use crate::Result;
use crate::block::{Block, BlockGroup};
use crate::orchard::{OrchardProof, OrchardVerifier};
use crate::reddsa::{self, Signature};
use crate::transparent::{self, Outputs, Signed, check_inputs};

const NO_PROOF_OF_WORK: &str = "the block has no valid proof of work";

/// Returns the network with this name: main or test.
pub fn network(name: &str) -> Result<Network> {
    match name {
        "main" => Ok(Network::MainNetwork),
        "test" => Ok(Network::TestNetwork),
        other => {
            let problem = format!("'{other}' is unknown; expected main or test");
            Err(proofmill::Error::argument("network", problem).into())
        }
    }
}

/// Verifies blocks of one network.
///
/// What depends on the chain's state is outside its scope: that spent outputs and anchors exist, that nullifiers are new, the difficulty
/// adjustment, the subsidy, and the link to the previous block. A part that needs more than the blocks is reported as not checked.
pub struct BlockVerifier {
    devices: VerifierDevices,
    network: Network,
    keys: groth::Keys,
    outputs: Outputs,
    proof_of_work: bool,
}

/// The place of a part: the numbers of its block and of its transaction.
#[derive(Clone, Copy, Debug)]
struct Place {
    block: usize,
    transaction: usize,
    part: Part,
}

/// What is verified in batches.
#[derive(Debug, Default)]
struct Batches<'a> {
    proofs: groth::Claims,
    actions: Vec<(Place, OrchardProof<'a>)>,
    signatures: Signatures,
}

/// Signatures with their places.
#[derive(Debug, Default)]
struct Signatures {
    places: Vec<Place>,
    signatures: Vec<Signature>,
}

impl Batches<'_> {
    fn append(&mut self, other: Self) {
        self.proofs.append(other.proofs);
        self.actions.extend(other.actions);
        self.signatures.places.extend(other.signatures.places);
        self.signatures.signatures.extend(other.signatures.signatures);
    }
}

impl Signatures {
    fn push(&mut self, place: Place, signature: Signature) {
        self.places.push(place);
        self.signatures.push(signature);
    }
}

impl fmt::Debug for BlockVerifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BlockVerifier({:?} on {})", self.network, self.devices)
    }
}

impl BlockVerifier {
    /// Returns a verifier on one device.
    pub fn new(device: Arc<dyn Device>, network: Network) -> Self {
        Self::with_devices(VerifierDevices::one(device), network)
    }

    /// Returns a verifier on several devices.
    pub fn with_devices(devices: VerifierDevices, network: Network) -> Self {
        let keys = groth::Keys::new(Pairings::by(devices.pairings.clone()));
        Self { devices, network, keys, outputs: Outputs::default(), proof_of_work: true }
    }

    /// Verifies blocks without a valid proof of work too, such as proposals of a miner. By default, only the header and the structure of such
    /// a block are verified, since it costs nothing to make one that takes long.
    pub fn allow_unmined(mut self) -> Self {
        self.proof_of_work = false;
        self
    }

    /// Returns the network.
    pub fn network(&self) -> Network {
        self.network
    }

    /// Adds a transparent output that blocks spend.
    pub fn add_output(&mut self, point: OutPoint, output: TxOut) {
        self.outputs.add(point, output);
    }

    /// Verifies blocks. Returns a report for each, in their order. An output is known to the transactions after its own until one spends it,
    /// also in later calls, up to [`Outputs::LIMIT`]. Runs in the caller's rayon pool.
    ///
    /// Returns an error if a device fails; what is wrong with a block is in its report.
    pub fn verify(&mut self, blocks: Vec<Block>) -> Result<Vec<BlockReport>> {
        parallel(|| self.verify_in_pool(blocks))
    }

    /// Verifies blocks in groups, and calls a function with the report of each or the error in its place, in their order.
    ///
    /// Returns an error if a device fails.
    pub fn verify_each(
        &mut self,
        blocks: impl IntoIterator<Item = Result<Block>>,
        mut report: impl FnMut(Result<BlockReport>),
    ) -> Result<()> {
        let mut group = BlockGroup::default();
        for block in blocks {
            match block {
                Ok(block) => group.push(block),
                Err(error) => {
                    self.verify(group.take())?.into_iter().map(Ok).for_each(&mut report);
                    report(Err(error));
                }
            }
            if group.is_full() {
                self.verify(group.take())?.into_iter().map(Ok).for_each(&mut report);
            }
        }
        self.verify(group.take())?.into_iter().map(Ok).for_each(&mut report);
        Ok(())
    }

    fn verify_in_pool(&mut self, blocks: Vec<Block>) -> Result<Vec<BlockReport>> {
        let mut reports = self.check_alone(&blocks)?;
        let (mut places, mut signed) = (Vec::new(), Vec::new());
        for (number, (block, report)) in blocks.into_iter().zip(&mut reports).enumerate() {
            if self.proof_of_work && report.lacks_proof_of_work() {
                for transaction in &mut report.transactions {
                    transaction.findings.not_checked(Part::Authorization, NO_PROOF_OF_WORK);
                }
                continue;
            }
            places.extend((0..block.transactions.len()).map(|transaction| (number, transaction)));
            for (transaction, _) in block.transactions {
                let spent = self.outputs.take_spent_by(&transaction);
                self.outputs.add_all(&transaction);
                signed.push((transaction, spent));
            }
        }
        let signed: Vec<_> =
            signed.into_par_iter().map(|(it, spent)| Signed::new(it, spent)).collect();
        let inputs = check_inputs(&*self.devices.ecdsa, &signed)?;
        let collected: Vec<_> = places
            .par_iter()
            .zip(&signed)
            .map(|(&(block, transaction), signed)| {
                let (mut batches, mut findings) = (Batches::default(), Findings::default());
                let place = |part| Place { block, transaction, part };
                shielded::collect(&signed.digests, &place, &mut batches, &mut findings);
                (batches, findings)
            })
            .collect();
        let mut batches = Batches::default();
        let mut spent = structure::Spent::default();
        let all = places.into_iter().zip(&signed).zip(inputs).zip(collected);
        for ((((block, transaction), signed), inputs), (claims, shielded)) in all {
            let findings = &mut reports[block].transactions[transaction].findings;
            if transaction == 0 {
                spent = structure::Spent::default();
            }
            spent.add(signed.digests.transaction(), findings);
            report_inputs(&inputs, findings);
            structure::check_fee(signed, findings);
            findings.append(shielded);
            batches.append(claims);
        }
        self.verify_batches(batches, &mut reports)?;
        Ok(reports)
    }

    /// Verifies what needs no other block: headers, commitments, the structure of transactions.
    fn check_alone(&self, blocks: &[Block]) -> Result<Vec<BlockReport>> {
        let headers: Vec<u8> = blocks.iter().flat_map(|it| it.header_bytes.clone()).collect();
        let network = match self.network {
            Network::MainNetwork => equihash::Network::Main,
            Network::TestNetwork => equihash::Network::Test,
        };
        let verdicts =
            equihash::verify_many(&*self.devices.equihash, Params::N200_K9, network, headers)?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |it| it.as_secs());
        let report = |(block, verdict): (&Block, equihash::Verdict)| {
            let context = structure::Context::new(block, self.network);
            let mut findings = Findings::default();
            for error in verdict.errors() {
                findings.invalid(Part::ProofOfWork, error);
            }
            structure::check_block(block, self.network, now, &mut findings);
            commitment::check_commitments(block, &context, &mut findings);
            let transactions = block.transactions.iter().map(|(transaction, length)| {
                let mut findings = Findings::default();
                structure::check_transaction(transaction, *length, &context, &mut findings);
                TransactionReport { txid: transaction.txid(), findings }
            });
            let transactions = transactions.collect();
            BlockReport { hash: block.hash(), height: block.height, findings, transactions }
        };
        Ok(blocks.par_iter().zip(verdicts).map(report).collect())
    }

    fn verify_batches(&self, batches: Batches<'_>, reports: &mut [BlockReport]) -> Result<()> {
        let mut invalid = self.keys.find_invalid(&batches.proofs)?;
        let (places, proofs): (Vec<_>, Vec<_>) = batches.actions.into_iter().unzip();
        let orchard = OrchardVerifier::new(self.devices.msm.clone());
        for (index, problem) in orchard.examine(&proofs)? {
            invalid.push((places[index], problem.to_string()));
        }
        let Signatures { places, signatures } = &batches.signatures;
        let isa = Pairings::by(self.devices.pairings.clone()).isa();
        for index in reddsa::find_invalid(signatures, isa)? {
            invalid.push((places[index], "the signature is invalid".into()));
        }
        for (Place { block, transaction, part }, problem) in invalid {
            reports[block].transactions[transaction].findings.invalid(part, problem);
        }
        Ok(())
    }
}

/// Adds the findings on transparent inputs. An input whose output is unknown was not checked, whatever its script implies.
fn report_inputs(inputs: &[transparent::Finding], findings: &mut Findings) {
    use transparent::Finding::{Checked, Coinbase, NotCheckable};
    for (number, input) in inputs.iter().enumerate() {
        let part = Part::Input(number);
        match input {
            Coinbase | Checked { valid: true, implied: false, .. } => {}
            Checked { valid: false, implied: false, .. } => {
                findings.invalid(part, "its script fails");
            }
            Checked { valid: true, .. } => findings.not_checked(
                part,
                "the spent output is unknown; the signature is valid for the script that the input implies",
            ),
            Checked { .. } => findings.not_checked(
                part,
                "the spent output is unknown; the script that the input implies fails",
            ),
            NotCheckable(reason) => findings.not_checked(part, *reason),
        }
    }
}

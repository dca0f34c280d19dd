//! Proofs of Orchard bundles, verified in batches.

mod inputs;

use std::ops::Range;
use std::sync::Arc;

use once_cell::race::OnceBox;
use orchard::ProtocolVersion;
use proofmill_algebra::Isa;
use proofmill_algebra::encoding::EncodingError;
use proofmill_op::Device;
use proofmill_op::process::parallel_map;
use proofmill_proof::bisection;

use crate::Error;
use crate::halo2::batch::Shared;
use crate::halo2::claim::Claim;
use crate::halo2::constraint_system::ConstraintSystem;
use crate::halo2::domain::Domain;
use crate::halo2::generators::Generators;
use crate::halo2::transcript::{ELEMENT, Elements};
use crate::halo2::{Malformed, Point, VerifyingKey};
use inputs::{ROWS, columns_of_each};

pub use inputs::{OrchardAction, OrchardFlags, OrchardProof};

/// A version of Orchard's circuit. Each has its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OrchardCircuitVersion {
    /// From NU5 until NU6.2: does not bind the base of a scalar multiplication. For blocks of that time only.
    InsecurePreNu6_2,
    /// From NU6.2 until NU6.3.
    FixedPostNu6_2,
    /// From NU6.3: an instance may forbid transfers to other addresses.
    PostNu6_3,
}

impl OrchardCircuitVersion {
    /// The text of the key.
    fn key(self) -> &'static str {
        match self {
            Self::InsecurePreNu6_2 => include_str!("halo2/orchard/insecure_pre_nu6_2.txt"),
            Self::FixedPostNu6_2 => include_str!("halo2/orchard/fixed_post_nu6_2.txt"),
            Self::PostNu6_3 => include_str!("halo2/orchard/post_nu6_3.txt"),
        }
    }

    /// Returns whether bytes after a proof are ignored, as nodes did before NU6.2 (GHSA-2x4w-pxqw-58v9).
    fn ignores_trailing_bytes(self) -> bool {
        self == Self::InsecurePreNu6_2
    }

    /// Returns whether the circuit constrains the flag that forbids transfers to other addresses.
    fn restricts_addresses(self) -> bool {
        self == Self::PostNu6_3
    }
}

impl From<ProtocolVersion> for OrchardCircuitVersion {
    fn from(version: ProtocolVersion) -> Self {
        match version {
            ProtocolVersion::InsecureV1 => Self::InsecurePreNu6_2,
            ProtocolVersion::V2 => Self::FixedPostNu6_2,
            ProtocolVersion::V3 => Self::PostNu6_3,
        }
    }
}

/// The reason why a proof is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidOrchardProof {
    /// There is no action.
    #[error("no action")]
    NoAction,
    /// The flags forbid transfers to other addresses, which this version of the circuit does not constrain.
    #[error("{0:?} does not restrict addresses")]
    CrossAddress(OrchardCircuitVersion),
    /// A public input is not the encoding of its kind.
    #[error("{name} of action {action}: {problem}")]
    PublicInput {
        /// The number of the action, from 0.
        action: usize,
        /// The name of the input.
        name: &'static str,
        /// The problem.
        problem: EncodingError,
    },
    /// The bytes are no proof.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// The proof is well-formed and does not verify.
    #[error("the proof does not verify")]
    DoesNotVerify,
}

/// Proofs or columns of a thread at a time.
const AT_A_TIME: usize = 64;

/// What all proofs share.
struct Circuit {
    system: ConstraintSystem,
    domain: Domain,
    generators: Generators,
}

impl Circuit {
    /// Returns the circuit. The first call computes the generators, which takes some time.
    fn get() -> &'static Self {
        static CIRCUIT: OnceBox<Circuit> = OnceBox::new();
        CIRCUIT.get_or_init(|| {
            let system = ConstraintSystem::read(include_str!("halo2/orchard/action.txt"));
            let domain = Domain::new(system.k);
            let generators = Generators::new(&domain, system.k, ROWS);
            Box::new(Self { system, domain, generators })
        })
    }
}

impl VerifyingKey {
    fn of(version: OrchardCircuitVersion) -> &'static Self {
        static KEYS: [OnceBox<VerifyingKey>; 3] = [const { OnceBox::new() }; 3];
        KEYS[version as usize].get_or_init(|| Box::new(Self::read(version.key())))
    }
}

/// Verifies Orchard proofs in batches: a device computes the MSM of all proofs.
///
/// Generators and keys are computed once for each process, when they are first needed.
#[derive(Clone)]
pub struct OrchardVerifier {
    device: Arc<dyn Device>,
}

impl OrchardVerifier {
    /// Returns a verifier. The device offers MSMs on Vesta.
    pub fn new(device: Arc<dyn Device>) -> Self {
        Self { device }
    }

    /// Returns the index of every invalid proof, ascending: [`Self::examine`] without reasons.
    pub fn find_invalid(&self, proofs: &[OrchardProof<'_>]) -> Result<Vec<usize>, Error> {
        Ok(self.examine(proofs)?.into_iter().map(|(at, _)| at).collect())
    }

    /// Returns the index of every invalid proof with the reason, ascending. Versions may differ.
    ///
    /// A batch takes one MSM if all well-formed proofs are valid; otherwise its halves are verified. Runs in the caller's rayon pool. Returns an
    /// error if the device fails or the system returns no random bytes.
    pub fn examine(
        &self,
        proofs: &[OrchardProof<'_>],
    ) -> Result<Vec<(usize, InvalidOrchardProof)>, Error> {
        if proofs.is_empty() {
            return Ok(vec![]);
        }
        let circuit = Circuit::get();
        let (mut claims, mut invalid) = (vec![], vec![]);
        for (at, claim) in circuit.claims(proofs).into_iter().enumerate() {
            match claim {
                Ok(claim) => claims.push((at, claim)),
                Err(reason) => invalid.push((at, reason)),
            }
        }
        let mut versions: Vec<_> = claims.iter().map(|(at, _)| proofs[*at].version).collect();
        versions.sort_unstable_by_key(|version| *version as usize);
        versions.dedup();
        let keys: Vec<_> = versions.iter().map(|version| VerifyingKey::of(*version)).collect();
        let shared = Shared { generators: &circuit.generators, keys: &keys };
        let key = |at: usize| versions.iter().position(|version| *version == proofs[at].version);
        let numbered: Vec<_> = claims
            .iter()
            .map(|(at, claim)| (key(*at).expect("its version is listed"), claim))
            .collect();
        let all_hold = |some: Range<usize>| shared.hold(&*self.device, &numbered[some]);
        for at in bisection::find_invalid(claims.len(), all_hold)? {
            invalid.push((claims[at].0, InvalidOrchardProof::DoesNotVerify));
        }
        invalid.sort_unstable_by_key(|(at, _)| *at);
        Ok(invalid)
    }
}

impl Circuit {
    /// Verifies each proof up to its claim.
    fn claims(&self, proofs: &[OrchardProof<'_>]) -> Vec<Result<Claim, InvalidOrchardProof>> {
        let isa = Isa::best();
        let parts: Vec<_> = proofs.chunks(AT_A_TIME).collect();
        let columns = parallel_map(parts.len(), &|part| columns_of_each(isa, parts[part]))
            .into_iter()
            .flatten();
        let columns: Vec<_> = columns.collect();
        let all: Vec<_> = columns.iter().flatten().flatten().copied().collect();
        let parts: Vec<_> = all.chunks(AT_A_TIME).collect();
        let commit = |part: usize| self.generators.commit_each(isa, parts[part]);
        let mut commitments = parallel_map(parts.len(), &commit).into_iter().flatten();
        let mut take = |count| commitments.by_ref().take(count).collect::<Vec<_>>();
        let instances =
            columns.into_iter().map(|columns| columns.map(|columns| take(columns.len())));
        let instances: Vec<_> = instances.collect();
        parallel_map(proofs.len(), &|at| self.claim(isa, &proofs[at], instances[at].as_deref()))
    }

    /// Verifies a proof up to its claim, with commitments to the instance columns.
    fn claim(
        &self,
        isa: Isa,
        proof: &OrchardProof<'_>,
        instances: Result<&[Point], &InvalidOrchardProof>,
    ) -> Result<Claim, InvalidOrchardProof> {
        let instances = instances.map_err(|reason| *reason)?;
        let layout = self.system.layout(instances.len());
        let length = ELEMENT * layout.iter().sum::<usize>();
        let mut bytes = proof.proof;
        if proof.version.ignores_trailing_bytes() {
            bytes = &bytes[..bytes.len().min(length)];
        }
        let elements = Elements::read(isa, bytes, &layout)?;
        let instances = instances.iter().map(|commitment| vec![*commitment]).collect();
        let key = VerifyingKey::of(proof.version);
        Ok(Claim::new((&self.system, &self.domain), key, instances, elements)?)
    }
}

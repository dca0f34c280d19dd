//! The public inputs of proofs.

use orchard::Action;
use orchard::bundle::{Authorized, Bundle};
use proofmill_algebra::Isa;
use proofmill_algebra::curve::Affine;
use proofmill_algebra::encoding::{EncodingError, pasta};
use proofmill_algebra::field::PrimeField;
use proofmill_algebra::pallas;

use super::{InvalidOrchardProof, OrchardCircuitVersion};
use crate::halo2::Scalar;

/// The public inputs that the actions of a bundle share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrchardFlags {
    /// Notes may be spent.
    pub enable_spends: bool,
    /// Notes may be created.
    pub enable_outputs: bool,
    /// Notes may be sent to other addresses than those of spent notes: true before NU6.3.
    pub enable_cross_address: bool,
}

/// The public inputs of an action, as they are in transactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrchardAction {
    /// The commitment to the net value: a point of Pallas.
    pub cv_net: [u8; 32],
    /// The nullifier of the spent note: a coordinate.
    pub nullifier: [u8; 32],
    /// The randomized validating key: a point of Pallas, not the identity.
    pub rk: [u8; 32],
    /// The commitment to the new note: a coordinate.
    pub cmx: [u8; 32],
}

/// A proof with the public inputs of its actions.
#[derive(Clone, Debug)]
pub struct OrchardProof<'a> {
    /// The circuit of the block's time.
    pub version: OrchardCircuitVersion,
    /// The proof of all actions.
    pub proof: &'a [u8],
    /// The root of the note commitment tree: a coordinate.
    pub anchor: [u8; 32],
    /// The flags of the bundle.
    pub flags: OrchardFlags,
    /// The actions, one at least.
    pub actions: Vec<OrchardAction>,
}

impl<'a, V> From<&'a Bundle<Authorized, V>> for OrchardProof<'a> {
    fn from(bundle: &'a Bundle<Authorized, V>) -> Self {
        let flags = bundle.flags();
        let action = |action: &Action<_>| OrchardAction {
            cv_net: action.cv_net().to_bytes(),
            nullifier: action.nullifier().to_bytes(),
            rk: action.rk().into(),
            cmx: action.cmx().to_bytes(),
        };
        Self {
            version: bundle.bundle_version().protocol_version().into(),
            proof: bundle.authorization().proof().as_ref(),
            anchor: bundle.anchor().to_bytes(),
            flags: OrchardFlags {
                enable_spends: flags.spends_enabled(),
                enable_outputs: flags.outputs_enabled(),
                enable_cross_address: flags.cross_address_enabled(),
            },
            actions: bundle.actions().iter().map(action).collect(),
        }
    }
}

/// The rows of the instance column: anchor, cv_net, nullifier, rk, cmx, and the flags.
pub const ROWS: usize = 10;

/// Returns the instance columns of each proof, one for each action.
pub fn columns_of_each(
    isa: Isa,
    proofs: &[OrchardProof<'_>],
) -> Vec<Result<Vec<[Scalar; ROWS]>, InvalidOrchardProof>> {
    let actions = proofs.iter().flat_map(|proof| &proof.actions);
    let encodings: Vec<_> = actions.flat_map(|action| [action.cv_net, action.rk]).collect();
    let mut points = pasta::decode_each::<pallas::G1>(isa, &encodings).into_iter();
    let of_each = proofs.iter().map(|proof| {
        let points: Vec<_> = points.by_ref().take(2 * proof.actions.len()).collect();
        columns(proof, &points)
    });
    of_each.collect()
}

type Decoded = Result<Affine<pallas::G1>, EncodingError>;

fn columns(
    proof: &OrchardProof<'_>,
    points: &[Decoded],
) -> Result<Vec<[Scalar; ROWS]>, InvalidOrchardProof> {
    if proof.actions.is_empty() {
        return Err(InvalidOrchardProof::NoAction);
    }
    if !proof.flags.enable_cross_address && !proof.version.restricts_addresses() {
        return Err(InvalidOrchardProof::CrossAddress(proof.version));
    }
    let actions = proof.actions.iter().zip(points.as_chunks().0).enumerate();
    let column =
        |(number, (action, points))| {
            column(proof, action, points).map_err(|(name, problem)| {
                InvalidOrchardProof::PublicInput { action: number, name, problem }
            })
        };
    actions.map(column).collect()
}

/// Returns the instance column of an action, or the input that is malformed.
fn column(
    proof: &OrchardProof<'_>,
    action: &OrchardAction,
    [cv_net, rk]: &[Decoded; 2],
) -> Result<[Scalar; ROWS], (&'static str, EncodingError)> {
    let scalar = |name, bytes: &[u8; 32]| {
        Scalar::from_le_bytes(bytes).map_err(|problem| (name, problem.into()))
    };
    let flag = |is_set: bool| Scalar::from(u64::from(is_set));
    let cv_net = cv_net.map_err(|problem| ("cv_net", problem))?;
    let rk = rk.map_err(|problem| ("rk", problem))?;
    if rk == Affine::IDENTITY {
        return Err(("rk", EncodingError::Identity));
    }
    let flags = proof.flags;
    Ok([
        scalar("anchor", &proof.anchor)?,
        cv_net.x(),
        cv_net.y(),
        scalar("nullifier", &action.nullifier)?,
        rk.x(),
        rk.y(),
        scalar("cmx", &action.cmx)?,
        flag(flags.enable_spends),
        flag(flags.enable_outputs),
        flag(!flags.enable_cross_address),
    ])
}

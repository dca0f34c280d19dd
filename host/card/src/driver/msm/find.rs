//! The MSM engines of a card and their registers.

use proofmill_op::msm::{Curve, Group, Instance};
use proofmill_op::{Capability, Result};

use super::curve::{OnCard, in_group};
use super::form::Form;
use super::geometry::Geometry;
use crate::Transport;
use crate::driver::chain::{Block, Chain};
use crate::driver::job::{Engine, Exchange, Lane};
use crate::wire::constants::msm::{block, commands};
use crate::wire::constants::shell::capabilities as bit;
use crate::wire::{Header, msm_number};

const fn msm(curve: Curve, group: Group) -> Capability {
    Capability::Msm(Instance::new(curve, group))
}

/// The groups that have a capability bit.
pub const KNOWN: &[(Capability, u32)] = &[
    (msm(Curve::Bn254, Group::G1), bit::MSM_BN254),
    (msm(Curve::Bn254, Group::G2), bit::MSM_BN254_G2),
    (msm(Curve::Bls12_381, Group::G1), bit::MSM_BLS12_381),
    (msm(Curve::Bls12_381, Group::G2), bit::MSM_BLS12_381_G2),
    #[cfg(feature = "bls12_377")]
    (msm(Curve::Bls12_377, Group::G1), bit::MSM_BLS12_377),
    #[cfg(feature = "bls12_377")]
    (msm(Curve::Bls12_377, Group::G2), bit::MSM_BLS12_377_G2),
];

/// Finds this operation's engines among the blocks: one at most for a group. Skips engines for groups that it does not
/// support.
pub fn find(
    transport: &mut dyn Transport,
    chain: &Chain,
    uri: &str,
) -> Result<Vec<(Engine, Geometry)>> {
    let mut engines: Vec<(Engine, Geometry)> = Vec::new();
    for it in chain.engines("msm", (block::TYPE, block::VERSION), uri) {
        use block::registers as at;
        let (curve, group) =
            (it.read(transport, at::curve::OFFSET)?, it.read(transport, at::group::OFFSET)?);
        let Some(instance) = Geometry::instance(curve, group) else { continue };
        let geometry = geometry(transport, &it, instance)?;
        if let Some(problem) = in_group!(instance, problem(&geometry))? {
            return Err(it.broken(problem));
        }
        let queue = it.queue(transport, at::queue::OFFSET)?;
        let capability = Capability::Msm(instance);
        if engines.iter().any(|(other, _)| other.capability == capability) {
            return Err(it.broken(format!("a second engine for {instance}")));
        }
        let lane = lane(it.address, queue, &geometry);
        engines.push((Engine { capability, lane }, geometry));
    }
    Ok(engines)
}

fn problem<C: OnCard>(geometry: &Geometry) -> Option<String> {
    geometry.problem::<C>()
}

fn geometry(transport: &mut dyn Transport, it: &Block, instance: Instance) -> Result<Geometry> {
    use block::registers as at;
    let mut word = |offset| it.read(transport, offset);
    let base = [0, 4, 8, 12].map(|i| word(at::base::OFFSET + i));
    let mut bytes = [0; 16];
    for (word, bytes) in base.into_iter().zip(bytes.as_chunks_mut().0) {
        *bytes = word?.to_le_bytes();
    }
    Ok(Geometry {
        instance,
        adders: word(at::adders::OFFSET)? as usize,
        adder_latency: word(at::adder_latency::OFFSET)?.into(),
        windows: word(at::least_window::OFFSET)?..=word(at::most_window::OFFSET)?,
        channels: word(at::channels::OFFSET)? as usize,
        slices: word(at::group::OFFSET)? as usize,
        coordinates: word(at::coordinates::OFFSET)? as usize,
        form: Form {
            digits: word(at::digits::OFFSET)? as usize,
            stored_digit: word(at::stored_digit::OFFSET)? as usize,
            digit_bytes: word(at::digit_bytes::OFFSET)? as usize,
            base: i128::from_le_bytes(bytes),
        },
        memory: it.read64(transport, at::memory::OFFSET)?,
        order: in_group!(instance, order())?,
    })
}

fn order<C: OnCard>() -> &'static [u64] {
    <C::Scalar as proofmill_algebra::field::PrimeField>::MODULUS
}

fn lane(block: u32, queue: usize, geometry: &Geometry) -> Lane {
    use block::registers as at;
    use commands::{cancel, run, write};
    let sum = run::reply_fields::sum::OFFSET as usize;
    let reply = sum + geometry.coordinates * geometry.slices * geometry.form.sum_bytes();
    let group = geometry.instance.group;
    let exchange = |command, len, cmd, reply_len| Exchange {
        command: Header { len, cmd: msm_number(command, group) },
        reply: Header { len: reply_len, cmd: msm_number(cmd, group) },
    };
    Lane {
        block,
        exchanges: vec![
            exchange(write::NUMBER, write::LEN, write::REPLY, write::REPLY_LEN),
            exchange(run::NUMBER, run::LEN, run::REPLY, reply as u32),
            exchange(cancel::NUMBER, cancel::LEN, cancel::REPLY, cancel::REPLY_LEN),
        ],
        queue,
        progress: &[
            at::accumulation_issues::OFFSET,
            at::tail_issues::OFFSET,
            at::passes_done::OFFSET,
            at::done::OFFSET,
        ],
    }
}

//! Many hashes: in lanes as far as they fill them, the few that are left one by one.

use super::arithmetic::{Arithmetic, Bytes, MAX_LANES};
use super::table::Table;
use super::words::{Words, is_element};
use super::{ELEMENT_BYTES, Instance, MAX_WIDTH, Scalar};
use crate::field::Field;
use crate::isa::Isa;
#[cfg(target_arch = "x86_64")]
use crate::lanes::Fma;
use crate::lanes::{Backend, Choice, choose};
use crate::ntt::NotBelowModulus;

/// The preimages, and the memory for the digests.
pub struct Batch<'a> {
    /// The first element of each state.
    pub tag: Scalar,
    /// Elements of a preimage.
    pub elements: usize,
    pub preimages: &'a [Bytes],
    pub digests: &'a mut [Bytes],
}

pub fn hash(instance: &Instance, isa: Isa, batch: Batch<'_>) -> Result<(), NotBelowModulus> {
    let preimages = batch.preimages;
    let are_below = match isa.machine() {
        Some(machine) => choose(machine, InLanes { instance, batch }),
        None => run(Words, instance, batch),
    };
    if are_below {
        return Ok(());
    }
    let first = preimages.iter().position(|element| !is_element(element));
    Err(NotBelowModulus(first.expect("the hash found one")))
}

/// A batch as a [`Choice`].
struct InLanes<'a> {
    instance: &'a Instance,
    batch: Batch<'a>,
}

impl Choice for InLanes<'_> {
    type Output = bool;

    #[inline(always)]
    fn on_limbs<B: Backend>(self, b: B) -> bool {
        self.run(b)
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn on_doubles(self, fma: Fma) -> bool {
        self.run(fma)
    }
}

impl InLanes<'_> {
    /// The last hashes go into lanes if they fill more than a quarter of them.
    #[inline(always)]
    fn run<A: Arithmetic>(self, a: A) -> bool {
        let Batch { tag, elements, preimages, digests } = self.batch;
        let rest = digests.len() % A::LANES;
        let alone = if 4 * rest > A::LANES { 0 } else { rest };
        let (digests, digests_alone) = digests.split_at_mut(digests.len() - alone);
        let (preimages, preimages_alone) = preimages.split_at(elements * digests.len());
        let alone = Batch { tag, elements, preimages: preimages_alone, digests: digests_alone };
        let are_below = alone.digests.is_empty() || apart(self.instance, alone);
        let in_lanes = Batch { tag, elements, preimages, digests };
        are_below & (in_lanes.digests.is_empty() || run(a, self.instance, in_lanes))
    }
}

/// In scalar code, outside the function that is compiled for lanes.
#[inline(never)]
fn apart(instance: &Instance, batch: Batch<'_>) -> bool {
    run(Words, instance, batch)
}

/// Hashes all preimages; returns whether all elements are below the modulus.
#[inline(always)]
fn run<A: Arithmetic>(a: A, instance: &Instance, batch: Batch<'_>) -> bool {
    let Batch { tag, elements, preimages, digests } = batch;
    let table = A::table(&instance.tables);
    let table = table.get_or_init(|| Table::new::<A>(&instance.numbers));
    let [tag, zero] = [A::constant(&tag), A::constant(&Scalar::ZERO)];
    let mut state = [a.splat(&zero); MAX_WIDTH];
    let mut are_below = true;
    let preimages = preimages.chunks(A::LANES * elements);
    for (preimages, digests) in preimages.zip(digests.chunks_mut(A::LANES)) {
        state[0] = a.splat(&tag);
        for (j, x) in state[1..=instance.arity].iter_mut().enumerate() {
            if j < elements {
                let below;
                (*x, below) = a.read(&column(preimages, elements, j));
                are_below &= below;
            } else {
                *x = a.splat(&zero);
            }
        }
        let digest = table.digest(a, &mut state);
        let mut lanes = [[0; ELEMENT_BYTES]; MAX_LANES];
        a.write(&digest, &mut lanes);
        let count = digests.len();
        digests.copy_from_slice(&lanes[..count]);
    }
    are_below
}

/// Element j of each preimage; the last one's where there are no more.
#[inline(always)]
fn column(preimages: &[Bytes], elements: usize, j: usize) -> [&Bytes; MAX_LANES] {
    let last = preimages.len() / elements - 1;
    let mut column = [&preimages[j]; MAX_LANES];
    for (lane, element) in column.iter_mut().enumerate() {
        *element = &preimages[lane.min(last) * elements + j];
    }
    column
}

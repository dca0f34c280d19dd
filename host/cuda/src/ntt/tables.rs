//! Powers that transforms multiply with, resident on the GPU.

use std::sync::{Arc, Mutex, PoisonError};

use proofmill_algebra::field::PrimeField;
use proofmill_op::Result;
use proofmill_op::ntt::Field;

use crate::device::Job;
use crate::gpu::{Buffer, Parameter};

/// Tables that are kept: those of a few sizes with their cosets.
const MAX_TABLES: usize = 48;
/// The logarithm of the most powers that are in one table, which then costs a product less.
const DIRECT: u32 = 16;

/// The powers of a number, in two tables (kernels/ntt.h).
pub(crate) struct Powers {
    low: Buffer,
    /// `None` if the other table has all powers.
    high: Option<Buffer>,
    low_bits: u32,
}

impl Powers {
    /// Returns the argument of type `struct Powers`; null addresses for `None`.
    pub fn parameter(powers: &Option<Arc<Self>>) -> Parameter {
        let words = match powers {
            Some(it) => {
                let high = it.high.as_ref().map_or(0, Buffer::address);
                [it.low.address(), high, u64::from(it.low_bits)]
            }
            None => [0; 3],
        };
        Parameter::of_u64(words)
    }
}

/// Field, logarithm of the size, base and factor as bytes.
type Key = (Field, u32, Vec<u8>, Vec<u8>);

/// The tables of a device.
#[derive(Default)]
pub(crate) struct Tables(Mutex<Vec<(Key, Arc<Powers>)>>);

impl Tables {
    /// factor base^i for all i below 2^log_size.
    pub fn powers<F: PrimeField>(
        &self,
        job: &Job<'_>,
        field: Field,
        base: F,
        factor: F,
        log_size: u32,
    ) -> Result<Arc<Powers>> {
        let bytes = |x: F| x.to_le_bytes().as_ref().to_vec();
        let key = (field, log_size, bytes(base), bytes(factor));
        let mut tables = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = tables.iter().position(|(known, _)| *known == key) {
            let found = tables.remove(at);
            let powers = found.1.clone();
            tables.push(found);
            job.hold(powers.clone());
            return Ok(powers);
        }
        let low_bits = if log_size <= DIRECT { log_size } else { log_size.div_ceil(2) };
        let step = (0..low_bits).fold(base, |power, _| power.square());
        let table =
            |first, base, log: u32| Buffer::with(job.stream, &geometric(first, base, 1 << log));
        let (low, high) = if low_bits == log_size {
            (table(factor, base, log_size)?, None)
        } else {
            (table(F::ONE, base, low_bits)?, Some(table(factor, step, log_size - low_bits)?))
        };
        // Other streams use them, too.
        job.stream.wait()?;
        let powers = Arc::new(Powers { low, high, low_bits });
        if tables.len() == MAX_TABLES {
            tables.remove(0);
        }
        tables.push((key, powers.clone()));
        job.hold(powers.clone());
        Ok(powers)
    }
}

/// first, first base, first base^2, …, in the form of the kernels' second factors.
fn geometric<F: PrimeField>(first: F, base: F, count: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(count * F::BYTES);
    let mut power = first;
    for _ in 0..count {
        bytes.extend_from_slice(&multiplier(&power));
        power *= base;
    }
    bytes
}

/// Returns factors in Montgomery form, or canonical if the kernels have no other (kernels/goldilocks.h).
fn multiplier<F: PrimeField>(x: &F) -> Vec<u8> {
    let limbs = if F::MODULUS.len() == 1 { x.to_canonical() } else { x.to_montgomery() };
    limbs.as_ref().iter().flat_map(|limb| limb.to_le_bytes()).collect()
}

/// Returns the factor that brings the kernels' product of two canonical numbers back to canonical form.
pub(super) fn square<F: PrimeField>() -> Vec<u8> {
    if F::MODULUS.len() == 1 {
        return multiplier(&F::ONE);
    }
    let one = F::ONE.to_montgomery();
    multiplier(&Option::<F>::from(F::from_canonical(one)).expect("it is below the modulus"))
}

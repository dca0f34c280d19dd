//! Batches of hashes on a device.

use std::fmt;
use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};

use generic_array::GenericArray;

use super::{Arity, BatchHasher, NeptuneField, Strength, from_bytes, to_bytes};
use crate::poseidon::{Request, digests};
use crate::{Device, Error, Result};

/// Hashes on one device, in the domain of Merkle trees.
#[derive(Clone)]
pub struct Batcher<F, A> {
    strength: Strength,
    max_batch_size: usize,
    /// The device, or the error that the first hash returns.
    device: Result<Arc<dyn Device>>,
    elements: PhantomData<fn(F, A)>,
}

impl<F: NeptuneField, A: Arity<F>> Batcher<F, A> {
    /// Creates a batcher on the CPU. All such batchers share its threads.
    pub fn new_cpu(max_batch_size: usize) -> Self {
        Self::with_strength_cpu(Strength::Standard, max_batch_size)
    }

    /// Creates a batcher on the CPU, of another strength.
    pub fn with_strength_cpu(strength: Strength, max_batch_size: usize) -> Self {
        Self { strength, max_batch_size, device: processor(), elements: PhantomData }
    }

    /// Creates a batcher on any device, such as one that [`crate::open`] opens.
    pub fn on(device: Arc<dyn Device>, strength: Strength, max_batch_size: usize) -> Self {
        Self { strength, max_batch_size, device: Ok(device), elements: PhantomData }
    }

    /// The digests of elements that follow each other.
    pub(super) fn hash_elements<'a>(
        &self,
        elements: impl IntoIterator<Item = &'a F>,
    ) -> Result<Vec<F>> {
        let device = self.device.as_ref().map_err(Error::clone)?;
        let request = Request::new(A::to_usize(), to_bytes(elements)).with_strength(self.strength);
        from_bytes(&digests(&**device, request)?)
    }
}

impl<F: NeptuneField, A: Arity<F>> BatchHasher<F, A> for Batcher<F, A> {
    fn hash(&mut self, preimages: &[GenericArray<F, A>]) -> Result<Vec<F>> {
        self.hash_elements(preimages.iter().flatten())
    }

    fn max_batch_size(&self) -> usize {
        self.max_batch_size
    }
}

impl<F, A> fmt::Debug for Batcher<F, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let device = self.device.as_ref().map(|device| &device.caps().uri);
        f.debug_struct("Batcher").field("device", &device).finish_non_exhaustive()
    }
}

fn processor() -> Result<Arc<dyn Device>> {
    static PROCESSOR: OnceLock<Result<Arc<dyn Device>>> = OnceLock::new();
    PROCESSOR.get_or_init(|| crate::open("cpu:").map(Arc::from)).clone()
}

//! The chain of transforms that Groth16 needs, as one request.
//!
//! ```text
//! a, b, c      polynomials of degree below n, by their values at the powers of the root
//! result i     (a b - c)(g w^i), by values on the coset with shift g
//! ```
//!
//! Three inverse transforms, three forward ones on the coset, a product and a difference an element. Where a b = c at all powers of the root, the result
//! is the quotient of a b - c by x^n - 1, times g^n - 1.

use proofmill_algebra::field::PrimeField;
use proofmill_algebra::ntt::Transform;

use super::{Field, Memory, Progress, count_log, of_size};
use crate::msm::Instance;
use crate::{Data, Error, Result};

/// What is left of a b - c on a coset.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Quotient {
    /// The field.
    pub field: Field,
    /// Another root of unity than the standard one, whose order is the number of elements of a list.
    pub root: Option<Vec<u8>>,
    /// The shift g of the coset, not 0.
    pub coset: Vec<u8>,
    /// The values of a, of b and of c, as many each.
    pub lists: [Data; 3],
    /// The result stays on the device, as the scalars of a sum in this group: the answer is that of
    /// [`Park`](crate::msm::Request::Park). A device that cannot, or has no room, says so when the request is submitted: an error of the
    /// argument `keep`.
    pub keep: Option<Instance>,
    /// Memory to reuse for the response, if it is large enough. Its content does not matter; after an error it is gone.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub memory: Memory,
    /// Is called with the progress.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub progress: Option<Progress>,
}

impl Quotient {
    /// Of values at the powers of the standard root, on the coset with this shift.
    pub fn new(field: Field, lists: [Data; 3], coset: impl Into<Vec<u8>>) -> Self {
        let (coset, memory) = (coset.into(), Memory::default());
        Self { field, root: None, coset, lists, keep: None, memory, progress: None }
    }

    /// The same with the powers of this root of unity.
    pub fn with_root(self, root: impl Into<Vec<u8>>) -> Self {
        Self { root: Some(root.into()), ..self }
    }

    /// The same, whose result stays on the device for a sum in this group.
    pub fn kept_for(self, instance: Instance) -> Self {
        Self { keep: Some(instance), ..self }
    }

    /// For devices: the transforms over F, which is the request's field, that lead from values at the powers of the root to coefficients, and from there to
    /// values on the coset.
    pub fn transforms<F: PrimeField>(&self) -> Result<(Transform<F>, Transform<F>)> {
        let (log, root) = (self.log_size()?, self.root.as_deref());
        let back = of_size::<F>("lists", log, root, None)?.inverse();
        Ok((back, of_size("lists", log, root, Some(&self.coset))?))
    }

    /// The base-2 logarithm of the number of elements of a list. An error if that is not a power of two, too large, or another for another list.
    pub fn log_size(&self) -> Result<u32> {
        let [a, others @ ..] = self.lists.each_ref().map(|list| list.len());
        let log = count_log("lists", self.field, a)?;
        match others.iter().find(|&&bytes| bytes != a) {
            None => Ok(log),
            Some(bytes) => {
                let problem = format!("have {a} and {bytes} bytes, which should be as many");
                Err(Error::argument("lists", problem))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_as_long_as_each_other() {
        let of = |bytes: [usize; 3]| {
            let lists = bytes.map(|count| Data::from(vec![0; count]));
            Quotient::new(Field::Bn254Fr, lists, [7; 32]).log_size()
        };
        assert_eq!(of([128; 3]).unwrap(), 2);
        let problem = |bytes| of(bytes).unwrap_err().to_string();
        assert_eq!(problem([64, 64, 32]), "lists: have 64 and 32 bytes, which should be as many");
        assert_eq!(problem([96; 3]), "lists: a count of 3 is not a power of two");
    }
}

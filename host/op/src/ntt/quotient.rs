//! The chain of transforms that Groth16 needs, as one request.
//!
//! ```text
//! a, b, c      polynomials of degree below n, by their values at the powers of the root
//! result i     (a b - c)(g w^i), by values on the coset with shift g
//! ```
//!
//! Three inverse transforms, three forward ones on the coset, a product and a difference an element. Where a b = c at all powers of the root, the result
//! is the quotient of a b - c by x^n - 1, times g^n - 1.

use std::fmt;

use proofmill_algebra::field::PrimeField;
use proofmill_algebra::ntt::Transform;

use super::{Buffer, Field, Progress, count_log, of_size};
use crate::msm::Instance;
use crate::{Argument, Capability, Data, Error, Operation, ResidentData, Result, SecretBytes};

/// A request for a b - c on a coset.
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
    /// The group of an MSM for which the result stays on the device, as its scalars. A device that cannot, or lacks memory, refuses when the
    /// request is submitted: an error of [`Argument::ResidentFor`].
    pub resident_for: Option<Instance>,
    /// Memory to reuse for the response, if it is large enough. Its content is ignored; an error drops it.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub buffer: Buffer,
    /// The progress callback.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub progress: Option<Progress>,
}

/// The result of a [`Quotient`].
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum QuotientResponse {
    /// The values on the coset.
    Elements(
        #[cfg_attr(feature = "serde", serde(skip, default = "SecretBytes::empty"))] SecretBytes,
    ),
    /// The handle of the values on the device, as the scalars of an MSM.
    Resident(ResidentData),
}

/// Shows the length only: the elements come from a witness.
impl fmt::Debug for QuotientResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Elements(elements) => write!(f, "Elements({} bytes)", elements.len()),
            Self::Resident(resident) => write!(f, "Resident({} bytes)", resident.len()),
        }
    }
}

/// Quotient of Groth16, as a chain of transforms.
pub struct ComputeQuotient;

impl Operation for ComputeQuotient {
    type Request = Quotient;
    type Response = QuotientResponse;
    const NAME: &'static str = "quotient";

    fn capability(request: &Quotient) -> Capability {
        Capability::Ntt(request.field)
    }

    fn data_mut(request: &mut Quotient) -> Vec<&mut Data> {
        request.lists.iter_mut().collect()
    }

    fn same_result(response: &QuotientResponse, other: &QuotientResponse) -> bool {
        use QuotientResponse::Elements;
        matches!((response, other), (Elements(these), Elements(those)) if **these == **those)
    }

    fn progress_mut(request: &mut Quotient) -> Option<&mut Option<Progress>> {
        Some(&mut request.progress)
    }

    fn take_bytes(response: &mut QuotientResponse) -> Option<SecretBytes> {
        match response {
            QuotientResponse::Elements(elements) => {
                Some(std::mem::replace(elements, SecretBytes::empty()))
            }
            QuotientResponse::Resident(_) => None,
        }
    }

    fn put_bytes(response: &mut QuotientResponse, bytes: SecretBytes) {
        *response = QuotientResponse::Elements(bytes);
    }

    fn take_buffer(request: &mut Quotient) -> Option<SecretBytes> {
        Some(request.buffer.take())
    }

    fn resident(response: &QuotientResponse) -> Option<&ResidentData> {
        match response {
            QuotientResponse::Elements(_) => None,
            QuotientResponse::Resident(resident) => Some(resident),
        }
    }

    fn from_resident(resident: ResidentData) -> Option<QuotientResponse> {
        Some(QuotientResponse::Resident(resident))
    }
}

impl Quotient {
    /// Returns the request for values at the powers of the standard root, on the coset with this shift.
    pub fn new(field: Field, lists: [Data; 3], coset: impl Into<Vec<u8>>) -> Self {
        let (coset, buffer) = (coset.into(), Buffer::default());
        Self { field, root: None, coset, lists, resident_for: None, buffer, progress: None }
    }

    /// Returns the request with the powers of this root of unity.
    pub fn with_root(self, root: impl Into<Vec<u8>>) -> Self {
        Self { root: Some(root.into()), ..self }
    }

    /// Returns the request whose result stays on the device for an MSM in this group.
    pub fn resident_for(self, instance: Instance) -> Self {
        Self { resident_for: Some(instance), ..self }
    }

    /// Returns the transforms over F, which is the field of the request: from values at the powers of the root to coefficients, and from
    /// coefficients to values on the coset. For devices.
    pub fn transforms<F: PrimeField>(&self) -> Result<(Transform<F>, Transform<F>)> {
        let (log, root) = (self.log_size()?, self.root.as_deref());
        let back = of_size::<F>(Argument::Lists, log, root, None)?.inverse();
        Ok((back, of_size(Argument::Lists, log, root, Some(&self.coset))?))
    }

    /// Returns the base-2 logarithm of the number of elements of a list; an error if that is not a power of two, too large, or different
    /// between lists.
    pub fn log_size(&self) -> Result<u32> {
        let [a, others @ ..] = self.lists.each_ref().map(|list| list.len());
        let log = count_log(Argument::Lists, self.field, a)?;
        match others.iter().find(|&&bytes| bytes != a) {
            None => Ok(log),
            Some(bytes) => {
                let problem = format!("have {a} and {bytes} bytes, which should be as many");
                Err(Error::argument(Argument::Lists, problem))
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

//! Transforms of polynomials of n coefficients, on a device.

use proofmill_op::msm::read;
use proofmill_op::ntt::Request;
use proofmill_op::{Cancel, Device, DeviceKind, Error, SecretBytes, Submit};

use super::Scalar;
use super::polynomial::{element, scalars};
use crate::Result;
use crate::groth16::quotient::root;
use crate::groth16::suite::{ScalarOf, Suite};
use proofmill_algebra::field::{Field, PrimeField};

/// The device of transforms. The domain is the powers of the root of unity that is a power of 5, as in snarkjs.
#[derive(Clone, Copy)]
pub struct Transforms<'a> {
    pub device: &'a dyn Device,
    pub cancel: &'a Cancel,
}

impl Transforms<'_> {
    /// Returns the coefficients of the polynomial with these values on the domain.
    pub fn coefficients<E: Suite>(&self, values: SecretBytes) -> Result<SecretBytes> {
        self.run::<E>(Request::inverse(E::FIELD, values))
    }

    /// Returns the coefficients of the polynomial with these values at g times the domain.
    pub fn coefficients_from_coset<E: Suite>(
        &self,
        values: SecretBytes,
        g: ScalarOf<E>,
    ) -> Result<SecretBytes> {
        let request = Request::inverse(E::FIELD, values);
        self.run::<E>(request.on_coset(g.to_le_bytes().as_ref()))
    }

    /// Returns the values of a polynomial at g times the domain.
    pub fn values_on_coset<E: Suite>(
        &self,
        coefficients: SecretBytes,
        g: ScalarOf<E>,
    ) -> Result<SecretBytes> {
        let request = Request::forward(E::FIELD, coefficients);
        self.run::<E>(request.on_coset(g.to_le_bytes().as_ref()))
    }

    /// Returns the coefficients of the polynomial whose values are the negatives of the public inputs, in the first of n rows; `None` without
    /// any.
    pub fn public<E: Suite>(
        &self,
        n: usize,
        public_inputs: &[Scalar],
    ) -> Result<Option<SecretBytes>> {
        if public_inputs.is_empty() {
            return Ok(None);
        }
        let values = scalars(n, self.cancel, |i| {
            let value = public_inputs.get(i).map(element::<ScalarOf<E>>);
            Ok(value.map_or(ScalarOf::<E>::ZERO, |value| -value))
        })?;
        self.coefficients::<E>(values).map(Some)
    }

    /// Transforms; a malformed result is an error of the device.
    fn run<E: Suite>(&self, request: Request) -> Result<SecretBytes> {
        let log = request.log_size()?;
        let expected = request.elements.len();
        let request = request.with_root(root::<ScalarOf<E>>(log).to_le_bytes().as_ref());
        let response = self.device.submit(request)?.linked_to(self.cancel).wait()?;
        let elements = SecretBytes::from(response.elements);
        let caps = self.device.caps();
        let failed = |problem: &str| -> crate::Error {
            Error::Failed { device: caps.uri.clone(), problem: problem.into() }.into()
        };
        if elements.len() != expected {
            return Err(failed("a transform of another length"));
        }
        let is_checked = caps.kind == DeviceKind::Cpu;
        if !is_checked && read::check_reduced::<E::G1>(0, 0, elements.as_chunks().0).is_err() {
            return Err(failed("an element of its transform is not below the modulus"));
        }
        Ok(elements)
    }
}

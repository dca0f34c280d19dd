//! The quotients T0, T1 and T2.
//!
//! The key has the values of its polynomials at the powers of the root w of order 4n: the four cosets w^j of the domain, on which X^n is
//! u_j = w^(j n), a fourth root of unity ([decision 0067](../../../../docs/decisions/0067-three-cosets.md)).
//!
//! - T0 has 2n - 2 coefficients, since a, b and c have n. With R_j = T0 modulo X^n - u_j for j = 1, 3, where u_3 = -u_1:
//!   T0 = (R_1 + R_3) / 2 + X^n (R_1 - R_3) / (2 u_1).
//! - T1 = (z - 1) / (n (X - 1)), since L_0 = (X^n - 1) / (n (X - 1)).
//! - T2 has 3n coefficients: three parts of n, interpolated at u_1, u_2 and u_3 as the quotient of PLONK is.

use proofmill_algebra::field::Field;
use proofmill_op::{Cancel, SecretBytes};

use super::{E, F, Scalar};
use crate::Result;
use crate::groth16::quotient::root;
use crate::plonk::constraints::Constraints;
use crate::plonk::polynomial::{EXTRA, divided, element, folded, put, scalars, scalars_in_chunks};
use crate::plonk::transforms::Transforms;
use crate::snarkjs::fflonk::Zkey;

/// A coset of the domain.
#[derive(Clone, Copy)]
struct Coset {
    number: usize,
    /// w^j, the shift.
    g: F,
    /// w^(j n).
    u: F,
}

impl Coset {
    fn new(log: u32, number: usize) -> Self {
        let power = |root: F| root.pow_vartime(&[number as u64]);
        Self { number, g: power(root(log + 2)), u: power(root(2)) }
    }
}

/// A quotient's surroundings.
pub struct Round<'a> {
    pub key: &'a Zkey,
    pub transforms: Transforms<'a>,
    pub k: [F; 2],
    pub cancel: &'a Cancel,
}

impl Round<'_> {
    /// Computes T0, 2n coefficients, from the coefficients of the wires and of the public inputs' polynomial.
    pub fn gates(
        &self,
        wires: [&SecretBytes; 3],
        public: Option<&SecretBytes>,
    ) -> Result<SecretBytes> {
        let constraints = Constraints::new(self.key, self.k, F::ZERO, F::ZERO);
        let half = inverse(2);
        let halves = [1, 3].map(|number| {
            let coset = Coset::new(self.key.domain_log(), number);
            let [a, b, c] = wires.map(|f| self.on_coset(coset, SecretBytes::copy_of(f)));
            let (a, b, c) = (a?, b?, c?);
            let public = public.map(|f| self.on_coset(coset, SecretBytes::copy_of(f)));
            let public = public.transpose()?;
            // u is not 1.
            let scale = half * (coset.u - F::ONE).invert_vartime().expect("u - 1 is not 0");
            self.interpolated(coset, |first, chunk| {
                for (i, to) in (first..).zip(chunk) {
                    let wires = [at(&a, i), at(&b, i), at(&c, i)];
                    let mut gate = constraints.gate(4 * i + coset.number, wires)?;
                    if let Some(public) = &public {
                        gate += at(public, i);
                    }
                    put(gate * scale, to);
                }
                Ok(())
            })
        });
        let [first, third] = halves;
        let (first, third) = (first?, third?);
        let (n, u3) = (self.n(), root::<F>(2).pow_vartime(&[3]));
        scalars(2 * n, self.cancel, |i| {
            let (r1, r3) = (at(&first, i % n), at(&third, i % n));
            // 1 / u_1 = u_3
            Ok(if i < n { r1 + r3 } else { (r1 - r3) * u3 })
        })
    }

    /// Computes T1, n + 6 coefficients, from z, n + 6 coefficients.
    pub fn start(&self, z: &SecretBytes) -> Result<SecretBytes> {
        let scale = inverse(self.n() as u64);
        divided(self.n() + EXTRA, F::ONE, self.cancel, |i| Ok(at(z, i) * scale))
    }

    /// Computes T2, 3n coefficients, from the coefficients of the wires and of z. `wire` returns those of a wire.
    pub fn permutation(
        &self,
        wire: impl Fn(usize) -> Result<SecretBytes>,
        z: &SecretBytes,
        (beta, gamma): (F, F),
    ) -> Result<SecretBytes> {
        let constraints = Constraints::new(self.key, self.k, beta, gamma);
        let (log, n) = (self.key.domain_log(), self.n());
        let omega = root::<F>(log);
        let quarter = inverse(4);
        let cosets = [1, 2, 3].map(|number| Coset::new(log, number));
        let parts = cosets.map(|coset| {
            let [a, b, c] = [0, 1, 2].map(|number| self.on_coset(coset, wire(number)?));
            let (a, b, c) = (a?, b?, c?);
            let z = self.on_coset(coset, folded(z, coset.u))?;
            let scale = coset.u * quarter;
            self.interpolated(coset, |first, chunk| {
                let mut beta_x = beta * coset.g * omega.pow_vartime(&[first as u64]);
                for (i, to) in (first..).zip(chunk) {
                    let wires = [at(&a, i), at(&b, i), at(&c, i)];
                    let z = [at(&z, i), at(&z, (i + 1) % n)];
                    let sum = constraints.permutation(4 * i + coset.number, beta_x, wires, z)?;
                    put(sum * scale, to);
                    beta_x *= omega;
                }
                Ok(())
            })
        });
        let [first, second, third] = parts;
        let parts = [first?, second?, third?];
        let one = F::ONE;
        // The coefficients of l_j(X), from the lowest on, times d_j.
        let factors = cosets.map(|Coset { u, .. }| [one + u + u.square(), one + u, one]);
        scalars(3 * n, self.cancel, |i| {
            let terms = parts.iter().zip(&factors);
            Ok(terms.fold(F::ZERO, |sum, (part, factor)| sum + at(part, i % n) * factor[i / n]))
        })
    }

    fn n(&self) -> usize {
        1 << self.key.domain_log()
    }

    /// Returns the values of a polynomial of n coefficients on a coset.
    fn on_coset(&self, coset: Coset, coefficients: SecretBytes) -> Result<SecretBytes> {
        self.transforms.values_on_coset::<E>(coefficients, coset.g)
    }

    /// Returns the coefficients of the polynomial with these values on a coset.
    fn interpolated(
        &self,
        coset: Coset,
        fill: impl Fn(usize, &mut [Scalar]) -> Result<()> + Sync,
    ) -> Result<SecretBytes> {
        let values = scalars_in_chunks(self.n(), self.cancel, &fill)?;
        self.transforms.coefficients_from_coset::<E>(values, coset.g)
    }
}

fn at(values: &SecretBytes, i: usize) -> F {
    element(&values.as_chunks().0[i])
}

fn inverse(number: u64) -> F {
    F::from(number).invert_vartime().expect("not a multiple of r")
}

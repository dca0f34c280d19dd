//! The definition of a transform.

use std::error::Error;
use std::fmt;

use crate::field::PrimeField;

/// The largest size is two to the power of this, or of the field's two-adicity where that is less.
pub const MAX_LOG_SIZE: u32 = 27;

/// The reason why there is no transform of a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeError {
    /// It is not a power of two.
    NotPowerOfTwo(usize),
    /// It is too large for the field, or for this module.
    TooLarge {
        /// The logarithm of the size.
        log: u32,
        /// That of the largest size.
        most: u32,
    },
}

impl fmt::Display for SizeError {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotPowerOfTwo(size) => write!(text, "{size} elements are not a power of two"),
            Self::TooLarge { log, most } => {
                write!(text, "2^{log} elements are more than 2^{most}")
            }
        }
    }
}

impl Error for SizeError {}

/// The logarithm of a size.
pub fn log_size<F: PrimeField>(size: usize) -> Result<u32, SizeError> {
    if !size.is_power_of_two() {
        return Err(SizeError::NotPowerOfTwo(size));
    }
    let (log, most) = (size.ilog2(), F::TWO_ADICITY.min(MAX_LOG_SIZE));
    if log > most { Err(SizeError::TooLarge { log, most }) } else { Ok(log) }
}

/// X_k = scale output^k (sum over i < 2^log_size of input^i x_i root^(i k)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transform<F> {
    pub(super) log_size: u32,
    pub(super) root: F,
    pub(super) input: F,
    pub(super) output: F,
    pub(super) scale: F,
}

impl<F: PrimeField> Transform<F> {
    /// Coefficients to values at the powers of the field's root of unity of this order, a power of its generator.
    pub fn forward(log_size: u32) -> Result<Self, SizeError> {
        let root = F::ROOT_OF_UNITY.unwrap_or_else(least_non_residue_root);
        Self::forward_with(log_size, root)
    }

    /// Coefficients to values at the powers of w, where w is that power of the given root of unity, of order
    /// 2^TWO_ADICITY, which has order 2^log_size.
    pub fn forward_with(log_size: u32, root: F) -> Result<Self, SizeError> {
        let most = F::TWO_ADICITY.min(MAX_LOG_SIZE);
        if log_size > most {
            return Err(SizeError::TooLarge { log: log_size, most });
        }
        let root = root_of(log_size, root);
        Ok(Self { log_size, root, input: F::ONE, output: F::ONE, scale: F::ONE })
    }

    /// Coefficients to values at the powers of another root of unity, of order 2^log_size; none if it has another order.
    pub fn forward_at(log_size: u32, root: F) -> Result<Option<Self>, SizeError> {
        let usual = Self::forward(log_size)?;
        let half = (1..log_size).fold(root, |power, _| power.square());
        let has_order = if log_size == 0 { root == F::ONE } else { half == -F::ONE };
        Ok(has_order.then_some(Self { root, ..usual }))
    }

    /// Coefficients to values at g times those powers. g is not 0.
    pub fn on_coset(self, g: F) -> Self {
        Self { input: self.input * g, ..self }
    }

    /// Returns the transform to the values on the odd coset: at the powers of this root, multiplied by the root of unity of twice the size that
    /// belongs to it. There, x^n - 1 is -2 at all n places. Groth16 provers divide by it there: circom's keys are made for these places.
    pub fn on_odd_coset(self, root: F) -> Result<Self, SizeError> {
        let (log, most) = (self.log_size + 1, F::TWO_ADICITY);
        if log > most {
            return Err(SizeError::TooLarge { log, most });
        }
        Ok(self.on_coset(root_of(log, root)))
    }

    /// Returns the transform that inverts this one.
    pub fn inverse(&self) -> Self {
        let invert = |x: &F| x.invert_vartime().expect("neither a root nor a generator is 0");
        Self {
            log_size: self.log_size,
            root: invert(&self.root),
            input: invert(&self.output),
            output: invert(&self.input),
            scale: invert(&(self.scale * F::from(self.size() as u64))),
        }
    }

    /// The number of elements.
    pub fn size(&self) -> usize {
        1 << self.log_size
    }

    /// The number whose power i multiplies element i before the transform.
    pub fn input(&self) -> F {
        self.input
    }

    /// The number whose power k multiplies result k.
    pub fn output(&self) -> F {
        self.output
    }

    /// The factor of all results.
    pub fn scale(&self) -> F {
        self.scale
    }

    /// The root of unity whose powers are the places, of order [`Self::size`].
    pub fn root(&self) -> F {
        self.root
    }
}

/// The power of a root of unity of order 2^TWO_ADICITY that has order 2^log.
fn root_of<F: PrimeField>(log: u32, root: F) -> F {
    (log..F::TWO_ADICITY).fold(root, |root, _| root.square())
}

/// A root of unity of order 2^TWO_ADICITY that is a power of the least non-residue: 5 in the scalar fields of BN254 and
/// BLS12-381. circom's keys are made with its powers.
pub fn least_non_residue_root<F: PrimeField>() -> F {
    let mut odd_part = F::MODULUS.to_vec();
    odd_part[0] -= 1;
    for _ in 0..F::TWO_ADICITY {
        let mut above = 0;
        for limb in odd_part.iter_mut().rev() {
            (*limb, above) = (*limb >> 1 | above << 63, *limb & 1);
        }
    }
    let minus_one = -F::ONE;
    (2..)
        .map(|candidate| F::from(candidate).pow_vartime(&odd_part))
        .find(|root| (1..F::TWO_ADICITY).fold(*root, |x, _| x.square()) == minus_one)
        .expect("half of all are non-residues")
}

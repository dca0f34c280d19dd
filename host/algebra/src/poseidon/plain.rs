//! circomlib's Poseidon over BN254, and Poseidon2 (Grassi, Khovratovich, Schofnegger, ePrint 2023/323) over BN254 and Goldilocks, in
//! scalar code, one after the other. `spec/model/permutation.py` has the definitions.
//!
//! circomlib's takes 1 to 16 elements; the digest is the first element of the permuted state. Poseidon2 is the permutation itself: a
//! state goes in and a state comes out, since those who build hashes on it do so in different ways.
//!
//! The time depends on no element, but for one that is refused.

use std::fmt;

use super::spec::{circom, poseidon2_bn254, poseidon2_goldilocks};
use crate::field::{Bn254Fr, Goldilocks, PrimeField};
use crate::ntt::NotBelowModulus;
use crate::once::Once;
use permutation::Permutation;

mod permutation;

/// Elements of a state of Poseidon2, partial rounds, and the matrix of these: what is on its diagonal, or which candidate it is.
type Width = (usize, usize, Inner);

/// The matrix of partial rounds of Poseidon2.
pub(super) enum Inner {
    /// Ones, and these on the diagonal.
    Diagonal(&'static [u64]),
    /// Ones, and the numbers of this place that follow the constants.
    Candidate(usize),
}

/// An instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Instance {
    /// circomlib's Poseidon over the scalars of BN254: 1 to 16 elements.
    Circom,
    /// Poseidon2 over the scalars of BN254: states of 2, 3, 4, 8, 12 and 16 elements.
    Poseidon2Bn254,
    /// Poseidon2 over Goldilocks: states of 8, 12, 16 and 20 elements.
    Poseidon2Goldilocks,
}

impl Instance {
    /// The instances.
    pub const ALL: [Self; 3] = [Self::Circom, Self::Poseidon2Bn254, Self::Poseidon2Goldilocks];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Circom => "circom",
            Self::Poseidon2Bn254 => "poseidon2_bn254",
            Self::Poseidon2Goldilocks => "poseidon2_goldilocks",
        }
    }

    /// Returns the allowed numbers of elements of a preimage.
    pub fn arities(self) -> Vec<usize> {
        let widths = |all: &[Width]| all.iter().map(|width| width.0).collect();
        match self {
            Self::Circom => (circom::MIN_ARITY..).take(circom::PARTIAL_ROUNDS.len()).collect(),
            Self::Poseidon2Bn254 => widths(&poseidon2_bn254::WIDTHS),
            Self::Poseidon2Goldilocks => widths(&poseidon2_goldilocks::WIDTHS),
        }
    }

    /// Bytes of an element: a canonical integer, lowest byte first.
    pub const fn element_bytes(self) -> usize {
        match self {
            Self::Circom | Self::Poseidon2Bn254 => <Bn254Fr as PrimeField>::BYTES,
            Self::Poseidon2Goldilocks => <Goldilocks as PrimeField>::BYTES,
        }
    }

    /// Elements of a digest of so many elements.
    pub const fn digest_elements(self, arity: usize) -> usize {
        match self {
            Self::Circom => 1,
            Self::Poseidon2Bn254 | Self::Poseidon2Goldilocks => arity,
        }
    }

    /// The digests of preimages of `arity` elements that follow each other, in as many bytes as digests have. An element that is not
    /// below the modulus is named by its number among all.
    ///
    /// # Panics
    /// If there is no such arity, if these are no whole preimages, or the digests too few or too many.
    pub fn hash(
        self,
        arity: usize,
        preimages: &[u8],
        digests: &mut [u8],
    ) -> Result<(), NotBelowModulus> {
        let place = self.arities().iter().position(|&known| known == arity);
        let place = place.unwrap_or_else(|| panic!("{arity} elements"));
        match self {
            Self::Circom => {
                static ALL: [Once<Permutation<Bn254Fr>>; circom::PARTIAL_ROUNDS.len()] =
                    [const { Once::new() }; _];
                let made = || {
                    Permutation::poseidon(
                        arity + 1,
                        circom::FULL_ROUNDS,
                        circom::PARTIAL_ROUNDS[place],
                        circom::ALPHA,
                    )
                };
                run(ALL[place].get_or_init(made), arity, 1, preimages, digests)
            }
            Self::Poseidon2Bn254 => {
                use poseidon2_bn254::{ALPHA, FULL_ROUNDS, WIDTHS};
                static ALL: [Once<Permutation<Bn254Fr>>; WIDTHS.len()] = [const { Once::new() }; _];
                let (width, partial, inner) = &WIDTHS[place];
                let made = || Permutation::poseidon2(*width, FULL_ROUNDS, *partial, ALPHA, inner);
                run(ALL[place].get_or_init(made), arity, arity, preimages, digests)
            }
            Self::Poseidon2Goldilocks => {
                use poseidon2_goldilocks::{ALPHA, FULL_ROUNDS, WIDTHS};
                static ALL: [Once<Permutation<Goldilocks>>; WIDTHS.len()] =
                    [const { Once::new() }; _];
                let (width, partial, inner) = &WIDTHS[place];
                let made = || Permutation::poseidon2(*width, FULL_ROUNDS, *partial, ALPHA, inner);
                run(ALL[place].get_or_init(made), arity, arity, preimages, digests)
            }
        }
    }
}

impl fmt::Display for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Preimages are the end of a state that begins with zeros; digests are the first elements of the permuted one.
fn run<F: PrimeField>(
    permutation: &Permutation<F>,
    arity: usize,
    digest_elements: usize,
    preimages: &[u8],
    digests: &mut [u8],
) -> Result<(), NotBelowModulus> {
    let (preimage_bytes, digest_bytes) = (arity * F::BYTES, digest_elements * F::BYTES);
    assert!(preimages.len().is_multiple_of(preimage_bytes), "whole preimages");
    assert_eq!(
        preimages.len() / preimage_bytes * digest_bytes,
        digests.len(),
        "a digest for each preimage"
    );
    let mut state = vec![F::ZERO; permutation.width()];
    let begin = state.len() - arity;
    let pairs = preimages.chunks(preimage_bytes).zip(digests.chunks_mut(digest_bytes));
    for (number, (preimage, digest)) in pairs.enumerate() {
        state[..begin].fill(F::ZERO);
        for (j, bytes) in preimage.chunks(F::BYTES).enumerate() {
            let element = F::from_le_bytes(bytes);
            state[begin + j] = element.map_err(|_| NotBelowModulus(number * arity + j))?;
        }
        permutation.permute(&mut state);
        for (x, bytes) in state.iter().zip(digest.chunks_mut(F::BYTES)) {
            bytes.copy_from_slice(x.to_le_bytes().as_ref());
        }
    }
    Ok(())
}

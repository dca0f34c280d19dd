//! Joint verification of Groth16 proofs. blst has no Groth16, so this is the equation with random factors r_i over its pairings, as its users write it,
//!
//! ```text
//! product of e(r_i A_i, B_i) = e(alpha, beta)^s e(sum of r_i x_i, gamma) e(sum of r_i C_i, delta)      s: the sum of r_i
//! ```
//!
//! with e((sum of r_i) alpha, beta) as an additional pair.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, anyhow, ensure};
use blst::{BLST_ERROR, blst_fp12, blst_fr, blst_p1, blst_p1_affine, blst_p2_affine, blst_scalar};
use works::Kept;
use works::groth16::{self, Work, bytes, read};

use crate::factors::{random, sum_g1};

/// Bytes of a random number.
const FACTOR: usize = 16;
/// Bytes of a scalar.
const SCALAR: usize = 32;

/// A key and proofs in blst's form.
struct Claims {
    /// alpha, then the points of the public inputs.
    alpha_ic: Vec<blst_p1_affine>,
    /// beta, gamma, delta.
    fixed: [blst_p2_affine; 3],
    public_inputs: Vec<Vec<blst_fr>>,
    a: Vec<blst_p1_affine>,
    b: Vec<blst_p2_affine>,
    c: Vec<blst_p1_affine>,
}

/// The proofs that were read last.
#[derive(Default)]
pub struct Proofs(Kept<PathBuf, Claims>);

impl Proofs {
    pub fn seconds(&mut self, work: &Work) -> Result<f64> {
        let claims = self.0.get(work.proofs.clone(), |path| Claims::new(&read(path)?))?;
        let start = Instant::now();
        let valid = claims.hold()?;
        let seconds = start.elapsed().as_secs_f64();
        ensure!(valid, "a valid proof is found invalid");
        Ok(seconds)
    }
}

/// Defines how a point is decoded.
macro_rules! point {
    ($name:ident $affine:ident $deserialize:ident $length:literal) => {
        fn $name(hex: &str) -> Result<$affine> {
            let (bytes, mut point) = (bytes(hex)?, $affine::default());
            ensure!(bytes.len() == $length, "{} bytes are no point", bytes.len());
            // SAFETY: the slice has the length that blst reads.
            match unsafe { blst::$deserialize(&mut point, bytes.as_ptr()) } {
                BLST_ERROR::BLST_SUCCESS => Ok(point),
                error => Err(anyhow!("{error:?}")),
            }
        }
    };
}

point!(g1 blst_p1_affine blst_p1_deserialize 96);
point!(g2 blst_p2_affine blst_p2_deserialize 192);

fn fr(scalar: &[u8; SCALAR]) -> blst_fr {
    let (mut canonical, mut element) = (blst_scalar::default(), blst_fr::default());
    // SAFETY: a scalar of 32 bytes.
    unsafe {
        blst::blst_scalar_from_lendian(&mut canonical, scalar.as_ptr());
        blst::blst_fr_from_scalar(&mut element, &canonical);
    }
    element
}

fn to_bytes(element: &blst_fr) -> [u8; SCALAR] {
    let mut canonical = blst_scalar::default();
    // SAFETY: an element, and a buffer for its bytes.
    unsafe { blst::blst_scalar_from_fr(&mut canonical, element) };
    canonical.b
}

/// Accumulates the sum, and the sum of products.
fn accumulate(sum: &mut blst_fr, x: &blst_fr, y: &blst_fr) {
    let mut product = blst_fr::default();
    // SAFETY: elements.
    unsafe {
        blst::blst_fr_mul(&mut product, x, y);
        blst::blst_fr_add(sum, sum, &product);
    }
}

impl Claims {
    fn new(from: &groth16::Proofs) -> Result<Self> {
        let each = |points: &mut dyn Iterator<Item = &String>| -> Result<Vec<_>> {
            points.map(|hex| g1(hex)).collect()
        };
        let public = |hex: &String| -> Result<blst_fr> {
            let mut bytes = bytes(hex)?;
            bytes.reverse();
            let bytes = bytes.try_into().map_err(|_| anyhow!("a scalar has {SCALAR} bytes"))?;
            Ok(fr(&bytes))
        };
        let proofs = &from.proofs;
        Ok(Self {
            alpha_ic: each(&mut std::iter::once(&from.alpha).chain(&from.ic))?,
            fixed: [g2(&from.beta)?, g2(&from.gamma)?, g2(&from.delta)?],
            public_inputs: proofs
                .iter()
                .map(|proof| proof.public_inputs.iter().map(public).collect())
                .collect::<Result<_>>()?,
            a: each(&mut proofs.iter().map(|proof| &proof.a))?,
            b: proofs.iter().map(|proof| g2(&proof.b)).collect::<Result<_>>()?,
            c: each(&mut proofs.iter().map(|proof| &proof.c))?,
        })
    }

    fn hold(&self) -> Result<bool> {
        let count = self.a.len();
        // SAFETY: points that blst decoded.
        let in_groups = unsafe {
            self.a.iter().chain(&self.c).all(|point| blst::blst_p1_affine_in_g1(point))
                && self.b.iter().all(|point| blst::blst_p2_affine_in_g2(point))
        };
        if !in_groups {
            return Ok(false);
        }
        let factors = random(count, FACTOR)?;
        // -r_i A_i beside B_i.
        let mut p = self.multiples(&factors);
        let mut q = self.b.clone();
        // s alpha beside beta, the sum of r_i x_i beside gamma, that of r_i C_i beside delta.
        let mut sums = vec![blst_fr::default(); self.alpha_ic.len()];
        let one = fr(&std::array::from_fn(|i| u8::from(i == 0)));
        for (public_inputs, factor) in self.public_inputs.iter().zip(factors.chunks(FACTOR)) {
            let mut wide = [0; SCALAR];
            wide[..FACTOR].copy_from_slice(factor);
            let r = fr(&wide);
            accumulate(&mut sums[0], &r, &one);
            accumulate(&mut sums[1], &r, &one);
            for (sum, x) in sums[2..].iter_mut().zip(public_inputs) {
                accumulate(sum, &r, x);
            }
        }
        let sums: Vec<_> = sums.iter().map(to_bytes).collect();
        let of = |points: &[blst_p1_affine], sums: &[[u8; SCALAR]]| {
            sum_g1(points, sums.as_flattened(), SCALAR)
        };
        p.push(of(&self.alpha_ic[..1], &sums[..1]));
        p.push(of(&self.alpha_ic[1..], &sums[1..]));
        p.push(sum_g1(&self.c, &factors, FACTOR));
        q.extend(self.fixed);
        let mut value = blst_fp12::default();
        // SAFETY: lists of one length with consecutive points.
        unsafe {
            let (p, q, count) =
                ([p.as_ptr(), std::ptr::null()], [q.as_ptr(), std::ptr::null()], p.len());
            blst::blst_miller_loop_n(&mut value, q.as_ptr(), p.as_ptr(), count);
            blst::blst_final_exp(&mut value, &value);
            Ok(blst::blst_fp12_is_one(&value))
        }
    }

    /// Computes -r_i A_i.
    fn multiples(&self, factors: &[u8]) -> Vec<blst_p1_affine> {
        let count = self.a.len();
        let mut multiples = vec![blst_p1::default(); count];
        let mut affine = vec![blst_p1_affine::default(); count];
        // SAFETY: points that blst computed, in buffers of the given lengths.
        unsafe {
            for ((to, a), factor) in multiples.iter_mut().zip(&self.a).zip(factors.chunks(FACTOR)) {
                blst::blst_p1_from_affine(to, a);
                blst::blst_p1_mult(to, to, factor.as_ptr(), 8 * FACTOR);
                blst::blst_p1_cneg(to, true);
            }
            let list = [multiples.as_ptr(), std::ptr::null()];
            blst::blst_p1s_to_affine(affine.as_mut_ptr(), list.as_ptr(), count);
        }
        affine
    }
}

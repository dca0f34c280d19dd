//! Powers of tau: powers are powers, and the Lagrange polynomials of every size add up to them.

use proofmill_algebra::curve::{Affine, Curve as _};
use proofmill_algebra::field::Field;
use proofmill_algebra::pairing::{Bls12381, Bn254};
use proofmill_proof::dev::{InsecurePowersOfTau, WARNING};
use proofmill_proof::groth16::Curve;

use super::file::{Curves, File, Scalar, equal, points_g1, points_g2, root, sum};

const POWER: u32 = 3;

fn examine<E: Curves>(curve: Curve) {
    let mut file = Vec::new();
    InsecurePowersOfTau::new(curve, POWER, b"test").unwrap().write(&mut file).unwrap();
    let file = File::read(&file, b"ptau");
    let g1 = |number| points_g1::<E>(file.section(number));
    let g2 = |number| points_g2::<E>(file.section(number));
    assert_eq!(file.section(1)[4 + E::BYTES..], [3, 0, 0, 0, 3, 0, 0, 0]);
    assert!(file.section(7).ends_with(WARNING.as_bytes()));

    let (one, two, beta) = (E::G1::GENERATOR, E::G2::GENERATOR, g2(6)[0]);
    let (tau, tau_g2, alpha_tau, beta_tau) = (g1(2), g2(3), g1(4), g1(5));
    assert_eq!([tau.len(), tau_g2.len(), alpha_tau.len(), beta_tau.len()], [15, 8, 8, 8]);
    assert_eq!((tau[0], tau_g2[0]), (one, two));
    for i in 1..tau.len() {
        assert!(equal::<E>((tau[i], two), (tau[i - 1], tau_g2[1])), "{i}");
    }
    for i in 0..tau_g2.len() {
        assert!(equal::<E>((one, tau_g2[i]), (tau[i], two)), "{i}");
        assert!(equal::<E>((alpha_tau[i], two), (alpha_tau[0], tau_g2[i])), "{i}");
        assert!(equal::<E>((beta_tau[i], two), (tau[i], beta)), "{i}");
    }

    let [bases, of_alpha, of_beta] = [g1(12), g1(14), g1(15)];
    assert_eq!([bases.len(), of_alpha.len(), of_beta.len()], [31, 15, 15]);
    for log in 0..=POWER {
        let range = (1 << log) - 1..(2 << log) - 1;
        interpolates::<E>(log, &bases[range.clone()], &tau);
        interpolates::<E>(log, &of_alpha[range.clone()], &alpha_tau);
        interpolates::<E>(log, &of_beta[range], &beta_tau);
    }
    interpolates::<E>(POWER + 1, &bases[of_alpha.len()..], &tau);
    for (in_g2, in_g1) in g2(13).into_iter().zip(bases) {
        assert!(equal::<E>((one, in_g2), (in_g1, two)));
    }
}

/// The sum of L_i(tau) w^(i d) is the power of number d; where there is none, it was left away.
fn interpolates<E: Curves>(log: u32, bases: &[Affine<E::G1>], powers: &[Affine<E::G1>]) {
    let w = root::<Scalar<E>>(log);
    for d in 0..bases.len() {
        let scalars = (0..bases.len()).map(|i| w.pow_vartime(&[(i * d) as u64]));
        let found = Affine::from(sum(bases, &scalars.collect::<Vec<_>>()));
        assert!(found == powers.get(d).copied().unwrap_or(Affine::IDENTITY), "{log} {d}");
    }
}

#[test]
fn powers_of_tau_are_powers_of_tau() {
    examine::<Bn254>(Curve::Bn254);
    examine::<Bls12381>(Curve::Bls12_381);
}

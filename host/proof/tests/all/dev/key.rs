//! Keys and witnesses: a naive prover makes a proof from them that pairings accept.

use proofmill_algebra::curve::{Affine, Curve as _};
use proofmill_algebra::field::Field;
use proofmill_algebra::pairing::{Bls12381, Bn254};
use proofmill_proof::dev::{Circuit, Statement, WARNING};
use proofmill_proof::groth16::Curve;

use super::file::{
    Curves, File, Scalar, between, canonical, equal, integer, is_one, points_g1, points_g2, sum,
};

/// Size of the circuits' domain.
const N: usize = 8;

fn key(circuit: &Circuit, seed: &[u8]) -> Vec<u8> {
    let mut key = Vec::new();
    circuit.write_insecure_key(seed, &mut key).unwrap();
    key
}

/// Returns (A w)_i, (B w)_i and their product at the odd powers, the last minus the product of the others.
fn at_odd_places<E: Curves>(coefficients: &[u8], values: &[Scalar<E>]) -> Vec<Scalar<E>> {
    // The coefficients are multiplied by R^2, R = 2^256.
    let r_squared = (0..512).fold(Scalar::<E>::ONE, |power, _| power.double());
    let inverse = r_squared.invert_vartime().unwrap();
    let mut rows = [[Scalar::<E>::ZERO; N]; 2];
    for term in coefficients[4..].chunks_exact(12 + 32) {
        let [matrix, row, variable] = [0, 4, 8].map(|at| integer(&term[at..]) as usize);
        rows[matrix][row] += canonical::<Scalar<E>>(&term[12..])[0] * inverse * values[variable];
    }
    let c: Vec<_> = rows[0].iter().zip(rows[1]).map(|(a, b)| *a * b).collect();
    let [a, b, c] = [&rows[0][..], &rows[1], &c].map(between);
    a.iter().zip(b).zip(c).map(|((a, b), c)| *a * b - c).collect()
}

/// Checks that a proof with r = s = 0 from the two files satisfies the equation of Groth16, and with other public inputs does not.
fn examine<E: Curves>(circuit: &Circuit) {
    let key = File::read(&key(circuit, b"test"), b"zkey");
    let mut witness = Vec::new();
    circuit.write_witness(&mut witness).unwrap();
    let values: Vec<Scalar<E>> = canonical(File::read(&witness, b"wtns").section(2));
    assert_eq!(values.len(), circuit.variables());

    let mut header = &key.section(2)[4 + E::BYTES + 4 + 32..];
    let mut take = |bytes: usize| header.split_off(..bytes).unwrap();
    let sizes = [circuit.variables(), circuit.public_inputs(), N].map(|size| size as u32);
    assert_eq!([(); 3].map(|()| integer(take(4))), sizes);
    let [alpha, _beta] = [(); 2].map(|()| points_g1::<E>(take(2 * E::BYTES))[0]);
    let [beta, gamma] = [(); 2].map(|()| points_g2::<E>(take(4 * E::BYTES))[0]);
    let delta_g1 = points_g1::<E>(take(2 * E::BYTES))[0];
    let delta = points_g2::<E>(take(4 * E::BYTES))[0];

    let g1 = |number| points_g1::<E>(key.section(number));
    let b_g2 = points_g2::<E>(key.section(7));
    let (public_inputs, privates) = values.split_at(circuit.public_inputs() + 1);
    let h = at_odd_places::<E>(key.section(4), &values);
    let a = sum(&g1(5), &values) + alpha;
    let b = sum(&b_g2, &values) + beta;
    let c = sum(&g1(8), privates) + sum(&g1(9), &h);
    let accepts = |public_inputs: &[Scalar<E>]| {
        let public_inputs = sum(&g1(3), public_inputs);
        let proof = (-Affine::from(a), b.into());
        is_one::<E>(&[proof, (alpha, beta), (public_inputs.into(), gamma), (c.into(), delta)])
    };
    assert!(accepts(public_inputs));
    for i in 0..public_inputs.len() {
        let mut wrong = public_inputs.to_vec();
        wrong[i] += Scalar::<E>::ONE;
        assert!(!accepts(&wrong), "{i}");
    }

    // Points in both groups have the same scalar.
    let (one, two) = (E::G1::GENERATOR, E::G2::GENERATOR);
    assert!(equal::<E>((delta_g1, two), (one, delta)));
    for (b_g1, b_g2) in g1(6).into_iter().zip(b_g2) {
        assert!(equal::<E>((b_g1, two), (one, b_g2)));
    }
}

#[test]
fn an_obvious_prover_proves_with_keys_of_both_curves() {
    let chain =
        |curve, constraints| Circuit::new(curve, &Statement::Chain { constraints }).unwrap();
    examine::<Bn254>(&chain(Curve::Bn254, N - 2));
    examine::<Bls12381>(&chain(Curve::Bls12_381, N - 3));
}

#[test]
fn a_seed_makes_one_key_that_says_what_it_is() {
    let circuit = Circuit::new(Curve::Bn254, &Statement::Chain { constraints: 5 }).unwrap();
    assert_eq!(key(&circuit, b"one"), key(&circuit, b"one"));
    assert_ne!(key(&circuit, b"one"), key(&circuit, b"two"));
    let key = File::read(&key(&circuit, b"one"), b"zkey");
    assert!(key.section(10).ends_with(WARNING.as_bytes()) && WARNING.starts_with("INSECURE"));
}

#[test]
fn a_digest_s_circuit_has_about_the_size_that_was_asked_for() {
    for asked in [20_000, 50_000, 120_000] {
        let statement = Statement::sha256_of_about(asked);
        let found = Circuit::new(Curve::Bls12_381, &statement).unwrap().constraints();
        assert!(found.abs_diff(asked) < 15_000, "{found} for {asked}");
    }
}

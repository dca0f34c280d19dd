//! Keys and witnesses of `dev`, read here byte by byte: an obvious prover makes a proof of them that pairings accept.

use std::collections::HashMap;

use proofmill_algebra::Isa;
use proofmill_algebra::curve::{Affine, Curve as _, Projective};
use proofmill_algebra::encoding::Coordinate;
use proofmill_algebra::field::{Field, PrimeField};
use proofmill_algebra::ntt::least_non_residue_root;
use proofmill_algebra::pairing::{Bls12381, Bn254, Pairing, product};
use proofmill_proof::dev::{Circuit, InsecurePowersOfTau, Statement, WARNING};
use proofmill_proof::groth16::Curve;

/// The sections of a file by number, and its version.
fn sections<'a>(file: &'a [u8], letters: &str) -> HashMap<u32, &'a [u8]> {
    assert_eq!(&file[..4], letters.as_bytes());
    let (mut found, mut at) = (HashMap::new(), 12);
    while at < file.len() {
        let length = u64::from_le_bytes(file[at + 4..at + 12].try_into().unwrap()) as usize;
        found.insert(integer(&file[at..]), &file[at + 12..at + 12 + length]);
        at += 12 + length;
    }
    assert_eq!((at, found.len()), (file.len(), integer(&file[8..]) as usize));
    found
}

fn integer(bytes: &[u8]) -> u32 {
    u32::from_le_bytes(bytes[..4].try_into().unwrap())
}

fn canonical<F: PrimeField>(bytes: &[u8]) -> Vec<F> {
    bytes.chunks_exact(F::BYTES).map(|bytes| F::from_le_bytes(bytes).unwrap()).collect()
}

/// Points of the groups.
fn points<C: proofmill_algebra::curve::Curve<Base: Coordinate>>(
    bytes: &[u8],
    prime_bytes: usize,
) -> Vec<Affine<C>> {
    let radix = (0..8 * prime_bytes).fold(C::Base::ONE, |power, _| power.double());
    let inverse = radix.invert_vartime().unwrap();
    let coordinate = |bytes: &[u8]| C::Base::read_le(bytes).unwrap() * inverse;
    let each = C::Base::BYTES;
    let point =
        |bytes: &[u8]| Affine::new(coordinate(&bytes[..each]), coordinate(&bytes[each..])).unwrap();
    bytes.chunks_exact(2 * each).map(point).collect()
}

fn sum<C: proofmill_algebra::curve::Curve>(
    points: &[Affine<C>],
    scalars: &[C::Scalar],
) -> Projective<C> {
    assert_eq!(points.len(), scalars.len());
    let terms = points.iter().zip(scalars);
    terms.fold(Projective::IDENTITY, |sum, (point, k)| {
        sum + Projective::from(*point).times_vartime(k)
    })
}

/// The values at the odd powers of the root of order 2n of the polynomial with these at the even ones.
fn between<F: PrimeField>(values: &[F]) -> Vec<F> {
    let n = values.len() as u64;
    let root =
        (n.ilog2() + 1..F::TWO_ADICITY).fold(least_non_residue_root(), |root: F, _| root.square());
    let over_n = F::from(n).invert_vartime().unwrap();
    let power = |i: u64| root.pow_vartime(&[i % (2 * n)]);
    let sum = |terms: &[F], from: &dyn Fn(u64) -> F| {
        (0..).zip(terms).fold(F::ZERO, |sum, (i, term)| sum + from(i) * term)
    };
    let coefficients: Vec<F> =
        (0..n).map(|k| over_n * sum(values, &|i| power(2 * n - 2 * i * k % (2 * n)))).collect();
    (0..n).map(|i| sum(&coefficients, &|k| power((2 * i + 1) * k))).collect()
}

/// A proof with r = s = 0 from the two files is accepted by the equation of Groth16, and with one other number is not.
fn examine<E>(circuit: &Circuit)
where
    E: Pairing<
            G1: proofmill_algebra::curve::Curve<Base: PrimeField + Coordinate>,
            G2: proofmill_algebra::curve::Curve<Base: Coordinate>,
        >,
{
    type Scalar<E> = <<E as Pairing>::G1 as proofmill_algebra::curve::Curve>::Scalar;
    let (mut key, mut witness) = (Vec::new(), Vec::new());
    circuit.write_insecure_key(b"test", &mut key).unwrap();
    circuit.write_witness(&mut witness).unwrap();
    let (key, witness) = (sections(&key, "zkey"), sections(&witness, "wtns"));
    let bytes = <<E::G1 as proofmill_algebra::curve::Curve>::Base as Coordinate>::BYTES;

    let values: Vec<Scalar<E>> = canonical(witness[&2]);
    assert_eq!(values.len(), circuit.variables());
    let (header, n) = (&key[&2][8 + bytes + 32..], 1 << 3);
    assert_eq!(header[..4], (circuit.variables() as u32).to_le_bytes());
    assert_eq!(header[4..8], (circuit.publics() as u32).to_le_bytes());
    assert_eq!(header[8..12], (n as u32).to_le_bytes());
    let mut single = &header[12..];
    let mut take = |count: usize| single.split_off(..count).unwrap();
    let alpha = points::<E::G1>(take(2 * bytes), bytes)[0];
    let _beta_g1 = take(2 * bytes);
    let [beta, gamma] = [(); 2].map(|()| points::<E::G2>(take(4 * bytes), bytes)[0]);
    let delta_g1 = points::<E::G1>(take(2 * bytes), bytes)[0];
    let delta = points::<E::G2>(take(4 * bytes), bytes)[0];

    let over_r = (0..2 * 256).fold(Scalar::<E>::ONE, |power, _| power.double());
    let over_r = over_r.invert_vartime().unwrap();
    let mut rows = [vec![Scalar::<E>::ZERO; n], vec![Scalar::<E>::ZERO; n]];
    for term in key[&4][4..].chunks_exact(12 + 32) {
        let [matrix, row, variable] = [0, 4, 8].map(|at| integer(&term[at..]) as usize);
        rows[matrix][row] += canonical::<Scalar<E>>(&term[12..])[0] * over_r * values[variable];
    }
    let [a, b] = rows;
    let c: Vec<_> = a.iter().zip(&b).map(|(a, b)| *a * b).collect();
    let [a, b, c] = [a, b, c].map(|values| between(&values));
    let h: Vec<_> = a.iter().zip(b).zip(c).map(|((a, b), c)| *a * b - c).collect();

    let g1 = |number| points::<E::G1>(key[&number], bytes);
    let (publics, privates) = values.split_at(circuit.publics() + 1);
    let proof_a = sum(&g1(5), &values) + alpha;
    let b_g2 = points::<E::G2>(key[&7], bytes);
    let proof_b = sum(&b_g2, &values) + beta;
    let proof_c = sum(&g1(8), privates) + sum(&g1(9), &h);
    let accepts = |publics: &[Scalar<E>]| {
        let pairs = [
            (-Affine::from(proof_a), Affine::from(proof_b)),
            (alpha, beta),
            (sum(&g1(3), publics).into(), gamma),
            (proof_c.into(), delta),
        ];
        product::<E>(Isa::best(), &pairs) == proofmill_algebra::tower::Fp12::ONE
    };
    assert!(accepts(publics));
    let wrong: Vec<_> = publics.iter().map(|value| *value + Scalar::<E>::ONE).collect();
    assert!(!accepts(&wrong));

    // The same scalars in both groups.
    let (one, two) = (E::G1::GENERATOR, E::G2::GENERATOR);
    let same = |one_side: (Affine<E::G1>, Affine<E::G2>), other: (Affine<E::G1>, Affine<E::G2>)| {
        product::<E>(Isa::best(), &[(-one_side.0, one_side.1), other])
            == proofmill_algebra::tower::Fp12::ONE
    };
    assert!(same((delta_g1, two), (one, delta)));
    for (b_g1, b_g2) in g1(6).into_iter().zip(b_g2) {
        assert!(same((b_g1, two), (one, b_g2)));
    }
    let words = key[&10];
    assert!(words.ends_with(WARNING.as_bytes()) && WARNING.starts_with("INSECURE"));
}

#[test]
fn an_obvious_prover_proves_with_a_key_of_bn254() {
    let statement = Statement::Chain { constraints: 5 };
    examine::<Bn254>(&Circuit::new(Curve::Bn254, &statement).unwrap());
}

#[test]
fn and_with_one_of_bls12_381() {
    let statement = Statement::Chain { constraints: 6 };
    examine::<Bls12381>(&Circuit::new(Curve::Bls12_381, &statement).unwrap());
}

#[test]
fn a_seed_makes_one_key() {
    let circuit = Circuit::new(Curve::Bn254, &Statement::Chain { constraints: 5 }).unwrap();
    let key = |seed: &[u8]| {
        let mut key = Vec::new();
        circuit.write_insecure_key(seed, &mut key).unwrap();
        key
    };
    assert_eq!(key(b"one"), key(b"one"));
    assert_ne!(key(b"one"), key(b"two"));
}

/// Powers are powers, and the Lagrange polynomials at every size add up to the powers again.
fn examine_powers<E>(curve: Curve)
where
    E: Pairing<
            G1: proofmill_algebra::curve::Curve<Base: PrimeField + Coordinate>,
            G2: proofmill_algebra::curve::Curve<Base: Coordinate>,
        >,
{
    type Scalar<E> = <<E as Pairing>::G1 as proofmill_algebra::curve::Curve>::Scalar;
    let (power, mut file) = (3, Vec::new());
    InsecurePowersOfTau::new(curve, power, b"test").unwrap().write(&mut file).unwrap();
    let file = sections(&file, "ptau");
    let bytes = <<E::G1 as proofmill_algebra::curve::Curve>::Base as Coordinate>::BYTES;
    let g1 = |number| points::<E::G1>(file[&number], bytes);
    let g2 = |number| points::<E::G2>(file[&number], bytes);
    assert_eq!(file[&1][4 + bytes..], [3, 0, 0, 0, 3, 0, 0, 0]);
    assert_eq!(file[&7], [0; 4]);

    let pair = |p: Affine<E::G1>, q: Affine<E::G2>| product::<E>(Isa::best(), &[(p, q)]);
    let (two, beta) = (E::G2::GENERATOR, g2(6)[0]);
    let (tau_g1, tau_g2) = (g1(2), g2(3));
    assert_eq!((tau_g1.len(), tau_g2.len()), (15, 8));
    assert_eq!((tau_g1[0], tau_g2[0]), (E::G1::GENERATOR, two));
    for i in 1..tau_g1.len() {
        assert!(pair(tau_g1[i], two) == pair(tau_g1[i - 1], tau_g2[1]), "{i}");
    }
    let (alpha_tau, beta_tau) = (g1(4), g1(5));
    assert_eq!((alpha_tau.len(), beta_tau.len()), (8, 8));
    for i in 0..tau_g2.len() {
        assert!(pair(E::G1::GENERATOR, tau_g2[i]) == pair(tau_g1[i], two), "{i}");
        assert!(pair(alpha_tau[i], two) == pair(alpha_tau[0], tau_g2[i]), "{i}");
        assert!(pair(beta_tau[i], two) == pair(tau_g1[i], beta), "{i}");
    }

    // sum of L_i(tau) w^(i d) = tau^d for d below the size; of the last size there is no highest power.
    let highest = least_non_residue_root::<Scalar<E>>();
    let check = |log: u32, bases: &[Affine<E::G1>], powers: &[Affine<E::G1>]| {
        let root = (log..Scalar::<E>::TWO_ADICITY).fold(highest, |root, _| root.square());
        for d in 0..1 << log {
            let scalars = (0..1 << log).map(|i| root.pow_vartime(&[i * d % (1 << log)]));
            let found = Affine::from(sum(bases, &scalars.collect::<Vec<_>>()));
            assert!(Some(&found) == powers.get(d as usize).or(Some(&Affine::IDENTITY)), "{d}");
        }
    };
    let bases = [g1(12), g1(14), g1(15)];
    assert_eq!(bases.each_ref().map(Vec::len), [31, 15, 15]);
    let mut at = 0;
    for log in 0..=power {
        let range = at..at + (1 << log);
        at = range.end;
        check(log, &bases[0][range.clone()], &tau_g1);
        check(log, &bases[1][range.clone()], &alpha_tau);
        check(log, &bases[2][range], &beta_tau);
    }
    check(power + 1, &bases[0][at..], &tau_g1);
    for (in_g2, in_g1) in g2(13).into_iter().zip(&bases[0]) {
        assert!(pair(E::G1::GENERATOR, in_g2) == pair(*in_g1, two));
    }
}

#[test]
fn powers_of_tau_are_powers_of_tau() {
    examine_powers::<Bn254>(Curve::Bn254);
    examine_powers::<Bls12381>(Curve::Bls12_381);
}

#[test]
fn what_there_is_no_file_of_is_refused_by_name() {
    let refused = |curve, statement: Statement| Circuit::new(curve, &statement).unwrap_err();
    let chain = |constraints| Statement::Chain { constraints };
    for (error, name) in [
        (refused(Curve::Bls12_377, chain(1)), "curve: bls12_377"),
        (refused(Curve::Bn254, chain(0)), "constraints: 0"),
        (refused(Curve::Bn254, chain(usize::MAX)), "constraints: "),
        (refused(Curve::Bn254, Statement::Sha256 { preimage: vec![0; 1 << 16] }), "preimage: "),
        (InsecurePowersOfTau::new(Curve::Bn254, 0, b"").unwrap_err(), "power: 0"),
        (InsecurePowersOfTau::new(Curve::Bn254, 60, b"").unwrap_err(), "power: 60"),
        (InsecurePowersOfTau::new(Curve::Bls12_377, 3, b"").unwrap_err(), "curve: bls12_377"),
    ] {
        assert!(error.to_string().starts_with(name), "{error}");
    }
}

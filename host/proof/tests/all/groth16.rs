//! Verification against arkworks: each side accepts what the other makes, and refuses the same.

use crate::support::{chain, cpu};
use ark_ec::{AffineRepr, pairing::Pairing};
use ark_ff::{BigInteger, Field, PrimeField, UniformRand};
use ark_groth16::Groth16;
use ark_relations::gr1cs::{
    ConstraintSynthesizer, ConstraintSystemRef, LinearCombination, SynthesisError, Variable,
};
use ark_snark::SNARK;
use ark_std::rand::{Rng, SeedableRng, rngs::StdRng};
use proofmill_proof::Error;
use proofmill_proof::groth16::{
    Curve, Devices, PreparedVerifyingKey, Proof, Prover, Scalar, Settings, VerifyingKey, verify,
};

/// Products of sums of earlier variables, chosen at random; some of them are public.
#[derive(Clone)]
struct Random<F> {
    /// For every product, coefficients of the variables before it on either side.
    products: Vec<[Vec<(usize, F)>; 2]>,
    /// The values: those given, then the products.
    values: Vec<F>,
    public_inputs: usize,
}

impl<F: Field> Random<F> {
    fn new(rng: &mut StdRng, public_inputs: usize, products: usize) -> Self {
        let mut values: Vec<F> = (0..4).map(|_| F::rand(rng)).collect();
        let mut all = Vec::new();
        for _ in 0..products {
            let mut side = || -> Vec<(usize, F)> {
                (0..3).map(|_| (rng.gen_range(0..values.len()), F::rand(rng))).collect()
            };
            let sides = [side(), side()];
            let sum = |side: &[(usize, F)]| side.iter().map(|&(i, c)| values[i] * c).sum::<F>();
            values.push(sum(&sides[0]) * sum(&sides[1]));
            all.push(sides);
        }
        Self { products: all, values, public_inputs }
    }

    /// The last products.
    fn public(&self) -> Vec<F> {
        self.values[self.values.len() - self.public_inputs..].to_vec()
    }
}

impl<F: PrimeField> ConstraintSynthesizer<F> for Random<F> {
    fn generate_constraints(self, cs: ConstraintSystemRef<F>) -> Result<(), SynthesisError> {
        let first_public = self.values.len() - self.public_inputs;
        let variables = self.values.iter().enumerate().map(|(i, &value)| {
            if i < first_public {
                cs.new_witness_variable(|| Ok(value))
            } else {
                cs.new_input_variable(|| Ok(value))
            }
        });
        let variables: Vec<Variable> = variables.collect::<Result<_, _>>()?;
        let of = |side: &[(usize, F)]| {
            LinearCombination(side.iter().map(|&(i, c)| (c, variables[i])).collect::<Vec<_>>())
        };
        let given = variables.len() - self.products.len();
        for ([left, right], &product) in self.products.iter().zip(&variables[given..]) {
            let product = LinearCombination(vec![(F::one(), product)]);
            cs.enforce_r1cs_constraint(|| of(left), || of(right), || product.clone())?;
        }
        Ok(())
    }
}

fn coordinate<F: Field>(x: &F) -> Vec<u8> {
    let parts = x.to_base_prime_field_elements();
    parts.flat_map(|part| part.into_bigint().to_bytes_le()).collect()
}

fn point<P: AffineRepr>(point: &P) -> Vec<u8> {
    let (x, y) = point.xy().unwrap_or_default();
    [coordinate(&x), coordinate(&y)].concat()
}

fn scalar<F: PrimeField>(x: &F) -> Scalar {
    x.into_bigint().to_bytes_le().try_into().unwrap()
}

fn ours<E: Pairing>(curve: Curve, vk: &ark_groth16::VerifyingKey<E>) -> VerifyingKey {
    VerifyingKey {
        curve,
        alpha_g1: point(&vk.alpha_g1),
        beta_g2: point(&vk.beta_g2),
        gamma_g2: point(&vk.gamma_g2),
        delta_g2: point(&vk.delta_g2),
        ic: vk.gamma_abc_g1.iter().map(point).collect(),
    }
}

/// Other points of the groups.
fn tampered(proof: &Proof) -> [Proof; 2] {
    let swapped = Proof { a: proof.c.clone(), c: proof.a.clone(), ..proof.clone() };
    let nothing = Proof { a: vec![0; proof.a.len()], ..proof.clone() };
    [swapped, nothing]
}

/// One proof many times, some of them changed: those are found, wherever they are.
fn examine_batch(key: &PreparedVerifyingKey, public: &[Scalar], proof: &Proof) {
    let [swapped, nothing] = tampered(proof);
    let count = 11;
    for wrong in [vec![], vec![0], vec![10], vec![3, 4], vec![0, 5, 10], (0..count).collect()] {
        let of = |at: usize| match at {
            _ if !wrong.contains(&at) => proof,
            3 => &nothing,
            _ => &swapped,
        };
        let batch: Vec<_> = (0..count).map(|at| (public, of(at))).collect();
        assert_eq!(key.find_invalid(&batch).unwrap(), wrong);
    }
    if let [first, ..] = public {
        let mut others = public.to_vec();
        others[0] = if *first == [0; 32] { [1; 32] } else { [0; 32] };
        let batch = [(public, proof), (&others[..], proof), (public, proof)];
        assert_eq!(key.find_invalid(&batch).unwrap(), [1]);
    }
    assert_eq!(key.find_invalid(&[]).unwrap(), [0; 0]);
    assert_eq!(key.find_invalid(&[(public, proof)]).unwrap(), [0; 0]);
    let off = Proof { a: [&[proof.a[0] ^ 1], &proof.a[1..]].concat(), ..proof.clone() };
    let problem = key.find_invalid(&[(public, proof), (public, &off)]).unwrap_err().to_string();
    assert_eq!(problem, "proof: of proof 1: A is not on the curve");
    let more = [public, &[[0; 32]]].concat();
    let problem = key.find_invalid(&[(&more, proof)]).unwrap_err().to_string();
    let (found, has) = (more.len(), public.len());
    let values = if found == 1 { "value" } else { "values" };
    assert_eq!(problem, format!("public: of proof 0: {found} {values}, the key has {has}"));
}

fn examine<E: Pairing>(curve: Curve) {
    let rng = &mut StdRng::seed_from_u64(6);
    for (public_inputs, products) in [(0, 5), (1, 1), (3, 40), (20, 30)] {
        let circuit = Random::<E::ScalarField>::new(rng, public_inputs, products);
        let (pk, vk) = Groth16::<E>::circuit_specific_setup(circuit.clone(), rng).unwrap();
        let theirs = Groth16::<E>::prove(&pk, circuit.clone(), rng).unwrap();
        assert!(Groth16::<E>::verify(&vk, &circuit.public(), &theirs).unwrap());
        let (a, b, c) = (point(&theirs.a), point(&theirs.b), point(&theirs.c));
        let (key, proof) = (ours(curve, &vk), Proof { curve, a, b, c });
        let public: Vec<_> = circuit.public().iter().map(scalar).collect();
        assert_eq!((key.public_inputs(), public.len()), (public_inputs, public_inputs));
        let prepared = PreparedVerifyingKey::new(&key).unwrap();
        assert!(prepared.verify(&public, &proof).unwrap());
        assert!(verify(&key, &public, &proof).unwrap());
        if products < 10 {
            examine_batch(&prepared, &public, &proof);
        }
        for wrong in tampered(&proof) {
            assert!(!prepared.verify(&public, &wrong).unwrap());
        }
        for i in 0..public_inputs {
            let mut others = public.clone();
            others[i] = scalar(&E::ScalarField::rand(rng));
            assert!(!prepared.verify(&others, &proof).unwrap());
        }
    }
}

#[test]
fn arkworks_proofs_are_accepted_and_changed_ones_are_not() {
    examine::<ark_bn254::Bn254>(Curve::Bn254);
    examine::<ark_bls12_381::Bls12_381>(Curve::Bls12_381);
}

#[test]
fn questions_without_sense_are_errors_that_name_what_is_wrong() {
    let (key, witness) = chain(Curve::Bn254, 10);
    let settings = Settings::default();
    let prover = Prover::new(&key, Devices::one(cpu(1)), settings).unwrap();
    let proved = prover.prove(&witness).unwrap();
    let (vk, public, proof) = (key.verifying_key().unwrap(), proved.public_inputs, proved.proof);
    let problem = |vk: &VerifyingKey, public: &[Scalar], proof: &Proof| {
        let Err(Error::Argument { argument, problem }) = verify(vk, public, proof) else {
            panic!("no error")
        };
        format!("{argument}: {problem}")
    };
    assert_eq!(problem(&vk, &[], &proof), "public: 0 values, the key has 1");
    assert_eq!(
        problem(&vk, &[[0xff; 32]], &proof),
        "public: value 0 is not below the order of the group"
    );
    let other = Proof { curve: Curve::Bls12_381, ..proof.clone() };
    assert_eq!(problem(&vk, &public, &other), "proof: is on bls12_381, the key on bn254");
    let mut off = proof.clone();
    off.b[0] ^= 1;
    assert_eq!(problem(&vk, &public, &off), "proof: B is not on the curve");
    let short = Proof { c: proof.c[1..].to_vec(), ..proof.clone() };
    assert_eq!(problem(&vk, &public, &short), "proof: C is 63 bytes where the form has 64");
    let large = Proof { a: vec![0xff; 64], ..proof.clone() };
    assert_eq!(
        problem(&vk, &public, &large),
        "proof: A is a coordinate that is not below the modulus"
    );
    let no_ic = VerifyingKey { ic: Vec::new(), ..vk.clone() };
    assert_eq!(problem(&no_ic, &public, &proof), "verifying key: has no IC");
    let mut off = vk.clone();
    off.ic[1][5] ^= 1;
    assert_eq!(problem(&off, &public, &proof), "verifying key: IC[1] is not on the curve");
    let other = VerifyingKey { curve: Curve::Bls12_377, ..vk.clone() };
    assert!(problem(&other, &public, &proof).starts_with("curve: bls12_377"));
}

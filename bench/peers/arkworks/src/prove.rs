//! Groth16 proofs of chains.

use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use ark_bls12_381::Bls12_381;
use ark_bn254::Bn254;
use ark_ec::pairing::Pairing;
use ark_ff::{Field, PrimeField};
use ark_groth16::{Groth16, PreparedVerifyingKey, ProvingKey, prepare_verifying_key};
use ark_relations::gr1cs::{
    ConstraintSynthesizer, ConstraintSystem, ConstraintSystemRef, Matrix, OptimizationGoal,
    R1CS_PREDICATE_LABEL, SynthesisError, SynthesisMode, Variable,
};
use ark_relations::lc;
use ark_serialize::{CanonicalDeserialize, CanonicalSerialize};
use ark_std::rand::SeedableRng;
use ark_std::rand::rngs::StdRng;
use rayon::ThreadPoolBuilder;

use works::Kept;
use works::prove::Work;

/// Computes a proof and returns its seconds.
type Prove = Box<dyn FnMut() -> Result<f64> + Send>;

/// Proofs. Key and witness are made before the clock starts, and kept until another curve or size is requested.
#[derive(Default)]
pub struct Proofs(Kept<(String, u32), Prove>);

impl Proofs {
    pub fn seconds(&mut self, work: &Work) -> Result<f64> {
        let prove = self.0.get((work.curve.clone(), work.log_size), |_| prover(work))?;
        // Not bound: arkworks starts its own pools, which inherit the processor of the starting thread.
        let pool = ThreadPoolBuilder::new().num_threads(work.threads).build()?;
        pool.install(prove)
    }
}

fn prover(work: &Work) -> Result<Prove> {
    fn over<E: Pairing>(work: &Work) -> Result<Prove> {
        let mut prover = Prover::<E>::new(work)?;
        Ok(Box::new(move || prover.seconds()))
    }
    match &*work.curve {
        "bn254" => over::<Bn254>(work),
        "bls12_381" => over::<Bls12_381>(work),
        other => bail!("curve: '{other}' is unknown; expected bn254 or bls12_381"),
    }
}

/// A chain of this many constraints.
#[derive(Clone, Copy)]
struct Chain(usize);

impl<F: PrimeField> ConstraintSynthesizer<F> for Chain {
    fn generate_constraints(self, system: ConstraintSystemRef<F>) -> Result<(), SynthesisError> {
        let mut value = F::from(3_u64);
        let mut x = system.new_witness_variable(|| Ok(value))?;
        for i in 0..self.0 {
            let addend = F::from(i as u64);
            value = value.square() + addend;
            let next = if i + 1 == self.0 {
                system.new_input_variable(|| Ok(value))?
            } else {
                system.new_witness_variable(|| Ok(value))?
            };
            let right = || lc!() + next - (addend, Variable::One);
            system.enforce_r1cs_constraint(|| lc!() + x, || lc!() + x, right)?;
            x = next;
        }
        Ok(())
    }
}

/// The state that is prepared before the clock starts.
struct Prover<E: Pairing> {
    key: ProvingKey<E>,
    verifying: PreparedVerifyingKey<E>,
    matrices: Vec<Matrix<E::ScalarField>>,
    inputs: usize,
    constraints: usize,
    assignment: Vec<E::ScalarField>,
    /// The number of proofs so far, so that each has different randomness.
    proofs: u64,
}

impl<E: Pairing> Prover<E> {
    fn new(work: &Work) -> Result<Self> {
        let chain = Chain((1 << work.log_size) - 2);
        let system = ConstraintSystem::<E::ScalarField>::new_ref();
        system.set_optimization_goal(OptimizationGoal::Constraints);
        system.set_mode(SynthesisMode::Prove {
            construct_matrices: true,
            generate_lc_assignments: false,
        });
        chain.generate_constraints(system.clone())?;
        system.finalize();
        let matrices = system.to_matrices()?.remove(R1CS_PREDICATE_LABEL).context("no R1CS")?;
        let assignment = [system.instance_assignment()?, system.witness_assignment()?].concat();
        let name = format!("arkworks-0.6.0-{}-chain-{}", work.curve, work.log_size);
        let key = key(chain, &work.keys.join(name))?;
        Ok(Self {
            verifying: prepare_verifying_key(&key.vk),
            key,
            matrices,
            inputs: system.num_instance_variables(),
            constraints: system.num_constraints(),
            assignment,
            proofs: 0,
        })
    }

    /// Returns a proof's seconds. The proof is verified after the clock has stopped.
    fn seconds(&mut self) -> Result<f64> {
        self.proofs += 1;
        let [r, s] = [1, 2]
            .map(|i| E::ScalarField::from(1000 * self.proofs + i).pow([0x9e37_79b9_7f4a_7c15]));
        let start = Instant::now();
        let proof = Groth16::<E>::create_proof_with_reduction_and_matrices(
            &self.key,
            r,
            s,
            &self.matrices,
            self.inputs,
            self.constraints,
            &self.assignment,
        )?;
        let seconds = start.elapsed().as_secs_f64();
        let public = &self.assignment[1..self.inputs];
        let verifies = Groth16::<E>::verify_proof(&self.verifying, &proof, public)?;
        ensure!(verifies, "arkworks' proof does not verify");
        Ok(seconds)
    }
}

/// Returns the key of a size, which is made once and then read.
fn key<E: Pairing>(chain: Chain, path: &Path) -> Result<ProvingKey<E>> {
    if let Ok(file) = File::open(path) {
        let reader = BufReader::with_capacity(1 << 20, file);
        return Ok(ProvingKey::deserialize_uncompressed_unchecked(reader)?);
    }
    let random = &mut StdRng::seed_from_u64(0);
    let key = Groth16::<E>::generate_random_parameters_with_reduction(chain, random)?;
    let scratch = path.with_extension(std::process::id().to_string());
    let mut writer = BufWriter::with_capacity(1 << 20, File::create(&scratch)?);
    key.serialize_uncompressed(&mut writer)?;
    writer.flush()?;
    std::fs::rename(&scratch, path)?;
    Ok(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proof_verifies_with_a_key_that_was_made_and_with_one_that_was_read() {
        let keys = tempfile::tempdir().unwrap();
        let nowhere = std::path::PathBuf::new();
        let work = |curve: &str| Work {
            protocol: "groth16".into(),
            curve: curve.into(),
            log_size: 6,
            threads: 2,
            zkey: nowhere.clone(),
            wtns: nowhere.clone(),
            proof: nowhere.clone(),
            public: nowhere.clone(),
            keys: keys.path().into(),
        };
        for curve in ["bn254", "bls12_381", "bn254", "bls12_381"] {
            assert!(Proofs::default().seconds(&work(curve)).unwrap() > 0.0);
        }
        assert!(Proofs::default().seconds(&work("toy")).is_err());
    }
}

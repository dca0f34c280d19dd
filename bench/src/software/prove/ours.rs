//! Our side.

use std::sync::Arc;
use std::time::Instant;

use anyhow::{Result, ensure};
use proofmill::groth16::snarkjs::Zkey;
use proofmill::snark::{AnyZkey, Devices, PreparedVerifyingKey, Proved, Prover, Settings, Witness};
use proofmill::{Cancel, groth16};
use proofmill_cpu::CpuDevice;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::task::Files;

/// Seconds and busy threads of a batch.
#[derive(Clone, Copy, Debug)]
pub struct Batch {
    /// Seconds of all its proofs.
    pub seconds: f64,
    /// Threads that worked, on average.
    pub busy: f64,
}

/// Returns the processor seconds of all threads of this process.
fn processor_time() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// A prover that is kept, with its witness and its threads.
pub struct Ours {
    pool: ThreadPool,
    devices: Devices,
    prover: Prover,
    witness: Witness,
}

/// Returns threads, and a device with as many.
fn place(threads: usize) -> Result<(ThreadPool, Devices)> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
    Ok((pool, Devices::one(Arc::new(CpuDevice::new(Some(threads))?))))
}

/// Returns the settings of a prover that is kept.
fn kept() -> Settings {
    Settings { resident: true, ..Settings::default() }
}

impl Ours {
    pub fn new(files: &Files, threads: usize) -> Result<Self> {
        let (pool, devices) = place(threads)?;
        let witness = Witness::open(&files.wtns)?;
        let key = AnyZkey::open(&files.zkey)?;
        let prover = pool.install(|| Prover::new(&key, devices.clone(), kept()))?;
        Ok(Self { pool, devices, prover, witness })
    }

    /// Returns the seconds of a proof by the kept prover.
    pub fn with_key(&self) -> Result<f64> {
        self.pool.install(|| {
            let start = Instant::now();
            let proved = self.prover.prove(&self.witness)?;
            let seconds = start.elapsed().as_secs_f64();
            self.ensure_right(&proved)?;
            Ok(seconds)
        })
    }

    /// Returns the seconds of a proof including opening key and witness.
    pub fn with_files(&self, files: &Files) -> Result<f64> {
        self.pool.install(|| {
            let start = Instant::now();
            let (key, witness) = (AnyZkey::open(&files.zkey)?, Witness::open(&files.wtns)?);
            let prover = Prover::new(&key, self.devices.clone(), Settings::default())?;
            let proved = prover.prove(&witness)?;
            let seconds = start.elapsed().as_secs_f64();
            self.ensure_right(&proved)?;
            Ok(seconds)
        })
    }

    /// Makes one proof from files on, with nothing else in memory. Returns the bytes of its plan.
    pub fn prove_once(files: &Files, threads: usize) -> Result<usize> {
        let (pool, devices) = place(threads)?;
        pool.install(|| {
            let (key, witness) = (AnyZkey::open(&files.zkey)?, Witness::open(&files.wtns)?);
            let prover = Prover::new(&key, devices, Settings::default())?;
            prover.prove(&witness)?;
            Ok(prover.plan()?.memory())
        })
    }

    /// Returns the key that verifies our proofs and those of peers with our key.
    pub fn verifying(&self) -> &PreparedVerifyingKey {
        self.prover.verifying()
    }

    fn ensure_right(&self, proved: &Proved) -> Result<()> {
        ensure!(
            self.verifying().verify(&proved.public_inputs, &proved.proof)?,
            "our proof does not verify"
        );
        Ok(())
    }
}

/// A prover for Groth16 that is kept, for batches.
pub struct Batches {
    pool: ThreadPool,
    prover: groth16::Prover,
    witness: Witness,
}

impl Batches {
    pub fn new(files: &Files, threads: usize) -> Result<Self> {
        let (pool, devices) = place(threads)?;
        let witness = Witness::open(&files.wtns)?;
        let key = Zkey::open(&files.zkey)?;
        let prover = pool.install(|| groth16::Prover::new(&key, devices, kept()))?;
        Ok(Self { pool, prover, witness })
    }

    /// Measures a batch, one proof after the other.
    pub fn one_after_the_other(&self, proofs: usize) -> Result<Batch> {
        self.batch(proofs, || (0..proofs).map(|_| Ok(self.prover.prove(&self.witness)?)).collect())
    }

    /// Measures a batch in lanes.
    pub fn in_lanes(&self, proofs: usize) -> Result<Batch> {
        let witnesses = vec![self.witness.clone(); proofs];
        self.batch(proofs, || {
            let made = self.prover.prove_batch(&witnesses, &Cancel::new())?;
            made.into_iter().map(|proved| Ok(proved?)).collect()
        })
    }

    fn batch(
        &self,
        proofs: usize,
        prove: impl FnOnce() -> Result<Vec<groth16::Proved>> + Send,
    ) -> Result<Batch> {
        self.pool.install(|| {
            let (start, worked) = (Instant::now(), processor_time());
            let made = prove()?;
            let seconds = start.elapsed().as_secs_f64();
            let busy = (processor_time() - worked) / seconds;
            ensure!(made.len() == proofs, "{} proofs, not {proofs}", made.len());
            for proved in &made {
                let valid = self.prover.verifying().verify(&proved.public_inputs, &proved.proof)?;
                ensure!(valid, "a proof of the batch does not verify");
            }
            Ok(Batch { seconds, busy })
        })
    }
}

//! Our side.

use std::sync::Arc;
use std::time::Instant;

use anyhow::{Result, ensure};
use proofmill::groth16::snarkjs::{Witness, Zkey};
use proofmill::groth16::{Devices, PreparedVerifyingKey, Proved, Prover, Settings};
use proofmill_cpu::CpuDevice;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::task::Files;

/// A prover that stays, with its witness, and the threads that it has.
pub struct Ours {
    pool: ThreadPool,
    devices: Devices,
    prover: Prover,
    witness: Witness,
}

impl Ours {
    pub fn new(files: &Files, threads: usize) -> Result<Self> {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
        let devices = Devices::one(Arc::new(CpuDevice::new(Some(threads))?));
        let witness = Witness::open(&files.wtns)?;
        let key = Zkey::open(&files.zkey)?;
        let settings = Settings { park: true, ..Settings::default() };
        let prover = pool.install(|| Prover::new(&key, devices.clone(), settings))?;
        Ok(Self { pool, devices, prover, witness })
    }

    /// The seconds of a proof with the prover that stays.
    pub fn with_key(&self) -> Result<f64> {
        self.pool.install(|| {
            let start = Instant::now();
            let proved = self.prover.prove(&self.witness, None)?;
            let seconds = start.elapsed().as_secs_f64();
            self.ensure_right(&proved)?;
            Ok(seconds)
        })
    }

    /// The seconds of a proof for which key and witness are opened first.
    pub fn with_files(&self, files: &Files) -> Result<f64> {
        self.pool.install(|| {
            let start = Instant::now();
            let (key, witness) = (Zkey::open(&files.zkey)?, Witness::open(&files.wtns)?);
            let prover = Prover::new(&key, self.devices.clone(), Settings::default())?;
            let proved = prover.prove(&witness, None)?;
            let seconds = start.elapsed().as_secs_f64();
            self.ensure_right(&proved)?;
            Ok(seconds)
        })
    }

    /// One proof from files on, in memory that holds nothing else, and the bytes that its plan says.
    pub fn prove_once(files: &Files, threads: usize) -> Result<usize> {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
        let devices = Devices::one(Arc::new(CpuDevice::new(Some(threads))?));
        pool.install(|| {
            let (key, witness) = (Zkey::open(&files.zkey)?, Witness::open(&files.wtns)?);
            let prover = Prover::new(&key, devices, Settings::default())?;
            prover.prove(&witness, None)?;
            Ok(prover.plan()?.memory())
        })
    }

    /// What our proofs and those of peers with our key are held against.
    pub fn verifying(&self) -> &PreparedVerifyingKey {
        self.prover.verifying()
    }

    fn ensure_right(&self, proved: &Proved) -> Result<()> {
        ensure!(
            self.verifying().verify(&proved.public, &proved.proof)?,
            "our proof does not verify"
        );
        Ok(())
    }
}

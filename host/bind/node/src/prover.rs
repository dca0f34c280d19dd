//! Provers of both protocols, with snarkjs's files.

use std::sync::Arc;

use napi_derive::napi;
use proofmill::groth16::snarkjs::{self, AnyZkey, Witness};
use proofmill::groth16::{self, Curve, Devices, Settings};
use proofmill::{SecretBytes, Uri, plonk};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::errors::{Failure, Outcome};
use crate::job::{Callback, Context, Job, Value, start};
use crate::pool::LONG;
use crate::source::{Private, Public, Source};
use crate::verifier::VerifyingKey;
use crate::witness::Calculator;

/// A proving key on a device.
#[napi]
pub struct Prover(Arc<Keyed>);

/// The key of a protocol, its prover, and the threads that its proofs use; `None`: those of the process.
struct Keyed {
    key: AnyZkey,
    prover: AnyProver,
    threads: Option<ThreadPool>,
}

enum AnyProver {
    Groth16(groth16::Prover),
    Plonk(plonk::Prover),
}

/// The texts of proof.json and public.json, and the time in seconds.
#[napi(object, object_from_js = false)]
pub struct Proof {
    pub proof: String,
    pub public_signals: String,
    pub seconds: f64,
}

/// Opens a key on a device, with this many threads of the processor.
#[napi]
pub fn open_prover(
    key: Source,
    device: String,
    threads: Option<u32>,
    resident: bool,
    self_check: bool,
    callback: Callback<'_>,
) -> napi::Result<Job> {
    let key = Public::from(key);
    start(&LONG, &callback, move |_| {
        let key = match key {
            Public::Path(path) => AnyZkey::open(path),
            Public::Bytes(bytes) => AnyZkey::from_bytes("key", bytes),
        };
        let key = key.map_err(|error| Failure::from(error).about("key"))?;
        let devices = devices(&device, threads).map_err(|failure| failure.about("device"))?;
        let settings = Settings { resident, self_check, ..Settings::default() };
        let threads = threads.map(pool).transpose()?;
        let open = || match &key {
            AnyZkey::Groth16(key) => {
                groth16::Prover::new(key, devices, settings).map(AnyProver::Groth16)
            }
            AnyZkey::Plonk(key) => plonk::Prover::new(key, devices, settings).map(AnyProver::Plonk),
        };
        let prover = on(threads.as_ref(), open);
        let prover = prover.map_err(|error| Failure::from(error).about("key"))?;
        Ok(Value::Prover(Prover(Arc::new(Keyed { key, prover, threads }))))
    })
}

fn devices(uri: &str, threads: Option<u32>) -> Outcome<Devices> {
    let (mut uri, mut fallback): (Uri, Uri) = (uri.parse()?, "cpu:".parse()?);
    if let Some(threads) = threads {
        fallback = fallback.with_option("threads", &threads.to_string());
        if uri.scheme() == "cpu" {
            uri = uri.with_option("threads", &threads.to_string());
        }
    }
    Ok(groth16::devices_with_fallback(&uri, &fallback)?)
}

fn pool(threads: u32) -> Outcome<ThreadPool> {
    let builder = ThreadPoolBuilder::new()
        .num_threads(threads as usize)
        .stack_size(proofmill::algebra::STACK_BYTES);
    builder
        .build()
        .map_err(|error| Failure::new("PROOFMILL_INTERNAL", error.to_string()).about("threads"))
}

fn on<T: Send>(threads: Option<&ThreadPool>, work: impl FnOnce() -> T + Send) -> T {
    match threads {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

impl Keyed {
    fn curve(&self) -> Curve {
        match &self.key {
            AnyZkey::Groth16(key) => key.curve(),
            AnyZkey::Plonk(key) => key.curve(),
        }
    }

    /// Returns the number of values of a witness.
    fn witness_values(&self) -> usize {
        match &self.key {
            AnyZkey::Groth16(key) => key.variables(),
            AnyZkey::Plonk(key) => key.witness_values(),
        }
    }

    fn name(&self) -> &str {
        match &self.key {
            AnyZkey::Groth16(key) => key.name(),
            AnyZkey::Plonk(key) => key.name(),
        }
    }

    fn prove(&self, witness: &Witness, context: &Context) -> Outcome<Value> {
        let proved = || -> groth16::Result<_> {
            Ok(match &self.prover {
                AnyProver::Groth16(prover) => {
                    let proved = prover.prove_with(witness, &context.control())?;
                    let proof = snarkjs::proof::text(&proved.proof)?;
                    (proof, proved.public_inputs, proved.report.seconds)
                }
                AnyProver::Plonk(prover) => {
                    let proved = prover.prove_with(witness, &context.control())?;
                    let proof = snarkjs::plonk::proof::text(&proved.proof)?;
                    (proof, proved.public_inputs, proved.report.seconds)
                }
            })
        };
        let (proof, public_inputs, seconds) = on(self.threads.as_ref(), proved)?;
        let public_signals = snarkjs::public::text(&public_inputs);
        Ok(Value::Proof(Proof { proof, public_signals, seconds }))
    }
}

#[napi]
impl Prover {
    /// Proves a witness: a `.wtns` file, its bytes, or with `values` scalars of 32 bytes each, little-endian.
    #[napi]
    pub fn prove(
        &self,
        values: bool,
        witness: Source,
        callback: Callback<'_>,
    ) -> napi::Result<Job> {
        let (keyed, witness) = (self.0.clone(), Private::from(witness));
        start(&LONG, &callback, move |context| {
            let witness = read(witness, values, keyed.curve());
            let witness = witness.map_err(|error| Failure::from(error).about("witness"))?;
            keyed.prove(&witness, context)
        })
    }

    /// Calculates a witness and proves it. The witness does not leave this module.
    #[napi]
    pub fn full_prove(
        &self,
        calculator: &Calculator,
        input: Source,
        callback: Callback<'_>,
    ) -> napi::Result<Job> {
        let (keyed, calculator) = (self.0.clone(), calculator.shared());
        let input = Private::from(input);
        start(&LONG, &callback, move |context| {
            calculator.require(keyed.name(), keyed.curve(), keyed.witness_values())?;
            let witness = calculator.calculate(input, &context.cancel)?;
            keyed.prove(&witness, context)
        })
    }

    /// Returns the protocol's name.
    #[napi(getter)]
    pub fn protocol(&self) -> &'static str {
        match &self.0.key {
            AnyZkey::Groth16(_) => "groth16",
            AnyZkey::Plonk(_) => "plonk",
        }
    }

    /// Returns the curve's name.
    #[napi(getter)]
    pub fn curve(&self) -> &'static str {
        self.0.curve().name()
    }

    /// Returns the number of public signals.
    #[napi(getter)]
    pub fn public_signals(&self) -> u32 {
        let count = match &self.0.key {
            AnyZkey::Groth16(key) => key.public_inputs(),
            AnyZkey::Plonk(key) => key.public_inputs(),
        };
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    /// Returns the text of verification_key.json.
    #[napi]
    pub fn verification_key(&self) -> napi::Result<String> {
        let text = || -> groth16::Result<_> {
            match &self.0.key {
                AnyZkey::Groth16(key) => snarkjs::verifying_key::text(&key.verifying_key()?),
                AnyZkey::Plonk(key) => snarkjs::plonk::verifying_key::text(&key.verifying_key()),
            }
        };
        text().map_err(|error| napi::Error::from_reason(error.to_string()))
    }

    /// Returns the key's verifying half.
    #[napi]
    pub fn verifying_key(&self) -> VerifyingKey {
        match &self.0.prover {
            AnyProver::Groth16(prover) => {
                VerifyingKey::groth16(self.0.curve(), prover.verifying().clone())
            }
            AnyProver::Plonk(prover) => {
                VerifyingKey::plonk(self.0.curve(), prover.verifying().clone())
            }
        }
    }
}

fn read(witness: Private, values: bool, curve: Curve) -> groth16::Result<Witness> {
    let bytes = |bytes: SecretBytes| match values {
        true => Witness::from_values(curve, bytes),
        false => Witness::from_bytes("witness", bytes),
    };
    match witness {
        Private::Path(path) => Witness::open(path),
        Private::Bytes(content) => bytes(content),
    }
}

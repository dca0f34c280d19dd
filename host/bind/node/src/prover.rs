//! Provers of every protocol, with snarkjs's files.

use std::sync::Arc;

use napi_derive::napi;
use proofmill::groth16::snarkjs::public;
use proofmill::groth16::{self, Curve};
use proofmill::snark::{self, AnyZkey, Devices, Settings, Witness};
use proofmill::{SecretBytes, Uri};
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

/// A prover, and the threads that its proofs use; `None`: those of the process.
struct Keyed {
    prover: snark::Prover,
    threads: Option<ThreadPool>,
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
        let prover = on(threads.as_ref(), || snark::Prover::new(&key, devices, settings));
        let prover = prover.map_err(|error| Failure::from(error).about("key"))?;
        Ok(Value::Prover(Prover(Arc::new(Keyed { prover, threads }))))
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
    fn key(&self) -> &AnyZkey {
        self.prover.key()
    }

    fn prove(&self, witness: &Witness, context: &Context) -> Outcome<Value> {
        let proved =
            on(self.threads.as_ref(), || self.prover.prove_with(witness, &context.control()))?;
        Ok(Value::Proof(Proof {
            proof: proved.proof.text()?,
            public_signals: public::text(&proved.public_inputs),
            seconds: proved.report.seconds,
        }))
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
            let witness = read(witness, values, keyed.key().curve());
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
            let key = keyed.key();
            calculator.require(key.name(), key.curve(), key.witness_values())?;
            let witness = calculator.calculate(input, &context.cancel)?;
            keyed.prove(&witness, context)
        })
    }

    /// Returns the protocol's name.
    #[napi(getter)]
    pub fn protocol(&self) -> &'static str {
        self.0.key().protocol().name()
    }

    /// Returns the curve's name.
    #[napi(getter)]
    pub fn curve(&self) -> &'static str {
        self.0.key().curve().name()
    }

    /// Returns the number of public signals.
    #[napi(getter)]
    pub fn public_signals(&self) -> u32 {
        u32::try_from(self.0.key().public_inputs()).unwrap_or(u32::MAX)
    }

    /// Returns the text of verification_key.json.
    #[napi]
    pub fn verification_key(&self) -> napi::Result<String> {
        let text = self.0.key().verifying_key().and_then(|key| key.text());
        text.map_err(|error| napi::Error::from_reason(error.to_string()))
    }

    /// Returns the key's verifying half.
    #[napi]
    pub fn verifying_key(&self) -> VerifyingKey {
        VerifyingKey::of(self.0.prover.verifying().clone())
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

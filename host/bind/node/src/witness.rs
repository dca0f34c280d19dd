//! Witness generators of circom.

use std::sync::Arc;
use std::time::Duration;

use napi_derive::napi;
use proofmill::Cancel;
use proofmill::groth16::Curve;
use proofmill::groth16::snarkjs::{Inputs, Limits, Witness, WitnessCalculator};

use crate::errors::{Failure, Outcome};
use crate::job::{Callback, Job, Value, start};
use crate::pool::LONG;
use crate::source::{Private, Public, Source};

/// A generator, ready for any number of inputs.
#[napi]
pub struct Calculator(Shared);

/// The part of a calculator that jobs share.
#[derive(Clone)]
pub struct Shared(Arc<WitnessCalculator>);

/// Opens a generator, with limits of each calculation: bytes of memory and seconds.
#[napi]
pub fn open_calculator(
    wasm: Source,
    max_bytes: Option<f64>,
    max_seconds: Option<f64>,
    callback: Callback<'_>,
) -> napi::Result<Job> {
    let wasm = Public::from(wasm);
    start(&LONG, &callback, move |_| {
        let standard = Limits::default();
        let limits = Limits {
            max_bytes: max_bytes.map_or(standard.max_bytes, |bytes| bytes as usize),
            max_time: max_seconds.map_or(standard.max_time, Duration::from_secs_f64),
        };
        let opened = match wasm {
            Public::Path(path) => WitnessCalculator::open_with(path, limits),
            Public::Bytes(bytes) => WitnessCalculator::from_bytes("wasm", &bytes, limits),
        };
        let opened = opened.map_err(|error| Failure::from(error).about("wasm"))?;
        Ok(Value::Calculator(Calculator(Shared(Arc::new(opened)))))
    })
}

impl Shared {
    /// Checks that the witnesses are those of a key's circuit.
    pub fn require(&self, key: &str, curve: Curve, values: usize) -> Outcome<()> {
        Ok(self.0.require(key, curve, values)?)
    }

    /// Calculates a witness for inputs as JSON.
    pub fn calculate(&self, input: Private, cancel: &Cancel) -> Outcome<Witness> {
        let calculate = || {
            let inputs = match input {
                Private::Path(path) => Inputs::open(path),
                Private::Bytes(bytes) => Inputs::from_json("input", bytes),
            };
            self.0.calculate_with(&inputs?, cancel, &mut |_| {})
        };
        calculate().map_err(|error| Failure::from(error).about("input"))
    }
}

impl Calculator {
    pub fn shared(&self) -> Shared {
        self.0.clone()
    }
}

#[napi]
impl Calculator {
    /// Calculates a witness for inputs: a file of JSON, or its bytes. Returns the bytes of a `.wtns` file.
    #[napi]
    pub fn calculate(&self, input: Source, callback: Callback<'_>) -> napi::Result<Job> {
        let (shared, input) = (self.shared(), Private::from(input));
        start(&LONG, &callback, move |context| {
            Ok(Value::Witness(shared.calculate(input, &context.cancel)?.to_file()))
        })
    }

    /// Returns the curve's name.
    #[napi(getter)]
    pub fn curve(&self) -> &'static str {
        self.0.0.curve().name()
    }

    /// Returns the number of values of a witness.
    #[napi(getter)]
    pub fn values(&self) -> f64 {
        self.0.0.values() as f64
    }
}

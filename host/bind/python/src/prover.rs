//! Proofs with keys of any protocol, with snarkjs's files.

use std::path::PathBuf;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use proofmill::Cancel;
use proofmill::groth16;
use proofmill::groth16::snarkjs::public;
use proofmill::snark::{self, AnyZkey, Control, Proved, Settings, Step, StepProgress};
use pyo3::prelude::*;

use crate::calculator::{Calculator, GivenInputs};
use crate::errors::{Failure, Outcome};
use crate::logs::{Unlocked, unlocked};
use crate::verifier::VerifyingKey;
use crate::witness::Given;

/// The interval between two checks for an interrupt.
const LOOK: Duration = Duration::from_millis(20);

/// A proving key on a device.
#[pyclass(frozen, module = "proofmill._native")]
pub struct Prover(Unlocked<snark::Prover>);

/// A file, or its bytes.
#[derive(FromPyObject)]
pub enum Source {
    /// bytes
    Bytes(Vec<u8>),
    /// str or os.PathLike
    Path(PathBuf),
}

/// The texts of proof.json and public.json, and seconds.
type Texts = (String, String, f64);

fn texts(proved: snark::Result<Proved>) -> Outcome<Texts> {
    let Proved { proof, public_inputs, report, .. } = proved?;
    Ok((proof.text()?, public::text(&public_inputs), report.seconds))
}

/// Returns a control with this cancellation signal and a function of the user that receives progress.
fn control(cancel: &Cancel, progress: Option<Py<PyAny>>) -> Control {
    let control = Control::none().with_cancel(cancel.clone());
    let Some(progress) = progress else { return control };
    let watch: StepProgress = Arc::new(move |step: Step, part: f64| {
        report(&progress, (step.to_string(), part));
    });
    control.with_progress(watch)
}

/// Calls a function of the user. Its exceptions are printed and do not end the proof.
fn report(progress: &Py<PyAny>, arguments: impl for<'py> pyo3::call::PyCallArgs<'py>) {
    Python::attach(|py| {
        if let Err(error) = progress.call1(py, arguments) {
            error.write_unraisable(py, Some(progress.bind(py)));
        }
    });
}

/// Runs work on another thread, without the lock of the interpreter, and checks meanwhile for an interrupt by the user. An interrupt cancels
/// the work and is returned as its exception.
fn interruptible<T: Send>(
    py: Python<'_>,
    cancel: &Cancel,
    work: impl FnOnce() -> Outcome<T> + Send,
) -> PyResult<T> {
    unlocked(py, || {
        std::thread::scope(|scope| {
            let (done, ended) = mpsc::channel();
            scope.spawn(move || done.send(work()));
            let mut interrupt = None;
            loop {
                match ended.recv_timeout(LOOK) {
                    Ok(outcome) => {
                        return match interrupt {
                            Some(interrupt) => Err(interrupt),
                            None => Ok(outcome?),
                        };
                    }
                    // The work panicked; the end of the scope panics, too.
                    Err(mpsc::RecvTimeoutError::Disconnected) => {
                        return Err(Failure::argument("prover", "panicked").into());
                    }
                    Err(mpsc::RecvTimeoutError::Timeout) => {}
                }
                if let Err(error) = Python::attach(|py| py.check_signals()) {
                    cancel.cancel();
                    interrupt.get_or_insert(error);
                }
            }
        })
    })
}

#[pymethods]
impl Prover {
    #[new]
    fn new(py: Python<'_>, uri: &str, zkey: Source, resident: bool) -> PyResult<Self> {
        let made: Outcome<_> = unlocked(py, || {
            let key = match zkey {
                Source::Path(path) => AnyZkey::open(path)?,
                Source::Bytes(bytes) => AnyZkey::from_bytes("zkey", bytes.into())?,
            };
            let settings = Settings { resident, ..Settings::default() };
            let prover = snark::Prover::new(&key, groth16::devices(uri)?, settings)?;
            Ok(Self(Unlocked::new(prover)))
        });
        Ok(made?)
    }

    /// Makes a proof. Returns the texts of proof.json and public.json, and seconds. `progress` is called with a step and the part that is done.
    fn prove(
        &self,
        py: Python<'_>,
        witness: Given,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Texts> {
        let cancel = Cancel::new();
        let control = control(&cancel, progress);
        interruptible(py, &cancel, || {
            let witness = witness.read("witness".into(), self.0.key().curve())?;
            texts(self.0.prove_with(&witness, &control))
        })
    }

    /// Calculates the witness for the inputs of a circuit, as JSON, and makes a proof. Returns what `prove` returns.
    fn full_prove(
        &self,
        py: Python<'_>,
        calculator: &Calculator,
        inputs: GivenInputs,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Texts> {
        let cancel = Cancel::new();
        let control = control(&cancel, progress);
        interruptible(py, &cancel, || {
            texts(calculator.get().full_prove_with(&self.0, &inputs.read()?, &control))
        })
    }

    /// Makes a proof for each witness. Returns for each what `prove` returns, or the error. `progress` is called with the number of each proof
    /// that has ended.
    fn prove_batch(
        &self,
        py: Python<'_>,
        witnesses: Vec<Given>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Vec<Py<PyAny>>> {
        let cancel = Cancel::new();
        let made = interruptible(py, &cancel, || {
            let cancelled = || Err(proofmill::Error::Cancelled.into());
            let mut made: Vec<Outcome<Texts>> = witnesses.iter().map(|_| cancelled()).collect();
            let opened = witnesses.into_iter().enumerate();
            let opened = opened
                .map(|(number, it)| it.read(format!("witnesses[{number}]"), self.0.key().curve()));
            self.0.prove_each(opened, &cancel, |number, proved| {
                made[number] = texts(proved);
                if let Some(progress) = &progress {
                    report(progress, (number,));
                }
            })?;
            Ok(made)
        })?;
        let value = |made| match made {
            Ok(texts) => Ok(Texts::into_pyobject(texts, py)?.into_any().unbind()),
            Err(failure) => Ok(PyErr::from(failure).into_value(py).into_any()),
        };
        made.into_iter().map(value).collect()
    }

    /// Returns the text of verification_key.json.
    fn verification_key(&self) -> PyResult<String> {
        let text = || -> Outcome<_> { Ok(self.0.key().verifying_key()?.text()?) };
        Ok(text()?)
    }

    /// Returns the key's verifying half.
    fn verifying_key(&self) -> VerifyingKey {
        VerifyingKey::new(self.0.verifying().clone())
    }

    /// Returns the curve's name.
    fn curve(&self) -> &'static str {
        self.0.key().curve().name()
    }

    /// Returns the protocol's name.
    fn protocol(&self) -> &'static str {
        self.0.key().protocol().name()
    }

    /// Returns the names of the steps of a proof.
    fn steps(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        // The devices that plan log on threads of their own.
        let steps: Outcome<Vec<String>> = unlocked(py, || {
            Ok(self.0.plan()?.steps.iter().map(|planned| planned.step.to_string()).collect())
        });
        Ok(steps?)
    }
}

//! Groth16, with snarkjs's files.

use std::path::PathBuf;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use proofmill::Cancel;
use proofmill::groth16::snarkjs::{self, Witness, Zkey};
use proofmill::groth16::{self, Control, Proved, Settings, Step, Watch};
use pyo3::prelude::*;

use crate::errors::{Failure, Outcome};
use crate::logs::{Unlocked, unlocked};

/// How often it is asked whether the user has interrupted a proof.
const LOOK: Duration = Duration::from_millis(20);

/// A proving key on a device.
#[pyclass(frozen, module = "proofmill._native")]
pub struct Prover {
    key: Zkey,
    prover: Unlocked<groth16::Prover>,
}

/// A file, or its bytes.
#[derive(FromPyObject)]
pub enum Source {
    /// bytes
    Bytes(Vec<u8>),
    /// str or os.PathLike
    Path(PathBuf),
}

impl Source {
    fn witness(&self, name: String) -> groth16::Result<Witness> {
        match self {
            Self::Path(path) => Witness::open(path),
            Self::Bytes(bytes) => Witness::from_bytes(name, bytes[..]),
        }
    }
}

/// proof.json, public.json, seconds.
type Texts = (String, String, f64);

fn texts(proved: groth16::Result<Proved>) -> Outcome<Texts> {
    let Proved { proof, public, report, .. } = proved?;
    Ok((snarkjs::proof::text(&proof)?, snarkjs::public::text(&public), report.seconds))
}

/// Calls what the user gave; its exceptions spoil no proof.
fn tell(progress: &Py<PyAny>, arguments: impl for<'py> pyo3::call::PyCallArgs<'py>) {
    Python::attach(|py| {
        if let Err(error) = progress.call1(py, arguments) {
            error.write_unraisable(py, Some(progress.bind(py)));
        }
    });
}

/// Does the work on another thread, without the lock of the interpreter, and looks meanwhile whether the user has interrupted it: then
/// the work is given up, and the exception is that of the interrupt.
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
                    // The work panicked, which the end of the scope says.
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
                Source::Path(path) => Zkey::open(path)?,
                Source::Bytes(bytes) => Zkey::from_bytes("zkey", bytes.into())?,
            };
            let settings = Settings { resident: resident, ..Settings::default() };
            let prover = groth16::Prover::new(&key, groth16::devices(uri)?, settings)?;
            Ok(Self { key, prover: Unlocked::new(prover) })
        });
        Ok(made?)
    }

    /// proof.json and public.json as texts, and seconds. `progress` is called with a step and its done part.
    fn prove(
        &self,
        py: Python<'_>,
        witness: Source,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Texts> {
        let watch = progress.map(|progress| -> Watch {
            Arc::new(move |step: Step, part: f64| {
                tell(&progress, (step.to_string(), part));
            })
        });
        let cancel = Cancel::new();
        let mut control = Control::none().with_cancel(cancel.clone());
        if let Some(watch) = watch {
            control = control.with_progress(watch);
        }
        interruptible(py, &cancel, || {
            texts(self.prover.prove_with(&witness.witness("witness".into())?, &control))
        })
    }

    /// For each witness what `prove` gives, or the error. `progress` is called with the number of each proof that has ended.
    fn prove_batch(
        &self,
        py: Python<'_>,
        witnesses: Vec<Source>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Vec<Py<PyAny>>> {
        let cancel = Cancel::new();
        let made = interruptible(py, &cancel, || {
            let cancelled = || Err(proofmill::Error::Cancelled.into());
            let mut made: Vec<Outcome<Texts>> = witnesses.iter().map(|_| cancelled()).collect();
            let opened = witnesses.iter().enumerate();
            let opened = opened.map(|(number, it)| it.witness(format!("witnesses[{number}]")));
            self.prover.prove_each(opened, &cancel, |number, proved| {
                made[number] = texts(proved);
                if let Some(progress) = &progress {
                    tell(progress, (number,));
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

    /// verification_key.json as a text.
    fn verification_key(&self) -> PyResult<String> {
        let text =
            || -> Outcome<_> { Ok(snarkjs::verifying_key::text(&self.key.verifying_key()?)?) };
        Ok(text()?)
    }

    /// The curve's name.
    fn curve(&self) -> &'static str {
        self.key.curve().name()
    }
}

/// Does a proof convince? Texts of verification_key.json, public.json and proof.json.
#[pyfunction]
pub fn verify(py: Python<'_>, key: &str, public: &str, proof: &str) -> PyResult<bool> {
    let convinced: Outcome<_> = unlocked(py, || {
        let key = snarkjs::verifying_key::parse("verification_key", key.as_bytes())?;
        let public = snarkjs::public::parse("public", public.as_bytes(), key.curve)?;
        let proof = snarkjs::proof::parse("proof", proof.as_bytes())?;
        Ok(groth16::verify(&key, &public, &proof)?)
    });
    Ok(convinced?)
}

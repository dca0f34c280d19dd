//! Devices and their operations. Arguments that hold numbers are buffers of bytes.

use std::borrow::Cow;
use std::sync::Arc;

use proofmill::ecdsa::{self, Encoded, Item, Policy};
use proofmill::equihash::{self, HEADER_BYTES, Network, Params, Personalisation, solve};
use proofmill::msm::{self, Check, Instance, SCALAR_BYTES};
use proofmill::vdf::{self, record, wesolowski};
use proofmill::{Submit, ntt, poseidon};
use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::{Failure, Outcome};
use crate::logs::{Unlocked, unlocked};

type Shared = Arc<Unlocked<Box<dyn proofmill::Device>>>;

/// An open device.
#[pyclass(frozen, module = "proofmill._native")]
pub struct Device(Shared);

/// Bases that are resident on a device.
#[pyclass(frozen, module = "proofmill._native")]
pub struct Bases {
    device: Shared,
    bases: Unlocked<msm::ResidentBases>,
    count: usize,
}

/// A key, a signature and a digest.
type Signature = (Vec<u8>, Vec<u8>, [u8; 32]);

/// Returns the URIs of the devices that can be opened on this machine.
#[pyfunction]
pub fn devices() -> Vec<String> {
    proofmill::devices().into_iter().map(|listed| listed.uri).collect()
}

/// Returns the bytes of an element of a field.
#[pyfunction]
pub fn field_bytes(field: &str) -> PyResult<usize> {
    let bytes = |field: &str| -> Outcome<_> { Ok(field.parse::<ntt::Field>()?.bytes()) };
    Ok(bytes(field)?)
}

/// Returns the bytes of a header with an Equihash solution.
#[pyfunction]
pub fn equihash_header_bytes(n: u32, k: u32) -> PyResult<usize> {
    let bytes = || -> Outcome<_> { Ok(Params::new(n, k)?.header_bytes()) };
    Ok(bytes()?)
}

/// Copies a buffer while the interpreter is locked, so that no other thread changes the bytes meanwhile.
fn bytes(py: Python<'_>, buffer: &PyBuffer<u8>) -> PyResult<Vec<u8>> {
    buffer.to_vec(py)
}

#[pymethods]
impl Device {
    #[new]
    fn new(py: Python<'_>, uri: &str) -> PyResult<Self> {
        let opened: Outcome<_> = unlocked(py, || Ok(proofmill::open(uri)?));
        Ok(Self(Arc::new(Unlocked::new(opened?))))
    }

    /// Returns URI, kind, description, capabilities, queue.
    fn info(&self) -> (String, &'static str, String, Vec<String>, usize) {
        let caps = self.0.caps();
        let capabilities = caps.capabilities.iter().map(ToString::to_string).collect();
        (caps.uri.clone(), caps.kind.name(), caps.description.clone(), capabilities, caps.queue)
    }

    /// Computes one MSM. Returns one point.
    fn msm<'py>(
        &self,
        py: Python<'py>,
        group: &str,
        check: u8,
        points: PyBuffer<u8>,
        scalars: PyBuffer<u8>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (points, scalars) = (bytes(py, &points)?, bytes(py, &scalars)?);
        let sum: Outcome<_> = unlocked(py, || {
            let instance: Instance = group.parse()?;
            let bases = msm::Bases::new(instance, points).checked(checked(check)?);
            Ok(msm::msm(&***self.0, bases, scalars)?)
        });
        Ok(PyBytes::new(py, &sum?))
    }

    /// Loads bases on the device.
    fn bases(
        &self,
        py: Python<'_>,
        group: &str,
        check: u8,
        max_bytes: usize,
        points: PyBuffer<u8>,
    ) -> PyResult<Bases> {
        let points = bytes(py, &points)?;
        let made: Outcome<_> = unlocked(py, || {
            let bases = msm::Bases::new(group.parse()?, points);
            let bases = bases.checked(checked(check)?).precomputed(max_bytes);
            let count = bases.count()?;
            let bases = msm::load_bases(&***self.0, bases)?;
            Ok(Bases { device: self.0.clone(), bases: Unlocked::new(bases), count })
        });
        Ok(made?)
    }

    /// Computes a transform.
    fn ntt<'py>(
        &self,
        py: Python<'py>,
        field: &str,
        inverse: bool,
        shift: Option<Vec<u8>>,
        elements: PyBuffer<u8>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let elements = bytes(py, &elements)?;
        let transformed: Outcome<_> = unlocked(py, || {
            let field = field.parse()?;
            let request = match inverse {
                false => ntt::Request::forward(field, elements),
                true => ntt::Request::inverse(field, elements),
            };
            let request = match shift {
                None => request,
                Some(shift) => request.on_coset(shift),
            };
            Ok(ntt::transform(&***self.0, request)?)
        });
        Ok(PyBytes::new(py, &transformed?))
    }

    /// Computes Poseidon digests.
    fn poseidon<'py>(
        &self,
        py: Python<'py>,
        arity: usize,
        preimages: PyBuffer<u8>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let preimages = bytes(py, &preimages)?;
        let digests: Outcome<_> =
            unlocked(py, || Ok(poseidon::hash(&***self.0, arity, preimages)?));
        Ok(PyBytes::new(py, &digests?))
    }

    /// Computes x^(2^squarings) modulo N, modulo sign. Numbers are text.
    fn vdf_evaluate(
        &self,
        py: Python<'_>,
        modulus: &str,
        input: &str,
        squarings: u64,
    ) -> PyResult<String> {
        let output: Outcome<_> = unlocked(py, || {
            let claim = record::claim(modulus, input, squarings)?;
            Ok(vdf::format_number(&vdf::evaluate(&***self.0, &claim)?))
        });
        Ok(output?)
    }

    /// The same with a proof, as JSON.
    fn vdf_prove(
        &self,
        py: Python<'_>,
        modulus: &str,
        input: &str,
        squarings: u64,
        max_bytes: u64,
    ) -> PyResult<String> {
        let proof: Outcome<_> = unlocked(py, || {
            let claim = record::claim(modulus, input, squarings)?;
            let settings = wesolowski::Settings { max_bytes, ..Default::default() };
            let proof = wesolowski::prove(&***self.0, &claim, &settings)?;
            Ok(record::Record::of(&claim, &proof).to_json()?)
        });
        Ok(proof?)
    }

    /// Returns for each signature the names of what is wrong.
    fn ecdsa_verify_batch(
        &self,
        py: Python<'_>,
        der: bool,
        low_s: bool,
        signatures: Vec<Signature>,
    ) -> PyResult<Vec<Vec<&'static str>>> {
        let outcomes: Outcome<_> = unlocked(py, || {
            let items = signatures.into_iter().map(|(key, signature, digest)| {
                let signature =
                    if der { Encoded::Der(signature) } else { Encoded::Compact(signature) };
                Item { key, signature, digest }
            });
            let items: Vec<_> = items.collect();
            Ok(ecdsa::verify_batch(&***self.0, &items, Policy { low_s })?)
        });
        let wrong = |outcome: &ecdsa::Outcome| {
            outcome.rejection().map_or(Vec::new(), |rejection| rejection.names())
        };
        Ok(outcomes?.iter().map(wrong).collect())
    }

    /// Returns for each header the names of what is wrong.
    fn equihash_verify_batch(
        &self,
        py: Python<'_>,
        n: u32,
        k: u32,
        network: &str,
        headers: PyBuffer<u8>,
    ) -> PyResult<Vec<Vec<&'static str>>> {
        let headers = bytes(py, &headers)?;
        let verdicts: Outcome<_> = unlocked(py, || {
            let (params, network): (_, Network) = (Params::new(n, k)?, network.parse()?);
            Ok(equihash::verify_many(&***self.0, params, network, headers)?)
        });
        Ok(verdicts?.iter().map(|verdict| verdict.errors().collect()).collect())
    }

    /// Returns for each header of 140 bytes its solutions as whole headers.
    fn equihash_solve(
        &self,
        py: Python<'_>,
        params: (u32, u32),
        personalisation: [u8; 8],
        max_bytes: Option<u64>,
        headers: PyBuffer<u8>,
    ) -> PyResult<Vec<Vec<Cow<'static, [u8]>>>> {
        let headers = bytes(py, &headers)?;
        let solved: Outcome<_> = unlocked(py, || {
            let params = Params::new(params.0, params.1)?;
            let personalisation = Personalisation(personalisation);
            let request = solve::Request::new(params, headers.clone());
            let request = solve::Request { personalisation, max_bytes, ..request };
            let found = self.0.submit(request)?.wait()?.solutions;
            let (headers, _) = headers.as_chunks::<HEADER_BYTES>();
            let whole = headers.iter().zip(found).map(|(header, solutions)| {
                let whole = |solution: &Vec<u8>| params.whole_header(header, solution).into();
                solutions.iter().map(whole).collect()
            });
            Ok(whole.collect())
        });
        Ok(solved?)
    }
}

#[pymethods]
impl Bases {
    /// Returns the number of points.
    fn __len__(&self) -> usize {
        self.count
    }

    /// Computes MSMs. Returns a point for each list of scalars, which follow one after the other.
    fn msm<'py>(
        &self,
        py: Python<'py>,
        lists: usize,
        scalars: PyBuffer<u8>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let scalars = bytes(py, &scalars)?;
        let sums: Outcome<_> = unlocked(py, || {
            let each = self.count * SCALAR_BYTES;
            if each.checked_mul(lists) != Some(scalars.len()) {
                let problem =
                    format!("{} bytes; {lists} lists of {each} are expected", scalars.len());
                return Err(Failure::argument("scalars", problem));
            }
            let scalars = (0..lists).map(|list| &scalars[list * each..][..each]);
            Ok(msm::msm_batch(&***self.device, (*self.bases).clone(), scalars)?)
        });
        Ok(PyBytes::new(py, &sums?.concat()))
    }
}

/// Verifies a proof of a VDF, as JSON.
#[pyfunction]
pub fn vdf_verify(py: Python<'_>, proof: &str) -> PyResult<bool> {
    let is_valid: Outcome<_> = unlocked(py, || Ok(record::Record::from_json(proof)?.verify()?));
    Ok(is_valid?)
}

fn checked(check: u8) -> Outcome<Check> {
    match check {
        0 => Ok(Check::None),
        1 => Ok(Check::Curve),
        2 => Ok(Check::Subgroup),
        other => Err(Failure::argument("check", format!("{other} is no check"))),
    }
}

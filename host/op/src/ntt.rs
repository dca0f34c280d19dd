//! `ntt`: the number-theoretic transform (NTT): from the coefficients of a polynomial to its values at the powers of a root
//! of unity, in natural order, or back.
//!
//! Elements are canonical integers below the modulus, little-endian, [`Field::bytes`] each. There are 2^k of them, with k from
//! 0 to [`MAX_LOG_SIZE`]. The root of unity of order 2^k is the field's generator in `spec/fields` to the power of
//! (modulus - 1) / 2^k, unless the request brings another one.

use std::fmt;
use std::str::FromStr;

use proofmill_algebra::field::PrimeField;
use proofmill_algebra::ntt::{SizeError, Transform};

mod quotient;

pub use crate::Progress;
use crate::{Argument, Capability, Data, Error, Operation, Result, SecretBytes, features};
pub use quotient::{ComputeQuotient, Quotient, QuotientResponse};

/// The base-2 logarithm of the largest number of elements.
pub const MAX_LOG_SIZE: u32 = 27;

/// Lists the fields: types of `proofmill_algebra`. Then those that this build lacks.
macro_rules! fields {
    (
        ($dollar:tt)
        { $($(#[$doc:meta])* $field:ident = $element:ident;)* }
        { $($feature:tt: $absent:ident = $lacking:ident;)* }
    ) => {
        /// A field with a root of unity of an order that is a large power of two. Features of this crate bring more.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "serde", serde(try_from = "String", into = "String"))]
        pub enum Field {
            $($(#[$doc])* $field,)*
        }

        impl Field {
            /// The fields of this build.
            pub const ALL: [Self; [$(Self::$field),*].len()] = [$(Self::$field),*];

            /// Returns its name in `spec/fields`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$field => <proofmill_algebra::field::$element as PrimeField>::NAME,)*
                }
            }

            /// Names that this build lacks, each with its feature.
            const ABSENT: &[(&str, &str)] =
                &[$((<proofmill_algebra::field::$lacking as PrimeField>::NAME, $feature)),*];

            /// Returns the bytes of an element.
            pub const fn bytes(self) -> usize {
                match self {
                    $(Self::$field => <proofmill_algebra::field::$element as PrimeField>::BYTES,)*
                }
            }
        }

        /// Calls a function that returns a `Result` for the field in `proofmill_algebra` of a [`Field`](crate::ntt::Field), and
        /// its number of digits.
        #[macro_export]
        macro_rules! in_field {
            ($dollar field:expr, $dollar function:ident($dollar($dollar argument:expr),* $dollar(,)?)) => {
                match $dollar field {
                    $($dollar crate::ntt::Field::$field => {
                        $dollar function::<proofmill_algebra::field::$element, _>($dollar($dollar argument),*)
                    })*
                    #[allow(unreachable_patterns)]
                    field => {
                        Err($dollar crate::Error::argument("field", format!("there is no {field}")))
                    }
                }
            };
        }
    };
}

features::sorted! { fields! ($)
    /// The scalars of BN254.
    Bn254Fr = Bn254Fr;
    /// The scalars of BLS12-381.
    Bls12_381Fr = Bls12381Fr;
    /// The scalars of BLS12-377.
    #[cfg(feature = "bls12_377")]
    Bls12_377Fr = Bls12377Fr;
    /// 2^64 - 2^32 + 1.
    Goldilocks = Goldilocks;
    /// The scalars of Vesta.
    #[cfg(feature = "pasta")]
    PastaFp = PastaFp;
    /// The scalars of Pallas.
    #[cfg(feature = "pasta")]
    PastaFq = PastaFq;
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Field {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|field| field.name() == name).ok_or_else(|| {
            features::no_such("field", name, &Self::ALL.map(Self::name), Self::ABSENT)
        })
    }
}

/// Forward or inverse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Direction {
    /// Coefficients to values.
    #[default]
    Forward,
    /// Values to coefficients.
    Inverse,
}

/// A transform.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Request {
    /// The field.
    pub field: Field,
    /// Forward or inverse.
    pub direction: Direction,
    /// Another root of unity whose order is the number of elements.
    pub root: Option<Vec<u8>>,
    /// The shift g of a coset, not 0: values at g times the powers of the root.
    pub coset: Option<Vec<u8>>,
    /// The elements one after the other.
    pub elements: Data,
    /// Memory to reuse for the response, if it is large enough. Its content is ignored; an error drops it.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub buffer: Buffer,
    /// The progress callback.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub progress: Option<Progress>,
}

impl Request {
    /// Returns the transform from coefficients to values at the powers of the root.
    pub fn forward(field: Field, elements: impl Into<Data>) -> Self {
        let (direction, elements) = (Direction::Forward, elements.into());
        Self {
            field,
            direction,
            root: None,
            coset: None,
            elements,
            buffer: Buffer::default(),
            progress: None,
        }
    }

    /// Returns the transform from values to coefficients.
    pub fn inverse(field: Field, elements: impl Into<Data>) -> Self {
        Self { direction: Direction::Inverse, ..Self::forward(field, elements) }
    }

    /// Returns the request with the powers of this root of unity.
    pub fn with_root(self, root: impl Into<Vec<u8>>) -> Self {
        Self { root: Some(root.into()), ..self }
    }

    /// Returns the request on the coset with shift g, which is not 0.
    pub fn on_coset(self, g: impl Into<Vec<u8>>) -> Self {
        Self { coset: Some(g.into()), ..self }
    }

    /// Returns the request with memory for its response, such as that of an earlier response, used if it is large enough. New memory costs
    /// a page fault for every page.
    pub fn with_buffer(self, memory: Vec<u8>) -> Self {
        Self { buffer: Buffer(memory.into()), ..self }
    }

    /// Returns the base-2 logarithm of the number of elements; an error if that is not a power of two, or too large.
    pub fn log_size(&self) -> Result<u32> {
        count_log(Argument::Elements, self.field, self.elements.len())
    }
}

impl Request {
    /// Returns the transform over F, which is the field of the request; an error if the size, the root or the coset is wrong. For devices.
    pub fn transform<F: PrimeField>(&self) -> Result<Transform<F>> {
        of_size(Argument::Elements, self.log_size()?, self.root.as_deref(), self.coset.as_deref())
            .map(|transform| match self.direction {
                Direction::Forward => transform,
                Direction::Inverse => transform.inverse(),
            })
    }
}

/// Returns the forward transform of 2^log elements.
fn of_size<F: PrimeField>(
    argument: Argument,
    log: u32,
    root: Option<&[u8]>,
    coset: Option<&[u8]>,
) -> Result<Transform<F>> {
    let size = |problem: SizeError| Error::argument(argument, problem.to_string());
    let transform = match root {
        None => Transform::forward(log).map_err(size)?,
        Some(root) => {
            let root = element::<F>("root", root)?;
            let order = || Error::argument("root", format!("its order is not 2^{log}"));
            Transform::forward_at(log, root).map_err(size)?.ok_or_else(order)?
        }
    };
    let Some(g) = coset else { return Ok(transform) };
    let g = element::<F>("coset", g)?;
    if g == F::ZERO {
        return Err(Error::argument("coset", "is 0"));
    }
    Ok(transform.on_coset(g))
}

fn element<F: PrimeField>(argument: &'static str, bytes: &[u8]) -> Result<F> {
    F::from_le_bytes(bytes).map_err(|error| Error::argument(argument, error.to_string()))
}

/// Returns the base-2 logarithm of the number of elements in `bytes` bytes.
fn count_log(argument: Argument, field: Field, bytes: usize) -> Result<u32> {
    let each = field.bytes();
    let count = bytes / each;
    let problem = if !bytes.is_multiple_of(each) {
        format!("{bytes} bytes are not a whole number of {each}-byte elements")
    } else if !count.is_power_of_two() {
        format!("a count of {count} is not a power of two")
    } else if count.ilog2() > MAX_LOG_SIZE {
        format!("a count of {count} exceeds 2^{MAX_LOG_SIZE}")
    } else {
        return Ok(count.ilog2());
    };
    Err(Error::argument(argument, problem))
}

/// Memory to reuse. A clone is empty. It is secret, because earlier results may be.
#[derive(Debug)]
pub struct Buffer(pub SecretBytes);

impl Default for Buffer {
    fn default() -> Self {
        Self(SecretBytes::from(Vec::new()))
    }
}

impl Clone for Buffer {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Buffer {
    /// Takes the memory out.
    pub fn take(&mut self) -> SecretBytes {
        std::mem::take(self).0
    }
}

/// The result of a transform.
#[derive(Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Response {
    /// The elements, in the same form and order.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub elements: Vec<u8>,
}

/// Shows the length only: the elements may come from a witness.
impl fmt::Debug for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Response({} bytes)", self.elements.len())
    }
}

/// Number-theoretic transform.
pub struct Ntt;

impl Operation for Ntt {
    type Request = Request;
    type Response = Response;
    const NAME: &'static str = "ntt";

    fn capability(request: &Request) -> Capability {
        Capability::Ntt(request.field)
    }

    fn data_mut(request: &mut Request) -> Vec<&mut Data> {
        vec![&mut request.elements]
    }

    fn same_result(response: &Response, other: &Response) -> bool {
        response == other
    }

    fn progress_mut(request: &mut Request) -> Option<&mut Option<Progress>> {
        Some(&mut request.progress)
    }

    fn take_bytes(response: &mut Response) -> Option<SecretBytes> {
        Some(std::mem::take(&mut response.elements).into())
    }

    fn put_bytes(response: &mut Response, bytes: SecretBytes) {
        response.elements = bytes.into_plain();
    }

    fn take_buffer(request: &mut Request) -> Option<SecretBytes> {
        Some(request.buffer.take())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_is_found_by_its_name_and_no_other() {
        for field in Field::ALL {
            assert_eq!(field.name().parse::<Field>().unwrap(), field);
        }
        let problem = "bn254_fp".parse::<Field>().unwrap_err().to_string();
        assert!(problem.contains("expected one of bn254_fr, bls12_381_fr, "), "{problem}");
    }

    #[test]
    fn present_and_absent_fields_are_those_of_the_wire() {
        let text = proofmill_spec::text(proofmill_spec::WIRE, "ntt").unwrap();
        let spec: toml::Table = text.parse().unwrap();
        let fields = spec["fields"].as_table().unwrap();
        assert_eq!(fields.len(), Field::ALL.len() + Field::ABSENT.len());
        assert!(Field::ABSENT.iter().all(|(name, _)| fields.contains_key(*name)));
        for field in Field::ALL {
            assert_eq!(fields[field.name()]["element"].as_integer(), Some(field.bytes() as i64));
        }
    }

    #[test]
    fn sizes_that_cannot_be_are_named() {
        let of = |bytes| Request::forward(Field::Bn254Fr, vec![0; bytes]);
        assert_eq!(of(32).log_size().unwrap(), 0);
        assert_eq!(of(32 << 5).log_size().unwrap(), 5);
        let problem = |bytes| of(bytes).log_size().unwrap_err().to_string();
        assert_eq!(problem(33), "elements: 33 bytes are not a whole number of 32-byte elements");
        assert_eq!(problem(96), "elements: a count of 3 is not a power of two");
        assert_eq!(problem(0), "elements: a count of 0 is not a power of two");
    }
}

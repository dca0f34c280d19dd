//! Input signals: JSON as circom's generators take it.
//!
//! ```text
//! { "name": value, "array": [[1, "2"], ["0x3", -4]], "bus": { "field": value }, "buses": [{ "field": value }, …] }
//! ```
//!
//! Arrays are flattened. A bus is an object: its fields are signals `bus.field`, and `buses[0].field` for arrays of buses.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::fs::File;
use std::path::Path;

use proofmill_op::{Secret, SecretBytes};
use proofmill_proof::groth16::Scalar;
use proofmill_proof::{Error, FileError, Result, json_error};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::number;
use crate::prime::Limbs;

/// Maximum depth of arrays and objects. The time to read is proportional to it.
const MAX_DEPTH: usize = 32;

/// The values of a circuit's input signals, as JSON. `Debug` does not show them.
pub struct Inputs {
    name: String,
    json: SecretBytes,
}

/// An input signal and its values in row-major order.
pub struct Signal {
    /// The qualified name.
    pub name: String,
    /// The values, each below r.
    pub values: Secret<Scalar>,
}

impl Inputs {
    /// Maximum number of bytes.
    pub const MAX_BYTES: usize = 256 << 20;

    /// Reads a regular file into memory that is overwritten when the value is dropped.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let read = || {
            let mut file = File::open(path)?;
            let metadata = file.metadata()?;
            if !metadata.is_file() {
                return Err(std::io::Error::other("not a regular file"));
            }
            // A longer file is refused below; its content is not needed for that.
            let len = metadata.len().min(Self::MAX_BYTES as u64 + 1);
            SecretBytes::read(&mut file, len, SecretBytes::empty())
        };
        match read() {
            Ok(json) => Self::from_json(name, json),
            Err(source) => Err(Error::Io { name, source }),
        }
    }

    /// Takes JSON in memory, under a name for errors. It is parsed when a witness is calculated. More than
    /// [`Inputs::MAX_BYTES`] bytes are refused. The memory of a plain vector is taken over.
    pub fn from_json(name: impl Into<String>, json: impl Into<SecretBytes>) -> Result<Self> {
        let (name, json) = (name.into(), json.into());
        if json.len() > Self::MAX_BYTES {
            let problem = format!("more than {} bytes", Self::MAX_BYTES);
            return Err(FileError::new(name, "file", Self::MAX_BYTES as u64, problem).into());
        }
        Ok(Self { name, json })
    }

    /// Returns its name in errors.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Parses the signals in their order, with values modulo `modulus`.
    pub(crate) fn signals(&self, modulus: &Limbs) -> Result<Vec<Signal>> {
        let document = Document { name: &self.name, json: &self.json, modulus };
        let whole: &RawValue =
            serde_json::from_slice(&self.json).map_err(|error| document.wrong_json(&error))?;
        let mut signals = Vec::new();
        if !whole.get().starts_with('{') {
            return Err(document.wrong(whole, "", "not an object of signals").into());
        }
        document.object(whole, "", MAX_DEPTH, &mut signals)?;
        Ok(signals)
    }
}

impl fmt::Debug for Inputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Inputs({}: {} bytes)", self.name, self.json.len())
    }
}

/// The JSON of the inputs, with what errors need.
struct Document<'a> {
    name: &'a str,
    json: &'a [u8],
    modulus: &'a Limbs,
}

impl<'a> Document<'a> {
    /// Appends the signals of an object under a prefix.
    fn object(
        &self,
        object: &'a RawValue,
        prefix: &str,
        depth: usize,
        signals: &mut Vec<Signal>,
    ) -> Result<()> {
        let Members(members) = self.parsed(object, prefix)?;
        let mut names = HashSet::new();
        for (key, value) in &members {
            let name = if prefix.is_empty() { key.to_string() } else { format!("{prefix}.{key}") };
            if !names.insert(key) {
                return Err(self.wrong(value, &name, "a second value of the same signal").into());
            }
            self.signal(value, name, depth, signals)?;
        }
        Ok(())
    }

    /// Appends the signal of a value, or those of a bus or an array of buses.
    fn signal(
        &self,
        value: &'a RawValue,
        name: String,
        depth: usize,
        signals: &mut Vec<Signal>,
    ) -> Result<()> {
        let Some(depth) = depth.checked_sub(1) else {
            return Err(self
                .wrong(value, &name, format!("nested more than {MAX_DEPTH} levels deep"))
                .into());
        };
        if value.get().starts_with('{') {
            return self.object(value, &name, depth, signals);
        }
        let mut leaves = Vec::new();
        self.leaves(value, &name, depth, &mut leaves)?;
        let buses = leaves.iter().filter(|leaf| leaf.get().starts_with('{')).count();
        if buses > 0 && buses == leaves.len() {
            return self.buses(value, &name, depth, signals);
        }
        let mut values = Secret::filled(leaves.len(), Scalar::default());
        for (number, (into, leaf)) in values.iter_mut().zip(&leaves).enumerate() {
            *into = self.number(leaf).ok_or_else(|| {
                let problem = match leaf.get().as_bytes().first() {
                    Some(b'{') => "an object among numbers",
                    Some(b'n') => "null",
                    _ => "not an integer: a string or a number of decimal digits, or a string of 0x and hexadecimal digits",
                };
                let place = if leaf.get().len() == value.get().len() { name.clone() } else { format!("{name}, value {number}") };
                self.wrong(leaf, &place, problem)
            })?;
        }
        signals.push(Signal { name, values });
        Ok(())
    }

    /// Appends the values of nested arrays that are not arrays.
    fn leaves(
        &self,
        value: &'a RawValue,
        name: &str,
        depth: usize,
        leaves: &mut Vec<&'a RawValue>,
    ) -> Result<()> {
        if !value.get().starts_with('[') {
            leaves.push(value);
            return Ok(());
        }
        let Some(depth) = depth.checked_sub(1) else {
            return Err(self
                .wrong(value, name, format!("nested more than {MAX_DEPTH} levels deep"))
                .into());
        };
        let elements: Vec<&RawValue> = self.parsed(value, name)?;
        elements.into_iter().try_for_each(|element| self.leaves(element, name, depth, leaves))
    }

    /// Appends the signals of nested arrays of buses: `name[0][1].field`.
    fn buses(
        &self,
        value: &'a RawValue,
        name: &str,
        depth: usize,
        signals: &mut Vec<Signal>,
    ) -> Result<()> {
        if value.get().starts_with('{') {
            return self.object(value, name, depth, signals);
        }
        let Some(depth) = depth.checked_sub(1) else {
            return Err(self
                .wrong(value, name, format!("nested more than {MAX_DEPTH} levels deep"))
                .into());
        };
        let elements: Vec<&RawValue> = self.parsed(value, name)?;
        for (index, element) in elements.into_iter().enumerate() {
            self.buses(element, &format!("{name}[{index}]"), depth, signals)?;
        }
        Ok(())
    }

    /// Reads an integer or a boolean, or an integer in a string.
    fn number(&self, value: &RawValue) -> Option<Scalar> {
        let text = value.get();
        match text {
            "true" => Some(number::bit(true)),
            "false" => Some(number::bit(false)),
            _ if text.contains('\\') => {
                let text =
                    SecretBytes::from(serde_json::from_str::<String>(text).ok()?.into_bytes());
                number::parse_vartime(std::str::from_utf8(&text).ok()?, self.modulus)
            }
            _ => {
                let quoted = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
                number::parse_vartime(quoted.unwrap_or(text), self.modulus)
            }
        }
    }

    /// Parses one level of a value that is valid JSON.
    fn parsed<T: Deserialize<'a>>(&self, value: &'a RawValue, path: &str) -> Result<T> {
        serde_json::from_str(value.get())
            .map_err(|error| self.wrong(value, path, error.to_string()).into())
    }

    /// Returns an error about a value of the file.
    fn wrong(&self, value: &RawValue, path: &str, problem: impl Into<String>) -> FileError {
        let offset = value.get().as_ptr().addr().saturating_sub(self.json.as_ptr().addr());
        let path = if path.is_empty() { "inputs".into() } else { shown(path) };
        FileError::new(self.name, path, offset as u64, problem)
    }

    fn wrong_json(&self, error: &serde_json::Error) -> FileError {
        let offset = json_error::offset(self.json, error);
        FileError::new(self.name, "JSON", offset as u64, json_error::problem(error))
    }
}

/// Bytes of a name that are shown in errors.
const MAX_SHOWN: usize = 100;

/// Returns the beginning of a name of the file without control characters.
pub fn shown(name: &str) -> String {
    let mut shown: String = name.chars().take(MAX_SHOWN).flat_map(char::escape_debug).collect();
    if name.chars().nth(MAX_SHOWN).is_some() {
        shown.push('…');
    }
    shown
}

/// The members of an object in their order.
struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(
                self,
                mut map: A,
            ) -> std::result::Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some((Key(key), value)) = map.next_entry::<Key<'de>, &'de RawValue>()? {
                    members.push((key, value));
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Reader)
    }
}

/// A key, borrowed where it has no escapes.
#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

//! Contracts as templates: `@FIELD@` is replaced by a text, and a line of nothing else by any number of lines.

use proofmill_algebra::field::{Bn254Fp, Bn254Fr, PrimeField};

use super::{ContractName, hex, words};
use crate::{Error, Result};

/// A contract that is being filled.
pub struct Template(String);

impl Template {
    /// Takes the text of a template and fills the fields that all templates have.
    pub fn new(text: &str, public_inputs: usize) -> Self {
        let count = match public_inputs {
            0 => "no public input".to_owned(),
            1 => "1 public input".to_owned(),
            more => format!("{more} public inputs"),
        };
        let (parameter, documented) = match public_inputs {
            0 => (String::new(), vec![]),
            _ => (
                format!(", uint256[{public_inputs}] calldata publicInputs"),
                vec!["/// @param publicInputs The public inputs x_0, x_1, ...".to_owned()],
            ),
        };
        let inputs = |name: &str| match public_inputs {
            0 => String::new(),
            _ => format!("{name}, "),
        };
        Self(text.to_owned())
            .with("COUNT", &count)
            .with("R", &modulus::<Bn254Fr>())
            .with("Q", &modulus::<Bn254Fp>())
            .with("PUBLIC_PARAMETER", &parameter)
            .with("INPUTS_PARAMETER", &inputs("inputs"))
            .with("INPUTS_ARGUMENT", &inputs("publicInputs"))
            .with_lines("PUBLIC_DOC", &documented)
    }

    /// Replaces a field.
    pub fn with(self, field: &str, text: &str) -> Self {
        Self(self.0.replace(&format!("@{field}@"), text))
    }

    /// Replaces the line of a field by these lines, with its indentation.
    pub fn with_lines(self, field: &str, lines: &[String]) -> Self {
        let mark = format!("@{field}@");
        let mut text = String::new();
        for line in self.0.lines() {
            if line.trim_start() != mark {
                text += line;
                text.push('\n');
                continue;
            }
            let indentation = &line[..line.len() - mark.len()];
            for line in lines {
                text += if line.is_empty() { "" } else { indentation };
                text += line;
                text.push('\n');
            }
        }
        Self(text)
    }

    /// Names the contract. Returns an error if the source has another identifier of that name.
    pub fn finish(self, name: Option<&ContractName>, default: &str) -> Result<String> {
        let name = name.map_or(default, ContractName::as_str);
        let code = self.0.lines().filter(|line| !line.trim_start().starts_with("//"));
        let is_part = |byte: char| byte.is_ascii_alphanumeric() || byte == '_';
        if code.flat_map(|line| line.split(|part| !is_part(part))).any(|word| word == name) {
            let problem = format!("{name} is another identifier of the contract");
            return Err(Error::argument("name", problem));
        }
        let Self(text) = self.with("NAME", name);
        debug_assert_eq!(field(&text), None, "a field is left");
        Ok(text)
    }
}

/// Finds a field.
fn field(text: &str) -> Option<&str> {
    let is_field = |part: &&str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
    };
    text.split('@').find(is_field)
}

/// Returns the lines after the first, which is empty.
pub fn lines(text: &str) -> Vec<String> {
    text.lines().skip(1).map(str::to_owned).collect()
}

/// Declares a constant.
pub fn constant(name: &str, value: &str) -> String {
    format!("uint256 private constant {name} = {value};")
}

/// Declares the coordinates of a point of G1.
pub fn g1(name: &str, point: &[u8]) -> impl Iterator<Item = String> {
    declared(name, ["X", "Y"], point)
}

/// Declares the coordinates of a point of G2, the coefficient of 1 first.
pub fn g2(name: &str, point: &[u8]) -> impl Iterator<Item = String> {
    declared(name, ["X0", "X1", "Y0", "Y1"], point)
}

fn declared<const N: usize>(
    name: &str,
    coordinates: [&'static str; N],
    point: &[u8],
) -> impl Iterator<Item = String> {
    let words = words(point).map(|word| hex(&word));
    coordinates
        .into_iter()
        .zip(words)
        .map(move |(coordinate, value)| constant(&format!("{name}_{coordinate}"), &value))
}

/// Formats the modulus of a field.
fn modulus<F: PrimeField>() -> String {
    let limbs = F::MODULUS.iter().rev().map(|limb| format!("{limb:016x}"));
    format!("0x{}", limbs.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_texts_or_lines() {
        let template =
            Template::new("a @COUNT@ b\n  @KEY@\nc(@PUBLIC_PARAMETER@)\n@PUBLIC_DOC@\n", 0);
        let filled = template.with_lines("KEY", &["1;".into(), "2;".into()]);
        assert_eq!(filled.finish(None, "X").unwrap(), "a no public input b\n  1;\n  2;\nc()\n");
        let moduli = Template::new("@R@ @Q@\n", 1).finish(None, "X").unwrap();
        let r = "0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001";
        let q = "0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47";
        assert_eq!(moduli, format!("{r} {q}\n"));
    }

    #[test]
    fn a_name_differs_from_the_other_identifiers() {
        let filled = |name: &str| {
            let template = Template::new("// Of a sum.\ncontract @NAME@ { uint256 R; }\n", 1);
            template.finish(Some(&name.parse().unwrap()), "Verifier").map_err(|e| e.to_string())
        };
        assert_eq!(filled("Of").unwrap(), "// Of a sum.\ncontract Of { uint256 R; }\n");
        assert_eq!(filled("R").unwrap_err(), "name: R is another identifier of the contract");
    }
}

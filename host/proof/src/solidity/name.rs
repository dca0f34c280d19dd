//! Names of contracts.

use std::str::FromStr;

/// The name of a contract: an upper-case letter, then letters, digits and underscores, all of ASCII. No word that Solidity reserves is of this form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContractName(String);

/// The error of a text that is not a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an upper-case letter and at most {} letters, digits and underscores", MAX_CHARACTERS - 1)]
pub struct InvalidContractName;

/// The most characters of a name.
const MAX_CHARACTERS: usize = 128;

impl ContractName {
    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ContractName {
    type Err = InvalidContractName;

    fn from_str(name: &str) -> Result<Self, InvalidContractName> {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let is_name = name.starts_with(|first: char| first.is_ascii_uppercase())
            && name.len() <= MAX_CHARACTERS
            && name.bytes().all(is_part);
        if is_name { Ok(Self(name.to_owned())) } else { Err(InvalidContractName) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_begin_with_an_upper_case_letter() {
        for name in ["Verifier", "X", "Groth16_Verifier2", &"A".repeat(MAX_CHARACTERS)] {
            assert_eq!(name.parse::<ContractName>().unwrap().as_str(), name);
        }
        let long = "A".repeat(MAX_CHARACTERS + 1);
        for name in ["", "contract", "_A", "1A", "A B", "A;", "A\n", "É", "Aé", "A$", &long] {
            assert_eq!(name.parse::<ContractName>(), Err(InvalidContractName), "{name}");
        }
    }
}

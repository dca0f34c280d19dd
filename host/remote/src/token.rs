//! The token that both sides share and never send.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use proofmill_op::{Error, Result};
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

/// The environment variable with the token.
pub const TOKEN_VARIABLE: &str = "PROOFMILL_TOKEN";

/// The shortest token. An observer of a handshake can try tokens offline, which finds a short one.
const LEAST: usize = 16;
const MOST: usize = 1024;

/// The secret that a client and a server share. It is never sent and never shown.
#[derive(Clone)]
pub struct Token(Zeroizing<[u8; 32]>);

impl Token {
    /// Checks a token: visible ASCII characters, 16 to 1024. Use random ones: an observer of a handshake can try tokens offline.
    pub fn new(text: &str) -> Result<Self> {
        Self::read(text, "")
    }

    /// Checks a token; `from` is the origin of the text for errors.
    fn read(text: &str, from: &str) -> Result<Self> {
        let is_fit = (LEAST..=MOST).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_graphic());
        if !is_fit {
            let problem =
                format!("{from}must have {LEAST} to {MOST} visible ASCII characters and no spaces");
            return Err(Error::argument("token", problem));
        }
        Ok(Self(key(text.as_bytes())))
    }

    /// Reads the token from a file, or else from the variable [`TOKEN_VARIABLE`]. One line break at the end of the file is ignored.
    pub fn find(file: Option<&Path>) -> Result<Option<Self>> {
        if let Some(file) = file {
            let text = std::fs::read_to_string(file).map(Zeroizing::new);
            let text = text.map_err(|source| Error::Io {
                context: format!("token_file: {}", file.display()),
                source: Arc::new(source),
            })?;
            let line = text.strip_suffix('\n').unwrap_or(&text);
            let line = line.strip_suffix('\r').unwrap_or(line);
            return Self::read(line, &format!("the one in {} ", file.display())).map(Some);
        }
        match std::env::var(TOKEN_VARIABLE) {
            Ok(text) => Self::read(&Zeroizing::new(text), &format!("the one in {TOKEN_VARIABLE} "))
                .map(Some),
            Err(std::env::VarError::NotPresent) => Ok(None),
            Err(_) => Err(Error::argument("token", format!("{TOKEN_VARIABLE} is not text"))),
        }
    }

    /// Returns the pre-shared key of a handshake; without a token it is a public constant.
    pub(crate) fn key(token: Option<&Self>) -> Zeroizing<[u8; 32]> {
        token.map_or_else(|| key(b""), |token| token.0.clone())
    }
}

fn key(text: &[u8]) -> Zeroizing<[u8; 32]> {
    let digest = Sha256::new().chain_update(b"proofmill-device token\0").chain_update(text);
    Zeroizing::new(digest.finalize().into())
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_tokens_and_those_with_spaces_are_refused_unseen() {
        for text in ["", "0123456789abcde", "0123456789 abcdef", "0123456789abcdef\n"] {
            let error = Token::new(text).unwrap_err().to_string();
            assert!(error.starts_with("token: must have 16") && !error.contains("0123"));
        }
        let token = Token::new("0123456789abcdef").unwrap();
        assert_eq!(format!("{token:?}"), "Token");
        assert_ne!(Token::key(Some(&token)), Token::key(None));
    }
}

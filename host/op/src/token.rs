//! The token that a client and a server share: of the HTTP service, and of a device on another machine.

use std::fmt;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

use crate::{Error, Result, SecretBytes};

/// The environment variable with the token.
pub const TOKEN_VARIABLE: &str = "PROOFMILL_TOKEN";

/// A recorded handshake allows offline guessing; a shorter token could be found.
const MIN_LENGTH: usize = 16;
const MAX_LENGTH: usize = 1024;

/// A secret text of 16 to 1024 visible ASCII characters. It is wiped on drop, and `Debug` does not show it.
#[derive(Clone)]
pub struct Token(Arc<SecretBytes>);

impl Token {
    /// Checks a token. Use random characters: a recorded handshake allows offline guessing.
    pub fn new(text: &str) -> Result<Self> {
        Self::check(SecretBytes::copy_of(text.as_bytes()), "")
    }

    /// Reads the token from a file or, without one, from the environment variable [`TOKEN_VARIABLE`]. One line break at the end of the
    /// file is ignored.
    pub fn find(file: Option<&Path>) -> Result<Option<Self>> {
        if let Some(file) = file {
            let from = format!("the one in {} ", file.display());
            let text = File::open(file)
                .and_then(|mut file| SecretBytes::read_to_end(&mut file, MAX_LENGTH + 2));
            return match text {
                Ok(text) => {
                    let line = text.strip_suffix(b"\n").unwrap_or(&text);
                    let line = line.strip_suffix(b"\r").unwrap_or(line);
                    Self::check(SecretBytes::copy_of(line), &from).map(Some)
                }
                Err(error) if error.kind() == io::ErrorKind::FileTooLarge => Err(unfit(&from)),
                Err(source) => Err(Error::Io {
                    context: format!("token_file: {}", file.display()),
                    source: Arc::new(source),
                }),
            };
        }
        match std::env::var(TOKEN_VARIABLE) {
            Ok(text) => {
                let from = format!("the one in {TOKEN_VARIABLE} ");
                Self::check(SecretBytes::from(text.into_bytes()), &from).map(Some)
            }
            Err(std::env::VarError::NotPresent) => Ok(None),
            Err(_) => Err(Error::argument("token", format!("{TOKEN_VARIABLE} is not text"))),
        }
    }

    /// Returns the characters.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Checks the characters; an error names their origin.
    fn check(text: SecretBytes, from: &str) -> Result<Self> {
        let is_fit = (MIN_LENGTH..=MAX_LENGTH).contains(&text.len())
            && text.iter().all(u8::is_ascii_graphic);
        if is_fit { Ok(Self(Arc::new(text))) } else { Err(unfit(from)) }
    }
}

fn unfit(from: &str) -> Error {
    let problem = format!(
        "{from}must have {MIN_LENGTH} to {MAX_LENGTH} visible ASCII characters and no spaces"
    );
    Error::argument("token", problem)
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
    fn invalid_tokens_are_rejected_and_not_shown() {
        let long = "x".repeat(MAX_LENGTH + 1);
        for text in [
            "",
            "0123456789abcde",
            "0123456789 abcdef",
            "0123456789abcdef\n",
            "é23456789abcdef",
            &long,
        ] {
            let error = Token::new(text).unwrap_err().to_string();
            assert!(error.starts_with("token: must have 16 to 1024 visible ASCII"), "{error}");
            assert!(!error.contains("0123"), "{error}");
        }
        let token = Token::new("0123456789abcdef").unwrap();
        assert_eq!(
            (format!("{token:?}"), token.as_bytes()),
            ("Token".into(), &b"0123456789abcdef"[..])
        );
    }

    #[test]
    fn a_file_holds_a_token_and_one_line_break() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("token");
        let most = "x".repeat(MAX_LENGTH);
        let found = |content: &str| {
            std::fs::write(&file, content).unwrap();
            Token::find(Some(&file)).map(|token| token.unwrap().as_bytes().to_vec())
        };
        for end in ["", "\n", "\r\n"] {
            assert_eq!(found(&format!("{most}{end}")).unwrap(), most.as_bytes());
        }
        for end in ["\n\n", "\n\r\n", "\n\n\n"] {
            let error = found(&format!("{most}{end}")).unwrap_err().to_string();
            assert!(error.contains(&format!("{} must have 16", file.display())), "{error}");
        }
        std::fs::remove_file(&file).unwrap();
        let missing = Token::find(Some(&file)).unwrap_err().to_string();
        assert!(missing.starts_with("token_file: "), "{missing}");
    }
}

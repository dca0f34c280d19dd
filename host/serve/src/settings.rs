//! What is served, to whom, with which limits.

use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use proofmill::Uri;
use subtle::ConstantTimeEq as _;
use zeroize::Zeroizing;

/// The environment variable with the token.
pub const TOKEN_VARIABLE: &str = "PROOFMILL_TOKEN";
/// A token is at least so many characters long, so that it cannot be guessed.
const TOKEN_LEAST: usize = 16;
const TOKEN_MOST: usize = 1024;
const NAME_MOST: usize = 64;

/// How the service is set up.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where it listens. Beyond loopback there must be a token.
    pub listen: SocketAddr,
    /// What a client has to show, if anything.
    pub token: Option<Token>,
    /// The proving keys.
    pub keys: Vec<NamedKey>,
    /// The device for NTTs and MSMs.
    pub device: Uri,
    /// The processor that does what the device does not offer.
    pub processor: Uri,
    /// Jobs that may wait; further requests are refused with 429.
    pub queue: usize,
    /// Jobs that are worked on at a time.
    pub workers: usize,
    /// How long accepted jobs may go on after the signal to end.
    pub grace: Duration,
}

impl Settings {
    /// An error where anybody could reach the service who should not.
    pub fn check(&self) -> anyhow::Result<()> {
        let listen = self.listen;
        if !listen.ip().is_loopback() && self.token.is_none() {
            bail!(
                "--listen: {listen} can be reached from other machines, so clients must show a token: give --token-file FILE or set {TOKEN_VARIABLE}"
            );
        }
        ensure!(!self.keys.is_empty(), "--key: no proving key");
        let mut names: Vec<_> = self.keys.iter().map(|key| &key.name).collect();
        names.sort();
        if let Some(two) = names.windows(2).find(|two| two[0] == two[1]) {
            bail!("--key: there are two of the name '{}'", two[0]);
        }
        Ok(())
    }
}

/// A proving key and the name by which requests call it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedKey {
    /// Letters, digits, `.`, `_` and `-`.
    pub name: String,
    /// The file, a `.zkey`.
    pub file: PathBuf,
}

/// From `NAME=FILE`.
impl FromStr for NamedKey {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Self> {
        let (name, file) = text.split_once('=').context("not NAME=FILE")?;
        let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        ensure!(
            (1..=NAME_MOST).contains(&name.len()) && name.chars().all(plain),
            "the name of a key has 1 to {NAME_MOST} letters, digits, '.', '_' or '-'"
        );
        ensure!(!file.is_empty(), "no file after '{name}='");
        Ok(Self { name: name.into(), file: file.into() })
    }
}

/// What clients show as `Authorization: Bearer TOKEN`. It is compared in constant time and never shown.
#[derive(Clone)]
pub struct Token(Zeroizing<String>);

impl Token {
    /// From a file, or else from the environment; a file of one line may end with its end.
    pub fn find(file: Option<&Path>) -> anyhow::Result<Option<Self>> {
        if let Some(file) = file {
            let text = std::fs::read_to_string(file).map(Zeroizing::new);
            let text = text.with_context(|| format!("--token-file: {}", file.display()))?;
            let line = text.strip_suffix('\n').unwrap_or(&text);
            let token = Self::new(line.strip_suffix('\r').unwrap_or(line));
            return token.with_context(|| format!("--token-file: {}", file.display())).map(Some);
        }
        match std::env::var(TOKEN_VARIABLE) {
            Ok(text) => Self::new(&Zeroizing::new(text)).context(TOKEN_VARIABLE).map(Some),
            Err(std::env::VarError::NotPresent) => Ok(None),
            Err(_) => bail!("{TOKEN_VARIABLE}: not text"),
        }
    }

    /// Visible ASCII characters.
    pub fn new(text: &str) -> anyhow::Result<Self> {
        ensure!(
            (TOKEN_LEAST..=TOKEN_MOST).contains(&text.len())
                && text.bytes().all(|byte| byte.is_ascii_graphic()),
            "a token has {TOKEN_LEAST} to {TOKEN_MOST} visible ASCII characters and no spaces"
        );
        Ok(Self(Zeroizing::new(text.to_owned())))
    }

    /// Is this the value of a header `Authorization` that shows it?
    pub fn is_shown_by(&self, header: &[u8]) -> bool {
        let Some((scheme, shown)) = header.split_at_checked(7) else { return false };
        scheme.eq_ignore_ascii_case(b"bearer ") && bool::from(self.0.as_bytes().ct_eq(shown))
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "0123456789abcdef";

    #[test]
    fn a_token_is_shown_whole_or_not_at_all() {
        let token = Token::new(TEXT).unwrap();
        for (header, is_shown) in [
            ("Bearer 0123456789abcdef", true),
            ("bearer 0123456789abcdef", true),
            ("Bearer 0123456789abcdeF", false),
            ("Bearer 0123456789abcde", false),
            ("Bearer 0123456789abcdef0", false),
            ("Basic  0123456789abcdef", false),
            ("0123456789abcdef", false),
            ("Bearer ", false),
            ("", false),
        ] {
            assert_eq!(token.is_shown_by(header.as_bytes()), is_shown, "{header}");
        }
        assert!(!format!("{token:?}").contains(TEXT));
    }

    #[test]
    fn short_tokens_and_those_with_spaces_are_refused_unseen() {
        for text in ["", "0123456789abcde", "0123456789 abcdef", "0123456789abcdef\n"] {
            let error = Token::new(text).unwrap_err().to_string();
            assert!(error.contains("visible ASCII") && !error.contains("0123"), "{error}");
        }
    }

    #[test]
    fn a_key_has_a_name_that_fits_into_a_path() {
        let key: NamedKey = "age.v1=keys/a=b.zkey".parse().unwrap();
        assert_eq!((&key.name[..], key.file.to_str()), ("age.v1", Some("keys/a=b.zkey")));
        for text in ["age.zkey", "=age.zkey", "age=", "a/b=c", "a b=c"] {
            assert!(text.parse::<NamedKey>().is_err(), "{text}");
        }
    }

    #[test]
    fn beyond_loopback_there_is_a_token() {
        let settings = |listen: &str, token: Option<&str>| Settings {
            listen: listen.parse().unwrap(),
            token: token.map(|text| Token::new(text).unwrap()),
            keys: vec!["a=b".parse().unwrap()],
            device: "cpu:".parse().unwrap(),
            processor: "cpu:".parse().unwrap(),
            queue: 1,
            workers: 1,
            grace: Duration::ZERO,
        };
        for loopback in ["127.0.0.1:0", "127.9.9.9:1", "[::1]:0"] {
            settings(loopback, None).check().unwrap();
        }
        for open in ["0.0.0.0:0", "[::]:0", "192.0.2.1:80", "[2001:db8::1]:80"] {
            let refused = settings(open, None).check().unwrap_err().to_string();
            assert!(refused.contains(open) && refused.contains("--token-file"), "{refused}");
            settings(open, Some(TEXT)).check().unwrap();
        }
        let mut twice = settings("127.0.0.1:0", None);
        twice.keys.push("a=c".parse().unwrap());
        assert!(twice.check().unwrap_err().to_string().contains("two of the name 'a'"));
    }
}

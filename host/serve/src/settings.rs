//! The settings of the service: keys, devices, limits and access.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use proofmill::{TOKEN_VARIABLE, Token, Uri};

const MAX_NAME_LENGTH: usize = 64;

/// The settings of the service.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The address to listen on. An address that is not loopback requires a token.
    pub listen: SocketAddr,
    /// The token that clients send as `Authorization: Bearer TOKEN`.
    pub token: Option<Token>,
    /// The proving keys.
    pub keys: Vec<NamedKey>,
    /// The device for NTTs and MSMs.
    pub device: Uri,
    /// The device for operations that `device` does not offer, and for second attempts.
    pub fallback: Uri,
    /// Maximum number of waiting jobs; further requests are rejected with 429.
    pub queue: usize,
    /// Number of jobs that run at a time.
    pub workers: usize,
    /// Time for which accepted jobs may run after the signal to end.
    pub grace: Duration,
    /// Limits of connections, uploads and witness generators.
    pub limits: Limits,
}

/// Limits of connections, uploads and witness generators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of open connections; further ones wait to be accepted.
    pub connections: usize,
    /// Time for the head of a request to arrive.
    pub header_timeout: Duration,
    /// Time for the body of a request to arrive, from its first byte to its last.
    pub body_timeout: Duration,
    /// Time for which the body of a rejected request is drained, so that its client receives the error.
    pub drain_timeout: Duration,
    /// Bytes of the body of a rejected request that are drained.
    pub drain_bytes: usize,
    /// Memory and time of each calculation of a witness from inputs.
    pub generator: proofmill::snark::Limits,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 1024,
            header_timeout: Duration::from_secs(10),
            body_timeout: Duration::from_secs(30),
            drain_timeout: Duration::from_secs(2),
            drain_bytes: 64 << 20,
            generator: proofmill::snark::Limits::default(),
        }
    }
}

impl Settings {
    /// Checks that only those can reach the service who may use it, and that key names are unique.
    pub fn check(&self) -> anyhow::Result<()> {
        let listen = self.listen;
        if !listen.ip().is_loopback() && self.token.is_none() {
            bail!(
                "--listen: {listen} can be reached from other machines, so clients must show a token: use --token-file FILE or set {TOKEN_VARIABLE}"
            );
        }
        ensure!(!self.keys.is_empty(), "--key: no proving key");
        let mut names: Vec<_> = self.keys.iter().map(|key| &key.name).collect();
        names.sort();
        if let Some(two) = names.windows(2).find(|two| two[0] == two[1]) {
            bail!("--key: the name '{}' is used twice", two[0]);
        }
        Ok(())
    }
}

/// A proving key and its name in requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedKey {
    /// Letters, digits, `.`, `_` and `-`.
    pub name: String,
    /// The file, a `.zkey`.
    pub file: PathBuf,
    /// The witness generator of the circuit, a `.wasm`: requests may then have inputs in place of a witness.
    pub generator: Option<PathBuf>,
}

/// Parses `NAME=ZKEY` and `NAME=ZKEY,WASM`. The names of both files contain no comma.
impl FromStr for NamedKey {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Self> {
        let (name, files) = text.split_once('=').context("must be NAME=ZKEY or NAME=ZKEY,WASM")?;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        ensure!(
            (1..=MAX_NAME_LENGTH).contains(&name.len()) && name.chars().all(is_plain),
            "the name of a key must have 1 to {MAX_NAME_LENGTH} letters, digits, '.', '_' or '-'"
        );
        let mut files = files.split(',');
        let (file, generator) = (files.next().unwrap_or_default(), files.next());
        ensure!(!file.is_empty(), "no file after '{name}='");
        ensure!(generator != Some(""), "no file after '{name}={file},'");
        ensure!(files.next().is_none(), "more than two files after '{name}='");
        Ok(Self { name: name.into(), file: file.into(), generator: generator.map(PathBuf::from) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_key_fits_into_a_path() {
        let key: NamedKey = "age.v1=keys/a=b.zkey".parse().unwrap();
        assert_eq!((&key.name[..], key.file.to_str()), ("age.v1", Some("keys/a=b.zkey")));
        assert_eq!(key.generator, None);
        let key: NamedKey = "age=a.zkey,b c.wasm".parse().unwrap();
        assert_eq!((key.file, key.generator), ("a.zkey".into(), Some("b c.wasm".into())));
        for text in
            ["age.zkey", "=age.zkey", "age=", "a/b=c", "a b=c", "a=b,", "a=,b", "a=b,c,d", "a=,"]
        {
            assert!(text.parse::<NamedKey>().is_err(), "{text}");
        }
    }

    #[test]
    fn an_address_beyond_loopback_requires_a_token() {
        let settings = |listen: &str, token: Option<&str>| Settings {
            listen: listen.parse().unwrap(),
            token: token.map(|text| Token::new(text).unwrap()),
            keys: vec!["a=b".parse().unwrap()],
            device: "cpu:".parse().unwrap(),
            fallback: "cpu:".parse().unwrap(),
            queue: 1,
            workers: 1,
            grace: Duration::ZERO,
            limits: Limits::default(),
        };
        for loopback in ["127.0.0.1:0", "127.9.9.9:1", "[::1]:0"] {
            settings(loopback, None).check().unwrap();
        }
        for open in ["0.0.0.0:0", "[::]:0", "192.0.2.1:80", "[2001:db8::1]:80"] {
            let refused = settings(open, None).check().unwrap_err().to_string();
            assert!(refused.contains(open) && refused.contains("--token-file"), "{refused}");
            settings(open, Some("0123456789abcdef")).check().unwrap();
        }
        let mut twice = settings("127.0.0.1:0", None);
        twice.keys.push("a=c".parse().unwrap());
        assert!(twice.check().unwrap_err().to_string().contains("'a' is used twice"));
    }
}

//! A device's URI: `scheme:path?name=value&name=value`.

use std::fmt;
use std::str::FromStr;

use proofmill_op::{Error, Result};

/// A parsed device URI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uri {
    scheme: String,
    path: String,
    options: Vec<(String, String)>,
}

impl Uri {
    /// Returns the part before the first colon.
    pub fn scheme(&self) -> &str {
        &self.scheme
    }

    /// Returns the part between the colon and the options.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the value of an option.
    pub fn option(&self, name: &str) -> Option<&str> {
        self.options.iter().find(|(known, _)| known == name).map(|(_, value)| &value[..])
    }

    /// Returns the URI with one option set. The value may contain any characters.
    pub fn with_option(mut self, name: &str, value: &str) -> Self {
        self.options.retain(|(known, _)| known != name);
        self.options.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Returns the URI with another path.
    pub fn with_path(mut self, path: &str) -> Self {
        path.clone_into(&mut self.path);
        self
    }

    /// Returns an error that names the first option that is not in `names`.
    pub fn allow(&self, names: &[&str]) -> Result<()> {
        let Some((name, _)) = self.options.iter().find(|(name, _)| !names.contains(&&name[..]))
        else {
            return Ok(());
        };
        let problem =
            format!("unknown option '{name}' of {}:, which has {}", self.scheme, names.join(", "));
        Err(Error::argument("device", problem))
    }
}

impl FromStr for Uri {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (scheme, rest) = text.split_once(':').ok_or_else(|| {
            Error::argument(
                "device",
                format!("'{text}' is not of the form scheme:path?options, such as cpu: or sim:"),
            )
        })?;
        let (path, options) =
            rest.split_once('?').map_or((rest, None), |(path, options)| (path, Some(options)));
        let mut uri = Self { scheme: scheme.to_owned(), path: decode(path)?, options: Vec::new() };
        for option in options.into_iter().flat_map(|options| options.split('&')) {
            let (name, value) =
                option.split_once('=').filter(|(_, value)| !value.is_empty()).ok_or_else(|| {
                    Error::argument(
                        "device",
                        format!("'{text}': option '{option}' is not of the form name=value"),
                    )
                })?;
            if uri.option(name).is_some() {
                return Err(Error::argument(
                    "device",
                    format!("'{text}': option '{name}' is given twice"),
                ));
            }
            uri.options.push((name.to_owned(), decode(value)?));
        }
        Ok(uri)
    }
}

impl fmt::Display for Uri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.scheme, encode(&self.path))?;
        for (number, (name, value)) in self.options.iter().enumerate() {
            let mark = if number == 0 { '?' } else { '&' };
            write!(f, "{mark}{name}={}", encode(value))?;
        }
        Ok(())
    }
}

/// Writes the characters that have a meaning of their own as `%` and two hex digits.
fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '%' | '?' | '&' => out.push_str(&format!("%{:02x}", u32::from(character))),
            other => out.push(other),
        }
    }
    out
}

fn decode(text: &str) -> Result<String> {
    let bad = || {
        Error::argument(
            "device",
            format!("'{text}': % needs two hex digits after it, of UTF-8 text"),
        )
    };
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit =
            || rest.next().and_then(|byte| char::from(byte).to_digit(16)).ok_or_else(bad);
        bytes.push((digit()? << 4 | digit()?) as u8);
    }
    String::from_utf8(bytes).map_err(|_| bad())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_is_parsed_and_formatted() {
        for text in ["cpu:", "sim:card", "sim:/a/b.so?trace=c%26d&timeout=0.5", "sim:?trace=100%25"]
        {
            let uri: Uri = text.parse().unwrap();
            assert_eq!(uri.to_string(), text);
        }
        let uri: Uri = "sim:/a:b?trace=c%26d".parse().unwrap();
        assert_eq!((uri.scheme(), uri.path(), uri.option("trace")), ("sim", "/a:b", Some("c&d")));
    }

    #[test]
    fn an_option_can_be_set_to_anything() {
        let uri: Uri = "sim:card?trace=old".parse().unwrap();
        let uri = uri.with_option("trace", "what? a&b=100%");
        assert_eq!(uri.to_string().parse::<Uri>().unwrap(), uri);
    }

    #[test]
    fn bad_forms_are_refused() {
        for text in [
            "",
            "cpu",
            "sim:?",
            "sim:?trace",
            "sim:?trace=",
            "sim:?a=1&a=2",
            "sim:%2",
            "sim:%zz",
            "sim:%ff",
        ] {
            assert!(text.parse::<Uri>().is_err(), "{text}");
        }
    }
}

//! Signatures as bytes: DER, and r and s one after the other.

/// An encoded signature. The caller names the encoding, because 64 bytes may be either.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoded<B> {
    /// SEQUENCE of two INTEGERs in strict DER, as BIP 66 demands it; without the byte of the hash type that follows in
    /// a script.
    Der(B),
    /// r and s, each of 32 bytes, highest first: IEEE P1363's form, "compact" in libsecp256k1.
    Compact(B),
}

/// The reason why bytes do not encode two integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum SignatureError {
    /// The compact form has one length.
    #[error("{0} bytes, where r and s have 64")]
    Length(usize),
    /// The bytes are not the unique DER encoding of two integers.
    #[error("not strict DER: {0}")]
    Der(&'static str),
    /// An integer that is not below 2^256, let alone below n.
    #[error("{0} has more than 256 bits")]
    TooLarge(&'static str),
}

/// r and s, each of 32 bytes, highest first; any values.
pub(super) type Integers = ([u8; 32], [u8; 32]);

impl<B: AsRef<[u8]>> Encoded<B> {
    /// The two integers.
    pub(super) fn integers(&self) -> Result<Integers, SignatureError> {
        match self {
            Self::Der(bytes) => der(bytes.as_ref()),
            Self::Compact(bytes) => compact(bytes.as_ref()),
        }
    }
}

fn compact(bytes: &[u8]) -> Result<Integers, SignatureError> {
    let whole: &[u8; 64] = bytes.try_into().map_err(|_| SignatureError::Length(bytes.len()))?;
    let half = |from: usize| std::array::from_fn(|i| whole[from + i]);
    Ok((half(0), half(32)))
}

/// 30, the length of the rest, and twice 02, a length and an integer. The rules of BIP 66, `IsValidSignatureEncoding`:
/// lengths of one byte, no negative integer, no zero byte in front that is not needed, nothing behind.
fn der(bytes: &[u8]) -> Result<Integers, SignatureError> {
    let problem = |problem| Err(SignatureError::Der(problem));
    let [0x30, length, content @ ..] = bytes else {
        return problem("it does not start with 30 and a length");
    };
    if *length >= 0x80 {
        return problem("its length is not one byte");
    }
    if usize::from(*length) != content.len() {
        return problem("its length is not that of what follows");
    }
    let (r, rest) = integer(content, "r")?;
    let (s, rest) = integer(rest, "s")?;
    if !rest.is_empty() {
        return problem("extra bytes after s");
    }
    Ok((r, s))
}

/// Parses the first integer. Returns it and the remaining bytes.
fn integer<'a>(
    bytes: &'a [u8],
    name: &'static str,
) -> Result<([u8; 32], &'a [u8]), SignatureError> {
    let [0x02, length, rest @ ..] = bytes else {
        return Err(SignatureError::Der("an integer does not start with 02 and a length"));
    };
    let Some((digits, rest)) = rest.split_at_checked(usize::from(*length)) else {
        return Err(SignatureError::Der("an integer is longer than the remaining bytes"));
    };
    let digits = match digits {
        [] => return Err(SignatureError::Der("an integer without a byte")),
        [0x80..=0xff, ..] => return Err(SignatureError::Der("a negative integer")),
        [0, 0..=0x7f, ..] => {
            return Err(SignatureError::Der("an integer with a needless zero byte"));
        }
        [0, digits @ ..] => digits,
        digits => digits,
    };
    let mut integer = [0; 32];
    let start = integer.len().checked_sub(digits.len()).ok_or(SignatureError::TooLarge(name))?;
    integer[start..].copy_from_slice(digits);
    Ok((integer, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(hex: &str) -> Result<Integers, SignatureError> {
        Encoded::Der(hex::decode(hex).unwrap()).integers()
    }

    fn small(value: u8) -> [u8; 32] {
        std::array::from_fn(|i| if i == 31 { value } else { 0 })
    }

    #[test]
    fn strict_der_is_read() {
        assert_eq!(parsed("3006020101020102"), Ok((small(1), small(2))));
        assert_eq!(parsed("300602010002017f"), Ok((small(0), small(0x7f))), "zero is an integer");
        assert_eq!(parsed("300702020080020100"), Ok((small(0x80), small(0))));
        let widest = format!("3046022100{0}022100{0}", "ff".repeat(32));
        assert_eq!(parsed(&widest), Ok(([0xff; 32], [0xff; 32])));
    }

    #[test]
    fn everything_else_is_refused_with_its_reason() {
        for (hex, problem) in [
            ("", "does not start with 30"),
            ("30", "does not start with 30"),
            ("3106020101020102", "does not start with 30"),
            ("308106020101020102", "its length is not one byte"),
            ("30800201010201020000", "its length is not one byte"),
            ("3007020101020102", "its length is not that"),
            ("3005020101020102", "its length is not that"),
            ("300602010102010200", "its length is not that"),
            ("300702010102010200", "extra bytes after s"),
            ("3003020101", "does not start with 02"),
            ("3006030101020102", "does not start with 02"),
            ("3006020101030102", "does not start with 02"),
            ("3006020501020102", "longer than the remaining bytes"),
            ("3006020101020202", "longer than the remaining bytes"),
            ("30050200020102", "without a byte"),
            ("3006020180020102", "a negative integer"),
            ("3006020101020180", "a negative integer"),
            ("300702020001020102", "needless zero byte"),
            ("30070202007f020102", "needless zero byte"),
            ("30080201010203000001", "needless zero byte"),
        ] {
            let said = parsed(hex).unwrap_err().to_string();
            assert!(said.contains(problem), "{hex}: {said}");
        }
        let wide = "01".repeat(33);
        assert_eq!(parsed(&format!("30260221{wide}020101")), Err(SignatureError::TooLarge("r")));
        assert_eq!(parsed(&format!("30260201010221{wide}")), Err(SignatureError::TooLarge("s")));
    }

    #[test]
    fn the_compact_form_has_one_length() {
        let bytes: Vec<u8> = (0..64).collect();
        let (r, s) = Encoded::Compact(&bytes).integers().unwrap();
        assert_eq!([r, s].concat(), bytes);
        for length in [0, 63, 65] {
            let error = Encoded::Compact(vec![0; length]).integers().unwrap_err();
            assert_eq!(error, SignatureError::Length(length));
        }
    }
}

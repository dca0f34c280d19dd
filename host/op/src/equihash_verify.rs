//! `equihash_verify`: verifies that a block header contains a valid Equihash solution and meets its difficulty target.
//!
//! The checks are those of the Zcash protocol specification, 7.7.1 (Equihash) and 7.7.4 (difficulty), in the
//! numbering of `spec/wire/equihash_verify.toml`. Every check is always made: a [`Verdict`] names all that is wrong.

use std::fmt;

use crate::{Argument, Capability, Data, Error, Operation, Result};

/// Bytes of a header before the CompactSize and the solution.
pub const HEADER_BYTES: usize = 140;

/// An Equihash parameter set (n, k).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "(u32, u32)", into = "(u32, u32)"))]
pub struct Params {
    n: u32,
    k: u32,
}

impl Params {
    /// Zcash's own.
    pub const N200_K9: Self = Self { n: 200, k: 9 };
    /// Several Zcash-derived chains'.
    pub const N144_K5: Self = Self { n: 144, k: 5 };
    /// A set that is small enough for simulations.
    pub const N96_K5: Self = Self { n: 96, k: 5 };
    /// The toy.
    pub const N48_K5: Self = Self { n: 48, k: 5 };

    /// Any parameter set for which the construction is defined and its collision strings are whole bytes:
    /// n a multiple of 8 up to 512, k at least 3, k + 1 a divisor of n, an index of at most 32 bits.
    pub fn new(n: u32, k: u32) -> Result<Self> {
        let defined = n.is_multiple_of(8)
            && (8..=512).contains(&n)
            && (3..n).contains(&k)
            && n.is_multiple_of(k + 1)
            && n / (k + 1) < 32
            && k <= 16;
        if !defined {
            return Err(Error::argument(
                "params",
                format!("({n},{k}) is not an Equihash parameter set"),
            ));
        }
        Ok(Self { n, k })
    }

    /// Name of the instance in `spec/hashes`, such as `equihash_200_9`.
    pub fn instance(self) -> String {
        format!("equihash_{}_{}", self.n, self.k)
    }

    /// Bits of a leaf's hash string.
    pub fn n(self) -> u32 {
        self.n
    }

    /// Levels of the tree.
    pub fn k(self) -> u32 {
        self.k
    }

    /// Leaves of the tree: indices in a solution.
    pub fn indices(self) -> usize {
        1 << self.k
    }

    /// Bits that collide at each level.
    pub fn collision_bits(self) -> u32 {
        self.n / (self.k + 1)
    }

    /// Bits of an index.
    pub fn index_bits(self) -> u32 {
        self.collision_bits() + 1
    }

    /// Hash strings cut from one BLAKE2b digest.
    pub fn indices_per_hash(self) -> u32 {
        512 / self.n
    }

    /// Bytes of the BLAKE2b digest.
    pub fn digest_bytes(self) -> usize {
        (self.indices_per_hash() * self.n / 8) as usize
    }

    /// Bytes of a solution.
    pub fn solution_bytes(self) -> usize {
        (self.indices() * self.index_bits() as usize).div_ceil(8)
    }

    /// The CompactSize that announces a solution.
    pub fn compact_size(self) -> Vec<u8> {
        let n = self.solution_bytes();
        match n {
            0..=0xfc => vec![n as u8],
            0xfd..=0xffff => [&[0xfd][..], &(n as u16).to_le_bytes()].concat(),
            _ => [&[0xfe][..], &(n as u32).to_le_bytes()].concat(),
        }
    }

    /// Returns a whole header: the 140 bytes, CompactSize and a solution as it is packed in a block.
    pub fn whole_header(self, header: &[u8; HEADER_BYTES], solution: &[u8]) -> Vec<u8> {
        [header, &self.compact_size()[..], solution].concat()
    }

    /// Bytes of a whole header: 140, CompactSize, solution.
    pub fn header_bytes(self) -> usize {
        let solution = self.solution_bytes();
        let compact_size = match solution {
            0..=0xfc => 1,
            0xfd..=0xffff => 3,
            _ => 5,
        };
        HEADER_BYTES + compact_size + solution
    }
}

impl fmt::Display for Params {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.n, self.k)
    }
}

impl std::str::FromStr for Params {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let bad =
            || Error::argument("params", format!("'{text}' is not of the form n,k, such as 200,9"));
        let (n, k) = text.split_once(',').ok_or_else(bad)?;
        Self::new(n.trim().parse().map_err(|_| bad())?, k.trim().parse().map_err(|_| bad())?)
    }
}

/// The largest target that a network allows, or no difficulty check at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Network {
    /// Zcash mainnet.
    Main,
    /// Zcash testnet.
    Test,
    /// Zcash regression-test mode.
    Regtest,
    /// A network with this limit, a 256-bit little-endian integer.
    Limit([u8; 32]),
    /// The difficulty is not checked: its error bit stays clear.
    None,
}

impl Network {
    /// The limit as a 256-bit little-endian integer; `None` when difficulty is not checked.
    /// Source: zcashd `src/chainparams.cpp`, `consensus.powLimit`.
    pub fn pow_limit(self) -> Option<[u8; 32]> {
        let top = |high: [u8; 2]| {
            let mut limit = [0xff; 32];
            limit[30] = high[1];
            limit[31] = high[0];
            limit
        };
        match self {
            Self::Main => Some(top([0x00, 0x07])),
            Self::Test => Some(top([0x07, 0xff])),
            Self::Regtest => Some([0x0f; 32]),
            Self::Limit(limit) => Some(limit),
            Self::None => None,
        }
    }
}

impl std::str::FromStr for Network {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "main" => Ok(Self::Main),
            "test" => Ok(Self::Test),
            "regtest" => Ok(Self::Regtest),
            "none" => Ok(Self::None),
            _ => Err(Error::argument(
                "network",
                format!("'{text}' is unknown; expected main, test, regtest or none"),
            )),
        }
    }
}

/// The first 8 bytes of the BLAKE2b personalisation; the rest follows from the parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Personalisation(pub [u8; 8]);

impl Default for Personalisation {
    fn default() -> Self {
        Self(*b"ZcashPoW")
    }
}

/// Some headers of one parameter set to be verified.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Request {
    /// Parameter set of all headers.
    pub params: Params,
    /// Personalisation of all headers.
    pub personalisation: Personalisation,
    /// Difficulty rule of all headers.
    pub network: Network,
    /// Headers one after the other, each [`Params::header_bytes`] long, in the layout of a block.
    pub headers: Data,
}

impl Request {
    /// A request with Zcash's personalisation.
    pub fn new(params: Params, network: Network, headers: impl Into<Data>) -> Self {
        Self {
            params,
            personalisation: Personalisation::default(),
            network,
            headers: headers.into(),
        }
    }

    /// Number of headers. An error when the bytes are not a whole number of them.
    pub fn count(&self) -> Result<usize> {
        let (bytes, each) = (self.headers.len(), self.params.header_bytes());
        if bytes % each != 0 {
            return Err(Error::argument(
                Argument::Headers,
                format!(
                    "{bytes} bytes are not a whole number of {each}-byte headers for ({})",
                    self.params
                ),
            ));
        }
        Ok(bytes / each)
    }
}

/// Verdicts in the order of the headers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Response {
    /// One a header.
    pub verdicts: Vec<Verdict>,
}

/// Equihash verification.
pub struct EquihashVerify;

impl Operation for EquihashVerify {
    type Request = Request;
    type Response = Response;
    const NAME: &'static str = "equihash_verify";

    fn capability(request: &Request) -> Capability {
        Capability::EquihashVerify(request.params)
    }

    fn data_mut(request: &mut Request) -> Vec<&mut Data> {
        vec![&mut request.headers]
    }

    fn same_result(response: &Response, other: &Response) -> bool {
        response == other
    }

    fn items(request: &Request) -> Result<Option<usize>> {
        request.count().map(Some)
    }

    fn join(_: &Request, parts: Vec<Response>) -> Response {
        Response { verdicts: parts.into_iter().flat_map(|part| part.verdicts).collect() }
    }
}

crate::verdict::verdict! {
    /// The verdict on a header: any of six errors, or none.
    {
        /// Hash above the target, or a target that is not allowed.
        DIFFICULTY_FAIL = 0, "difficulty_fail";
        /// The leaves' exclusive or is not zero.
        XOR_NON_ZERO = 1, "xor_non_zero";
        /// A right subtree's first index is not greater than its left sibling's.
        BAD_IDX_ORDER = 2, "bad_idx_order";
        /// A subtree's exclusive or does not start with the zero bits of its level.
        BAD_ZERO_ORDER = 3, "bad_zero_order";
        /// An index occurs twice.
        DUPLICATE_FND = 4, "duplicate_fnd";
        /// The CompactSize is not the parameter set's solution length.
        BAD_SOLUTION_SIZE = 5, "bad_solution_size";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec() -> toml::Table {
        proofmill_spec::text(proofmill_spec::WIRE, "equihash_verify").unwrap().parse().unwrap()
    }

    #[test]
    fn error_bits_are_those_of_the_wire() {
        let spec = spec();
        let errors = spec["errors"].as_table().unwrap();
        assert_eq!(errors.len(), Verdict::NAMES.len());
        for (bit, name) in Verdict::NAMES {
            assert_eq!(1i64 << errors[name]["bit"].as_integer().unwrap(), i64::from(bit), "{name}");
        }
    }

    #[test]
    fn limits_are_those_of_the_spec() {
        let spec = spec();
        for (name, limit) in spec["networks"].as_table().unwrap() {
            let network: Network = name.parse().unwrap();
            let hex: String = network
                .pow_limit()
                .unwrap()
                .iter()
                .rev()
                .map(|byte| format!("{byte:02x}"))
                .collect();
            assert_eq!(limit.as_str().unwrap(), format!("0x{hex}"), "{name}");
        }
    }

    #[test]
    fn sizes_are_the_published_ones() {
        for params in [Params::N200_K9, Params::N144_K5, Params::N48_K5] {
            let parts = [HEADER_BYTES, params.compact_size().len(), params.solution_bytes()];
            assert_eq!(params.header_bytes(), parts.iter().sum());
        }
        assert_eq!(Params::N200_K9.header_bytes(), 1487);
        assert_eq!(Params::N144_K5.header_bytes(), 241);
        assert_eq!(Params::N48_K5.header_bytes(), 177);
        assert_eq!(Params::N200_K9.compact_size(), [0xfd, 0x40, 0x05]);
    }

    #[test]
    fn wrong_parameters_are_refused() {
        for text in ["200", "200,8", "7,3", "1024,9", "200,9,1", "a,b", "0,0", "200,0", ""] {
            assert!(text.parse::<Params>().is_err(), "{text}");
        }
        assert_eq!("200,9".parse::<Params>().unwrap(), Params::N200_K9);
    }
}

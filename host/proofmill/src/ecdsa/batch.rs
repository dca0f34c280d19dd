//! Batches of signatures: parses them, submits them to a device and returns the outcomes in order.

use std::time::Instant;

use proofmill_algebra::Isa;
use proofmill_algebra::field::PrimeField;
use proofmill_algebra::secp256k1::Fn;
use proofmill_op::ecdsa_verify::{Request, Response, SIGNATURE_BYTES, Signature};

use super::key::{self, Key};
use super::{Item, Outcome, Policy, Rejection};
use crate::{Device, Error, Result, Submit, Ticket};

/// A ticket for the outcomes of signatures.
#[must_use = "a dropped batch is cancelled"]
pub struct Pending {
    device: String,
    /// The rejection of each item that was not sent.
    refused: Vec<Option<Rejection>>,
    /// `None` if nothing was sent.
    ticket: Option<Ticket<Response>>,
    /// The time of submission.
    submitted: Instant,
}

/// Parses keys and signatures, and submits those that can be verified in one request. Compressed keys are decoded on this machine: with the
/// code path of the device, or the best of this process for a device that has none, such as a card.
pub fn submit<B: AsRef<[u8]>>(
    device: &dyn Device,
    items: &[Item<B>],
    policy: Policy,
) -> Result<Pending> {
    let mut refused = Vec::with_capacity(items.len());
    let mut signatures = Vec::with_capacity(items.len() * SIGNATURE_BYTES);
    let isa = device.caps().isa.unwrap_or_else(Isa::best);
    for parsed in parse_with(isa, items, policy) {
        refused.push(match parsed {
            Ok(signature) => {
                signatures.extend_from_slice(&signature.to_bytes());
                None
            }
            Err(rejection) => Some(rejection),
        });
    }
    let ticket = match signatures.is_empty() {
        true => None,
        false => Some(device.submit(Request::new(signatures))?),
    };
    let device = device.caps().uri.clone();
    Ok(Pending { device, refused, ticket, submitted: Instant::now() })
}

impl Pending {
    /// Waits for the outcomes: one for each item, in order.
    pub fn wait(self) -> Result<Vec<Outcome>> {
        self.wait_stamped().0
    }

    /// Waits for the outcomes and returns the time of the device's response, which may be long before now; the time of [`submit`] if nothing
    /// was sent.
    pub fn wait_stamped(self) -> (Result<Vec<Outcome>>, Instant) {
        let Self { device, refused, ticket, submitted } = self;
        let sent = refused.iter().filter(|refused| refused.is_none()).count();
        let (verdicts, when) = match ticket {
            None => (Ok(Vec::new()), submitted),
            Some(ticket) => {
                let (response, when) = ticket.wait_stamped();
                (response.and_then(|response| checked(response, sent, &device)), when)
            }
        };
        let outcomes = verdicts.map(|verdicts| {
            let mut verdicts = verdicts.into_iter();
            let outcome = |refused: Option<Rejection>| match refused {
                Some(rejection) => Outcome::Invalid(rejection),
                None => verdicts.next().expect("as many as were sent").into(),
            };
            refused.into_iter().map(outcome).collect()
        });
        (outcomes, when)
    }
}

fn checked(response: Response, sent: usize, device: &str) -> Result<Vec<super::Verdict>> {
    let found = response.verdicts.len();
    if found != sent {
        let problem = format!("{found} verdicts for {sent} signatures");
        return Err(Error::Failed { device: device.to_owned(), problem });
    }
    Ok(response.verdicts)
}

/// Converts keys and signatures to integers. Returns one result for each item, in order: the input of a device, or the reason for the
/// rejection. For callers that keep parsed signatures; [`submit`] does this as well. Takes the best code path of this process.
pub fn parse<B: AsRef<[u8]>>(
    items: &[Item<B>],
    policy: Policy,
) -> Vec<std::result::Result<Signature, Rejection>> {
    parse_with(Isa::best(), items, policy)
}

fn parse_with<B: AsRef<[u8]>>(
    isa: Isa,
    items: &[Item<B>],
    policy: Policy,
) -> Vec<std::result::Result<Signature, Rejection>> {
    let (mut compressed, mut places) = (Vec::new(), Vec::new());
    let begin = |(place, item): (usize, &Item<B>)| {
        let mut signature = integers(item, policy)?;
        match Key::read(item.key.as_ref())? {
            Key::Whole((x, y)) => (signature.qx, signature.qy) = (x, y),
            Key::Compressed(key) => {
                compressed.push(key);
                places.push(place);
            }
        }
        Ok(signature)
    };
    let mut parsed: Vec<_> = items.iter().enumerate().map(begin).collect();
    for (place, point) in places.into_iter().zip(key::decompress(isa, &compressed)) {
        match (point, &mut parsed[place]) {
            (Ok((x, y)), Ok(signature)) => (signature.qx, signature.qy) = (x, y),
            (Err(error), refused) => *refused = Err(error.into()),
            (Ok(_), Err(_)) => {}
        }
    }
    parsed
}

/// The parsed parts, without the key.
fn integers<B: AsRef<[u8]>>(
    item: &Item<B>,
    policy: Policy,
) -> std::result::Result<Signature, Rejection> {
    let (r, s) = item.signature.integers()?;
    if policy.low_s && is_high(&s) {
        return Err(Rejection::HighS);
    }
    let [r, s, hash] = [r, s, item.digest].map(reversed);
    Ok(Signature { r, s, hash, ..Signature::default() })
}

/// Returns whether s is above n / 2 and below n. An s out of range is not high but invalid.
fn is_high(s: &[u8; 32]) -> bool {
    let digit = |i: usize| u64::from_be_bytes(std::array::from_fn(|j| s[8 * i + j]));
    let s: [u64; 4] = std::array::from_fn(digit);
    let n: [u64; 4] = std::array::from_fn(|i| Fn::MODULUS[3 - i]);
    // n is odd: (n - 1) / 2 is n without its lowest bit.
    let half = std::array::from_fn(|i| n[i] >> 1 | if i == 0 { 0 } else { n[i - 1] << 63 });
    s > half && s < n
}

fn reversed(mut bytes: [u8; 32]) -> [u8; 32] {
    bytes.reverse();
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_high_s_is_above_half_of_n_and_below_n() {
        // n is in SEC 2 version 2.0, section 2.4.1.
        for (s, high) in [
            ("7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0", false),
            ("7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a1", true),
            ("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364140", true),
            ("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141", false),
        ] {
            let s_bytes = hex::decode(s).unwrap().try_into().unwrap();
            assert_eq!(is_high(&s_bytes), high, "{s}");
        }
    }
}

//! Products of pairings as programs, for any device with a coprocessor. A program multiplies what those before it have come to by the Miller values of
//! up to [`AT_A_TIME`] pairs; the last one ends with the final exponentiation.
//!
//! | slots from | |
//! |---|---|
//! | `PRODUCT` | the product so far |
//! | `VALUES` | Miller values of eight pairs, which a card computes side by side |
//! | `PAIRS` | the pairs |

use proofmill_algebra::bls12_381::{Fp, Fp2, Fp6, Fp12};
use proofmill_algebra::encoding::Coordinate;
use proofmill_algebra::pairing::{Bls12381, Pair};

use super::{Instruction, Kind, Opcode, Request, SLOT_BYTES, SLOTS, Slot, Stop};
use crate::{Answer, Capability, Device, Error, Result};

const PRODUCT: usize = 0;
const VALUES: usize = PRODUCT + Kind::Fe12.slots();
const SIDE_BY_SIDE: usize = 8;
const PAIRS: usize = VALUES + SIDE_BY_SIDE * Kind::Fe12.slots();
const SLOTS_OF_A_PAIR: usize = Kind::FpAf.slots() + Kind::Fp2Af.slots();

/// Pairs of one program.
pub const AT_A_TIME: usize = (SLOTS - PAIRS) / SLOTS_OF_A_PAIR;

/// The product of e(P, Q) over all pairs of points of the subgroups, in any number; 1 if there is none. It is
/// [`product`](proofmill_algebra::pairing::product), computed by the device.
///
/// [`Error::Unsupported`] if the device has no coprocessor, [`Error::Failed`] if its answer is none.
pub fn product(device: &dyn Device, pairs: &[Pair<Bls12381>]) -> Result<Fp12> {
    device.caps().demand(&Capability::Coprocessor)?;
    let mut chunks = pairs.chunks(AT_A_TIME).peekable();
    let mut product = Fp12::ONE;
    while let Some(pairs) = chunks.next() {
        let program = program(pairs.len(), chunks.peek().is_none());
        let program: Vec<u8> = program.into_iter().flat_map(Instruction::to_bytes).collect();
        let request = Request::new(program, data(&product, pairs), 0);
        product = run(device, request)?;
    }
    Ok(product)
}

/// Multiplies the product by the Miller values of so many pairs.
fn program(pairs: usize, is_last: bool) -> Vec<Instruction> {
    let make = |opcode, operands: [usize; 3]| {
        Instruction::new(opcode, operands.map(|slot| slot as u16)) // below 256
    };
    let mut program = vec![];
    for first in (0..pairs).step_by(SIDE_BY_SIDE) {
        let some = first..pairs.min(first + SIDE_BY_SIDE);
        let value = |pair: usize| VALUES + (pair - first) * Kind::Fe12.slots();
        program.extend(some.clone().map(|pair| {
            let p = PAIRS + pair * SLOTS_OF_A_PAIR;
            make(Opcode::MillerLoop, [p, p + Kind::FpAf.slots(), value(pair)])
        }));
        program.extend(some.map(|pair| make(Opcode::Mul, [PRODUCT, value(pair), PRODUCT])));
    }
    program.extend(is_last.then(|| make(Opcode::FinalExp, [PRODUCT, PRODUCT, 0])));
    program
}

/// The memory that such a program begins with.
fn data(product: &Fp12, pairs: &[Pair<Bls12381>]) -> Vec<u8> {
    let mut slots = vec![Slot::default(); PAIRS];
    for (slot, number) in slots[PRODUCT..].iter_mut().zip(numbers(&coefficients(product))) {
        *slot = slot_of(number, Kind::Fe12);
    }
    for (p, q) in pairs {
        slots
            .extend(numbers(&[p.x(), p.y()]).into_iter().map(|number| slot_of(number, Kind::FpAf)));
        slots.extend(
            numbers(&[q.x(), q.y()]).into_iter().map(|number| slot_of(number, Kind::Fp2Af)),
        );
    }
    slots.iter().flat_map(Slot::to_bytes).collect()
}

/// In the order of slots.
fn coefficients(f: &Fp12) -> [Fp2; 6] {
    [f.c0.c0, f.c0.c1, f.c0.c2, f.c1.c0, f.c1.c1, f.c1.c2]
}

/// The numbers of elements, one after the other.
fn numbers<F: Coordinate>(elements: &[F]) -> Vec<[u8; SLOT_BYTES]> {
    let mut bytes = vec![0; elements.len() * F::BYTES];
    for (element, bytes) in elements.iter().zip(bytes.chunks_mut(F::BYTES)) {
        element.write_le(bytes);
    }
    let (numbers, _) = bytes.as_chunks::<SLOT_BYTES>();
    numbers.to_vec()
}

fn slot_of(number: [u8; SLOT_BYTES], kind: Kind) -> Slot {
    Slot::new(number, kind).expect("p has 381 bits")
}

/// The product that a program leaves.
fn run(device: &dyn Device, request: Request) -> Result<Fp12> {
    let uri = || device.caps().uri.clone();
    let failed = |problem: String| Error::Failed { device: uri(), problem };
    let response = match device.submit(crate::Request::Coprocessor(request))?.wait()? {
        Answer::Coprocessor(response) => response,
        other => return Err(failed(format!("it answered another question: {other:?}"))),
    };
    if let Some((fault, at)) = response.error {
        return Err(failed(format!(
            "it refused instruction {at} of a product of pairings: {fault}"
        )));
    }
    if response.stop != Stop::Waits {
        let problem =
            format!("a product of pairings did not end in {} instructions", response.steps);
        return Err(failed(problem));
    }
    read(&response.data).ok_or_else(|| failed("a product of pairings is no element of Fp12".into()))
}

/// The product in a memory.
fn read(data: &[u8]) -> Option<Fp12> {
    let slots = data.chunks(SLOT_BYTES).skip(PRODUCT).take(Kind::Fe12.slots());
    let mut numbers = slots.map(|slot| {
        let slot = Slot::from_bytes(slot.try_into().ok()?);
        (slot.kind() == Kind::Fe12).then_some(())?;
        Fp::read_le(slot.value()).ok()
    });
    let mut number = || numbers.next().flatten();
    let mut half = || {
        let mut part = || Some(Fp2::new(number()?, number()?));
        Some(Fp6::new(part()?, part()?, part()?))
    };
    Some(Fp12::new(half()?, half()?))
}

#[cfg(test)]
mod tests {
    use super::super::{Fault, Response};
    use super::*;
    use crate::{Caps, Data, DeviceKind, Metrics, Parked, Ticket};
    use proofmill_algebra::bls12_381::{G1, G2};
    use proofmill_algebra::curve::Curve;

    /// Answers every program with this.
    struct Answering(Caps, Response);

    impl Device for Answering {
        fn caps(&self) -> &Caps {
            &self.0
        }

        fn park(&self, _bytes: Data) -> Result<Parked> {
            unreachable!("programs are not parked")
        }

        fn submit(&self, request: crate::Request) -> Result<Ticket> {
            let crate::Request::Coprocessor(request) = request else { unreachable!("a program") };
            request.check()?;
            let (completer, ticket) = Ticket::pair();
            completer.complete(Ok(Answer::Coprocessor(self.1.clone())));
            Ok(ticket)
        }

        fn metrics(&self) -> Metrics {
            Metrics::default()
        }
    }

    fn answer(change: impl FnOnce(&mut Response)) -> Result<Fp12> {
        let mut response = Response {
            data: data(&Fp12::ONE, &[]),
            pointer: 9,
            error: None,
            interrupts: vec![],
            steps: 9,
            stop: Stop::Waits,
        };
        change(&mut response);
        let mut caps = Caps::new("soft:", DeviceKind::Card, "");
        caps.capabilities.push(Capability::Coprocessor);
        let pairs = [(G1::GENERATOR, G2::GENERATOR); AT_A_TIME + 1];
        product(&Answering(caps, response), &pairs)
    }

    #[test]
    fn a_program_fits_and_its_memory_is_read_as_written() {
        assert_eq!(AT_A_TIME, 24);
        assert!(program(AT_A_TIME, true).len() < SLOTS);
        assert_eq!(answer(|_| {}).unwrap(), Fp12::ONE);
        let f = Fp12::from_powers_of_w([1, 2, 3, 4, 5, 6].map(|k: u64| Fp2::from(k)));
        assert_eq!(answer(|response| response.data = data(&f, &[])).unwrap(), f);
    }

    #[test]
    fn what_is_no_product_is_an_error() {
        let problem = |change: fn(&mut Response)| match answer(change) {
            Err(Error::Failed { device, problem }) if device == "soft:" => problem,
            other => panic!("{other:?}"),
        };
        let told = problem(|response| response.error = Some((Fault::NotOnCurve, 3)));
        assert!(told.starts_with("it refused instruction 3 of a product of pairings: "), "{told}");
        let told = problem(|response| response.stop = Stop::Limit);
        assert_eq!(told, "a product of pairings did not end in 9 instructions");
        let none = "a product of pairings is no element of Fp12";
        assert_eq!(problem(|response| response.data[5 * SLOT_BYTES..].fill(0)), none);
        assert_eq!(problem(|response| response.data.truncate(11 * SLOT_BYTES)), none);
        // 2^381 - 1, which is above p.
        let large = |response: &mut Response| {
            response.data[..SLOT_BYTES - 1].fill(0xff);
            response.data[SLOT_BYTES - 1] |= 0x1f;
        };
        assert_eq!(problem(large), none);
    }
}

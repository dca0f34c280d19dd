//! Products of pairings as programs, for any device with a coprocessor. Each program multiplies the product so far by the Miller values of up to
//! [`AT_A_TIME`] pairs; the last one ends with the final exponentiation.
//!
//! | slots from | |
//! |---|---|
//! | `PRODUCT` | the product so far |
//! | `VALUES` | Miller values of eight pairs, which a card computes in parallel |
//! | `PAIRS` | the pairs |
//! | `READY` | points of G1, each followed by the line coefficients of a point of G2, in larger memories |

use proofmill_algebra::bls12_381::{Fp, Fp2, Fp6, Fp12, G1, G2};
use proofmill_algebra::coprocessor::{LINES, lines};
use proofmill_algebra::curve::Affine;
use proofmill_algebra::encoding::Coordinate;
use proofmill_algebra::pairing::{Bls12381, Pair};

use super::{Instruction, Kind, Opcode, Request, SLOT_BYTES, SLOTS, Sizes, Slot, Stop};
use crate::{Capability, Device, Error, Result, Submit};

const PRODUCT: usize = 0;
const VALUES: usize = PRODUCT + Kind::Fe12.slots();
const SIDE_BY_SIDE: usize = 8;
const PAIRS: usize = VALUES + SIDE_BY_SIDE * Kind::Fe12.slots();
const SLOTS_OF_A_PAIR: usize = Kind::FpAf.slots() + Kind::Fp2Af.slots();
const READY: usize = SLOTS;
const SLOTS_OF_A_READY_PAIR: usize = Kind::FpAf.slots() + LINES * 2 * Kind::Fe2.slots();

/// The number of pairs that one program processes.
pub const AT_A_TIME: usize = (SLOTS - PAIRS) / SLOTS_OF_A_PAIR;

/// A point of G2 that is paired often, with its precomputed line coefficients as slots.
#[derive(Clone, Debug)]
pub struct Ready {
    point: Affine<G2>,
    lines: Vec<Slot>,
}

impl Ready {
    /// Precomputes the line coefficients of a point of the subgroup.
    pub fn new(point: Affine<G2>) -> Self {
        Self { point, lines: slots_of(lines(&point).as_flattened(), Kind::Fe2) }
    }

    /// Returns the slots of the line coefficients.
    pub fn into_lines(self) -> Vec<Slot> {
        self.lines
    }
}

/// Computes the product of e(P, Q) over any number of pairs of points of the subgroups; 1 if there is none. It is
/// [`product`](proofmill_algebra::pairing::product), computed by the device.
///
/// Returns [`Error::Unsupported`] if the device has no coprocessor, and [`Error::Failed`] if its response is no element of Fp12.
pub fn product(device: &dyn Device, pairs: &[Pair<Bls12381>]) -> Result<Fp12> {
    product_with(device, pairs, &[])
}

/// Computes the product of the pairs and of a few pairs with precomputed line coefficients: two of them need 1,024 data slots. A device with
/// fewer slots, or without the instruction for lines, computes the lines of these points each time.
pub fn product_with(
    device: &dyn Device,
    pairs: &[Pair<Bls12381>],
    ready: &[(Affine<G1>, &Ready)],
) -> Result<Fp12> {
    device.caps().require(&Capability::Coprocessor)?;
    match programs(device, pairs, ready) {
        Err(Error::Unsupported { .. }) if !ready.is_empty() => {
            let points = ready.iter().map(|(p, q)| (*p, q.point));
            programs(device, &pairs.iter().copied().chain(points).collect::<Vec<_>>(), &[])
        }
        other => other,
    }
}

/// Runs the programs in sequence; the last one includes the precomputed pairs.
fn programs(
    device: &dyn Device,
    pairs: &[Pair<Bls12381>],
    ready: &[(Affine<G1>, &Ready)],
) -> Result<Fp12> {
    if pairs.is_empty() && ready.is_empty() {
        return Ok(Fp12::ONE);
    }
    let slots = match ready.len() {
        0 => SLOTS,
        count => (READY + count * SLOTS_OF_A_READY_PAIR).next_power_of_two(),
    };
    let mut product = Fp12::ONE;
    let count = pairs.len().div_ceil(AT_A_TIME).max(1);
    for number in 0..count {
        let first = number * AT_A_TIME;
        let pairs = &pairs[first..pairs.len().min(first + AT_A_TIME)];
        let last = (number + 1 == count).then_some(ready.len());
        let program = program(pairs.len(), last);
        let program: Vec<u8> = program.into_iter().flat_map(Instruction::to_bytes).collect();
        let sizes = Sizes { data: slots, ..Sizes::default() };
        let request = Request { sizes, ..Request::new(program, data(&product, pairs, ready), 0) };
        product = run(device, request)?;
    }
    Ok(product)
}

/// Returns a program that multiplies the product by the Miller values of `pairs` pairs. The last program also includes `last` precomputed pairs
/// and the final exponentiation.
fn program(pairs: usize, last: Option<usize>) -> Vec<Instruction> {
    let make = |opcode, operands: [usize; 3]| {
        Instruction::new(opcode, operands.map(|slot| slot as u16)) // a slot is below `MAX_SLOTS`
    };
    let value = |place: usize| VALUES + place * Kind::Fe12.slots();
    let loops = (0..pairs).map(|i| (Opcode::MillerLoop, PAIRS + i * SLOTS_OF_A_PAIR));
    let by_lines =
        (0..last.unwrap_or(0)).map(|i| (Opcode::MillerLines, READY + i * SLOTS_OF_A_READY_PAIR));
    let mut program = vec![];
    for some in loops.chain(by_lines).collect::<Vec<_>>().chunks(SIDE_BY_SIDE) {
        program.extend(
            (0..).zip(some).map(|(place, (opcode, p))| {
                make(*opcode, [*p, p + Kind::FpAf.slots(), value(place)])
            }),
        );
        let places = 0..some.len();
        program.extend(places.map(|place| make(Opcode::Mul, [PRODUCT, value(place), PRODUCT])));
    }
    program.extend(last.map(|_| make(Opcode::FinalExp, [PRODUCT, PRODUCT, 0])));
    program
}

/// Returns the initial data memory of such a program.
fn data(product: &Fp12, pairs: &[Pair<Bls12381>], ready: &[(Affine<G1>, &Ready)]) -> Vec<u8> {
    let mut slots = vec![Slot::default(); PAIRS];
    let product = slots_of(&coefficients(product), Kind::Fe12);
    slots[PRODUCT..][..product.len()].copy_from_slice(&product);
    for (p, q) in pairs {
        slots.extend(slots_of(&[p.x(), p.y()], Kind::FpAf));
        slots.extend(slots_of(&[q.x(), q.y()], Kind::Fp2Af));
    }
    if !ready.is_empty() {
        slots.resize(READY, Slot::default());
    }
    for (p, q) in ready {
        slots.extend(slots_of(&[p.x(), p.y()], Kind::FpAf));
        slots.extend(&q.lines);
    }
    slots.iter().flat_map(Slot::to_bytes).collect()
}

/// Returns the coefficients in the order of slots.
fn coefficients(f: &Fp12) -> [Fp2; 6] {
    [f.c0.c0, f.c0.c1, f.c0.c2, f.c1.c0, f.c1.c1, f.c1.c2]
}

/// Encodes elements as slots.
fn slots_of<F: Coordinate>(elements: &[F], kind: Kind) -> Vec<Slot> {
    let mut bytes = vec![0; elements.len() * F::BYTES];
    for (element, bytes) in elements.iter().zip(bytes.chunks_mut(F::BYTES)) {
        element.write_le(bytes);
    }
    let (numbers, _) = bytes.as_chunks::<SLOT_BYTES>();
    numbers.iter().map(|number| Slot::new(*number, kind).expect("p has 381 bits")).collect()
}

/// Runs a program and returns its product.
fn run(device: &dyn Device, request: Request) -> Result<Fp12> {
    let uri = || device.caps().uri.clone();
    let failed = |problem: String| Error::Failed { device: uri(), problem };
    let response = device.submit(request)?.wait()?;
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

/// Reads the product from data memory.
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
    use crate::{
        AnyRequest, AnyResponse, AnyTicket, Cancel, Caps, Data, DeviceKind, Metrics, ResidentData,
    };
    use proofmill_algebra::bls12_381::{G1, G2};
    use proofmill_algebra::curve::Curve;

    /// A device that returns this response to every program.
    struct Answering(Caps, Response);

    impl Device for Answering {
        fn caps(&self) -> &Caps {
            &self.0
        }

        fn load(&self, _bytes: Data) -> Result<ResidentData> {
            unreachable!("programs are not loaded")
        }

        fn submit_any(&self, request: AnyRequest) -> Result<AnyTicket> {
            let (completer, ticket) = request.ticket(Cancel::new());
            let AnyRequest::Coprocessor(request) = request else { unreachable!("a program") };
            request.check()?;
            completer.complete(Ok(AnyResponse::Coprocessor(self.1.clone())));
            Ok(ticket)
        }

        fn metrics(&self) -> Metrics {
            Metrics::default()
        }
    }

    fn answer(change: impl FnOnce(&mut Response)) -> Result<Fp12> {
        let mut response = Response {
            data: data(&Fp12::ONE, &[], &[]),
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
        assert!(program(AT_A_TIME, Some(2)).len() < SLOTS);
        assert_eq!(answer(|_| {}).unwrap(), Fp12::ONE);
        let f = Fp12::from_powers_of_w([1, 2, 3, 4, 5, 6].map(|k: u64| Fp2::from(k)));
        assert_eq!(answer(|response| response.data = data(&f, &[], &[])).unwrap(), f);
    }

    #[test]
    fn a_response_that_is_no_product_is_an_error() {
        let problem = |change: fn(&mut Response)| match answer(change) {
            Err(Error::Failed { device, problem }) if device == "soft:" => problem,
            other => panic!("{other:?}"),
        };
        let message = problem(|response| response.error = Some((Fault::NotOnCurve, 3)));
        assert!(
            message.starts_with("it refused instruction 3 of a product of pairings: "),
            "{message}"
        );
        let message = problem(|response| response.stop = Stop::Limit);
        assert_eq!(message, "a product of pairings did not end in 9 instructions");
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

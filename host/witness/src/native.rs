//! Field operations of a generator in native code.
//!
//! circom puts the same arithmetic into each generator, as functions of 32-bit limbs with names such as `Fr_F1m_mul`. An
//! interpreter spends most of its time in them. [`rewritten`] changes a module so that some of these functions call the functions of
//! this file through a table, and keeps the former functions under exported names. [`agrees`] compares them with the native ones,
//! before the generator has inputs; a module in which any differs runs as it is.

use wasmi::{Caller, Error, Func, Instance, Memory, Nullable, Ref, Store};

use crate::prime::Limbs;

mod rewrite;

pub use rewrite::rewritten;

/// A value of 512 bits, lowest limb first.
type Wide = [u64; 8];

/// The arguments of a function: addresses. Unused ones are 0.
type Addresses = [u32; 4];

/// A function of circom that has a native counterpart.
struct Operation {
    name: &'static str,
    parameters: usize,
    run: fn(&Field, &mut [u8], Addresses) -> Option<()>,
}

/// r with -1/r mod 2^64.
#[derive(Clone, Copy)]
pub struct Field {
    modulus: Limbs,
    negative_inverse: u64,
}

/// The native functions, by circom's names; the last parameter is the address of the result, except where noted.
static OPERATIONS: [Operation; 5] = [
    // x y / 2^256 mod r
    Operation {
        name: "Fr_F1m_mul",
        parameters: 3,
        run: |field, memory, [x, y, result, _]| {
            let product = multiply(&load(memory, x)?, &load(memory, y)?);
            store(memory, result, &field.reduce(product))
        },
    },
    // x^2 / 2^256 mod r
    Operation {
        name: "Fr_F1m_square",
        parameters: 2,
        run: |field, memory, [x, result, ..]| {
            let x = load(memory, x)?;
            store(memory, result, &field.reduce(multiply(&x, &x)))
        },
    },
    // x / 2^256 mod r, of 512 bits
    Operation {
        name: "Fr_F1m_mReduct",
        parameters: 2,
        run: |field, memory, [x, result, ..]| {
            let x: Wide = load(memory, x)?;
            store(memory, result, &field.reduce(x))
        },
    },
    // x y, of 512 bits
    Operation {
        name: "Fr_int_mul",
        parameters: 3,
        run: |_, memory, [x, y, result, _]| {
            let product = multiply(&load(memory, x)?, &load(memory, y)?);
            store(memory, result, &product)
        },
    },
    // x / y and x mod y, each stored unless its address is 0
    Operation {
        name: "Fr_int_div",
        parameters: 4,
        run: |_, memory, [x, y, quotient, remainder]| {
            let (q, r) = divide(load(memory, x)?, &load(memory, y)?)?;
            if quotient != 0 {
                store(memory, quotient, &q)?;
            }
            if remainder != 0 {
                store(memory, remainder, &r)?;
            }
            Some(())
        },
    },
];

/// The export of the table, and of the former functions with a number behind it.
const EXPORT: &str = "native";

/// The state of a store, as far as the functions need it.
pub trait Access {
    /// Returns the linear memory, when the instance exists.
    fn memory(&self) -> Option<Memory>;
}

impl Field {
    /// Returns the field of a modulus.
    pub fn new(modulus: Limbs) -> Self {
        // Newton's iteration doubles the number of valid bits, of which 3 are valid for an odd number.
        let inverse = (0..5).fold(modulus[0], |inverse: u64, _| {
            inverse.wrapping_mul(2_u64.wrapping_sub(modulus[0].wrapping_mul(inverse)))
        });
        Self { modulus, negative_inverse: inverse.wrapping_neg() }
    }

    /// Returns x / 2^256 mod r (Montgomery, Mathematics of Computation 44, 1985), with one subtraction at the end.
    fn reduce(&self, mut x: Wide) -> Limbs {
        let mut carry = 0;
        for i in 0..4 {
            let factor = x[i].wrapping_mul(self.negative_inverse);
            let mut sum = 0;
            for (limb, modulus) in x[i..].iter_mut().zip(&self.modulus) {
                sum += u128::from(factor) * u128::from(*modulus) + u128::from(*limb);
                *limb = sum as u64;
                sum >>= 64;
            }
            sum += u128::from(x[i + 4]) + carry;
            x[i + 4] = sum as u64;
            carry = sum >> 64;
        }
        let high = [x[4], x[5], x[6], x[7]];
        match subtract(&high, &self.modulus) {
            (difference, borrow) if carry != 0 || !borrow => difference,
            _ => high,
        }
    }
}

/// Returns the product of two numbers.
fn multiply(x: &Limbs, y: &Limbs) -> Wide {
    let mut product = [0; 8];
    for (i, x) in x.iter().enumerate() {
        let mut carry = 0;
        for (limb, y) in product[i..].iter_mut().zip(y) {
            carry += u128::from(*x) * u128::from(*y) + u128::from(*limb);
            *limb = carry as u64;
            carry >>= 64;
        }
        product[i + 4] = carry as u64;
    }
    product
}

/// Returns quotient and remainder, bit by bit: quotients of Euclid's algorithm are short. `None` if `y` is 0.
fn divide(x: Limbs, y: &Limbs) -> Option<(Limbs, Limbs)> {
    let shift = bits(&x).checked_sub(match bits(y) {
        0 => return None,
        bits => bits,
    });
    let (mut quotient, mut rest) = ([0; 4], x);
    let Some(shift) = shift else { return Some((quotient, rest)) };
    let mut divisor = shift_left(y, shift);
    for bit in (0..=shift).rev() {
        if let (difference, false) = subtract(&rest, &divisor) {
            rest = difference;
            quotient[bit / 64] |= 1 << (bit % 64);
        }
        divisor = halve(&divisor);
    }
    Some((quotient, rest))
}

fn bits(x: &Limbs) -> usize {
    let top = x.iter().rposition(|limb| *limb != 0);
    top.map_or(0, |top| 64 * top + 64 - x[top].leading_zeros() as usize)
}

fn shift_left(x: &Limbs, bits: usize) -> Limbs {
    let (limbs, bits) = (bits / 64, bits % 64);
    std::array::from_fn(|i| {
        let part = |i: Option<usize>| i.map_or(0, |i| x[i]);
        let low = part(i.checked_sub(limbs + 1));
        part(i.checked_sub(limbs)) << bits | if bits == 0 { 0 } else { low >> (64 - bits) }
    })
}

fn halve(x: &Limbs) -> Limbs {
    std::array::from_fn(|i| x[i] >> 1 | x.get(i + 1).map_or(0, |next| next << 63))
}

/// Returns the difference modulo 2^256, and whether it is negative.
fn subtract(x: &Limbs, y: &Limbs) -> (Limbs, bool) {
    let mut borrow = false;
    let difference = std::array::from_fn(|i| {
        let (first, under) = x[i].overflowing_sub(y[i]);
        let (second, under_again) = first.overflowing_sub(u64::from(borrow));
        borrow = under || under_again;
        second
    });
    (difference, borrow)
}

fn load<const N: usize>(memory: &[u8], address: u32) -> Option<[u64; N]> {
    let bytes = memory.get(address as usize..)?.get(..8 * N)?;
    let limbs = bytes.as_chunks().0;
    Some(std::array::from_fn(|i| u64::from_le_bytes(limbs[i])))
}

fn store<const N: usize>(memory: &mut [u8], address: u32, value: &[u64; N]) -> Option<()> {
    let bytes = memory.get_mut(address as usize..)?.get_mut(..8 * N)?;
    bytes
        .as_chunks_mut()
        .0
        .iter_mut()
        .zip(value)
        .for_each(|(bytes, limb)| *bytes = limb.to_le_bytes());
    Some(())
}

/// Fills the table of a rewritten module with the native functions. Does nothing for other modules.
pub fn install<T: Access + 'static>(
    instance: &Instance,
    store: &mut Store<T>,
    field: Field,
) -> Result<(), Error> {
    let Some(table) = instance.get_table(&*store, EXPORT) else { return Ok(()) };
    for (number, operation) in OPERATIONS.iter().enumerate() {
        let run = move |caller: &mut Caller<'_, T>, addresses| {
            let memory = caller.data().memory();
            let done = memory.and_then(|memory| {
                (operation.run)(&field, memory.data_mut(&mut *caller), addresses)
            });
            done.ok_or_else(|| {
                Error::new(format!(
                    "{}: out of bounds memory access or division by zero",
                    operation.name
                ))
            })
        };
        let function = match operation.parameters {
            2 => Func::wrap(&mut *store, move |mut c: Caller<'_, T>, x: u32, y: u32| {
                run(&mut c, [x, y, 0, 0])
            }),
            3 => Func::wrap(&mut *store, move |mut c: Caller<'_, T>, x: u32, y: u32, z: u32| {
                run(&mut c, [x, y, z, 0])
            }),
            _ => Func::wrap(
                &mut *store,
                move |mut c: Caller<'_, T>, x: u32, y: u32, z: u32, w: u32| {
                    run(&mut c, [x, y, z, w])
                },
            ),
        };
        let entry = Ref::Func(Nullable::Val(function));
        table
            .set(&mut *store, number as u64, entry)
            .map_err(|error| Error::new(error.to_string()))?;
    }
    Ok(())
}

/// Returns whether the former functions of a rewritten module and the native ones compute the same, for operands at the end of
/// its memory, which is overwritten. The instance must have no inputs yet.
pub fn agrees<T>(instance: &Instance, store: &mut Store<T>, field: &Field) -> bool {
    let Some(memory) = instance.get_memory(&*store, "memory") else { return false };
    let size = memory.data_size(&*store);
    let Some(start) = size.checked_sub(AREA).and_then(|start| u32::try_from(start).ok()) else {
        return false;
    };
    let mut state = 1_u64;
    let mut random = || {
        // splitmix64
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    };
    let last = subtract(&field.modulus, &[1, 0, 0, 0]).0;
    let edges = [[0; 4], [1, 0, 0, 0], last, [0, 0, 1, 0], [u64::MAX, 0, 0, 0]];
    for round in 0..ROUNDS {
        let mut operand = |edge: usize| match edges.get(edge) {
            Some(edge) => *edge,
            None => {
                let random = [(); 8].map(|()| random());
                field.reduce([
                    random[0], random[1], random[2], random[3], random[4], random[5], random[6], 0,
                ])
            }
        };
        let (a, b) = (operand(round % 7), operand(round / 7));
        for (number, operation) in OPERATIONS.iter().enumerate() {
            if operation.name == "Fr_int_div" && b == [0; 4] {
                continue;
            }
            let mut operands = [0; AREA];
            // The first operand of a reduction is a product; the others are not affected by what is behind the first 32 bytes.
            let placed = self::store(&mut operands, 0, &multiply(&a, &b)).and_then(|()| {
                if operation.name != "Fr_F1m_mReduct" {
                    self::store(&mut operands, 0, &a)?;
                }
                self::store(&mut operands, 64, &b)
            });
            if placed.is_none() {
                return false;
            }
            let mut expected = operands;
            let addresses = |start| match operation.parameters {
                2 => [start, start + 128, 0, 0],
                3 => [start, start + 64, start + 128, 0],
                _ => [start, start + 64, start + 128, start + 192],
            };
            let done = (operation.run)(field, &mut expected, addresses(0));
            memory.data_mut(&mut *store)[size - AREA..].copy_from_slice(&operands);
            let called = call(instance, store, number, operation.parameters, addresses(start));
            // circom's reduction overwrites its operand, and no caller reads it again.
            let results = &memory.data(&*store)[size - AREA + 128..];
            if done.is_none() || called.is_none() || *results != expected[128..] {
                return false;
            }
        }
    }
    true
}

/// Bytes that [`agrees`] uses for two operands and two results.
const AREA: usize = 256;

/// Pairs of operands that [`agrees`] tries: all pairs of edges and random numbers.
const ROUNDS: usize = 49;

fn call<T>(
    instance: &Instance,
    store: &mut Store<T>,
    number: usize,
    parameters: usize,
    [x, y, z, w]: Addresses,
) -> Option<()> {
    let name = format!("{EXPORT} {number}");
    match parameters {
        2 => instance.get_typed_func::<(u32, u32), ()>(&*store, &name).ok()?.call(store, (x, y)),
        3 => instance
            .get_typed_func::<(u32, u32, u32), ()>(&*store, &name)
            .ok()?
            .call(store, (x, y, z)),
        _ => instance
            .get_typed_func::<(u32, u32, u32, u32), ()>(&*store, &name)
            .ok()?
            .call(store, (x, y, z, w)),
    }
    .ok()
}

#[cfg(test)]
mod tests {
    use num_bigint::BigUint;

    use super::*;
    use crate::prime::{BLS12_381, BN254};

    fn big<const N: usize>(limbs: &[u64; N]) -> BigUint {
        BigUint::from_bytes_le(&limbs.map(u64::to_le_bytes).concat())
    }

    /// Numbers with few and many bits.
    fn numbers() -> Vec<Limbs> {
        let mut numbers = vec![
            [0; 4],
            [1, 0, 0, 0],
            [u64::MAX; 4],
            [0, 0, 0, 1 << 63],
            [0, 1, 0, 0],
            BN254,
            BLS12_381,
        ];
        let mut state = 7_u64;
        for number in 0..40 {
            let limbs = std::array::from_fn(|_| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                state ^ state >> 29
            });
            numbers.push((0..number * 6).fold(limbs, |limbs, _| halve(&limbs)));
        }
        numbers
    }

    #[test]
    fn products_and_quotients_are_those_of_another_library() {
        for x in numbers() {
            for y in numbers() {
                assert_eq!(big(&multiply(&x, &y)), big(&x) * big(&y));
                match divide(x, &y) {
                    Some((quotient, rest)) => {
                        assert_eq!(
                            (big(&quotient), big(&rest)),
                            (big(&x) / big(&y), big(&x) % big(&y))
                        );
                    }
                    None => assert_eq!(y, [0; 4]),
                }
            }
        }
    }

    #[test]
    fn reductions_are_those_of_another_library() {
        for modulus in [BN254, BLS12_381] {
            let (field, r) = (Field::new(modulus), big(&modulus));
            let inverse = (BigUint::from(1_u32) << 256_u32).modinv(&r).unwrap();
            let below = numbers().into_iter().filter(|number| big(number) < r);
            for x in below.clone() {
                for y in below.clone() {
                    let expected = big(&x) * big(&y) * &inverse % &r;
                    assert_eq!(big(&field.reduce(multiply(&x, &y))), expected);
                }
            }
        }
    }

    #[test]
    fn addresses_outside_the_memory_are_refused() {
        let field = Field::new(BN254);
        for operation in &OPERATIONS {
            for parameter in 0..operation.parameters {
                for bad in [225, 256, 257, u32::MAX - 8, u32::MAX] {
                    let mut memory = vec![1; 256];
                    let mut addresses = [32, 64, 96, 128];
                    addresses[parameter] = bad;
                    assert_eq!(
                        (operation.run)(&field, &mut memory, addresses),
                        None,
                        "{} {parameter}",
                        operation.name
                    );
                }
            }
        }
    }
}

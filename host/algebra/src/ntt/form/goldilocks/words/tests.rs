//! Words and butterflies against integers of 128 bits.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

use super::*;
use crate::isa::Isa;
use crate::lanes::{AnyMachine, Choice, choose};

const P: u128 = Goldilocks::MODULUS[0] as u128;
/// Words at whose neighbours something changes.
const EDGES: [u64; 6] = [0, 1 << 32, 1 << 63, P as u64, EPSILON, EPSILON << 31];

/// A closure for the lanes of AVX2.
struct With<T>(T);

impl<T: FnOnce(Fma)> Choice for With<T> {
    type Output = ();

    fn on_limbs<B: crate::lanes::Backend>(self, _: B) {}

    fn on_doubles(self, fma: Fma) {
        self.0(fma);
    }
}

/// Does it on the level of AVX2, where the processor has that.
fn with_avx2(test: impl FnOnce(Fma)) {
    let avx2 = Isa::available().into_iter().find(|isa| isa.name() == "avx2");
    if let Some(machine) = avx2.and_then(Isa::machine) {
        let machine: AnyMachine = machine;
        choose(machine, With(test));
    }
}

/// Edges, two words around each.
fn edges() -> Vec<u64> {
    let around = |edge: &u64| (0..5).map(|i| edge.wrapping_add(i).wrapping_sub(2)).collect();
    EDGES.iter().flat_map(|edge| -> Vec<u64> { around(edge) }).collect()
}

/// Any words, many of them edges.
fn words(seed: u64) -> impl FnMut() -> u64 {
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    let edges = edges();
    move || match rng.random_range(0..3) {
        0 => edges[rng.random_range(0..edges.len())],
        _ => rng.random(),
    }
}

fn array(x: Quad) -> [u64; WORDS] {
    let mut words = [0; WORDS];
    x.store(&mut words);
    words
}

fn products_are_right(fma: Fma, x: [u64; WORDS], y: [u64; WORDS]) {
    let [a, b] = [x, y].map(|words| [Quad::load(fma, &words); 2]);
    let [product] = Arithmetic::<Goldilocks, 2>::multiply(fma, [&a], [&b]);
    let [sum, difference] = [
        Arithmetic::<Goldilocks, 2>::plus(fma, &a, &b),
        Arithmetic::<Goldilocks, 2>::minus(fma, &a, &b),
    ];
    let [product, sum, difference] = [product, sum, difference].map(|pair| array(pair[1]));
    for i in 0..WORDS {
        let [x, y] = [x[i], y[i]].map(u128::from);
        assert_eq!(u128::from(product[i]) % P, x * y % P, "{x} {y}");
        assert_eq!(u128::from(sum[i]) % P, (x + y) % P, "{x} {y}");
        assert_eq!(u128::from(difference[i]) % P, (x + 2 * P - y) % P, "{x} {y}");
    }
}

#[test]
fn products_sums_and_differences_are_right_at_all_edges() {
    with_avx2(|fma| {
        for x in edges() {
            for y in edges().as_chunks().0 {
                products_are_right(fma, [x; WORDS], *y);
            }
        }
    });
}

#[test]
fn random_products_are_right() {
    with_avx2(|fma| {
        let mut word = words(1);
        for _ in 0..1_000_000 / WORDS {
            products_are_right(
                fma,
                std::array::from_fn(|_| word()),
                std::array::from_fn(|_| word()),
            );
        }
    });
}

#[test]
fn reading_checks_elements_and_writing_is_canonical() {
    with_avx2(|fma| {
        for edge in edges() {
            for place in 0..PIECE {
                let mut piece = [0; 8 * PIECE];
                piece[8 * place..][..8].copy_from_slice(&edge.to_le_bytes());
                let (x, below) = Arithmetic::<Goldilocks, 2>::read(fma, &piece);
                assert_eq!(below == Mask::MAX, u128::from(edge) < P, "{edge}");
                let mut written = [1; 8 * PIECE];
                Arithmetic::<Goldilocks, 2>::write_canonical(fma, &x, &mut written);
                let least = (u128::from(edge) % P) as u64;
                piece[8 * place..][..8].copy_from_slice(&least.to_le_bytes());
                assert_eq!(written, piece, "{edge}");
            }
        }
    });
}

fn power(x: u128, exponent: usize) -> u128 {
    (0..exponent).fold(1, |power, _| power * x % P)
}

/// One block of a row a part, by the definition.
fn butterflies_are_right(fma: Fma, log_radix: u32, plain: bool, word: &mut impl FnMut() -> u64) {
    let radix = 1 << log_radix;
    let mut rows = vec![TileVector::<2>::ZERO; radix];
    rows.iter_mut().for_each(|row| row.0.as_flattened_mut().fill_with(&mut *word));
    let t: Vec<u64> = (1..radix).map(|_| if plain { 1 } else { word() }).collect();
    let factors: Vec<_> = t.iter().map(|t| [*t, t >> 32]).collect();
    let before = rows.clone();
    Arithmetic::<Goldilocks, 2>::butterflies(fma, &mut rows, &factors, log_radix, plain);
    let root = power(2, 192 >> log_radix);
    for (k, row) in rows.iter().enumerate() {
        for (i, found) in row.0.as_flattened().iter().enumerate() {
            let term = |j: usize| {
                let x = u128::from(before[j].0.as_flattened()[i]) % P;
                let t = if j == 0 { 1 } else { u128::from(t[j - 1]) };
                x * (t % P) % P * power(root, j * k) % P
            };
            let sum = (0..radix).map(term).sum::<u128>() % P;
            assert_eq!(u128::from(*found) % P, sum, "radix {radix}, {k}");
        }
    }
}

#[test]
fn butterflies_are_sums_of_powers() {
    with_avx2(|fma| {
        let mut word = words(2);
        for (log_radix, plain) in [(1, false), (2, false), (2, true), (3, false), (3, true)] {
            (0..300).for_each(|_| butterflies_are_right(fma, log_radix, plain, &mut word));
            for edge in EDGES.map(|edge| edge.wrapping_sub(1)) {
                butterflies_are_right(fma, log_radix, plain, &mut || edge);
            }
        }
    });
}

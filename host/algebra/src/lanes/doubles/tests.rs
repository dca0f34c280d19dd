//! Products, sums and reductions on every operand that they allow, against integers of any size.

use num_bigint::BigInt;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

use super::*;
use crate::field::*;
use crate::isa::Isa;
use crate::lanes::affine::Residue;

/// Products for each field and kind of operands: the fields together have more than a million.
const ROUNDS: usize = 16_000;

/// The lanes, or a word that there are none.
fn fma() -> Option<Fma> {
    let has_doubles = |isa: Isa| ["avx2", "avx512"].contains(&isa.name());
    let found = Isa::available().into_iter().any(has_doubles).then(Fma::new);
    if found.is_none() {
        println!("SKIPPED: products in doubles: no level of this process has AVX2 and FMA");
    }
    found
}

/// Eight elements: a row a digit, a lane an element.
type Rows<const L: usize> = [[f64; WIDTH]; L];

/// What a test does with two operands, by their kinds.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Kinds {
    NormalNormal,
    NormalSum,
    Square,
}

struct Products<'a, P, const L: usize> {
    kinds: Kinds,
    x: &'a Rows<L>,
    y: [&'a Rows<L>; 2],
    field: std::marker::PhantomData<P>,
}

impl<P: Prime<L>, const L: usize> Products<'_, P, L> {
    /// The product, and its second factor.
    fn run(&self, fma: Fma) -> [Rows<L>; 2] {
        let x = Doubles::<P, L>::load(fma, self.x);
        let [y, z] = self.y.map(|rows| Doubles::<P, L>::load(fma, rows));
        let sum = y.less(&z);
        let (product, factor) = match self.kinds {
            Kinds::NormalNormal => (x.product(&y), y),
            Kinds::NormalSum => (x.product(sum.digits()), *sum.digits()),
            Kinds::Square => (Residue::squares([&x; 2])[0], x),
        };
        let mut rows = [[[0.0; WIDTH]; L]; 2];
        product.store(&mut rows[0]);
        factor.store(&mut rows[1]);
        rows
    }
}

fn value<const L: usize>(rows: &Rows<L>, lane: usize) -> BigInt {
    rows.iter().rev().fold(BigInt::ZERO, |sum, row| {
        assert_eq!(row[lane].fract(), 0.0);
        (sum << constants::width(L)) + BigInt::from(row[lane] as i64)
    })
}

/// Eight integers below p, and those less p that are nearer to 0: digits of normal elements.
fn rows<P: Prime<L>, const L: usize>(integers: &[P; WIDTH]) -> Rows<L> {
    let mut rows = [[0.0; WIDTH]; L];
    for (lane, integer) in integers.iter().enumerate() {
        let digits = constants::digits_of::<L>(integer.to_canonical().as_ref(), P::MODULUS);
        for (row, digit) in rows.iter_mut().zip(digits) {
            row[lane] = digit;
        }
    }
    rows
}

fn check<P: Prime<L>, const L: usize>(fma: Fma, kinds: Kinds, x: &Rows<L>, y: [&Rows<L>; 2]) {
    let width = constants::width(L);
    let p = P::MODULUS.iter().rev().fold(BigInt::ZERO, |sum, word| (sum << 64) + word);
    let [product, factor] = Products { kinds, x, y, field: std::marker::PhantomData::<P> }.run(fma);
    for lane in 0..WIDTH {
        let (found, x, y) = (value(&product, lane), value(x, lane), value(&factor, lane));
        let error: BigInt = (&found << (width as usize * L)) - &x * &y;
        assert_eq!(error % &p, BigInt::ZERO, "{kinds:?} {x} {y}");
        let digits = product[..L - 1].iter().map(|row| row[lane].abs());
        let most = if L == 5 { (1u64 << 50) + 4 } else { (1 << 47) + 16 };
        assert!(digits.fold(0.0, f64::max) <= most as f64, "{kinds:?} {x} {y}");
        let is_toy = P::BITS < 64;
        let limit: BigInt = if L == 5 { &p * 52 / 100 } else { &p * 16 / 10 };
        assert!(is_toy || found.magnitude() <= limit.magnitude(), "{kinds:?} {x} {y}");
    }
}

/// 0, 1, p - 1, the middle of the field, and what has the largest digits of either sign.
fn edges<P: Prime<L>, const L: usize>() -> Vec<P> {
    let half = P::from(2).invert_vartime().expect("p is odd");
    let mut edges = vec![P::ZERO, P::ONE, -P::ONE, half, half - P::ONE, P::from(2)];
    let width = u64::from(constants::width(L));
    let bits = u64::from(P::BITS);
    for sign in [P::ONE, -P::ONE] {
        let digit = P::from(2).pow_vartime(&[width - 1]) - P::from(u64::from(sign == P::ONE));
        let all = (0..bits / width)
            .fold(P::ZERO, |sum, j| sum + digit * P::from(2).pow_vartime(&[width * j]));
        edges.extend([all * sign, digit * sign]);
    }
    edges
}

fn examine<P: Prime<L>, const L: usize>(takes_sums: bool) {
    let Some(fma) = fma() else { return };
    let kinds = [Kinds::NormalNormal, Kinds::Square, Kinds::NormalSum];
    let kinds = &kinds[..if takes_sums { 3 } else { 2 }];
    let edges = edges::<P, L>();
    for x in &edges {
        for y in &edges {
            let others = edges
                .chunks(WIDTH)
                .map(|chunk| std::array::from_fn(|lane| *chunk.get(lane).unwrap_or(&chunk[0])));
            for z in others {
                for &kind in kinds {
                    let [x, y, z] = [rows(&[*x; WIDTH]), rows(&[*y; WIDTH]), rows(&z)];
                    check::<P, L>(fma, kind, &x, [&y, &z]);
                }
            }
        }
    }
    let mut rng = ChaCha20Rng::seed_from_u64(P::BITS.into());
    for round in 0..ROUNDS {
        let mut random = || {
            rows::<P, L>(&std::array::from_fn(|_| {
                if rng.random_ratio(1, 16) {
                    return edges[rng.random_range(0..edges.len())];
                }
                let word = P::from(1 << 32).square();
                (0..7).fold(P::ZERO, |sum, _| sum * word + P::from(rng.random::<u64>()))
            }))
        };
        let (x, y, z) = (random(), random(), random());
        check::<P, L>(fma, kinds[round % kinds.len()], &x, [&y, &z]);
    }
}

#[test]
fn products_in_five_digits_are_right() {
    examine::<Bn254Fp, 5>(true);
    examine::<Bn254Fr, 5>(true);
    examine::<Bls12377Fr, 5>(true);
    examine::<Bls12381Fr, 5>(false);
    examine::<PastaFp, 5>(true);
    examine::<PastaFq, 5>(true);
    examine::<ToyFp, 5>(true);
    examine::<ToyFr, 5>(true);
}

#[test]
fn products_in_eight_digits_are_right() {
    examine::<Bls12381Fp, 8>(true);
    examine::<Bls12377Fp, 8>(true);
    examine::<ToyFp, 8>(true);
    examine::<ToyFr, 8>(true);
}

/// With other starting values of the sums, a column has one bit too many: the test of this name in `spec/model/test_doubles.py`.
#[test]
fn a_product_that_was_wrong() {
    let Some(fma) = fma() else { return };
    let of = |words| -> Bn254Fp { Option::from(Bn254Fp::from_canonical(words)).expect("below p") };
    let x = rows::<_, 5>(
        &[of([0xa05bffe8c4214ca3, 0x6911ee1fff0166c0, 0xa357791858fff6ab, 0x183144c37cc0a7ff]);
            WIDTH],
    );
    // The second factor is a difference of two halves of opposite signs.
    let half = of([0xeca5fff36e6829a0, 0x5ea10f2fff7fc71a, 0xdd0aaec46d7fffe7, 0x1831e79f3fed4bff]);
    let y = [&rows(&[half; WIDTH]), &rows(&[-half; WIDTH])];
    check::<Bn254Fp, 5>(fma, Kinds::NormalSum, &x, y);
}

/// Sums of as many numbers as a formula has, times such sums: `spec/model/test_sparse_doubles.py` has more of them.
#[test]
fn products_of_sums_modulo_a_sparse_prime_are_right() {
    let Some(fma) = fma() else { return };
    let p: [u64; 4] = Secp256k1Fp::MODULUS.try_into().expect("four words");
    let edges = [p, [p[0] - 1, p[1], p[2], p[3]], [u64::MAX; 4], [0; 4], [1, 0, 0, 0]];
    let mut rng = ChaCha20Rng::seed_from_u64(43);
    for _ in 0..ROUNDS {
        let mut numbers = || {
            let number = |rng: &mut ChaCha20Rng| match rng.random_range(0..4) {
                0 => edges[rng.random_range(0..edges.len())],
                _ => rng.random(),
            };
            std::array::from_fn::<_, WIDTH, _>(|_| number(&mut rng))
        };
        let (x, y, z) = (numbers(), numbers(), numbers());
        let of = |numbers| SparseDoubles::load(fma, numbers);
        // Numbers are two normal elements: these are sums of ten of either sign.
        let left = SparseDoubles::sum(3.0, &of(&x), -2.0, &of(&y));
        let right = SparseDoubles::sum(-1.0, &of(&z), 4.0, &of(&x));
        let product = left.times(&right);
        let found = [product, product.square(), left.square().times(&right)]
            .map(SparseDoubles::to_elements);
        for lane in 0..WIDTH {
            let [x, y, z] = [x[lane], y[lane], z[lane]].map(Secp256k1Fp::reduced);
            let small = |n: u64| Secp256k1Fp::from(n);
            let (left, right) = (small(3) * x - small(2) * y, small(4) * x - z);
            let wanted = [left * right, (left * right).square(), left.square() * right];
            assert_eq!(found.map(|lanes| lanes[lane]), wanted);
        }
    }
}

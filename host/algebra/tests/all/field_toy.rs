//! The toy fields, all elements and all pairs, against arithmetic of small integers.

use proofmill_algebra::field::{DecodeError, PrimeField, ToyEdwardsFr, ToyFp, ToyFr};
use zeroize::Zeroize;

/// Everything about one toy field: elements are their own numbers.
fn examine<F: PrimeField<Repr = [u64; 1], Bytes = [u8; 1]>>() {
    let p = F::MODULUS[0];
    let element = |number: u64| F::from_canonical([number % p]).expect("reduced");
    for x in 0..p {
        let fx = element(x);
        assert_eq!(fx.to_canonical(), [x]);
        assert_eq!(F::from(x + 3 * p), fx);
        assert_eq!(-fx, element(p - x));
        assert_eq!(fx.double(), element(2 * x));
        assert_eq!(fx.square(), element(x * x));
        assert_eq!(bool::from(fx.is_zero()), x == 0);
        assert_eq!(format!("{fx:?}"), format!("{x:#x}"));
        let mut wiped = fx;
        wiped.zeroize();
        assert_eq!(wiped, F::ZERO);
        for y in 0..p {
            let fy = element(y);
            assert_eq!(fx + fy, element(x + y), "{x} + {y}");
            assert_eq!(fx - fy, element(x + p - y), "{x} - {y}");
            assert_eq!(fx * fy, element(x * y), "{x} * {y}");
            assert_eq!(fx == fy, x == y);
            let power = (0..y).fold(1, |power, _| power * x % p);
            assert_eq!(fx.pow_vartime(&[y, 0]), element(power), "{x}^{y}");
        }
    }
    inverses_and_roots::<F>(p, element);
    encodings::<F>(p, element);
}

fn inverses_and_roots<F: PrimeField>(p: u64, element: impl Fn(u64) -> F) {
    for x in 0..p {
        let inverse = (1..p).find(|y| x * y % p == 1).map(&element);
        assert_eq!(Option::<F>::from(element(x).invert()), inverse, "1/{x}");
        assert_eq!(element(x).invert_vartime(), inverse, "1/{x}");
        let root: Option<F> = element(x).sqrt().into();
        assert_eq!(root.is_some(), (0..p).any(|y| y * y % p == x), "root of {x}");
        assert!(root.is_none_or(|root| root * root == element(x)), "root of {x}");
    }
    // Every set of places of zeros among eight elements.
    for zeros in 0..256u64 {
        let mut elements: [F; 8] = std::array::from_fn(|i| {
            element(if zeros >> i & 1 == 1 { 0 } else { zeros + i as u64 })
        });
        let expected = elements.map(|x| x.invert().unwrap_or(F::ZERO));
        F::batch_invert(&mut elements);
        assert_eq!(elements, expected);
    }
    F::batch_invert(&mut []);
}

fn encodings<F: PrimeField<Repr = [u64; 1], Bytes = [u8; 1]>>(p: u64, element: impl Fn(u64) -> F) {
    for x in 0..=255 {
        let expected =
            if u64::from(x) < p { Ok(element(x.into())) } else { Err(DecodeError::NotReduced) };
        assert_eq!(F::from_le_bytes(&[x]), expected);
        assert_eq!(F::from_be_bytes(&[x]), expected);
        if let Ok(element) = expected {
            assert_eq!((element.to_le_bytes(), element.to_be_bytes()), ([x], [x]));
        }
    }
    for found in [0, 2, 8] {
        let wrong = Err(DecodeError::Length { expected: 1, found });
        assert_eq!(F::from_le_bytes(&vec![0; found]), wrong);
        assert_eq!(F::from_be_bytes(&vec![0; found]), wrong);
    }
    assert!(bool::from(F::from_canonical([p]).is_none()));
    assert!(bool::from(F::from_canonical([u64::MAX]).is_none()));
}

/// The generator's powers are everything but 0, and the root of unity has its declared order.
fn examine_generator<F: PrimeField>() {
    let p = F::MODULUS[0];
    let generator = F::GENERATOR.expect("toy fields have one");
    let powers: Vec<_> = (0..p - 1).map(|e| generator.pow_vartime(&[e])).collect();
    assert!((1..p).all(|x| powers.contains(&F::from(x))));
    let root = F::ROOT_OF_UNITY.expect("there is a generator");
    assert_eq!((p - 1).trailing_zeros(), F::TWO_ADICITY);
    assert_eq!(root.pow_vartime(&[1 << (F::TWO_ADICITY - 1)]), -F::ONE);
}

#[test]
fn the_field_of_97() {
    assert_eq!((ToyFp::NAME, ToyFp::BITS, ToyFp::BYTES), ("toy_fp", 7, 1));
    examine::<ToyFp>();
    examine_generator::<ToyFp>();
}

#[test]
fn the_field_of_79() {
    assert_eq!((ToyFr::NAME, ToyFr::BITS, ToyFr::BYTES), ("toy_fr", 7, 1));
    examine::<ToyFr>();
    examine_generator::<ToyFr>();
}

#[test]
fn the_field_of_7() {
    assert_eq!(
        (ToyEdwardsFr::NAME, ToyEdwardsFr::BITS, ToyEdwardsFr::BYTES),
        ("toy_edwards_fr", 3, 1)
    );
    examine::<ToyEdwardsFr>();
}

//! Tests of the group law: all elements of small groups, then random elements of large ones.

use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};
use sha2::{Digest, Sha256};

use super::*;

/// Returns a number of at most `bits` bits, derived from a public seed.
pub(crate) fn random(bits: u32, seed: u32) -> BigUint {
    let digests = (0..bits.div_ceil(256))
        .map(|i| Sha256::digest([seed.to_be_bytes(), i.to_be_bytes()].concat()));
    let number = BigUint::from_bytes_be(&digests.flatten().collect::<Vec<u8>>());
    number & ((BigUint::one() << bits) - 1u32)
}

fn group(discriminant: i64) -> ClassGroup {
    ClassGroup::new(discriminant.into()).unwrap()
}

fn large_group(bits: usize) -> ClassGroup {
    ClassGroup::new(create_discriminant(b"a public seed", bits).unwrap()).unwrap()
}

/// Returns all reduced primitive forms by their definition.
pub(crate) fn elements(group: &ClassGroup) -> Vec<Form> {
    let d = i64::try_from(group.discriminant()).unwrap();
    let pairs =
        (1..).take_while(|a| 3 * a * a <= -d).flat_map(|a| (-a + 1..=a).map(move |b| (a, b)));
    let forms = pairs
        .filter(|(a, b)| (b * b - d) % (4 * a) == 0)
        .map(|(a, b)| (a, b, (b * b - d) / (4 * a)));
    let reduced = forms.filter(|(a, b, c)| a <= c && (a != c || *b >= 0) && a.gcd(b).gcd(c) == 1);
    reduced.map(|(a, b, c)| Form { a: a.into(), b: b.into(), c: c.into() }).collect()
}

/// Composes by Gauss's definition: (a1, B) and (a2, B) have the product (a1 a2, B), if B fits both and a1, a2 are
/// coprime.
fn compose_united(group: &ClassGroup, f: &Form, g: &Form) -> Form {
    let g = equivalent_with_coprime_a(f, g);
    // B = b1 (mod 2 a1) and B = b2 (mod 2 a2), by search.
    let steps = num_iter(g.a.clone()).map(|k| &f.b + (&f.a << 1) * k);
    let b = steps.into_iter().find(|b| Integer::is_multiple_of(&(b - &g.b), &(&g.a << 1))).unwrap();
    group.form(&f.a * &g.a, b).unwrap()
}

fn num_iter(end: BigInt) -> impl Iterator<Item = BigInt> {
    std::iter::successors(Some(BigInt::zero()), |k| Some(k + 1)).take_while(move |k| *k < end)
}

/// Returns a form equivalent to `g` whose first coefficient g(x, y) is coprime to that of `f`.
fn equivalent_with_coprime_a(f: &Form, g: &Form) -> Form {
    for (x, y) in (0..20i64).flat_map(|x| (0..20i64).map(move |y| (x, y))) {
        let value = &g.a * (x * x) + &g.b * (x * y) + &g.c * (y * y);
        if x.gcd(&y) != 1 || !value.gcd(&f.a).is_one() {
            continue;
        }
        let e = x.extended_gcd(&y);
        let (u, v) = (-e.y, e.x);
        let b = ((&g.a * (x * u)) << 1) + &g.b * (x * v + u * y) + ((&g.c * (y * v)) << 1);
        let c = &g.a * (u * u) + &g.b * (u * v) + &g.c * (v * v);
        return Form { a: value, b, c };
    }
    panic!("no coprime value")
}

/// -15 and -231 are composite, and -63 is not fundamental.
#[test]
fn small_groups_have_the_known_orders() {
    let known = [
        (-3, 1),
        (-7, 1),
        (-15, 2),
        (-23, 3),
        (-47, 5),
        (-71, 7),
        (-163, 1),
        (-231, 12),
        (-63, 4),
        (-10_007, 77),
    ];
    for (discriminant, order) in known {
        assert_eq!(elements(&group(discriminant)).len(), order, "h({discriminant})");
    }
}

#[test]
fn small_groups_are_abelian_groups() {
    for discriminant in [-3, -7, -15, -23, -47, -63, -71, -231, -575, -1_155, -10_007] {
        let group = group(discriminant);
        let elements = elements(&group);
        for f in &elements {
            let inverse = group.inverse(f).unwrap();
            assert_eq!(group.compose(f, &group.identity()).unwrap(), *f);
            assert_eq!(group.compose(f, &inverse).unwrap(), group.identity());
            assert_eq!(group.square(f).unwrap(), group.compose(f, f).unwrap());
            assert!(group.pow(f, &elements.len().into()).unwrap() == group.identity());
            for g in &elements {
                let product = group.compose(f, g).unwrap();
                assert!(elements.contains(&product), "{f:?} {g:?}");
                assert_eq!(product, group.compose(g, f).unwrap());
                assert_eq!(
                    product,
                    compose_united(&group, f, g),
                    "D = {discriminant}: {f:?} {g:?}"
                );
            }
        }
    }
}

#[test]
fn composition_is_associative() {
    for discriminant in [-71, -231, -575] {
        let group = group(discriminant);
        let elements = elements(&group);
        let product = |f: &Form, g: &Form| group.compose(f, g).unwrap();
        for (f, g) in elements.iter().flat_map(|f| elements.iter().map(move |g| (f, g))) {
            elements
                .iter()
                .for_each(|h| assert_eq!(product(&product(f, g), h), product(f, &product(g, h))));
        }
    }
}

#[test]
fn powers_are_repeated_products() {
    let group = group(-10_007);
    let generator = group.generator().unwrap();
    let mut power = group.identity();
    for exponent in 0..160u32 {
        assert_eq!(group.pow(&generator, &exponent.into()).unwrap(), power, "{exponent}");
        power = group.compose(&power, &generator).unwrap();
    }
    assert_eq!(group.product_of_powers(&[]).unwrap(), group.identity());
}

#[test]
fn powers_of_large_forms_obey_the_laws_of_exponents() {
    for (bits, seed) in [(64, 1), (200, 2), (512, 3), (1_000, 4), (1_024, 5), (1_024, 6)] {
        let group = large_group(bits);
        let (m, n) = (random(bits as u32, seed), random(300, seed + 100));
        let f = group.generator().unwrap();
        let (fm, fn_) = (group.pow(&f, &m).unwrap(), group.pow(&f, &n).unwrap());
        assert_eq!(group.compose(&fm, &fn_).unwrap(), group.pow(&f, &(&m + &n)).unwrap());
        assert_eq!(group.pow(&fm, &n).unwrap(), group.pow(&f, &(&m * &n)).unwrap());
        assert_eq!(group.square(&fm).unwrap(), group.compose(&fm, &fm).unwrap());
        assert_eq!(
            group.product_of_powers(&[(&fm, &n), (&fn_, &m)]).unwrap(),
            group.pow(&f, &((&m * &n) << 1)).unwrap()
        );
        let inverse = group.inverse(&fm).unwrap();
        assert_eq!(group.compose(&fm, &inverse).unwrap(), group.identity());
        assert_eq!(group.compose(&group.square(&fm).unwrap(), &inverse).unwrap(), fm);
    }
}

#[test]
fn reduction_finds_the_reduced_form_of_every_substitution() {
    let group = large_group(512);
    let f = group.pow(&group.generator().unwrap(), &random(256, 9)).unwrap();
    for seed in 0..50 {
        // x -> x + k y, then (x, y) -> (y, -x), twice.
        let mut image = f.clone();
        for part in 0..2 {
            let k = BigInt::from(random(1 + seed * 6, seed + 50 * part)) - 5;
            let b: BigInt = &image.b + ((&image.a * &k) << 1);
            let c = (&b * &b - group.discriminant()) / (&image.a << 2);
            image = Form { a: c, b: -b, c: image.a };
        }
        assert_eq!(group.form(image.a.clone(), image.b.clone()).unwrap(), f);
        assert_eq!(image.reduce(), f);
    }
}

#[test]
fn wrong_arguments_are_named() {
    let problem = |d: i64| ClassGroup::new(d.into()).unwrap_err().to_string();
    assert_eq!(problem(0), "discriminant: is not negative");
    assert_eq!(problem(17), "discriminant: is not negative");
    assert_eq!(problem(-8), "discriminant: is not 1 modulo 4");
    assert_eq!(problem(-22), "discriminant: is not 1 modulo 4");
    assert_eq!(problem(-21), "discriminant: is not 1 modulo 4");
    let long: BigInt = BigInt::one() << 1_024;
    let long = ClassGroup::new(-long - 7);
    assert_eq!(long.unwrap_err().to_string(), "discriminant: has 1025 bits; expected at most 1024");
    let group = group(-23);
    let form = |a: i64, b: i64| group.form(a.into(), b.into()).map_err(|error| error.to_string());
    assert_eq!(form(0, 1), Err("a: is not positive".into()));
    assert_eq!(form(-2, 1), Err("a: is not positive".into()));
    assert_eq!(form(5, 1), Err("b: no form of this discriminant has these a and b".into()));
    assert_eq!(form(2, 1 + 4 * 9).unwrap(), group.generator().unwrap());
    assert_eq!(
        ClassGroup::new((-63).into()).unwrap().form(3.into(), 3.into()).unwrap_err().to_string(),
        "a: the form is not primitive"
    );
    assert!(ClassGroup::new((-3).into()).unwrap().generator().is_err());
    let other = ClassGroup::new((-47).into()).unwrap().identity();
    let foreign = "form: has another discriminant than the group";
    assert_eq!(group.compose(&group.identity(), &other).unwrap_err().to_string(), foreign);
    assert_eq!(group.square(&other).unwrap_err().to_string(), foreign);
    assert_eq!(group.inverse(&other).unwrap_err().to_string(), foreign);
    assert_eq!(group.encode(&other).unwrap_err().to_string(), foreign);
    assert_eq!(group.pow(&other, &BigUint::one()).unwrap_err().to_string(), foreign);
}

#[test]
fn wrong_lengths_of_a_discriminant_are_named() {
    for bits in [0, 8, 15, 17, 1_020, 1_032, 16_400, usize::MAX] {
        assert!(
            create_discriminant(b"seed", bits).unwrap_err().to_string().starts_with("bits: is ")
        );
    }
    assert_eq!(
        create_discriminant(b"", 512).unwrap_err().to_string(),
        "seed: is empty; expected at least 1 byte"
    );
    assert!(create_discriminant(&[7], 1_024).unwrap_err().to_string().starts_with("seed: 1 bytes"));
}

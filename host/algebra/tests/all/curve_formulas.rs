//! The formulas against `spec/vectors/formula`: each function does what the file of its name in `spec/formulas` does,
//! coordinate by coordinate.

use crate::json::{Read, cases, text};
use proofmill_algebra::curve::formula::*;
use proofmill_algebra::field::Field;
use proofmill_algebra::pairing::formula as pairing;
use proofmill_algebra::tower::{Fp2, Fp6, Fp12, Tower};
use proofmill_algebra::{bls12_377, bls12_381, bn254, pallas, secp256k1, toy, vesta};
use serde_json::Value;

/// Formulas of the specification that only circuits use, or that are parts of larger ones in this crate.
const NOT_TESTED: [&str; 12] = [
    "coz_dblu",
    "coz_zaddu",
    "lazy_dbl",
    "lazy_madd",
    "rcb_dbl_scaled",
    "xyzz_add",
    "xyzz_madd",
    "xyzz_dbl",
    "fp6_mul_01",
    "fp6_mul_1",
    "line_add_jacobian",
    "line_dbl_jacobian",
];

fn list<F: Read>(case: &Value, key: &str) -> Vec<F> {
    case[key].as_array().expect("a list").iter().map(F::read).collect()
}

/// A slice as the array that a formula wants.
fn array<const N: usize, F: Copy>(inputs: &[F]) -> [F; N] {
    inputs.try_into().expect("as many as the formula has")
}

fn constant<F: Field + Read>(case: &Value, name: &str) -> impl Fn(F) -> F {
    let value = F::read(&case["constants"][name]);
    move |a| value * a
}

/// What a point formula gives; none for another formula.
fn point<F: Field + Read>(case: &Value) -> Option<Vec<F>> {
    let i = list::<F>(case, "inputs");
    let k = |name| constant::<F>(case, name);
    Some(match text(case, "formula") {
        // The same polynomials: the one with Z2 as a bit only writes some products out.
        "rcb_add" | "rcb_madd_z01" => rcb_add(array(&i[..3]), array(&i[3..]), k("b3")).into(),
        "rcb_madd" => rcb_madd(array(&i[..3]), array(&i[3..]), k("b3")).into(),
        "rcb_dbl" => rcb_dbl(array(&i), k("b3")).into(),
        "jacobian_add" => jacobian_add(array(&i[..3]), array(&i[3..])).into(),
        "jacobian_madd" => jacobian_madd(array(&i[..3]), array(&i[3..])).into(),
        "jacobian_dbl" => jacobian_dbl(array(&i)).into(),
        "affine_add" => affine_add(array(&i[..2]), array(&i[2..4]), i[4]).into(),
        "affine_dbl" => affine_dbl(array(&i[..2]), i[2]).into(),
        // One formula for both; the last input tells them apart.
        "affine_sum" if i[6] == F::ZERO => affine_add(array(&i[..2]), array(&i[2..4]), i[4]).into(),
        "affine_sum" => affine_dbl(array(&i[..2]), i[4]).into(),
        "hwcd_add" => hwcd_add(array(&i[..4]), array(&i[4..]), k("k")).into(),
        "hwcd_madd_precomputed" => hwcd_madd_precomputed(array(&i[..4]), array(&i[4..])).into(),
        "hwcd_dbl" => hwcd_dbl(array(&i)).into(),
        _ => return None,
    })
}

fn fp6<T: Tower>(c: &[Fp2<T>]) -> Fp6<T> {
    Fp6::new(c[0], c[1], c[2])
}

fn fp12<T: Tower>(c: &[Fp2<T>]) -> Fp12<T> {
    Fp12::new(fp6(&c[..3]), fp6(&c[3..]))
}

/// The halves of an element of Fp12 as the formulas of a pairing have it.
fn halves<T: Tower>(c: &[Fp2<T>]) -> [[Fp2<T>; 3]; 2] {
    [array(&c[..3]), array(&c[3..6])]
}

/// What a tower formula gives and what it should, both as coefficients over the next lower field.
fn over_fp<T: Tower<Base: Read>>(case: &Value) -> Option<Vec<T::Base>> {
    let i = list::<T::Base>(case, "inputs");
    let a = Fp2::<T>::new(i[0], i[1]);
    let result = match text(case, "formula") {
        "fp2_mul" => a * Fp2::new(i[2], i[3]),
        "fp2_sqr" | "fp2_sqr_i" => a.square(),
        "fp2_mul_fp" => a.scale(i[2]),
        "fp2_norm" => return Some(vec![a.norm()]),
        "fp2_mul_constant" => {
            let [k0, k1] = ["k0", "k1"].map(|k| Read::read(&case["constants"][k]));
            a * Fp2::new(k0, k1)
        }
        _ => return None,
    };
    Some(vec![result.c0, result.c1])
}

fn over_fp2<T: Tower<Base: Read>>(case: &Value) -> Option<Vec<Fp2<T>>> {
    let i = list::<Fp2<T>>(case, "inputs");
    let result = match text(case, "formula") {
        "fp6_mul" => fp6(&i[..3]) * fp6(&i[3..]),
        "fp6_sqr" => fp6(&i).square(),
        "fp6_mul_fp2" => fp6(&i).scale(i[3]),
        "fp6_mul_v" => fp6(&i).times_v(),
        "fp6_adjoint" => {
            let (c, n) = fp6(&i).adjoint();
            return Some(vec![c.c0, c.c1, c.c2, n]);
        }
        "line_dbl" => {
            let b3 = Read::read(&case["constants"]["b3"]);
            let (point, line) = pairing::line_dbl(&array(&i), &b3);
            return Some([point, line].concat());
        }
        "line_add" => {
            let (point, line) = pairing::line_add(&array(&i[..3]), &array(&i[3..]));
            return Some([point, line].concat());
        }
        "fp12_mul_014" => {
            return Some(pairing::fp12_mul_014(&halves(&i), &array(&i[6..])).concat());
        }
        // Only the pairing processor has it as a formula of its own.
        "fp12_mul_014_one" => {
            let line = [i[6], i[7], Fp2::ONE];
            return Some(pairing::fp12_mul_014(&halves(&i), &line).concat());
        }
        "fp12_mul_034" => {
            return Some(pairing::fp12_mul_034(&halves(&i), &array(&i[6..])).concat());
        }
        "fp12_cyclotomic_sqr" => {
            let a = fp12(&i).cyclotomic_square();
            return Some([a.c0, a.c1].into_iter().flat_map(|c| [c.c0, c.c1, c.c2]).collect());
        }
        _ => return None,
    };
    Some(vec![result.c0, result.c1, result.c2])
}

fn over_fp6<T: Tower<Base: Read>>(case: &Value) -> Option<Vec<Fp6<T>>> {
    let i = list::<Fp6<T>>(case, "inputs");
    let a = Fp12::new(i[0], i[1]);
    let result = match text(case, "formula") {
        "fp12_mul" => a * Fp12::new(i[2], i[3]),
        "fp12_sqr" => {
            let halves = [a.c0, a.c1].map(|c| [c.c0, c.c1, c.c2]);
            let [c0, c1] = pairing::fp12_sqr(&halves).map(|c| fp6(&c));
            assert_eq!(a.square(), Fp12::new(c0, c1));
            a.square()
        }
        "fp12_norm" => return Some(vec![a.norm()]),
        _ => return None,
    };
    Some(vec![result.c0, result.c1])
}

fn check<F: Field + Read>(case: &Value, found: Option<Vec<F>>) -> bool {
    let wanted = || list::<F>(case, "outputs");
    found.map(|found| assert_eq!(found, wanted(), "{}", case["id"])).is_some()
}

/// Every case of a curve; those of an extension need its tower.
fn examine<F: Field + Read>(name: &str, others: impl Fn(&Value) -> bool) {
    let cases = cases(&format!("formula/{name}"));
    assert!(cases.len() > 50, "{name}");
    for case in cases {
        if NOT_TESTED.contains(&text(&case, "formula")) {
            continue;
        }
        let known = text(&case, "ring") == "fp" && check(&case, point::<F>(&case)) || others(&case);
        assert!(known, "{name}: nothing here is called {}", case["formula"]);
    }
}

fn examine_with_tower<T: Tower<Base: Read>>(name: &str) {
    examine::<T::Base>(name, |case| match text(case, "ring") {
        "fp" => check(case, over_fp::<T>(case)),
        "fp2" => check(case, point::<Fp2<T>>(case)) || check(case, over_fp2::<T>(case)),
        _ => check_fp6::<T>(case),
    });
}

fn check_fp6<T: Tower<Base: Read>>(case: &Value) -> bool {
    let wanted = || list::<Fp6<T>>(case, "outputs");
    over_fp6::<T>(case).map(|found| assert_eq!(found, wanted(), "{}", case["id"])).is_some()
}

#[test]
fn formulas_agree_with_their_files() {
    examine::<secp256k1::Fp>("secp256k1", |_| false);
    examine::<pallas::Fp>("pallas", |_| false);
    examine::<vesta::Fp>("vesta", |_| false);
    examine::<toy::Fp>("toy_edwards", |_| false);
    examine_with_tower::<toy::ToyTower>("toy");
    examine_with_tower::<bn254::Bn254Tower>("bn254");
    examine_with_tower::<bls12_381::Bls12381Tower>("bls12_381");
    examine_with_tower::<bls12_377::Bls12377Tower>("bls12_377");
}

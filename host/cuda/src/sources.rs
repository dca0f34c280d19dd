//! The kernels' sources: the files of `kernels/`, with parameters that are generated from `spec/fields` and `spec/curves` by way of
//! [`proofmill_algebra`].

use std::fmt::Write as _;

use proofmill_algebra::curve::Curve;
use proofmill_algebra::field::{Bls12381Fr, Bn254Fr, PrimeField};
use proofmill_algebra::tower::{Fp2, Tower};
use proofmill_algebra::{bls12_381, bn254};
use proofmill_op::msm::{self, Group};
use proofmill_op::ntt::Field;
use sha2::{Digest, Sha256};

#[cfg(feature = "bls12_377")]
use proofmill_algebra::bls12_377;

macro_rules! files {
    ($($name:literal),*) => {
        /// Headers, each after those that it includes.
        const HEADERS: &[(&str, &str)] = &[$(($name, include_str!(concat!("../kernels/", $name)))),*];
    };
}
files!(
    "platform.h",
    "limbs.h",
    "field.h",
    "goldilocks.h",
    "extension.h",
    "curve.h",
    "scan.h",
    "msm.h",
    "ntt.h",
    "poseidon.h"
);
/// Files of the emulation: what `platform.h` includes there, and the library's own.
const EMULATION: [(&str, &str); 2] = [
    ("emulate.h", include_str!("../kernels/emulate.h")),
    ("emulate.cpp", include_str!("../kernels/emulate.cpp")),
];

/// Elements of the smallest and the largest state of Poseidon.
pub(crate) const POSEIDON_WIDTHS: std::ops::RangeInclusive<usize> = 3..=12;

/// Kernels that are compiled together: an operation on a group, on a field, or in states of a width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Module {
    /// MSM in a group.
    Msm(msm::Instance),
    /// NTT over a field.
    Ntt(Field),
    /// Poseidon over the scalars of BLS12-381, in states of this number of elements.
    Poseidon(usize),
}

impl Module {
    /// Returns all programs.
    pub fn all() -> Vec<Self> {
        let groups = msm::Instance::ALL.into_iter().filter(|it| group(*it).is_some());
        let fields = Field::ALL.into_iter().filter(|it| field(*it).is_some());
        let poseidon = POSEIDON_WIDTHS.map(Self::Poseidon);
        groups.map(Self::Msm).chain(fields.map(Self::Ntt)).chain(poseidon).collect()
    }

    /// Its name: `msm_bn254_g1`, `ntt_goldilocks`, `poseidon_bls12_381_9`.
    pub fn name(self) -> String {
        match self {
            Self::Msm(instance) => format!("msm_{instance}"),
            Self::Ntt(field) => format!("ntt_{field}"),
            Self::Poseidon(width) => format!("poseidon_bls12_381_{width}"),
        }
    }

    /// Its source in one text. None for what no kernel is for.
    pub fn source(self) -> Option<String> {
        let (parameters, main) = match self {
            Self::Msm(instance) => (group(instance)?, "msm.h"),
            Self::Ntt(it) => (field(it)?, "ntt.h"),
            Self::Poseidon(width) => {
                if !POSEIDON_WIDTHS.contains(&width) {
                    return None;
                }
                let field = prime::<Bls12381Fr>("Parameters");
                let alias = format!("typedef Prime<Parameters> F;\n#define WIDTH {width}\n");
                (format!("#include \"field.h\"\n{field}{alias}"), "poseidon.h")
            }
        };
        let name = self.name();
        let head = format!("#define PROOFMILL_MODULE \"{name}\"\n#include \"platform.h\"\n");
        let body = format!("BEGIN_MODULE\n{parameters}#include \"{main}\"\nEND_MODULE\n");
        Some(inlined(&(head + &body)))
    }

    /// Names this source among others of the module.
    pub fn digest(self) -> Option<String> {
        self.source().map(|source| digest([&source[..]]))
    }
}

/// Names the sources of the emulation's library.
pub fn emulation_digest() -> String {
    let modules = Module::all().into_iter().filter_map(Module::source).collect::<Vec<_>>();
    let files = EMULATION.iter().map(|(_, text)| *text);
    digest(modules.iter().map(|text| &text[..]).chain(files))
}

/// The files, in addition to [`Module::source`], from which the emulation's library is compiled: name and text.
pub fn emulation_files() -> Vec<(&'static str, String)> {
    EMULATION.iter().map(|(name, text)| (*name, inlined(text))).collect()
}

fn digest<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    let mut hash = Sha256::new();
    for text in texts {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    }
    hash.finalize()[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The text with each header in place of its first include; those of the system and of the emulation stay.
fn inlined(text: &str) -> String {
    fn into(text: &str, included: &mut Vec<&'static str>, to: &mut String) {
        for line in text.lines() {
            let name = line.strip_prefix("#include \"").and_then(|rest| rest.strip_suffix('"'));
            let header = name.and_then(|name| HEADERS.iter().find(|(known, _)| *known == name));
            match header {
                Some((name, _)) if included.contains(name) => {}
                Some((name, text)) => {
                    included.push(name);
                    into(text, included, to);
                }
                None if line == "#pragma once" => {}
                None => {
                    to.push_str(line);
                    to.push('\n');
                }
            }
        }
    }
    let mut to = String::new();
    into(text, &mut Vec::new(), &mut to);
    to
}

/// The field of an NTT.
fn field(field: Field) -> Option<String> {
    let prime = |parameters: String| {
        format!("#include \"field.h\"\n{parameters}typedef Prime<Parameters> F;\n")
    };
    Some(match field {
        Field::Bn254Fr => prime(self::prime::<Bn254Fr>("Parameters")),
        Field::Bls12_381Fr => prime(self::prime::<Bls12381Fr>("Parameters")),
        Field::Goldilocks => "#include \"goldilocks.h\"\ntypedef Goldilocks F;\n".into(),
        _ => return None,
    })
}

/// The group of an MSM.
fn group(instance: msm::Instance) -> Option<String> {
    Some(match (instance.curve, instance.group) {
        (msm::Curve::Bn254, Group::G1) => over_prime::<bn254::G1>(3),
        (msm::Curve::Bn254, Group::G2) => over_quadratic::<bn254::G2, bn254::Bn254Tower>(),
        (msm::Curve::Bls12_381, Group::G1) => over_prime::<bls12_381::G1>(2),
        (msm::Curve::Bls12_381, Group::G2) => {
            over_quadratic::<bls12_381::G2, bls12_381::Bls12381Tower>()
        }
        #[cfg(feature = "bls12_377")]
        (msm::Curve::Bls12_377, Group::G1) => over_prime::<bls12_377::G1>(2),
        #[cfg(feature = "bls12_377")]
        (msm::Curve::Bls12_377, Group::G2) => {
            over_quadratic::<bls12_377::G2, bls12_377::Bls12377Tower>()
        }
        _ => return None,
    })
}

/// `blocks`: how many blocks of 128 threads that add points share a multiprocessor; it bounds their registers.
fn over_prime<C: Curve<Base: PrimeField>>(blocks: u32) -> String {
    let coordinates = prime::<C::Base>("BaseParameters");
    let b = format!("{{{}}}", literal(&C::B));
    group_text::<C>(&coordinates, "Prime<BaseParameters>", &b, blocks)
}

fn over_quadratic<C: Curve<Base = Fp2<T>>, T: Tower>() -> String {
    let coordinates = prime::<T::Base>("BaseParameters");
    let b = format!("{{{{{}}}, {{{}}}}}", literal(&C::B.c0), literal(&C::B.c1));
    let name = format!("Quadratic<Prime<BaseParameters>, {}>", T::MINUS_BETA);
    group_text::<C>(&coordinates, &name, &b, 1)
}

fn group_text<C: Curve>(coordinates: &str, name: &str, b: &str, blocks: u32) -> String {
    let scalars = prime::<C::Scalar>("ScalarParameters");
    let least = blocks.min(2);
    format!(
        "#include \"extension.h\"\n{coordinates}{scalars}\
         struct Group {{\n    \
             typedef {name} F;\n    \
             typedef ScalarParameters R;\n    \
             static constexpr int ACCUMULATE_BLOCKS = {blocks}, REDUCE_BLOCKS = {least};\n    \
             static METHOD F b() {{ return F{b}; }}\n\
         }};\n"
    )
}

/// The parameters of `Prime` (kernels/field.h).
fn prime<F: PrimeField>(name: &str) -> String {
    let one = F::ONE.to_montgomery();
    let square =
        Option::<F>::from(F::from_canonical(one)).expect("1 in Montgomery form is below p");
    let p = F::MODULUS[0] as u32;
    // Newton's iteration doubles the bits that are right, from three on.
    let inverse = (0..5).fold(p, |x, _| x.wrapping_mul(2u32.wrapping_sub(p.wrapping_mul(x))));
    let mut text = format!(
        "struct {name} {{\n    \
             static constexpr int LIMBS = {};\n    \
             static constexpr u32 NEGATIVE_INVERSE = {:#x};\n",
        2 * F::MODULUS.len(),
        inverse.wrapping_neg()
    );
    let square = square.to_montgomery();
    for (function, number) in
        [("modulus", F::MODULUS), ("one", one.as_ref()), ("square", square.as_ref())]
    {
        let limbs = limbs(number);
        let _ = write!(
            text,
            "    static METHOD constexpr u32 {function}(int i) {{\n        \
                 constexpr u32 limbs[] = {{{limbs}}};\n        return limbs[i];\n    }}\n"
        );
    }
    text + "};\n"
}

/// An element in Montgomery form.
fn literal<F: PrimeField>(element: &F) -> String {
    format!("{{{}}}", limbs(element.to_montgomery().as_ref()))
}

fn limbs(number: &[u64]) -> String {
    let halves = number.iter().flat_map(|limb| [*limb as u32, (*limb >> 32) as u32]);
    halves.map(|half| format!("{half:#x}")).collect::<Vec<_>>().join(", ")
}

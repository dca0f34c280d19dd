//! `proof.json` of PLONK.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::document::{self, Document, Text};
use super::point::{G1, g1, g1_text};
use super::{PLONK, facts, number};
use crate::Result;
use crate::plonk::{Evaluations, Proof};

/// Maximum bytes of a file: some dozen times those of a proof.
pub const MAX_BYTES: usize = 1 << 16;

#[derive(Serialize, Deserialize)]
#[expect(non_snake_case, reason = "the file's words")]
struct File<T, W> {
    A: G1<T>,
    B: G1<T>,
    C: G1<T>,
    Z: G1<T>,
    T1: G1<T>,
    T2: G1<T>,
    T3: G1<T>,
    Wxi: G1<T>,
    Wxiw: G1<T>,
    eval_a: T,
    eval_b: T,
    eval_c: T,
    eval_s1: T,
    eval_s2: T,
    eval_zw: T,
    protocol: W,
    curve: W,
}

/// Reads a file.
pub fn open(path: impl AsRef<Path>) -> Result<Proof> {
    let (name, bytes) = document::read(path.as_ref(), MAX_BYTES)?;
    parse(&name, &bytes)
}

/// Reads bytes, under a name for errors. The nine points are points of G1, and the evaluations are below r.
pub fn parse(name: &str, bytes: &[u8]) -> Result<Proof> {
    let document = Document::new(name, bytes, MAX_BYTES)?;
    let file: File<Text<'_>, Option<Text<'_>>> = document.parse()?;
    let facts = document.facts(PLONK, file.protocol, file.curve)?;
    let point = |path, texts| g1(&document, facts, path, texts);
    let scalar = |path, text| number::scalar(&document, facts, path, text);
    Ok(Proof {
        curve: facts.curve,
        a: point("A", &file.A)?,
        b: point("B", &file.B)?,
        c: point("C", &file.C)?,
        z: point("Z", &file.Z)?,
        t_lo: point("T1", &file.T1)?,
        t_mid: point("T2", &file.T2)?,
        t_hi: point("T3", &file.T3)?,
        w_zeta: point("Wxi", &file.Wxi)?,
        w_zeta_omega: point("Wxiw", &file.Wxiw)?,
        evaluations: Evaluations {
            a: scalar("eval_a", file.eval_a)?,
            b: scalar("eval_b", file.eval_b)?,
            c: scalar("eval_c", file.eval_c)?,
            s1: scalar("eval_s1", file.eval_s1)?,
            s2: scalar("eval_s2", file.eval_s2)?,
            z_omega: scalar("eval_zw", file.eval_zw)?,
        },
    })
}

/// Formats the file of a proof. Returns an error if the length of a point does not fit the curve.
pub fn text(proof: &Proof) -> Result<String> {
    let facts = facts(proof.curve)?;
    let Evaluations { a, b, c, s1, s2, z_omega } = &proof.evaluations;
    Ok(document::text(&File {
        A: g1_text(facts, "a", &proof.a)?,
        B: g1_text(facts, "b", &proof.b)?,
        C: g1_text(facts, "c", &proof.c)?,
        Z: g1_text(facts, "z", &proof.z)?,
        T1: g1_text(facts, "t_lo", &proof.t_lo)?,
        T2: g1_text(facts, "t_mid", &proof.t_mid)?,
        T3: g1_text(facts, "t_hi", &proof.t_hi)?,
        Wxi: g1_text(facts, "w_zeta", &proof.w_zeta)?,
        Wxiw: g1_text(facts, "w_zeta_omega", &proof.w_zeta_omega)?,
        eval_a: number::text(a),
        eval_b: number::text(b),
        eval_c: number::text(c),
        eval_s1: number::text(s1),
        eval_s2: number::text(s2),
        eval_zw: number::text(z_omega),
        protocol: PLONK,
        curve: facts.word,
    }))
}

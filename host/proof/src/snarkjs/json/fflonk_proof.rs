//! `proof.json` of FFLONK.

use std::path::Path;

use proofmill_op::msm::Curve;
use serde::{Deserialize, Serialize};

use super::document::{self, Document, Text};
use super::point::{G1, g1, g1_text};
use super::{FFLONK, facts, fflonk_facts, number};
use crate::Result;
use crate::fflonk::{Evaluations, Proof};

/// Maximum bytes of a file: some dozen times those of a proof.
pub const MAX_BYTES: usize = 1 << 16;

#[derive(Serialize, Deserialize)]
struct File<T, W> {
    polynomials: Polynomials<T>,
    evaluations: Values<T>,
    protocol: W,
    curve: W,
}

#[derive(Serialize, Deserialize)]
#[expect(non_snake_case, reason = "the file's words")]
struct Polynomials<T> {
    C1: G1<T>,
    C2: G1<T>,
    W1: G1<T>,
    W2: G1<T>,
}

#[derive(Serialize, Deserialize)]
struct Values<T> {
    ql: T,
    qr: T,
    qm: T,
    qo: T,
    qc: T,
    s1: T,
    s2: T,
    s3: T,
    a: T,
    b: T,
    c: T,
    z: T,
    zw: T,
    t1w: T,
    t2w: T,
    inv: T,
}

/// Reads a file.
pub fn open(path: impl AsRef<Path>) -> Result<Proof> {
    let (name, bytes) = document::read(path.as_ref(), MAX_BYTES)?;
    parse(&name, &bytes)
}

/// Reads bytes, under a name for errors. The four points are points of G1, and the evaluations are below r.
pub fn parse(name: &str, bytes: &[u8]) -> Result<Proof> {
    let document = Document::new(name, bytes, MAX_BYTES)?;
    let file: File<Text<'_>, Option<Text<'_>>> = document.parse()?;
    let facts = fflonk_facts(&document, file.protocol, file.curve)?;
    let point = |path, texts| g1(&document, facts, path, texts);
    let scalar = |path, text| number::scalar(&document, facts, path, text);
    let (points, values) = (&file.polynomials, file.evaluations);
    Ok(Proof {
        c1: point("polynomials.C1", &points.C1)?,
        c2: point("polynomials.C2", &points.C2)?,
        w1: point("polynomials.W1", &points.W1)?,
        w2: point("polynomials.W2", &points.W2)?,
        evaluations: Evaluations {
            q_l: scalar("evaluations.ql", values.ql)?,
            q_r: scalar("evaluations.qr", values.qr)?,
            q_m: scalar("evaluations.qm", values.qm)?,
            q_o: scalar("evaluations.qo", values.qo)?,
            q_c: scalar("evaluations.qc", values.qc)?,
            s1: scalar("evaluations.s1", values.s1)?,
            s2: scalar("evaluations.s2", values.s2)?,
            s3: scalar("evaluations.s3", values.s3)?,
            a: scalar("evaluations.a", values.a)?,
            b: scalar("evaluations.b", values.b)?,
            c: scalar("evaluations.c", values.c)?,
            z: scalar("evaluations.z", values.z)?,
            z_omega: scalar("evaluations.zw", values.zw)?,
            t1_omega: scalar("evaluations.t1w", values.t1w)?,
            t2_omega: scalar("evaluations.t2w", values.t2w)?,
        },
        inverse: scalar("evaluations.inv", values.inv)?,
    })
}

/// Formats the file of a proof. Returns an error if the length of a point does not fit the curve.
pub fn text(proof: &Proof) -> Result<String> {
    let facts = facts(Curve::Bn254)?;
    let Evaluations { q_l, q_r, q_m, q_o, q_c, s1, s2, s3, .. } = &proof.evaluations;
    let Evaluations { a, b, c, z, z_omega, t1_omega, t2_omega, .. } = &proof.evaluations;
    Ok(document::text(&File {
        polynomials: Polynomials {
            C1: g1_text(facts, "c1", &proof.c1)?,
            C2: g1_text(facts, "c2", &proof.c2)?,
            W1: g1_text(facts, "w1", &proof.w1)?,
            W2: g1_text(facts, "w2", &proof.w2)?,
        },
        evaluations: Values {
            ql: number::text(q_l),
            qr: number::text(q_r),
            qm: number::text(q_m),
            qo: number::text(q_o),
            qc: number::text(q_c),
            s1: number::text(s1),
            s2: number::text(s2),
            s3: number::text(s3),
            a: number::text(a),
            b: number::text(b),
            c: number::text(c),
            z: number::text(z),
            zw: number::text(z_omega),
            t1w: number::text(t1_omega),
            t2w: number::text(t2_omega),
            inv: number::text(&proof.inverse),
        },
        protocol: FFLONK,
        curve: facts.word,
    }))
}

//! The generators of the polynomial commitments: points of Vesta that are hashes of their numbers, so that no relation
//! between them is known.

use pasta_curves::arithmetic::{CurveAffine, CurveExt};
use pasta_curves::group::{Curve, ff::PrimeField as _};
use pasta_curves::vesta;
use proofmill_algebra::Isa;
use proofmill_algebra::curve::Affine;
use proofmill_algebra::encoding::pair;
use proofmill_algebra::field::PrimeField;
use proofmill_algebra::fixed_base::FixedBase;
use proofmill_algebra::lanes::affine::Addition;
use proofmill_algebra::msm::{Group, Stored, affine, stored, sum_vartime};
use proofmill_algebra::vesta::{Fp, G1};
use proofmill_op::process::parallel_map;

use super::domain::Domain;
use super::{Point, Scalar, bytes};

/// Points of a thread at a time.
const AT_A_TIME: usize = 128;
/// The number of scalars for which the tables of fixed bases are planned.
const PLANNED: usize = 256;

/// The generators for tables of 2^k rows.
pub struct Generators {
    /// G_0, G_1, …, then W and U, as points of an MSM.
    pub bases: Vec<u8>,
    /// The commitments to the Lagrange polynomials of the first rows.
    rows: Vec<FixedBase<G1>>,
    /// W, which each commitment to a public column has once: its blinding factor is 1.
    blinding: Stored<G1>,
}

impl Generators {
    /// Computes the generators of a domain, and commitments to the Lagrange polynomials of its first rows.
    pub fn new(domain: &Domain, k: u32, rows: usize) -> Self {
        let isa = Isa::best();
        let count = 1_usize << k;
        // Message 0 is followed by the number of a point; 1 is W's, 2 U's.
        let message = |i: usize| [&[0][..], &(i as u32).to_le_bytes()].concat();
        let messages: Vec<_> = (0..count).map(message).chain([vec![1], vec![2]]).collect();
        let messages: Vec<_> = messages.chunks(AT_A_TIME).collect();
        let points = parallel_map(messages.len(), &|part| hashed(messages[part])).concat();
        let vector = stored(isa, &points[..count]);
        let row = |row: usize| {
            let scalars: Vec<_> =
                domain.lagrange_coefficients(row as u32).iter().map(bytes).collect();
            let commitment =
                sum_vartime::<G1>(isa, &vector, &scalars).expect("scalars are below r");
            FixedBase::new(isa, &commitment.into(), PLANNED)
        };
        let rows = parallel_map(rows, &row);
        let blinding = stored(isa, &points[count..=count])[0];
        Self { bases: points.iter().flat_map(pair::encode).collect(), rows, blinding }
    }

    /// Commits to columns, each with these values in its first rows and zeros below.
    pub fn commit_each(&self, isa: Isa, columns: &[impl AsRef<[Scalar]>]) -> Vec<Point> {
        let mut sums = vec![self.blinding; columns.len()];
        let additions: Vec<_> =
            (0..columns.len() as u32).map(|i| Addition::new(i, i, false)).collect();
        for (row, base) in self.rows.iter().enumerate() {
            let values: Vec<_> = columns.iter().map(|column| column.as_ref()[row]).collect();
            let multiples = base.multiples_vartime(isa, &values);
            G1::add_assign_vartime(isa, &mut sums, &multiples, &additions);
        }
        affine::<G1>(isa, &sums)
    }
}

/// Hashes messages to points.
fn hashed(messages: &[Vec<u8>]) -> Vec<Point> {
    let hash = vesta::Point::hash_to_curve("Halo2-Parameters");
    let points: Vec<_> = messages.iter().map(|message| hash(message)).collect();
    let mut affine = vec![vesta::Affine::default(); points.len()];
    vesta::Point::batch_normalize(&points, &mut affine);
    affine.iter().map(converted).collect()
}

fn converted(point: &vesta::Affine) -> Point {
    let coordinates = point.coordinates().expect("a hash is not the identity");
    let [x, y] = [coordinates.x(), coordinates.y()]
        .map(|it| Fp::from_le_bytes(&it.to_repr()).expect("canonical"));
    Affine::new_unchecked(x, y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use halo2_proofs::poly::commitment::Params;
    use proofmill_algebra::curve::Projective;
    use proofmill_algebra::encoding::pasta;

    #[test]
    fn generators_are_those_of_halo2_proofs() {
        const K: u32 = 5;
        let ours = Generators::new(&Domain::new(K), K, 3);
        // k, then G_i, the commitments to Lagrange polynomials, W and U, compressed.
        let mut theirs = vec![];
        Params::<vesta::Affine>::new(K).write(&mut theirs).unwrap();
        let (theirs, _) = theirs[4..].as_chunks();
        let theirs = pasta::decode_each::<G1>(Isa::best(), theirs);
        let theirs: Vec<Point> = theirs.into_iter().collect::<Result<_, _>>().unwrap();
        assert!(theirs.iter().all(|point| bool::from(point.is_on_curve())));
        let [vector, rows, others] = [&theirs[..1 << K], &theirs[1 << K..][..3], &theirs[2 << K..]];
        let bases: Vec<u8> = vector.iter().chain(others).flat_map(pair::encode).collect();
        assert!(ours.bases == bases);
        let column = |values: [u64; 3]| values.map(Scalar::from);
        let columns = [column([1, 0, 0]), column([0, 1, 0]), column([0, 0, 1])];
        let blinded = rows.iter().map(|row| Projective::from(*row) + Projective::from(others[0]));
        let blinded: Vec<Point> = blinded.map(Point::from).collect();
        assert_eq!(ours.commit_each(Isa::best(), &columns), blinded);
    }
}

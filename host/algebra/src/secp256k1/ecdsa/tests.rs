use super::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

fn random_claims(count: usize) -> Vec<Claim> {
    let mut rng = ChaCha20Rng::seed_from_u64(71);
    let mut scalar =
        || Fn::reduce_wide_le(&rng.random::<[[u8; 32]; 2]>().concat().try_into().unwrap());
    (0..count)
        .map(|_| {
            let (d, k, z) = (scalar(), scalar(), scalar());
            let q = Affine::from(Projective::from(Secp256k1::GENERATOR).times_vartime(&d));
            let x = Affine::from(Projective::from(Secp256k1::GENERATOR).times_vartime(&k)).x();
            let r = reduced(&x.to_canonical());
            let s = (z + r * d) * k.invert().unwrap();
            Claim {
                s: s.to_canonical(),
                r: r.to_canonical(),
                z: z.to_canonical(),
                qx: q.x().to_canonical(),
                qy: q.y().to_canonical(),
            }
        })
        .collect()
}

#[test]
fn batches() {
    let mut claims = random_claims(1000);
    for isa in Isa::available() {
        let mut verdicts = vec![Verdict::Mismatch; claims.len()];
        verify_batch_vartime(isa, &claims, &mut verdicts);
        assert!(verdicts.iter().all(|v| *v == Verdict::Valid), "{isa} {:?}", &verdicts[..10]);
    }
    claims.iter_mut().for_each(|c| c.z[0] ^= 1);
    let mut verdicts = vec![Verdict::Valid; claims.len()];
    verify_batch_vartime(Isa::best(), &claims, &mut verdicts);
    assert!(verdicts.iter().all(|v| *v == Verdict::Mismatch));
}

#[test]
fn speed() {
    let claims = random_claims(1024);
    let mut verdicts = vec![Verdict::Mismatch; claims.len()];
    for _ in 0..10 {
        let start = std::time::Instant::now();
        for _ in 0..4 {
            verify_batch_vartime(Isa::best(), &claims, &mut verdicts);
        }
        println!("{:?} each", start.elapsed() / 4096);
    }
}

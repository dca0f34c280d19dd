//! The powers of tau that a key of a domain of n points needs: each list is a multiple by powers of one tau.
//!
//! With random factors f_i, sums over i < n, and W = sum f_i tau^i in G2:
//!
//! ```text
//! e(sum f_i tau^(i+1), 1) = e(sum f_i tau^i, tau)          tau^0 = 1, ..., tau^n in G1
//! e(tau, W - f_(n-1) tau^(n-1)) = e(1, sum f_i tau^(i+1))  tau^0 = 1, ..., tau^(n-1) in G2; sum over i < n - 1
//! e(sum f_i tau^(n+i), 1) = e(tau^n, W - f_(n-1) tau^(n-1))    tau^n, ..., tau^(2n-2); sum over i < n - 1
//! e(sum f_i alpha tau^i, 1) = e(alpha, W), and with beta
//! ```

use proofmill_algebra::curve::{Affine, Curve, Projective};

use super::Finding;
use super::equations::{Curves, Equations, encoded, factors};
use crate::Result;
use crate::groth16::suite::{ScalarOf, point};
use crate::snarkjs::{Powers, PowersOfTau};

/// Checks the powers for a domain of n points, n > 1.
pub fn check<E: Curves>(
    file: &PowersOfTau,
    n: usize,
    equations: &Equations<'_>,
) -> Result<Finding> {
    let g1 = |powers, i| point::<E::G1>("ptau", "a point", &file.powers(powers).point(i)?);
    let g2 = |bytes: Vec<u8>| point::<E::G2>("ptau", "a point", &bytes);
    let in_g2 = file.powers(Powers::TauG2);
    let (one, one_2) = (<E::G1 as Curve>::GENERATOR, <E::G2 as Curve>::GENERATOR);
    let (tau, tau_2) = (g1(Powers::TauG1, 1)?, g2(in_g2.point(1)?)?);
    if g1(Powers::TauG1, 0)? != one || g2(in_g2.point(0)?)? != one_2 {
        return Ok(Some("tau^0 is not the generator".into()));
    }
    if bool::from(tau.is_identity()) || !equations.equal::<E>((tau, one_2), (one, tau_2))? {
        return Ok(Some("tau in G1 is not tau in G2".into()));
    }

    let f: Vec<ScalarOf<E>> = factors(n)?;
    let after = |zeros: usize, f: &[_]| [vec![0; 32 * zeros], encoded(f)].concat();
    let lists = vec![encoded(&f), after(1, &f), after(n, &f[..n - 1])];
    let sums = equations.msms::<E::G1>(&file.powers(Powers::TauG1).range(0, 2 * n - 1), lists)?;
    let lists = vec![encoded(&f), after(1, &f[..n - 1])];
    let sums_2 = equations.msms::<E::G2>(&in_g2.range(0, n), lists)?;
    let last = Projective::from(g2(in_g2.point(n - 1)?)?).times_vartime(&f[n - 1]);
    let all_but_last = Affine::from(Projective::from(sums_2[0]) - last);
    let equal = |left, right| equations.equal::<E>(left, right);

    if !equal((sums[1], one_2), (sums[0], tau_2))? {
        return Ok(Some("a power of tau in G1 is not tau times the one before".into()));
    }
    if !equal((tau, all_but_last), (one, sums_2[1]))? {
        return Ok(Some("a power of tau in G2 is not tau times the one before".into()));
    }
    if !equal((sums[2], one_2), (g1(Powers::TauG1, n)?, all_but_last))? {
        return Ok(Some("a power of tau in G1 is not tau times the one before".into()));
    }
    for (powers, name) in [(Powers::AlphaTauG1, "alpha"), (Powers::BetaTauG1, "beta")] {
        let sum = equations.msm::<E::G1>(&file.powers(powers).range(0, n), encoded(&f))?;
        if !equal((sum, one_2), (g1(powers, 0)?, sums_2[0]))? {
            return Ok(Some(format!("an {name} tau^i is not {name} times tau^i")));
        }
    }
    if !equal((g1(Powers::BetaTauG1, 0)?, one_2), (one, g2(file.beta_g2()?)?))? {
        return Ok(Some("beta in G1 is not beta in G2".into()));
    }
    Ok(None)
}

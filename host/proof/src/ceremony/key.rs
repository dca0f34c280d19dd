//! The checks of a key, one function each.

use proofmill_algebra::Isa;
use proofmill_algebra::batch::Batched;
use proofmill_algebra::curve::{Affine, Curve, Projective};
use proofmill_algebra::encoding::{Coordinate, pair};
use proofmill_op::msm::SCALAR_BYTES;
use proofmill_op::{Cancel, Capability, SecretBytes};

use super::compose::Composer;
use super::equations::{Curves, Equations, encoded, factors};
use super::rows::{Rows, check_coefficients, public_inputs};
use super::{Check, Finding, chain, circuit_hash, members, powers};
use crate::groth16::Devices;
use crate::groth16::quotient::root;
use crate::groth16::suite::{ScalarOf, point};
use crate::plonk::transforms::Transforms;
use crate::snarkjs::{Contributions, PointSection, Powers, PowersOfTau, R1cs, Section, Zkey};
use crate::{Error, Result};

/// The files to verify, and the devices.
pub struct Files<'a> {
    pub key: &'a Zkey,
    pub circuit: &'a R1cs,
    pub powers: &'a PowersOfTau,
    pub devices: &'a Devices,
    pub max_log_iterations: u8,
}

impl Files<'_> {
    /// Compares the sizes. Returns an error if the powers of tau are too few.
    pub fn sizes(&self) -> Result<Finding> {
        let Self { key, circuit, powers, .. } = self;
        let differs = |what: &str, found: usize, expected: usize| {
            let problem = format!("{found} {what}, the circuit has {expected}");
            (found != expected).then_some(problem)
        };
        for (file, curve) in [("circuit", circuit.curve()), ("ptau", powers.curve())] {
            if curve != key.curve() {
                let [found, expected] = [key.curve(), curve].map(|curve| curve.name());
                return Ok(Some(format!("the key is on {found}, the {file} on {expected}")));
            }
        }
        let public = public_inputs(circuit);
        // snarkjs has no smaller domain.
        let domain = (circuit.count() + public + 1).next_power_of_two().max(2);
        let problem = differs("variables", key.variables(), circuit.variables())
            .or_else(|| differs("public inputs", key.public_inputs(), public))
            .or_else(|| differs("points of the domain", 1 << key.domain_log(), domain));
        if problem.is_none() && key.domain_log() > powers.power() {
            let (log, power) = (key.domain_log(), powers.power());
            let problem = format!("2^{power} powers of tau, the circuit needs 2^{log}");
            return Err(Error::argument("ptau", problem));
        }
        Ok(problem)
    }
}

/// The verification of a key whose sizes are the circuit's.
pub struct Verification<'a, E: Curves> {
    files: &'a Files<'a>,
    equations: Equations<'a>,
    contributions: Contributions,
    composer: Composer,
    /// Random factors of the variables.
    factors: Vec<ScalarOf<E>>,
    /// Coefficients of sum f_i A_i, sum f_i B_i and sum f_i C_i.
    polynomials: [Vec<u8>; 3],
}

impl<'a, E: Curves> Verification<'a, E> {
    pub fn new(files: &'a Files<'a>) -> Result<Self> {
        let Files { key, circuit, powers, devices, .. } = *files;
        let equations = Equations::new(devices);
        let isa = equations.isa();
        let log = key.domain_log();
        let lagrange = |of| {
            powers.lagrange(of, log).map_err(|_| {
                let problem = "not prepared for the second phase: `snarkjs powersoftau prepare phase2` does that";
                Error::argument("ptau", problem)
            })
        };
        let bases =
            [lagrange(Powers::BetaTauG1)?, lagrange(Powers::AlphaTauG1)?, lagrange(Powers::TauG1)?];
        let factors = factors(key.variables())?;
        let Rows { a, b, c } = Rows::new(circuit, 1 << log, &factors)?;
        let cancel = Cancel::new();
        let device = devices.offering(&Capability::Ntt(E::FIELD))?;
        let transforms = Transforms { device: &*device, cancel: &cancel };
        let coefficients = |values: Vec<u8>| -> Result<Vec<u8>> {
            Ok(transforms.coefficients::<E>(SecretBytes::from(values))?.to_vec())
        };
        Ok(Self {
            files,
            contributions: key.contributions()?,
            composer: Composer::new(isa, circuit, bases)?,
            factors,
            polynomials: [coefficients(a)?, coefficients(b)?, coefficients(c)?],
            equations,
        })
    }

    /// Executes a check.
    pub fn run(&self, check: Check) -> Result<Finding> {
        let Files { key, circuit, powers, max_log_iterations, .. } = *self.files;
        let domain = 1 << key.domain_log();
        let [a, b, _] = &self.polynomials;
        match check {
            Check::Sizes => self.files.sizes(),
            Check::Powers => powers::check::<E>(powers, domain, &self.equations),
            Check::Header => self.header(),
            Check::Contributions => {
                chain::check::<E>(&self.contributions, &self.equations, max_log_iterations)
            }
            Check::Delta => self.delta(),
            Check::Coefficients => check_coefficients::<ScalarOf<E>>(key, circuit),
            Check::Ic => self.ic(),
            Check::A => self.section::<E::G1>(Section::A, Powers::TauG1, a),
            Check::B1 => self.section::<E::G1>(Section::B1, Powers::TauG1, b),
            Check::B2 => self.section::<E::G2>(Section::B2, Powers::TauG2, b),
            Check::C => self.c(),
            Check::H => self.h(),
            Check::CircuitHash => {
                let hash = circuit_hash::compute::<E>(key, powers, &self.composer)?;
                let is_other = hash != self.contributions.circuit_hash;
                Ok(is_other.then(|| "not that of the circuit with these powers of tau".into()))
            }
        }
    }

    fn isa(&self) -> Isa {
        self.equations.isa()
    }

    /// Returns the first powers of a list, as many as the domain has points.
    fn powers(&self, powers: Powers) -> PointSection {
        self.files.powers.powers(powers).range(0, 1 << self.files.key.domain_log())
    }

    fn header(&self) -> Result<Finding> {
        let Files { key, powers, .. } = self.files;
        let gamma = pair::encode(&<E::G2 as Curve>::GENERATOR);
        let points = [
            ("alpha in G1", key.alpha_g1(), powers.powers(Powers::AlphaTauG1).point(0)?),
            ("beta in G1", key.beta_g1(), powers.powers(Powers::BetaTauG1).point(0)?),
            ("beta in G2", key.beta_g2(), powers.beta_g2()?),
        ];
        let wrong = points.iter().find(|(_, found, expected)| found != expected);
        let wrong = wrong.map(|(name, ..)| format!("{name} is not that of the powers of tau"));
        let is_gamma = key.gamma_g2() == gamma;
        Ok(wrong.or_else(|| (!is_gamma).then(|| "gamma is not the generator".into())))
    }

    fn delta(&self) -> Result<Finding> {
        let key = self.files.key;
        let Some(last) = self.contributions.list.last() else {
            let problem = "there are no contributions: delta is 1, and anyone can forge proofs";
            return Ok(Some(problem.into()));
        };
        let (one, one_2) = (<E::G1 as Curve>::GENERATOR, <E::G2 as Curve>::GENERATOR);
        if key.delta_g1() != last.delta_after {
            return Ok(Some("delta in G1 is not that of the last contribution".into()));
        }
        let (delta, delta_2) = self.deltas()?;
        if delta == one {
            return Ok(Some("delta is 1, and anyone can forge proofs".into()));
        }
        let is_same = self.equations.equal::<E>((delta, one_2), (one, delta_2))?;
        Ok((!is_same).then(|| "delta in G2 is not that in G1".into()))
    }

    /// Returns delta in both groups.
    #[allow(clippy::type_complexity)]
    fn deltas(&self) -> Result<(Affine<E::G1>, Affine<E::G2>)> {
        let key = self.files.key;
        let delta = point::<E::G1>("key", "delta in G1", key.delta_g1())?;
        Ok((delta, point::<E::G2>("key", "delta in G2", key.delta_g2())?))
    }

    fn ic(&self) -> Result<Finding> {
        let found = self.files.key.verifying_key()?.ic;
        let expected = self.composer.points::<E>(0..found.len())?;
        let wrong = found.iter().zip(&expected).position(|(f, e)| *f != pair::encode(e));
        Ok(wrong.map(|number| format!("point {number} is not that of the circuit")))
    }

    /// Names the first point of a section that is outside its subgroup.
    fn outside<C: Batched>(&self, section: Section) -> Result<Finding> {
        let points = self.files.key.points(section);
        let outside = members::first_outside::<C>(self.isa(), &points)?;
        Ok(outside.map(|number| format!("point {number} is on the curve but not in the subgroup")))
    }

    /// Checks sum f_i P_i = sum p_k tau^k over the points P_i of a section, with the coefficients p_k of sum f_i A_i or sum f_i B_i.
    fn section<C: Batched<Scalar = ScalarOf<E>, Base: Coordinate>>(
        &self,
        section: Section,
        powers: Powers,
        polynomial: &[u8],
    ) -> Result<Finding> {
        if let Some(problem) = self.outside::<C>(section)? {
            return Ok(Some(problem));
        }
        let points = self.files.key.points(section);
        let found = self.equations.msm::<C>(&points, encoded(&self.factors))?;
        let expected = self.equations.msm::<C>(&self.powers(powers), polynomial.to_vec())?;
        Ok((found != expected).then(other_points))
    }

    /// Checks the points of the private variables, given those of the public ones.
    fn c(&self) -> Result<Finding> {
        if let Some(problem) = self.outside::<E::G1>(Section::C)? {
            return Ok(Some(problem));
        }
        let key = self.files.key;
        let [a, b, c] = &self.polynomials;
        let msm = |powers, polynomial: &Vec<u8>| {
            self.equations.msm::<E::G1>(&self.powers(powers), polynomial.clone())
        };
        let (public, private) = self.factors.split_at(key.public_inputs() + 1);
        let found = self.equations.msm::<E::G1>(&key.points(Section::C), encoded(private))?;
        let public = self.equations.msm::<E::G1>(&key.ic_points(), encoded(public))?;
        let expected = Projective::from(msm(Powers::BetaTauG1, a)?)
            + msm(Powers::AlphaTauG1, b)?
            + msm(Powers::TauG1, c)?
            + -public;
        self.over_delta(found, expected)
    }

    /// Checks the points of the quotient: sum over odd powers x of the root of order 2n of -2 p(x) H_x = p(tau) (tau^n - 1) / delta,
    /// for a random p of degree n - 2.
    fn h(&self) -> Result<Finding> {
        if let Some(problem) = self.outside::<E::G1>(Section::H)? {
            return Ok(Some(problem));
        }
        let Files { key, powers, devices, .. } = *self.files;
        let log = key.domain_log();
        let n = 1 << log;
        let p: Vec<ScalarOf<E>> = factors(n - 1)?;
        let minus: Vec<_> = p.iter().map(|coefficient| -*coefficient).collect();
        let mut list = encoded(&minus);
        list.resize(n * SCALAR_BYTES, 0);
        list.extend(encoded(&p));
        let tau = powers.powers(Powers::TauG1).range(0, 2 * n - 1);
        let expected = self.equations.msm::<E::G1>(&tau, list)?;
        let mut coefficients = encoded(&p);
        coefficients.resize(n * SCALAR_BYTES, 0);
        let (cancel, device) = (Cancel::new(), devices.offering(&Capability::Ntt(E::FIELD))?);
        let transforms = Transforms { device: &*device, cancel: &cancel };
        let values =
            transforms.values_on_coset::<E>(SecretBytes::from(coefficients), root(log + 1))?;
        let found = self.equations.msm::<E::G1>(&key.points(Section::H), values.to_vec())?;
        let found = -Projective::from(found).double();
        self.over_delta(found.into(), expected.into())
    }

    /// Checks found = expected / delta.
    fn over_delta(&self, found: Affine<E::G1>, expected: Projective<E::G1>) -> Result<Finding> {
        let (_, delta) = self.deltas()?;
        let one = <E::G2 as Curve>::GENERATOR;
        let is_same = self.equations.equal::<E>((found, delta), (expected.into(), one))?;
        Ok((!is_same).then(other_points))
    }
}

fn other_points() -> String {
    "the points are not those of the circuit with these powers of tau".into()
}

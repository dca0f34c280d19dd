//! Proving keys: `.zkey` of snarkjs, version 1, for PLONK and FFLONK (the layouts are those of
//! [`snarkjs::plonk::Zkey`](crate::snarkjs::plonk::Zkey) and [`snarkjs::fflonk::Zkey`](crate::snarkjs::fflonk::Zkey)).
//!
//! A constraint A B = C of sums becomes gates q_m a b + q_l a + q_r b + q_o c + q_c = 0: sums of more than one variable become new
//! variables, two terms at a time, and a last gate has the product.

use std::io::{self, Write};

use proofmill_algebra::field::{Field, PrimeField};
use proofmill_algebra::ntt::{Transform, direct};
use proofmill_algebra::pairing::Bn254;
use proofmill_algebra::{Isa, bn254};

use super::container::{begin, integers, section, whole_section};
use super::groups::{Groups, bytes, modulus, point_bytes, radix};
use super::lagrange::{powers, root};
use super::points::{Multiples, multiple};
use super::r1cs::Builder;
use super::secrets::Secrets;
use crate::fflonk::Roots;
use crate::plonk::polynomial;

/// The numbers of the protocols.
const PLONK: u32 = 2;
const FFLONK: u32 = 10;

/// log2 of the smallest domain of snarkjs.
const MIN_DOMAIN_LOG: u32 = 3;

/// Powers of tau beyond the domain in a key for PLONK.
const EXTRA: usize = 6;

/// The last rows of the domain in a key for FFLONK, which have no gates: each of their places is its own next place.
const FREE_ROWS: usize = 2;

/// The shifts of the second and third coset in snarkjs.
const SHIFTS: [u64; 2] = [2, 3];

/// The polynomials of a circuit: q_m, q_l, q_r, q_o and q_c, and the permutations of a, b and c.
struct Polynomials {
    log: u32,
    selectors: [Polynomial; 5],
    sigmas: [Polynomial; 3],
}

impl Polynomials {
    /// Interpolates the polynomials on the smallest domain that has `free_rows` more rows than gates.
    fn new<F: PrimeField>(gates: &Gates<F>, free_rows: usize) -> Self {
        let rows = gates.rows.len() + free_rows;
        let log = rows.next_power_of_two().ilog2().max(MIN_DOMAIN_LOG);
        let selectors = std::array::from_fn(|i| {
            Polynomial::new(log, |row| gates.rows.get(row).map_or(F::ZERO, |gate| gate.q[i]))
        });
        let sigmas = gates.sigmas(log, free_rows);
        let sigmas = sigmas.map(|values| Polynomial::new(log, |row| values[row]));
        Self { log, selectors, sigmas }
    }

    /// Returns the bytes of a polynomial in the file.
    fn bytes(&self) -> u64 {
        self.sigmas[0].bytes()
    }

    /// Writes the Lagrange polynomials of the rows of the public inputs, of at least one row.
    fn write_lagrange<F: PrimeField>(
        &self,
        out: &mut dyn Write,
        number: u32,
        public_inputs: usize,
    ) -> io::Result<()> {
        let rows = public_inputs.max(1);
        section(out, number, rows as u64 * self.bytes())?;
        (0..rows).try_for_each(|one| {
            let value = |row| F::from(u64::from(row == one));
            Polynomial::new(self.log, value).write::<F>(out)
        })
    }
}

/// Writes the INSECURE key of a circuit for PLONK.
pub(super) fn write<E: Groups>(
    isa: Isa,
    out: &mut dyn Write,
    circuit: &Builder<E::Fr>,
    seed: &[u8],
) -> io::Result<()> {
    let tau = Secrets::new(seed).tau;
    let gates = Gates::new(circuit);
    let polynomials = Polynomials::new(&gates, 0);
    let Polynomials { log, selectors, sigmas } = &polynomials;

    begin(out, b"zkey", 1, 14)?;
    whole_section(out, 1, &PLONK.to_le_bytes())?;
    let mut header = header::<E>(circuit, &gates, *log);
    for polynomial in selectors.iter().chain(sigmas) {
        header.extend(multiple::<E::G1, E::Fp>(&polynomial.at(tau)));
    }
    header.extend(multiple::<E::G2, E::Fp>(&tau));
    whole_section(out, 2, &header)?;
    gates.write(out)?;
    for (number, selector) in (7..).zip(selectors) {
        section(out, number, selector.bytes())?;
        selector.write::<E::Fr>(out)?;
    }
    section(out, 12, 3 * polynomials.bytes())?;
    sigmas.iter().try_for_each(|sigma| sigma.write::<E::Fr>(out))?;
    polynomials.write_lagrange::<E::Fr>(out, 13, circuit.public_inputs())?;
    write_powers::<E>(isa, out, 14, tau, (1 << log) + EXTRA)
}

/// Writes the INSECURE key of a circuit for FFLONK.
pub(super) fn write_fflonk(
    isa: Isa,
    out: &mut dyn Write,
    circuit: &Builder<bn254::Fr>,
    seed: &[u8],
) -> io::Result<()> {
    type F = bn254::Fr;
    let tau = Secrets::<F>::new(seed).tau;
    let gates = Gates::new(circuit);
    let polynomials = Polynomials::new(&gates, FREE_ROWS);
    let log = polynomials.log;
    let [q_m, q_l, q_r, q_o, q_c] = &polynomials.selectors;
    let [s1, s2, s3] = &polynomials.sigmas;
    let combined = [q_l, q_r, q_o, q_m, q_c, s1, s2, s3];

    begin(out, b"zkey", 1, 17)?;
    whole_section(out, 1, &FFLONK.to_le_bytes())?;
    let mut header = header::<Bn254>(circuit, &gates, log);
    let Roots { w3, w4, w8, wr } = Roots::new(log);
    [w3, w4, w8, wr].into_iter().try_for_each(|root| element(&mut header, root))?;
    header.extend(multiple::<bn254::G2, bn254::Fp>(&tau));
    let eighth = tau.pow_vartime(&[8]);
    let values = combined.iter().rev().map(|polynomial| polynomial.at::<F>(eighth));
    let c0 = values.fold(F::ZERO, |sum, value| sum * tau + value);
    header.extend(multiple::<bn254::G1, bn254::Fp>(&c0));
    whole_section(out, 2, &header)?;
    gates.write(out)?;
    for (number, polynomial) in (7..).zip([q_l, q_r, q_m, q_o, q_c, s1, s2, s3]) {
        section(out, number, polynomial.bytes())?;
        polynomial.write::<F>(out)?;
    }
    polynomials.write_lagrange::<F>(out, 15, circuit.public_inputs())?;
    write_powers::<Bn254>(isa, out, 16, tau, (9 << log) + 18)?;
    section(out, 17, (bytes::<F>() << (log + 3)) as u64)?;
    (0..8 << log).try_for_each(|i| {
        let (coefficients, _) = combined[i % 8].coefficients.as_chunks();
        element(out, polynomial::element::<F>(&coefficients[i / 8]))
    })
}

/// Writes the powers of tau in G1.
fn write_powers<E: Groups>(
    isa: Isa,
    out: &mut dyn Write,
    number: u32,
    tau: E::Fr,
    count: usize,
) -> io::Result<()> {
    section(out, number, count as u64 * point_bytes::<E>()[0])?;
    Multiples::<E::G1, E::Fp>::new(isa, count).write(out, &powers(tau, count))
}

/// A gate: its variables a, b and c, and its factors q_m, q_l, q_r, q_o and q_c.
struct Gate<F> {
    wires: [u32; 3],
    q: [F; 5],
}

/// A variable that is the sum of two others, each times a factor.
struct Addition<F> {
    variables: [u32; 2],
    factors: [F; 2],
}

/// A constant and at most one variable, times a factor; variable 0 if there is none.
struct Short<F> {
    constant: F,
    variable: u32,
    factor: F,
}

/// The gates of a circuit. The first are those of the public variables.
struct Gates<F> {
    rows: Vec<Gate<F>>,
    additions: Vec<Addition<F>>,
    variables: u32,
}

impl<F: PrimeField> Gates<F> {
    fn new(circuit: &Builder<F>) -> Self {
        let variables = circuit.values().len() as u32;
        let mut gates = Self { rows: Vec::new(), additions: Vec::new(), variables };
        for variable in 1..=circuit.public_inputs() as u32 {
            let q = [F::ZERO, F::ONE, F::ZERO, F::ZERO, F::ZERO];
            gates.rows.push(Gate { wires: [variable, 0, 0], q });
        }
        let [a, b, c] = circuit.matrices();
        for ((a, b), c) in a.rows().zip(b.rows()).zip(c.rows()) {
            let (a, b, c) = (gates.shortened(a), gates.shortened(b), gates.shortened(c));
            let wires = [a.variable, b.variable, c.variable];
            let product = [a.factor * b.factor, a.factor * b.constant, a.constant * b.factor];
            let [q_m, q_l, q_r] = product;
            let q = [q_m, q_l, q_r, -c.factor, a.constant * b.constant - c.constant];
            gates.rows.push(Gate { wires, q });
        }
        gates
    }

    /// Replaces the variables of a sum by one.
    fn shortened(&mut self, terms: &[(u32, F)]) -> Short<F> {
        let (constants, variables): (Vec<_>, Vec<_>) =
            terms.iter().copied().partition(|(variable, _)| *variable == 0);
        let constant = constants.iter().fold(F::ZERO, |sum, (_, number)| sum + *number);
        let add = |left, right| self.sum(left, right);
        let (variable, factor) = variables.into_iter().reduce(add).unwrap_or((0, F::ZERO));
        Short { constant, variable, factor }
    }

    /// Adds a variable that is the sum of two terms, and its gate.
    fn sum(&mut self, (left, p): (u32, F), (right, q): (u32, F)) -> (u32, F) {
        let sum = self.variables;
        self.variables += 1;
        self.additions.push(Addition { variables: [left, right], factors: [p, q] });
        let q = [F::ZERO, -p, -q, F::ONE, F::ZERO];
        self.rows.push(Gate { wires: [left, right, sum], q });
        (sum, F::ONE)
    }

    /// Returns the permutation: each place of a variable has the number of its next place, in a cycle. The places of wire 0, 1 and 2 have the
    /// numbers omega^row, 2 omega^row and 3 omega^row. The places of the last `free_rows` rows are alone.
    fn sigmas(&self, log: u32, free_rows: usize) -> [Vec<F>; 3] {
        let domain = powers(root::<F>(log), 1 << log);
        let shifts = [F::ONE, F::from(SHIFTS[0]), F::from(SHIFTS[1])];
        let mut last: Vec<Option<F>> = vec![None; self.variables as usize];
        let mut first = vec![None; self.variables as usize];
        let mut sigmas = shifts.map(|_| vec![F::ZERO; domain.len()]);
        for (row, x) in domain.iter().enumerate() {
            for wire in 0..3 {
                if row + free_rows >= domain.len() {
                    sigmas[wire][row] = shifts[wire] * x;
                    continue;
                }
                let variable = self.rows.get(row).map_or(0, |gate| gate.wires[wire]) as usize;
                match last[variable].replace(shifts[wire] * x) {
                    Some(before) => sigmas[wire][row] = before,
                    None => first[variable] = Some((wire, row)),
                }
            }
        }
        for (last, first) in last.into_iter().zip(first) {
            if let (Some(last), Some((wire, row))) = (last, first) {
                sigmas[wire][row] = last;
            }
        }
        sigmas
    }

    /// Writes the additions and the wires.
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        section(out, 3, (self.additions.len() * (8 + 2 * bytes::<F>())) as u64)?;
        self.additions.iter().try_for_each(|addition| {
            integers(out, &addition.variables)?;
            addition.factors.iter().try_for_each(|factor| element(out, *factor))
        })?;
        (0..3).try_for_each(|wire| {
            section(out, 4 + wire as u32, self.rows.len() as u64 * 4)?;
            self.rows.iter().try_for_each(|gate| integers(out, &[gate.wires[wire]]))
        })
    }
}

/// A polynomial by its n coefficients, canonical.
struct Polynomial {
    log: u32,
    coefficients: Vec<u8>,
}

impl Polynomial {
    /// Returns the polynomial with these values on the domain of 2^log points.
    fn new<F: PrimeField>(log: u32, value: impl Fn(usize) -> F) -> Self {
        let values: Vec<u8> =
            (0..1 << log).flat_map(|row| value(row).to_le_bytes().as_ref().to_vec()).collect();
        let inverse = forward::<F>(log).inverse();
        let mut coefficients = vec![0; values.len()];
        direct(&inverse, &values, &mut coefficients).expect("canonical");
        Self { log, coefficients }
    }

    fn elements<F: PrimeField>(bytes: &[u8]) -> impl DoubleEndedIterator<Item = F> {
        bytes.chunks_exact(F::BYTES).map(|bytes| F::from_le_bytes(bytes).expect("canonical"))
    }

    /// Returns the value at x.
    fn at<F: PrimeField>(&self, x: F) -> F {
        Self::elements(&self.coefficients).rev().fold(F::ZERO, |sum, term: F| sum * x + term)
    }

    /// Returns the bytes in the file.
    fn bytes(&self) -> u64 {
        5 * self.coefficients.len() as u64
    }

    /// Writes the coefficients, and the values at the powers of the root of order 4n.
    fn write<F: PrimeField>(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut longer = self.coefficients.clone();
        longer.resize(4 * self.coefficients.len(), 0);
        let mut values = vec![0; longer.len()];
        direct(&forward::<F>(self.log + 2), &longer, &mut values).expect("canonical");
        let all = [&self.coefficients, &values];
        all.into_iter().try_for_each(|list| {
            Self::elements::<F>(list).try_for_each(|number| element(out, number))
        })
    }
}

/// Returns the transform to the values at the powers of snarkjs's root of unity of order 2^log.
fn forward<F: PrimeField>(log: u32) -> Transform<F> {
    let transform = Transform::forward_at(log, root(log)).expect("a size of the field");
    transform.expect("the root has the order")
}

/// Writes a scalar in Montgomery form.
fn element<F: PrimeField>(out: &mut dyn Write, number: F) -> io::Result<()> {
    out.write_all((number * radix::<F, F>()).to_le_bytes().as_ref())
}

/// Returns the beginning of the header: fields, sizes, shifts of cosets.
fn header<E: Groups>(circuit: &Builder<E::Fr>, gates: &Gates<E::Fr>, log: u32) -> Vec<u8> {
    let integer = |number: usize| (number as u32).to_le_bytes();
    let mut header = [
        &integer(bytes::<E::Fp>())[..],
        &modulus::<E::Fp>(),
        &integer(bytes::<E::Fr>()),
        &modulus::<E::Fr>(),
        &gates.variables.to_le_bytes(),
        &integer(circuit.public_inputs()),
        &integer(1 << log),
        &integer(gates.additions.len()),
        &integer(gates.rows.len()),
    ]
    .concat();
    for shift in SHIFTS {
        element(&mut header, E::Fr::from(shift)).expect("memory");
    }
    header
}

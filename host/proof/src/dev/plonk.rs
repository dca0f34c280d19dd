//! Proving keys: `.zkey` of snarkjs, version 1, for PLONK (the layout is that of [`snarkjs::plonk::Zkey`](crate::snarkjs::plonk::Zkey)).
//!
//! A constraint A B = C of sums becomes gates q_m a b + q_l a + q_r b + q_o c + q_c = 0: sums of more than one variable become new
//! variables, two terms at a time, and a last gate has the product.

use std::io::{self, Write};

use proofmill_algebra::Isa;
use proofmill_algebra::field::{Field, PrimeField};
use proofmill_algebra::ntt::{Transform, direct};

use super::container::{begin, integers, section, whole_section};
use super::groups::{Groups, bytes, modulus, point_bytes, radix};
use super::lagrange::{powers, root};
use super::points::{Multiples, multiple};
use super::r1cs::Builder;
use super::secrets::Secrets;

/// The protocol's number.
const PLONK: u32 = 2;

/// log2 of the smallest domain of snarkjs.
const MIN_DOMAIN_LOG: u32 = 3;

/// Powers of tau beyond the domain.
const EXTRA: usize = 6;

/// The shifts of the second and third coset in snarkjs.
const SHIFTS: [u64; 2] = [2, 3];

/// Writes the INSECURE key of a circuit.
pub(super) fn write<E: Groups>(
    isa: Isa,
    out: &mut dyn Write,
    circuit: &Builder<E::Fr>,
    seed: &[u8],
) -> io::Result<()> {
    let tau = Secrets::new(seed).tau;
    let gates = Gates::new(circuit);
    let log = gates.rows.len().next_power_of_two().ilog2().max(MIN_DOMAIN_LOG);
    let n = 1 << log;
    let selectors: [_; 5] = std::array::from_fn(|i| {
        Polynomial::new(log, |row| gates.rows.get(row).map_or(E::Fr::ZERO, |gate| gate.q[i]))
    });
    let sigmas = gates.sigmas(log).map(|values| Polynomial::new(log, |row| values[row]));

    begin(out, b"zkey", 1, 14)?;
    whole_section(out, 1, &PLONK.to_le_bytes())?;
    let commitments = selectors.iter().chain(&sigmas).map(|polynomial| polynomial.at(tau));
    whole_section(out, 2, &header::<E>(circuit, &gates, log, commitments, tau))?;
    gates.write_additions(out)?;
    for wire in 0..3 {
        section(out, 4 + wire as u32, gates.rows.len() as u64 * 4)?;
        gates.rows.iter().try_for_each(|gate| integers(out, &[gate.wires[wire]]))?;
    }
    for (number, selector) in (7..).zip(&selectors) {
        section(out, number, selector.bytes())?;
        selector.write::<E::Fr>(out)?;
    }
    section(out, 12, 3 * sigmas[0].bytes())?;
    sigmas.iter().try_for_each(|sigma| sigma.write::<E::Fr>(out))?;
    let rows = circuit.public_inputs().max(1);
    section(out, 13, rows as u64 * sigmas[0].bytes())?;
    for one in 0..rows {
        let value = |row| E::Fr::from(u64::from(row == one));
        Polynomial::new(log, value).write::<E::Fr>(out)?;
    }
    section(out, 14, (n + EXTRA) as u64 * point_bytes::<E>()[0])?;
    Multiples::<E::G1, E::Fp>::new(isa, n + EXTRA).write(out, &powers(tau, n + EXTRA))
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
    /// numbers omega^row, 2 omega^row and 3 omega^row.
    fn sigmas(&self, log: u32) -> [Vec<F>; 3] {
        let domain = powers(root::<F>(log), 1 << log);
        let shifts = [F::ONE, F::from(SHIFTS[0]), F::from(SHIFTS[1])];
        let mut last: Vec<Option<F>> = vec![None; self.variables as usize];
        let mut first = vec![None; self.variables as usize];
        let mut sigmas = shifts.map(|_| vec![F::ZERO; domain.len()]);
        for (row, x) in domain.iter().enumerate() {
            for wire in 0..3 {
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

    fn write_additions(&self, out: &mut dyn Write) -> io::Result<()> {
        section(out, 3, (self.additions.len() * (8 + 2 * bytes::<F>())) as u64)?;
        self.additions.iter().try_for_each(|addition| {
            integers(out, &addition.variables)?;
            addition.factors.iter().try_for_each(|factor| element(out, *factor))
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

/// Returns the header: fields, sizes, shifts of cosets, commitments, and tau in G2.
fn header<E: Groups>(
    circuit: &Builder<E::Fr>,
    gates: &Gates<E::Fr>,
    log: u32,
    commitments: impl Iterator<Item = E::Fr>,
    tau: E::Fr,
) -> Vec<u8> {
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
    commitments.for_each(|value| header.extend(multiple::<E::G1, E::Fp>(&value)));
    header.extend(multiple::<E::G2, E::Fp>(&tau));
    header
}

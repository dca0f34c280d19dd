//! A PLONKish constraint system: columns, queries, gates, and which columns the permutation and the lookups are of.
//!
//! The text form has a line for each item; a word names its kind.
//!
//! | line | content |
//! |---|---|
//! | `k` | the table has 2^k rows |
//! | `columns` | the numbers of fixed, advice and instance columns |
//! | `fixed_queries`, `advice_queries`, `instance_queries` | `column@rotation` of each query |
//! | `permutation` | the columns of the permutation argument: a letter for the kind, and a number |
//! | `gate` | an expression that is 0 in each row ([`Program::add`]) |
//! | `lookup` | the start of a lookup argument; its lines `input` and `table` follow, an expression each |

use super::expression::{Kind, Place, Program};
use super::openings::Openings;

/// A query: the evaluation of a column at ω^rotation x.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Query {
    /// The column's number among those of its kind.
    pub column: usize,
    /// The number of rows from the current one.
    pub rotation: i32,
}

/// A lookup argument: in each row, the tuple of inputs is in some row of the tuple of tables.
#[derive(Default)]
pub struct Lookup {
    pub inputs: Vec<Place>,
    pub tables: Vec<Place>,
}

/// The constraint system of a circuit.
#[derive(Default)]
pub struct ConstraintSystem {
    pub k: u32,
    pub fixed_columns: usize,
    pub advice_columns: usize,
    pub instance_columns: usize,
    pub fixed_queries: Vec<Query>,
    pub advice_queries: Vec<Query>,
    pub instance_queries: Vec<Query>,
    /// The queries of the current row of the columns in the permutation.
    pub permutation: Vec<(Kind, usize)>,
    pub program: Program,
    pub gates: Vec<Place>,
    pub lookups: Vec<Lookup>,
    /// The largest degree of a constraint.
    pub degree: usize,
    /// The rows at the end of the table that blind the columns.
    pub blinding_rows: usize,
    pub openings: Openings,
}

impl ConstraintSystem {
    /// Reads the text form, up to a line of another kind.
    ///
    /// # Panics
    ///
    /// If the text is malformed: it is part of the program.
    pub fn read(text: &str) -> Self {
        let mut system = Self::default();
        for (word, rest) in lines(text) {
            system.read_line(word, rest);
        }
        system.degree = system.highest_degree();
        system.blinding_rows = system.blinding_rows();
        system.openings = Openings::new(&system);
        system
    }

    fn read_line(&mut self, word: &str, rest: &str) {
        let number = |text: &str| text.parse().expect("a number");
        match word {
            "k" => self.k = rest.parse().expect("a number"),
            "columns" => {
                let counts: Vec<usize> = rest.split(' ').map(number).collect();
                let [fixed, advice, instance] = counts[..] else { panic!("three kinds") };
                (self.fixed_columns, self.advice_columns, self.instance_columns) =
                    (fixed, advice, instance);
            }
            "fixed_queries" => self.fixed_queries = queries(rest),
            "advice_queries" => self.advice_queries = queries(rest),
            "instance_queries" => self.instance_queries = queries(rest),
            "permutation" => {
                let column =
                    |text: &str| self.current(Kind::of_letter(&text[..1]), number(&text[1..]));
                self.permutation = rest.split(' ').map(column).collect();
            }
            "gate" => self.gates.push(self.program.add(rest)),
            "lookup" => self.lookups.push(Lookup::default()),
            "input" => {
                let input = self.program.add(rest);
                self.lookups.last_mut().expect("'lookup' is before").inputs.push(input);
            }
            "table" => {
                let table = self.program.add(rest);
                self.lookups.last_mut().expect("'lookup' is before").tables.push(table);
            }
            other => panic!("no line is called {other}"),
        }
    }

    /// Returns the query of a column at the current row.
    fn current(&self, kind: Kind, column: usize) -> (Kind, usize) {
        let queries = match kind {
            Kind::Fixed => &self.fixed_queries,
            Kind::Advice => &self.advice_queries,
            Kind::Instance => &self.instance_queries,
        };
        let wanted = Query { column, rotation: 0 };
        (kind, queries.iter().position(|query| *query == wanted).expect("it is queried"))
    }

    fn highest_degree(&self) -> usize {
        let highest = |places: &[Place]| {
            places.iter().map(|&place| self.program.degree(place)).max().unwrap_or(0)
        };
        // l_last (z^2 - z), and (1 - l_last - l_blind) z (input + β) (table + γ).
        let lookup =
            |lookup: &Lookup| 2 + highest(&lookup.inputs).max(1) + highest(&lookup.tables).max(1);
        self.lookups
            .iter()
            .map(lookup)
            .chain([3, highest(&self.gates)])
            .max()
            .expect("two at least")
    }

    /// A row more than a column is opened at points, and one more again. Products of the permutation are opened at three points.
    fn blinding_rows(&self) -> usize {
        let of = |column| self.advice_queries.iter().filter(|query| query.column == column).count();
        (0..self.advice_columns).map(of).chain([3]).max().expect("one at least") + 2
    }

    /// Returns the rotation of the last row that is not blinding.
    pub fn last_rotation(&self) -> i32 {
        -(self.blinding_rows as i32 + 1)
    }

    /// Returns the number of columns that share a product of the permutation.
    pub fn columns_per_product(&self) -> usize {
        self.degree - 2
    }

    /// Returns the number of products of the permutation.
    pub fn products(&self) -> usize {
        self.permutation.len().div_ceil(self.columns_per_product())
    }

    /// Returns the evaluations of the products of the permutation: at x, ω x and, but for the last product, ω^last x.
    pub fn product_evaluations(&self) -> usize {
        3 * self.products() - 1
    }

    /// Returns the number of commitments to parts of the quotient.
    pub fn quotient_parts(&self) -> usize {
        self.degree - 1
    }

    /// Returns the lengths of the runs of elements in a proof for this number of instances, alternately points and scalars.
    pub fn layout(&self, instances: usize) -> [usize; 6] {
        let lookups = self.lookups.len();
        let points = self.advice_columns + 3 * lookups + self.products();
        let queries = self.instance_queries.len() + self.advice_queries.len();
        let scalars = queries + self.product_evaluations() + LOOKUP_EVALUATIONS * lookups;
        [
            instances * points + 1 + self.quotient_parts(),
            instances * scalars + self.fixed_queries.len() + 1 + self.permutation.len(),
            1,
            self.openings.sets.len(),
            1 + 2 * self.k as usize,
            2,
        ]
    }
}

/// Evaluations of a lookup argument: the product at x and ω x, the permuted input at x and ω^-1 x, the permuted table at x.
pub const LOOKUP_EVALUATIONS: usize = 5;

/// Splits lines that are not comments into their first word and the rest.
pub fn lines(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| line.split_once(' ').unwrap_or((line, "")))
}

fn queries(text: &str) -> Vec<Query> {
    let query = |text: &str| {
        let (column, rotation) = text.split_once('@').expect("column@rotation");
        Query {
            column: column.parse().expect("a number"),
            rotation: rotation.parse().expect("a number"),
        }
    };
    text.split(' ').map(query).collect()
}

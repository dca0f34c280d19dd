//! Generates Rust from `spec/curves/*.toml`: one module for each curve with its fields, and one inside it for each of its tables. Numbers
//! become canonical limbs of 64 bits, lowest first, of the field that they belong to. All derived constants are
//! computed by this file (3b, 2d, the lattice basis that splits scalars) and not written down.

use std::fmt::Write as _;

use num_bigint::{BigInt, Sign};
use toml::{Table, Value};

/// From this number on, a multiplication by 3 b costs less than the doublings and additions for it.
const LARGE: i64 = 64;

/// Writes `curves.rs`.
pub fn generate() {
    let mut code = String::new();
    for (name, text) in proofmill_spec::CURVES {
        let module = Source::read(text).and_then(|source| source.module());
        code += &module.unwrap_or_else(|what| panic!("spec/curves/{name}.toml: {what}"));
    }
    super::write("curves.rs", &code);
}

/// A curve's table and the two primes that its numbers are modulo.
struct Source {
    curve: Table,
    base: Prime,
    scalar: Prime,
}

struct Prime {
    modulus: BigInt,
    limbs: usize,
}

impl Source {
    fn read(source: &str) -> Result<Self, String> {
        let curve = table(source)?;
        let prime = |key: &str| {
            let name = text(&curve, key)?;
            let field = proofmill_spec::text(proofmill_spec::FIELDS, name);
            let field = table(field.ok_or_else(|| format!("spec/fields has no {name}"))?)?;
            let modulus = number(field.get("modulus").ok_or("no modulus")?)?;
            let limbs = modulus.bits().div_ceil(64) as usize;
            Ok::<_, String>(Prime { modulus, limbs })
        };
        let (base, scalar) = (prime("base_field")?, prime("scalar_field")?);
        Ok(Self { curve, base, scalar })
    }

    fn module(&self) -> Result<String, String> {
        let name = text(&self.curve, "name")?;
        let mut code = format!("/// From `spec/curves/{name}.toml`.\npub mod {name} {{\n");
        for (alias, key, doc) in
            [("Fp", "base_field", "Coordinates."), ("Fr", "scalar_field", "Scalars.")]
        {
            let field = super::rust_name(text(&self.curve, key)?);
            let _ = writeln!(code, "/// {doc}\npub type {alias} = crate::field::{field};");
        }
        for (key, value) in &self.curve {
            let Value::Table(table) = value else { continue };
            let mut inner = match key.as_str() {
                "g1" | "g2" => self.group(&format!("{name}_{key}"), table)?,
                "tower" => self.tower(table)?,
                "endomorphism" => self.endomorphism(table)?,
                "edwards" => self.edwards(table)?,
                "twisted_edwards" => self.twisted_edwards(table)?,
                "parameter" => parameter(table)?,
                _ => continue,
            };
            inner = format!("/// Table `{key}`.\npub mod {key} {{\n{inner}}}\n");
            code += &inner;
        }
        Ok(code + "}\n")
    }

    /// A group over Fp, or over Fp2 where coordinates are lists.
    fn group(&self, name: &str, table: &Table) -> Result<String, String> {
        let (b, cofactor) = (get(table, "b")?, number(get(table, "cofactor")?)?);
        let mut code = format!("/// Curve and group.\npub const NAME: &str = {name:?};\n");
        code += &constant("3 b.", "B3", &self.base.times(b, 3)?);
        let small = b.as_integer().map_or(0, |b| 3 * b);
        let small = if (1..LARGE).contains(&small) { small } else { 0 };
        let _ = writeln!(
            code,
            "/// 3 b, or 0 if that is not small.\npub const SMALL_B3: u32 = {small};"
        );
        code += &match (b, self.curve.get("endomorphism")) {
            // A curve of circuits alone.
            (_, None) => String::new(),
            (Value::Array(_), Some(table)) => {
                constant("The other root, in Fp2.", "BETA", &self.other_root(table)?)
            }
            _ => "pub use super::endomorphism::BETA;\n".into(),
        };
        for (key, doc) in [("b", "b."), ("x", "The generator's x."), ("y", "The generator's y.")] {
            code += &constant(doc, &key.to_uppercase(), &self.base.times(get(table, key)?, 1)?);
        }
        let digits = limbs(&cofactor, cofactor.bits().div_ceil(64) as usize);
        let _ = writeln!(code, "/// The cofactor.\npub const COFACTOR: &[u64] = &{digits:#x?};");
        Ok(code)
    }

    /// beta^2 in Fp2.
    fn other_root(&self, endomorphism: &Value) -> Result<(String, String), String> {
        let endomorphism = endomorphism.as_table().ok_or("the endomorphism is not a table")?;
        let beta = number(get(endomorphism, "beta")?)?;
        let (kind, root) = self.base.element(&(&beta * &beta));
        Ok((format!("[{kind}; 2]"), format!("[{root}, [0; {}]]", self.base.limbs)))
    }

    fn tower(&self, table: &Table) -> Result<String, String> {
        let beta = constant("u^2.", "BETA", &self.base.times(get(table, "fp2")?, 1)?);
        Ok(beta + &constant("v^3.", "XI", &self.base.times(get(table, "fp6")?, 1)?))
    }

    fn edwards(&self, table: &Table) -> Result<String, String> {
        if number(get(table, "a")?)? != BigInt::from(-1) {
            return Err("the Edwards form is not of a = -1".into());
        }
        let mut code = constant("2 d.", "K", &self.base.times(get(table, "d")?, 2)?);
        for (key, name) in [("alpha", "ALPHA"), ("s", "S"), ("k", "SCALE")] {
            let doc = format!("The map's {key}.");
            code += &constant(&doc, name, &self.base.times(get(table, key)?, 1)?);
        }
        Ok(code)
    }

    /// A curve that has no other form.
    fn twisted_edwards(&self, table: &Table) -> Result<String, String> {
        if number(get(table, "a")?)? != BigInt::from(-1) {
            return Err("the curve is not one of a = -1".into());
        }
        let constants = [("d", "D", "d.", 1), ("d", "K", "2 d.", 2)];
        let generator = [("x", "X", "The generator's x.", 1), ("y", "Y", "The generator's y.", 1)];
        let mut code = String::new();
        for (key, name, doc, factor) in constants.into_iter().chain(generator) {
            code += &constant(doc, name, &self.base.times(get(table, key)?, factor)?);
        }
        let cofactor = number(get(table, "cofactor")?)?;
        let _ = writeln!(code, "/// The cofactor.\npub const COFACTOR: u64 = {cofactor};");
        Ok(code)
    }

    fn endomorphism(&self, table: &Table) -> Result<String, String> {
        let (beta, lambda) = (number(get(table, "beta")?)?, number(get(table, "lambda")?)?);
        let mut code = constant("beta.", "BETA", &self.base.element(&beta));
        code += &constant("lambda.", "LAMBDA", &self.scalar.element(&lambda));

        let r = &self.scalar.modulus;
        let [(a1, b1), (a2, b2)] = short_basis(r, &lambda);
        let wrapped = |number: &BigInt| {
            limbs(&((number + (BigInt::from(1) << 192)) % (BigInt::from(1) << 192)), 3)
        };
        let basis = [[&a1, &b1], [&a2, &b2]].map(|vector| vector.map(wrapped));
        let quotient = |b: &BigInt| limbs(&rounded(&(abs(b) << 320), r), 5);
        let quotients = [quotient(&b2), quotient(&b1)];
        let steps = [signed(&-&b1, &b2), signed(&b2, &b1)].map(|step| self.scalar.reduce(&step));
        let steps = steps.map(|step| limbs(&step, self.scalar.limbs));
        let width = self.scalar.limbs;
        let _ = write!(
            code,
            "/// round(2^320 |b2| / r), round(2^320 |b1| / r).\n\
             pub const QUOTIENTS: [[u64; 5]; 2] = {quotients:#x?};\n\
             /// -b1 with the sign of b2, b2 with the sign of b1.\n\
             pub const STEPS: [[u64; {width}]; 2] = {steps:#x?};\n\
             /// (a1, b1), (a2, b2), each modulo 2^192.\n\
             pub const BASIS: [[[u64; 3]; 2]; 2] = {basis:#x?};\n",
        );
        Ok(code)
    }
}

impl Prime {
    fn reduce(&self, number: &BigInt) -> BigInt {
        ((number % &self.modulus) + &self.modulus) % &self.modulus
    }

    /// A Rust value of limbs, with its type in front.
    fn element(&self, number: &BigInt) -> (String, String) {
        let value = limbs(&self.reduce(number), self.limbs);
        (format!("[u64; {}]", self.limbs), format!("{value:#x?}"))
    }

    /// `factor` times a number, or times a list of numbers: an element of an extension.
    fn times(&self, value: &Value, factor: u32) -> Result<(String, String), String> {
        let Value::Array(list) = value else {
            return Ok(self.element(&(number(value)? * factor)));
        };
        let parts: Result<Vec<_>, String> =
            list.iter().map(|value| self.times(value, factor)).collect();
        let parts = parts?;
        let kind = parts.first().ok_or("an empty list")?.0.clone();
        let values: Vec<_> = parts.into_iter().map(|(_, value)| value).collect();
        Ok((format!("[{kind}; {}]", values.len()), format!("[{}]", values.join(", "))))
    }
}

/// The family's parameter, `z` or `u`.
fn parameter(table: &Table) -> Result<String, String> {
    let (_, value) = table.iter().next().ok_or("no parameter")?;
    let parameter = number(value)?;
    let [magnitude] = limbs(&abs(&parameter), 1)[..] else { return Err("not 64 bits".into()) };
    Ok(format!(
        "/// Its absolute value.\npub const MAGNITUDE: u64 = {magnitude:#x};\n\
         /// Its sign.\npub const NEGATIVE: bool = {};\n",
        parameter.sign() == Sign::Minus
    ))
}

/// Two short vectors (a, b) with a + b lambda = 0 mod r and determinant r: Hankerson, Menezes, Vanstone, "Guide to
/// elliptic curve cryptography", algorithm 3.74, steps 1 to 4.
fn short_basis(r: &BigInt, lambda: &BigInt) -> [(BigInt, BigInt); 2] {
    let mut above = (r.clone(), BigInt::ZERO);
    let mut here = (lambda.clone(), BigInt::from(1));
    while &here.0 * &here.0 >= *r {
        let below = next(&above, &here);
        (above, here) = (here, below);
    }
    let below = next(&above, &here);
    let turned = |(remainder, t): (BigInt, BigInt)| (remainder, -t);
    let (above, here, below) = (turned(above), turned(here), turned(below));
    let length = |(a, b): &(BigInt, BigInt)| a * a + b * b;
    let second = if length(&above) <= length(&below) { above } else { below };
    let turn = &here.0 * &second.1 < &second.0 * &here.1;
    [here, if turn { (-second.0, -second.1) } else { second }]
}

/// The row after these two in Euclid's algorithm: remainder and factor of lambda.
fn next(above: &(BigInt, BigInt), here: &(BigInt, BigInt)) -> (BigInt, BigInt) {
    let quotient = &above.0 / &here.0;
    (&above.0 - &quotient * &here.0, &above.1 - &quotient * &here.1)
}

/// a / b to the nearest, both positive.
fn rounded(a: &BigInt, b: &BigInt) -> BigInt {
    (a * 2 + b) / (b * 2)
}

fn abs(a: &BigInt) -> BigInt {
    BigInt::from(a.magnitude().clone())
}

/// a with the sign changed if that of b is minus.
fn signed(a: &BigInt, b: &BigInt) -> BigInt {
    if b.sign() == Sign::Minus { -a } else { a.clone() }
}

/// A number that is not negative in this many limbs.
pub fn limbs(number: &BigInt, count: usize) -> Vec<u64> {
    let mut limbs = number.magnitude().to_u64_digits();
    assert!(limbs.len() <= count && number.sign() != Sign::Minus, "{number}: not {count} limbs");
    limbs.resize(count, 0);
    limbs
}

fn constant(doc: &str, name: &str, (kind, value): &(String, String)) -> String {
    format!("/// {doc}\npub const {name}: {kind} = {value};\n")
}

fn table(text: &str) -> Result<Table, String> {
    text.parse().map_err(|error| format!("{error}"))
}

fn get<'a>(table: &'a Table, key: &str) -> Result<&'a Value, String> {
    table.get(key).ok_or_else(|| format!("no {key}"))
}

fn text<'a>(table: &'a Table, key: &str) -> Result<&'a str, String> {
    get(table, key)?.as_str().ok_or_else(|| format!("{key} is no text"))
}

/// An integer, or a text `0x…`, perhaps with a minus in front.
pub fn number(value: &Value) -> Result<BigInt, String> {
    if let Some(small) = value.as_integer() {
        return Ok(small.into());
    }
    let text = value.as_str().ok_or_else(|| format!("{value}: no number"))?;
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
    let digits = digits.strip_prefix("0x").ok_or_else(|| format!("{text}: not 0x…"))?;
    let magnitude = BigInt::parse_bytes(digits.as_bytes(), 16);
    Ok(magnitude.ok_or_else(|| format!("{text}: not hex"))? * sign)
}

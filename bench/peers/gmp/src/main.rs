//! GMP, through the crate `rug`, which builds it with its assembly for this processor. The build needs m4.

use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use rug::Integer;
use works::{Work, vdf};

fn main() -> Result<()> {
    works::serve(|work| match &work {
        Work::Vdf(work) => seconds(work),
        _ => work.refused(),
    })
}

/// A power with the exponent 2^squarings: GMP's fastest way, which squares in Montgomery form.
fn seconds(work: &vdf::Work) -> Result<f64> {
    let number = |digits: &str| Integer::from_str_radix(digits, 16);
    let (modulus, input, wanted) =
        (number(&work.modulus)?, number(&work.input)?, number(&work.output)?);
    let exponent = Integer::from(1) << work.squarings;
    let start = Instant::now();
    let found = input.pow_mod(&exponent, &modulus).ok().context("a negative exponent")?;
    let seconds = start.elapsed().as_secs_f64();
    ensure!(found == wanted, "another result");
    Ok(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares() {
        let work = |output: &str| vdf::Work {
            modulus: "23".into(),
            input: "3".into(),
            squarings: 3,
            output: output.into(),
        };
        assert!(seconds(&work("10")).is_ok());
        assert!(seconds(&work("11")).is_err());
    }
}

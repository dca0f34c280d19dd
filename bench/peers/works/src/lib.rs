//! The interface between the bench and a peer's program: the program reads lines of work and writes their seconds.

use std::io::{BufRead, Write};

use anyhow::{Result, bail};
use rayon::{ThreadPool, ThreadPoolBuilder};
use serde::{Deserialize, Serialize};

pub mod algebra;
pub mod bls;
pub mod ecdsa;
pub mod equihash;
pub mod groth16;
pub mod msm;
pub mod ntt;
pub mod pairing;
pub mod poseidon;
pub mod prove;
pub mod sapling;
pub mod vdf;
pub mod zcash;

/// A line of work. Programs in other languages read the fields of their own operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
#[expect(missing_docs, reason = "a module each")]
pub enum Work {
    Algebra(algebra::Work),
    Bls(bls::Work),
    Ecdsa(ecdsa::Work),
    Equihash(equihash::Work),
    EquihashSolving(equihash::Solving),
    Groth16(groth16::Work),
    Msm(msm::Work),
    Ntt(ntt::Work),
    Pairing(pairing::Work),
    Poseidon(poseidon::Work),
    Prove(prove::Work),
    Sapling(sapling::Work),
    Vdf(vdf::Work),
    Zcash(zcash::Work),
}

impl Work {
    /// Returns the error of a library without this operation.
    pub fn refused<T>(&self) -> Result<T> {
        bail!("unsupported: {}", serde_json::to_string(self)?)
    }
}

/// Runs a peer's program: answers each line of standard input with the seconds of its work.
pub fn serve(mut seconds: impl FnMut(Work) -> Result<f64>) -> Result<()> {
    let mut output = std::io::stdout();
    for line in std::io::stdin().lock().lines() {
        writeln!(output, "{:e}", seconds(serde_json::from_str(&line?)?)?)?;
        output.flush()?;
    }
    Ok(())
}

/// Creates a pool of threads, bound to a processor each if there are enough, as ours are.
pub fn thread_pool(threads: usize) -> Result<ThreadPool> {
    let processors =
        core_affinity::get_core_ids().filter(|all| all.len() == threads).unwrap_or_default();
    let bind = move |number: usize| {
        // A thread that cannot be bound runs where the kernel schedules it.
        let _bound =
            processors.get(number).map(|&processor| core_affinity::set_for_current(processor));
    };
    Ok(ThreadPoolBuilder::new().num_threads(threads).start_handler(bind).build()?)
}

/// The last result of an expensive preparation, kept until another one is requested.
pub struct Kept<Wanted, Made>(Option<(Wanted, Made)>);

impl<Wanted, Made> Default for Kept<Wanted, Made> {
    fn default() -> Self {
        Self(None)
    }
}

impl<Wanted: PartialEq, Made> Kept<Wanted, Made> {
    /// Returns the last result if it is for the same request; otherwise prepares a new one.
    pub fn get(
        &mut self,
        wanted: Wanted,
        make: impl FnOnce(&Wanted) -> Result<Made>,
    ) -> Result<&mut Made> {
        self.0 = self.0.take().filter(|(before, _)| *before == wanted);
        let made = match self.0.take() {
            Some((_, made)) => made,
            None => make(&wanted)?,
        };
        Ok(&mut self.0.insert((wanted, made)).1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_flat_and_names_its_operation() {
        let work = Work::Msm(msm::Work { instance: "bn254_g1".into(), count: 8, threads: 1 });
        let line = serde_json::to_string(&work).unwrap();
        assert_eq!(line, r#"{"op":"msm","instance":"bn254_g1","count":8,"threads":1}"#);
        assert_eq!(serde_json::from_str::<Work>(&line).unwrap(), work);
        assert!(work.refused::<()>().is_err());
    }

    #[test]
    fn what_is_wanted_again_is_not_made_again() {
        let (mut kept, mut made) = (Kept::default(), 0);
        for wanted in [1, 1, 2, 1] {
            let make = |wanted: &i32| {
                made += 1;
                Ok(10 * wanted)
            };
            assert_eq!(*kept.get(wanted, make).unwrap(), 10 * wanted);
        }
        assert_eq!(made, 3);
        assert!(kept.get(3, |_| bail!("not to be made")).is_err());
    }
}

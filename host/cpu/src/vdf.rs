//! `vdf` on the processor: one thread, because every squaring needs the one before.

use proofmill_algebra::Isa;
use proofmill_algebra::modulus::Modulus;
use proofmill_op::vdf::{Request, Response, Vdf};
use proofmill_op::{Argument, Capability, Error, Result};

use crate::run::{Cancelled, Context, Job, Run};

/// Squarings between two checks for cancellation: at most 10 ms.
const CHUNK: u64 = 1 << 11;

impl Run for Vdf {
    fn capabilities() -> Vec<Capability> {
        vec![Capability::Vdf]
    }

    fn prepare(request: Request, context: Context) -> Result<Job<Response>> {
        request.state_count()?;
        let wrong = |error| Error::argument(Argument::Named("modulus"), format!("{error}"));
        let modulus = Modulus::new(&request.modulus).map_err(wrong)?;
        Ok(Job::on_pool(move |cancelled| square(context.isa, &modulus, &request, cancelled)))
    }
}

fn square(
    isa: Isa,
    modulus: &Modulus,
    request: &Request,
    cancelled: Cancelled<'_>,
) -> Result<Response> {
    let mut state = modulus
        .residue(&request.input)
        .ok_or_else(|| Error::argument(Argument::Named("input"), "is not below the modulus"))?;
    let mut states = Vec::new();
    let mut done = 0;
    while done < request.squarings {
        let until_state = (request.stride - done % request.stride).min(request.squarings - done);
        let times = until_state.min(CHUNK);
        modulus.square_many_times(isa, &mut state, times);
        done += times;
        if times == until_state {
            states.extend(modulus.to_bytes(&state));
        }
        if cancelled() {
            return Err(Error::Cancelled);
        }
        let fraction = done as f64 / request.squarings as f64;
        request.progress.iter().for_each(|progress| progress.report(fraction));
    }
    Ok(Response { state_bytes: modulus.byte_count(), states })
}

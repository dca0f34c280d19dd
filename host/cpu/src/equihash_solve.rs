//! `equihash_solve` on the processor: one header after the other, each on all threads.

use proofmill_algebra::Isa;
use proofmill_algebra::equihash::solver::{
    Control, Plan, Unplanned, Work, Workspace, encode, solve,
};
use proofmill_algebra::equihash::{Leaves, Shape};
use proofmill_op::equihash_solve::{EquihashSolve, HEADER_BYTES, Params, Request, Response};
use proofmill_op::equihash_verify::{self, Network};
use proofmill_op::{Capability, Error, Result};
use rayon::prelude::*;

use crate::equihash_verify::Rules;
use crate::pages;
use crate::run::{Cancelled, Context, Job, Run};

/// The parameter sets offered.
const SETS: [(u32, u32); 4] = [(200, 9), (144, 5), (96, 5), (48, 5)];
/// Parts of a solver's work for each thread: more balance the load, and take some more memory.
const PARTS_PER_THREAD: usize = 2;
/// The memory limit of a solver for which a request states none, in bytes.
const MAX_BYTES: u64 = 1_700_000_000;

impl Run for EquihashSolve {
    fn capabilities() -> Vec<Capability> {
        let params = SETS.into_iter().filter_map(|(n, k)| Params::new(n, k).ok());
        params.map(Capability::EquihashSolve).collect()
    }

    fn prepare(request: Request, context: Context) -> Result<Job<Response>> {
        request.count()?;
        let headers = request.headers.on(context.identity)?.clone();
        Ok(Job::on_pool(move |cancelled| {
            let solver = Solver::new(context, &request)?;
            let headers = headers.as_chunks().0;
            solver.solve_all(headers, &request, cancelled)
        }))
    }
}

/// A solver for the headers of a request.
struct Solver {
    isa: Isa,
    shape: Shape,
    workspace: Workspace,
    rules: Rules,
}

impl Solver {
    fn new(Context { isa, threads, .. }: Context, request: &Request) -> Result<Self> {
        let params = request.params;
        let shape = Shape::new(params.n(), params.k(), &request.personalisation.0);
        let max_bytes = request.max_bytes.unwrap_or(MAX_BYTES);
        let plan = plan(&shape, threads, max_bytes.try_into().unwrap_or(usize::MAX));
        let plan = plan.map_err(|reason| match reason {
            Unplanned::Parameters => {
                Error::argument("params", format!("({params}) cannot be solved"))
            }
            Unplanned::Memory(least) => {
                let mib = least.div_ceil(1 << 20);
                let problem =
                    format!("{max_bytes}; ({params}) takes at least {least} bytes ({mib} MiB)");
                Error::argument("max_bytes", problem)
            }
        })?;
        let mut workspace = Workspace::new(plan);
        pages::request_large_pages(workspace.memory_mut());
        let verification = equihash_verify::Request {
            personalisation: request.personalisation,
            ..equihash_verify::Request::new(params, Network::None, vec![])
        };
        Ok(Self { isa, shape, workspace, rules: Rules::new(isa, &verification) })
    }

    fn solve_all(
        mut self,
        headers: &[[u8; HEADER_BYTES]],
        request: &Request,
        cancelled: Cancelled<'_>,
    ) -> Result<Response> {
        let report = |done: f64| {
            let fraction = done / headers.len() as f64;
            request.progress.iter().for_each(|progress| progress.report(fraction));
        };
        let solutions = headers.iter().enumerate().map(|(number, header)| {
            let within = |step: usize, steps: usize| {
                report(number as f64 + step as f64 / steps as f64);
            };
            self.solve(header, request.params, cancelled, &within)
        });
        Ok(Response { solutions: solutions.collect::<Result<_>>()? })
    }

    /// Returns the solutions of one header, packed and verified.
    fn solve(
        &mut self,
        header: &[u8; HEADER_BYTES],
        params: Params,
        cancelled: Cancelled<'_>,
        progress: &dyn Fn(usize, usize),
    ) -> Result<Vec<Vec<u8>>> {
        let execute = |count: usize, work: &Work<'_>| (0..count).into_par_iter().for_each(work);
        let control = Control { execute: &execute, cancelled, progress };
        let leaves = Leaves::new(&self.shape, header);
        let found = solve(self.isa, &leaves, &mut self.workspace, &control);
        let found = found.map_err(|_| Error::Cancelled)?;
        let solutions = found.iter().map(|indices| {
            let solution = encode(indices, params.index_bits());
            let whole = params.whole_header(header, &solution);
            let verdict = self.rules.verify_one(&whole);
            if verdict.is_valid() {
                return Ok(solution);
            }
            let problem = format!("the solver found an invalid solution: {verdict:?}");
            Err(Error::Failed { device: "cpu:".into(), problem })
        });
        solutions.collect()
    }
}

/// Returns the plan within the memory that takes the least time.
fn plan(shape: &Shape, threads: usize, max_bytes: usize) -> std::result::Result<Plan, Unplanned> {
    let time = |plan: &Plan| {
        let turns = plan.parts().div_ceil(threads);
        (plan.steps() * turns) as f64 / plan.parts() as f64
    };
    let parts = (1..=threads * PARTS_PER_THREAD).rev();
    let plans = parts.filter_map(|parts| Plan::new(shape, parts, max_bytes).ok());
    // Of equal ones the first, with the most parts.
    let best = plans.min_by(|a, b| time(a).total_cmp(&time(b)));
    best.map_or_else(|| Plan::new(shape, 1, max_bytes), Ok)
}

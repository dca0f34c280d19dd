//! The chain of a quotient: an inverse transform and a forward one on the coset for each list, then a b - c.

use proofmill_algebra::Isa;
use proofmill_op::ntt::{ComputeQuotient, Quotient, QuotientResponse, Request};
use proofmill_op::{Argument, Bytes, Data, Error, Progress, Result, SecretBytes, in_field};

use super::{Execute, boxed};
use crate::run::{Cancelled, Context, Job, Run};

impl Run for ComputeQuotient {
    fn prepare(
        request: Quotient,
        Context { isa, identity, .. }: Context,
    ) -> Result<Job<QuotientResponse>> {
        let chain = Chain::new(request, identity)?;
        Ok(Job::on_pool(move |cancelled| {
            chain.compute(isa, cancelled).map(QuotientResponse::Elements)
        }))
    }
}

/// A chain of transforms and its lists.
struct Chain {
    inverse: Box<dyn Execute>,
    forward: Box<dyn Execute>,
    lists: [Bytes; 3],
    memory: SecretBytes,
    progress: Option<Progress>,
}

impl Chain {
    /// Checks sizes, root, coset and the device of the data.
    fn new(mut request: Quotient, identity: u64) -> Result<Self> {
        request.log_size()?;
        if request.resident_for.is_some() {
            let problem = "a processor has the result in host memory";
            return Err(Error::argument(Argument::ResidentFor, problem));
        }
        let [a, b, c] = request.lists.each_ref().map(|list| list.on(identity).cloned());
        let lists = [a?, b?, c?];
        let list = || Data::Host(lists[0].clone());
        let (mut back, mut forth) =
            (Request::inverse(request.field, list()), Request::forward(request.field, list()));
        (back.root, forth.root) = (request.root.clone(), request.root);
        forth.coset = Some(request.coset);
        Ok(Self {
            inverse: in_field!(request.field, boxed(&back))?,
            forward: in_field!(request.field, boxed(&forth))?,
            lists,
            memory: request.buffer.take(),
            progress: request.progress,
        })
    }

    /// Computes the chain on the threads of the current pool. Each list is dropped as soon as it was read, so that three lists and one more
    /// exist at a time; the lists in between are secret.
    fn compute(self, isa: Isa, cancelled: Cancelled<'_>) -> Result<SecretBytes> {
        let Self { inverse, forward, lists, memory, progress } = self;
        let report = |parts: usize| {
            progress.iter().for_each(|progress| progress.report(parts as f64 / PARTS as f64));
        };
        let bytes = lists[0].len();
        let mut between = SecretBytes::zeroed(bytes);
        let mut memory = Some(memory);
        let mut on_coset = |(number, list): (usize, Bytes)| -> Result<SecretBytes> {
            report(2 * number);
            let done = inverse.execute(isa, &list, &mut between, None, cancelled);
            done.map_err(|error| of_list(number, error))?;
            drop(list);
            report(2 * number + 1);
            let mut values = memory.take().unwrap_or_else(SecretBytes::empty).reused(bytes);
            forward.execute(isa, &between, &mut values, None, cancelled)?;
            Ok(values)
        };
        let [a, b, c] = lists;
        let [mut a, b, c] = [on_coset((0, a))?, on_coset((1, b))?, on_coset((2, c))?];
        report(PARTS - 1);
        forward.a_b_less_c(isa, &mut a, &b, &c)?;
        report(PARTS);
        Ok(a)
    }
}

/// Transforms, and the product and difference.
const PARTS: usize = 7;

/// Names the list of an error about an element.
fn of_list(number: usize, error: Error) -> Error {
    match error {
        Error::Argument { argument: Argument::Elements, problem } => {
            Error::argument(Argument::Lists, format!("list {number}: {problem}"))
        }
        other => other,
    }
}

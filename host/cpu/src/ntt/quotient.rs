//! The chain of a quotient: list after list an inverse transform and a forward one on the coset, then a b - c.

use std::sync::Arc;

use proofmill_algebra::Isa;
use proofmill_op::ntt::{Progress, Quotient, Request, Response};
use proofmill_op::{Data, Error, Result, in_field};
use rayon::prelude::*;
use zeroize::{Zeroize, Zeroizing};

use super::{Answer, CHUNK, boxed};
use crate::pages;

/// A chain, and the lists that go through it.
pub struct Chain {
    inverse: Box<dyn Answer>,
    forward: Box<dyn Answer>,
    lists: [Arc<[u8]>; 3],
    memory: Vec<u8>,
    progress: Option<Progress>,
}

impl Chain {
    /// What can be said of a request before it runs: sizes, root and coset, and whose data these are.
    pub fn new(request: Quotient, identity: u64) -> Result<Self> {
        request.log_size()?;
        if request.keep.is_some() {
            return Err(Error::argument(
                "keep",
                "a processor has the result where it is asked for",
            ));
        }
        let [a, b, c] = request.lists.each_ref().map(|list| list.on(identity).cloned());
        let lists = [a?, b?, c?];
        let list = || Data::Here(lists[0].clone());
        let (mut back, mut forth) =
            (Request::inverse(request.field, list()), Request::forward(request.field, list()));
        (back.root, forth.root) = (request.root.clone(), request.root);
        forth.coset = Some(request.coset);
        Ok(Self {
            inverse: in_field!(request.field, boxed(&back))?,
            forward: in_field!(request.field, boxed(&forth))?,
            lists,
            memory: request.memory.0,
            progress: request.progress,
        })
    }

    /// The answer, on the threads of the caller's pool. Lists between are wiped.
    pub fn answer(self, isa: Isa, cancelled: &(dyn Fn() -> bool + Sync)) -> Result<Response> {
        let Self { inverse, forward, lists, memory, progress } = self;
        let tell = |parts: usize| {
            progress.iter().for_each(|Progress(function)| function(parts as f64 / PARTS as f64));
        };
        let bytes = lists[0].len();
        let mut between = Zeroizing::new(pages::zeros(bytes));
        let mut memory = Some(memory);
        let mut moved = |(number, mut list): (usize, Arc<[u8]>)| -> Result<Zeroizing<Vec<u8>>> {
            tell(2 * number);
            let done = inverse.answer(isa, &list, &mut between, None, cancelled);
            done.map_err(|error| of_list(number, error))?;
            // Only three lists and this one are there at a time. It may be a secret.
            if let Some(bytes) = Arc::get_mut(&mut list) {
                bytes.par_chunks_mut(CHUNK).for_each(Zeroize::zeroize);
            }
            drop(list);
            tell(2 * number + 1);
            let mut values =
                Zeroizing::new(pages::reused(memory.take().unwrap_or_default(), bytes));
            forward.answer(isa, &between, &mut values, None, cancelled)?;
            Ok(values)
        };
        let [a, b, c] = lists;
        let [mut a, b, c] = [moved((0, a))?, moved((1, b))?, moved((2, c))?];
        tell(PARTS - 1);
        forward.a_b_less_c(isa, &mut a, &b, &c)?;
        tell(PARTS);
        Ok(Response { elements: std::mem::take(&mut *a) })
    }
}

/// Transforms, and what follows them.
const PARTS: usize = 7;

/// An element that is none is one of a list.
fn of_list(number: usize, error: Error) -> Error {
    match error {
        Error::Argument { argument: "elements", problem } => {
            Error::argument("lists", format!("list {number}: {problem}"))
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use proofmill_op::ntt::Field;
    use proofmill_op::{Device, Request};

    use super::*;
    use crate::CpuDevice;

    fn quotient(bytes: usize) -> Quotient {
        let lists = [1, 2, 3].map(|value| Data::from(vec![value; bytes]));
        Quotient::new(Field::Bn254Fr, lists, [7; 32])
    }

    fn problem(request: Quotient) -> String {
        let device = CpuDevice::new(Some(1)).unwrap();
        let ticket = device.submit(Request::Quotient(request.into()));
        ticket.and_then(|ticket| ticket.wait()).unwrap_err().to_string()
    }

    #[test]
    fn what_is_wrong_is_named() {
        let mut wrong = vec![1; 256];
        wrong[96..128].fill(0xff);
        let mut request = quotient(256);
        request.lists[2] = wrong.into();
        assert_eq!(problem(request), "lists: list 2: number 3 is not below the modulus");
        assert_eq!(problem(Quotient { coset: vec![0; 32], ..quotient(64) }), "coset: is 0");
        assert!(problem(quotient(64).with_root([3; 32])).starts_with("root: its order"));
        let kept = quotient(64).kept_for(proofmill_op::msm::Instance::ALL[0]);
        assert!(problem(kept).starts_with("keep: "));
    }

    #[test]
    fn progress_ends_at_one_and_a_cancelled_chain_ends() {
        let device = CpuDevice::new(Some(1)).unwrap();
        let told: Arc<Mutex<Vec<f64>>> = Arc::default();
        let list = told.clone();
        let mut request = quotient(1 << 14);
        request.progress = Some(Progress(Arc::new(move |part| list.lock().unwrap().push(part))));
        device.submit(Request::Quotient(request.into())).unwrap().wait().unwrap();
        let told = told.lock().unwrap();
        assert!(told.is_sorted() && told.last() == Some(&1.0), "{told:?}");
        let ticket = device.submit(Request::Quotient(quotient(1 << 22).into())).unwrap();
        ticket.cancel();
        assert!(matches!(ticket.wait(), Err(Error::Cancelled)));
    }
}

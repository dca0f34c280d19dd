//! A request that one card answers.

use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use proofmill_op::coprocessor::Receiver;
use proofmill_op::{Data, Request};

/// The request, and how many interrupts of its program were told.
pub struct Whole {
    request: Request,
    told: Arc<AtomicUsize>,
}

impl Whole {
    /// Nothing was sent yet.
    pub fn new(request: Request) -> Self {
        Self { request, told: Arc::default() }
    }

    /// Of one operation's requests, what each costs a card.
    pub fn weight(&self) -> usize {
        match &self.request {
            Request::Ntt(request) => request.elements.len().max(1),
            Request::Quotient(request) => request.lists.iter().map(Data::len).sum::<usize>().max(1),
            _ => 1,
        }
    }

    /// For a card. Memory for the answer goes to the first; an interrupt that a lost card has told is not told again.
    pub fn request(&mut self) -> Request {
        let mut request = self.request.clone();
        match (&mut self.request, &mut request) {
            (Request::Ntt(kept), Request::Ntt(sent)) => sent.memory = mem::take(&mut kept.memory),
            (Request::Quotient(kept), Request::Quotient(sent)) => {
                sent.memory = mem::take(&mut kept.memory);
            }
            (_, Request::Coprocessor(sent)) => {
                if let Some(receiver) = sent.receiver.take() {
                    sent.receiver = Some(self.once(receiver));
                }
            }
            _ => {}
        }
        request
    }

    fn once(&self, Receiver(receive): Receiver) -> Receiver {
        let (told, heard) = (self.told.clone(), AtomicUsize::new(0));
        Receiver(Arc::new(move |interrupt| {
            let number = heard.fetch_add(1, Ordering::SeqCst);
            if told.fetch_max(number + 1, Ordering::SeqCst) <= number {
                receive(interrupt);
            }
        }))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use proofmill_op::coprocessor::{self, Interrupt, Kind};
    use proofmill_op::ntt::{self, Field};

    use super::*;

    #[test]
    fn a_second_card_tells_only_what_the_first_has_not() {
        let told = Arc::new(Mutex::new(vec![]));
        let heard = told.clone();
        let receiver =
            Receiver(Arc::new(move |sent: &Interrupt| heard.lock().unwrap().push(sent.index)));
        let program = coprocessor::Request::new(vec![], vec![], 0);
        let program = coprocessor::Request { receiver: Some(receiver), ..program };
        let mut whole = Whole::new(Request::Coprocessor(program));
        for sends in [2, 3] {
            let Request::Coprocessor(request) = whole.request() else { panic!("another request") };
            let Receiver(tell) = request.receiver.unwrap();
            (0..sends).for_each(|index| tell(&Interrupt { index, kind: Kind::Fe, value: vec![] }));
        }
        assert_eq!(*told.lock().unwrap(), [0, 1, 2]);
    }

    #[test]
    fn memory_for_the_answer_is_given_once() {
        let asked = ntt::Request::forward(Field::Goldilocks, vec![0; 64]).answered_in(vec![0; 64]);
        let mut whole = Whole::new(Request::Ntt(asked));
        for bytes in [64, 0] {
            let Request::Ntt(request) = whole.request() else { panic!("another request") };
            assert_eq!((request.memory.0.len(), request.elements.len()), (bytes, 64));
        }
    }
}

//! A request for one card.

use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use proofmill_op::coprocessor::Receiver;
use proofmill_op::{AnyRequest, Data};

/// The request, and the number of interrupts of its program that were delivered.
pub struct Whole {
    request: AnyRequest,
    delivered: Arc<AtomicUsize>,
}

impl Whole {
    /// Returns a request of which no interrupt was delivered.
    pub fn new(request: AnyRequest) -> Self {
        Self { request, delivered: Arc::default() }
    }

    /// Returns the cost for a card, relative to other requests of the operation.
    pub fn weight(&self) -> usize {
        match &self.request {
            AnyRequest::Ntt(request) => request.elements.len().max(1),
            AnyRequest::Quotient(request) => {
                request.lists.iter().map(Data::len).sum::<usize>().max(1)
            }
            _ => 1,
        }
    }

    /// Returns the request for a card. The first card gets the memory for the response. An interrupt that a lost card delivered is not
    /// repeated.
    pub fn request(&mut self) -> AnyRequest {
        let rest = self.request.clone(); // without the memory
        let mut request = mem::replace(&mut self.request, rest);
        if let AnyRequest::Coprocessor(sent) = &mut request
            && let Some(receiver) = sent.receiver.take()
        {
            sent.receiver = Some(self.once(receiver));
        }
        request
    }

    fn once(&self, Receiver(receive): Receiver) -> Receiver {
        let (delivered, received) = (self.delivered.clone(), AtomicUsize::new(0));
        Receiver(Arc::new(move |interrupt| {
            let number = received.fetch_add(1, Ordering::SeqCst);
            if delivered.fetch_max(number + 1, Ordering::SeqCst) <= number {
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
    fn a_second_card_delivers_only_new_interrupts() {
        let delivered = Arc::new(Mutex::new(vec![]));
        let log = delivered.clone();
        let receiver =
            Receiver(Arc::new(move |sent: &Interrupt| log.lock().unwrap().push(sent.index)));
        let program = coprocessor::Request::new(vec![], vec![], 0);
        let program = coprocessor::Request { receiver: Some(receiver), ..program };
        let mut whole = Whole::new(program.into());
        for sends in [2, 3] {
            let AnyRequest::Coprocessor(request) = whole.request() else {
                panic!("another request")
            };
            let Receiver(deliver) = request.receiver.unwrap();
            (0..sends)
                .for_each(|index| deliver(&Interrupt { index, kind: Kind::Fe, value: vec![] }));
        }
        assert_eq!(*delivered.lock().unwrap(), [0, 1, 2]);
    }

    #[test]
    fn memory_for_the_response_is_lent_once() {
        let asked = ntt::Request::forward(Field::Goldilocks, vec![0; 64]).with_buffer(vec![0; 64]);
        let mut whole = Whole::new(asked.into());
        for bytes in [64, 0] {
            let AnyRequest::Ntt(request) = whole.request() else { panic!("another request") };
            assert_eq!((request.buffer.0.len(), request.elements.len()), (bytes, 64));
        }
    }
}

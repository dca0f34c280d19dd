//! A device whose requests are spans.

use std::time::Instant;

use proofmill_op::{
    Answer, Cancel, Caps, Data, Device, Metrics, Parked, Request, Result, Ticket, milliseconds,
};
use tracing::{Level, Span, debug, debug_span, enabled};

/// Any device. Where nobody listens, this costs a branch a request.
pub struct Traced(pub Box<dyn Device>);

impl Traced {
    fn span(&self, request: &Request) -> Span {
        let asked = request.capability();
        debug_span!("operation", %asked, device = self.0.caps().uri)
    }
}

impl Device for Traced {
    fn caps(&self) -> &Caps {
        self.0.caps()
    }

    fn park(&self, bytes: Data) -> Result<Parked> {
        self.0.park(bytes)
    }

    fn submit(&self, request: Request) -> Result<Ticket> {
        if !enabled!(Level::DEBUG) {
            return self.0.submit(request);
        }
        let (span, start) = (self.span(&request), Instant::now());
        let ticket = span.in_scope(|| {
            self.0.submit(request).inspect_err(|problem| debug!(%problem, "refused"))
        })?;
        Ok(ticket.told_in(span, start))
    }

    fn answer(&self, request: Request, cancel: &Cancel) -> Result<Answer> {
        if !enabled!(Level::DEBUG) {
            return self.0.answer(request, cancel);
        }
        let (span, start) = (self.span(&request), Instant::now());
        span.in_scope(|| {
            let answer = self.0.answer(request, cancel);
            let ms = milliseconds(start.elapsed().as_secs_f64());
            match &answer {
                Ok(_) => debug!(ms, "answered"),
                Err(problem) => debug!(ms, %problem, "failed"),
            }
            answer
        })
    }

    fn metrics(&self) -> Metrics {
        self.0.metrics()
    }
}

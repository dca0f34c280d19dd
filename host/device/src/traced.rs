//! A device that records a span for each request.

use std::time::Instant;

use proofmill_op::{
    AnyRequest, AnyResponse, AnyTicket, Cancel, Caps, Data, Device, Metrics, ResidentData, Result,
    milliseconds,
};
use tracing::{Level, Span, debug, debug_span, enabled};

/// Wraps any device. Without a subscriber, it costs a branch for each request.
pub struct Traced(pub Box<dyn Device>);

impl Traced {
    fn span(&self, request: &AnyRequest) -> Span {
        let capability = request.capability();
        debug_span!("operation", %capability, device = self.0.caps().uri)
    }
}

impl Device for Traced {
    fn caps(&self) -> &Caps {
        self.0.caps()
    }

    fn load(&self, bytes: Data) -> Result<ResidentData> {
        self.0.load(bytes)
    }

    fn submit_any(&self, request: AnyRequest) -> Result<AnyTicket> {
        if !enabled!(Level::DEBUG) {
            return self.0.submit_any(request);
        }
        let (span, start) = (self.span(&request), Instant::now());
        let ticket = span.in_scope(|| {
            self.0.submit_any(request).inspect_err(|problem| debug!(%problem, "refused"))
        })?;
        Ok(ticket.logged_in(span, start))
    }

    fn execute_any(&self, request: AnyRequest, cancel: &Cancel) -> Result<AnyResponse> {
        if !enabled!(Level::DEBUG) {
            return self.0.execute_any(request, cancel);
        }
        let (span, start) = (self.span(&request), Instant::now());
        span.in_scope(|| {
            let response = self.0.execute_any(request, cancel);
            let ms = milliseconds(start.elapsed().as_secs_f64());
            match &response {
                Ok(_) => debug!(ms, "done"),
                Err(problem) => debug!(ms, %problem, "failed"),
            }
            response
        })
    }

    fn metrics(&self) -> Metrics {
        self.0.metrics()
    }
}

//! proofmill as a service: Groth16 proofs over HTTP, with keys that stay resident.
//!
//! A request takes a place, its body is read and checked, and it is a job: from then on it is answered, or reported as cancelled, whatever
//! happens short of the end of the process. Jobs wait for their turn by priority, then by age. `docs/use/service.md` has the requests.
//!
//! | module | its business |
//! |---|---|
//! | [`settings`](Settings) | what is served, to whom, with which limits |
//! | `server` | connections, signals, the orderly end |
//! | `routes` | requests and answers |
//! | `service` | keys, and the life of a job |
//! | `turns` | who is next |
//! | `metrics`, `status` | figures for Prometheus, and for the page |
//!
//! What happens is told to `tracing`: a span for the request, one for the job. Neither witnesses nor tokens are in logs, metrics or messages.

mod job;
mod keys;
mod metrics;
mod query;
mod routes;
mod server;
mod service;
mod settings;
mod status;
mod turns;

pub use metrics::Summary;
pub use server::run;
pub use settings::{NamedKey, Settings, TOKEN_VARIABLE, Token};

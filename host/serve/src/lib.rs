//! An HTTP service that makes and verifies Groth16, PLONK and FFLONK proofs with resident keys, from witnesses or from the inputs of circuits.
//!
//! A request reserves an upload slot, its body is received and checked, and it becomes a
//! job. An accepted job is always answered or reported as cancelled, unless the process is killed. Jobs wait
//! by priority, then in the order of acceptance. `docs/use/service.md` lists the requests.
//!
//! | module | contents |
//! |---|---|
//! | [`settings`](Settings) | keys, limits and access |
//! | `server`, `connection`, `read_buffer` | listener, signals, shutdown; one connection; the wiping of its buffer |
//! | `routes`, `access` | paths and handlers; tokens and host names |
//! | `upload`, `body`, `options` | from a request to a job |
//! | `service`, `job`, `keys`, `queue` | from a job to its result |
//! | `metrics`, `status`, `response` | figures, the status page, response bodies |
//!
//! Events go to `tracing`: one span for the request and one for the job. Logs, metrics and messages contain neither witnesses
//! nor inputs nor tokens nor query strings.

mod access;
mod body;
mod connection;
mod job;
mod keys;
mod metrics;
mod options;
mod queue;
mod read_buffer;
mod response;
mod routes;
mod server;
mod service;
mod settings;
mod status;
#[cfg(test)]
mod tests;
mod upload;

pub use metrics::Summary;
pub use server::run;
pub use settings::{Limits, NamedKey, Settings};

//! Shutdown: drain, finish, cancel, close.

use super::{Options, Running};

#[test]
fn a_body_that_ends_after_the_signal_is_rejected() {
    const UPLOADS: usize = 4;
    let running = Running::start(Options::default());
    // A result that nobody has fetched delays the end.
    let later = running.connect().request("POST /v1/prove/chain?wait=false", &running.witness);
    assert_eq!(later.status, 202);
    running.wait_until(|service| service.unfetched() == 1 && service.free_slots() == 9);
    let mut uploads: Vec<_> = (0..UPLOADS).map(|_| running.connect()).collect();
    for client in &mut uploads {
        client.send_chunked_head("POST /v1/prove/chain");
        assert!(client.send_chunk(&running.witness));
    }
    running.wait_until(|service| service.free_slots() == 9 - UPLOADS);
    running.signals.send("first").unwrap();
    running.wait_until(|service| service.is_draining());
    let late = running.connect().request("POST /v1/prove/chain", &running.witness);
    late.expect_error(503, "the service is shutting down").expect_header("connection: close");
    for client in &mut uploads {
        assert!(client.send_chunk(b""));
        client.response().expect_error(503, "the service is shutting down");
    }
    assert_eq!(running.connect().request("GET /readyz", b"").status, 503);
    assert_eq!(running.connect().request("GET /v1/jobs/1", b"").status, 200);
    let summary = running.runtime.block_on(running.served).unwrap();
    assert_eq!((summary.accepted, summary.answered, summary.rejected), (1, 1, 5));
}

#[test]
fn jobs_end_with_a_result_or_a_reason() {
    const JOBS: u64 = 8;
    let running = Running::start(Options::default());
    let mut clients: Vec<_> = (0..JOBS).map(|_| running.connect()).collect();
    for client in &mut clients {
        let length = format!("Content-Length: {}", running.witness.len());
        client.send_head("POST /v1/prove/chain", &[&length]);
        assert!(client.send(&running.witness));
    }
    running.wait_until(|service| service.metrics.summary().accepted == JOBS);
    let mut kept = running.connect();
    let later = kept.request("POST /v1/prove/chain?wait=false", &running.witness);
    assert_eq!(later.status, 202, "{later:?}");
    running.signals.send("first").unwrap();
    running.signals.send("second").unwrap();
    let answered = clients.iter_mut().map(|client| {
        let response = client.response();
        if response.status != 200 {
            response.expect_error(503, "cancelled: the service is shutting down");
        }
        u64::from(response.status == 200)
    });
    let answered: u64 = answered.sum();
    drop((clients, kept));
    let summary = running.end();
    let cancelled = summary.cancelled;
    assert_eq!(summary.answered + cancelled, summary.accepted, "{summary}");
    assert!(summary.answered >= answered && summary.failed == 0, "{summary}");
}

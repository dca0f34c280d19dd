//! Uploads: chunked, too large, slow, abandoned.

use std::time::{Duration, Instant};

use super::{Limits, Options, PATIENCE, Running};

#[test]
fn a_chunked_witness_is_proved() {
    let running = Running::start(Options::default());
    let mut client = running.connect();
    client.send_chunked_head("POST /v1/prove/chain?priority=high");
    let (mut rest, mut size) = (&running.witness[..], 1);
    while !rest.is_empty() {
        let (chunk, more) = rest.split_at(size.min(rest.len()));
        assert!(client.send_chunk(chunk));
        (rest, size) = (more, size * 7 % 1000 + 1);
    }
    // An extension of a chunk, and a trailer.
    assert!(client.send(b"0;name=value\r\nTrailer: value\r\n\r\n"));
    let proved = client.response();
    assert_eq!(proved.status, 200, "{proved:?}");
    proved.expect_header("proofmill-job: 1");
    // The connection serves the next request; the proof goes in two chunks.
    client.send_chunked_head("POST /v1/verify/chain");
    let (start, end) = proved.body.as_bytes().split_at(99);
    assert!(client.send_chunk(start) && client.send_chunk(end) && client.send_chunk(b""));
    assert_eq!(client.response().json()["valid"], true);
    drop(client);
    let summary = running.end();
    assert_eq!((summary.accepted, summary.answered, summary.rejected), (2, 2, 0));
}

#[test]
fn a_body_may_be_as_large_as_the_key_needs_and_no_larger() {
    let limits = Limits { body_timeout: PATIENCE, drain_timeout: PATIENCE, ..Limits::default() };
    let running = Running::start(Options { limits, ..Options::default() });
    let max = running.service.keys["chain"].max_witness_bytes();
    let too_large = format!("body too large: at most {max} bytes for this key");
    // Of the largest size it is received, and found to be no witness.
    let body = vec![7; max + 1];
    for is_chunked in [false, true] {
        for size in [max, max + 1] {
            let mut client = running.connect();
            let response = if is_chunked {
                client.send_chunked_head("POST /v1/prove/chain");
                client.send_chunk(&body[..size]);
                client.send_chunk(b"");
                client.response()
            } else {
                client.request("POST /v1/prove/chain", &body[..size])
            };
            if size == max {
                assert_eq!(response.status, 400, "{response:?}");
                assert!(response.body.contains("witness"), "{response:?}");
            } else {
                response.expect_error(413, &too_large);
            }
        }
    }
    // A declared size is refused before the body is sent, and an undeclared one without its end.
    let mut client = running.connect();
    let lines = ["Content-Length: 99999999999999999999999", "Expect: 100-continue"];
    client.send_head("POST /v1/prove/chain", &lines);
    assert_eq!(client.response().status, 400);
    let mut client = running.connect();
    client.send_head("POST /v1/prove/chain", &["Content-Length: 9999999999", lines[1]]);
    client.response().expect_error(413, &too_large);
    running.wait_until(|service| service.free_slots() == 9);
    assert_eq!(running.service.metrics.summary().rejected, 5);
    let limits = Limits { drain_timeout: Duration::from_secs(1), ..Limits::default() };
    let running = Running::start(Options { limits, ..Options::default() });
    let mut client = running.connect();
    client.send_chunked_head("POST /v1/prove/chain");
    client.send_chunk(&body);
    client.response().expect_error(413, &too_large);
    running.wait_until(|service| service.free_slots() == 9);
    assert_eq!(running.service.metrics.summary().rejected, 1);
}

/// A client that sends 20 MiB before it listens receives the error.
#[test]
fn the_body_of_a_rejected_request_is_drained() {
    let token = "0123456789abcdef";
    let limits = Limits { drain_timeout: PATIENCE, ..Limits::default() };
    let running = Running::start(Options { token: Some(token), limits, ..Options::default() });
    let (large, bearer) = (vec![7; 20 << 20], format!("Authorization: Bearer {token}"));
    let send =
        |request: &str, lines: &[&str]| running.connect().request_with(request, lines, &large);
    send("POST /v1/prove/chain", &[]).expect_error(401, "missing or invalid bearer token");
    send("POST /v1/proof/chain", &[&bearer]).expect_error(404, "no such path");
    send("PUT /v1/prove/chain", &[&bearer]).expect_error(405, "method not allowed");
    assert_eq!(send("POST /v1/prove/chain", &[&bearer]).status, 413);
    let mut chunked = running.connect();
    chunked.send_head("POST /v1/prove/chain", &[&bearer, "Transfer-Encoding: chunked"]);
    assert!(large.chunks(1 << 20).all(|chunk| chunked.send_chunk(chunk)));
    chunked.send_chunk(b"");
    assert_eq!(chunked.response().status, 413);
}

#[test]
fn a_client_that_trickles_times_out() {
    let limits = Limits { body_timeout: Duration::from_millis(300), ..Limits::default() };
    let running = Running::start(Options { queue: 0, limits, ..Options::default() });
    for is_chunked in [true, false] {
        let mut client = running.connect();
        if is_chunked {
            client.send_chunked_head("POST /v1/prove/chain");
        } else {
            client.send_head("POST /v1/prove/chain", &["Content-Length: 4000"]);
        }
        // A byte at a time, so that no pause is as long as the timeout.
        let start = Instant::now();
        while !client.hears_within(Duration::from_millis(20)) {
            assert!(start.elapsed() < PATIENCE);
            if is_chunked {
                client.send_chunk(b"7");
            } else {
                client.send(b"7");
            }
        }
        client.response().expect_error(408, "body timed out: it must arrive within 0.3 s");
        assert_eq!(running.service.free_slots(), 1);
    }
}

#[test]
fn a_client_that_leaves_in_mid_upload_frees_its_slot() {
    let running = Running::start(Options { queue: 0, ..Options::default() });
    for ends_in_chunk in [true, false] {
        let mut client = running.connect();
        client.send_chunked_head("POST /v1/prove/chain");
        assert!(client.send_chunk(&running.witness[..100]));
        if ends_in_chunk {
            assert!(client.send(b"1000\r\nxyz"));
        }
        running.wait_until(|service| service.free_slots() == 0);
        let full = running.connect().request("POST /v1/prove/chain", &running.witness);
        full.expect_error(429, "the queue is full").expect_header("retry-after: 1");
        drop(client);
        running.wait_until(|service| service.free_slots() == 1);
    }
    let proved = running.connect().request("POST /v1/prove/chain", &running.witness);
    assert_eq!(proved.status, 200, "{proved:?}");
}

#[test]
fn malformed_chunks_and_other_encodings_are_refused() {
    let running = Running::start(Options::default());
    let mut client = running.connect();
    client.send_chunked_head("POST /v1/prove/chain");
    assert!(client.send(b"wxyz\r\n"));
    let message = "body incomplete: it ended early or its chunks are malformed";
    client.response().expect_error(400, message);
    let mut client = running.connect();
    client.send_chunked_head("POST /v1/prove/chain");
    assert!(client.send_chunk(b"1234"));
    client.end_sending();
    running.wait_until(|service| service.free_slots() == 9);
    for (line, message) in [
        (
            "Content-Type: multipart/form-data; boundary=x",
            "forms are not supported: send the file as the body",
        ),
        (
            "Content-Encoding: gzip",
            "content encodings are not supported: send the file uncompressed",
        ),
    ] {
        let request = "POST /v1/prove/chain";
        running.connect().request_with(request, &[line], b"x").expect_error(415, message);
    }
}

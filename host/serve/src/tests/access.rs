//! Paths, methods, names and limits of connections.

use std::time::{Duration, Instant};

use super::{Limits, Options, PATIENCE, Running};

#[test]
fn unknown_paths_methods_and_hosts_are_named() {
    let running = Running::start(Options::default());
    let request = |request: &str| running.connect().request(request, b"");
    for path in ["/v1", "/v1/proof/chain", "/v1/prove/chain/", "/v1/../etc/passwd", "//", "/%ff"] {
        request(&format!("GET {path}")).expect_error(404, "no such path");
    }
    for (wrong, allow) in [
        ("POST /healthz", "get,head"),
        ("GET /v1/prove/chain", "post"),
        ("PUT /v1/verify/chain", "post"),
        ("POST /v1/jobs/1", "get,head,delete"),
        ("SECRET /metrics", "get,head"),
    ] {
        let response = request(wrong);
        response.expect_error(405, "method not allowed");
        let line = response.head.lines().find_map(|line| line.strip_prefix("allow: ")).unwrap();
        let mut methods: Vec<_> = line.split(',').map(str::trim).collect();
        let mut expected: Vec<_> = allow.split(',').collect();
        methods.sort();
        expected.sort();
        assert_eq!(methods, expected, "{wrong}");
    }
    for key in ["other", "%ff", "chain%2f"] {
        request(&format!("POST /v1/prove/{key}")).expect_error(404, "no such key");
        request(&format!("GET /v1/keys/{key}")).expect_error(404, "no such key");
    }
    for id in ["0", "x", "-1", "99999999999999999999"] {
        let message = "no such job, or its result was already fetched";
        request(&format!("GET /v1/jobs/{id}")).expect_error(404, message);
        request(&format!("DELETE /v1/jobs/{id}")).expect_error(404, message);
    }
    for (lines, message) in [
        (&["Host: example.org"][..], "host not allowed without a token"),
        (&["Host: localhost.example.org:80"], "host not allowed without a token"),
        (&["Host: localhost", "Origin: http://example.org"], "origin not allowed without a token"),
    ] {
        for path in ["GET /", "GET /v1/status", "POST /v1/prove/chain", "GET /nothing"] {
            running.connect().request_with(path, lines, b"").expect_error(403, message);
        }
    }
    let response = request("GET /readyz");
    assert_eq!((response.status, &response.body[..]), (200, "ready\n"));
    response
        .expect_header("cache-control: no-store")
        .expect_header("x-content-type-options: nosniff");
}

#[test]
fn head_requests_keep_the_result_of_a_job() {
    let running = Running::start(Options::default());
    let mut client = running.connect();
    let accepted = client.request("POST /v1/prove/chain?wait=false", &running.witness);
    accepted.expect_header("location: /v1/jobs/1");
    running.wait_until(|service| service.unfetched() == 1);
    assert_eq!([client.head("/v1/jobs/1"), client.head("/v1/jobs/1")], [200, 200]);
    assert_eq!(client.request("GET /v1/jobs/1", b"").status, 200);
    assert_eq!(client.request("GET /v1/jobs/1", b"").status, 404);
}

#[test]
fn further_connections_wait_until_one_closes() {
    // The first connection may be idle for as long as the test takes.
    let limits = Limits { connections: 1, header_timeout: 2 * PATIENCE, ..Limits::default() };
    let running = Running::start(Options { limits, ..Options::default() });
    let mut first = running.connect();
    assert_eq!(first.request("GET /healthz", b"").status, 200);
    let mut next = running.connect();
    next.send_head("GET /healthz", &[]);
    assert!(!next.hears_within(Duration::from_millis(100)));
    drop(first);
    assert_eq!(next.response().status, 200);
}

#[test]
fn heads_are_limited_in_time_and_size() {
    let limits = Limits { header_timeout: Duration::from_millis(100), ..Limits::default() };
    let running = Running::start(Options { limits, ..Options::default() });
    let start = Instant::now();
    let mut slow = running.connect();
    assert!(slow.send(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"));
    assert!(slow.is_closed());
    // hyper's own limit is 30 s.
    assert!(start.elapsed() < Duration::from_secs(25));
    let running = Running::start(Options::default());
    let mut large = running.connect();
    large.send_head("GET /healthz", &[&format!("Large: {}", "x".repeat(10_000))]);
    assert_eq!(large.response().status, 431);
}

//! No part of a body is left in memory, however its request ends.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::watch;

use super::{Limits, Options, PATIENCE, Running};
use crate::{connection, routes};

/// What the bodies of this test consist of; no other test has it.
const MARK: [u8; 16] = *b"\xc3secret witness\x5a";
const MARKS: usize = 1 << 14;

/// Outside the heap, so that only the service's copies can be freed.
static BODY: [[u8; 16]; MARKS] = [MARK; MARKS];

/// Blocks that were freed with a mark in them, and the bytes of the last one.
static FREED: AtomicUsize = AtomicUsize::new(0);
static LAST_FREED: AtomicUsize = AtomicUsize::new(0);

/// The system's allocator, which looks for [`MARK`] in each block that is freed.
struct WatchedAllocator;

#[global_allocator]
static ALLOCATOR: WatchedAllocator = WatchedAllocator;

// SAFETY: passes every call on to the system's allocator, with the same layout.
unsafe impl GlobalAlloc for WatchedAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's contract is the same. Zeroed, so that a freed block may be read.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller owns the block, which has this size and was initialised by `alloc`.
        let bytes = unsafe { std::slice::from_raw_parts_mut(block, layout.size()) };
        if has_mark(bytes) {
            FREED.fetch_add(1, Ordering::Relaxed);
            LAST_FREED.store(bytes.len(), Ordering::Relaxed);
            bytes.fill(0); // for the next one who looks
        }
        // SAFETY: the caller's contract is the same.
        unsafe { System.dealloc(block, layout) }
    }
}

/// Returns whether a mark is in there, at any offset.
fn has_mark(mut bytes: &[u8]) -> bool {
    while let Some(at) = bytes.iter().position(|&byte| byte == MARK[0]) {
        bytes = &bytes[at..];
        if bytes.starts_with(&MARK) {
            return true;
        }
        bytes = &bytes[1..];
    }
    false
}

fn body(size: usize) -> &'static [u8] {
    &BODY.as_flattened()[..size]
}

#[track_caller]
fn assert_nothing_was_freed(after: &str) {
    let freed = FREED.swap(0, Ordering::Relaxed);
    let last = LAST_FREED.load(Ordering::Relaxed);
    assert_eq!(
        freed, 0,
        "blocks freed with a part of a body after {after}, the last of {last} bytes"
    );
}

/// Reads all memory of this process that can be written, and looks for a mark in it.
#[cfg(target_os = "linux")]
#[track_caller]
fn assert_no_mark_in_memory(after: &str) {
    use std::os::unix::fs::FileExt as _;

    const PART: usize = 1 << 16;
    let memory = std::fs::File::open("/proc/self/mem").unwrap();
    let mut part = vec![0; PART + MARK.len()];
    for map in std::fs::read_to_string("/proc/self/maps").unwrap().lines() {
        let Some((range, _)) = map.split_once(" rw") else { continue };
        let (start, end) = range.split_once('-').unwrap();
        let [mut at, end] = [start, end].map(|it| u64::from_str_radix(it, 16).unwrap());
        // A thread may end meanwhile, and its stack with it.
        while at < end
            && let Ok(count @ 1..) = memory.read_at(&mut part, at)
        {
            let count = count.min((end - at) as usize);
            assert!(!has_mark(&part[..count]), "after {after}: {at:x} in {map}");
            at += PART as u64;
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn assert_no_mark_in_memory(_: &str) {}

#[test]
fn no_body_is_left_in_freed_memory() {
    // The watch itself: a copy that is freed is noticed, wherever it is in its block.
    drop(std::hint::black_box([&[0; 5], body(48), &[0; 3]].concat()));
    assert_eq!(FREED.swap(0, Ordering::Relaxed), 1);

    let start = |body_timeout| {
        let limits = Limits {
            body_timeout,
            drain_timeout: PATIENCE,
            drain_bytes: 10_000,
            ..Limits::default()
        };
        Running::start(Options { limits, ..Options::default() })
    };
    let running = start(PATIENCE);
    let max = running.service.keys["chain"].max_witness_bytes();
    let ended_on = |running: &Running, after: &str| {
        running.wait_until(|service| {
            service.connections.load(Ordering::Relaxed) == 0 && service.free_slots() == 9
        });
        assert_nothing_was_freed(after);
    };
    let ended = |after: &str| ended_on(&running, after);
    let prove = "POST /v1/prove/chain";
    let length = format!("Content-Length: {max}");

    // Whole, in one piece with its head or in its own; it is no witness.
    for size in [100, max] {
        let mut client = running.connect();
        client.send_with_head(prove, size, body(size));
        assert_eq!(client.response().status, 400);
        assert_no_mark_in_memory("a whole body");
        // On the same connection, which stays open.
        assert_eq!(client.request(prove, body(size)).status, 400);
        assert_eq!(client.request("GET /healthz", b"").status, 200);
        drop(client);
        ended("a whole body");
    }

    let mut client = running.connect();
    client.send_chunked_head(prove);
    assert!(body(max).chunks(777).all(|chunk| client.send_chunk(chunk)) && client.send_chunk(b""));
    assert_eq!(client.response().status, 400);
    assert_no_mark_in_memory("a chunked body");
    drop(client);
    ended("a chunked body");

    // Refused before and in the middle of its body, drained to the end or not.
    for size in [max + 1, 100_000] {
        assert_eq!(running.connect().request(prove, body(size)).status, 413);
        ended("a large body");
        assert_eq!(running.connect().request("POST /nothing", body(size)).status, 404);
        ended("a body for no path");
        let mut client = running.connect();
        client.send_chunked_head(prove);
        client.send_chunk(body(size));
        client.send_chunk(b"");
        assert_eq!(client.response().status, 413);
        drop(client);
        ended("a large chunked body");
    }

    // Too slow.
    let impatient = start(Duration::from_secs(1));
    let mut client = impatient.connect();
    client.send_head(prove, &[&length]);
    assert!(client.send(body(max - 1)));
    assert_eq!(client.response().status, 408);
    drop(client);
    ended_on(&impatient, "a slow body");

    // Gone in mid-upload.
    for size in [1000, max - 1] {
        let mut client = running.connect();
        client.send_head(prove, &[&length]);
        assert!(client.send(body(size)));
        running.wait_until(|service| service.free_slots() == 8);
        drop(client);
        ended("an abandoned body");
        let mut client = running.connect();
        client.send_chunked_head(prove);
        assert!(client.send_chunk(body(size)) && client.send(b"wrong"));
        drop(client);
        ended("a malformed body");
    }

    // Gone before the service reads anything. hyper sees the end of the stream before the handler sees the last frame.
    for size in [100, max] {
        let peer = running.address;
        let (shutdown, router) = (watch::Sender::new(()), routes::router(running.service.clone()));
        let head = format!("{prove} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {size}\r\n\r\n");
        let stream = EndedStream([head.as_bytes(), body(size)]);
        let served =
            connection::serve(&running.service, router, stream, peer, shutdown.subscribe());
        assert!(running.runtime.block_on(served).unwrap_err().is_incomplete_message());
        ended("a body whose client had left");
    }
}

/// A stream whose client has sent these parts and left.
struct EndedStream<'a>([&'a [u8]; 2]);

impl AsyncRead for EndedStream<'_> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        for part in &mut self.0 {
            let (taken, rest) = part.split_at(part.len().min(buffer.remaining()));
            buffer.put_slice(taken);
            *part = rest;
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for EndedStream<'_> {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

//! `equihash_solve`: the solutions of the crate `equihash`, and their average number.

use proofmill_cpu::CpuDevice;
use proofmill_op::equihash_solve::{HEADER_BYTES, Params, Request};
use proofmill_op::{Cancel, Error, Progress, Submit};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

fn headers(count: u32) -> Vec<[u8; HEADER_BYTES]> {
    let header = |nonce: u32| {
        let mut header = [7; HEADER_BYTES];
        header[108..112].copy_from_slice(&nonce.to_le_bytes());
        header
    };
    (0..count).map(header).collect()
}

fn solutions(params: Params, headers: &[[u8; HEADER_BYTES]]) -> Vec<Vec<Vec<u8>>> {
    let device = CpuDevice::new(Some(2)).unwrap();
    let request = Request::new(params, headers.concat());
    device.submit(request).unwrap().wait().unwrap().solutions
}

fn is_valid(params: Params, header: &[u8; HEADER_BYTES], solution: &[u8]) -> bool {
    let (input, nonce) = header.split_at(108);
    equihash::is_valid_solution(params.n(), params.k(), input, nonce, solution).is_ok()
}

#[test]
fn solutions_are_valid_for_the_crate() {
    for (n, k, count) in [(48, 5, 40), (96, 5, 3), (200, 9, 1)] {
        let (params, headers) = (Params::new(n, k).unwrap(), headers(count));
        let found = solutions(params, &headers);
        for (header, solutions) in headers.iter().zip(&found) {
            assert!(solutions.is_sorted(), "{params}");
            for solution in solutions {
                assert!(is_valid(params, header, solution), "{params}");
            }
        }
        assert!(found.iter().flatten().next().is_some(), "{params}: no solution");
    }
}

#[test]
fn a_limit_of_the_memory_does_not_change_solutions() {
    let (params, headers) = (Params::new(96, 5).unwrap(), headers(4));
    let expected = solutions(params, &headers);
    let device = CpuDevice::new(Some(2)).unwrap();
    let limited = |max_bytes| {
        let request = Request::new(params, headers.concat());
        let request = Request { max_bytes: Some(max_bytes), ..request };
        device.submit(request)?.wait()
    };
    let problem = limited(1_000_000).unwrap_err().to_string();
    let least = problem.strip_prefix("max_bytes: 1000000; (96,5) takes at least ").expect(&problem);
    let least: u64 = least.split(' ').next().unwrap().parse().unwrap();
    for max_bytes in [least, 1 << 22, u64::MAX] {
        assert_eq!(limited(max_bytes).unwrap().solutions, expected, "{max_bytes}");
    }
    assert!(limited(least - 1).is_err());
}

/// 200 nonces have 376 solutions on average (1.88 each), with a standard deviation of about 19.
#[test]
#[ignore = "takes minutes; make test-long runs it"]
fn a_nonce_has_two_solutions_on_average() {
    let headers = headers(200);
    let found = solutions(Params::N200_K9, &headers);
    let count: usize = found.iter().map(Vec::len).sum();
    println!("{count} solutions of 200 nonces");
    assert!((376 - 5 * 19..=376 + 5 * 19).contains(&count), "{count}");
    for (header, solutions) in headers.iter().zip(&found) {
        assert!(solutions.iter().all(|solution| is_valid(Params::N200_K9, header, solution)));
    }
}

#[test]
fn a_request_reports_and_is_cancelled() {
    let device = CpuDevice::new(Some(2)).unwrap();
    let reports = Arc::new(Mutex::new(Vec::new()));
    let cancel = Cancel::new();
    let progress = {
        let (reports, cancel) = (Arc::clone(&reports), cancel.clone());
        Progress::new(move |done| {
            reports.lock().unwrap().push((done, Instant::now()));
            cancel.cancel();
        })
    };
    let headers = headers(1000);
    let mut request = Request::new(Params::N200_K9, headers.concat());
    request.progress = Some(progress);
    let ticket = device.submit(request).unwrap().linked_to(&cancel);
    assert!(matches!(ticket.wait(), Err(Error::Cancelled)));
    let reports = reports.lock().unwrap();
    let (done, first) = reports[0];
    assert!(done > 0.0 && done < 0.001, "{done}");
    println!("cancelled after {:?}", first.elapsed());
    // Without the cancellation it would take minutes.
    assert!(first.elapsed() < Duration::from_secs(60));
}

#[test]
fn other_parameters_are_refused() {
    let device = CpuDevice::new(Some(1)).unwrap();
    let request = Request::new(Params::new(192, 7).unwrap(), vec![0; HEADER_BYTES]);
    let error = device.submit(request).err().unwrap().to_string();
    assert!(error.contains("cannot do this: equihash_solve (192,7)"), "{error}");
}

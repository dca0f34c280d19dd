//! A sum takes no more memory than its plan says: the process's own peak, so this test is alone in its program.

#![cfg(target_os = "linux")]

use proofmill_algebra::bls12_381::G1;
use proofmill_algebra::encoding::pair;
use proofmill_algebra::msm::multiples;
use proofmill_cpu::CpuDevice;
use proofmill_op::msm::{Bases, Curve, Group, Instance, Request, Response, Sums};
use proofmill_op::{Answer, Device};

/// A line of `/proc/self/status`, in bytes.
fn status(name: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap();
    let kib = line.split_whitespace().nth(1).unwrap();
    1024 * kib.parse::<usize>().unwrap()
}

fn ask(device: &CpuDevice, request: Request) -> Response {
    let ticket = device.submit(request).unwrap();
    let response = ticket.wait().unwrap();
    response
}

#[test]
fn the_peak_is_below_the_plan() {
    let g1 = Instance::new(Curve::Bls12_381, Group::G1);
    let (threads, count) = (2, 1 << 16);
    let device = CpuDevice::new(Some(threads)).unwrap();
    let points: Vec<u8> = multiples::<G1>(1, count).iter().flat_map(pair::encode).collect();
    let scalars: Vec<u8> =
        (0..count * 32).map(|i| if i % 32 == 31 { 7 } else { (i / 7) as u8 }).collect();
    let sums = Request::new(Bases::new(g1, points), scalars);
    let Response::Plan(plan) =
        ask(&device, Request::Plan { instance: g1, points: count, parked: false, room: 0 })
    else {
        panic!("no plan")
    };
    let before = status("VmRSS");
    std::fs::write("/proc/self/clear_refs", "5").unwrap(); // the peak starts anew
    ask(&device, (sums));
    let peak = status("VmHWM") - before;
    println!("{peak} of {} bytes", plan.memory);
    assert!(peak <= plan.memory, "{peak} of {}", plan.memory);
    assert!(peak >= plan.memory / 4, "a plan that says much more than {peak} says nothing");
}

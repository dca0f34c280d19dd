//! An MSM takes no more memory than its plan. The test measures the peak of the process, so it is alone in its program.

#![cfg(target_os = "linux")]

use proofmill_algebra::bls12_381::G1;
use proofmill_algebra::encoding::pair;
use proofmill_algebra::msm::multiples;
use proofmill_cpu::CpuDevice;
use proofmill_op::Submit;
use proofmill_op::msm::{Bases, Curve, Group, Instance, PlanRequest, Request};

/// A line of `/proc/self/status`, in bytes.
fn status(name: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap();
    let kib = line.split_whitespace().nth(1).unwrap();
    1024 * kib.parse::<usize>().unwrap()
}

#[test]
fn the_peak_is_below_the_plan() {
    let g1 = Instance::new(Curve::Bls12_381, Group::G1);
    let (threads, count) = (2, 1 << 16);
    let device = CpuDevice::new(Some(threads)).unwrap();
    let points: Vec<u8> = multiples::<G1>(1, count).iter().flat_map(pair::encode).collect();
    let scalars: Vec<u8> =
        (0..count * 32).map(|i| if i % 32 == 31 { 7 } else { (i / 7) as u8 }).collect();
    let request = Request::new(Bases::new(g1, points), scalars);
    let plan = PlanRequest { instance: g1, points: count, resident: false, max_bytes: 0 };
    let plan = device.submit(plan).unwrap().wait().unwrap();
    let before = status("VmRSS");
    std::fs::write("/proc/self/clear_refs", "5").unwrap(); // the peak starts anew
    device.submit(request).unwrap().wait().unwrap();
    let peak = status("VmHWM") - before;
    println!("{peak} of {} bytes", plan.memory);
    assert!(peak <= plan.memory, "{peak} of {}", plan.memory);
    assert!(peak >= plan.memory / 4, "a plan of much more than {peak} is useless");
}

//! `keccak256` through the device.

use proofmill_algebra::keccak256::hash;
use proofmill_cpu::CpuDevice;
use proofmill_op::Submit;
use proofmill_op::keccak256::Request;

#[test]
fn batches_are_hashed_in_order() {
    let device = CpuDevice::new(Some(2)).unwrap();
    for (each, count) in [(1, 3), (136, 1000), (70_000, 3), (7, 0)] {
        let messages: Vec<u8> = (0..each * count).map(|i| (i % 251) as u8).collect();
        let request = Request::new(each, messages.clone());
        let digests = device.submit(request).unwrap().wait().unwrap().digests;
        let wanted: Vec<u8> = messages.chunks_exact(each).flat_map(hash).collect();
        assert_eq!(digests, wanted, "{count} messages of {each} bytes");
    }
}

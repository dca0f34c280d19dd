//! Calculations leave nothing in memory: an engine keeps the code of each module that it translates, so a calculation must translate none.
//! The soak of the service found 65 bytes for each calculation.

use std::alloc::System;

use proofmill_proof::groth16::Scalar;
use proofmill_testkit::generator;
use proofmill_witness::{Inputs, Limits, WitnessCalculator};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const CALCULATIONS: usize = 200;

#[test]
fn memory_does_not_grow_with_the_number_of_calculations() {
    let module = wat::parse_str(generator::WAT).unwrap();
    let limits = Limits { max_bytes: 1 << 20, ..Limits::default() };
    let calculator = WitnessCalculator::from_bytes("generator", &module, limits).unwrap();
    let value = |last: u8| {
        let mut value = Scalar::default();
        value[0] = last;
        value
    };
    let text = generator::inputs(&[value(1), value(5), value(6), value(7)]);
    let calculate = || {
        let inputs = Inputs::from_json("inputs", text.clone().into_bytes()).unwrap();
        assert_eq!(calculator.calculate(&inputs).unwrap().count(), 4);
    };
    // What is translated on first use, and the buffers that the interpreter keeps.
    (0..CALCULATIONS).for_each(|_| calculate());
    let region = Region::new(ALLOCATOR);
    (0..CALCULATIONS).for_each(|_| calculate());
    let change = region.change();
    // Both include what reallocations add and remove.
    let left = change.bytes_allocated as isize - change.bytes_deallocated as isize;
    assert!(left < CALCULATIONS as isize, "{left} bytes of {CALCULATIONS} calculations remain");
}

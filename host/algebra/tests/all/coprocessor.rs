//! The coprocessor with `spec/vectors/coprocessor`, and with random contents.

use std::process::Command;

use proofmill_algebra::Isa;
use proofmill_algebra::bls12_381::{Fp, Fp2, G2};
use proofmill_algebra::coprocessor::{
    Event, Instruction, LINES, LOG2_SLOTS, Machine, SLOT_BYTES, Slot, Stop, lines,
};
use proofmill_algebra::curve::{Affine, Curve};
use proofmill_algebra::field::{Field, PrimeField};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

use crate::json::{file, text};

fn bytes(value: &Value) -> Vec<u8> {
    let digits = value.as_str().expect("hex").as_bytes().chunks(2);
    digits
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).expect("ASCII"), 16).expect("hex"))
        .collect()
}

fn slot(value: &Value) -> Slot {
    Slot::from_bytes(bytes(value).try_into().expect("48 bytes"))
}

fn number(value: &Value) -> usize {
    value.as_u64().expect("a number") as usize
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().expect("a list").iter()
}

#[test]
fn vectors() {
    examine(&file("coprocessor/bls12_381"));
}

/// The table behind the memory of the vectors is that of one of its points.
#[test]
fn lines_are_those_of_the_model() {
    let memory: Vec<Slot> = list(&file("coprocessor/bls12_381")["memory"]).map(slot).collect();
    let elements: Vec<Fp> =
        memory.iter().map(|slot| Fp::from_le_bytes(slot.value()).unwrap_or(Fp::ZERO)).collect();
    let elements: Vec<Fp2> = elements.windows(2).map(|pair| Fp2::new(pair[0], pair[1])).collect();
    let table = &elements[memory.len() - LINES * 4..];
    let is_table = |q: &Affine<G2>| {
        lines(q).as_flattened().iter().zip(table.iter().step_by(2)).all(|(ours, line)| ours == line)
    };
    let points = elements.iter().zip(&elements[2..]);
    let points = points.filter_map(|(x, y)| Option::<Affine<G2>>::from(Affine::new(*x, *y)));
    assert_eq!(points.filter(|q| !bool::from(q.is_identity())).filter(is_table).count(), 1);
    assert!(lines(&Affine::<G2>::IDENTITY).as_flattened().iter().all(|b| *b == Fp2::ZERO));
    assert!(!is_table(&G2::GENERATOR));
}

/// As many programs as the model draws, slot by slot.
fn random_programs(count: usize) {
    let seed = match std::env::var("PROOFMILL_SEED") {
        Ok(seed) => seed,
        Err(_) => rand::random::<u32>().to_string(),
    };
    eprintln!("PROOFMILL_SEED={seed}");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../spec/model/random_programs.py");
    let python = Command::new("python3").args([script, &count.to_string(), &seed]).output();
    let drawn = python.expect("python3");
    assert!(drawn.status.success(), "{}", String::from_utf8_lossy(&drawn.stderr));
    let drawn: Value = serde_json::from_slice(&drawn.stdout).expect("JSON");
    assert_eq!(list(&drawn["cases"]).count(), count);
    examine(&drawn);
}

#[test]
fn random_programs_are_as_the_model_has_them() {
    random_programs(100);
}

#[test]
#[ignore = "takes minutes; make test-long runs it"]
fn ten_thousand_random_programs_are_as_the_model_has_them() {
    random_programs(10_000);
}

/// Runs each case of a file and compares the memories with those of the file.
fn examine(vectors: &Value) {
    let memory: Vec<Slot> = list(&vectors["memory"]).map(slot).collect();
    for case in list(&vectors["cases"]) {
        let id = text(case, "id");
        let log2_data = case.get("log2_data").map_or(LOG2_SLOTS as usize, number) as u32;
        let mut machine = Machine::new(Isa::best(), log2_data, LOG2_SLOTS);
        for (slot, value) in machine.data.iter_mut().zip(&memory) {
            *slot = *value;
        }
        for entry in list(&case["data"]) {
            machine.data[number(&entry[0])] = slot(&entry[1]);
        }
        let start = number(&case["start"]);
        for (at, instruction) in list(&case["program"]).enumerate() {
            machine.program[start + at] = instruction.as_str().expect("text").parse().expect(id);
        }
        let mut wanted = machine.data.clone();
        for entry in list(&case["changed"]) {
            wanted[number(&entry[0])] = slot(&entry[1]);
        }
        machine.set_pointer(start);
        let mut sent = vec![];
        let (limit, steps) = (number(&case["limit"]), number(&case["steps"]));
        let (stop, done) = machine.run(limit as u64, |interrupt| sent.push(interrupt.to_bytes()));
        let packets: Vec<_> =
            list(&case["sent"]).map(|packet| bytes(packet)[8..].to_vec()).collect();
        let differing =
            machine.data.iter().zip(&wanted).position(|(found, wanted)| found != wanted);
        assert_eq!(differing, None, "{id}: a slot");
        assert_eq!(machine.pointer(), number(&case["pointer"]), "{id}: pointer");
        let error = machine.error().map(|(fault, at)| serde_json::json!([fault.name(), at]));
        assert_eq!(error.unwrap_or(Value::Null), case["error"], "{id}: error");
        assert_eq!(sent, packets, "{id}: interrupts");
        assert_eq!(done, steps as u64, "{id}: steps");
        assert_eq!(stop == Stop::Waits, machine.waits(), "{id}: stop");
    }
}

/// Memories of noise: every step is one instruction or none, and one that is refused changes nothing.
#[test]
fn nothing_stops_it() {
    let mut rng = ChaCha8Rng::seed_from_u64(19);
    for _ in 0..200 {
        let mut machine = Machine::new(Isa::best(), 5, 5);
        for slot in &mut machine.data {
            let mut bytes: [u8; SLOT_BYTES] = rng.random();
            bytes[SLOT_BYTES - 1] &= 0xef; // below p more often than not
            *slot = Slot::from_bytes(bytes);
        }
        for instruction in &mut machine.program {
            let opcode =
                if rng.random_bool(0.9) { rng.random_range(1..0x14) } else { rng.random() };
            let operands = std::array::from_fn(|_| rng.random_range(0..36));
            *instruction = Instruction { opcode, operands };
        }
        for _ in 0..60 {
            let (before, pointer) = (machine.clone(), machine.pointer());
            match machine.step() {
                Event::Waits => assert!(before.waits() && machine.pointer() == pointer),
                Event::Refused(fault) => {
                    assert_eq!(machine.data, before.data);
                    assert_eq!(machine.pointer(), (pointer + 1) % 32);
                    assert_eq!(machine.error(), before.error().or(Some((fault, pointer))));
                }
                Event::Done | Event::Sent(_) => assert_eq!(machine.error(), before.error()),
            }
        }
    }
}

#[test]
fn bytes_are_slots_and_instructions() {
    let mut rng = ChaCha8Rng::seed_from_u64(20);
    for _ in 0..100 {
        let bytes: [u8; SLOT_BYTES] = rng.random();
        let slot = Slot::from_bytes(bytes);
        assert_eq!(slot.to_bytes(), bytes);
        assert_eq!(Slot::new(*slot.value(), slot.kind()), Some(slot));
        let mut bytes: [u8; 8] = rng.random();
        bytes[7] = 0;
        assert_eq!(Instruction::from_bytes(bytes).to_bytes(), bytes);
    }
    for text in ["mul 1 13 1", "noop_wait", "jump 65535", "0x3 1 2 3", "0x2 1 0 7", "0x0 1 0 0"] {
        assert_eq!(text.parse::<Instruction>().unwrap().to_string(), text);
    }
    for text in ["", "mull 1", "0x100", "mul 1 2 3 4", "jump 65536", "jump -1"] {
        assert!(text.parse::<Instruction>().is_err(), "{text}");
    }
    assert_eq!(Slot::new([0xff; SLOT_BYTES], Slot::default().kind()), None);
    let mut machine = Machine::new(Isa::best(), LOG2_SLOTS, LOG2_SLOTS);
    machine.set_pointer((1 << LOG2_SLOTS) + 3);
    assert_eq!(machine.pointer(), 3);
}

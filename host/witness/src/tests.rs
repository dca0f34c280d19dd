//! Tests with small generators in WebAssembly text. Generators that circom made are tested in `interop`.

use std::time::Duration;

use proofmill_op::Cancel;
use proofmill_op::msm::Curve;
use proofmill_proof::dev::{Circuit, Statement};
use proofmill_proof::snarkjs::{Witness, Zkey};

use crate::prime::{BLS12_381, BN254, Limbs};
use crate::{Inputs, Limits, WitnessCalculator};

/// Parts of a generator that cases replace. The circuit has the inputs `a` (2 values) and `b` (1 value); its witness is 1, a[0], a[1], b.
#[derive(Clone)]
struct Parts {
    version: u32,
    prime: Limbs,
    memory: &'static str,
    /// Functions and imports of the case's own.
    more: &'static str,
    imports: &'static str,
    /// What runs when all inputs are set; `$n` is the number of missing ones.
    run: &'static str,
    /// What `getWitness` begins with.
    get: &'static str,
    witness_size: &'static str,
}

impl Default for Parts {
    fn default() -> Self {
        let (memory, more, imports, run, get) = ("1", "", "", "", "");
        Self {
            version: 2,
            prime: BN254,
            memory,
            more,
            imports,
            run,
            get,
            witness_size: "i32.const 4",
        }
    }
}

impl Parts {
    /// Signals are at 256: 1, a[0], a[1], b. Their map: hash, position and size for each, at 64. The prime is at 128, the shared
    /// value at 192, the number of missing inputs at 8, the message at 512, the place in it at 12.
    fn wat(&self) -> String {
        let Self { version, memory, more, imports, run, get, witness_size, .. } = self;
        let prime: String = self
            .prime
            .iter()
            .flat_map(|limb| limb.to_le_bytes())
            .map(|byte| format!("\\{byte:02x}"))
            .collect();
        // FNV-1a of "a" and "b", from the algorithm's published vectors.
        let map = "\\8c\\ec\\01\\86\\4c\\dc\\63\\af\\01\\00\\00\\00\\02\\00\\00\\00\
                   \\a5\\f1\\01\\86\\4c\\df\\63\\af\\03\\00\\00\\00\\01\\00\\00\\00";
        format!(
            r#"(module
  (import "runtime" "exceptionHandler" (func $exception (param i32)))
  (import "runtime" "printErrorMessage" (func $print))
  (import "runtime" "writeBufferMessage" (func $write))
  (import "runtime" "showSharedRWMemory" (func $show))
  {imports}
  (memory (export "memory") {memory})
  (data (i32.const 64) "{map}")
  (data (i32.const 128) "{prime}")
  (data (i32.const 256) "\01")
  (data (i32.const 512) "Error in template T_0 line: 5\00")
  {more}
  (func $copy (param $from i32) (param $to i32)
    (i64.store (local.get $to) (i64.load (local.get $from)))
    (i64.store offset=8 (local.get $to) (i64.load offset=8 (local.get $from)))
    (i64.store offset=16 (local.get $to) (i64.load offset=16 (local.get $from)))
    (i64.store offset=24 (local.get $to) (i64.load offset=24 (local.get $from))))
  (func $find (param $high i32) (param $low i32) (result i32)
    (local $hash i64)
    (local.set $hash (i64.or (i64.shl (i64.extend_i32_u (local.get $high)) (i64.const 32)) (i64.extend_i32_u (local.get $low))))
    (if (i64.eq (local.get $hash) (i64.load (i32.const 64))) (then (return (i32.const 64))))
    (if (i64.eq (local.get $hash) (i64.load (i32.const 80))) (then (return (i32.const 80))))
    (i32.const 0))
  (func (export "getVersion") (result i32) (i32.const {version}))
  (func (export "getMinorVersion") (result i32) (i32.const 2))
  (func (export "getPatchVersion") (result i32) (i32.const 3))
  (func (export "getSharedRWMemoryStart") (result i32) (i32.const 192))
  (func (export "readSharedRWMemory") (param i32) (result i32)
    (i32.load offset=192 (i32.mul (local.get 0) (i32.const 4))))
  (func (export "writeSharedRWMemory") (param i32 i32)
    (i32.store offset=192 (i32.mul (local.get 0) (i32.const 4)) (local.get 1)))
  (func (export "init") (param i32) (i32.store (i32.const 8) (i32.const 3)))
  (func (export "setInputSignal") (param $high i32) (param $low i32) (param $number i32)
    (local $entry i32) (local $n i32)
    (local.set $entry (call $find (local.get $high) (local.get $low)))
    (if (i32.eqz (local.get $entry)) (then (call $exception (i32.const 1))))
    (if (i32.ge_u (local.get $number) (i32.load offset=12 (local.get $entry))) (then (call $exception (i32.const 6))))
    (call $copy (i32.const 192)
      (i32.add (i32.const 256) (i32.mul (i32.const 32) (i32.add (i32.load offset=8 (local.get $entry)) (local.get $number)))))
    (local.set $n (i32.sub (i32.load (i32.const 8)) (i32.const 1)))
    (i32.store (i32.const 8) (local.get $n))
    (if (i32.eqz (local.get $n)) (then {run})))
  (func (export "getInputSignalSize") (param i32 i32) (result i32)
    (local $entry i32)
    (local.set $entry (call $find (local.get 0) (local.get 1)))
    (if (result i32) (local.get $entry) (then (i32.load offset=12 (local.get $entry))) (else (i32.const -1))))
  (func (export "getRawPrime") (call $copy (i32.const 128) (i32.const 192)))
  (func (export "getFieldNumLen32") (result i32) (i32.const 8))
  (func (export "getInputSize") (result i32) (i32.const 3))
  (func (export "getWitnessSize") (result i32) ({witness_size}))
  (func (export "getWitness") (param i32)
    {get}
    (call $copy (i32.add (i32.const 256) (i32.mul (local.get 0) (i32.const 32))) (i32.const 192)))
  (func (export "getMessageChar") (result i32)
    (local $at i32)
    (local.set $at (i32.load (i32.const 12)))
    (i32.store (i32.const 12) (i32.add (local.get $at) (i32.const 1)))
    (i32.load8_u offset=512 (local.get $at))))"#
        )
    }

    fn bytes(&self) -> Vec<u8> {
        wat::parse_str(self.wat()).unwrap()
    }

    fn open(&self) -> WitnessCalculator {
        WitnessCalculator::from_bytes("c.wasm", &self.bytes(), limits()).unwrap()
    }

    /// Opens a generator that does not end.
    fn open_endless(&self) -> WitnessCalculator {
        WitnessCalculator::from_bytes("c.wasm", &self.bytes(), brief()).unwrap()
    }

    /// Returns the error of a module that is not accepted.
    fn refused(&self) -> String {
        WitnessCalculator::from_bytes("c.wasm", &self.bytes(), limits()).unwrap_err().to_string()
    }

    /// Returns the error of a calculation with valid inputs.
    fn fails(&self) -> String {
        self.open().calculate(&inputs(VALID)).unwrap_err().to_string()
    }

    /// Returns the error of a module that does not end when it is opened or used.
    fn never_ends(&self) -> String {
        let opened = WitnessCalculator::from_bytes("c.wasm", &self.bytes(), brief());
        opened.and_then(|it| it.calculate(&inputs(VALID))).map(drop).unwrap_err().to_string()
    }
}

const VALID: &str = r#"{"a": [2, "3"], "b": "0x4"}"#;

/// A small memory limit, so that a test of it is fast, and a time limit that a busy machine does not reach.
fn limits() -> Limits {
    Limits { max_bytes: 1 << 22, max_time: Duration::from_secs(120) }
}

/// Limits for modules that do not end.
fn brief() -> Limits {
    Limits { max_time: Duration::from_millis(300), ..limits() }
}

fn inputs(json: &str) -> Inputs {
    Inputs::from_json("input.json", json.as_bytes().to_vec()).unwrap()
}

/// Returns the values below 2^64 of a witness.
fn small(witness: &Witness) -> Vec<u64> {
    let values = witness.values().iter();
    values
        .map(|value| {
            assert!(value[8..].iter().all(|&byte| byte == 0));
            u64::from_le_bytes(value[..8].try_into().unwrap())
        })
        .collect()
}

#[test]
fn a_witness_is_calculated_again_and_again() {
    let calculator = Parts::default().open();
    assert_eq!(
        (calculator.curve(), calculator.values(), calculator.version()),
        (Curve::Bn254, 4, [2, 2, 3])
    );
    for (json, expected) in [
        (VALID, [1, 2, 3, 4]),
        (r#"{"b": [[[9]]], "a": [[true], [false]]}"#, [1, 1, 0, 9]),
        (r#"{"b": " -0 ", "a": ["+7\n", "0b10\u0031"]}"#, [1, 7, 5, 0]),
    ] {
        let witness = calculator.calculate(&inputs(json)).unwrap();
        assert_eq!(small(&witness), expected, "{json}");
        let again = Witness::from_bytes("file", witness.to_file()).unwrap();
        assert_eq!(again.values(), witness.values());
    }
}

#[test]
fn numbers_are_reduced_by_the_prime_of_the_module() {
    for (prime, curve) in [(BN254, Curve::Bn254), (BLS12_381, Curve::Bls12_381)] {
        let calculator = Parts { prime, ..Parts::default() }.open();
        assert_eq!(calculator.curve(), curve);
        let witness = calculator.calculate(&inputs(r#"{"a": [-1, 0], "b": 0}"#)).unwrap();
        let mut last: Vec<u8> = prime.iter().flat_map(|limb| limb.to_le_bytes()).collect();
        last[0] -= 1;
        assert_eq!(witness.values()[1].as_slice(), last);
        let r = format!(
            "0x{}",
            prime.iter().rev().map(|limb| format!("{limb:016x}")).collect::<String>()
        );
        let witness =
            calculator.calculate(&inputs(&format!(r#"{{"a": ["{r}", 0], "b": 0}}"#))).unwrap();
        assert_eq!(small(&witness), [1, 0, 0, 0]);
    }
}

#[test]
fn wrong_signals_are_named() {
    let calculator = Parts::default().open();
    let long = format!(r#"{{"{}": 1}}"#, "x".repeat(1000));
    for (json, problem) in [
        (r#"{"a": [1], "b": 1}"#, "signal `a` has 1 values; the circuit has 2"),
        (r#"{"a": [1, 2, 3], "b": 1}"#, "signal `a` has 3 values; the circuit has 2"),
        (r#"{"a": [1, 2], "b": 1, "c": 1}"#, "signal `c` is not an input of the circuit"),
        (r#"{"a": [1, 2], "b": 1, "b.x": 1}"#, "signal `b.x` is not an input of the circuit"),
        (r#"{"a": [1, 2]}"#, "1 of 3 input values are missing; given are `a` (2)"),
        (r#"{}"#, "3 of 3 input values are missing; given are none"),
        (&long, "…` is not an input of the circuit"),
    ] {
        let error = calculator.calculate(&inputs(json)).unwrap_err().to_string();
        assert!(
            error.starts_with("inputs: input.json: ") && error.ends_with(problem),
            "{json}: {error}"
        );
    }
}

/// Generators before circom 2.0.6 do not export the sizes of signals.
#[test]
fn wrong_signals_of_old_generators_are_named() {
    let wat = Parts::default().wat().replace("(export \"getInputSignalSize\")", "");
    let calculator =
        WitnessCalculator::from_bytes("c.wasm", &wat::parse_str(wat).unwrap(), limits()).unwrap();
    assert_eq!(small(&calculator.calculate(&inputs(VALID)).unwrap()), [1, 2, 3, 4]);
    for (json, problem) in [
        (r#"{"b": 1, "a": [1, 2, 3]}"#, "signal `a` has 3 values; the circuit has 2"),
        (r#"{"c": [1, 2, 3]}"#, "signal `c` is not an input of the circuit"),
        (r#"{"b": 1, "a": [1]}"#, "1 of 3 input values are missing; given are `b` (1), `a` (1)"),
    ] {
        let error = calculator.calculate(&inputs(json)).unwrap_err().to_string();
        assert_eq!(error, format!("inputs: input.json: {problem}"));
    }
}

#[test]
fn malformed_inputs_are_refused_with_their_place() {
    let deep = format!(r#"{{"a": {}1{}}}"#, "[".repeat(40), "]".repeat(40));
    let deep_bus = format!("{}1{}", r#"{"a":"#.repeat(40), "}".repeat(40));
    for (json, expected) in [
        ("", "JSON, byte 0: the text ends where a value is expected"),
        ("[1]", "inputs, byte 0: not an object of signals"),
        (r#"{"a": [1, 2"#, "JSON, byte 10: the text ends inside an array"),
        (r#"{"a": [1, 2]} x"#, "JSON, byte 14: more text after the value"),
        (r#"{"a": [1, 2.5]}"#, "a, value 1, byte 10: not an integer"),
        (r#"{"a": [1, 1e3]}"#, "a, value 1, byte 10: not an integer"),
        (r#"{"a": "abc"}"#, "a, byte 6: not an integer"),
        (r#"{"a": ""}"#, "a, byte 6: not an integer"),
        (r#"{"a": "-0x1"}"#, "a, byte 6: not an integer"),
        (r#"{"a": null}"#, "a, byte 6: null"),
        (r#"{"a": [1, {"x": 2}]}"#, "a, value 1, byte 10: an object among numbers"),
        (r#"{"a": 1, "a": 2}"#, "a, byte 14: a second value of the same signal"),
        (r#"{"p": {"x": [1, "y"]}}"#, "p.x, value 1, byte 16: not an integer"),
        (r#"{"p": [{"x": 1}, {"x": "y"}]}"#, "p[1].x, byte 23: not an integer"),
        (&deep, "nested more than 32 levels deep"),
        (&deep_bus, "nested more than 32 levels deep"),
    ] {
        let error = inputs(json).signals(&BN254).err().unwrap().to_string();
        assert!(error.starts_with("input.json: ") && error.contains(expected), "{json}: {error}");
    }
}

#[test]
fn buses_have_qualified_names() {
    let json = r#"{"p": {"x": [1, 2], "q": {"y": 3}}, "r": [[{"z": 4}, {"z": 5}], [{"z": [6]}, {"z": 7}]], "e": []}"#;
    let signals = inputs(json).signals(&BN254).unwrap();
    let found: Vec<_> = signals
        .iter()
        .map(|signal| {
            (&*signal.name, signal.values.iter().map(|value| value[0]).collect::<Vec<_>>())
        })
        .collect();
    let expected = [
        ("p.x", vec![1, 2]),
        ("p.q.y", vec![3]),
        ("r[0][0].z", vec![4]),
        ("r[0][1].z", vec![5]),
        ("r[1][0].z", vec![6]),
        ("r[1][1].z", vec![7]),
        ("e", vec![]),
    ];
    assert_eq!(found, expected);
}

#[test]
fn inputs_are_not_shown() {
    assert_eq!(format!("{:?}", inputs(VALID)), "Inputs(input.json: 27 bytes)");
    let error = inputs(r#"{"a": "31415926.5"}"#).signals(&BN254).err().unwrap().to_string();
    assert!(!error.contains("31415926"), "{error}");
}

#[test]
fn a_failed_assertion_names_template_and_line() {
    let run = "(call $print) (call $exception (i32.const 4))";
    let error = Parts { run, ..Parts::default() }.fails();
    assert_eq!(error, "witness generator: c.wasm: assert failed: Error in template T_0 line: 5");
    // Generators before circom 2.0.7 have the message ready when they call the exception handler.
    let error = Parts { run: "(call $exception (i32.const 4))", ..Parts::default() }.fails();
    assert_eq!(error, "witness generator: c.wasm: assert failed: Error in template T_0 line: 5");
}

#[test]
fn log_lines_are_passed_on() {
    let more = r#"(data (i32.const 600) "value\00\0a\00")"#;
    let message = |at: i32| format!("(i32.store (i32.const 12) (i32.const {at})) (call $write)");
    let run = format!("{} (call $show) {}", message(600 - 512), message(606 - 512)).leak();
    let calculator = Parts { more, run, ..Parts::default() }.open();
    let mut lines = Vec::new();
    let result = calculator
        .calculate_with(&inputs(VALID), &Cancel::new(), &mut |line| lines.push(line.to_owned()));
    assert!(result.is_ok());
    assert_eq!(lines, ["value 4"]); // b is set last
    let run = "(loop (call $show) (br 0))";
    let calculator = Parts { run, ..Parts::default() }.open_endless();
    let mut bytes = 0;
    let result =
        calculator.calculate_with(&inputs(VALID), &Cancel::new(), &mut |line| bytes += line.len());
    assert!(result.unwrap_err().to_string().contains("exceeds the time limit"));
    assert!((1000..2 << 20).contains(&bytes), "{bytes}");
}

#[test]
fn a_module_that_does_not_end_is_stopped() {
    let messages = "(loop (i32.store (i32.const 12) (i32.const 0)) (call $print) (br 0))";
    for (run, get) in [("(loop (br 0))", ""), ("", "(loop (br 0))"), (messages, "")] {
        let error = Parts { run, get, ..Parts::default() }.never_ends();
        assert_eq!(error, "limits: c.wasm: exceeds the time limit of 0.3 s");
    }
    let endless = Parts { witness_size: "loop (result i32) (br 0)", ..Parts::default() };
    assert_eq!(endless.never_ends(), "limits: c.wasm: exceeds the time limit of 0.3 s");
    let calculator = Parts { run: "(loop (br 0))", ..Parts::default() }.open();
    let cancel = Cancel::new();
    cancel.cancel();
    let error = calculator.calculate_with(&inputs(VALID), &cancel, &mut |_| {}).unwrap_err();
    assert_eq!(error.to_string(), "cancelled");
}

#[test]
fn memory_grows_up_to_its_limit() {
    // 3 pages more, if there are fewer, and a value at their end.
    let run =
        "(if (i32.lt_u (memory.size) (i32.const 4)) (then (drop (memory.grow (i32.const 3)))))
        (i64.store (i32.const 262136) (i64.const 1))";
    let calculator = Parts { run, ..Parts::default() }.open();
    assert_eq!(small(&calculator.calculate(&inputs(VALID)).unwrap()), [1, 2, 3, 4]);
    assert_eq!(small(&calculator.calculate(&inputs(VALID)).unwrap()), [1, 2, 3, 4]);
    let endless = "(loop (drop (memory.grow (i32.const 1))) (br 0))";
    let needs = "limits: c.wasm: needs more than the memory limit of 4194304 bytes";
    assert_eq!(Parts { run: endless, ..Parts::default() }.fails(), needs);
    assert_eq!(
        Parts { run: "(drop (memory.grow (i32.const 60000)))", ..Parts::default() }.fails(),
        needs
    );
    assert_eq!(Parts { memory: "60000", ..Parts::default() }.refused(), needs);
    let more = "(table 100000000 funcref)";
    assert!(!Parts { more, ..Parts::default() }.refused().is_empty());
    assert!(
        Parts { witness_size: "i32.const -1", ..Parts::default() }
            .refused()
            .contains("exceeds the memory limit")
    );
}

#[test]
fn traps_are_errors() {
    for (run, more, said) in [
        ("unreachable", "", "unreachable"),
        ("(call $deep)", "(func $deep (call $deep))", "stack"),
        ("(drop (i32.load (i32.const -8)))", "", "out of bounds"),
        ("(drop (i32.div_u (i32.const 1) (i32.const 0)))", "", "divi"),
    ] {
        let error = Parts { run, more, ..Parts::default() }.fails();
        assert!(
            error.starts_with("witness generator: c.wasm: ") && error.contains(said),
            "{error}"
        );
    }
}

#[test]
fn an_invalid_witness_is_refused() {
    let run = "(i64.store (i32.const 256) (i64.const 2))";
    assert!(Parts { run, ..Parts::default() }.fails().contains("value 0 is not 1"));
    let run = "(i64.store (i32.const 312) (i64.const -1))";
    assert!(Parts { run, ..Parts::default() }.fails().contains("value 1 is not below r"));
}

#[test]
fn other_modules_are_refused() {
    let refused = |wat: &str| {
        let bytes = wat::parse_str(wat).unwrap();
        WitnessCalculator::from_bytes("c.wasm", &bytes, limits()).unwrap_err().to_string()
    };
    let of_circom = "not a witness generator of circom 2";
    assert_eq!(
        refused("(module)"),
        format!("c.wasm: exports, byte 0: {of_circom}: it exports no memory")
    );
    let wasi = r#"(module (import "wasi_snapshot_preview1" "fd_read" (func (param i32 i32 i32 i32) (result i32))))"#;
    let imports = "it imports wasi_snapshot_preview1.fd_read";
    assert_eq!(refused(wasi), format!("c.wasm: imports, byte 0: {of_circom}: {imports}"));
    let memory =
        Parts { imports: r#"(import "env" "memory" (memory 1))"#, ..Parts::default() }.wat();
    assert!(
        refused(
            &memory.replace(r#"(memory (export "memory") 1)"#, r#"(export "memory" (memory 0))"#)
        )
        .contains("it imports env.memory")
    );
    let imports = r#"(import "runtime" "exceptionHandler" (func $other (param i64)))"#;
    assert!(Parts { imports, ..Parts::default() }.refused().contains(of_circom));
    assert!(
        Parts { version: 1, ..Parts::default() }
            .refused()
            .contains("circom 1; those of circom 2 are supported")
    );
    let wat = Parts::default().wat();
    assert!(
        refused(&wat.replace("\"getWitness\"", "\"get\""))
            .contains("it exports no function `getWitness`")
    );
    let typed = r#"(export "getWitnessSize") (result i32) (i32.const 4)"#;
    let other = r#"(export "getWitnessSize") (result i64) (i64.const 4)"#;
    assert!(
        refused(&wat.replace(typed, other))
            .contains("its export `getWitnessSize` has another type")
    );
    let start = "(func $s (loop (br 0))) (start $s)";
    assert!(Parts { more: start, ..Parts::default() }.refused().contains("start"));
    let floats = "(func (result f64) (f64.const 1))";
    assert!(Parts { more: floats, ..Parts::default() }.refused().contains("c.wasm: module, byte "));
    for (prime, said) in [
        (
            [0xffff_ffff_0000_0001, 0, 0, 0],
            "the prime of goldilocks; the curves that are read are bn254 and bls12_381",
        ),
        ([101, 0, 0, 0], "the prime 0x65; the curves"),
    ] {
        assert!(Parts { prime, ..Parts::default() }.refused().contains(said));
    }
    let long = wat.replace(
        "(export \"getFieldNumLen32\") (result i32) (i32.const 8)",
        "(export \"getFieldNumLen32\") (result i32) (i32.const -1)",
    );
    assert!(refused(&long).contains("values of 4294967295 32-bit limbs"));
}

#[test]
fn damaged_modules_are_errors() {
    let refused = |bytes: &[u8]| {
        WitnessCalculator::from_bytes("c.wasm", bytes, limits()).map(drop).unwrap_err().to_string()
    };
    assert!(refused(b"{}").contains("module, byte 0: not a WebAssembly module"));
    assert!(refused(b"").contains("module, byte 0: not a WebAssembly module"));
    let bytes = Parts::default().bytes();
    let accepts = |length: &usize| {
        WitnessCalculator::from_bytes("c.wasm", &bytes[..*length], limits()).is_ok()
    };
    // The names of the functions are a section of their own, at the end.
    assert_eq!((0..bytes.len()).filter(accepts).count(), 1);
    let short = Limits { max_time: Duration::from_millis(20), ..limits() };
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        if let Ok(calculator) = WitnessCalculator::from_bytes("c.wasm", &damaged, short) {
            let _ = calculator.calculate(&inputs(VALID));
        }
    }
}

#[test]
fn damaged_inputs_are_errors() {
    let calculator = Parts::default().open();
    for at in 0..VALID.len() {
        let mut damaged = VALID.as_bytes().to_vec();
        assert!(calculator.calculate(&inputs(&VALID[..at])).is_err());
        for byte in [0, b'"', b'[', b'}', 0xff, damaged[at] ^ 1] {
            damaged[at] = byte;
            let _ =
                calculator.calculate(&Inputs::from_json("input.json", damaged.clone()).unwrap());
        }
    }
}

#[test]
fn a_key_of_another_circuit_is_refused() {
    let mut key = Vec::new();
    let circuit = Circuit::new(Curve::Bls12_381, &Statement::Chain { constraints: 9 }).unwrap();
    circuit.write_insecure_key(b"test", &mut key).unwrap();
    let key = Zkey::from_bytes("c.zkey", key.into()).unwrap();
    let require = |calculator: WitnessCalculator| {
        calculator.require(key.name(), key.curve(), key.variables()).unwrap_err().to_string()
    };
    let error = require(Parts::default().open());
    let expected = "witness generator: c.wasm: the prime is that of bn254, and the key c.zkey has that of bls12_381";
    assert_eq!(error, expected);
    let error = require(Parts { prime: BLS12_381, ..Parts::default() }.open());
    assert!(error.contains("a witness has 4 values, and the key c.zkey needs"), "{error}");
}

#[test]
fn several_threads_share_a_calculator() {
    let calculator = Parts::default().open();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let calculator = &calculator;
            scope.spawn(move || {
                let witness = calculator
                    .calculate(&inputs(&format!(r#"{{"a": [{number}, 3], "b": 4}}"#)))
                    .unwrap();
                assert_eq!(small(&witness), [1, number, 3, 4]);
            });
        }
    });
}

/// Searches the memory of this process for a secret value after calculations with it, with and without an error.
#[cfg(target_os = "linux")]
#[test]
fn no_value_remains_in_memory() {
    use std::io::{Read as _, Seek as _, SeekFrom};

    /// The complement of the value, so that the searched bytes exist only where the library left them.
    const HIDDEN: [u8; 32] = *b"\x8a\x51\xe0\x0f\xc3\x79\x12\xb4\x66\xdd\x97\x28\xfe\x35\x4a\x81\
        \x1b\xc9\x70\xa6\x03\xed\x58\x92\xbf\x24\x47\xd1\x9c\x6e\x15\xef";

    fn json() -> String {
        let digits: String = HIDDEN.iter().rev().map(|byte| format!("{:02x}", !byte)).collect();
        format!(r#"{{"a": ["0x{digits}", 3], "b": 4}}"#)
    }

    /// Counts the occurrences. `maps` and `buffer` are allocated before the calculations: freed memory is not to be used again.
    fn count(maps: &mut String, buffer: &mut [u8]) -> usize {
        maps.clear();
        std::fs::File::open("/proc/self/maps").unwrap().read_to_string(maps).unwrap();
        let mut memory = std::fs::File::open("/proc/self/mem").unwrap();
        let mut count = 0;
        for line in maps.lines().filter(|line| line.contains(" rw")) {
            let (start, rest) = line.split_once('-').unwrap();
            let (end, _) = rest.split_once(' ').unwrap();
            let [mut start, end] =
                [start, end].map(|digits| u64::from_str_radix(digits, 16).unwrap());
            while start + 32 <= end {
                let len = buffer.len().min((end - start) as usize);
                let part = &mut buffer[..len];
                let read =
                    memory.seek(SeekFrom::Start(start)).and_then(|_| memory.read_exact(part));
                if read.is_ok() {
                    let is_secret = |part: &&[u8]| {
                        part.iter().zip(&HIDDEN).all(|(byte, hidden)| *byte == !hidden)
                    };
                    count += part.windows(32).filter(is_secret).count();
                }
                proofmill_op::wipe(part);
                start += (len - 31) as u64;
            }
        }
        count
    }

    let (mut maps, mut buffer) = (String::with_capacity(1 << 20), vec![0; 1 << 20]);
    let mut count = || count(&mut maps, &mut buffer);
    let calculator = Parts::default().open();
    let failing = Parts { run: "unreachable", ..Parts::default() }.open();
    let witness = calculator.calculate(&inputs(&json())).unwrap();
    assert!(failing.calculate(&inputs(&json())).is_err());
    assert!(count() > 0, "the search finds nothing while the witness exists");
    drop(witness);
    assert_eq!(count(), 0);
}

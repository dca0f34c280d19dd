//! Proofs from inputs, and keys of both protocols.

use std::fs::{self, File};
use std::path::Path;
use std::time::Duration;

use proofmill::groth16::Curve;
use proofmill::groth16::dev::{Circuit, Statement};
use proofmill::groth16::snarkjs::Witness;
use proofmill::snark;
use proofmill_testkit::generator;
use serde_json::json;
use tempfile::TempDir;

use super::client::Response;
use super::openmetrics::parse;
use super::{Options, Running};
use crate::{Limits, NamedKey};

const JSON: &[&str] = &["Content-Type: application/json; charset=utf-8"];

/// Writes the keys and the generator of the chain of 2 constraints. Returns the witness.
fn write_files(folder: &Path) -> Vec<u8> {
    let circuit = Circuit::new(Curve::Bn254, &Statement::Chain { constraints: 2 }).unwrap();
    let create = |name| File::create(folder.join(name)).unwrap();
    circuit.write_insecure_key(b"inputs", &mut create("groth16.zkey")).unwrap();
    circuit.write_insecure_plonk_key(b"inputs", &mut create("plonk.zkey")).unwrap();
    fs::write(folder.join("c.wasm"), wat::parse_str(generator::WAT).unwrap()).unwrap();
    let mut witness = Vec::new();
    circuit.write_witness(&mut witness).unwrap();
    witness
}

fn key(name: &str, folder: &Path, files: &[&str]) -> NamedKey {
    let files: Vec<_> = files.iter().map(|file| folder.join(file).display().to_string()).collect();
    format!("{name}={}", files.join(",")).parse().unwrap()
}

/// A service with the keys `groth16` and `plonk`, which accept inputs, and `bare`, which does not.
struct Service {
    running: Running,
    inputs: String,
}

impl Service {
    fn start(limits: snark::Limits) -> Self {
        let folder = TempDir::new().unwrap();
        let witness = write_files(folder.path());
        let inputs = generator::inputs(Witness::from_bytes("w", witness.clone()).unwrap().values());
        let keys = vec![
            key("groth16", folder.path(), &["groth16.zkey", "c.wasm"]),
            key("plonk", folder.path(), &["plonk.zkey", "c.wasm"]),
            key("bare", folder.path(), &["plonk.zkey"]),
        ];
        let limits = Limits { generator: limits, ..Limits::default() };
        let options = Options { limits, ..Options::default() };
        Self { running: Running::with_keys(keys, witness, options), inputs }
    }

    fn ask(&self, request: &str, inputs: &str) -> Response {
        self.running.connect().request_with(request, JSON, inputs.as_bytes())
    }
}

/// Returns inputs with this value of b.
fn with_b(b: u64) -> String {
    json!({ "a": [1, 2], "b": b }).to_string()
}

#[test]
fn inputs_and_witnesses_are_proved_with_keys_of_both_protocols() {
    let service = Service::start(snark::Limits::default());
    let running = &service.running;
    for (name, field) in [("groth16", "pi_a"), ("plonk", "Wxiw")] {
        let of_inputs = service.ask(&format!("POST /v1/prove/{name}"), &service.inputs);
        let of_witness =
            running.connect().request(&format!("POST /v1/prove/{name}"), &running.witness);
        for proved in [&of_inputs, &of_witness] {
            assert_eq!(proved.status, 200, "{proved:?}");
            assert!(proved.json()["proof"][field].is_array());
            let verify = format!("POST /v1/verify/{name}");
            let verdict = running.connect().request(&verify, proved.body.as_bytes());
            assert_eq!((verdict.status, verdict.json()["valid"].as_bool()), (200, Some(true)));
            let mut other = proved.json();
            other["public"][0] = "1".into();
            let verdict = running.connect().request(&verify, other.to_string().as_bytes());
            assert_eq!((verdict.status, verdict.json()["valid"].as_bool()), (200, Some(false)));
        }
        let key = running.connect().request(&format!("GET /v1/keys/{name}"), b"").json();
        assert_eq!(key["protocol"], name);
    }
    // A proof of one protocol is not one of the other.
    let proved = service.ask("POST /v1/prove/groth16", &service.inputs);
    let refused = running.connect().request("POST /v1/verify/plonk", proved.body.as_bytes());
    assert_eq!(refused.status, 400);
    assert!(refused.json()["error"].as_str().unwrap().contains("'A' is missing"), "{refused:?}");

    let keys = running.connect().request("GET /v1/keys", b"").json();
    let listed: Vec<_> = keys.as_array().unwrap().iter().collect();
    let of = |field: &str| listed.iter().map(|key| key[field].clone()).collect::<Vec<_>>();
    assert_eq!(of("name"), ["bare", "groth16", "plonk"]);
    assert_eq!(of("protocol"), ["plonk", "groth16", "plonk"]);
    assert_eq!(of("accepts_inputs"), [false, true, true]);

    let metrics = parse(&running.connect().request("GET /metrics", b"").body);
    for (name, value) in [
        ("jobs_ended_total{operation=\"full_prove\",outcome=\"answered\"}", 3.0),
        ("jobs_ended_total{operation=\"prove\",outcome=\"answered\"}", 2.0),
        ("job_work_seconds_count{operation=\"full_prove\"}", 3.0),
        ("witness_calculation_seconds_count", 3.0),
    ] {
        assert_eq!(metrics[&format!("proofmill_{name}")], value, "{name}");
    }
}

#[test]
fn wrong_inputs_are_refused_by_name() {
    let service = Service::start(snark::Limits::default());
    let (inputs, running) = (&service.inputs, &service.running);
    for (body, message) in [
        ("{", "body: JSON, byte 0: the text ends inside an object"),
        ("[]", "body: inputs, byte 0: not an object of signals"),
        (
            r#"{"a": [1, "x"], "b": 7}"#,
            "body: a, value 1, byte 10: not an integer: a string or a number of decimal digits, or a string of 0x and hexadecimal digits",
        ),
        (r#"{"a": [1, 2]}"#, "inputs: body: 1 of 3 input values are missing; given are `a` (2)"),
        (r#"{"a": [1], "b": 7}"#, "inputs: body: signal `a` has 1 values; the circuit has 2"),
        (
            r#"{"a": [1, 2], "b": 7, "c": 3}"#,
            "inputs: body: signal `c` is not an input of the circuit",
        ),
        // The name of the key stands for the path of the generator.
        (&with_b(0), "witness generator: plonk: assert failed: Error in template Main_0 line: 7"),
    ] {
        service.ask("POST /v1/prove/plonk", body).expect_error(400, message);
    }
    service
        .ask("POST /v1/prove/plonk", &with_b(3))
        .expect_error(400, "witness generator: plonk: wasm `unreachable` instruction executed");
    // A witness that does not satisfy the circuit, as with an upload of a witness.
    service.ask("POST /v1/prove/plonk", &with_b(9)).expect_error(422, "the proof does not verify: the witness does not satisfy the circuit, or the key is damaged");
    service.ask("POST /v1/prove/bare", inputs).expect_error(
        400,
        "key 'bare' has no witness generator: send a witness (.wtns), not JSON inputs",
    );
    let large = "x".repeat(3 * 256 + (64 << 10) + 1);
    service
        .ask("POST /v1/prove/plonk", &large)
        .expect_error(413, "body too large: at most 66304 bytes for this key");
    // Without the content type the body is a witness.
    let refused = running.connect().request("POST /v1/prove/plonk", inputs.as_bytes());
    assert_eq!(refused.status, 400);
    assert!(refused.json()["error"].as_str().unwrap().starts_with("witness: "), "{refused:?}");
    running.wait_until(|service| service.free_slots() == 9);
}

#[test]
fn calculations_have_limits_and_can_be_cancelled() {
    let brief = snark::Limits { max_time: Duration::from_millis(300), ..Default::default() };
    Service::start(brief)
        .ask("POST /v1/prove/plonk", &with_b(1))
        .expect_error(422, "limits: plonk: exceeds the time limit of 0.3 s");
    let small = snark::Limits { max_bytes: 1 << 22, ..Default::default() };
    Service::start(small)
        .ask("POST /v1/prove/plonk", &with_b(2))
        .expect_error(422, "limits: plonk: needs more than the memory limit of 4194304 bytes");

    let service = Service::start(snark::Limits::default());
    let running = &service.running;
    service
        .ask("POST /v1/prove/plonk?deadline_ms=100", &with_b(1))
        .expect_error(504, "cancelled: the deadline has passed");
    running.wait_until(|service| service.free_slots() == 9);
    // The result is fetched with the status of the request.
    let job = service.ask("POST /v1/prove/plonk?wait=false", &with_b(1));
    assert_eq!(job.status, 202);
    assert_eq!(job.json()["operation"], "full_prove");
    let path = job.head.lines().find_map(|line| line.strip_prefix("location: ")).unwrap();
    running.wait_until(|service| service.gauges().running == 1);
    let ended = running.connect().request(&format!("DELETE {path}"), b"");
    assert_eq!((ended.status, ended.json()["state"].as_str()), (200, Some("cancelled")));
    running.wait_until(|service| service.free_slots() == 9);
    // A client that leaves cancels the calculation.
    let mut client = running.connect();
    let body = with_b(1);
    let length = format!("Content-Length: {}", body.len());
    client.send_head("POST /v1/prove/plonk", &[JSON[0], &length]);
    assert!(client.send(body.as_bytes()));
    running.wait_until(|service| service.gauges().running == 1);
    drop(client);
    running.wait_until(|service| service.free_slots() == 9);
    let job = service.ask("POST /v1/prove/plonk?wait=false", &with_b(0));
    let path = job.head.lines().find_map(|line| line.strip_prefix("location: ")).unwrap();
    running.wait_until(|service| service.live_jobs().is_empty());
    let fetched = running.connect().request(&format!("GET {path}"), b"");
    fetched.expect_error(
        400,
        "witness generator: plonk: assert failed: Error in template Main_0 line: 7",
    );
}

#[test]
fn a_generator_of_another_circuit_is_refused_at_the_start() {
    let folder = TempDir::new().unwrap();
    write_files(folder.path());
    let circuit = Circuit::new(Curve::Bn254, &Statement::Chain { constraints: 3 }).unwrap();
    let mut other = File::create(folder.path().join("other.zkey")).unwrap();
    circuit.write_insecure_key(b"inputs", &mut other).unwrap();
    for (files, problem) in [
        (["other.zkey", "c.wasm"], "a witness has 4 values, and the key"),
        (["plonk.zkey", "plonk.zkey"], "not a WebAssembly module"),
        (["plonk.zkey", "none.wasm"], "none.wasm: No such file"),
        (["c.wasm", "c.wasm"], "c.wasm"),
    ] {
        let keys = vec![key("k", folder.path(), &files)];
        let refused =
            crate::service::ProofService::new(Running::settings(keys, Options::default()));
        let refused = format!("{:#}", refused.err().unwrap());
        assert!(refused.starts_with("--key: k: ") && refused.contains(problem), "{refused}");
    }
}

//! The service as a process: its socket, its memory, its log, its exit.

mod streams;

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use proofmill::groth16::snarkjs::{Witness, proof, public, verifying_key};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::support::made::Made;
use crate::support::{command, expect, run, text};

const TOKEN: &str = "a-token-that-nobody-may-log";
/// A limit that only a hung test reaches.
const PATIENCE: Duration = Duration::from_secs(300);

/// A running service.
struct Running {
    child: Child,
    address: String,
    token: Option<&'static str>,
}

/// The output of a service that has ended.
struct Ended {
    summary: String,
    log: String,
    code: Option<i32>,
}

impl Running {
    /// Starts a service with the key `chain` of these files.
    fn start(made: &Made, more: &[&str], token: Option<&'static str>) -> Self {
        let key = format!("chain={}", made.at("INSECURE.zkey"));
        Self::of(made, &[&["serve", "--key", &key], more].concat(), token)
    }

    /// Starts a service with these arguments, in the folder of these files.
    fn of(made: &Made, arguments: &[&str], token: Option<&'static str>) -> Self {
        let mut command = command(&[arguments, &["--listen", "127.0.0.1:0"]].concat());
        command.current_dir(&made.0);
        command.env_remove("PROOFMILL_TOKEN").envs(token.map(|it| ("PROOFMILL_TOKEN", it)));
        let log = fs::File::create(made.at("log")).unwrap();
        let mut child = command.stdout(Stdio::piped()).stderr(log).spawn().unwrap();
        let mut line = String::new();
        BufReader::with_capacity(1, child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim_end().strip_prefix("serving on http://");
        let address = address.unwrap_or_else(|| panic!("{line} {:?}", made.read("log"))).to_owned();
        Self { child, address, token }
    }

    /// Sends a request on a new connection. Returns `None` if no service listens.
    fn try_send(&self, method: &str, path: &str, body: &[u8]) -> Option<TcpStream> {
        let mut stream = TcpStream::connect(&self.address).ok()?;
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let token =
            self.token.map_or(String::new(), |it| format!("Authorization: Bearer {it}\r\n"));
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{token}Content-Length: {}\r\n\r\n",
            body.len()
        );
        // The service does not read a rejected body to its end.
        let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
        Some(stream)
    }

    /// Sends a request and reads the response.
    fn ask(&self, method: &str, path: &str, body: &[u8]) -> Response {
        self.try_send(method, path, body).map(Response::from).unwrap_or_default()
    }

    fn get(&self, path: &str) -> Response {
        self.ask("GET", path, &[])
    }

    fn signal(&self) {
        kill_process(Pid::from_child(&self.child), Signal::TERM).unwrap();
    }

    /// Waits for the end of the service.
    fn ended(mut self, made: &Made) -> Ended {
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(
                start.elapsed() < PATIENCE,
                "the service does not end: {}",
                text(&made.read("log"))
            );
            thread::sleep(Duration::from_millis(10));
        };
        let mut summary = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut summary).unwrap();
        let log = String::from_utf8(made.read("log")).unwrap();
        assert!(!log.contains("panicked"), "{log}");
        Ended { summary, log, code: status.code() }
    }

    /// Returns the KiB of resident memory: now, and the maximum so far.
    fn memory(&self) -> Option<[u64; 2]> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let of = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_whitespace().next()?.parse().ok()
        };
        Some([of("VmRSS:")?, of("VmHWM:")?])
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A response; its status is 0 if there was none.
#[derive(Debug, Default)]
struct Response {
    status: u16,
    head: String,
    body: String,
}

impl Response {
    fn from(mut stream: TcpStream) -> Self {
        let mut all = Vec::new();
        let _ = stream.read_to_end(&mut all);
        let all = String::from_utf8(all).unwrap();
        let (head, body) = all.split_once("\r\n\r\n").unwrap_or((&all, ""));
        let status = head.split(' ').nth(1).and_then(|it| it.parse().ok()).unwrap_or(0);
        Self { status, head: head.to_lowercase(), body: body.into() }
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    #[track_caller]
    fn expect(&self, status: u16, part: &str) -> &Self {
        assert!(
            self.status == status && (self.body.contains(part) || self.head.contains(part)),
            "{self:?}"
        );
        self
    }
}

/// Returns the value of a sample, such as `jobs_queued`.
fn sample(metrics: &str, name: &str) -> u64 {
    let line = metrics.lines().find_map(|line| line.strip_prefix(&format!("proofmill_{name} ")));
    line.unwrap_or_else(|| panic!("{name}: {metrics}")).parse().unwrap()
}

/// Parses the numbers of `N jobs accepted: N answered, N failed, N cancelled; N requests rejected`.
fn numbers(summary: &str) -> [u64; 5] {
    let digits = summary.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty());
    let numbers: Vec<_> = digits.map(|part| part.parse().unwrap()).collect();
    numbers.try_into().unwrap_or_else(|_| panic!("{summary}"))
}

/// SplitMix64.
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

#[test]
fn a_proof_is_made_and_verified_at_once_and_later() {
    let made = Made::new("bn254", 100);
    let service = Running::start(&made, &["--log-format", "json", "--log-level", "debug"], None);
    let witness = made.read("witness.wtns");
    let proved = service.ask("POST", "/v1/prove/chain?priority=high", &witness);
    proved.expect(200, "proofmill-job: 1").expect(200, "server-timing: job;dur=");
    // Both parts are files of snarkjs.
    let answer = proved.json();
    let key = verifying_key::open(made.at("verification_key.json")).unwrap();
    let proof = proof::parse("proof", answer["proof"].to_string().as_bytes()).unwrap();
    let values = public::parse("public", answer["public"].to_string().as_bytes(), key.curve);
    assert!(proofmill::groth16::verify(&key, &values.unwrap(), &proof).unwrap());
    service.ask("POST", "/v1/verify/chain", proved.body.as_bytes()).expect(200, "{\"valid\":true}");
    let mut wrong = answer.clone();
    wrong["public"][0] = "5".into();
    let refused = service.ask("POST", "/v1/verify/chain", wrong.to_string().as_bytes());
    refused.expect(200, "{\"valid\":false}");

    let later = service.ask("POST", "/v1/prove/chain?wait=false", &witness);
    later.expect(202, "location: /v1/jobs/4");
    let fetched = loop {
        let fetched = service.get("/v1/jobs/4");
        if fetched.status != 202 {
            break fetched;
        }
    };
    assert_eq!((fetched.status, fetched.json()["public"].clone()), (200, answer["public"].clone()));
    service.get("/v1/jobs/4").expect(404, "fetched");
    let later = service.ask("POST", "/v1/prove/chain?wait=false", &witness);
    later.expect(202, "\"job\":5");
    let gone = service.ask("DELETE", "/v1/jobs/5", &[]);
    assert!(
        ["cancelled", "answered"].contains(&gone.json()["state"].as_str().unwrap()),
        "{gone:?}"
    );
    service.get("/v1/jobs/5").expect(404, "fetched");

    assert_eq!(service.get("/v1/keys/chain").body.as_bytes(), made.read("verification_key.json"));
    service.get("/v1/keys").expect(200, "\"variables\"");
    service.get("/healthz").expect(200, "ok");
    service.get("/readyz").expect(200, "ready");
    service.get("/").expect(200, "content-security-policy").expect(200, "</html>");
    let status = service.get("/v1/status").json();
    assert_eq!(status["jobs"]["accepted"], 5);
    assert!(status["devices"][0]["uri"].as_str().unwrap().starts_with("cpu:"), "{status}");
    let metrics = service.get("/metrics").body;
    assert_eq!(sample(&metrics, "jobs_ended_total{operation=\"verify\",outcome=\"answered\"}"), 2);
    assert_eq!(sample(&metrics, "job_wait_seconds_count{operation=\"prove\"}"), 3);
    service.signal();
    let ended = service.ended(&made);
    assert_eq!(ended.code, Some(0), "{}", ended.log);
    // One object per line; a span for the request, the job and each phase.
    let lines: Vec<Value> = ended
        .log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}")))
        .collect();
    let names = |line: &Value| -> Vec<String> {
        let spans = line["spans"].as_array().into_iter().flatten();
        spans.map(|span| span["name"].as_str().unwrap().to_owned()).collect()
    };
    let phases = lines.iter().filter(|line| names(line) == ["request", "job", "proof", "phase"]);
    let steps: Vec<_> = phases.map(|line| line["span"]["step"].as_str().unwrap()).collect();
    for step in ["rows", "quotient", "assembly", "check"] {
        assert!(steps.contains(&step), "{step}: {steps:?}");
    }
}

#[test]
fn errors_name_what_is_wrong() {
    let made = Made::new("bn254", 100);
    let service = Running::start(&made, &["--queue", "0", "--workers", "1"], None);
    let witness = made.read("witness.wtns");
    let prove = |path: &str, body: &[u8]| service.ask("POST", path, body);
    prove("/v1/prove/other", &witness).expect(404, "no such key");
    prove("/v1/prove/chain?priority=urgent", &witness).expect(400, "priority");
    prove("/v1/prove/chain", &vec![0; 1 << 20]).expect(413, "at most");
    prove("/v1/prove/chain", &[]).expect(400, "witness");
    prove("/v1/prove/chain", &witness[..witness.len() - 1]).expect(400, "witness");
    prove("/v1/verify/chain", b"{}").expect(400, "'proof' and 'public'");
    prove("/v1/verify/chain", &[b'['; 1000]).expect(400, "body: must be");
    prove("/v1/verify/chain", br#"{"proof":{},"public":[]}"#).expect(400, "proof");
    let mut wrong = witness.clone();
    let last = wrong.len() - 32;
    wrong[last] ^= 1;
    prove("/v1/prove/chain", &wrong).expect(422, "does not satisfy");
    // A client that sends more than the sockets hold before it reads can send it all, and receives the error.
    let mut large = TcpStream::connect(&service.address).unwrap();
    let length = 20 << 20;
    let head = format!(
        "POST /v1/prove/chain HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    large.write_all(&[head.as_bytes(), &vec![0; length]].concat()).unwrap();
    Response::from(large).expect(413, "at most");
    service.ask("PUT", "/v1/prove/chain", &[]).expect(405, "method");
    service.get("/v1/jobs/99").expect(404, "no such job");
    service.get("/v1/../etc/passwd").expect(404, "no such path");
    // Half a body holds the only slot; further requests are told to retry.
    let head = format!(
        "POST /v1/prove/chain HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n",
        witness.len()
    );
    let (start, mut halves) = (Instant::now(), vec![]);
    loop {
        // A whole body that overtakes it takes the slot, and then the half is rejected.
        let mut half = TcpStream::connect(&service.address).unwrap();
        half.write_all(&[head.as_bytes(), &witness[..100]].concat()).unwrap();
        halves.push(half);
        thread::sleep(Duration::from_millis(20));
        if prove("/v1/prove/chain", &witness).status == 429 {
            break;
        }
        assert!(start.elapsed() < PATIENCE);
    }
    prove("/v1/prove/chain", &witness).expect(429, "retry-after: 1");
    drop(halves);
    while prove("/v1/prove/chain?deadline_ms=60000", &witness).status == 429 {
        assert!(start.elapsed() < PATIENCE);
    }
    // Names of other sites that resolve to this machine.
    for (head, error) in [
        ("Host: example.org", "host not allowed without a token"),
        ("Host: localhost\r\nOrigin: http://example.org", "origin not allowed without a token"),
    ] {
        let mut stream = TcpStream::connect(&service.address).unwrap();
        write!(stream, "GET /v1/status HTTP/1.1\r\n{head}\r\nConnection: close\r\n\r\n").unwrap();
        Response::from(stream).expect(403, error);
    }
    // Not HTTP.
    let mut stream = TcpStream::connect(&service.address).unwrap();
    stream.write_all(&[0xff; 4000]).unwrap();
    Response::from(stream).expect(400, "");
    service.get("/healthz").expect(200, "ok");
}

#[test]
fn by_default_only_this_machine_can_connect() {
    let made = Made::new("bn254", 9);
    let key = format!("chain={}", made.at("INSECURE.zkey"));
    let refused = run(&["serve", "--key", &key, "--listen", "0.0.0.0:0"]);
    expect(
        &refused,
        2,
        &["--listen: 0.0.0.0:0 can be reached from other machines", "--token-file"],
    );
    let service = Running::start(&made, &[], None);
    let port: u16 = service.address.strip_prefix("127.0.0.1:").unwrap().parse().unwrap();
    // An address of this machine that is not loopback, if there is one: the source address of its packets.
    let socket = std::net::UdpSocket::bind("0.0.0.0:0").unwrap();
    match socket.connect("192.0.2.1:9").and_then(|()| socket.local_addr()) {
        Ok(own) if !own.ip().is_loopback() => {
            let error = TcpStream::connect((own.ip(), port)).unwrap_err();
            assert_eq!(error.kind(), std::io::ErrorKind::ConnectionRefused);
        }
        _ => println!("SKIPPED another address: this machine has none"),
    }
}

#[test]
fn without_the_token_nothing_is_served() {
    let made = Made::new("bn254", 9);
    let file = made.write("token", format!("{TOKEN}\n"));
    let mut service = Running::start(&made, &["--token-file", &file, "--log-level", "debug"], None);
    for path in ["/metrics", "/v1/status", "/v1/keys", "/v1/jobs/1"] {
        service.get(path).expect(401, "www-authenticate: bearer");
    }
    service.token = Some("a-token-that-nobody-may-logg");
    service.ask("POST", "/v1/prove/chain", &made.read("witness.wtns")).expect(401, "token");
    service.get(&format!("/v1/{TOKEN}")).expect(401, "token");
    service.get("/healthz").expect(200, "ok");
    service.get("/").expect(200, "</html>");
    service.token = Some(TOKEN);
    service.ask(TOKEN, "/metrics", &[]).expect(405, "method");
    service.get(&format!("/{TOKEN}")).expect(404, "no such path");
    service.get(&format!("/v1/prove/{TOKEN}")).expect(405, "method");
    service.ask("POST", "/v1/prove/chain", &made.read("witness.wtns")).expect(200, "pi_a");
    service.signal();
    let ended = service.ended(&made);
    assert!(!ended.log.contains("a-token"), "{}", ended.log);
    let short = made.write("token", "short");
    let key = format!("chain={}", made.at("INSECURE.zkey"));
    let refused = run(&["serve", "--key", &key, "--token-file", &short]);
    expect(&refused, 2, &["--token-file", "16 to 1024 visible ASCII characters"]);
}

/// 200 clients at a time: some cancel, some disconnect, some send garbage. SIGTERM arrives in the middle.
#[test]
fn no_accepted_job_is_lost_in_a_storm() {
    const CLIENTS: u64 = 200;
    /// Maximum KiB of the process: some 40 witnesses of 32 KB, two working sets, 200 connections.
    const MOST_MEMORY: u64 = 300 << 10;
    let made = Made::new("bn254", 1000);
    let more = ["--queue", "40", "--workers", "2", "--log-level", "debug"];
    let service = Running::start(&made, &more, Some(TOKEN));
    let witness = made.read("witness.wtns");
    service.ask("POST", "/v1/prove/chain", &witness).expect(200, "pi_a");
    let seen = Mutex::new(BTreeMap::<(&str, u16), u64>::new());
    let count = |kind, status| *seen.lock().unwrap().entry((kind, status)).or_default() += 1;
    // As long as it takes to see every outcome, and for a while after the signal.
    let (start, least) = (Instant::now(), Duration::from_millis(1500));
    let is_over = AtomicBool::new(false);
    let (metrics, memory) = thread::scope(|scope| {
        for client in 0..CLIENTS {
            let (service, witness, count, is_over) = (&service, &witness, &count, &is_over);
            scope.spawn(move || {
                let mut state = client;
                while !is_over.load(Ordering::SeqCst) {
                    let pause = Duration::from_millis(random(&mut state) % 40);
                    let prove = |query: &str| {
                        service.ask("POST", &format!("/v1/prove/chain{query}"), witness)
                    };
                    match random(&mut state) % 8 {
                        0..3 => count("prove", prove("").status),
                        3 => count("deadline", prove("?deadline_ms=20").status),
                        4 => {
                            let accepted = prove("?wait=false&priority=low");
                            count("later", accepted.status);
                            if accepted.status == 202 {
                                thread::sleep(pause);
                                let path = format!("/v1/jobs/{}", accepted.json()["job"]);
                                let deleted = service.ask("DELETE", &path, &[]);
                                count(
                                    if deleted.body.contains("answered") {
                                        "late delete"
                                    } else {
                                        "delete"
                                    },
                                    deleted.status,
                                );
                            }
                        }
                        5 => {
                            let sent = service.try_send("POST", "/v1/prove/chain", witness);
                            thread::sleep(pause);
                            drop(sent);
                            count("gone", 0);
                        }
                        6 => {
                            let large = service.ask("POST", "/v1/prove/chain", &[7; 1 << 17]);
                            count("large", large.status);
                        }
                        _ => {
                            let garbage = service.ask("POST", "/v1/verify/chain", b"{\"proof\":");
                            count("malformed", garbage.status);
                        }
                    }
                    thread::sleep(pause);
                }
            });
        }
        let wanted = [("large", 413), ("malformed", 400), ("prove", 200), ("prove", 429)];
        let missing = || wanted.iter().any(|it| !seen.lock().unwrap().contains_key(it));
        while start.elapsed() < least || missing() && start.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(20));
        }
        let seen_at_signal = (service.get("/metrics").body, service.memory());
        // Until now every request was answered.
        let lost: Vec<_> = seen
            .lock()
            .unwrap()
            .keys()
            .filter(|(kind, status)| *status == 0 && *kind != "gone")
            .copied()
            .collect();
        service.signal();
        thread::sleep(least);
        is_over.store(true, Ordering::SeqCst);
        assert!(lost.is_empty(), "{lost:?}");
        seen_at_signal
    });
    let ended = service.ended(&made);
    let seen = seen.into_inner().unwrap();
    let [accepted, answered, failed, cancelled, rejected] = numbers(&ended.summary);
    println!(
        "storm of {CLIENTS} clients: {}[KiB now, at most]: {memory:?}; {seen:?}",
        ended.summary
    );
    assert_eq!(ended.code, Some(0), "{}", ended.log);
    assert_eq!(accepted, answered + failed + cancelled);
    assert!(answered > 1 && cancelled > 0 && rejected > 0 && failed == 0);
    for expected in [("large", 413), ("malformed", 400), ("prove", 200), ("prove", 429)] {
        assert!(seen.contains_key(&expected), "{expected:?}");
    }
    assert!(seen.keys().all(|(_, status)| *status != 500), "{seen:?}");
    // Every answer was received, except by clients that had disconnected.
    let of = |kind: &str, status| seen.get(&(kind, status)).copied().unwrap_or(0);
    let received = 1 + of("prove", 200) + of("deadline", 200) + of("late delete", 200);
    assert!(
        (received..=received + of("gone", 0)).contains(&answered),
        "{answered} answered, {received} received"
    );
    if let Some([_, most]) = memory {
        assert!(most < MOST_MEMORY, "{most} KiB");
    }
    let values = Witness::from_bytes("witness", witness).unwrap();
    let secret = values.values().last().unwrap();
    let number = num_bigint::BigUint::from_bytes_le(secret);
    let bytes = secret.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    for secret in [TOKEN, &number.to_string(), &format!("{number:x}"), &bytes] {
        assert!(!ended.log.contains(secret) && !metrics.contains(secret), "{secret}");
    }
}

#[test]
fn accepted_jobs_end_before_the_service_does() {
    let made = Made::new("bn254", 1000);
    let service = Running::start(&made, &["--workers", "1", "--grace", "600"], None);
    let witness = made.read("witness.wtns");
    let later = service.ask("POST", "/v1/prove/chain?wait=false", &witness);
    let sent: Vec<_> =
        (0..5).map(|_| service.try_send("POST", "/v1/prove/chain", &witness).unwrap()).collect();
    while sample(&service.get("/metrics").body, "jobs_accepted_total{operation=\"prove\"}") < 6 {}
    service.signal();
    while service.get("/readyz").status == 200 {}
    service.ask("POST", "/v1/prove/chain", &witness).expect(503, "shutting down");
    for sent in sent {
        Response::from(sent).expect(200, "pi_a");
    }
    // The service waits until the result that it keeps is fetched.
    service.get(&format!("/v1/jobs/{}", later.json()["job"])).expect(200, "pi_a");
    let ended = service.ended(&made);
    assert_eq!((ended.code, numbers(&ended.summary)), (Some(0), [6, 6, 0, 0, 1]));
}

#[test]
fn clients_are_notified_of_jobs_cancelled_at_the_end() {
    let made = Made::new("bn254", 1000);
    let service = Running::start(&made, &["--workers", "1", "--grace", "0"], None);
    let witness = made.read("witness.wtns");
    let sent: Vec<_> =
        (0..8).map(|_| service.try_send("POST", "/v1/prove/chain", &witness).unwrap()).collect();
    while sample(&service.get("/metrics").body, "jobs_accepted_total{operation=\"prove\"}") < 8 {}
    service.signal();
    let statuses: Vec<_> = sent.into_iter().map(|sent| Response::from(sent).status).collect();
    assert!(statuses.iter().all(|status| [200, 503].contains(status)), "{statuses:?}");
    assert!(statuses.contains(&503), "{statuses:?}");
    let [accepted, answered, _, cancelled, _] = numbers(&service.ended(&made).summary);
    assert_eq!((accepted, answered + cancelled), (8, 8));
}

/// The commands of `docs/use/service.md`.
#[test]
fn the_pages_commands_work() {
    if Command::new("curl").arg("--version").stdout(Stdio::null()).status().is_err() {
        println!("SKIPPED the commands of docs/use/service.md: there is no curl");
        return;
    }
    let made = Made::new("bn254", 9);
    let page = include_str!("../../../../docs/use/service.md");
    let commands = page.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let [start, commands] = commands.collect::<Vec<_>>()[..] else { panic!("{page}") };
    for name in ["age.zkey", "vote.zkey"] {
        made.write(name, made.read("INSECURE.zkey"));
    }
    let start: Vec<_> = start.split_whitespace().skip(1).collect();
    let service = Running::of(&made, &start, None);
    let commands = commands.replace("127.0.0.1:8080", &service.address).replace("KEY", "vote");
    let mut shell = Command::new("sh");
    let done = shell.args(["-e", "-c", &commands]).current_dir(&made.0).output().unwrap();
    expect(&done, 0, &["{\"valid\":true}", "proofmill_jobs_accepted_total{operation=\"prove\"} 2"]);
}

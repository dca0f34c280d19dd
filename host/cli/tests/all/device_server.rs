//! The device server from outside: a process, its clients, its end.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, ChildStdout, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::support::{command, expect, files, run};

const TOKEN: &str = "a-token-that-is-long-enough";

fn signatures() -> String {
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/signatures/mainnet.jsonl").into()
}

/// A server that runs.
struct Running {
    child: Child,
    said: BufReader<ChildStdout>,
    uri: String,
}

impl Running {
    fn start(more: &[&str]) -> Self {
        let mut command: Command = command(
            &[&["device-server", "--listen", "127.0.0.1:0", "--threads", "1"], more].concat(),
        );
        let mut child =
            command.env_remove("PROOFMILL_TOKEN").stdout(Stdio::piped()).spawn().unwrap();
        let mut said = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        said.read_line(&mut line).unwrap();
        let uri = line.trim_end().split_once(" at ").unwrap_or_else(|| panic!("{line}")).1;
        Self { uri: uri.to_owned(), child, said }
    }

    /// Its last words and its exit code.
    fn end(mut self) -> (String, Option<i32>) {
        kill_process(Pid::from_child(&self.child), Signal::TERM).unwrap();
        let mut said = String::new();
        self.said.read_to_string(&mut said).unwrap();
        (said, self.child.wait().unwrap().code())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn clients_of_other_processes_are_served_until_a_signal_ends_it() {
    let (_folder, paths) = files(&[TOKEN.as_bytes(), b"another-token-of-the-same-length"]);
    let server = Running::start(&["--token-file", &paths[0]]);
    let verify = |uri: &str| run(&["ecdsa", "verify", "--device", uri, &signatures()]);
    let uri = format!("{}?token_file={}", server.uri, paths[0]);
    expect(&verify(&uri), 0, &["21 signatures: 21 valid, 0 invalid"]);
    expect(&verify(&uri), 0, &["21 signatures: 21 valid, 0 invalid"]);
    expect(&verify(&server.uri), 2, &["token"]);
    expect(&verify(&format!("{}?token_file={}", server.uri, paths[1])), 2, &["has another one"]);
    let (said, code) = server.end();
    assert_eq!((said.as_str(), code), ("2 clients, 2 requests\n", Some(0)));
    expect(&verify(&uri), 3, &["tcp://"]);
}

#[test]
fn what_cannot_be_served_is_named() {
    let (_folder, paths) = files(&[b"short"]);
    let at = |more: &[&str]| run(&[&["device-server", "--listen", "127.0.0.1:0"], more].concat());
    expect(&at(&["--token-file", &paths[0]]), 2, &["--token-file: token: has to have 16 to 1024"]);
    expect(&at(&["--token-file", "/nowhere/token"]), 2, &["--token-file", "/nowhere/token"]);
    expect(&at(&["--device", "gpu:"]), 2, &["unknown scheme 'gpu:'"]);
    expect(&at(&["--clients", "0"]), 2, &["--clients"]);
    let beyond = command(&["device-server", "--listen", "0.0.0.0:0"])
        .env_remove("PROOFMILL_TOKEN")
        .output()
        .unwrap();
    expect(&beyond, 2, &["--listen: token: 0.0.0.0:0 can be reached from other machines"]);
    let server = Running::start(&[]);
    let taken = server.uri.strip_prefix("tcp://").unwrap();
    expect(&run(&["device-server", "--listen", taken]), 2, &["--listen", taken, "in use"]);
}

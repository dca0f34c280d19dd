//! The device server from outside: a process, its clients, its end.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
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
    log: tempfile::NamedTempFile,
}

impl Running {
    fn start(more: &[&str]) -> Self {
        let listen = ["device-server", "--listen", "127.0.0.1:0", "--threads", "1"];
        Self::of(&[&listen, more].concat(), Path::new("."))
    }

    /// With these arguments in this folder.
    fn of(arguments: &[&str], folder: &Path) -> Self {
        let log = tempfile::NamedTempFile::new().unwrap();
        let mut command: Command = command(arguments);
        command.current_dir(folder).env_remove("PROOFMILL_TOKEN").stderr(log.reopen().unwrap());
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut said = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        said.read_line(&mut line).unwrap();
        let uri = line.trim_end().split_once(" at ").unwrap_or_else(|| panic!("{line}")).1;
        Self { uri: uri.to_owned(), child, said, log }
    }

    /// What it wrote to standard error.
    fn log(&self) -> String {
        std::fs::read_to_string(self.log.path()).unwrap()
    }

    /// Its last words and its exit code.
    fn end(&mut self) -> (String, Option<i32>) {
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
    let more = ["--token-file", &paths[0], "--log-format", "json", "--log-level", "debug"];
    let mut server = Running::start(&more);
    let verify = |uri: &str| run(&["ecdsa", "verify", "--device", uri, &signatures()]);
    let uri = format!("{}?token_file={}", server.uri, paths[0]);
    expect(&verify(&uri), 0, &["21 signatures: 21 valid, 0 invalid"]);
    expect(&verify(&uri), 0, &["21 signatures: 21 valid, 0 invalid"]);
    expect(&verify(&server.uri), 2, &["token"]);
    expect(&verify(&format!("{}?token_file={}", server.uri, paths[1])), 2, &["has another one"]);
    let (said, code) = server.end();
    assert_eq!((said.as_str(), code), ("2 clients, 2 requests\n", Some(0)));
    expect(&verify(&uri), 3, &["tcp://"]);
    // An object a line, with a span for each client and each of its requests.
    let log = server.log();
    let lines = log.lines().map(|line| serde_json::from_str(line).unwrap());
    let lines: Vec<serde_json::Value> = lines.collect();
    let count = |message: &str| lines.iter().filter(|line| line["message"] == message).count();
    assert_eq!(["welcome", "left", "refused"].map(count), [2, 2, 2], "{log}");
    let done = lines.iter().find(|line| line["message"] == "done").expect("a response");
    assert_eq!(done["spans"][0]["name"], "client", "{log}");
    assert_eq!(done["span"]["capability"], "ecdsa_verify (secp256k1)", "{log}");
    assert!(!log.contains("-token-"), "{log}");
}

#[test]
fn what_cannot_be_served_is_named() {
    let (_folder, paths) = files(&[b"short"]);
    let at = |more: &[&str]| run(&[&["device-server", "--listen", "127.0.0.1:0"], more].concat());
    let short = &["--token-file: token: the one in", &paths[0], "must have 16 to 1024"];
    expect(&at(&["--token-file", &paths[0]]), 2, short);
    let with = |listen: &str, token: Option<&str>| {
        let mut command = command(&["device-server", "--listen", listen]);
        command.env_remove("PROOFMILL_TOKEN").envs(token.map(|it| ("PROOFMILL_TOKEN", it)));
        command.output().unwrap()
    };
    let short = &["token: the one in PROOFMILL_TOKEN must have 16 to 1024"];
    expect(&with("127.0.0.1:0", Some("short")), 2, short);
    expect(&at(&["--token-file", "/nowhere/token"]), 2, &["--token-file", "/nowhere/token"]);
    expect(&at(&["--device", "gpu:"]), 2, &["unknown scheme 'gpu:'"]);
    expect(&at(&["--clients", "0"]), 2, &["--clients"]);
    let beyond = &["--listen: token: 0.0.0.0:0 can be reached from other machines"];
    expect(&with("0.0.0.0:0", None), 2, beyond);
    let server = Running::start(&[]);
    let taken = server.uri.strip_prefix("tcp://").unwrap();
    expect(&run(&["device-server", "--listen", taken]), 2, &["--listen", taken, "in use"]);
}

/// The unchanged commands of `docs/use/remote.md`: the token, the server, and commands that use it while it runs.
#[test]
fn the_pages_commands_work() {
    let page = include_str!("../../../../docs/use/remote.md");
    let commands = page.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let commands = commands.lines().filter(|line| !line.starts_with('#'));
    let [token, server, client] = commands.collect::<Vec<_>>()[..] else { panic!("{page}") };
    let folder = tempfile::tempdir().unwrap();
    let shell = |line: &str| {
        let mut shell = Command::new("sh");
        shell.args(["-e", "-c", line]).current_dir(&folder).env_remove("PROOFMILL_TOKEN");
        shell.output().unwrap()
    };
    if Command::new("openssl").arg("version").stdout(Stdio::null()).status().is_err() {
        println!("SKIPPED the commands of docs/use/remote.md: there is no openssl");
        return;
    }
    expect(&shell(token), 0, &[]);
    let server = server.replace(":7733", ":0");
    let mut server = Running::of(&server.split(' ').skip(1).collect::<Vec<_>>(), folder.path());
    let at = server.uri.strip_prefix("tcp://0.0.0.0").unwrap();
    let client = client.replace("192.0.2.1:7733", &format!("127.0.0.1{at}"));
    let client = client.replacen("proofmill", env!("CARGO_BIN_EXE_proofmill"), 1);
    expect(&shell(&client), 0, &["round trip", " MiB/s to it"]);
    assert_eq!(server.end().1, Some(0));
}

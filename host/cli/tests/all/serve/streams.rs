//! Chunked uploads to the process: their memory, and a real client that sends them.

use std::net::TcpStream;
use std::thread;

use super::*;

/// A client in Node. `fetch` sends a stream without `Content-Length`, in chunks.
const NODE_CLIENT: &str = r#"
const [address, file] = process.argv.slice(1);
const { createReadStream } = require("node:fs");
const { Readable } = require("node:stream");
(async () => {
  const body = Readable.toWeb(createReadStream(file, { highWaterMark: 1000 }));
  const proved = await fetch(`http://${address}/v1/prove/chain`, { method: "POST", body, duplex: "half" });
  const proof = await proved.text();
  const verified = await fetch(`http://${address}/v1/verify/chain`, { method: "POST", body: proof });
  console.log(proved.status, verified.status, await verified.text());
})();
"#;

#[test]
fn node_streams_a_witness() {
    if Command::new("node").arg("--version").stdout(Stdio::null()).status().is_err() {
        println!("SKIPPED a stream from Node: there is no node");
        return;
    }
    let made = Made::new("bn254", 100);
    let service = Running::start(&made, &[], None);
    let mut node = Command::new("node");
    node.args(["-e", NODE_CLIENT, &service.address, &made.at("witness.wtns")]);
    expect(&node.output().unwrap(), 0, &["200 200 {\"valid\":true}"]);
}

/// 200 MiB in chunks are refused by a service that stays small.
#[test]
fn chunked_uploads_use_no_more_memory_than_the_key_needs() {
    const CLIENTS: usize = 4;
    const MIB: usize = 1 << 20;
    /// KiB for four connections and whatever else the process does.
    const MAX_GROWTH: u64 = 24 << 10;
    let made = Made::new("bn254", 100);
    let service = Running::start(&made, &[], None);
    service.ask("POST", "/v1/prove/chain", &made.read("witness.wtns")).expect(200, "pi_a");
    let before = service.memory();
    thread::scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(|| {
                let mut stream = TcpStream::connect(&service.address).unwrap();
                stream.set_read_timeout(Some(PATIENCE)).unwrap();
                let head =
                    "POST /v1/prove/chain HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";
                write!(stream, "{head}Transfer-Encoding: chunked\r\n\r\n").unwrap();
                let chunk = [&b"100000\r\n"[..], &vec![7; MIB], b"\r\n"].concat();
                // The service drains 64 MiB of it, for 2 s at most.
                let sent = (0..50).take_while(|_| stream.write_all(&chunk).is_ok()).count();
                if sent == 50 && stream.write_all(b"0\r\n\r\n").is_ok() {
                    let response = Response::from(stream);
                    assert!([0, 413].contains(&response.status), "{response:?}");
                }
            });
        }
    });
    service.ask("POST", "/v1/prove/chain", &[7; 1 << 17]).expect(413, "body too large: at most ");
    if let (Some([_, before]), Some([_, after])) = (before, service.memory()) {
        assert!(after < before + MAX_GROWTH, "at most {before} KiB before, {after} KiB after");
    }
}

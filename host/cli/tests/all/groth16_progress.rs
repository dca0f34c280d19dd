//! The progress of a proof, on a terminal and without one.
#![cfg(unix)]

use std::fs::File;
use std::io::Read as _;
use std::process::{Output, Stdio};

use crate::support::made::Made;
use crate::support::{expect, text};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// What a bar shows.
const PARTS: [&str; 3] = [" %  ", "MSM H", "█"];

/// Returns files whose proof takes long enough for a bar, the output on a terminal, and the output of the command.
fn slow() -> (Made, String, Output) {
    let mut bar = String::new();
    for log in [14, 16, 18, 20] {
        let made = Made::new("bn254", 1 << log);
        let said;
        (bar, said) = watched(&made);
        if PARTS.iter().all(|part| bar.contains(part)) {
            return (made, bar, said);
        }
    }
    panic!("{PARTS:?} are not all in: {bar:?}")
}

/// Proves with standard error on a terminal.
fn watched(made: &Made) -> (String, Output) {
    let (ours, theirs) = terminal();
    let mut proving = made.proving(&["--threads", "1"]);
    proving.env("TERM", "xterm").env_remove("NO_COLOR");
    let child = proving.stdout(Stdio::piped()).stderr(theirs).spawn().unwrap();
    drop(proving);
    (seen(ours), child.wait_with_output().unwrap())
}

/// Both ends of a pseudo-terminal: ours, and a program's.
fn terminal() -> (File, File) {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let size = Winsize { ws_row: 24, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&ours, size).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap();
    let theirs = File::options().read(true).write(true).open(name.to_str().unwrap()).unwrap();
    (ours.into(), theirs)
}

/// Returns all that was written until the other end is closed.
fn seen(mut terminal: File) -> String {
    let mut all = Vec::new();
    // On Linux the end is an error (EIO), on other systems it is none; the bytes before it were read.
    let _ = terminal.read_to_end(&mut all);
    String::from_utf8(all).unwrap()
}

#[test]
fn progress_is_for_terminals_only() {
    let (made, bar, said) = slow();
    expect(&said, 0, &["proof.json: ", ", verified"]);
    // The line is taken away at the end, and standard output is not part of it.
    assert!(bar.ends_with("\r\u{1b}[2K"), "{bar:?}");
    assert!(!text(&said.stdout).contains('\u{1b}'), "{}", text(&said.stdout));
    expect(&made.verify(&[]), 0, &["proof.json: valid"]);

    let unseen = made.prove_with(&["--threads", "1"]);
    expect(&unseen, 0, &[", verified"]);
    assert!(unseen.stderr.is_empty(), "{}", text(&unseen.stderr));
}

//! `proofmill coprocessor` from outside.

use crate::support::{expect, files, run, text};
use serde_json::Value;

/// zcash-fpga's start-up program, whose slots have no types.
const START_UP: &str = include_str!("../../../../examples/coprocessor/start_up.asm");

fn coprocessor(arguments: &[&str]) -> std::process::Output {
    run(&[&["coprocessor"], arguments].concat())
}

#[test]
fn the_published_program_sends_the_published_values() {
    let (_folder, paths) = files(&[START_UP.as_bytes()]);
    let output = coprocessor(&["run", &paths[0]]);
    expect(
        &output,
        0,
        &[
            "interrupt 123: scalar\n  0xa\n",
            "interrupt 456: fe12\n  0x4fb0f149dd925d2c590a960936763e519c2b62e14c7759f96672cd852194325904197b0b19c6b528ab33566946af39b\n",
            "  0x79ab7b345eb23c944c957a36a6b74c37537163d4cbf73bad9751de1dd9c68ef72cb21447e259880f72a871c3eda1b0c\n",
            "6 instructions, waits at 7",
        ],
    );
    let output = coprocessor(&["run", "--json", &paths[0]]);
    expect(&output, 0, &[]);
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&answer["pointer"], &answer["error"]), (&7.into(), &Value::Null));
    assert_eq!(answer["interrupts"][1]["value"].as_array().unwrap().len(), 12);
    assert_eq!(answer["slots"]["ten"]["value"][0], "0xa");
}

/// The unchanged example of `docs/use/coprocessor.md`: 7 and 31 doubled three times, and squared.
#[test]
fn the_program_of_the_page_runs() {
    let page = include_str!("../../../../docs/use/coprocessor.md");
    let program = &page[page.find("memory data 512").unwrap()..];
    let program = &program[..program.find("```").unwrap()];
    let (_folder, paths) = files(&[program.as_bytes()]);
    let output = coprocessor(&["run", "--slots", &paths[0]]);
    expect(&output, 0, &["two = 0: scalar 0x0\n", " 0x6c80\n", "8 instructions, waits at 9"]);
}

#[test]
fn a_loop_that_sends_ends() {
    let (_folder, paths) = files(&[
        b"slot f = 0: fe12 1 2 3 4 5 6 7 8 9 10 11 12\nagain: send_interrupt f, 1\njump again\n",
    ]);
    expect(&coprocessor(&["run", &paths[0]]), 2, &["program: sends more than 65536 slots"]);
}

#[test]
fn what_was_assembled_is_disassembled() {
    let (folder, paths) = files(&[START_UP.as_bytes()]);
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (program, data) = (at("program"), at("data"));
    expect(&coprocessor(&["asm", "-o", &program, "--data", &data, &paths[0]]), 0, &[]);
    assert_eq!(std::fs::read(&program).unwrap().len(), 7 * 8);
    assert_eq!(std::fs::read(&data).unwrap().len(), 70 * 48);
    let sent = coprocessor(&["asm", "-o", "-", &paths[0]]);
    assert_eq!(sent.stdout, std::fs::read(&program).unwrap());
    let sent = coprocessor(&["asm", "--data", "-", &paths[0]]);
    assert_eq!(sent.stdout, std::fs::read(&data).unwrap());
    assert!(text(&sent.stderr).contains("miller_loop P, Q, f"), "the listing");
    let output = coprocessor(&["disasm", &program]);
    expect(&output, 0, &["at 1\n    miller_loop 64, 66, 1\n", "    send_interrupt 1, 456\n"]);
    std::fs::write(at("again"), &output.stdout).unwrap();
    expect(&coprocessor(&["asm", "-o", &at("second"), &at("again")]), 0, &[]);
    assert_eq!(std::fs::read(at("second")).unwrap(), std::fs::read(&program).unwrap());
    let wanted = [
        format!("  1  2140004200010000  {:>6}  miller_loop P, Q, f\n", kept("miller_loop fp_af")),
        format!("  3  1201000d00010000  {:>6}  mul f, g, f\n", kept("mul fe12")),
        format!("  5  0600007b00000000  {:>6}  send_interrupt ten, 123\n", ""),
    ];
    expect(&coprocessor(&["asm", &paths[0]]), 0, &wanted.each_ref().map(String::as_str));
}

/// Kept cycles of an instruction on operands of a type.
fn kept(what: &str) -> u64 {
    let kept: serde_json::Value =
        serde_json::from_str(include_str!("../../src/coprocessor/cycles.json")).unwrap();
    kept[what].as_u64().unwrap()
}

#[test]
fn a_trace_shows_each_change() {
    let loops = "slot k = 0: scalar 2\nslot x = 1: fe 3\nagain: add x, x, x\njump_nonzero_sub again k\nmul x, 9, 300\n";
    let (_folder, paths) = files(&[loops.as_bytes()]);
    let output = coprocessor(&["trace", &paths[0]]);
    let told = text(&output.stdout);
    let add = kept("add fe");
    let wanted = format!(
        "  1  {add:>6}  add x, x, x\n       x = fe 0x6\n  2  {:>6}  jump_nonzero_sub 1, k\n       k = scalar 0x1\n",
        ""
    );
    assert!(told.starts_with(&wanted), "{told}");
    let refused = "line 5: slot 3 was refused: an operand that is not below the number of slots";
    let about = format!("about {} cycles on a card", 3 * add);
    expect(&output, 1, &["x = fe 0x18", refused, "7 instructions, waits at 4", &about]);
    let output = coprocessor(&["trace", "--limit", "3", &paths[0]]);
    expect(&output, 1, &["3 instructions, stopped by the limit at 2"]);
}

#[test]
fn what_cannot_be_is_named() {
    let (folder, paths) =
        files(&[b"jump 1\nmull 1 2 3\n", &[0; 9], b"jump 1\n", b"copy_reg 256, 1\n"]);
    for command in ["asm", "run", "trace"] {
        expect(
            &coprocessor(&[command, &paths[0]]),
            2,
            &["PROGRAM: ", "line 2: 'mull' is no opcode"],
        );
        expect(&coprocessor(&[command, "no such file"]), 2, &["PROGRAM: no such file"]);
    }
    expect(&coprocessor(&["asm", "-o", &paths[2], &paths[2]]), 2, &["--output"]);
    let nowhere = folder.path().join("no/where").to_str().unwrap().to_owned();
    expect(&coprocessor(&["asm", "-o", &nowhere, &paths[2]]), 2, &["--output"]);
    expect(&coprocessor(&["disasm", &paths[1]]), 2, &["MEMORY: 9 bytes are not a whole number"]);
    expect(&coprocessor(&["disasm", "no such file"]), 2, &["MEMORY: no such file"]);
    std::fs::write(&paths[1], vec![0; 8 * 65_537]).unwrap();
    expect(
        &coprocessor(&["disasm", &paths[1]]),
        2,
        &["MEMORY: 65537 instructions; there are at most 65536"],
    );
    expect(
        &coprocessor(&["run", "--limit", "1000", &paths[2]]),
        1,
        &["1000 instructions, stopped by the limit at 1"],
    );
    expect(
        &coprocessor(&["run", &paths[3]]),
        1,
        &["line 1: slot 1 was refused: an operand that is not below"],
    );
    expect(&coprocessor(&["run", "--device", "nothing:", &paths[2]]), 2, &["nothing"]);
    expect(&coprocessor(&["trace", "--limit", "many", &paths[2]]), 2, &["--limit"]);
}

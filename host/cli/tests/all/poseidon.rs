//! `proofmill poseidon` from outside.

use serde_json::Value;

use crate::support::{expect, files, piped, run, text};

/// Small numbers as elements.
fn elements(numbers: impl IntoIterator<Item = u8>) -> Vec<u8> {
    let element = |number| {
        let mut bytes = [0; 32];
        bytes[0] = number;
        bytes
    };
    numbers.into_iter().flat_map(element).collect()
}

#[test]
fn a_file_is_hashed() {
    let (folder, paths) = files(&[&elements([0, 1, 2, 3])]);
    let to = folder.path().join("digests").to_str().unwrap().to_owned();
    let output = run(&["poseidon", "hash", "--arity", "2", "--json", &paths[0], &to]);
    expect(&output, 0, &[]);
    let line: Value = serde_json::from_str(text(&output.stdout).trim()).unwrap();
    assert_eq!((&line["type"], &line["count"]), (&"poseidon".into(), &2.into()));
    let mut digest = std::fs::read(&to).unwrap()[..32].to_vec();
    digest.reverse();
    let wanted = "396508d75e76a56b739e0fd902efe161a6fba9339d05a69d2e203c369a02e7ff";
    assert_eq!(hex::encode(digest), wanted);
    // What neptune publishes of four elements of constant length.
    let arguments = ["--domain", "constant-length", "--length", "4", &paths[0], &to];
    let output = run(&[&["poseidon", "hash", "--arity", "8"], &arguments[..]].concat());
    expect(&output, 0, &[]);
    let mut digest = std::fs::read(&to).unwrap();
    digest.reverse();
    let wanted = "5c6de4b69de9d792cad8b9f8aeb1578f203e3c7c4a85c1f9370a94532f818897";
    assert_eq!(hex::encode(digest), wanted);
}

/// What circomlib publishes of 1, 2 and Poseidon2's authors of 0 to 11.
#[test]
fn other_instances() {
    let states: Vec<u8> = (0u64..12).flat_map(u64::to_le_bytes).collect();
    let (folder, paths) = files(&[&elements([1, 2]), &states]);
    let to = folder.path().join("digests").to_str().unwrap().to_owned();
    let cases = [
        (
            "circom",
            "2",
            &paths[0],
            "115cc0f5e7d690413df64c6b9662e9cf2a3617f2743245519e19607a4417189a",
        ),
        ("poseidon2_goldilocks", "12", &paths[1], "01eaef96bdf1c0c1"),
    ];
    for (instance, arity, from, wanted) in cases {
        let arguments = ["poseidon", "hash", "--instance", instance, "--arity", arity, from, &to];
        expect(&run(&arguments), 0, &[]);
        let mut first = std::fs::read(&to).unwrap()[..wanted.len() / 2].to_vec();
        first.reverse();
        assert_eq!(hex::encode(first), wanted);
        let more: [(&[&str], &str); 4] = [
            (&["--strengthened"], "--strengthened: only the instance bls12_381"),
            (&["--domain", "encryption"], "--domain: only the instance bls12_381 has some"),
            (&["--arity", "17"], "--arity"),
            (&["--device", "sim:"], "--device: sim: does not have "),
        ];
        for (argument, problem) in more {
            expect(&run(&[&arguments[..], argument].concat()), 2, &[problem]);
        }
    }
    let wrong = ["poseidon", "hash", "--instance", "circom", "--arity", "17", &paths[0], &to];
    expect(&run(&wrong), 2, &["arity: is 17; circom has 1, 2, "]);
    let wrong = ["poseidon", "hash", "--instance", "bn254", "--arity", "2", &paths[0], &to];
    expect(&run(&wrong), 2, &["'bn254' is unknown; expected one of bls12_381, circom, "]);
}

#[test]
fn a_tree_its_proofs_and_their_checks() {
    let (folder, paths) = files(&[&elements(0..64), &elements(0..192)]);
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (tree, proof) = (at("tree"), at("proof.json"));
    for (columns, from) in [(&[][..], &paths[0]), (&["--columns", "3"], &paths[1])] {
        let arguments = [&["poseidon", "tree", "--arity", "4"], columns, &[from, &tree]].concat();
        let output = run(&arguments);
        expect(&output, 0, &["0x"]);
        let root = text(&output.stdout).trim().to_owned();
        assert_eq!(std::fs::metadata(&tree).unwrap().len(), 32 * (64 + 16 + 4 + 1));
        expect(
            &run(&["poseidon", "prove", "--arity", "4", "--index", "63", &tree, &proof]),
            0,
            &[],
        );
        expect(&run(&["poseidon", "check", "--root", &root, &proof]), 0, &["valid"]);
        let sent = run(&["poseidon", "prove", "--arity", "4", "--index", "63", &tree, "-"]);
        expect(&sent, 0, &[]);
        assert_eq!(sent.stdout, std::fs::read(&proof).unwrap());
        expect(&piped(&["poseidon", "check", "--root", &root, "-"], &sent.stdout), 0, &["valid"]);
        let nothing = piped(&["poseidon", "check", "--root", &root, "-"], b"");
        expect(&nothing, 2, &["PROOF: standard input: "]);
        let output = run(&["poseidon", "check", "--root", "0x1", &proof]);
        expect(&output, 1, &["invalid: leads to ", &root]);
    }
}

/// The same bytes as on the processor.
#[test]
fn a_tree_is_built_by_a_simulated_card() {
    let name = "poseidon_small_twin";
    let found = proofmill_device::list().into_iter().filter_map(|listed| listed.simulation);
    let Some(simulation) = found.into_iter().find(|found| found.name == name && !found.traced)
    else {
        let named = std::env::var_os(proofmill_device::FOLDER_VARIABLE).is_some();
        assert!(!named, "{} has no '{name}'", proofmill_device::FOLDER_VARIABLE);
        eprintln!("SKIPPED: there is no simulation '{name}'; `make sim CONFIG={name}` builds it");
        return;
    };
    let (folder, paths) = files(&[&elements(0..16), &elements(0..32)]);
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let device = format!("sim:{}", simulation.path.display());
    for (columns, from) in [(&[][..], &paths[0]), (&["--columns", "2"], &paths[1])] {
        let trees = [("cpu:", at("here")), (&device[..], at("there"))].map(|(device, tree)| {
            let arguments = ["poseidon", "tree", "--arity", "2", "--device", device];
            expect(&run(&[&arguments[..], columns, &[from, &tree]].concat()), 0, &["0x"]);
            std::fs::read(&tree).unwrap()
        });
        assert!(trees[0] == trees[1] && trees[0].len() == 32 * (16 + 8 + 4 + 2 + 1));
    }
    let arguments = ["poseidon", "tree", "--arity", "4", "--device", &device];
    let output = run(&[&arguments[..], &[&paths[0], &at("there")]].concat());
    expect(&output, 3, &["arity 4; it has the standard and the strengthened instance of arity 2"]);
}

#[test]
fn what_cannot_be_is_named() {
    let (folder, paths) = files(&[&elements(0..63), &[0xff; 64], b"{}"]);
    let to = folder.path().join("to").to_str().unwrap().to_owned();
    let poseidon = |arguments: &[&str]| run(&[&["poseidon"], arguments].concat());
    let [odd, large, braces] = &paths[..] else { unreachable!() };
    let huge = usize::MAX.to_string();
    let place = folder.path().to_str().unwrap();
    let cases: [(&[&str], &str); 12] = [
        (&["hash", "--arity", "2", odd, &to], "preimages: 2016 bytes are not a whole number"),
        (&["hash", "--arity", "2", large, &to], "element 0 of preimage 0 is not below the modulus"),
        (&["hash", "--arity", "37", odd, &to], "arity: is 37; expected 2 to 36"),
        (&["hash", "--arity", "3", "--length", "2", odd, &to], "--length: only the domain"),
        (
            &["tree", "--arity", "8", odd, &to],
            "leaves: a count of 63 is not a power of the arity 8",
        ),
        (&["tree", "--arity", "2", large, &to], "leaves: number 0 is not below the modulus"),
        (&["tree", "--arity", "2", "--columns", "0", odd, &to], "--columns: is 0"),
        (&["tree", "--arity", "2", "--columns", &huge, odd, &to], "FROM: 2016 bytes are not"),
        (&["tree", "--arity", "2", place, &to], "not a regular file"),
        (&["prove", "--arity", "8", "--index", "0", odd, &to], "tree: 2016 bytes are not all rows"),
        (&["check", "--root", "0x0", braces], "PROOF: "),
        (&["check", "--root", "mine", braces], "--root: 'mine' is not a number 0x…"),
    ];
    for (arguments, problem) in cases {
        expect(&poseidon(arguments), 2, &[problem]);
    }
    assert!(!std::path::Path::new(&to).exists());
}

/// A tree that is killed after its first checkpoint is resumed; changes in the meantime are errors.
#[test]
fn a_killed_tree_goes_on() {
    let leaf = |i: u32| [&i.to_le_bytes()[..], &[0; 28]].concat();
    let leaves: Vec<u8> = (0..1 << 17).flat_map(leaf).collect();
    let (folder, paths) = files(&[&leaves]);
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (plain, tree, from) = (at("plain"), at("tree"), &paths[0]);
    let (rows, checkpoint) = (at("tree.part"), at("tree.part.json"));
    let arguments = ["poseidon", "tree", "--arity", "2", "--device", "cpu:?threads=1"];
    let resume = [&arguments[..], &["--resume", from, &tree]].concat();
    let output = run(&[&arguments[..], &[from, &plain]].concat());
    let root = text(&output.stdout).to_owned();

    let mut child =
        std::process::Command::new(env!("CARGO_BIN_EXE_proofmill")).args(&resume).spawn().unwrap();
    while !std::fs::exists(&checkpoint).unwrap() {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it could be killed");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    child.kill().unwrap();
    assert!(!child.wait().unwrap().success());
    assert!(std::fs::exists(&rows).unwrap() && !std::fs::exists(&tree).unwrap());

    // Other rows, and other input.
    let kept = std::fs::read(&rows).unwrap();
    let mut changed = kept.clone();
    changed[100] ^= 1;
    std::fs::write(&rows, changed).unwrap();
    expect(&run(&resume), 2, &["--resume: ", "row 0 of the tree is not what was written"]);
    std::fs::write(&rows, kept).unwrap();
    let since = std::fs::metadata(&checkpoint).unwrap().modified().unwrap();
    let input = std::fs::File::options().append(true).open(from).unwrap();
    input.set_modified(since + std::time::Duration::from_secs(1)).unwrap();
    expect(&run(&resume), 2, &["FROM was changed since"]);
    input.set_modified(since).unwrap();

    let output = run(&resume);
    expect(&output, 0, &[]);
    assert_eq!(text(&output.stdout), root);
    assert!(std::fs::read(&tree).unwrap() == std::fs::read(&plain).unwrap());
    assert!(!std::fs::exists(&rows).unwrap() && !std::fs::exists(&checkpoint).unwrap());
}

//! `proofmill msm` and `proofmill points` from the outside.

use crate::support::{expect, files, run, text};

/// Curves, bytes of a point of G1, and whether there is G2.
const CURVES: [(&str, usize, bool); 5] = [
    ("bn254", 64, true),
    ("bls12_381", 96, true),
    ("bls12_377", 96, true),
    ("pallas", 64, false),
    ("vesta", 64, false),
];

/// Small scalars.
fn scalars<const N: usize>(small: [u8; N]) -> Vec<u8> {
    let scalar = |k| [&[k][..], &[0; 31]].concat();
    small.into_iter().flat_map(scalar).collect()
}

/// A point of a file as the command prints it.
fn shown(group: &str, bytes: &[u8]) -> String {
    let coefficients = if group == "g2" { 2 } else { 1 };
    let number = |le: &[u8]| {
        let be: Vec<u8> = le.iter().rev().copied().collect();
        format!("0x{}", hex::encode(be))
    };
    let coordinate = |bytes: &[u8]| {
        let numbers: Vec<_> = bytes.chunks(bytes.len() / coefficients).map(number).collect();
        numbers.join(",")
    };
    let (x, y) = bytes.split_at(bytes.len() / 2);
    format!("{} {}", coordinate(x), coordinate(y))
}

#[test]
fn a_sum_of_generated_points_is_a_generated_point() {
    for (curve, bytes, has_g2) in CURVES {
        let groups = [("g1", bytes), ("g2", 2 * bytes)];
        for &(group, bytes) in &groups[..1 + usize::from(has_g2)] {
            let (_folder, paths) = files(&[&[], &scalars([5, 0, 1, 2]), &scalars([0, 1, 0, 0])]);
            let [points, first, second] = &paths[..] else { unreachable!() };
            let of = ["--curve", curve, "--group", group];
            let generate = ["points", "generate", "--count", "4", "--first", "3", points];
            expect(&run(&[&generate[..], &of].concat()), 0, &[]);
            let made = std::fs::read(points).unwrap();
            assert_eq!(made.len(), 4 * bytes);

            // 5 * 3 G + 5 G + 2 * 6 G = 32 G, and 4 G.
            let ask = [&["msm"][..], &of, &["--bases", points, "--scalars", first, "--scalars"]];
            let ask = [&ask.concat()[..], &[second, "--confirm"]].concat();
            let said = run(&ask);
            expect(&said, 0, &["confirmed by cpu: in "]);
            let lines: Vec<_> = text(&said.stdout).lines().collect();
            let generate = ["points", "generate", "--count", "1", "--first", "32", points];
            expect(&run(&[&generate[..], &of].concat()), 0, &[]);
            let wanted = std::fs::read(points).unwrap();
            assert_eq!(lines, [shown(group, &wanted), shown(group, &made[bytes..2 * bytes])]);
        }
    }
}

#[test]
fn generated_scalars_are_below_the_order_and_repeat_with_their_seed() {
    for (curve, ..) in CURVES {
        let (_folder, paths) = files(&[&[], &[]]);
        let [points, file] = &paths[..] else { unreachable!() };
        let make = |seed: &str| {
            let ask = ["scalars", "generate", "--curve", curve, "--count", "100", "--seed", seed];
            expect(&run(&[&ask[..], &[file]].concat()), 0, &[]);
            std::fs::read(file).unwrap()
        };
        let (first, other, again) = (make("1"), make("2"), make("1"));
        assert_eq!((first.len(), &first), (3200, &again));
        assert_ne!(first, other);
        let of = ["--curve", curve, "--count", "100", points];
        expect(&run(&[&["points", "generate"][..], &of].concat()), 0, &[]);
        // The MSM refuses what is not below r.
        let ask = ["msm", "--curve", curve, "--bases", points, "--scalars", file, "--confirm"];
        expect(&run(&ask), 0, &["confirmed by cpu: in "]);
    }
    let ask = ["scalars", "generate", "--curve", "curve25519", "--count", "1", "/dev/null"];
    expect(&run(&ask), 2, &["--curve", "curve25519"]);
}

/// Enough points for buckets of eight lanes, which once took more stack than a thread had in unoptimised code.
#[test]
fn thousands_of_points_are_summed() {
    const MANY: usize = 2000;
    let (_folder, paths) = files(&[&[], &scalars([1; MANY])]);
    let of = ["--curve", "bls12_381", "--group", "g2"];
    let generate = |count: &str, first: &str| {
        let ask = ["points", "generate", "--count", count, "--first", first, &paths[0]];
        expect(&run(&[&ask[..], &of].concat()), 0, &[]);
    };
    generate(&MANY.to_string(), "1");
    let said = run(&[&["msm", "--bases", &paths[0], "--scalars", &paths[1]], &of[..]].concat());
    expect(&said, 0, &[]);
    generate("1", &(MANY * (MANY + 1) / 2).to_string());
    assert_eq!(text(&said.stdout).trim(), shown("g2", &std::fs::read(&paths[0]).unwrap()));
}

#[test]
fn json_has_time_and_plan() {
    let (_folder, paths) = files(&[&[], &scalars([1, 2, 3])]);
    let of = ["--curve", "bls12_381", "--group", "g1"];
    expect(&run(&[&["points", "generate", "--count", "3", &paths[0]], &of[..]].concat()), 0, &[]);
    let ask = ["msm", "--bases", &paths[0], "--scalars", &paths[1], "--json", "--confirm"];
    let said = run(&[&ask[..], &of].concat());
    expect(&said, 0, &[]);
    let line: serde_json::Value = serde_json::from_slice(&said.stdout).unwrap();
    assert_eq!((&line["type"], &line["instance"]), (&"msm".into(), &"bls12_381_g1".into()));
    assert!(line["seconds"].as_f64() > Some(0.0) && line["confirmed_seconds"].is_f64(), "{line}");
    assert!(line["cycles"].is_null(), "the processor counts none");
    assert!(line["plan"]["windows"].as_u64() > Some(1), "{line}");
    let x = line["point"]["x"].as_str().unwrap();
    assert!(x.starts_with("0x") && x.len() == 2 + 96, "{line}");
}

#[test]
fn precomputed_multiples_are_planned_and_give_the_same_sum() {
    let (_folder, paths) = files(&[&[], &scalars([1, 2, 3])]);
    let of = ["--curve", "bn254", "--group", "g1"];
    expect(&run(&[&["points", "generate", "--count", "3", &paths[0]], &of[..]].concat()), 0, &[]);
    let ask = ["msm", "--bases", &paths[0], "--scalars", &paths[1], "--json", "--confirm"];
    let sum = |more: &[&str]| -> serde_json::Value {
        let said = run(&[&ask[..], &of, more].concat());
        expect(&said, 0, &[]);
        serde_json::from_slice(&said.stdout).unwrap()
    };
    let (plain, precomputed) = (sum(&[]), sum(&["--precompute", "1"]));
    assert_eq!(plain["point"], precomputed["point"]);
    let multiples = precomputed["plan"]["multiples"].as_u64().unwrap();
    assert!(plain["plan"]["multiples"] == 1 && multiples > 1, "{precomputed}");
    let resident = |line: &serde_json::Value| line["plan"]["resident"].as_u64().unwrap();
    assert!(resident(&precomputed) > resident(&plain) && resident(&precomputed) <= 1 << 20);
}

#[test]
fn what_is_wrong_is_named() {
    let (_folder, paths) = files(&[&[], &scalars([1, 2]), &[0xff; 96], &[9; 3 * 64]]);
    let [points, short, large, off] = &paths[..] else { unreachable!() };
    let of = ["--curve", "bn254", "--group", "g1"];
    expect(&run(&[&["points", "generate", "--count", "3", points], &of[..]].concat()), 0, &[]);
    let ask = |bases: &str, scalars: &str, more: &[&str]| {
        let ask = [&["msm", "--bases", bases, "--scalars", scalars][..], more].concat();
        if more.contains(&"--curve") { run(&ask) } else { run(&[&ask[..], &of].concat()) }
    };
    let good = scalars([1, 2, 3]);
    let (_other, good) = files(&[&good]);
    let good = &good[0][..];
    expect(&ask(points, good, &[]), 0, &[]);
    let lengths = "64 bytes; expected 96: one scalar of 32 bytes for each of 3 points";
    expect(&ask(points, short, &[]), 2, &["--scalars: ", short, lengths]);
    let endless = "97 bytes or more; expected 96: one scalar of 32 bytes for each of 3 points";
    expect(&ask(points, "/dev/zero", &[]), 2, &["--scalars: /dev/zero", endless]);
    expect(&ask(points, large, &[]), 2, &["scalars: list 0: number 0 is not below the order"]);
    for check in [&["--check", "curve"][..], &["--check", "subgroup"], &[]] {
        expect(&ask(off, good, check), 2, &["bases: point 0 is not on the curve"]);
    }
    expect(&ask("/nowhere", good, &[]), 2, &["--bases: /nowhere"]);
    for other in ["/", "/dev/null"] {
        expect(&ask(other, good, &[]), 2, &[other, "not a regular file"]);
    }
    expect(&ask(points, "/nowhere", &[]), 2, &["--scalars: /nowhere"]);
    expect(
        &ask(points, good, &["--curve", "bn255", "--group", "g1"]),
        2,
        &["'bn255_g1' is unknown; expected one of"],
    );
    let no_g2 = "'pallas_g2' is unknown; expected one of bn254_g1, ";
    expect(&ask(points, good, &["--curve", "pallas", "--group", "g2"]), 2, &[no_g2]);
    expect(&ask(points, good, &["--device", "sim:none"]), 3, &["none.so"]);
    expect(&ask(points, good, &["--check", "all"]), 2, &["--check"]);
}

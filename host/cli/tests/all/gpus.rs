//! Drivers of GPUs that cannot be used. Each is a library with a few functions, in place of NVIDIA's.

use std::process::Command;

use crate::support::{command, expect};

#[test]
fn a_driver_that_cannot_be_used_is_named() {
    for (source, problem) in [
        ("int nothing;", "libcuda.so.1 is no driver of NVIDIA's"),
        (
            "int cuDriverGetVersion(int *to) { *to = 11040; return 0; }",
            "the driver's CUDA 11.4 is older than 12.0: install driver 525 or newer",
        ),
        (
            "int cuDriverGetVersion(int *to) { *to = 12020; return 0; }",
            "the driver lacks cuCtxSetCurrent: install driver 525 or newer",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let (code, library) = (folder.path().join("driver.c"), folder.path().join("libcuda.so.1"));
        std::fs::write(&code, source).unwrap();
        let built =
            Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(library).arg(code).status();
        assert!(built.expect("cc, which links programs of Rust too").success());
        for (arguments, exit) in [
            (&["doctor"][..], 0),
            (&["ntt", "--field", "goldilocks", "--device", "cuda:0", "a", "b"], 3),
        ] {
            let done = command(arguments).env("LD_LIBRARY_PATH", folder.path()).output().unwrap();
            expect(&done, exit, &[problem]);
        }
    }
}

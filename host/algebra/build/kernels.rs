//! Selects the kernels of eight lanes to compile. They are the larger half of the crate, and a CPU executes one kind of them.

use std::env;

/// The environment variable that selects fewer than all.
const VARIABLE: &str = "PROOFMILL_BUILD";

/// Sets `kernels_of_limbs` (AVX-512 IFMA) and `kernels_of_doubles` (AVX2 and FMA): both, or with `PROOFMILL_BUILD=native` the
/// kind that the processor which compiles would choose.
pub fn choose() {
    println!("cargo::rustc-check-cfg=cfg(kernels_of_limbs, kernels_of_doubles)");
    println!("cargo::rerun-if-env-changed={VARIABLE}");
    if env::var("CARGO_CFG_TARGET_ARCH").as_deref() != Ok("x86_64") {
        return;
    }
    let limbs = has_ifma();
    let (limbs, doubles) = if is_native() { (limbs, !limbs) } else { (true, true) };
    for (kind, wanted) in [("kernels_of_limbs", limbs), ("kernels_of_doubles", doubles)] {
        if wanted {
            println!("cargo::rustc-cfg={kind}");
        }
    }
}

fn is_native() -> bool {
    let asked = env::var(VARIABLE).unwrap_or_default();
    assert!(matches!(&*asked, "" | "native"), "{VARIABLE}: '{asked}' is not 'native'");
    let crosses = env::var("HOST") != env::var("TARGET");
    assert!(
        asked.is_empty() || !crosses,
        "{VARIABLE}: native is for the processor that compiles, and this build is for another"
    );
    !asked.is_empty()
}

#[cfg(target_arch = "x86_64")]
fn has_ifma() -> bool {
    std::is_x86_feature_detected!("avx512ifma")
}

#[cfg(not(target_arch = "x86_64"))]
fn has_ifma() -> bool {
    false
}

//! Names the interface that programs are linked to: it changes when one of them would have to be compiled again.

fn main() {
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libproofmill.so.0");
    }
    println!("cargo::rerun-if-changed=build.rs");
}

//! Sets the name that programs link to. Its number changes when they have to be compiled again.

fn main() {
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libproofmill.so.0");
    }
    println!("cargo::rerun-if-changed=build.rs");
}

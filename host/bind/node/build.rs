//! Linker options of a Node module.

fn main() {
    napi_build::setup();
}

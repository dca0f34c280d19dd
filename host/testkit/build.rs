//! Embeds the vectors of every operation and of the wire, so that `proofmill selftest` needs no files beside it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let spec = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec");
    let root = spec.join("vectors");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut code = String::from("pub const FILES: &[(&str, &str)] = &[\n");
    for folder in entries(&root).into_iter().filter(|path| path.is_dir() && travels(&spec, path)) {
        println!("cargo::rerun-if-changed={}", folder.display());
        for file in entries(&folder) {
            if file.extension().is_none_or(|extension| extension != "json") {
                continue;
            }
            println!("cargo::rerun-if-changed={}", file.display());
            let name =
                file.strip_prefix(&root).expect("a file under the folder").display().to_string();
            let path =
                file.canonicalize().unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            writeln!(code, "({name:?}, include_str!({path:?})),").expect("writing to a string");
        }
    }
    code.push_str("];\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join("vectors.rs");
    fs::write(&out, code).unwrap_or_else(|error| panic!("{}: {error}", out.display()));
}

/// What a device is asked for has a wire file; fields, curves and formulas are the business of `algebra` alone.
fn travels(spec: &Path, folder: &Path) -> bool {
    let name = folder.file_name().expect("a folder's name");
    name == "wire" || spec.join("wire").join(name).with_extension("toml").exists()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .map(|entries| entries.filter_map(|entry| Some(entry.ok()?.path())).collect())
        .unwrap_or_default();
    paths.sort();
    paths
}

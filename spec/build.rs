//! Lists the files of each folder, so that a new file needs no change in Rust.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let mut code = String::new();
    for folder in ["fields", "curves", "hashes", "wire"] {
        let files = files(&root.join(folder), "toml");
        list(&mut code, &root.join(folder), folder, &files);
    }
    let vectors = root.join("vectors");
    let folders =
        entries(&vectors).into_iter().filter(|path| path.is_dir() && travels(&root, path));
    let cases: Vec<_> = folders.flat_map(|folder| files(&folder, "json")).collect();
    list(&mut code, &vectors, "vectors", &cases);
    let out = Path::new(&env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join("files.rs");
    fs::write(&out, code).unwrap_or_else(|error| panic!("{}: {error}", out.display()));
}

/// Writes a constant with the name and the text of each file. The name is the path below the folder, without extension.
fn list(code: &mut String, root: &Path, folder: &str, files: &[PathBuf]) {
    let constant = folder.to_uppercase();
    let _ = writeln!(code, "/// `spec/{folder}`.\npub const {constant}: &[File] = &[");
    for file in files {
        let name = file.strip_prefix(root).expect("a file below the folder").with_extension("");
        let _ = writeln!(code, "({:?}, include_str!({:?})),", name.display().to_string(), file);
    }
    code.push_str("];\n");
}

/// Returns whether a folder of vectors belongs to an operation of devices. These have a wire file; `quotient` uses that of `ntt`. Vectors of fields, curves
/// and formulas are for `algebra` only.
fn travels(root: &Path, folder: &Path) -> bool {
    let name = folder.file_name().expect("a folder's name");
    name == "wire"
        || name == "quotient"
        || root.join("wire").join(name).with_extension("toml").exists()
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let all = entries(folder);
    all.into_iter().filter(|path| path.extension().is_some_and(|end| end == extension)).collect()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a folder entry").path()).collect();
    paths.sort();
    paths
}

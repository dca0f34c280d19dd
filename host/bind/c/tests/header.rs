//! Checks that the header in the tree is the one that cbindgen generates from the source.

use std::path::Path;

#[test]
fn the_header_is_generated_from_the_source() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut made = Vec::new();
    let config = cbindgen::Config::from_file(folder.join("cbindgen.toml")).unwrap();
    let source = cbindgen::Builder::new().with_config(config);
    let modules = [
        "status",
        "device",
        "msm",
        "ntt",
        "poseidon",
        "ecdsa",
        "equihash",
        "pairing",
        "vdf",
        "prover",
        "batch",
        "calculator",
    ];
    let paths = modules.map(|module| folder.join("src").join(module).with_extension("rs"));
    let source = paths.iter().fold(source, |source, path| source.with_src(path));
    source.generate().unwrap().write(&mut made);
    let (made, kept) = (String::from_utf8(made).unwrap(), folder.join("include/proofmill.h"));
    if std::fs::read_to_string(&kept).is_ok_and(|text| text == made) {
        return;
    }
    let new = Path::new(env!("CARGO_TARGET_TMPDIR")).join("proofmill.h");
    std::fs::write(&new, made).unwrap();
    panic!("{} differs from the generated header: copy {} there", kept.display(), new.display());
}

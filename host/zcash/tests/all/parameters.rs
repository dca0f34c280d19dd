//! Files that are not the parameters.

use std::path::Path;
use std::sync::Arc;

use proofmill_zcash::{Error, SaplingParameters, SaplingPaths};

use crate::FILES;

fn refused(spend: Arc<[u8]>, output: Arc<[u8]>) -> String {
    SaplingParameters::from_bytes(spend, output).unwrap_err().to_string()
}

#[test]
fn damaged_truncated_and_exchanged_files_are_refused() {
    let [spend, output] = FILES.clone();
    let problem = "sapling-spend.params: 3592860 bytes, the Spend parameters have 47958396";
    assert_eq!(refused(output.clone(), spend.clone()), problem);
    let problem = "sapling-output.params: 3592859 bytes, the Output parameters have 3592860";
    assert_eq!(refused(spend.clone(), output[..3_592_859].into()), problem);
    assert!(
        refused([].into(), output.clone())
            .ends_with("0 bytes, where the points of the header have 864")
    );
    for byte in [0, 3_000, 40_000_000, 47_958_395] {
        let mut damaged = spend.to_vec();
        damaged[byte] ^= 1;
        match SaplingParameters::from_bytes(damaged.into(), output.clone()).unwrap_err() {
            Error::Hash { found, expected, .. } => assert_ne!(found, expected),
            // A number of points, or a point.
            other => panic!("byte {byte}: {other}"),
        }
    }
}

#[test]
fn missing_files_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sapling-spend.params");
    let missing = SaplingPaths { spend: &path, output: Path::new("sapling-output.params") };
    let problem = SaplingParameters::open(missing).unwrap_err().to_string();
    assert!(problem.starts_with(&path.display().to_string()), "{problem}");
    let paths = SaplingPaths { spend: folder.path(), output: folder.path() };
    let problem = SaplingParameters::open(paths).unwrap_err().to_string();
    assert!(problem.ends_with("not a regular file"), "{problem}");
}

/// The verifying keys in this crate are the first bytes of the parameters.
#[test]
fn verifying_keys_are_those_of_the_parameters() {
    let keys: [&[u8]; 2] = [
        include_bytes!("../../src/keys/sapling-spend.vk"),
        include_bytes!("../../src/keys/sapling-output.vk"),
    ];
    for (key, parameters) in keys.iter().zip(&*FILES) {
        assert!(parameters.starts_with(key));
        assert!(!key.is_empty());
    }
    // That of Sprout is not in a package with its parameters; zebra-consensus has this file.
    let sprout = include_bytes!("../../src/keys/sprout.vk");
    let hash = blake2b_simd::Params::new().hash_length(32).hash(sprout).to_hex();
    assert_eq!(&*hash, "445a816d568f64ba959c423d83759bc6999a9290451fc36601f052e69dc4ce9a");
}

//! Real blocks of both networks, from the sources of the published crate `zebra-test`. They are not in this
//! repository: `make test` fetches the crate and sets `PROOFMILL_ZEBRA_TEST_DIR` to its folder.

use std::path::PathBuf;
use std::{env, fs};

use proofmill_op::equihash_verify::Network;

/// The environment variable with the crate's folder.
pub const VARIABLE: &str = "PROOFMILL_ZEBRA_TEST_DIR";

/// One block file.
#[derive(Clone, Debug)]
pub struct Block {
    /// The file's name.
    pub name: String,
    /// The network of its chain.
    pub network: Network,
    /// The whole block.
    pub bytes: Vec<u8>,
}

/// Returns every block file whose block is valid, by name. If the crate is not installed, prints that to stderr and
/// returns `None`; if the variable is set, a missing file is an error.
pub fn blocks() -> Option<Result<Vec<Block>, String>> {
    let Some(root) = env::var_os(VARIABLE) else {
        eprintln!("SKIPPED: no real blocks: {VARIABLE} is not set; `make test` sets it");
        return None;
    };
    Some(read(PathBuf::from(root)))
}

/// Returns every block file of the crate in this folder.
pub fn read(root: PathBuf) -> Result<Vec<Block>, String> {
    let folder = root.join("src/vectors");
    let entries =
        fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut blocks = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| error.to_string())?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let network = match &name {
            name if name.contains("-bad.") => continue,
            name if name.starts_with("block-main-") => Network::Main,
            name if name.starts_with("block-test-") => Network::Test,
            _ => continue,
        };
        let content = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let bytes = match path.extension().is_some_and(|extension| extension == "bin") {
            true => content,
            false => {
                hex::decode(content.trim_ascii()).map_err(|error| format!("{name}: {error}"))?
            }
        };
        blocks.push(Block { name, network, bytes });
    }
    blocks.sort_by(|a, b| a.name.cmp(&b.name));
    if blocks.is_empty() {
        Err(format!("{}: no block files", folder.display()))
    } else {
        Ok(blocks)
    }
}

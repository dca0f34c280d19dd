//! Writes the kernels' sources to a folder, for compilers: `tools/cuda.py` calls it. Prints a line for each module: its name, and the name of its file
//! of machine code without the ending; then the name of the emulation's library.

use std::fs;
use std::path::PathBuf;

use proofmill_cuda::{Module, emulation_file_name, emulation_files};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder: PathBuf = std::env::args_os().nth(1).ok_or("the folder is missing")?.into();
    fs::create_dir_all(&folder)?;
    for module in Module::all() {
        let name = module.name();
        let source = module.source().ok_or("a module without a source")?;
        fs::write(folder.join(format!("{name}.cu")), source)?;
        println!("{name} {name}-{}", module.digest().ok_or("a module without a source")?);
    }
    for (name, text) in emulation_files() {
        fs::write(folder.join(name), text)?;
    }
    println!("emulated {}", emulation_file_name());
    Ok(())
}

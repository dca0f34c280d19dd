//! Kernels for a GPU: from a file that `make cuda` or an earlier process made, or compiled now by NVRTC and kept.

use std::env;
use std::ffi::{CStr, CString};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use cudarc::nvrtc::{result, sys};

use crate::sources::Module;

/// Names the folder of compiled kernels.
pub const FOLDER_VARIABLE: &str = "PROOFMILL_CUDA_DIR";

/// Returns the folder of compiled kernels: that of [`FOLDER_VARIABLE`], or `proofmill/cuda` in the user's cache folder. None when the environment names no
/// home.
pub fn folder() -> Option<PathBuf> {
    let named =
        |variable| env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
    named(FOLDER_VARIABLE).or_else(|| {
        let cache = named("XDG_CACHE_HOME").or_else(|| Some(named("HOME")?.join(".cache")))?;
        Some(cache.join("proofmill/cuda"))
    })
}

/// The files that a module's kernels may be in: a fat binary of `make cuda`, and what NVRTC made for an architecture such as 90.
fn files(module: Module, architecture: u32, folder: &Path) -> Option<[PathBuf; 2]> {
    let stem = format!("{}-{}", module.name(), module.digest()?);
    Some(
        ["fatbin".into(), format!("sm_{architecture}.cubin")]
            .map(|end: String| folder.join(format!("{stem}.{end}"))),
    )
}

/// Returns why NVRTC cannot be used; `None` if it can be loaded.
pub fn problem() -> Option<String> {
    // SAFETY: it loads a library, whose start-up code runs.
    let is_there = unsafe { sys::is_culib_present() };
    (!is_there).then(|| {
        "NVRTC (libnvrtc.so) was not found: install the CUDA toolkit's NVRTC, such as the package cuda-nvrtc or the Python wheel nvidia-cuda-nvrtc, and set LD_LIBRARY_PATH to its folder".into()
    })
}

/// Loads the machine code of a module with this function: that of a file, or else what NVRTC makes of the source. A file that cannot be loaded, because it is
/// for other GPUs or damaged, is passed over.
pub(crate) fn load<T>(
    module: Module,
    architecture: u32,
    folder: Option<&Path>,
    load: impl Fn(&[u8]) -> Result<T, String>,
) -> Result<T, String> {
    let no_kernel = || format!("there is no kernel {}", module.name());
    let files = folder.and_then(|folder| files(module, architecture, folder));
    let images = files.iter().flatten().filter_map(|file| fs::read(file).ok());
    if let Some(loaded) = images.into_iter().find_map(|image| load(&image).ok()) {
        return Ok(loaded);
    }
    if let Some(problem) = problem() {
        return Err(problem);
    }
    let source = module.source().ok_or_else(no_kernel)?;
    let image = compiled(&module.name(), &source, architecture)?;
    let loaded = load(&image)?;
    if let Some([_, file]) = files {
        // A kernel that cannot be kept is compiled again next time.
        let _ = keep(&file, &image);
    }
    Ok(loaded)
}

/// Nobody reads part of a file: it gets its name when it is whole.
fn keep(file: &Path, image: &[u8]) -> std::io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let part = file.with_extension(format!("part-{}-{number}", std::process::id()));
    fs::write(&part, image)?;
    fs::rename(part, file)
}

fn compiled(name: &str, source: &str, architecture: u32) -> Result<Vec<u8>, String> {
    let text = |_| format!("{name}: its source has a zero byte");
    let (source, file) =
        (CString::new(source).map_err(text)?, CString::new(format!("{name}.cu")).map_err(text)?);
    let failed = |error: result::NvrtcError| format!("{name}: NVRTC: {error}");
    let program = result::create_program(&source, Some(&file)).map_err(failed)?;
    let options = [format!("--gpu-architecture=sm_{architecture}"), "--std=c++17".into()];
    // SAFETY: the program was created above and is destroyed below, once.
    unsafe {
        let image = result::compile_program(program, &options).map_err(failed).and_then(|()| {
            let mut size = 0;
            sys::nvrtcGetCUBINSize(program, &mut size).result().map_err(failed)?;
            let mut image = vec![0u8; size];
            sys::nvrtcGetCUBIN(program, image.as_mut_ptr().cast()).result().map_err(failed)?;
            Ok(image)
        });
        let image = image.map_err(|problem| match result::get_program_log(program) {
            Ok(log) => {
                let log = CStr::from_ptr(log.as_ptr()).to_string_lossy().into_owned();
                format!("{problem}: {}", log.trim())
            }
            Err(_) => problem,
        });
        let _ = result::destroy_program(program);
        image
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use proofmill_op::ntt::Field;

    use super::*;

    #[test]
    fn nvrtc_compiles_a_module_once() {
        if let Some(problem) = problem() {
            println!("SKIPPED: {problem}");
            return;
        }
        let folder = env::temp_dir().join(format!("proofmill-nvrtc-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let module = Module::Ntt(Field::Goldilocks);
        // A damaged file is passed over.
        let [_, kept] = files(module, 90, &folder).unwrap();
        fs::write(&kept, "damaged").unwrap();
        let seen = AtomicUsize::new(0);
        let loaded = |image: &[u8]| {
            seen.fetch_add(1, Ordering::Relaxed);
            if image.starts_with(b"\x7fELF") { Ok(()) } else { Err("no machine code".into()) }
        };
        load(module, 90, Some(&folder), loaded).unwrap();
        assert_eq!(seen.swap(0, Ordering::Relaxed), 2);
        load(module, 90, Some(&folder), loaded).unwrap();
        assert_eq!(seen.into_inner(), 1);
        fs::remove_dir_all(&folder).unwrap();
        let problem = compiled("wrong", "this is no kernel", 90).unwrap_err();
        assert!(problem.contains("wrong.cu(1): error"), "{problem}");
    }
}

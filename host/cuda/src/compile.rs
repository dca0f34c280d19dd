//! Kernels for a GPU: from a file that `make cuda` or an earlier process made, or compiled now by NVRTC and kept.

use std::env;
use std::ffi::{CString, c_char, c_int, c_void};
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use libloading::Library;
use proofmill_op::{CodeFile, check_folder, create_private_folder};

use crate::sources::Module;

/// The names that NVRTC goes by: of a toolkit, and of packages with one version.
const LIBRARIES: [&str; 3] = ["libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"];
const NOT_FOUND: &str = "NVRTC (libnvrtc.so) was not found: install the CUDA toolkit's NVRTC, such as the package cuda-nvrtc or the Python wheel nvidia-cuda-nvrtc, and set LD_LIBRARY_PATH to its folder";
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
    nvrtc().is_none().then(|| NOT_FOUND.into())
}

/// Loads the machine code of a module with this function: that of a file, or else what NVRTC makes of the source. A file that cannot be loaded, because it is
/// for other GPUs or damaged, is passed over. A file that another user can change is an error.
pub(crate) fn load<T>(
    module: Module,
    architecture: u32,
    folder: Option<&Path>,
    load: impl Fn(&[u8]) -> Result<T, String>,
) -> Result<T, String> {
    let no_kernel = || format!("there is no kernel {}", module.name());
    let files = folder.and_then(|folder| files(module, architecture, folder));
    for file in files.iter().flatten() {
        let loaded = kept(file)?.and_then(|image| load(&image).ok());
        if let Some(loaded) = loaded {
            return Ok(loaded);
        }
    }
    if let Some(problem) = problem() {
        return Err(problem);
    }
    let source = module.source().ok_or_else(no_kernel)?;
    let image = compiled(&module.name(), &source, architecture)?;
    let loaded = load(&image)?;
    if let Some([_, file]) = files {
        // A kernel that cannot be kept is compiled again next time.
        if let Err(problem) = keep(&file, &image) {
            tracing::debug!("{}: not kept: {problem}", file.display());
        }
    }
    Ok(loaded)
}

/// Returns the content of a file of kernels; `None` if it cannot be read.
fn kept(file: &Path) -> Result<Option<Vec<u8>>, String> {
    match CodeFile::open(file) {
        Ok(code) => Ok(code.read().ok()),
        Err(problem) if problem.kind() == io::ErrorKind::PermissionDenied => {
            Err(problem.to_string())
        }
        Err(_) => Ok(None),
    }
}

/// Writes a file under another name and renames it, so that no process reads a part of it. A folder in which another user can change it is an error.
fn keep(file: &Path, image: &[u8]) -> io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    create_private_folder(folder)?;
    check_folder(folder)?;
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let part = file.with_extension(format!("part-{}-{number}", std::process::id()));
    let written = File::create_new(&part).and_then(|mut new| new.write_all(image));
    written.and_then(|()| fs::rename(&part, file)).inspect_err(|_| drop(fs::remove_file(&part)))
}

/// The functions of NVRTC that are called. A program is a pointer of the library's; a result of 0 is a success.
struct Nvrtc {
    create: unsafe extern "C" fn(
        *mut *mut c_void,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    ) -> c_int,
    compile: unsafe extern "C" fn(*mut c_void, c_int, *const *const c_char) -> c_int,
    cubin_size: unsafe extern "C" fn(*mut c_void, *mut usize) -> c_int,
    cubin: unsafe extern "C" fn(*mut c_void, *mut u8) -> c_int,
    log_size: unsafe extern "C" fn(*mut c_void, *mut usize) -> c_int,
    log: unsafe extern "C" fn(*mut c_void, *mut u8) -> c_int,
    destroy: unsafe extern "C" fn(*mut *mut c_void) -> c_int,
    /// Keeps the functions where they are.
    _library: Library,
}

/// Loads NVRTC, of whichever version is found first.
fn nvrtc() -> Option<&'static Nvrtc> {
    static NVRTC: OnceLock<Option<Nvrtc>> = OnceLock::new();
    let load = || {
        // SAFETY: they are libraries of CUDA, whose start-up code runs.
        let library = LIBRARIES.iter().find_map(|name| unsafe { Library::new(*name) }.ok())?;
        // SAFETY: functions are declared as in nvrtc.h of CUDA 12 and 13.
        unsafe {
            Some(Nvrtc {
                create: *library.get(b"nvrtcCreateProgram\0").ok()?,
                compile: *library.get(b"nvrtcCompileProgram\0").ok()?,
                cubin_size: *library.get(b"nvrtcGetCUBINSize\0").ok()?,
                cubin: *library.get(b"nvrtcGetCUBIN\0").ok()?,
                log_size: *library.get(b"nvrtcGetProgramLogSize\0").ok()?,
                log: *library.get(b"nvrtcGetProgramLog\0").ok()?,
                destroy: *library.get(b"nvrtcDestroyProgram\0").ok()?,
                _library: library,
            })
        }
    };
    NVRTC.get_or_init(load).as_ref()
}

type Size = unsafe extern "C" fn(*mut c_void, *mut usize) -> c_int;
type Bytes = unsafe extern "C" fn(*mut c_void, *mut u8) -> c_int;

/// Returns what two functions give of a program: its size, and its bytes.
///
/// # Safety
/// The functions are NVRTC's, for the same thing, and the program is one that was not destroyed.
unsafe fn read(program: *mut c_void, size: Size, bytes: Bytes) -> Option<Vec<u8>> {
    let mut length = 0;
    // SAFETY: the pointer is valid for the call; the rest is the caller's promise.
    if unsafe { size(program, &mut length) } != 0 {
        return None;
    }
    let mut content = vec![0; length];
    // SAFETY: there is room for as many bytes as the library said.
    (unsafe { bytes(program, content.as_mut_ptr()) } == 0).then_some(content)
}

fn compiled(name: &str, source: &str, architecture: u32) -> Result<Vec<u8>, String> {
    let nvrtc = nvrtc().ok_or_else(|| NOT_FOUND.to_owned())?;
    let text = |text: String| CString::new(text).map_err(|_| format!("{name}: it has a zero byte"));
    let (source, file) = (text(source.to_owned())?, text(format!("{name}.cu"))?);
    let options =
        [text(format!("--gpu-architecture=sm_{architecture}"))?, text("--std=c++17".into())?];
    let options = options.each_ref().map(|option| option.as_ptr());
    let mut program = ptr::null_mut();
    let none = ptr::null();
    // SAFETY: pointers are valid for the call.
    let result = unsafe {
        (nvrtc.create)(&mut program, source.as_ptr(), file.as_ptr(), 0, none, none.cast())
    };
    if result != 0 {
        return Err(format!("{name}: NVRTC made no program (error {result})"));
    }
    // SAFETY: the program is destroyed last; texts live as long as it.
    unsafe {
        let result = (nvrtc.compile)(program, options.len() as c_int, options.as_ptr());
        let image = match result {
            0 => read(program, nvrtc.cubin_size, nvrtc.cubin)
                .ok_or_else(|| format!("{name}: NVRTC gave no machine code")),
            _ => {
                let log = read(program, nvrtc.log_size, nvrtc.log).unwrap_or_default();
                let log = String::from_utf8_lossy(&log).replace('\0', "");
                Err(format!("{name}: NVRTC error {result}: {}", log.trim()))
            }
        };
        let _ = (nvrtc.destroy)(&mut program);
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
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("kernels");
        create_private_folder(&folder).unwrap();
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
        let problem = compiled("wrong", "this is no kernel", 90).unwrap_err();
        assert!(problem.contains("wrong.cu(1): error"), "{problem}");
    }

    #[test]
    #[cfg(unix)]
    fn kernels_that_other_users_can_change_are_neither_loaded_nor_kept() {
        use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

        let place = tempfile::tempdir().unwrap();
        let mode = |path: &Path, mode| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        };
        mode(place.path(), 0o755);
        let folder = place.path().join("cuda");
        let file = folder.join("msm.cubin");
        keep(&file, b"kernel").unwrap();
        assert_eq!(fs::metadata(&folder).unwrap().mode() & 0o777, 0o700);
        assert_eq!(kept(&file).unwrap().unwrap(), b"kernel");
        assert!(kept(&folder.join("missing.cubin")).unwrap().is_none());
        mode(&folder, 0o777);
        let problem = kept(&file).unwrap_err();
        assert!(problem.contains("cuda is writable by other users (mode 777)"), "{problem}");
        let problem = keep(&folder.join("other.cubin"), b"kernel").unwrap_err().to_string();
        assert!(problem.contains("cuda is writable by other users"), "{problem}");
        let load = |_: &[u8]| -> Result<(), String> { panic!("it was loaded") };
        let [fat, _] = files(Module::Ntt(Field::Goldilocks), 90, &folder).unwrap();
        fs::write(&fat, "kernel").unwrap();
        let problem =
            super::load(Module::Ntt(Field::Goldilocks), 90, Some(&folder), load).unwrap_err();
        assert!(problem.contains("cuda is writable by other users"), "{problem}");
    }
}

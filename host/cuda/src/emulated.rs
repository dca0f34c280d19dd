//! The emulation: the kernels as C++ in a library (`make cuda EMULATED=1`), with the memory of this process.

use std::ffi::{CString, c_char, c_int, c_void};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use libloading::Library;
use proofmill_op::{CodeFile, Error, Result};

use crate::gpu::{Gpu, Launch, Observed, Stream};
use crate::sources::{Module, emulation_digest};

/// The version of the library's interface.
const VERSION: u32 = 1;

/// Bytes of a piece of a copy: few, so that small requests have several.
const PIECE: usize = 1 << 11;

/// A fault of an emulated GPU, for tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// The launch with this number, from 0 on, fails as on a GPU that is lost, and so does everything after it.
    LostAt(usize),
    /// No launch writes anything: results are wrong.
    Idle,
}

type LaunchFunction =
    unsafe extern "C" fn(*const c_char, *const c_char, u32, u32, u32, *mut *mut c_void) -> c_int;

/// An emulated GPU.
pub(crate) struct EmulatedGpu(Arc<Shared>);

struct Shared {
    uri: String,
    bytes: usize,
    used: AtomicUsize,
    peak: AtomicUsize,
    watch: Option<Vec<u8>>,
    leaks: AtomicUsize,
    launches: AtomicUsize,
    fault: Option<Fault>,
    launch: LaunchFunction,
    allocate: unsafe extern "C" fn(usize) -> *mut c_void,
    free: unsafe extern "C" fn(*mut c_void),
    /// Keeps the functions where they are.
    _library: Library,
}

/// The name of the library's file in the folder of compiled kernels.
pub fn file_name() -> String {
    format!("emulated-{}.so", emulation_digest())
}

impl EmulatedGpu {
    /// Opens a GPU with `bytes` bytes of memory, with the library in this folder.
    pub fn open(
        uri: &str,
        folder: Option<&Path>,
        bytes: usize,
        fault: Option<Fault>,
        watch: Option<Vec<u8>>,
    ) -> Result<Self> {
        let open = |problem: String| Error::Open { device: uri.to_owned(), problem };
        let folder = folder.ok_or_else(|| {
            let variable = crate::compile::FOLDER_VARIABLE;
            open(format!(
                "no folder to look in: none of {variable}, XDG_CACHE_HOME and HOME is set"
            ))
        })?;
        let file = folder.join(file_name());
        if !file.exists() {
            let problem = format!("there is no {}; run `make cuda EMULATED=1`", file.display());
            return Err(open(problem));
        }
        let code = CodeFile::open(&file).map_err(|error| open(error.to_string()))?;
        let failed = |error: libloading::Error| open(format!("{}: {error}", file.display()));
        // SAFETY: the library is `kernels/emulate.cpp`, whose start-up code enters kernels into a list. No other user can change it.
        let library = unsafe { Library::new(code.loader_name()) }.map_err(failed)?;
        // SAFETY: functions are declared as in `kernels/emulate.cpp`, which the version says.
        unsafe {
            let version = *library
                .get::<unsafe extern "C" fn() -> u32>(b"proofmill_emulated_version\0")
                .map_err(failed)?;
            let version = version();
            if version != VERSION {
                let problem = format!("{}: version {version}, expected {VERSION}", file.display());
                return Err(open(problem));
            }
            let launch = *library.get(b"proofmill_emulated_launch\0").map_err(failed)?;
            let allocate = *library.get(b"proofmill_emulated_allocate\0").map_err(failed)?;
            let free = *library.get(b"proofmill_emulated_free\0").map_err(failed)?;
            Ok(Self(Arc::new(Shared {
                uri: uri.to_owned(),
                bytes,
                used: AtomicUsize::new(0),
                peak: AtomicUsize::new(0),
                watch,
                leaks: AtomicUsize::new(0),
                launches: AtomicUsize::new(0),
                fault,
                launch,
                allocate,
                free,
                _library: library,
            })))
        }
    }
}

impl Gpu for EmulatedGpu {
    fn description(&self) -> &str {
        "an emulated GPU: kernels run on one thread of this machine's processor"
    }

    fn free_bytes(&self) -> Result<usize> {
        Ok(self.0.bytes.saturating_sub(self.0.used.load(Ordering::SeqCst)))
    }

    fn observed(&self) -> Observed {
        let count = |it: &AtomicUsize| it.load(Ordering::SeqCst);
        Observed { peak_bytes: count(&self.0.peak), leaks: count(&self.0.leaks) }
    }

    fn load(&self, _: Module) -> Result<()> {
        Ok(())
    }

    fn stream(&self) -> Result<Arc<dyn Stream>> {
        let (stages, is_timed) = (Mutex::default(), AtomicBool::new(false));
        Ok(Arc::new(EmulatedStream {
            gpu: self.0.clone(),
            sizes: Mutex::default(),
            stages,
            is_timed,
        }))
    }
}

/// Work is done when it is entered.
struct EmulatedStream {
    gpu: Arc<Shared>,
    /// Address and bytes of each allocation.
    sizes: Mutex<Vec<(u64, usize)>>,
    stages: Mutex<Vec<(&'static str, Instant)>>,
    is_timed: AtomicBool,
}

impl EmulatedStream {
    fn lost(&self, problem: impl Into<String>) -> Error {
        Error::Lost { device: self.gpu.uri.clone(), problem: problem.into() }
    }
}

impl Stream for EmulatedStream {
    fn allocate(&self, bytes: usize) -> Result<u64> {
        let used = self.gpu.used.fetch_add(bytes, Ordering::SeqCst);
        // SAFETY: the function takes any number.
        let memory = match used + bytes > self.gpu.bytes {
            true => std::ptr::null_mut(),
            false => unsafe { (self.gpu.allocate)(bytes) },
        };
        if memory.is_null() {
            self.gpu.used.fetch_sub(bytes, Ordering::SeqCst);
            let problem = format!("out of memory: {bytes} bytes");
            return Err(Error::Failed { device: self.gpu.uri.clone(), problem });
        }
        self.gpu.peak.fetch_max(used + bytes, Ordering::SeqCst);
        self.sizes.lock().unwrap_or_else(PoisonError::into_inner).push((memory as u64, bytes));
        Ok(memory as u64)
    }

    fn free(&self, address: u64) {
        let mut sizes = self.sizes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = sizes.iter().position(|(own, _)| *own == address) {
            let (_, bytes) = sizes.swap_remove(at);
            if let Some(secret) = &self.gpu.watch {
                // SAFETY: the address is that of as many bytes of `allocate`, which nobody else uses any more.
                let memory = unsafe { std::slice::from_raw_parts(address as *const u8, bytes) };
                let leaks = memory.windows(secret.len()).any(|part| part == secret);
                self.gpu.leaks.fetch_add(usize::from(leaks), Ordering::SeqCst);
            }
            self.gpu.used.fetch_sub(bytes, Ordering::SeqCst);
            // SAFETY: the address is of `allocate`, and its owner is gone.
            unsafe { (self.gpu.free)(address as *mut c_void) };
        }
    }

    fn write(
        &self,
        to: u64,
        from: &[u8],
        copied: &mut dyn FnMut(usize) -> Result<()>,
    ) -> Result<()> {
        for (number, piece) in from.chunks(PIECE).enumerate() {
            let start = number * PIECE;
            // SAFETY: the address is that of as many bytes of `allocate`.
            unsafe {
                let at = to as *mut u8;
                std::ptr::copy_nonoverlapping(piece.as_ptr(), at.add(start), piece.len());
            }
            copied(start + piece.len())?;
        }
        Ok(())
    }

    fn read(&self, to: &mut [u8], from: u64) -> Result<()> {
        // SAFETY: the address is that of as many bytes of `allocate`.
        unsafe { std::ptr::copy_nonoverlapping(from as *const u8, to.as_mut_ptr(), to.len()) };
        Ok(())
    }

    /// There is no memory between.
    fn wipe(&self) {}

    fn fill(&self, to: u64, value: u8, bytes: usize) -> Result<()> {
        // SAFETY: the address is that of as many bytes of `allocate`.
        unsafe { std::ptr::write_bytes(to as *mut u8, value, bytes) };
        Ok(())
    }

    fn launch(&self, launch: &Launch<'_>) -> Result<()> {
        let number = self.gpu.launches.fetch_add(1, Ordering::SeqCst);
        match self.gpu.fault {
            Some(Fault::LostAt(first)) if number >= first => {
                return Err(self.lost("an illegal memory access was encountered (a planned fault)"));
            }
            Some(Fault::Idle) => return Ok(()),
            _ => {}
        }
        let name = |text: &str| CString::new(text).map_err(|_| self.lost("a name with a zero"));
        let (module, kernel) = (name(&launch.module.name())?, name(launch.kernel)?);
        let mut pointers: Vec<_> = launch.parameters.iter().map(|it| it.pointer()).collect();
        // SAFETY: the kernel takes these parameters: each caller's duty.
        let result = unsafe {
            (self.gpu.launch)(
                module.as_ptr(),
                kernel.as_ptr(),
                launch.blocks as u32,
                launch.threads as u32,
                launch.shared as u32,
                pointers.as_mut_ptr(),
            )
        };
        let (module, kernel) = (launch.module.name(), launch.kernel);
        match result {
            0 => Ok(()),
            1 => Err(self.lost(format!("there is no kernel {module} {kernel}"))),
            _ => Err(self.lost(format!("{module} {kernel}: no memory for a block"))),
        }
    }

    fn wait(&self) -> Result<()> {
        Ok(())
    }

    fn stage(&self, name: &'static str) -> Result<()> {
        if self.is_timed.load(Ordering::Relaxed) {
            let mut stages = self.stages.lock().unwrap_or_else(PoisonError::into_inner);
            stages.push((name, Instant::now()));
        }
        Ok(())
    }

    fn time_stages(&self) {
        self.is_timed.store(true, Ordering::Relaxed);
    }

    fn stages(&self) -> Result<Vec<(&'static str, f32)>> {
        self.stage("end")?;
        self.is_timed.store(false, Ordering::Relaxed);
        let stages =
            std::mem::take(&mut *self.stages.lock().unwrap_or_else(PoisonError::into_inner));
        let between = |pair: &[(&'static str, Instant)]| {
            (pair[0].0, (pair[1].1 - pair[0].1).as_secs_f32() * 1e3)
        };
        Ok(stages.windows(2).map(between).collect())
    }
}

//! A GPU through CUDA's driver, which is loaded when the first GPU is looked for: nothing of CUDA is linked.

mod stream;

use std::collections::HashMap;
use std::ffi::{CStr, CString, c_void};
use std::path::PathBuf;
use std::ptr;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use cudarc::driver::sys::{self, CUresult};
use proofmill_op::{Error, Result};

use crate::compile;
use crate::gpu::{Gpu, Launch, Stream};
use crate::sources::Module;
use stream::CudaStream;

/// The oldest driver whose interface has all that is called: CUDA 12.0, driver 525.
const MIN_VERSION: i32 = 12_000;
/// The oldest compute capability: kernels take more shared memory than older GPUs have.
const MIN_MAJOR: i32 = 8;
/// The functions of the driver that are called, that of its version first.
const FUNCTIONS: [&str; 34] = [
    "cuDriverGetVersion",
    "cuCtxSetCurrent",
    "cuDeviceGet",
    "cuDeviceGetAttribute",
    "cuDeviceGetCount",
    "cuDeviceGetDefaultMemPool",
    "cuDeviceGetName",
    "cuDevicePrimaryCtxRetain",
    "cuDeviceTotalMem_v2",
    "cuEventCreate",
    "cuEventDestroy_v2",
    "cuEventElapsedTime",
    "cuEventRecord",
    "cuEventSynchronize",
    "cuFuncSetAttribute",
    "cuGetErrorString",
    "cuInit",
    "cuLaunchKernel",
    "cuMemAllocAsync",
    "cuMemFreeAsync",
    "cuMemFreeHost",
    "cuMemGetInfo_v2",
    "cuMemHostAlloc",
    "cuMemPoolSetAttribute",
    "cuMemPoolTrimTo",
    "cuMemcpyDtoHAsync_v2",
    "cuMemcpyHtoDAsync_v2",
    "cuMemsetD8Async",
    "cuModuleGetFunction",
    "cuModuleLoadData",
    "cuStreamCreate",
    "cuStreamDestroy_v2",
    "cuStreamSynchronize",
    "cuStreamWaitEvent",
];
/// A GPU that has not been opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its number, as in `cuda:0`.
    pub number: u32,
    /// Name, memory, compute capability.
    pub description: String,
}

/// The GPUs of this machine, or why none can be used.
pub fn find() -> std::result::Result<Vec<Found>, String> {
    let count = initialize()?;
    (0..count)
        .map(|number| {
            let device = device(number)?;
            let (name, (major, minor)) = (name(device)?, capability(device)?);
            let mut bytes = 0;
            // SAFETY: the pointer is valid for the call.
            said("cuDeviceTotalMem", unsafe { sys::cuDeviceTotalMem_v2(&mut bytes, device) })?;
            let memory = bytes as f64 / f64::from(1 << 30);
            let too_old = if major < MIN_MAJOR { ", too old: 8.0 is needed" } else { "" };
            let description =
                format!("{name}, {memory:.0} GiB, compute capability {major}.{minor}{too_old}");
            Ok(Found { number: number as u32, description })
        })
        .collect()
}

/// The driver's version of CUDA, such as `13.0`, or why there is none.
pub fn driver_version() -> std::result::Result<String, String> {
    initialize()?;
    let version = version()?;
    Ok(format!("{}.{}", version / 1000, version % 1000 / 10))
}

/// Loads the driver and returns the number of GPUs.
fn initialize() -> std::result::Result<i32, String> {
    // SAFETY: it loads a library of the system, whose start-up code runs.
    if !unsafe { sys::is_culib_present() } {
        return Err("there is no NVIDIA driver (libcuda.so.1)".into());
    }
    // SAFETY: it loads a library of the system, whose start-up code runs; the library is there.
    let library = unsafe { sys::culib() };
    let lacks = |name: &&str| {
        // SAFETY: the symbol is looked up and not used.
        unsafe { library.get::<*const c_void>(name.as_bytes()) }.is_err()
    };
    if FUNCTIONS[..1].iter().any(lacks) {
        return Err("libcuda.so.1 is no driver of NVIDIA's".into());
    }
    let version = version()?;
    if version < MIN_VERSION {
        let (major, minor) = (version / 1000, version % 1000 / 10);
        return Err(format!(
            "the driver's CUDA {major}.{minor} is older than 12.0: install driver 525 or newer"
        ));
    }
    // cudarc panics where it calls a function that the driver lacks.
    if let Some(name) = FUNCTIONS.iter().copied().find(|name| lacks(name)) {
        return Err(format!("the driver lacks {name}: install driver 525 or newer"));
    }
    // SAFETY: the first call, as the interface demands.
    said("cuInit", unsafe { sys::cuInit(0) })?;
    let mut count = 0;
    // SAFETY: the pointer is valid for the call.
    said("cuDeviceGetCount", unsafe { sys::cuDeviceGetCount(&mut count) })?;
    if count > 0 { Ok(count) } else { Err("the driver finds no GPU".into()) }
}

fn version() -> std::result::Result<i32, String> {
    let mut version = 0;
    // SAFETY: the pointer is valid for the call.
    said("cuDriverGetVersion", unsafe { sys::cuDriverGetVersion(&mut version) })?;
    Ok(version)
}

fn device(number: i32) -> std::result::Result<sys::CUdevice, String> {
    let mut device = 0;
    // SAFETY: the pointer is valid for the call.
    said("cuDeviceGet", unsafe { sys::cuDeviceGet(&mut device, number) })?;
    Ok(device)
}

fn name(device: sys::CUdevice) -> std::result::Result<String, String> {
    let mut name = [0; 128];
    // SAFETY: there is room for as many bytes as are given.
    said("cuDeviceGetName", unsafe { sys::cuDeviceGetName(name.as_mut_ptr(), 127, device) })?;
    // SAFETY: the last byte is 0.
    Ok(unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned())
}

/// Major and minor number.
fn capability(device: sys::CUdevice) -> std::result::Result<(i32, i32), String> {
    use sys::CUdevice_attribute_enum as Attribute;
    let get = |attribute| {
        let mut value = 0;
        // SAFETY: the pointer is valid for the call.
        let result = unsafe { sys::cuDeviceGetAttribute(&mut value, attribute, device) };
        said("cuDeviceGetAttribute", result).map(|()| value)
    };
    Ok((
        get(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
        get(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
    ))
}

/// Returns the driver's text for an error.
fn said(call: &str, result: CUresult) -> std::result::Result<(), String> {
    if result == CUresult::CUDA_SUCCESS {
        return Ok(());
    }
    let mut text = ptr::null();
    // SAFETY: the pointer is valid for the call; the text is the driver's and stays.
    let known = unsafe { sys::cuGetErrorString(result, &mut text) } == CUresult::CUDA_SUCCESS;
    let text = if known && !text.is_null() {
        // SAFETY: it is a string that ends in 0.
        unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
    } else {
        "unknown error".into()
    };
    Err(format!("{call}: {text} ({result:?})"))
}

/// A GPU.
pub(crate) struct CudaGpu(Arc<Context>);

struct Context {
    uri: String,
    description: String,
    pool: sys::CUmemoryPool,
    /// The number of the architecture, as in `sm_90`.
    architecture: u32,
    context: sys::CUcontext,
    functions: Mutex<HashMap<Module, Arc<OnceLock<Functions>>>>,
    folder: Option<PathBuf>,
}

// SAFETY: the driver's handles may be used by any thread in which the context is current.
unsafe impl Send for Context {}
// SAFETY: likewise; the driver locks its shared state.
unsafe impl Sync for Context {}

/// The kernels of a module that was loaded. Modules stay until the process ends.
struct Functions {
    module: sys::CUmodule,
    found: Mutex<HashMap<&'static str, (sys::CUfunction, usize)>>,
}

// SAFETY: as for the context.
unsafe impl Send for Functions {}
// SAFETY: as for the context.
unsafe impl Sync for Functions {}

impl CudaGpu {
    /// Opens the GPU with this number. Kernels are kept in `folder`.
    pub fn open(uri: &str, number: u32, folder: Option<PathBuf>) -> Result<Self> {
        let open = |problem: String| Error::Open { device: uri.to_owned(), problem };
        let count = initialize().map_err(open)?;
        let index = i32::try_from(number).ok().filter(|index| *index < count).ok_or_else(|| {
            let last = count - 1;
            open(format!("there is no GPU {number}; the last one is {last}"))
        })?;
        let device = device(index).map_err(open)?;
        let (name, (major, minor)) =
            (name(device).map_err(open)?, capability(device).map_err(open)?);
        if major < MIN_MAJOR {
            let problem = format!(
                "{name} has compute capability {major}.{minor}, older than {MIN_MAJOR}.0 (Ampere)"
            );
            return Err(open(problem));
        }
        let version = driver_version().map_err(open)?;
        let mut context = ptr::null_mut();
        // SAFETY: the pointer is valid for the call.
        let result = unsafe { sys::cuDevicePrimaryCtxRetain(&mut context, device) };
        said("cuDevicePrimaryCtxRetain", result).map_err(open)?;
        let mut pool = ptr::null_mut();
        // SAFETY: the pointer is valid for the call.
        let result = unsafe { sys::cuDeviceGetDefaultMemPool(&mut pool, device) };
        said("cuDeviceGetDefaultMemPool", result).map_err(open)?;
        let mut keep = u64::MAX;
        let keep_freed = sys::CUmemPool_attribute_enum::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        // SAFETY: the attribute is a 64-bit number. Freed memory stays in the pool: allocations cost little.
        let result = unsafe {
            sys::cuMemPoolSetAttribute(pool, keep_freed, ptr::from_mut(&mut keep).cast())
        };
        said("cuMemPoolSetAttribute", result).map_err(open)?;
        let description =
            format!("{name}, compute capability {major}.{minor}, driver for CUDA {version}");
        Ok(Self(Arc::new(Context {
            uri: uri.to_owned(),
            description,
            pool,
            architecture: (10 * major + minor) as u32,
            context,
            functions: Mutex::default(),
            folder,
        })))
    }
}

impl Drop for Context {
    /// Gives the pool's free memory back to the driver: who opens the GPU next finds it free.
    fn drop(&mut self) {
        if self.enter().is_ok() {
            // SAFETY: the pool is the device's own, and stays.
            let _lost = unsafe { sys::cuMemPoolTrimTo(self.pool, 0) };
        }
    }
}

impl Context {
    /// Makes this the current context of the thread.
    fn enter(&self) -> Result<()> {
        // SAFETY: the context is retained for as long as the process runs.
        self.check("cuCtxSetCurrent", unsafe { sys::cuCtxSetCurrent(self.context) })
    }

    /// Converts the result of a call. Any error but a lack of memory leaves the context unusable: the GPU is lost.
    fn check(&self, call: &str, result: CUresult) -> Result<()> {
        let device = self.uri.clone();
        match said(call, result) {
            Ok(()) => Ok(()),
            Err(problem) if result == CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
                Err(Error::Failed { device, problem })
            }
            Err(problem) => Err(Error::Lost { device, problem }),
        }
    }

    fn function(&self, launch: &Launch<'_>) -> Result<sys::CUfunction> {
        let lost =
            |problem: &str| Error::Lost { device: self.uri.clone(), problem: problem.into() };
        let functions = lock(&self.functions).get(&launch.module).cloned();
        let functions = functions.as_ref().and_then(|functions| functions.get());
        let functions = functions.ok_or_else(|| lost("a module was not loaded"))?;
        let mut found = lock(&functions.found);
        let (function, shared) = match found.get(launch.kernel) {
            Some(function) => *function,
            None => {
                let name = CString::new(launch.kernel).map_err(|_| lost("a kernel's name"))?;
                let mut function = ptr::null_mut();
                // SAFETY: pointers are valid for the call, and the module stays loaded.
                let result = unsafe {
                    sys::cuModuleGetFunction(&mut function, functions.module, name.as_ptr())
                };
                self.check("cuModuleGetFunction", result)?;
                (function, 48 << 10)
            }
        };
        let mut most = shared;
        if launch.shared > most {
            let attribute =
                sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            // SAFETY: the function is the module's.
            let result =
                unsafe { sys::cuFuncSetAttribute(function, attribute, launch.shared as i32) };
            self.check("cuFuncSetAttribute", result)?;
            most = launch.shared;
        }
        found.insert(launch.kernel, (function, most));
        Ok(function)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Gpu for CudaGpu {
    fn description(&self) -> &str {
        &self.0.description
    }

    fn free_bytes(&self) -> Result<usize> {
        self.0.enter()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: pointers are valid for the call.
        let result = unsafe { sys::cuMemGetInfo_v2(&mut free, &mut total) };
        self.0.check("cuMemGetInfo", result)?;
        Ok(free)
    }

    fn load(&self, module: Module) -> Result<()> {
        let context = &self.0;
        let functions = lock(&context.functions).entry(module).or_default().clone();
        if functions.get().is_some() {
            return Ok(());
        }
        // Two that need a module at the same time both load it; one is used.
        context.enter()?;
        let load = |image: &[u8]| {
            let mut loaded = ptr::null_mut();
            // SAFETY: the image is a cubin or a fat binary, which say how long they are.
            let result = unsafe { sys::cuModuleLoadData(&mut loaded, image.as_ptr().cast()) };
            said("cuModuleLoadData", result).map(|()| loaded)
        };
        let folder = context.folder.as_deref();
        let module = compile::load(module, context.architecture, folder, load)
            .map_err(|problem| Error::Failed { device: context.uri.clone(), problem })?;
        let _other = functions.set(Functions { module, found: Mutex::default() });
        Ok(())
    }

    fn stream(&self) -> Result<Arc<dyn Stream>> {
        Ok(Arc::new(CudaStream::new(self.0.clone())?))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_function_that_is_called_is_looked_up_before() {
        let text = concat!(include_str!("driver.rs"), include_str!("driver/stream.rs"));
        let calls = text.split("sys::").skip(1).filter_map(|rest| {
            let name = rest.split('(').next().filter(|name| name.starts_with("cu"))?;
            name.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_').then_some(name)
        });
        let mut called: BTreeSet<_> = calls.collect();
        called.remove("culib");
        assert_eq!(called, FUNCTIONS.into_iter().collect());
    }
}

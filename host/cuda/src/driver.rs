//! A GPU through CUDA's driver, which is loaded when the first GPU is looked for: nothing of CUDA is linked.

use std::collections::HashMap;
use std::ffi::{CStr, CString, c_void};
use std::mem::MaybeUninit;
use std::path::PathBuf;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering, compiler_fence};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use cudarc::driver::sys::{self, CUresult};
use proofmill_op::{Error, Result};
use rayon::prelude::*;

use crate::compile;
use crate::gpu::{Gpu, Launch, PIECE, Stream};
use crate::sources::Module;

/// The oldest driver whose interface has all that is called: CUDA 12.0, driver 525.
const LEAST_VERSION: i32 = 12_000;
/// The oldest compute capability: kernels take more shared memory than older GPUs have.
const LEAST_MAJOR: i32 = 8;
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
/// Bytes that a thread copies into a staging buffer.
const COPIED: usize = 1 << 18;
/// Bytes from which copies to a staging buffer are divided among threads.
const MANY: usize = 1 << 20;

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
            let too_old = if major < LEAST_MAJOR { ", too old: 8.0 is needed" } else { "" };
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
    if version < LEAST_VERSION {
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
    /// As in `sm_90`.
    architecture: u32,
    context: sys::CUcontext,
    functions: Mutex<HashMap<Module, Arc<OnceLock<Functions>>>>,
    folder: Option<PathBuf>,
}

// SAFETY: the driver's handles may be used by any thread in which the context is current.
unsafe impl Send for Context {}
// SAFETY: likewise; the driver locks what it shares.
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
        if major < LEAST_MAJOR {
            let problem = format!(
                "{name} has compute capability {major}.{minor}, older than {LEAST_MAJOR}.0 (Ampere)"
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
        let context = &self.0;
        context.enter()?;
        let mut stream = ptr::null_mut();
        let flags = sys::CUstream_flags_enum::CU_STREAM_NON_BLOCKING as u32;
        // SAFETY: the pointer is valid for the call.
        context.check("cuStreamCreate", unsafe { sys::cuStreamCreate(&mut stream, flags) })?;
        let mut copies = ptr::null_mut();
        // SAFETY: the pointer is valid for the call.
        context.check("cuStreamCreate", unsafe { sys::cuStreamCreate(&mut copies, flags) })?;
        Ok(Arc::new(CudaStream {
            context: context.clone(),
            stream,
            copies,
            staging: Mutex::default(),
            stages: Mutex::default(),
            is_timed: AtomicBool::new(false),
        }))
    }
}

struct CudaStream {
    context: Arc<Context>,
    stream: sys::CUstream,
    /// For copies to the GPU beside kernels.
    copies: sys::CUstream,
    staging: Mutex<Staged>,
    stages: Mutex<Vec<(&'static str, sys::CUevent)>>,
    is_timed: AtomicBool,
}

// SAFETY: as for the context.
unsafe impl Send for CudaStream {}
// SAFETY: as for the context.
unsafe impl Sync for CudaStream {}

/// The staging buffers of a stream.
#[derive(Default)]
struct Staged {
    /// Two, when there was something to copy.
    buffers: Vec<Staging>,
    /// Comes when what was entered before a copy is done.
    before: Option<sys::CUevent>,
}

/// Page-locked memory, and an event that comes when the copy from or to it is done.
struct Staging {
    memory: *mut u8,
    done: sys::CUevent,
    /// Bytes that may hold what was copied.
    used: usize,
}

impl Staging {
    /// The first bytes, while no copy is under way.
    fn bytes(&mut self, count: usize) -> &mut [u8] {
        let count = count.min(PIECE);
        self.used = self.used.max(count);
        // SAFETY: there are PIECE bytes; nobody else has them while this is borrowed.
        unsafe { std::slice::from_raw_parts_mut(self.memory, count) }
    }

    /// Overwrites what was copied, while no copy is under way.
    fn wipe(&mut self) {
        // SAFETY: as above. The memory is page-locked and the driver's, so that stores to it are not left out; the fence keeps them before what follows.
        unsafe { ptr::write_bytes(self.memory, 0, self.used) };
        compiler_fence(Ordering::SeqCst);
        self.used = 0;
    }
}

/// Copies with several threads where there is much.
fn copy(to: &mut [u8], from: &[u8]) {
    if from.len() < MANY {
        to.copy_from_slice(from);
        return;
    }
    let pieces = to.par_chunks_mut(COPIED).zip(from.par_chunks(COPIED));
    pieces.for_each(|(to, from)| to.copy_from_slice(from));
}

fn copy_back(to: &mut [u8], from: &mut Staging) {
    let bytes = from.bytes(to.len());
    copy(to, bytes);
}

impl CudaStream {
    fn event(&self) -> Result<sys::CUevent> {
        let mut event = ptr::null_mut();
        // SAFETY: the pointer is valid for the call.
        let result = unsafe { sys::cuEventCreate(&mut event, 0) };
        self.context.check("cuEventCreate", result)?;
        Ok(event)
    }

    fn record(&self, event: sys::CUevent, stream: sys::CUstream) -> Result<()> {
        // SAFETY: both handles are of this context.
        self.context.check("cuEventRecord", unsafe { sys::cuEventRecord(event, stream) })
    }

    /// Makes later work of the stream wait for the event.
    fn order(&self, stream: sys::CUstream, event: sys::CUevent) -> Result<()> {
        // SAFETY: both handles are of this context.
        let result = unsafe { sys::cuStreamWaitEvent(stream, event, 0) };
        self.context.check("cuStreamWaitEvent", result)
    }

    fn wait_for(&self, event: sys::CUevent) -> Result<()> {
        // SAFETY: the event is of this context.
        self.context.check("cuEventSynchronize", unsafe { sys::cuEventSynchronize(event) })
    }

    /// Both staging buffers, which no copy uses.
    fn staging(&self) -> Result<MutexGuard<'_, Staged>> {
        let mut staged = lock(&self.staging);
        while staged.buffers.len() < 2 {
            let mut memory: *mut c_void = ptr::null_mut();
            // SAFETY: the pointer is valid for the call.
            let result = unsafe { sys::cuMemHostAlloc(&mut memory, PIECE, 0) };
            self.context.check("cuMemHostAlloc", result)?;
            staged.buffers.push(Staging { memory: memory.cast(), done: self.event()?, used: 0 });
        }
        if staged.before.is_none() {
            staged.before = Some(self.event()?);
        }
        for buffer in &staged.buffers {
            // An event that was never recorded is done.
            self.wait_for(buffer.done)?;
        }
        Ok(staged)
    }
}

impl Stream for CudaStream {
    fn allocate(&self, bytes: usize) -> Result<u64> {
        self.context.enter()?;
        let mut address = 0;
        // SAFETY: the pointer is valid for the call.
        let result = unsafe { sys::cuMemAllocAsync(&mut address, bytes, self.stream) };
        self.context.check("cuMemAllocAsync", result)?;
        Ok(address)
    }

    fn free(&self, address: u64) {
        if self.context.enter().is_ok() {
            // SAFETY: the address is of `allocate`, and its owner is gone. A lost GPU frees nothing.
            let _lost = unsafe { sys::cuMemFreeAsync(address, self.stream) };
        }
    }

    fn write(
        &self,
        to: u64,
        from: &[u8],
        copied: &mut dyn FnMut(usize) -> Result<()>,
    ) -> Result<()> {
        self.context.enter()?;
        let mut staged = self.staging()?;
        let Staged { buffers, before: Some(before) } = &mut *staged else { return Ok(()) };
        // The memory is there, and what used it is done.
        self.record(*before, self.stream)?;
        self.order(self.copies, *before)?;
        for (number, piece) in from.chunks(PIECE).enumerate() {
            let (staging, start) = (&mut buffers[number % 2], number * PIECE);
            self.wait_for(staging.done)?;
            copy(staging.bytes(piece.len()), piece);
            let (at, memory) = (to + start as u64, staging.memory.cast());
            // SAFETY: the buffer has as many bytes and stays until the event; the address is that of as many.
            let result = unsafe { sys::cuMemcpyHtoDAsync_v2(at, memory, piece.len(), self.copies) };
            self.context.check("cuMemcpyHtoDAsync", result)?;
            self.record(staging.done, self.copies)?;
            self.order(self.stream, staging.done)?;
            copied(start + piece.len())?;
        }
        Ok(())
    }

    fn read(&self, to: &mut [u8], from: u64) -> Result<()> {
        self.context.enter()?;
        let mut staged = self.staging()?;
        let buffers = &mut staged.buffers;
        let mut pending: Option<(&mut [u8], usize)> = None;
        for (number, piece) in to.chunks_mut(PIECE).enumerate() {
            let at = from + (number * PIECE) as u64;
            let (memory, done) = (buffers[number % 2].memory, buffers[number % 2].done);
            // SAFETY: the buffer has as many bytes and is not read before the event; the address is that of as many.
            let result =
                unsafe { sys::cuMemcpyDtoHAsync_v2(memory.cast(), at, piece.len(), self.stream) };
            self.context.check("cuMemcpyDtoHAsync", result)?;
            self.record(done, self.stream)?;
            if let Some((earlier, number)) = pending.replace((piece, number)) {
                self.wait_for(buffers[number % 2].done)?;
                copy_back(earlier, &mut buffers[number % 2]);
            }
        }
        if let Some((last, number)) = pending {
            self.wait_for(buffers[number % 2].done)?;
            copy_back(last, &mut buffers[number % 2]);
        }
        Ok(())
    }

    fn wipe(&self) {
        let mut staged = lock(&self.staging);
        for buffer in &mut staged.buffers {
            // Of a lost GPU no copy is under way.
            let _lost = self.context.enter().and_then(|()| self.wait_for(buffer.done));
            buffer.wipe();
        }
    }

    fn fill(&self, to: u64, value: u8, bytes: usize) -> Result<()> {
        self.context.enter()?;
        // SAFETY: the address is that of as many bytes.
        let result = unsafe { sys::cuMemsetD8Async(to, value, bytes, self.stream) };
        self.context.check("cuMemsetD8Async", result)
    }

    fn launch(&self, launch: &Launch<'_>) -> Result<()> {
        if launch.blocks == 0 {
            return Ok(());
        }
        self.context.enter()?;
        let function = self.context.function(launch)?;
        let mut pointers: Vec<_> = launch.arguments.iter().map(|it| it.pointer()).collect();
        // SAFETY: the kernel takes these arguments (each caller's duty), which are copied during the call.
        let result = unsafe {
            sys::cuLaunchKernel(
                function,
                launch.blocks as u32,
                1,
                1,
                launch.threads as u32,
                1,
                1,
                launch.shared as u32,
                self.stream,
                pointers.as_mut_ptr(),
                ptr::null_mut(),
            )
        };
        self.context.check(launch.kernel, result)
    }

    fn wait(&self) -> Result<()> {
        self.context.enter()?;
        // SAFETY: the stream is of this context.
        self.context.check("cuStreamSynchronize", unsafe { sys::cuStreamSynchronize(self.stream) })
    }

    fn stage(&self, name: &'static str) -> Result<()> {
        if self.is_timed.load(Ordering::Relaxed) {
            self.context.enter()?;
            let event = self.event()?;
            self.record(event, self.stream)?;
            lock(&self.stages).push((name, event));
        }
        Ok(())
    }

    fn time_stages(&self) {
        self.is_timed.store(true, Ordering::Relaxed);
    }

    fn stages(&self) -> Result<Vec<(&'static str, f32)>> {
        self.stage("end")?;
        self.is_timed.store(false, Ordering::Relaxed);
        self.wait()?;
        let events = std::mem::take(&mut *lock(&self.stages));
        let mut stages = Vec::new();
        for pair in events.windows(2) {
            let [(name, start), (_, end)] = [pair[0], pair[1]];
            let mut ms = MaybeUninit::new(0f32);
            // SAFETY: both events were recorded, and are done.
            let result = unsafe { sys::cuEventElapsedTime(ms.as_mut_ptr(), start, end) };
            self.context.check("cuEventElapsedTime", result)?;
            // SAFETY: it was initialized.
            stages.push((name, unsafe { ms.assume_init() }));
        }
        for (_, event) in events {
            // SAFETY: nobody else has the event.
            let _ = unsafe { sys::cuEventDestroy_v2(event) };
        }
        Ok(stages)
    }
}

impl Drop for CudaStream {
    fn drop(&mut self) {
        if self.context.enter().is_err() {
            return;
        }
        self.wipe();
        let mut staged = lock(&self.staging);
        // SAFETY: nobody else has these handles and this memory, whose copies are done; the driver destroys streams when their work is done.
        unsafe {
            for buffer in staged.buffers.drain(..) {
                let _ = sys::cuMemFreeHost(buffer.memory.cast());
                let _ = sys::cuEventDestroy_v2(buffer.done);
            }
            if let Some(before) = staged.before.take() {
                let _ = sys::cuEventDestroy_v2(before);
            }
            let _ = sys::cuStreamDestroy_v2(self.copies);
            let _ = sys::cuStreamDestroy_v2(self.stream);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_function_that_is_called_is_looked_up_before() {
        let calls = include_str!("driver.rs").split("sys::").skip(1).filter_map(|rest| {
            let name = rest.split('(').next().filter(|name| name.starts_with("cu"))?;
            name.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_').then_some(name)
        });
        let mut called: BTreeSet<_> = calls.collect();
        called.remove("culib");
        assert_eq!(called, FUNCTIONS.into_iter().collect());
    }
}

//! A queue of work in order: a stream of CUDA, a second one for copies beside kernels, and the page-locked memory that copies go through.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use cudarc::driver::sys;
use proofmill_op::process::parallel;
use proofmill_op::{Result, wipe};
use rayon::prelude::*;

use super::{Context, lock};
use crate::gpu::{Launch, PIECE, Stream};

/// Bytes that a thread copies into a staging buffer.
const COPIED: usize = 1 << 18;
/// Bytes from which copies to a staging buffer are divided among threads.
const MANY: usize = 1 << 20;

pub(super) struct CudaStream {
    context: Arc<Context>,
    stream: sys::CUstream,
    /// The stream for copies to the GPU during kernels.
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
    /// Recorded when the work enqueued before a copy is done.
    before: Option<sys::CUevent>,
}

/// Page-locked memory, and an event that is recorded when the copy from or to it is done.
struct Staging {
    memory: *mut u8,
    done: sys::CUevent,
    /// Bytes that may hold copied data.
    used: usize,
}

impl Staging {
    /// Returns the first bytes; no copy may be outstanding.
    fn bytes(&mut self, count: usize) -> &mut [u8] {
        let count = count.min(PIECE);
        self.used = self.used.max(count);
        // SAFETY: there are PIECE bytes; nobody else has them while this is borrowed.
        unsafe { std::slice::from_raw_parts_mut(self.memory, count) }
    }

    /// Overwrites copied data; no copy may be outstanding.
    fn wipe(&mut self) {
        wipe(self.bytes(self.used));
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
    parallel(|| pieces.for_each(|(to, from)| to.copy_from_slice(from)));
}

fn copy_back(to: &mut [u8], from: &mut Staging) {
    let bytes = from.bytes(to.len());
    copy(to, bytes);
}

impl CudaStream {
    /// Makes a queue on a GPU.
    pub fn new(context: Arc<Context>) -> Result<Self> {
        context.enter()?;
        let mut stream = ptr::null_mut();
        let flags = sys::CUstream_flags_enum::CU_STREAM_NON_BLOCKING as u32;
        // SAFETY: the pointer is valid for the call.
        context.check("cuStreamCreate", unsafe { sys::cuStreamCreate(&mut stream, flags) })?;
        let mut copies = ptr::null_mut();
        // SAFETY: the pointer is valid for the call.
        context.check("cuStreamCreate", unsafe { sys::cuStreamCreate(&mut copies, flags) })?;
        Ok(Self {
            context,
            stream,
            copies,
            staging: Mutex::default(),
            stages: Mutex::default(),
            is_timed: AtomicBool::new(false),
        })
    }

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
            // A lost GPU has no outstanding copy.
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
        let mut pointers: Vec<_> = launch.parameters.iter().map(|it| it.pointer()).collect();
        // SAFETY: the kernel takes these parameters (each caller's duty), which are copied during the call.
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

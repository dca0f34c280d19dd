//! Arguments that are passed by pointer: inputs, variables for results, output buffers and handles.

use std::ffi::{CStr, c_char};

use crate::status::{Failure, Outcome, guarded, proofmill_status};

/// A C `bool` as it arrives. Callers in other languages can pass any byte, which Rust's `bool` must not hold.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Flag(u8);

impl Flag {
    pub(crate) fn value(self, argument: &str) -> Outcome<bool> {
        match self.0 {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(Failure::argument(argument, format!("is {other}; expected 0 or 1"))),
        }
    }
}

/// Borrows the bytes of an argument. NULL is valid for a length of 0.
pub unsafe fn bytes<'a>(argument: &str, pointer: *const u8, length: usize) -> Outcome<&'a [u8]> {
    unsafe { items(argument, pointer, length) }
}

/// Borrows the items of an argument. NULL is valid for a count of 0.
pub unsafe fn items<'a, T>(argument: &str, pointer: *const T, count: usize) -> Outcome<&'a [T]> {
    check(argument, pointer, count)?;
    if count == 0 {
        return Ok(&[]);
    }
    // SAFETY: not null, aligned, and of a possible size; the caller guarantees that it is readable.
    Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
}

fn check<T>(argument: &str, pointer: *const T, count: usize) -> Outcome {
    let problem = if count == 0 {
        return Ok(());
    } else if pointer.is_null() {
        "is null".to_owned()
    } else if !pointer.is_aligned() {
        "is not aligned".to_owned()
    } else if count.checked_mul(size_of::<T>()).is_none_or(|bytes| bytes > isize::MAX as usize) {
        format!("a length of {count} exceeds the address space")
    } else {
        return Ok(());
    };
    Err(Failure::argument(argument, problem))
}

/// Borrows a string that ends with a zero byte.
pub unsafe fn text<'a>(argument: &str, pointer: *const c_char) -> Outcome<&'a str> {
    check(argument, pointer, 1)?;
    // SAFETY: not null; the caller guarantees the zero byte.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str().map_err(|_| Failure::argument(argument, "is not UTF-8"))
}

/// Borrows the object of a handle.
pub unsafe fn handle<'a, T>(argument: &str, pointer: *const T) -> Outcome<&'a T> {
    // SAFETY: a handle of ours that is not closed, or null.
    unsafe { pointer.as_ref() }.ok_or_else(|| Failure::argument(argument, "is null"))
}

/// A variable of the caller that receives a result.
#[derive(Clone, Copy)]
pub struct Variable<T>(*mut T);

impl<T: Copy> Variable<T> {
    pub fn new(argument: &str, pointer: *mut T) -> Outcome<Self> {
        check(argument, pointer, 1)?;
        Ok(Self(pointer))
    }

    pub fn set(self, value: T) {
        // SAFETY: not null and aligned; the caller guarantees that it is writable.
        unsafe { self.0.write(value) }
    }

    pub fn get(self) -> T {
        // SAFETY: as above, and the caller has set it.
        unsafe { self.0.read() }
    }
}

/// An output buffer of exactly the result's length. It is written after all inputs were read, so it may overlap them.
pub struct Output<T>(*mut T, usize);

impl<T: Copy> Output<T> {
    /// Checks that a buffer of `length` items holds exactly `expected`.
    pub fn exact(argument: &str, pointer: *mut T, length: usize, expected: usize) -> Outcome<Self> {
        if length != expected {
            let problem = format!("a length of {length}; the result has {expected}");
            return Err(Failure::argument(argument, problem));
        }
        check(argument, pointer, length)?;
        Ok(Self(pointer, length))
    }

    /// Writes the whole result.
    pub fn write(self, result: &[T]) {
        assert_eq!(result.len(), self.1, "a result of another length");
        // SAFETY: checked for so many items, which the caller guarantees to be writable. `result` is ours.
        unsafe { std::ptr::copy_nonoverlapping(result.as_ptr(), self.0, result.len()) }
    }
}

/// Creates an object and stores its handle; stores NULL if that fails.
pub unsafe fn give<T>(
    argument: &str,
    pointer: *mut *mut T,
    make: impl FnOnce() -> Outcome<T>,
) -> Outcome {
    let handle = Variable::new(argument, pointer)?;
    handle.set(std::ptr::null_mut());
    handle.set(Box::into_raw(Box::new(make()?)));
    Ok(())
}

/// Frees the object of a handle. Ignores NULL.
pub unsafe fn close<T>(pointer: *mut T) {
    if !pointer.is_null() {
        // A panic while freeing has nobody to be reported to.
        // SAFETY: `give` made it.
        let _ = guarded(|| {
            drop(unsafe { Box::from_raw(pointer) });
            Ok(())
        });
    }
}

/// Writes a string and its zero byte to a buffer of `*length` bytes, and sets `*length` to the bytes that these take.
pub unsafe fn put_text(
    argument: &str,
    text: &str,
    out: *mut c_char,
    length: *mut usize,
) -> Outcome {
    let bytes = [text.as_bytes(), &[0]].concat();
    unsafe { put_bytes(argument, &bytes, out.cast(), length) }
}

/// Writes bytes to a buffer of `*length` bytes, and sets `*length` to their number.
pub unsafe fn put_bytes(argument: &str, bytes: &[u8], out: *mut u8, length: *mut usize) -> Outcome {
    demand(argument, bytes.len(), out.cast(), length)?;
    // SAFETY: the buffer has space for all of it; the caller guarantees that it is writable.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), out, bytes.len()) }
    Ok(())
}

/// Checks that a buffer of `*length` bytes has space for so many, and sets `*length` to their number. NULL has no space.
pub fn demand(argument: &str, bytes: usize, out: *mut c_char, length: *mut usize) -> Outcome {
    let length = Variable::new(&format!("{argument}_length"), length)?;
    let found = length.get();
    length.set(bytes);
    let found = match found {
        _ if out.is_null() => "no buffer".to_owned(),
        found if found < bytes => format!("a buffer of {found} bytes"),
        _ => return Ok(()),
    };
    let text = format!("{argument}: {found}; {bytes} bytes are required");
    Err(Failure { status: proofmill_status::PROOFMILL_ERROR_SHORT_BUFFER, text })
}

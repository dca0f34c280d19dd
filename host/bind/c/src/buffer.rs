//! What comes in and goes out by pointer.

use std::ffi::{CStr, c_char};

use crate::status::{Failure, Outcome, proofmill_status};

/// The bytes of an argument. A null pointer stands for none of them.
pub unsafe fn bytes<'a>(argument: &str, pointer: *const u8, length: usize) -> Outcome<&'a [u8]> {
    unsafe { items(argument, pointer, length) }
}

/// The items of an argument.
pub unsafe fn items<'a, T>(argument: &str, pointer: *const T, count: usize) -> Outcome<&'a [T]> {
    check::<T>(argument, pointer, count)?;
    if count == 0 {
        return Ok(&[]);
    }
    // SAFETY: not null, aligned, and of a size that can be; that it is readable is the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
}

/// Items that are written.
pub unsafe fn items_mut<'a, T>(
    argument: &str,
    pointer: *mut T,
    count: usize,
) -> Outcome<&'a mut [T]> {
    check::<T>(argument, pointer, count)?;
    if count == 0 {
        return Ok(&mut []);
    }
    // SAFETY: as above, and nobody else uses them meanwhile.
    Ok(unsafe { std::slice::from_raw_parts_mut(pointer, count) })
}

fn check<T>(argument: &str, pointer: *const T, count: usize) -> Outcome {
    let problem = if count == 0 {
        return Ok(());
    } else if pointer.is_null() {
        "is null".to_owned()
    } else if !pointer.is_aligned() {
        "is not aligned".to_owned()
    } else if count.checked_mul(size_of::<T>()).is_none_or(|bytes| bytes > isize::MAX as usize) {
        format!("a length of {count} cannot be")
    } else {
        return Ok(());
    };
    Err(Failure::argument(argument, problem))
}

/// A text that ends with a zero byte.
pub unsafe fn text<'a>(argument: &str, pointer: *const c_char) -> Outcome<&'a str> {
    if pointer.is_null() {
        return Err(Failure::argument(argument, "is null"));
    }
    // SAFETY: not null; that it ends is the caller's promise.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str().map_err(|_| Failure::argument(argument, "is not UTF-8"))
}

/// What a handle stands for.
pub unsafe fn handle<'a, T>(argument: &str, pointer: *const T) -> Outcome<&'a T> {
    // SAFETY: a handle that we gave out, and that is not closed, or null.
    unsafe { pointer.as_ref() }.ok_or_else(|| Failure::argument(argument, "is null"))
}

/// Where a handle or a value is put.
pub unsafe fn place<'a, T>(argument: &str, pointer: *mut T) -> Outcome<&'a mut T> {
    // SAFETY: the caller's own variable, or null.
    unsafe { pointer.as_mut() }.ok_or_else(|| Failure::argument(argument, "is null"))
}

/// Puts the handle of something new at its place; NULL if it cannot be made.
pub unsafe fn give<T>(
    argument: &str,
    pointer: *mut *mut T,
    make: impl FnOnce() -> Outcome<T>,
) -> Outcome {
    let place = unsafe { place(argument, pointer)? };
    *place = std::ptr::null_mut();
    *place = Box::into_raw(Box::new(make()?));
    Ok(())
}

/// Frees what a handle stands for. NULL is ignored.
pub unsafe fn close<T>(pointer: *mut T) {
    if !pointer.is_null() {
        // SAFETY: `give` made it so.
        drop(unsafe { Box::from_raw(pointer) });
    }
}

/// A text that goes out to a buffer of `*length` bytes, with a zero byte at its end. `*length` becomes what it takes.
pub unsafe fn put_text(
    argument: &str,
    text: &str,
    out: *mut c_char,
    length: *mut usize,
) -> Outcome {
    let whole = text.len() + 1;
    unsafe { demand(argument, whole, out, length)? };
    // SAFETY: there is room for all of it.
    let room = unsafe { items_mut(argument, out.cast::<u8>(), whole)? };
    room[..text.len()].copy_from_slice(text.as_bytes());
    room[text.len()] = 0;
    Ok(())
}

/// Is there room for so many bytes? `*length` becomes their number. A null buffer asks only for it.
pub unsafe fn demand<T>(argument: &str, bytes: usize, out: *mut T, length: *mut usize) -> Outcome {
    let length = unsafe { place(&format!("{argument}_length"), length)? };
    let room = std::mem::replace(length, bytes);
    if out.is_null() || room < bytes {
        let text = format!("{argument}: a buffer of {room} bytes; {bytes} are needed");
        return Err(Failure { status: proofmill_status::PROOFMILL_SHORT_BUFFER, text });
    }
    Ok(())
}

/// An answer of a length that is known beforehand.
pub unsafe fn exact<'a>(
    argument: &str,
    pointer: *mut u8,
    length: usize,
    expected: usize,
) -> Outcome<&'a mut [u8]> {
    if length != expected {
        let problem = format!("a buffer of {length} bytes; the result has {expected}");
        return Err(Failure::argument(argument, problem));
    }
    unsafe { items_mut(argument, pointer, length) }
}

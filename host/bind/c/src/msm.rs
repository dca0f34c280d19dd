//! MSM.

use std::ffi::c_char;
use std::sync::Arc;

use proofmill::Device;
use proofmill::msm::{self, Bases, Check, Instance, SCALAR_BYTES};

use crate::buffer::{bytes, close, exact, give, handle, place, text};
use crate::device::{opened, proofmill_device};
use crate::status::{Failure, Outcome, call, proofmill_status};

/// Checks on points before anything is computed. Coordinates must always be below p.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum proofmill_check {
    /// None: the caller trusts the points.
    PROOFMILL_CHECK_NOTHING = 0,
    /// Each is on the curve.
    PROOFMILL_CHECK_CURVE = 1,
    /// Each is on the curve and in the subgroup of order r.
    PROOFMILL_CHECK_SUBGROUP = 2,
}

/// Bases that are resident on a device.
pub struct proofmill_bases {
    device: Arc<dyn Device>,
    bases: Bases,
}

/// Bytes of a point of this group ("bn254_g1", "bls12_381_g2", ...): x and y.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_msm_point_bytes(
    group: *const c_char,
    point_bytes: *mut usize,
) -> proofmill_status {
    call(|| unsafe {
        let place = place("point_bytes", point_bytes)?;
        *place = instance(group)?.point_bytes();
        Ok(())
    })
}

/// One MSM: the sum of k_i P_i. Points are x and y, little-endian, all zeros the identity; in G2 a coordinate is two numbers,
/// the coefficient of 1 first. Scalars are 32 bytes each, little-endian, below r. `result` is one point.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_msm(
    device: *const proofmill_device,
    group: *const c_char,
    check: i32,
    points: *const u8,
    points_length: usize,
    scalars: *const u8,
    scalars_length: usize,
    result: *mut u8,
    result_length: usize,
) -> proofmill_status {
    call(|| unsafe {
        let (device, instance) = (opened(device)?, instance(group)?);
        let result = exact("result", result, result_length, instance.point_bytes())?;
        let points = bytes("points", points, points_length)?;
        let bases = Bases::new(instance, points).checked(checked(check)?);
        let sum = msm::sum(&**device, bases, bytes("scalars", scalars, scalars_length)?)?;
        result.copy_from_slice(&sum);
        Ok(())
    })
}

/// Makes points resident on a device: checked and converted once, for MSMs to come. `check` is a proofmill_check. `room` is the
/// most bytes that they may take with precomputed multiples, which make MSMs faster; 0 for the points alone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_bases_open(
    device: *const proofmill_device,
    group: *const c_char,
    check: i32,
    room: usize,
    points: *const u8,
    points_length: usize,
    bases: *mut *mut proofmill_bases,
) -> proofmill_status {
    call(|| unsafe {
        give("bases", bases, || {
            let device = opened(device)?.clone();
            let points = bytes("points", points, points_length)?;
            let bases = Bases::new(instance(group)?, points);
            let bases = msm::park(&*device, bases.checked(checked(check)?).precomputed(room))?;
            Ok(proofmill_bases { device, bases })
        })
    })
}

/// Frees resident bases. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_bases_close(bases: *mut proofmill_bases) {
    unsafe { close(bases) };
}

/// `count` MSMs over resident bases: `scalars` are those of one MSM after those of the other, and so are the points in
/// `results`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_bases_msm(
    bases: *const proofmill_bases,
    count: usize,
    scalars: *const u8,
    scalars_length: usize,
    results: *mut u8,
    results_length: usize,
) -> proofmill_status {
    call(|| unsafe {
        let kept = handle("bases", bases)?;
        let scalars = bytes("scalars", scalars, scalars_length)?;
        let each = kept.bases.count()? * SCALAR_BYTES;
        if each.checked_mul(count) != Some(scalars.len()) {
            let problem = format!("{} bytes; {count} MSMs take {each} each", scalars.len());
            return Err(Failure::argument("scalars", problem));
        }
        let point = kept.bases.instance.point_bytes();
        let expected = count.saturating_mul(point);
        let results = exact("results", results, results_length, expected)?;
        let lists = (0..count).map(|list| &scalars[list * each..][..each]);
        let sums = msm::sums(&*kept.device, kept.bases.clone(), lists)?;
        for (result, sum) in results.chunks_exact_mut(point).zip(sums) {
            result.copy_from_slice(&sum);
        }
        Ok(())
    })
}

unsafe fn instance(group: *const c_char) -> Outcome<Instance> {
    Ok(unsafe { text("group", group)? }.parse::<Instance>()?)
}

fn checked(check: i32) -> Outcome<Check> {
    match check {
        0 => Ok(Check::Nothing),
        1 => Ok(Check::Curve),
        2 => Ok(Check::Subgroup),
        other => Err(Failure::argument("check", format!("{other} is no proofmill_check"))),
    }
}

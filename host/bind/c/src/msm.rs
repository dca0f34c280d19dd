//! MSM.

use std::ffi::c_char;
use std::sync::Arc;

use proofmill::Device;
use proofmill::msm::{self, Bases, Check, Instance, ResidentBases, SCALAR_BYTES};

use crate::buffer::{Output, Variable, bytes, close, give, handle, text};
use crate::device::{opened, proofmill_device};
use crate::secret;
use crate::status::{Failure, Outcome, call, proofmill_status, renamed};

/// Checks of points before they are used. Coordinates must be below p in every case.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum proofmill_check {
    /// Each point is on the curve and in the subgroup of order r: the default.
    PROOFMILL_CHECK_SUBGROUP = 0,
    /// Each point is on the curve. Results for points outside the subgroup are undefined.
    PROOFMILL_CHECK_CURVE = 1,
    /// No check: for points that were checked before. Results for other points are undefined.
    PROOFMILL_CHECK_NONE = 2,
}

/// Bases that are resident on a device.
pub struct proofmill_bases {
    device: Arc<dyn Device>,
    bases: ResidentBases,
}

/// Sets `*point_bytes` to the size in bytes of a point (x and y) of a group, such as "bn254_g1" or "bls12_381_g2".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_msm_point_bytes(
    group: *const c_char,
    point_bytes: *mut usize,
) -> proofmill_status {
    call(|| unsafe {
        let size = Variable::new("point_bytes", point_bytes)?;
        size.set(0);
        size.set(instance(group)?.point_bytes());
        Ok(())
    })
}

/// Computes one MSM: the sum of k_i P_i, the identity for no points.
///
/// `points` are x and y of each point, little-endian, below p; all zeros are the identity. In G2 a coordinate is two numbers,
/// the coefficient of 1 first. `scalars` are as many numbers of 32 bytes, little-endian, below r. `result` receives one point:
/// `result_length` is that of proofmill_msm_point_bytes. `check` is a proofmill_check; 0 checks curve and subgroup. Fails with
/// PROOFMILL_ERROR_ARGUMENT for a point or scalar that is invalid, and names its number.
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
        let result = Output::exact("result", result, result_length, instance.point_bytes())?;
        let points = bytes("points", points, points_length)?;
        let bases = Bases::new(instance, points).checked(checked(check)?);
        let scalars = secret::data(bytes("scalars", scalars, scalars_length)?);
        let computed = msm::msm(device, bases, scalars);
        result.write(&computed.map_err(renamed("bases", "points"))?);
        Ok(())
    })
}

/// Loads points to a device, where they stay resident for many MSMs: they are checked and converted once. Stores the handle in
/// `*bases`, or NULL on failure.
///
/// `points` and `check` are those of proofmill_msm. `max_bytes` limits the memory of the points with precomputed multiples,
/// which make MSMs faster; 0 loads the points alone. A limit below the size of the points is an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_bases_load(
    device: *const proofmill_device,
    group: *const c_char,
    check: i32,
    max_bytes: usize,
    points: *const u8,
    points_length: usize,
    bases: *mut *mut proofmill_bases,
) -> proofmill_status {
    call(|| unsafe {
        give("bases", bases, || {
            let device = opened(device)?.clone();
            let instance = instance(group)?;
            if isize::try_from(max_bytes).is_err() {
                let problem = format!("{max_bytes} exceeds the address space");
                return Err(Failure::argument("max_bytes", problem));
            }
            let points = bytes("points", points, points_length)?;
            let bases = Bases::new(instance, points).checked(checked(check)?);
            let bases = msm::load_bases(&device, bases.precomputed(max_bytes))
                .map_err(renamed("bases", "points"))?;
            Ok(proofmill_bases { device, bases })
        })
    })
}

/// Frees resident bases. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_bases_close(bases: *mut proofmill_bases) {
    unsafe { close(bases) };
}

/// Computes `count` MSMs over resident bases.
///
/// `scalars` has one list of scalars after the other: `scalars_length` is 32 x number of bases x `count`. `results` receives one
/// point after the other: `results_length` is the size of a point x `count`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_bases_msm_batch(
    bases: *const proofmill_bases,
    count: usize,
    scalars: *const u8,
    scalars_length: usize,
    results: *mut u8,
    results_length: usize,
) -> proofmill_status {
    call(|| unsafe {
        let resident = handle("bases", bases)?;
        let scalars = bytes("scalars", scalars, scalars_length)?;
        let each = resident.bases.count() * SCALAR_BYTES;
        if each.checked_mul(count) != Some(scalars.len()) {
            let problem = format!("{} bytes; {count} MSMs take {each} each", scalars.len());
            return Err(Failure::argument("scalars", problem));
        }
        let expected = count.saturating_mul(resident.bases.instance().point_bytes());
        let results = Output::exact("results", results, results_length, expected)?;
        let lists = (0..count).map(|list| secret::data(&scalars[list * each..][..each]));
        let points = msm::msm_batch(&resident.device, resident.bases.clone(), lists)?;
        results.write(&points.concat());
        Ok(())
    })
}

unsafe fn instance(group: *const c_char) -> Outcome<Instance> {
    unsafe { text("group", group)? }.parse::<Instance>().map_err(renamed("instance", "group"))
}

fn checked(check: i32) -> Outcome<Check> {
    match check {
        0 => Ok(Check::Subgroup),
        1 => Ok(Check::Curve),
        2 => Ok(Check::None),
        other => Err(Failure::argument("check", format!("{other} is not a proofmill_check"))),
    }
}

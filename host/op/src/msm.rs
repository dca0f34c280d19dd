//! `msm`: multi-scalar multiplication (MSM), the sum of k_i P_i in a group of points of prime order r.
//!
//! Points are x and y, one after the other, canonical integers below p, little-endian; in G2 each coordinate is two of
//! them, the coefficient of 1 first. All zeros is the identity. Scalars are 32 bytes, little-endian, below r. There are as
//! many scalars as points, from none on.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use proofmill_algebra::field::PrimeField;

use crate::{
    Argument, Capability, Data, Error, Operation, Progress, ResidentData, Result, features,
};

pub mod read;
mod stream;

pub use stream::Stream;

/// Bytes of a scalar.
pub const SCALAR_BYTES: usize = proofmill_algebra::msm::SCALAR_BYTES;

/// Defines the name of a group.
macro_rules! named {
    ($module:ident G1) => {
        concat!(stringify!($module), "_g1")
    };
    ($module:ident G2) => {
        concat!(stringify!($module), "_g2")
    };
}

/// Lists the curves and their groups: names in `spec/curves`, modules of `proofmill_algebra`. Then those that this build lacks.
macro_rules! instances {
    (
        ($dollar:tt)
        { $($(#[$doc:meta])* $curve:ident = $module:ident: $($group:ident)+;)* }
        { $($feature:tt: $absent:ident = $lacking:ident: $($missing:ident)+;)* }
    ) => {
        /// A curve with MSMs. Features of this crate bring more.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Curve {
            $($(#[$doc])* $curve,)*
        }

        impl Curve {
            /// The curves of this build.
            pub const ALL: [Self; [$(Self::$curve),*].len()] = [$(Self::$curve),*];

            /// Returns its name in `spec/curves`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$curve => stringify!($module),)*
                }
            }

            /// Returns the bytes of an element of Fp.
            const fn base_bytes(self) -> usize {
                match self {
                    $(Self::$curve => <proofmill_algebra::$module::Fp as PrimeField>::BYTES,)*
                }
            }
        }

        impl Instance {
            /// The groups of this build.
            pub const ALL: [Self; [$($(Group::$group),+),*].len()] =
                [$($(Self::new(Curve::$curve, Group::$group)),+),*];

            /// Curve and group.
            pub fn name(self) -> &'static str {
                match (self.curve, self.group) {
                    $((Curve::$curve, Group::G1) => named!($module G1),
                    (Curve::$curve, Group::G2) => named!($module G2),)*
                }
            }

            /// Names that this build lacks, each with its feature.
            const ABSENT: &[(&str, &str)] = &[$($((named!($lacking $missing), $feature)),+),*];
        }

        /// Calls a function that returns a `Result` for the group in `proofmill_algebra` of an
        /// [`Instance`](crate::msm::Instance); an error if the curve has no such group.
        #[macro_export]
        macro_rules! in_group {
            ($dollar instance:expr, $dollar function:ident($dollar($dollar argument:expr),* $dollar(,)?)) => {{
                use $dollar crate::msm::{Curve, Group};
                let instance: $dollar crate::msm::Instance = $dollar instance;
                match (instance.curve, instance.group) {
                    $($((Curve::$curve, Group::$group) => {
                        $dollar function::<proofmill_algebra::$module::$group>($dollar($dollar argument),*)
                    })+)*
                    #[allow(unreachable_patterns)]
                    _ => {
                        let problem = format!("there is no {instance}");
                        Err($dollar crate::Error::argument("instance", problem))
                    }
                }
            }};
        }
    };
}

features::sorted! { instances! ($)
    /// BN254, or alt_bn128.
    Bn254 = bn254: G1 G2;
    /// BLS12-381.
    Bls12_381 = bls12_381: G1 G2;
    /// BLS12-377.
    #[cfg(feature = "bls12_377")]
    Bls12_377 = bls12_377: G1 G2;
    /// Pallas.
    #[cfg(feature = "pasta")]
    Pallas = pallas: G1;
    /// Vesta.
    #[cfg(feature = "pasta")]
    Vesta = vesta: G1;
}

/// A group of a curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Group {
    /// Points over Fp. Where there is one group, it is this one.
    G1,
    /// Points of the twist over Fp2.
    G2,
}

/// A group by its curve and number: `bls12_381_g1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "String", into = "String"))]
pub struct Instance {
    /// The curve.
    pub curve: Curve,
    /// The group.
    pub group: Group,
}

impl Instance {
    /// Returns a group of a curve. No device offers groups that are not in [`Self::ALL`].
    pub const fn new(curve: Curve, group: Group) -> Self {
        Self { curve, group }
    }

    /// Returns the bytes of a point.
    pub const fn point_bytes(self) -> usize {
        match self.group {
            Group::G1 => 2 * self.curve.base_bytes(),
            Group::G2 => 4 * self.curve.base_bytes(),
        }
    }
}

impl fmt::Display for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Instance {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|instance| instance.name() == name).ok_or_else(|| {
            features::no_such("instance", name, &Self::ALL.map(Self::name), Self::ABSENT)
        })
    }
}

/// Checks on the points before the computation. Coordinates must always be below p. Without [`Check::Subgroup`], the result for points
/// outside the subgroup is undefined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Check {
    /// Each point is on the curve and of order r or 1.
    #[default]
    Subgroup,
    /// Each point is on the curve.
    Curve,
    /// None: the caller trusts these points.
    None,
}

impl Check {
    /// Returns whether this check includes `other`.
    pub fn includes(self, other: Self) -> bool {
        self as u8 <= other as u8
    }

    /// Returns its name: `subgroup`, `curve`, `none`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Subgroup => "subgroup",
            Self::Curve => "curve",
            Self::None => "none",
        }
    }
}

/// The source of points.
#[derive(Clone, Debug)]
pub enum Points {
    /// Bytes, or the handle of resident bases.
    Data(Data),
    /// Bytes that are read piece by piece.
    Stream(Arc<dyn Stream>),
}

impl Points {
    /// Returns the bytes, if they are not streamed.
    pub(crate) fn data_mut(&mut self) -> Option<&mut Data> {
        match self {
            Self::Data(data) => Some(data),
            Self::Stream(_) => None,
        }
    }
}

/// The bases of an MSM: the points that the scalars multiply.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Bases {
    /// The group.
    pub instance: Instance,
    /// The points one after the other.
    pub points: Points,
    /// The check on the points. Resident bases were checked when they were loaded; a request for a stronger check is refused.
    pub check: Check,
    /// The most bytes that resident bases may take with precomputed multiples, which make MSMs faster; 0 for the points alone. While multiples
    /// are computed, the points alone take their size once more. Devices that do not use multiples keep the points alone.
    pub max_bytes: usize,
}

impl Bases {
    /// Returns bases from points one after the other, which are checked to be in the subgroup.
    pub fn new(instance: Instance, points: impl Into<Data>) -> Self {
        let points = Points::Data(points.into());
        Self { instance, points, check: Check::Subgroup, max_bytes: 0 }
    }

    /// Returns bases from points that are read while they are used, for every MSM again. They are checked to be in the subgroup.
    pub fn streamed(instance: Instance, points: impl Stream + 'static) -> Self {
        let points = Points::Stream(Arc::new(points));
        Self { instance, points, check: Check::Subgroup, max_bytes: 0 }
    }

    /// Returns bases that are resident on a device. They were checked when they were loaded.
    pub fn resident(instance: Instance, points: ResidentData) -> Self {
        Self::new(instance, points).unchecked()
    }

    /// Returns the same points with this check.
    pub fn checked(self, check: Check) -> Self {
        Self { check, ..self }
    }

    /// Returns the same points without a check: the caller trusts them to be in the subgroup.
    pub fn unchecked(self) -> Self {
        self.checked(Check::None)
    }

    /// Returns the same points, to be loaded with precomputed multiples in at most `max_bytes` bytes.
    pub fn precomputed(self, max_bytes: usize) -> Self {
        Self { max_bytes, ..self }
    }

    /// Returns the number of points; an error if the bytes are not a whole number of them.
    pub fn count(&self) -> Result<usize> {
        let bytes = match &self.points {
            Points::Data(data) => data.len() as u64,
            Points::Stream(stream) => stream.bytes().map_err(|source| Error::Io {
                context: "bases".into(),
                source: Arc::new(source),
            })?,
        };
        whole(Argument::Bases, bytes, self.instance.point_bytes())
    }
}

/// MSMs over the same bases.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Request {
    /// The bases.
    pub bases: Bases,
    /// The scalars of each MSM, one after the other.
    pub scalars: Vec<Data>,
    /// The progress callback.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub progress: Option<Progress>,
}

impl Request {
    /// Returns a request for one MSM.
    pub fn new(bases: Bases, scalars: impl Into<Data>) -> Self {
        Self::batch(bases, [scalars])
    }

    /// Returns a request for an MSM for each list of scalars.
    pub fn batch(bases: Bases, lists: impl IntoIterator<Item = impl Into<Data>>) -> Self {
        Self { bases, scalars: lists.into_iter().map(Into::into).collect(), progress: None }
    }

    /// Returns the number of points; an error if a list of scalars has another length.
    pub fn count(&self) -> Result<usize> {
        let points = self.bases.count()?;
        for (number, scalars) in self.scalars.iter().enumerate() {
            let found = whole(Argument::Scalars, scalars.len() as u64, SCALAR_BYTES)?;
            if found != points {
                let problem = format!("list {number} has {found} scalars for {points} points");
                return Err(Error::argument(Argument::Scalars, problem));
            }
        }
        Ok(points)
    }
}

/// The results of MSMs.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Response {
    /// A point for each list of scalars.
    pub points: Vec<Vec<u8>>,
    /// The cycles of each MSM; `None` if the device does not count cycles.
    pub cycles: Option<Vec<Cycles>>,
}

impl Response {
    /// Returns a response. For devices.
    pub fn new(points: Vec<Vec<u8>>, cycles: Option<Vec<Cycles>>) -> Self {
        Self { points, cycles }
    }
}

/// Shows the number of points only: they depend on the scalars, which may be secret.
impl fmt::Debug for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Response({} points)", self.points.len())
    }
}

/// Multi-scalar multiplication.
pub struct Msm;

impl Operation for Msm {
    type Request = Request;
    type Response = Response;
    const NAME: &'static str = "msm";

    fn capability(request: &Request) -> Capability {
        Capability::Msm(request.bases.instance)
    }

    fn data_mut(request: &mut Request) -> Vec<&mut Data> {
        request.bases.points.data_mut().into_iter().chain(&mut request.scalars).collect()
    }

    fn same_result(response: &Response, other: &Response) -> bool {
        response.points == other.points
    }

    fn progress_mut(request: &mut Request) -> Option<&mut Option<Progress>> {
        Some(&mut request.progress)
    }

    fn points_mut(request: &mut Request) -> Option<&mut Points> {
        Some(&mut request.bases.points)
    }
}

/// Checks points and loads them into the device, in the form of its engine. The request is a [`Bases`], the response their handle.
pub struct LoadBases;

impl Operation for LoadBases {
    type Request = Bases;
    type Response = ResidentData;
    const NAME: &'static str = "load_bases";

    fn capability(bases: &Bases) -> Capability {
        Capability::Msm(bases.instance)
    }

    fn data_mut(bases: &mut Bases) -> Vec<&mut Data> {
        bases.points.data_mut().into_iter().collect()
    }

    fn same_result(_: &ResidentData, _: &ResidentData) -> bool {
        false
    }

    fn points_mut(bases: &mut Bases) -> Option<&mut Points> {
        Some(&mut bases.points)
    }

    fn reserved_bytes(bases: &Bases) -> u64 {
        bases.max_bytes as u64
    }

    fn resident(response: &ResidentData) -> Option<&ResidentData> {
        Some(response)
    }

    fn from_resident(resident: ResidentData) -> Option<ResidentData> {
        Some(resident)
    }
}

/// A request for the plan of an MSM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PlanRequest {
    /// The group.
    pub instance: Instance,
    /// The number of points, up to [`MAX_POINTS`].
    pub points: usize,
    /// True for resident bases.
    pub resident: bool,
    /// The most bytes for precomputed multiples ([`Bases::max_bytes`]); more than 0 implies resident bases.
    pub max_bytes: usize,
}

/// Plans an MSM: windows and memory.
pub struct PlanMsm;

impl Operation for PlanMsm {
    type Request = PlanRequest;
    type Response = Plan;
    const NAME: &'static str = "plan_msm";

    fn capability(request: &PlanRequest) -> Capability {
        Capability::Msm(request.instance)
    }

    fn data_mut(_: &mut PlanRequest) -> Vec<&mut Data> {
        vec![]
    }

    fn same_result(_: &Plan, _: &Plan) -> bool {
        false
    }
}

/// Clock cycles of an engine for one MSM.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Cycles {
    /// Cycles of adding points to buckets.
    pub accumulation: u64,
    /// Cycles of adding buckets and windows.
    pub tail: u64,
    /// Additions of the tail in the adder that had most.
    pub tail_additions: u64,
}

impl std::ops::AddAssign for Cycles {
    fn add_assign(&mut self, other: Self) {
        self.accumulation += other.accumulation;
        self.tail += other.tail;
        self.tail_additions += other.tail_additions;
    }
}

/// The plan of an MSM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Plan {
    /// The number of windows of a scalar.
    pub windows: usize,
    /// The bits of the widest window.
    pub window_bits: u32,
    /// The most bytes beyond those of the request and of resident bases: of GPU memory if a GPU computes the MSM, of host memory otherwise.
    pub memory: usize,
    /// The bytes of resident bases with their multiples.
    pub resident: usize,
    /// The number of resident multiples of each point, including the point.
    pub multiples: usize,
}

impl Plan {
    /// Returns a plan without multiples. For devices.
    pub fn new(windows: usize, window_bits: u32, memory: usize, resident: usize) -> Self {
        Self { windows, window_bits, memory, resident, multiples: 1 }
    }

    /// Returns the plan with this number of multiples of each point.
    pub fn with_multiples(self, multiples: usize) -> Self {
        Self { multiples, ..self }
    }
}

/// The largest number of points of an MSM.
pub const MAX_POINTS: u64 = 1 << 40;

fn whole(argument: Argument, bytes: u64, each: usize) -> Result<usize> {
    let count = bytes / each as u64;
    let problem = match bytes % each as u64 {
        0 if count <= MAX_POINTS => return Ok(count as usize),
        0 => format!("{count} are more than {MAX_POINTS}"),
        _ => format!("{bytes} bytes are not a multiple of {each}, the size of one"),
    };
    Err(Error::argument(argument, problem))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_group_is_found_by_its_name_and_no_other() {
        for instance in Instance::ALL {
            assert_eq!(instance.name().parse::<Instance>().unwrap(), instance);
            let curve = instance.name().rsplit_once('_').unwrap().0;
            assert_eq!(instance.curve.name(), curve);
        }
        let problem = "bn254".parse::<Instance>().unwrap_err().to_string();
        assert!(problem.contains("bn254_g1, bn254_g2"), "{problem}");
    }

    #[test]
    fn groups_are_those_of_the_algebra() {
        fn named<C: proofmill_algebra::curve::Curve>() -> Result<&'static str> {
            Ok(C::NAME)
        }
        for instance in Instance::ALL {
            assert_eq!(in_group!(instance, named()).unwrap(), instance.name());
        }
    }

    #[test]
    #[cfg(feature = "pasta")]
    fn a_curve_without_the_group_is_refused() {
        fn never<C: proofmill_algebra::curve::Curve>() -> Result<()> {
            panic!("called for {}", C::NAME)
        }
        let none = Instance::new(Curve::Pallas, Group::G2);
        let problem = in_group!(none, never()).unwrap_err().to_string();
        assert_eq!(problem, "instance: there is no pallas_g2");
        assert!("pallas_g2".parse::<Instance>().is_err());
    }

    #[test]
    fn present_and_absent_curves_are_those_of_the_wire() {
        let text = proofmill_spec::text(proofmill_spec::WIRE, "msm").unwrap();
        let spec: toml::Table = text.parse().unwrap();
        let names = spec["curves"].as_table().unwrap().keys();
        let names: BTreeSet<_> =
            names.map(String::as_str).filter(|name| !name.starts_with("toy")).collect();
        let here = Instance::ALL.into_iter().map(Instance::name);
        let all = here.chain(Instance::ABSENT.iter().map(|(name, _)| *name));
        let curves: BTreeSet<_> = all.map(|name| name.rsplit_once('_').unwrap().0).collect();
        assert_eq!(curves, names);
    }

    #[test]
    fn lengths_that_differ_are_named() {
        let g1 = Instance::new(Curve::Bls12_381, Group::G1);
        let bases = Bases::new(g1, vec![0; 3 * 96]);
        assert_eq!(bases.count().unwrap(), 3);
        assert_eq!(Request::new(bases.clone(), vec![0; 96]).count().unwrap(), 3);
        let problem = Request::new(bases.clone(), vec![0; 64]).count().unwrap_err().to_string();
        assert_eq!(problem, "scalars: list 0 has 2 scalars for 3 points");
        let problem = Request::new(bases, vec![0; 33]).count().unwrap_err().to_string();
        assert!(problem.starts_with("scalars: 33 bytes"), "{problem}");
        let problem = Bases::new(g1, vec![0; 97]).count().unwrap_err().to_string();
        assert!(problem.starts_with("bases: 97 bytes"), "{problem}");
    }
}

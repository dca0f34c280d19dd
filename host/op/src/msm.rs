//! `msm`: multi-scalar multiplication (MSM), the sum of k_i P_i in a group of points of prime order r.
//!
//! Points are x and y, one after the other, canonical integers below p, little-endian; in G2 each coordinate is two of
//! them, the coefficient of 1 first. All zeros is the identity. Scalars are 32 bytes, little-endian, below r. There are as
//! many scalars as points, from none on.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use proofmill_algebra::field::PrimeField;

use crate::{Data, Error, Parked, Result, features};

pub mod read;
mod stream;

pub use stream::Stream;

/// Bytes of a scalar.
pub const SCALAR_BYTES: usize = proofmill_algebra::msm::SCALAR_BYTES;

/// The name of a group.
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
            /// All there are.
            pub const ALL: [Self; [$(Self::$curve),*].len()] = [$(Self::$curve),*];

            /// Its name in `spec/curves`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$curve => stringify!($module),)*
                }
            }

            /// Bytes of an element of Fp.
            const fn base_bytes(self) -> usize {
                match self {
                    $(Self::$curve => <proofmill_algebra::$module::Fp as PrimeField>::BYTES,)*
                }
            }
        }

        impl Instance {
            /// All there are.
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
    /// This group of this curve. No device offers what is not in [`Self::ALL`].
    pub const fn new(curve: Curve, group: Group) -> Self {
        Self { curve, group }
    }

    /// Bytes of a point.
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

/// Checks on the points before anything is computed. Coordinates must always be below p. Without [`Check::Subgroup`], the
/// result for points outside the subgroup is undefined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Check {
    /// None: the caller trusts these points.
    #[default]
    Nothing,
    /// Each is on the curve.
    Curve,
    /// Each is on the curve and of order r or 1.
    Subgroup,
}

/// Where points come from.
#[derive(Clone, Debug)]
pub enum Points {
    /// Bytes, or the handle of resident bases.
    Data(Data),
    /// Bytes that are read piece by piece.
    Stream(Arc<dyn Stream>),
}

impl Points {
    /// The bytes, if they are not streamed.
    pub(crate) fn data_mut(&mut self) -> Option<&mut Data> {
        match self {
            Self::Data(data) => Some(data),
            Self::Stream(_) => None,
        }
    }
}

/// The bases of an MSM: points that scalars are multiplied with.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Bases {
    /// Their group.
    pub instance: Instance,
    /// The points one after the other.
    pub points: Points,
    /// Checks on the points. Resident bases were checked when they were parked; a weaker check than this is refused.
    pub check: Check,
    /// Most bytes that resident bases may take with precomputed multiples, which make MSMs faster; 0 for the points alone.
    /// While multiples are made, the points alone take their size once more. Devices that have no use for multiples keep the
    /// points alone.
    pub room: usize,
}

impl Bases {
    /// Points one after the other, not checked.
    pub fn new(instance: Instance, points: impl Into<Data>) -> Self {
        Self { instance, points: Points::Data(points.into()), check: Check::Nothing, room: 0 }
    }

    /// Points one after the other, read while they are used, for every MSM again.
    pub fn streamed(instance: Instance, points: impl Stream + 'static) -> Self {
        Self { instance, points: Points::Stream(Arc::new(points)), check: Check::Nothing, room: 0 }
    }

    /// Bases that are resident on a device.
    pub fn parked(instance: Instance, points: Parked) -> Self {
        Self::new(instance, Data::Parked(points))
    }

    /// The same points, to be checked.
    pub fn checked(self, check: Check) -> Self {
        Self { check, ..self }
    }

    /// The same points, to be made resident with precomputed multiples in at most so many bytes.
    pub fn precomputed(self, room: usize) -> Self {
        Self { room, ..self }
    }

    /// Number of points. An error when the bytes are not a whole number of them.
    pub fn count(&self) -> Result<usize> {
        let bytes = match &self.points {
            Points::Data(data) => data.len() as u64,
            Points::Stream(stream) => stream.bytes().map_err(|source| Error::Io {
                context: "bases".into(),
                source: Arc::new(source),
            })?,
        };
        whole("bases", bytes, self.instance.point_bytes())
    }
}

/// MSMs over the same bases.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Sums {
    /// The points.
    pub bases: Bases,
    /// For each MSM its scalars, one after the other.
    pub scalars: Vec<Data>,
    /// Is called with the progress.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub progress: Option<Progress>,
}

impl Sums {
    /// One MSM.
    pub fn one(bases: Bases, scalars: impl Into<Data>) -> Self {
        Self { bases, scalars: vec![scalars.into()], progress: None }
    }

    /// Number of points. An error when a list of scalars has another length.
    pub fn count(&self) -> Result<usize> {
        let points = self.bases.count()?;
        for (number, scalars) in self.scalars.iter().enumerate() {
            let found = whole("scalars", scalars.len() as u64, SCALAR_BYTES)?;
            if found != points {
                let problem = format!("list {number} has {found} scalars for {points} points");
                return Err(Error::argument("scalars", problem));
            }
        }
        Ok(points)
    }
}

/// A callback for progress: called now and then, from any thread, with the fraction of the work that is done, 0 to 1.
#[derive(Clone)]
pub struct Progress(pub Arc<dyn Fn(f64) + Send + Sync>);

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Progress")
    }
}

/// What can be asked.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Request {
    /// How an MSM over so many points would be computed, and in how much memory.
    Plan {
        /// The group.
        instance: Instance,
        /// The number of points, up to [`MOST_POINTS`].
        points: usize,
        /// Would the bases be resident?
        parked: bool,
        /// With precomputed multiples in so many bytes ([`Bases::room`])? Then they are resident.
        room: usize,
    },
    /// Make bases resident: check the points and keep them on the device in the engine's own form.
    Park(Bases),
    /// Compute MSMs.
    Sums(Sums),
}

impl Request {
    /// The group.
    pub fn instance(&self) -> Instance {
        match self {
            Self::Plan { instance, .. } => *instance,
            Self::Park(bases) => bases.instance,
            Self::Sums(sums) => sums.bases.instance,
        }
    }
}

/// The answer to the request of the same name.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Response {
    /// How it would be computed.
    Plan(Plan),
    /// The handle of resident bases.
    Parked(Parked),
    /// The results.
    Sums {
        /// For each list a point.
        points: Vec<Vec<u8>>,
        /// For each list what the engine counted; `None` where nothing counts.
        cycles: Option<Vec<Cycles>>,
    },
}

/// Clock cycles of an engine for one MSM.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Cycles {
    /// In which points were added into buckets.
    pub accumulation: u64,
    /// In which buckets and windows were added up.
    pub tail: u64,
    /// Additions of the tail, in the adder that had most.
    pub tail_additions: u64,
}

impl std::ops::AddAssign for Cycles {
    fn add_assign(&mut self, other: Self) {
        self.accumulation += other.accumulation;
        self.tail += other.tail;
        self.tail_additions += other.tail_additions;
    }
}

/// How an MSM is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Plan {
    /// Windows that the scalars are cut into.
    pub windows: usize,
    /// Bits of the widest.
    pub window_bits: u32,
    /// Most bytes, besides the request's and resident bases: of a GPU's own memory where a GPU computes it, of the host's elsewhere.
    pub memory: usize,
    /// Bytes of resident bases with their multiples.
    pub parked: usize,
    /// How many multiples of each point are resident, the point among them.
    pub multiples: usize,
}

impl Plan {
    /// For devices.
    pub fn new(windows: usize, window_bits: u32, memory: usize, parked: usize) -> Self {
        Self { windows, window_bits, memory, parked, multiples: 1 }
    }

    /// With so many multiples of each point.
    pub fn with_multiples(self, multiples: usize) -> Self {
        Self { multiples, ..self }
    }
}

/// Most points in a sum.
pub const MOST_POINTS: u64 = 1 << 40;

fn whole(argument: &'static str, bytes: u64, each: usize) -> Result<usize> {
    let count = bytes / each as u64;
    let problem = match bytes % each as u64 {
        0 if count <= MOST_POINTS => return Ok(count as usize),
        0 => format!("{count} are more than {MOST_POINTS}"),
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
    fn curves_here_and_absent_are_those_of_the_wire() {
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
        assert_eq!(Sums::one(bases.clone(), vec![0; 96]).count().unwrap(), 3);
        let problem = Sums::one(bases.clone(), vec![0; 64]).count().unwrap_err().to_string();
        assert_eq!(problem, "scalars: list 0 has 2 scalars for 3 points");
        let problem = Sums::one(bases, vec![0; 33]).count().unwrap_err().to_string();
        assert!(problem.starts_with("scalars: 33 bytes"), "{problem}");
        let problem = Bases::new(g1, vec![0; 97]).count().unwrap_err().to_string();
        assert!(problem.starts_with("bases: 97 bytes"), "{problem}");
    }
}

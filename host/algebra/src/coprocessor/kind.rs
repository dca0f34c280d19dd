//! The types of slots.

/// The type of a value, stored in its first slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Kind {
    /// An integer of 381 bits, or nothing that was given a type.
    #[default]
    Scalar,
    /// An element of Fp.
    Fe,
    /// An element of Fp2.
    Fe2,
    /// An element of Fp12.
    Fe12,
    /// x and y of a point of G1's curve.
    FpAf,
    /// x, y and z of one, in Jacobian form.
    FpJb,
    /// x and y of a point of G2's curve.
    Fp2Af,
    /// x, y and z of one, in Jacobian form.
    Fp2Jb,
}

/// The field of a value, or of the coordinates of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FieldName {
    /// Fp.
    Fp,
    /// Fp2.
    Fp2,
    /// Fp12.
    Fp12,
}

impl Kind {
    /// The types, by number.
    pub const ALL: [Self; 8] = [
        Self::Scalar,
        Self::Fe,
        Self::Fe2,
        Self::Fe12,
        Self::FpAf,
        Self::FpJb,
        Self::Fp2Af,
        Self::Fp2Jb,
    ];

    /// Its name in the specification.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Fe => "fe",
            Self::Fe2 => "fe2",
            Self::Fe12 => "fe12",
            Self::FpAf => "fp_af",
            Self::FpJb => "fp_jb",
            Self::Fp2Af => "fp2_af",
            Self::Fp2Jb => "fp2_jb",
        }
    }

    /// The type of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Its number in a slot.
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// Returns the number of slots of a value.
    pub const fn slots(self) -> usize {
        match self {
            Self::Scalar | Self::Fe => 1,
            Self::Fe2 | Self::FpAf => 2,
            Self::FpJb => 3,
            Self::Fp2Af => 4,
            Self::Fp2Jb => 6,
            Self::Fe12 => 12,
        }
    }

    /// Returns the field in which `sub`, `add`, `mul` and `inv` compute; for a point, the field of one coordinate.
    pub const fn field(self) -> FieldName {
        match self {
            Self::Scalar | Self::Fe | Self::FpAf | Self::FpJb => FieldName::Fp,
            Self::Fe2 | Self::Fp2Af | Self::Fp2Jb => FieldName::Fp2,
            Self::Fe12 => FieldName::Fp12,
        }
    }
}

impl FieldName {
    /// Its name in the specification.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fp => "fp",
            Self::Fp2 => "fp2",
            Self::Fp12 => "fp12",
        }
    }

    /// Returns the number of slots of an element.
    pub const fn slots(self) -> usize {
        match self {
            Self::Fp => 1,
            Self::Fp2 => 2,
            Self::Fp12 => 12,
        }
    }
}

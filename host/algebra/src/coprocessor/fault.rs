//! The errors of an instruction.

use std::fmt;

/// The reason why an instruction was rejected: the first one in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// No instruction has this opcode.
    UnknownOpcode = 1,
    /// An operand, or a jump's target, is not below the number of slots.
    NoSuchSlot,
    /// The type of a value's first slot is not one that the operand takes.
    WrongType,
    /// A value, read or written, extends beyond the last slot.
    BeyondEnd,
    /// A coordinate or an element is not below p.
    NotReduced,
    /// A point is not on its curve.
    NotOnCurve,
}

impl Fault {
    /// The errors in the order of their numbers.
    pub const ALL: [Self; 6] = [
        Self::UnknownOpcode,
        Self::NoSuchSlot,
        Self::WrongType,
        Self::BeyondEnd,
        Self::NotReduced,
        Self::NotOnCurve,
    ];

    /// Its name in the specification.
    pub const fn name(self) -> &'static str {
        match self {
            Self::UnknownOpcode => "unknown_opcode",
            Self::NoSuchSlot => "no_such_slot",
            Self::WrongType => "wrong_type",
            Self::BeyondEnd => "beyond_end",
            Self::NotReduced => "not_reduced",
            Self::NotOnCurve => "not_on_curve",
        }
    }

    /// Its number in the error register.
    pub const fn number(self) -> u8 {
        self as u8
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UnknownOpcode => "no instruction has this opcode",
            Self::NoSuchSlot => "an operand that is not below the number of slots",
            Self::WrongType => "an operand of a type that the instruction does not take",
            Self::BeyondEnd => "a value that extends beyond the last slot",
            Self::NotReduced => "a number that is not below the modulus",
            Self::NotOnCurve => "a point that is not on the curve",
        })
    }
}

impl std::error::Error for Fault {}

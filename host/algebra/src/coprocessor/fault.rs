//! What is wrong with an instruction.

use thiserror::Error;

/// Why an instruction did nothing: the first reason in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
pub enum Fault {
    /// No instruction has this opcode.
    #[error("no instruction has this opcode")]
    UnknownOpcode = 1,
    /// An operand, or a jump's target, is not below the number of slots.
    #[error("an operand that is not below the number of slots")]
    NoSuchSlot,
    /// The type of a value's first slot is not one that the operand takes.
    #[error("an operand of a type that the instruction does not take")]
    WrongType,
    /// A value, read or written, goes on behind the last slot.
    #[error("a value that goes on behind the last slot")]
    BeyondEnd,
    /// A coordinate or an element is not below p.
    #[error("a number that is not below the modulus")]
    NotReduced,
    /// A point is not on its curve.
    #[error("a point that is not on the curve")]
    NotOnCurve,
}

impl Fault {
    /// All there are.
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

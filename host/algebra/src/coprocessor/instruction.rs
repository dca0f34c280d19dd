//! Instructions, and what their operands are.

use std::fmt;
use std::str::FromStr;

/// Bytes of an instruction.
pub const INSTRUCTION_BYTES: usize = 8;

/// The role of an operand of an instruction. `To…`: the first slot of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// A slot of data memory.
    Slot,
    /// A number.
    Index,
    /// An instruction slot.
    Target,
    /// A value of any type.
    Value,
    /// An element of the field of a's type.
    Element,
    /// A point of the first curve.
    G1,
    /// A point of the second curve.
    G2,
    /// A point of either.
    Point,
    /// An element of Fp12.
    Fp12,
    /// The lines of a point of the second curve.
    Lines,
    /// One slot.
    ToSlot,
    /// An element of the field of a's type.
    ToElement,
    /// A point in Jacobian form.
    ToJacobian,
    /// A point in affine form.
    ToAffine,
    /// An element of Fp12.
    ToFp12,
}

impl Role {
    /// Returns its name in the specification.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Slot => "slot",
            Self::Index => "index",
            Self::Target => "target",
            Self::Value => "value",
            Self::Element => "element",
            Self::G1 => "g1",
            Self::G2 => "g2",
            Self::Point => "point",
            Self::Fp12 => "fp12",
            Self::Lines => "lines",
            Self::ToSlot => "to slot",
            Self::ToElement => "to element",
            Self::ToJacobian => "to jacobian",
            Self::ToAffine => "to affine",
            Self::ToFp12 => "to fp12",
        }
    }

    /// Returns whether it is a slot of data memory.
    pub const fn is_data(self) -> bool {
        !matches!(self, Self::Index | Self::Target)
    }
}

/// Defines the opcodes: number, name and operands of each.
macro_rules! opcodes {
    ($($(#[$doc:meta])* $name:ident = $number:literal $text:literal [$($role:ident),*];)*) => {
        /// The operation of an instruction. docs/use/coprocessor.md describes each.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Opcode {
            $($(#[$doc])* $name = $number,)*
        }

        impl Opcode {
            /// The opcodes, by number.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// Its name in the specification.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// Its operands, in their order.
            pub const fn operands(self) -> &'static [Role] {
                match self { $(Self::$name => &[$(Role::$role),*],)* }
            }
        }
    };
}

opcodes! {
    /// Stays where it is.
    NoopWait = 0x00 "noop_wait" [];
    /// b = a, one slot.
    CopyReg = 0x01 "copy_reg" [Slot, ToSlot];
    /// Jumps to a.
    Jump = 0x02 "jump" [Target];
    /// Jumps to a if the low 64 bits of b and c are equal.
    JumpIfEq = 0x04 "jump_if_eq" [Target, Slot, Slot];
    /// Decrements b and jumps to a if the low 64 bits of b are not 0.
    JumpNonzeroSub = 0x05 "jump_nonzero_sub" [Target, Slot];
    /// Sends the value at a with the index b.
    SendInterrupt = 0x06 "send_interrupt" [Value, Index];
    /// c = a - b.
    Sub = 0x10 "sub" [Element, Element, ToElement];
    /// c = a + b.
    Add = 0x11 "add" [Element, Element, ToElement];
    /// c = a b.
    Mul = 0x12 "mul" [Element, Element, ToElement];
    /// b = 1 / a, 0 for 0.
    Inv = 0x13 "inv" [Element, ToElement];
    /// c = a times the point b.
    PointMult = 0x20 "point_mult" [Slot, Point, ToJacobian];
    /// c = the Miller value of a and b.
    MillerLoop = 0x21 "miller_loop" [G1, G2, ToFp12];
    /// b = a^(-3 (p^12 - 1) / r).
    FinalExp = 0x22 "final_exp" [Fp12, ToFp12];
    /// c = the pairing of a and b.
    AtePairing = 0x23 "ate_pairing" [G1, G2, ToFp12];
    /// b = is a on its curve, in the subgroup, the identity?
    PointCheck = 0x24 "point_check" [Point, ToSlot];
    /// b = a in affine form.
    PointAffine = 0x25 "point_affine" [Point, ToAffine];
    /// c = a + b.
    PointAdd = 0x26 "point_add" [Point, Point, ToJacobian];
    /// c = the Miller value of a and the point whose [`lines`](super::lines()) are at b.
    MillerLines = 0x27 "miller_lines" [G1, Lines, ToFp12];
}

impl Opcode {
    /// The one with this number.
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.iter().copied().find(|opcode| opcode.number() == number)
    }

    /// The one of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|opcode| opcode.name() == name)
    }

    /// Its number.
    pub const fn number(self) -> u8 {
        self as u8
    }
}

/// A number, which may be that of no opcode, and three operands, of which an opcode may not need all. All zeros wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Instruction {
    /// The opcode's number.
    pub opcode: u8,
    /// a, b and c.
    pub operands: [u16; 3],
}

impl Instruction {
    /// Creates an instruction.
    pub const fn new(opcode: Opcode, operands: [u16; 3]) -> Self {
        Self { opcode: opcode.number(), operands }
    }

    /// Encodes the instruction in the card's layout: opcode, a, b, c, 0.
    pub fn to_bytes(self) -> [u8; INSTRUCTION_BYTES] {
        let [[a0, a1], [b0, b1], [c0, c1]] = self.operands.map(u16::to_le_bytes);
        [self.opcode, a0, a1, b0, b1, c0, c1, 0]
    }

    /// Decodes [`Self::to_bytes`]; the last byte is ignored.
    pub fn from_bytes([opcode, a0, a1, b0, b1, c0, c1, _]: [u8; INSTRUCTION_BYTES]) -> Self {
        let operands = [[a0, a1], [b0, b1], [c0, c1]].map(u16::from_le_bytes);
        Self { opcode, operands }
    }
}

/// The opcode's name and its operands; its number as `0x…` and all three operands if it is unknown, or if one that it does not have is not 0.
impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = Opcode::from_number(self.opcode)
            .map(|opcode| (opcode.name(), self.operands.split_at(opcode.operands().len())));
        let operands = match known {
            Some((name, (operands, [] | [0] | [0, 0] | [0, 0, 0]))) => {
                f.write_str(name)?;
                operands
            }
            _ => {
                write!(f, "{:#x}", self.opcode)?;
                &self.operands
            }
        };
        operands.iter().try_for_each(|operand| write!(f, " {operand}"))
    }
}

/// Parses the text that [`Instruction`] displays; missing operands are 0. The error describes the problem.
impl FromStr for Instruction {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut words = text.split_ascii_whitespace();
        let name = words.next().ok_or("no opcode")?;
        let opcode = match name.strip_prefix("0x") {
            Some(digits) => u8::from_str_radix(digits, 16).ok(),
            None => Opcode::from_name(name).map(Opcode::number),
        };
        let opcode = opcode.ok_or_else(|| format!("'{name}' is no opcode"))?;
        let mut operands = [0; 3];
        for (at, word) in words.enumerate() {
            let place = operands.get_mut(at).ok_or("more than three operands")?;
            *place = word.parse().map_err(|_| format!("'{word}' is no number from 0 to 65535"))?;
        }
        Ok(Self { opcode, operands })
    }
}

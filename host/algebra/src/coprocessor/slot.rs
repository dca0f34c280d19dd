//! A slot of data memory.

use super::Kind;

/// Bytes of a slot.
pub const SLOT_BYTES: usize = 48;
/// Bits of a value; the type is above them.
pub const VALUE_BITS: u32 = 381;

const TYPE_SHIFT: u32 = VALUE_BITS % 8;
const TYPE_MASK: u8 = !0 << TYPE_SHIFT;

/// An integer of [`VALUE_BITS`] bits and a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    value: [u8; SLOT_BYTES],
    kind: Kind,
}

/// A scalar of 0.
impl Default for Slot {
    fn default() -> Self {
        Self { value: [0; SLOT_BYTES], kind: Kind::Scalar }
    }
}

impl Slot {
    /// Returns the slot of a number, little-endian; `None` if it has more bits than a slot.
    pub fn new(value: [u8; SLOT_BYTES], kind: Kind) -> Option<Self> {
        (value[SLOT_BYTES - 1] & TYPE_MASK == 0).then_some(Self { value, kind })
    }

    /// Decodes 48 bytes in the card's layout; any content is valid.
    pub fn from_bytes(mut bytes: [u8; SLOT_BYTES]) -> Self {
        let last = &mut bytes[SLOT_BYTES - 1];
        let kind = Kind::ALL[usize::from(*last >> TYPE_SHIFT)];
        *last &= !TYPE_MASK;
        Self { value: bytes, kind }
    }

    /// Encodes the slot in the card's layout.
    pub fn to_bytes(&self) -> [u8; SLOT_BYTES] {
        let mut bytes = self.value;
        bytes[SLOT_BYTES - 1] |= self.kind.number() << TYPE_SHIFT;
        bytes
    }

    /// The number, little-endian.
    pub fn value(&self) -> &[u8; SLOT_BYTES] {
        &self.value
    }

    /// The type.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The low 64 bits.
    pub(super) fn low(&self) -> u64 {
        u64::from_le_bytes(self.value[..8].try_into().expect("eight bytes"))
    }

    /// Less 1, of a slot whose low bits are not 0.
    pub(super) fn decremented(mut self) -> Self {
        let low = self.low() - 1;
        self.value[..8].copy_from_slice(&low.to_le_bytes());
        self
    }

    /// Returns the number as 64-bit limbs, lowest first.
    pub(super) fn limbs(&self) -> [u64; SLOT_BYTES / 8] {
        let mut limbs = [0; SLOT_BYTES / 8];
        for (limb, bytes) in limbs.iter_mut().zip(self.value.chunks_exact(8)) {
            *limb = u64::from_le_bytes(bytes.try_into().expect("chunks of eight"));
        }
        limbs
    }
}

//! What a card's magic says of its image.

/// What every register of an absent card reads.
pub const ONES: u32 = u32::MAX;

/// Why a card with such a magic is none of ours, and what to do.
pub fn foreign(magic: u32, ours: u32, cure: &str) -> String {
    match magic {
        ONES => format!(
            "its registers read all ones: it has left the bus, or its image is gone; {cure}"
        ),
        _ => format!(
            "another image is loaded: its magic reads {magic:#010x}, not {ours:#010x}; {cure}"
        ),
    }
}

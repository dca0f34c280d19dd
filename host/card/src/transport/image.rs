//! The card's magic number, which identifies its image.

/// The value of every register of an absent card.
pub const ONES: u32 = u32::MAX;

/// Returns the reason why a card with this magic has no supported image, and the remedy.
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

//! Host memory that a card writes by its bus address: one huge page, which is contiguous and never moves.
//!
//! It is a file that outlives the process. If a host process was killed, further writes of the card go to the memory of the next session, and never
//! to memory that the system has assigned to another process.

use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, OFlags, flock, statfs};

use super::bar::Bar;

/// The folder in which the system shows huge pages as files.
const PAGES: &str = "/dev/hugepages";
/// The number of that type of file system.
const HUGE: i64 = 0x9584_58f6;
/// The file mode: only the owner may read the card's replies or hold the lock.
const OWN: u32 = 0o600;
/// The table of physical addresses, eight bytes for each small page.
const TABLE: &str = "/proc/self/pagemap";
const SMALL: u64 = 4096;
/// Bits of an entry: the page is in memory; its number, which only root can read.
const PRESENT: u64 = 1 << 63;
const NUMBER: u64 = (1 << 55) - 1;
/// The bus address of the memory of an emulated slot.
pub const EMULATED: u64 = 0x17_4000_0000;

/// The memory of a slot, opened by this process alone.
pub struct Memory {
    /// Its bytes.
    pub bytes: Bar,
    /// Its address for the card.
    pub base: u64,
    /// The lock of the slot, held while the file is open.
    _lock: File,
}

impl Memory {
    /// Maps a huge page for the function with this address. The slot number would not identify it: numbers change when a slot is removed.
    pub fn huge(function: &str, bytes: usize) -> Result<Self, String> {
        let found = statfs(PAGES).map_err(|_| no_pages())?;
        if found.f_type as i64 != HUGE {
            return Err(no_pages());
        }
        let path = PathBuf::from(format!("{PAGES}/proofmill-f2-{function}"));
        let file = locked(&path)?;
        let page = found.f_bsize as usize;
        assert!(bytes <= page, "a ring is longer than a huge page");
        let bytes = sized(&path, &file, page).map_err(|error| match error.kind() {
            ErrorKind::OutOfMemory => no_pages(),
            _ => format!("{}: {error}", path.display()),
        })?;
        // A page has no physical address before its first use.
        bytes.write(0, 0);
        let base = File::open(TABLE).and_then(|table| physical(&table, bytes.address() as u64));
        let base = base.map_err(|error| format!("{TABLE}: {error}"))?;
        let base = base.ok_or(
            "only root can read the physical address of its memory: run this as root (`sudo`)",
        )?;
        Ok(Self { bytes, base, _lock: file })
    }

    /// Maps a file instead, for an emulated slot in files of a folder.
    pub fn emulated(folder: &Path, number: u32, bytes: usize) -> Result<Self, String> {
        let path = folder.join(format!("memory{number}"));
        let file = locked(&path)?;
        let bytes = sized(&path, &file, bytes);
        let bytes = bytes.map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Self { bytes, base: EMULATED, _lock: file })
    }
}

fn locked(path: &Path) -> Result<File, String> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    options.mode(OWN).custom_flags(OFlags::NOFOLLOW.bits() as i32);
    let file = options.open(path).and_then(|file| {
        file.set_permissions(Permissions::from_mode(OWN))?;
        Ok(file)
    });
    let file = file.map_err(|error| match error.kind() {
        ErrorKind::PermissionDenied => {
            format!("no permission for {}: run this as root (`sudo`)", path.display())
        }
        _ => format!("{}: {error}", path.display()),
    })?;
    flock(&file, FlockOperation::NonBlockingLockExclusive)
        .map_err(|_| "another program uses this card")?;
    Ok(file)
}

fn sized(path: &Path, file: &File, bytes: usize) -> io::Result<Bar> {
    file.set_len(bytes as u64)?;
    Bar::open(path, 0, bytes)
}

fn no_pages() -> String {
    format!(
        "no huge page is free in {PAGES}: `echo 8 | sudo tee /proc/sys/vm/nr_hugepages`, and `sudo mount -t hugetlbfs none {PAGES}` where it is not mounted"
    )
}

/// Returns the physical address of an address of this process; `None` if this process may not read it.
fn physical(table: &File, place: u64) -> io::Result<Option<u64>> {
    let mut entry = [0; 8];
    table.read_exact_at(&mut entry, place / SMALL * 8)?;
    let entry = u64::from_le_bytes(entry);
    let number = entry & NUMBER;
    let is_told = entry & PRESENT != 0 && number != 0;
    Ok(is_told.then_some(number * SMALL + place % SMALL))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn a_place_is_found_in_the_table_or_kept_secret() {
        let mut table = tempfile::tempfile().unwrap();
        for entry in [0, PRESENT | 0x1234, PRESENT | 1 << 61 | 0x1235, PRESENT, 0x1236] {
            table.write_all(&u64::to_le_bytes(entry)).unwrap();
        }
        let address = |place| physical(&table, place).unwrap();
        assert_eq!((address(4096), address(8192 + 5)), (Some(0x123_4000), Some(0x123_5005)));
        assert_eq!((address(0), address(3 * 4096), address(4 * 4096)), (None, None, None));
        assert!(physical(&table, 5 * 4096).is_err());
    }
}

//! The cards of the driver, and the reasons why some cannot be opened.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use crate::transport::image;
use crate::wire::constants::shell::identification;

/// Returns the cards whose files have this prefix: number, and the description in their registers. No card is opened.
pub fn xdma_cards(prefix: &str) -> Vec<(u32, String)> {
    let about = |number: u32| {
        let path = file_of(prefix, number, "user");
        let magic = File::open(&path).and_then(|file| word(&file, identification::magic::OFFSET));
        match magic {
            Err(error) => explain(prefix, number, &path, &error),
            Ok(identification::magic::VALUE) => {
                "a proofmill card; `proofmill selftest --device` examines it".into()
            }
            Ok(found) => foreign(found),
        }
    };
    numbers(prefix).into_iter().map(|number| (number, about(number))).collect()
}

/// Returns the PCI addresses of the vendor's boards without a driver, as far as the system lists them.
pub fn boards_without_driver() -> Vec<String> {
    without_driver(Path::new("/sys/bus/pci/devices"))
}

fn without_driver(folder: &Path) -> Vec<String> {
    const XILINX: &str = "0x10ee";
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_idle = |path: &PathBuf| {
        fs::read_to_string(path.join("vendor")).is_ok_and(|vendor| vendor.trim() == XILINX)
            && !path.join("driver").exists()
    };
    let idle = entries.map(|entry| entry.path()).filter(is_idle);
    let mut found: Vec<_> =
        idle.filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned())).collect();
    found.sort();
    found
}

fn numbers(prefix: &str) -> Vec<u32> {
    let (folder, start) = prefix.rsplit_once('/').unwrap_or((".", prefix));
    let folder = if folder.is_empty() { "/" } else { folder };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let number = |name: &str| name.strip_prefix(start)?.strip_suffix("_user")?.parse().ok();
    let mut found: Vec<_> =
        entries.filter_map(|entry| number(entry.file_name().to_str()?)).collect();
    found.sort_unstable();
    found
}

/// Returns the path of a card's file.
pub fn file_of(prefix: &str, number: u32, name: &str) -> PathBuf {
    format!("{prefix}{number}_{name}").into()
}

/// Reads a 32-bit register.
pub fn word(user: &File, address: u32) -> io::Result<u32> {
    let mut bytes = [0; 4];
    user.read_exact_at(&mut bytes, address.into())?;
    Ok(u32::from_le_bytes(bytes))
}

/// Returns the reason why this card has no supported image, and the remedy.
pub fn foreign(magic: u32) -> String {
    let cure = "load proofmill's image, then rescan the bus or start the machine again";
    image::foreign(magic, identification::magic::VALUE, cure)
}

/// Returns the reason why a file cannot be opened, and the remedy.
pub fn explain(prefix: &str, number: u32, path: &Path, error: &io::Error) -> String {
    let shown = path.display();
    match error.kind() {
        ErrorKind::NotFound => {
            let there = numbers(prefix);
            if there.contains(&number) {
                return format!(
                    "there is no {shown}, but other files of the card are: its image has no streaming channel; load proofmill's image"
                );
            }
            if !there.is_empty() {
                return format!("there is no {shown}; `proofmill devices` lists the cards");
            }
            match &boards_without_driver()[..] {
                [] => format!(
                    "there is no {shown}: is the card plugged in, its image loaded, and the vendor's driver (`modprobe xdma`)?"
                ),
                boards => format!(
                    "there is no {shown}: the board at {} has no driver; load the vendor's (`modprobe xdma`)",
                    boards.join(", ")
                ),
            }
        }
        ErrorKind::PermissionDenied => format!(
            "no permission for {shown}: let a udev rule give your group the files {prefix}{number}_*"
        ),
        _ => format!("{shown}: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_without_a_driver_are_found() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = temporary.path().join("devices");
        for (name, vendor, driven) in [
            ("0000:02:00.0", "0x10ee", false),
            ("0000:01:00.0", "0x10ee", true),
            ("0000:03:00.0", "0x8086", false),
        ] {
            let place = folder.join(name);
            fs::create_dir_all(&place).unwrap();
            fs::write(place.join("vendor"), format!("{vendor}\n")).unwrap();
            if driven {
                fs::create_dir(place.join("driver")).unwrap();
            }
        }
        let found = without_driver(&folder);
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(found, ["0000:02:00.0"]);
        assert!(without_driver(&folder).is_empty());
    }
}

//! The slots of this machine, and the reasons why some cannot be opened.
//!
//! A slot has two PCI functions: Amazon's for management, by which slots are found and numbered as Amazon's tools number them, and function 0 of the
//! same device, which gives access to the image and has the ids of the image.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use super::bar::Bar;
use crate::transport::image;
use crate::wire::constants::slot_rings::registers::{BASE, magic};

/// The folder in which the system shows PCI functions.
pub const PCI_DEVICES: &str = "/sys/bus/pci/devices";
/// Vendor and device of the function for management.
const MANAGEMENT: [&str; 2] = ["0x1d0f", "0x9248"];
/// Bytes of the registers: what lies behind them in BAR0 is not ours.
pub const REGISTERS: usize = 1 << 17;
/// The command register of a function's configuration, and two of its bits.
const COMMAND: u64 = 4;
const ANSWERS: u16 = 1 << 1;
const MASTER: u16 = 1 << 2;

/// The function of a slot that leads to the image, as a folder of the system.
#[derive(Clone, Debug)]
pub struct Slot {
    number: u32,
    folder: PathBuf,
}

/// Returns the slots in a folder ([`PCI_DEVICES`]): number, and the description in their registers. No slot is opened.
pub fn f2_slots(devices: &Path) -> Vec<(u32, String)> {
    let about = |slot: &Slot| -> Result<String, String> {
        slot.check()?;
        let registers = slot.map("resource0", 0, REGISTERS)?;
        if slot.is_off() {
            return Ok("it answers when it is opened: `proofmill selftest --device`".into());
        }
        match registers.read((BASE + magic::OFFSET) as usize) {
            magic::VALUE => {
                Ok("a proofmill card; `proofmill selftest --device` examines it".into())
            }
            found => Err(slot.foreign(found)),
        }
    };
    let described = |slot: Slot| (slot.number, about(&slot).unwrap_or_else(|problem| problem));
    found(devices).into_iter().map(described).collect()
}

fn found(devices: &Path) -> Vec<Slot> {
    let entries = fs::read_dir(devices).into_iter().flatten().flatten();
    let is_management = |path: &PathBuf| {
        ["vendor", "device"].iter().zip(MANAGEMENT).all(|(file, id)| {
            fs::read_to_string(path.join(file)).is_ok_and(|found| found.trim() == id)
        })
    };
    let mut found: Vec<_> = entries.map(|entry| entry.path()).filter(is_management).collect();
    found.sort();
    let image = |path: PathBuf| {
        let name = path.file_name()?.to_str()?;
        Some(devices.join(format!("{}.0", name.rsplit_once('.')?.0)))
    };
    let numbered = (0..).zip(found.into_iter().filter_map(image));
    numbered.map(|(number, folder)| Slot { number, folder }).collect()
}

impl Slot {
    /// The slot of this number; otherwise what to do.
    pub fn find(devices: &Path, number: u32) -> Result<Self, String> {
        let all = found(devices);
        let last = all.len().checked_sub(1);
        all.into_iter().find(|slot| slot.number == number).ok_or_else(|| match last {
            None => "this machine has no FPGA slot: f2: is for F2 instances of AWS; `proofmill devices` lists the devices of this machine".into(),
            Some(last) => format!("there is no slot {number}: they are numbered from 0 to {last}"),
        })
    }

    /// Returns an error if no program can use it now.
    pub fn check(&self) -> Result<(), String> {
        let address = self.address();
        if let Ok(driver) = fs::read_link(self.folder.join("driver")) {
            let driver = driver.file_name().unwrap_or_default().to_string_lossy().into_owned();
            return Err(format!(
                "the driver {driver} holds it: `echo {address} | sudo tee {}`",
                self.folder.join("driver/unbind").display()
            ));
        }
        // The type of an IOMMU that does not translate addresses is `identity`.
        let kind = fs::read_to_string(self.folder.join("iommu_group/type"));
        if kind.as_ref().is_ok_and(|kind| kind.trim() != "identity") {
            return Err(format!(
                "an IOMMU translates the slot's memory accesses ({address}): start the system with iommu=pt"
            ));
        }
        Ok(())
    }

    /// Bytes of one of its BARs.
    pub fn map(&self, file: &str, start: u64, bytes: usize) -> Result<Bar, String> {
        let path = self.folder.join(file);
        Bar::open(&path, start, bytes).map_err(|error| self.explain(&path, &error))
    }

    /// The file of the window: that which lets stores be combined, where the system offers it.
    pub fn window(&self) -> &'static str {
        let combined = "resource4_wc";
        if self.folder.join(combined).exists() { combined } else { "resource4" }
    }

    /// Returns whether the function still exists.
    pub fn exists(&self) -> bool {
        self.folder.join("resource0").exists()
    }

    /// Lets it answer to its addresses.
    pub fn answer(&self) -> Result<(), String> {
        self.command(|found| found | ANSWERS)
    }

    /// Lets it use the memory of this machine, or not.
    pub fn master(&self, may: bool) -> Result<(), String> {
        self.command(|found| if may { found | MASTER } else { found & !MASTER })
    }

    fn command(&self, change: impl Fn(u16) -> u16) -> Result<(), String> {
        let path = self.folder.join("config");
        let set = || {
            let file = OpenOptions::new().read(true).write(true).open(&path)?;
            file.write_all_at(&change(command(&file)?).to_le_bytes(), COMMAND)
        };
        set().map_err(|error| self.explain(&path, &error))
    }

    /// Registers of a function that does not answer read all ones, whatever its image.
    fn is_off(&self) -> bool {
        let file = File::open(self.folder.join("config"));
        file.and_then(|file| command(&file)).is_ok_and(|found| found & ANSWERS == 0)
    }

    /// Returns the reason why this card has no supported image, and the remedy.
    pub fn foreign(&self, found: u32) -> String {
        image::foreign(found, magic::VALUE, &self.cure())
    }

    /// Returns the command that loads the image.
    pub fn cure(&self) -> String {
        format!("load its image again (`sudo fpga-load-local-image -S {} -I agfi-…`)", self.number)
    }

    /// Its address, as the system writes it.
    pub fn address(&self) -> String {
        self.folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Returns the reason why a file cannot be used, and the remedy.
    fn explain(&self, path: &Path, error: &io::Error) -> String {
        let shown = path.display();
        match error.kind() {
            ErrorKind::NotFound => format!(
                "there is no {shown}: its image is being loaded or was removed; `sudo fpga-describe-local-image -S {} -R` looks again",
                self.number
            ),
            ErrorKind::PermissionDenied => {
                format!("no permission for {shown}: run this as root (`sudo`)")
            }
            _ => format!("{shown}: {error}"),
        }
    }
}

fn command(config: &File) -> io::Result<u16> {
    let mut bytes = [0; 2];
    config.read_exact_at(&mut bytes, COMMAND)?;
    Ok(u16::from_le_bytes(bytes))
}

//! Tests of the F2 transport with the files of an emulated slot: reasons why a slot cannot be opened, and the remains of another session.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::{FileExt as _, symlink};
use std::path::Path;
use std::time::{Duration, Instant};

use proofmill_card::wire::bare;
use proofmill_card::wire::constants::shell::commands;
use proofmill_card::wire::constants::slot_rings::{descriptor, registers, room};
use proofmill_card::{F2Transport, Transport, f2_slots};
use proofmill_op::Error;
use proofmill_testkit::boards::faults::{Board as _, PATIENCE, refused};
use proofmill_testkit::f2::F2;

use crate::boards::{cards, soft};

fn slot() -> F2 {
    cards().board()
}

fn problem(slot: &F2) -> String {
    refused(slot.transport(PATIENCE))
}

fn write(file: &Path, at: u64, bytes: &[u8]) {
    OpenOptions::new().write(true).open(file).unwrap().write_all_at(bytes, at).unwrap();
}

/// The session that is open.
fn session(slot: &F2) -> u16 {
    let at = (registers::BASE + registers::session::OFFSET) as usize;
    let file = fs::read(slot.file("resource0")).unwrap();
    u16::from_le_bytes([file[at], file[at + 1]])
}

/// Writes a descriptor for a page of packets as the card does.
fn descriptor(slot: &F2, session: u16, number: u16, bytes: u16, last: u16) {
    let mut line = [0; 64];
    for (offset, field) in [
        (descriptor::session::OFFSET, session),
        (descriptor::number::OFFSET, number),
        (descriptor::bytes::OFFSET, bytes),
        (descriptor::last::OFFSET, last),
    ] {
        line[offset as usize..][..2].copy_from_slice(&field.to_le_bytes());
    }
    write(&slot.folder().join("memory0"), room::descriptors::BASE.into(), &line);
}

#[test]
fn errors_name_the_problem_of_a_slot() {
    let slot = slot();
    let nowhere = F2Transport::open(Some(Path::new("/nowhere")), 0, PATIENCE);
    assert!(refused(nowhere).contains("f2: is for F2 instances of AWS"));
    let problem = refused(F2Transport::open(Some(slot.folder()), 3, PATIENCE));
    assert!(problem.contains("there is no slot 3: they are numbered from 0 to 0"), "{problem}");

    let assert_error = |said: &str| {
        let (problem, listed) = (self::problem(&slot), f2_slots(slot.folder()));
        assert!(problem.contains(said), "{problem}");
        assert!(matches!(&listed[..], [(0, about)] if about.contains(said)), "{listed:?}");
    };
    symlink("/sys/bus/pci/drivers/vfio-pci", slot.file("driver")).unwrap();
    assert_error("the driver vfio-pci holds it: `echo 0000:9f:00.0 | sudo tee ");
    fs::remove_file(slot.file("driver")).unwrap();
    fs::create_dir(slot.file("iommu_group")).unwrap();
    fs::write(slot.file("iommu_group/type"), "DMA-FQ\n").unwrap();
    assert_error("start the system with iommu=pt");
    fs::write(slot.file("iommu_group/type"), "identity\n").unwrap();
    cards().works(&slot);

    let layout = u64::from(registers::BASE + registers::layout::OFFSET);
    write(&slot.file("resource0"), layout, &[9]);
    let problem = self::problem(&slot);
    assert!(problem.contains("its rings are of version 9, not 1; load its image"), "{problem}");
    write(&slot.file("resource0"), layout, &[registers::layout::VALUE as u8]);
    let slots = u64::from(registers::BASE + registers::slots::OFFSET);
    write(&slot.file("resource0"), slots, &[15]);
    let problem = self::problem(&slot);
    assert!(problem.contains("its rings have 15 slots"), "{problem}");
    write(&slot.file("resource0"), slots, &[16]);
    // What is switched off reads ones whatever it is.
    write(&slot.file("config"), 4, &[0]);
    let listed = f2_slots(slot.folder());
    assert!(matches!(&listed[..], [(0, about)] if about.contains("when it is opened")));
    cards().works(&slot);
    // The functions of an image that is being loaded are away.
    fs::remove_file(slot.file("resource0")).unwrap();
    assert_error(
        "its image is being loaded or was removed; `sudo fpga-describe-local-image -S 0 -R`",
    );
}

#[test]
fn slots_are_counted_by_their_addresses() {
    let first = slot();
    let second = first.beside(1, Box::new(soft())).unwrap();
    let numbers: Vec<_> = f2_slots(first.folder()).iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers, [0, 1]);
    let mut one = F2Transport::open(Some(second.folder()), 1, PATIENCE).unwrap();
    one.send(&bare(commands::status::NUMBER)).unwrap();
    assert!(one.receive(PATIENCE).unwrap().is_some());
    assert_eq!((session(&first), one.name()), (0, "f2:1"));
}

/// A host that is killed closes nothing: packets and replies are under way, the session is open, and the memory is written.
#[test]
fn of_a_host_that_was_killed_nothing_is_left() {
    let slot = slot();
    for _ in 0..3 {
        let mut killed = slot.transport(PATIENCE).unwrap();
        for _ in 0..40 {
            killed.send(&bare(commands::status::NUMBER)).unwrap();
        }
        std::mem::forget(killed);
        // Its lock goes with it: here with its memory.
        fs::remove_file(slot.folder().join("memory0")).unwrap();
        let mut transport = slot.transport(PATIENCE).unwrap();
        assert!(transport.receive(Duration::from_millis(50)).unwrap().is_none());
        drop(transport);
        cards().works(&slot);
        assert_eq!(session(&slot), 0, "a host that ends closes its session");
    }
}

#[test]
fn descriptors_of_the_memory_are_cleared_before_a_session_begins() {
    let slot = slot();
    cards().works(&slot);
    let memory = slot.folder().join("memory0");
    let (first, bytes) = (room::descriptors::BASE, room::MOST_SLOTS * room::descriptors::SLOT);
    write(&memory, first.into(), &vec![0xff; bytes as usize]);
    let _transport = slot.transport(PATIENCE).unwrap();
    let found = fs::read(&memory).unwrap();
    assert!(found[first as usize..][..bytes as usize].iter().all(|byte| *byte == 0));
}

#[test]
fn pages_of_an_older_session_are_not_read() {
    let slot = slot();
    let mut transport = slot.transport(PATIENCE).unwrap();
    let ours = session(&slot);
    slot.hang(true);
    for (session, number) in [(ours ^ 1, 0), (ours, 1), (ours, 0_u16.wrapping_sub(16)), (0, 0)] {
        descriptor(&slot, session, number, 8, 1);
        assert!(transport.receive(Duration::from_millis(30)).unwrap().is_none());
    }
    // This is what it would be.
    descriptor(&slot, ours, 0, 8, 1);
    assert_eq!(transport.receive(PATIENCE).unwrap().map(|it| it.len()), Some(8));
}

#[test]
fn a_page_that_no_card_writes_loses_it() {
    for (bytes, last) in [(0, 1), (4097, 1), (8, 0), (64, 2)] {
        let slot = slot();
        let mut transport = slot.transport(PATIENCE).unwrap();
        slot.hang(true);
        descriptor(&slot, session(&slot), 0, bytes, last);
        let error = transport.receive(PATIENCE).unwrap_err();
        assert!(matches!(error, Error::Lost { .. }), "{error}");
        assert!(error.to_string().contains(&format!("a page of {bytes} bytes")), "{error}");
        let later = transport.send(&bare(commands::status::NUMBER)).unwrap_err();
        assert_eq!(later.to_string(), error.to_string());
    }
}

#[test]
fn a_card_that_may_not_write_to_memory_is_lost() {
    let slot = slot();
    let mut transport = slot.transport(PATIENCE).unwrap();
    write(&slot.file("config"), 4, &[1 << 1]);
    transport.send(&bare(commands::status::NUMBER)).unwrap();
    let start = Instant::now();
    let error = transport.receive(PATIENCE).unwrap_err().to_string();
    assert!(error.contains("it cannot write to the memory of this machine"), "{error}");
    assert!(start.elapsed() < PATIENCE / 2, "it was waited for");
    drop(transport);
    cards().works(&slot);
    let config = fs::read(slot.file("config")).unwrap();
    assert_eq!(config[4], 1 << 1, "the right goes with the session");
}

#[test]
fn a_session_that_another_program_has_opened_is_lost_and_left_alone() {
    let slot = slot();
    let mut transport = slot.transport(PATIENCE).unwrap();
    let other = session(&slot) ^ 0x8001;
    slot.hang(true);
    let at = u64::from(registers::BASE + registers::session::OFFSET);
    write(&slot.file("resource0"), at, &other.to_le_bytes());
    let error = transport.receive(PATIENCE).unwrap_err().to_string();
    assert!(error.contains("another host has opened it"), "{error}");
    drop(transport);
    assert_eq!(session(&slot), other);
}

/// More of them than the card keeps itself, in its queues and in the ring.
#[test]
fn replies_that_arrive_while_packets_are_sent_are_queued() {
    let slot = slot();
    let mut transport = slot.transport(PATIENCE).unwrap();
    for _ in 0..400 {
        transport.send(&bare(commands::status::NUMBER)).unwrap();
    }
    for number in 0..400 {
        let reply = transport.receive(PATIENCE).unwrap();
        assert_eq!(reply.map(|it| it.len()), Some(37), "{number}");
    }
}

/// Whoever used a register of it would be ended by the system.
#[test]
fn a_function_that_was_taken_away_is_not_touched() {
    let slot = slot();
    let mut transport = slot.transport(PATIENCE).unwrap();
    slot.hang(true);
    fs::remove_dir_all(slot.file("resource0").parent().unwrap()).unwrap();
    let error = transport.send(&bare(commands::status::NUMBER)).unwrap_err();
    assert!(matches!(error, Error::Lost { .. }), "{error}");
    assert!(error.to_string().contains("it has left the bus; load its image"), "{error}");
    assert!(transport.receive(PATIENCE).unwrap_err().to_string() == error.to_string());
}

/// More pages than a number has values.
#[test]
fn numbers_of_pages_begin_again() {
    let slot = slot();
    let mut transport = slot.transport(PATIENCE).unwrap();
    let mut packet = vec![0; 1 << 20];
    packet[..4].copy_from_slice(&(1_u32 << 20).to_le_bytes());
    packet[4..8].copy_from_slice(&commands::status::NUMBER.to_le_bytes());
    for number in 0..260 {
        transport.send(&packet).unwrap();
        let reply = transport.receive(PATIENCE).unwrap();
        assert_eq!(reply.map(|it| it.len()), Some(16), "{number}");
    }
    transport.send(&bare(commands::status::NUMBER)).unwrap();
    assert_eq!(transport.receive(PATIENCE).unwrap().map(|it| it.len()), Some(37));
}

#[test]
fn there_are_no_interrupts_and_no_registers_of_the_rings() {
    let slot = slot();
    let mut transport = slot.transport(PATIENCE).unwrap();
    assert!(matches!(transport.wait_event(PATIENCE), Err(Error::Unsupported { .. })));
    for address in [registers::BASE, 0x802, u32::MAX] {
        assert!(matches!(transport.read_register(address), Err(Error::Argument { .. })));
        assert!(matches!(transport.write_register(address, 0), Err(Error::Argument { .. })));
    }
    assert!(matches!(transport.send(&[]), Err(Error::Argument { .. })));
}

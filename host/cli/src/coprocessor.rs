//! `proofmill coprocessor`: programs are assembled, run and watched step by step.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use clap::Args;
use proofmill::coprocessor::{
    self, Assembly, DEFAULT_LIMIT, Event, Fault, INSTRUCTION_BYTES, Instruction, Interrupt, Kind,
    MAX_SLOTS, Machine, Opcode, Request, Role, SLOT_BYTES, Slot, Stop,
};
use proofmill::{Capability, Uri};
use proofmill_algebra::Isa;
use serde_json::{Value, json};

use crate::new_file::{keep_apart, write_all};
use crate::output::{Exit, Output, count};

/// Cycles on a card, by `NAME TYPE`: kept figures, from tools/report.py.
const CYCLES: &str = include_str!("coprocessor/cycles.json");
/// Most instructions of a program that is listed.
const LISTED: u64 = 1000;

#[derive(clap::Subcommand)]
pub enum Command {
    /// Assembles a program: a listing with cycles, or the memories as a card has them.
    Asm(Asm),
    /// Turns instruction memory back into text.
    Disasm(Disasm),
    /// Runs a program and shows what it sends.
    Run(Run),
    /// Runs a program on this processor and shows what each instruction changes, and its cycles on a card.
    Trace(Trace),
}

#[derive(Args)]
#[command(after_help = examples!(
    "proofmill coprocessor asm pairing.asm",
    "proofmill coprocessor asm pairing.asm --output program --data data",
))]
pub struct Asm {
    /// Writes instruction memory from slot 0 on, 8 bytes an instruction, in place of a listing; - is standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Writes data memory from slot 0 on, 48 bytes a slot; - is standard output, and the listing goes to standard error
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,
    /// The program's text
    #[arg(value_name = "PROGRAM")]
    program: PathBuf,
}

#[derive(Args)]
#[command(after_help = examples!(
    "proofmill coprocessor disasm program",
    "proofmill coprocessor disasm build/startup.bin",
))]
pub struct Disasm {
    /// Instruction memory from slot 0 on, 8 bytes an instruction
    #[arg(value_name = "MEMORY")]
    memory: PathBuf,
}

#[derive(Args)]
#[command(after_help = examples!(
    "proofmill coprocessor run pairing.asm",
    "proofmill coprocessor run --limit 1000 --slots pairing.asm",
))]
pub struct Run {
    /// Device that computes (see `proofmill devices`)
    #[arg(long, value_name = "URI", default_value = "cpu:")]
    device: Uri,
    /// Most instructions
    #[arg(long, value_name = "COUNT", default_value_t = DEFAULT_LIMIT)]
    limit: u64,
    /// Shows every slot that has a name, at the end
    #[arg(long)]
    slots: bool,
    /// Writes one line of JSON
    #[arg(long)]
    json: bool,
    /// The program's text
    #[arg(value_name = "PROGRAM")]
    program: PathBuf,
}

#[derive(Args)]
#[command(after_help = examples!(
    "proofmill coprocessor trace pairing.asm",
    "proofmill coprocessor trace --limit 20 loop.asm",
))]
pub struct Trace {
    /// Most instructions
    #[arg(long, value_name = "COUNT", default_value_t = 1000)]
    limit: u64,
    /// The program's text
    #[arg(value_name = "PROGRAM")]
    program: PathBuf,
}

/// Runs the subcommand.
pub fn run(command: &Command, output: &mut Output) -> anyhow::Result<Exit> {
    match command {
        Command::Asm(arguments) => asm(arguments, output),
        Command::Disasm(arguments) => disasm(arguments, output),
        Command::Run(arguments) => run_program(arguments, output),
        Command::Trace(arguments) => trace(arguments, output),
    }
}

fn asm(arguments: &Asm, output: &mut Output) -> anyhow::Result<Exit> {
    let assembly = read(&arguments.program)?;
    let outputs = [("--output", &arguments.output), ("--data", &arguments.data)];
    let named = outputs.iter().filter_map(|(name, path)| Some((*name, path.as_ref()?)));
    let paths: Vec<_> = named.clone().collect();
    keep_apart(&paths, &[("PROGRAM", &arguments.program)])?;
    let bytes = [assembly.program_bytes(), assembly.data_bytes()];
    let files = outputs.iter().zip(&bytes);
    let files: Vec<_> = files
        .filter_map(|((name, path), bytes)| Some((*name, path.as_deref()?, &bytes[..])))
        .collect();
    write_all(&files)?;
    output.keep_apart_from(paths.iter().map(|(_, path)| *path));
    if arguments.output.is_none() {
        let cycles = cycles_of_all(&assembly)?;
        for (at, instruction) in &assembly.program {
            let bytes = hex::encode(instruction.to_bytes());
            let (cycles, text) = (column(cycles.get(at)), described(&assembly, *instruction));
            output.line(format_args!("{at:>3}  {bytes}  {cycles}  {text}"))?;
        }
    }
    Ok(Exit::Valid)
}

fn disasm(arguments: &Disasm, output: &mut Output) -> anyhow::Result<Exit> {
    let path = &arguments.memory;
    let bytes = std::fs::read(path).with_context(|| format!("MEMORY: {}", path.display()))?;
    let (program, rest) = bytes.as_chunks::<INSTRUCTION_BYTES>();
    ensure!(
        rest.is_empty(),
        "MEMORY: {} bytes are not a whole number of {INSTRUCTION_BYTES}-byte instructions",
        bytes.len()
    );
    let most = MAX_SLOTS;
    ensure!(
        program.len() <= most,
        "MEMORY: {} instructions; there are at most {most}",
        program.len()
    );
    let program: Vec<_> = program.iter().map(|bytes| Instruction::from_bytes(*bytes)).collect();
    for line in coprocessor::disassemble(&program).lines() {
        output.line(line)?;
    }
    Ok(Exit::Valid)
}

fn run_program(arguments: &Run, output: &mut Output) -> anyhow::Result<Exit> {
    let assembly = read(&arguments.program)?;
    let device = proofmill::open_uri(&arguments.device)?;
    device.caps().require(&Capability::Coprocessor)?;
    let request = Request { limit: arguments.limit, ..assembly.request() };
    let answer = coprocessor::run(&*device, request)?;
    let slots: Vec<Slot> = answer.data.as_chunks().0.iter().map(|b| Slot::from_bytes(*b)).collect();
    let good = answer.error.is_none() && answer.stop == Stop::Waits;
    let exit = if good { Exit::Valid } else { Exit::Invalid };
    if arguments.json {
        let error = answer.error.map(|(fault, at)| {
            let problem = fault.to_string();
            json!({ "name": fault.name(), "slot": at, "line": assembly.lines.get(&at), "problem": problem })
        });
        let sent = answer.interrupts.iter().map(|sent| {
            let value: Vec<_> = sent.value.iter().map(number).collect();
            json!({ "index": sent.index, "type": sent.kind.name(), "value": value })
        });
        let named = assembly.names.iter().map(|(name, at)| {
            let (kind, numbers) = value(&slots, *at);
            (name.clone(), json!({ "slot": at, "type": kind.name(), "value": numbers }))
        });
        output.line(json!({
            "type": "coprocessor",
            "steps": answer.steps,
            "pointer": answer.pointer,
            "waits": answer.stop == Stop::Waits,
            "error": error,
            "interrupts": sent.collect::<Vec<_>>(),
            "slots": named.collect::<serde_json::Map<String, Value>>(),
        }))?;
        return Ok(exit);
    }
    for sent in &answer.interrupts {
        interrupt(output, sent)?;
    }
    for (name, at) in assembly.names.iter().filter(|_| arguments.slots) {
        let (kind, numbers) = value(&slots, *at);
        output.line(format_args!("{name} = {at}: {} {}", kind.name(), numbers.join(" ")))?;
    }
    if let Some((fault, at)) = answer.error {
        output.line(refused(&assembly, fault, at))?;
    }
    ended(output, answer.steps, answer.stop, answer.pointer)?;
    Ok(exit)
}

fn trace(arguments: &Trace, output: &mut Output) -> anyhow::Result<Exit> {
    let assembly = read(&arguments.program)?;
    let (mut machine, kept) = (machine(&assembly), kept_cycles()?);
    let (mut steps, mut all) = (0, 0);
    while steps < arguments.limit && !machine.waits() {
        let (at, before) = (machine.pointer(), machine.data.clone());
        let cycles = cycles_now(&kept, &machine);
        let text = described(&assembly, machine.program[at]);
        output.line(format_args!("{at:>3}  {}  {text}", column(cycles.as_ref())))?;
        match machine.step() {
            Event::Sent(sent) => interrupt(output, &sent)?,
            Event::Refused(fault) => output.line(refused(&assembly, fault, at))?,
            Event::Done | Event::Waits => all += cycles.unwrap_or(0),
        }
        let changed = before.iter().zip(&machine.data).enumerate();
        for (slot, (_, now)) in changed.filter(|(_, (before, now))| before != now) {
            let content = format!("{} {}", now.kind().name(), number(now.value()));
            let name = place(&assembly, slot, |at| machine.data[at].kind().slots());
            output.line(format_args!("       {name} = {content}"))?;
        }
        steps += 1;
    }
    let stop = if machine.waits() { Stop::Waits } else { Stop::Limit };
    ended(output, steps, stop, machine.pointer())?;
    output.line(format_args!("about {all} cycles on a card, one instruction after the other"))?;
    let good = machine.error().is_none() && stop == Stop::Waits;
    Ok(if good { Exit::Valid } else { Exit::Invalid })
}

fn read(path: &Path) -> anyhow::Result<Assembly> {
    let named = || format!("PROGRAM: {}", path.display());
    let text = std::fs::read_to_string(path).with_context(named)?;
    text.parse().with_context(named)
}

/// Returns a machine at the start of the program.
fn machine(assembly: &Assembly) -> Machine {
    let sizes = assembly.sizes;
    let mut machine = Machine::new(Isa::best(), sizes.data.ilog2(), sizes.instructions.ilog2());
    for (at, instruction) in &assembly.program {
        machine.program[*at] = *instruction;
    }
    for (at, slot) in &assembly.data {
        machine.data[*at] = *slot;
    }
    machine.set_pointer(assembly.start);
    machine
}

fn kept_cycles() -> anyhow::Result<BTreeMap<String, u64>> {
    serde_json::from_str(CYCLES).context("kept cycles")
}

/// Returns the cycles of the instruction at the pointer; none of control, nor of instructions that were not measured on
/// operands of these types.
fn cycles_now(kept: &BTreeMap<String, u64>, machine: &Machine) -> Option<u64> {
    let instruction = machine.program[machine.pointer()];
    let opcode = Opcode::from_number(instruction.opcode)?;
    let operands = opcode.operands().iter().zip(instruction.operands);
    let kinds = operands.filter_map(|(role, slot)| {
        let kind = machine.data.get(usize::from(slot))?.kind();
        measured_as(*role, kind).map(|name| (kind, name))
    });
    let kinds: Vec<_> = kinds.collect();
    let jacobian = |(kind, _): &(Kind, _)| matches!(kind, Kind::FpJb | Kind::Fp2Jb);
    let (_, name) = kinds.first().filter(|_| !kinds.iter().any(jacobian))?;
    kept.get(&format!("{} {name}", opcode.name())).copied()
}

/// What an operand of this type is taken for, and measured as; none where that does not matter.
fn measured_as(role: Role, kind: Kind) -> Option<&'static str> {
    Some(
        match (role, kind) {
            (Role::Element, _) => match kind.field().slots() {
                1 => Kind::Fe,
                2 => Kind::Fe2,
                _ => Kind::Fe12,
            },
            (Role::G1, _) | (Role::Point, Kind::FpAf | Kind::FpJb) => Kind::FpAf,
            (Role::G2 | Role::Point, _) => Kind::Fp2Af,
            (Role::Fp12, _) => Kind::Fe12,
            _ => return None,
        }
        .name(),
    )
}

/// Returns slot of an instruction -> its cycles, for the first execution of each.
fn cycles_of_all(assembly: &Assembly) -> anyhow::Result<BTreeMap<usize, u64>> {
    let (mut machine, kept, mut found) = (machine(assembly), kept_cycles()?, BTreeMap::new());
    for _ in 0..LISTED {
        let (at, cycles) = (machine.pointer(), cycles_now(&kept, &machine));
        if let (Event::Done, Some(cycles)) = (machine.step(), cycles) {
            found.entry(at).or_insert(cycles);
        }
        if machine.waits() {
            break;
        }
    }
    Ok(found)
}

fn column(cycles: Option<&u64>) -> String {
    format!("{:>6}", cycles.map_or(String::new(), u64::to_string))
}

fn ended(output: &mut Output, steps: u64, stop: Stop, pointer: usize) -> anyhow::Result<()> {
    let end = match stop {
        Stop::Waits => "waits",
        Stop::Limit => "stopped by the limit",
    };
    output.line(format_args!("{}, {end} at {pointer}", count(steps, "instruction")))
}

fn interrupt(output: &mut Output, sent: &Interrupt) -> anyhow::Result<()> {
    output.line(format_args!("interrupt {}: {}", sent.index, sent.kind.name()))?;
    sent.value.iter().try_for_each(|value| output.line(format_args!("  {}", number(value))))
}

/// Returns the reason for a refused instruction, with its line.
fn refused(assembly: &Assembly, fault: Fault, at: usize) -> String {
    let line = assembly.lines.get(&at).map_or(String::new(), |line| format!("line {line}: "));
    format!("{line}slot {at} was refused: {fault}")
}

/// Formats an instruction with the names of its slots.
fn described(assembly: &Assembly, instruction: Instruction) -> String {
    let Some(opcode) = Opcode::from_number(instruction.opcode) else {
        return instruction.to_string();
    };
    let operands = opcode.operands().iter().zip(instruction.operands);
    let operands: Vec<_> = operands
        .map(|(role, operand)| match role.is_data() {
            true => place(assembly, operand.into(), |_| 1),
            false => operand.to_string(),
        })
        .collect();
    format!("{} {}", opcode.name(), operands.join(", ")).trim_end().to_owned()
}

/// Formats a slot as its name, as an offset within a named value, or as its number.
fn place(assembly: &Assembly, slot: usize, slots_at: impl Fn(usize) -> usize) -> String {
    let before = assembly.names.iter().filter(|(_, at)| (*at..at + slots_at(*at)).contains(&slot));
    match before.max_by_key(|(_, at)| *at) {
        Some((name, at)) if *at == slot => name.clone(),
        Some((name, at)) => format!("{name}+{}", slot - at),
        None => slot.to_string(),
    }
}

/// Returns the type of the value that begins in a slot, and its numbers.
fn value(slots: &[Slot], at: usize) -> (Kind, Vec<String>) {
    let kind = slots[at].kind();
    let slots = slots[at..].iter().take(kind.slots());
    (kind, slots.map(|slot| number(slot.value())).collect())
}

/// Formats `0x` and digits without leading zeros.
fn number(value: &[u8; SLOT_BYTES]) -> String {
    let digits: String = value.iter().rev().map(|byte| format!("{byte:02x}")).collect();
    let digits = digits.trim_start_matches('0');
    format!("0x{}", if digits.is_empty() { "0" } else { digits })
}

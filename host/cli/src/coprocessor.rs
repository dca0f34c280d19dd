//! `proofmill coprocessor`: programs are assembled, run and watched step by step.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use clap::Args;
use proofmill::coprocessor::{
    self, Assembly, DEFAULT_LIMIT, Event, Fault, INSTRUCTION_BYTES, Instruction, Interrupt, Kind,
    Machine, Opcode, Request, SLOT_BYTES, SLOTS, Slot, Stop,
};
use proofmill::{Capability, Uri};
use serde_json::{Value, json};

use crate::new_file::{keep_apart, write_all};
use crate::output::{Exit, Output, count};

#[derive(clap::Subcommand)]
pub enum Command {
    /// Assembles a program: a listing, or the memories as a card has them.
    Asm(Asm),
    /// Turns instruction memory back into text.
    Disasm(Disasm),
    /// Runs a program and shows what it sends.
    Run(Run),
    /// Runs a program on this processor and shows what each instruction changes.
    Trace(Trace),
}

#[derive(Args)]
#[command(after_help = examples!(
    "proofmill coprocessor asm pairing.asm",
    "proofmill coprocessor asm pairing.asm --output program --data data",
))]
pub struct Asm {
    /// Writes instruction memory from slot 0 on, 8 bytes an instruction, in place of a listing
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Writes data memory from slot 0 on, 48 bytes a slot
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

/// Does what is asked.
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
    if arguments.output.is_none() {
        for (at, instruction) in &assembly.program {
            let bytes = hex::encode(instruction.to_bytes());
            output.line(format_args!("{at:>3}  {bytes}  {}", told(&assembly, *instruction)))?;
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
    ensure!(program.len() <= SLOTS, "MEMORY: {} instructions; there are {SLOTS}", program.len());
    let program: Vec<_> = program.iter().map(|bytes| Instruction::from_bytes(*bytes)).collect();
    for line in coprocessor::disassemble(&program).lines() {
        output.line(line)?;
    }
    Ok(Exit::Valid)
}

fn run_program(arguments: &Run, output: &mut Output) -> anyhow::Result<Exit> {
    let assembly = read(&arguments.program)?;
    let device = proofmill::open_uri(&arguments.device)?;
    device.caps().demand(&Capability::Coprocessor)?;
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
    let mut machine = Machine::default();
    for (at, instruction) in &assembly.program {
        machine.program[*at] = *instruction;
    }
    for (at, slot) in &assembly.data {
        machine.data[*at] = *slot;
    }
    machine.set_pointer(assembly.start);
    let mut steps = 0;
    while steps < arguments.limit && !machine.waits() {
        let (at, before) = (machine.pointer(), machine.data.clone());
        output.line(format_args!("{at:>3}  {}", told(&assembly, machine.program[at])))?;
        match machine.step() {
            Event::Sent(sent) => interrupt(output, &sent)?,
            Event::Refused(fault) => output.line(refused(&assembly, fault, at))?,
            Event::Done | Event::Waits => {}
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
    let good = machine.error().is_none() && stop == Stop::Waits;
    Ok(if good { Exit::Valid } else { Exit::Invalid })
}

fn read(path: &Path) -> anyhow::Result<Assembly> {
    let named = || format!("PROGRAM: {}", path.display());
    let text = std::fs::read_to_string(path).with_context(named)?;
    text.parse().with_context(named)
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

/// Why an instruction was refused, with the line that it stands in.
fn refused(assembly: &Assembly, fault: Fault, at: usize) -> String {
    let line = assembly.lines.get(&at).map_or(String::new(), |line| format!("line {line}: "));
    format!("{line}slot {at} was refused: {fault}")
}

/// An instruction with the names of its slots.
fn told(assembly: &Assembly, instruction: Instruction) -> String {
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

/// A slot by its name, or how far behind one it is within the value there, or its number.
fn place(assembly: &Assembly, slot: usize, slots_at: impl Fn(usize) -> usize) -> String {
    let before = assembly.names.iter().filter(|(_, at)| (*at..at + slots_at(*at)).contains(&slot));
    match before.max_by_key(|(_, at)| *at) {
        Some((name, at)) if *at == slot => name.clone(),
        Some((name, at)) => format!("{name}+{}", slot - at),
        None => slot.to_string(),
    }
}

/// The type of the value that begins in a slot, and its numbers.
fn value(slots: &[Slot], at: usize) -> (Kind, Vec<String>) {
    let kind = slots[at].kind();
    let slots = slots[at..].iter().take(kind.slots());
    (kind, slots.map(|slot| number(slot.value())).collect())
}

/// `0x` and digits without zeros in front.
fn number(value: &[u8; SLOT_BYTES]) -> String {
    let digits: String = value.iter().rev().map(|byte| format!("{byte:02x}")).collect();
    let digits = digits.trim_start_matches('0');
    format!("0x{}", if digits.is_empty() { "0" } else { digits })
}

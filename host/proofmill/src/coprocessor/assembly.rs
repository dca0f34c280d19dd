//! The language of programs.
//!
//! ```text
//! line        = [label ":"] [instruction | "at" number | slot | memory] ["#" comment]
//! memory      = "memory" ("data" | "instructions") number        how many slots the program has, in front of what needs them; 256 otherwise
//! slot        = "slot" name "=" number [":" type value ...]      a value for each slot of the type; "g1", "g2": the generator
//!             | "slot" name "=" number ":" "lines" value ...     the lines of a point of G2: "g2", or x and y, two values each
//! instruction = opcode operand ...                               separated by commas or blanks
//! operand     = number | name of a slot ["+" number] | label     a label where an instruction slot is wanted
//! ```

use std::collections::{BTreeMap, HashMap};
use std::str::FromStr;

use proofmill_algebra::bls12_381::{G1, G2};
use proofmill_algebra::curve::Curve;
use proofmill_algebra::encoding::{Coordinate, pair};
use proofmill_op::coprocessor::{
    Instruction, Kind, Opcode, Request, Role, SLOT_BYTES, SLOTS, Sizes, Slot, lines,
};
use thiserror::Error;

/// The default slot of the first instruction. A cleared machine waits at slot 0.
const FIRST: usize = 1;

/// An error in a program's text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {problem}")]
#[non_exhaustive]
pub struct AsmError {
    /// The number of the line, from 1 on.
    pub line: usize,
    /// The description of the error.
    pub problem: String,
}

/// A program with its data and its names.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Assembly {
    /// Instructions by slot.
    pub program: BTreeMap<usize, Instruction>,
    /// The initial content of data memory, by slot.
    pub data: BTreeMap<usize, Slot>,
    /// Slots by name, in the order of the text.
    pub names: Vec<(String, usize)>,
    /// The slot of the first instruction of the text.
    pub start: usize,
    /// The number of slots of each memory.
    pub sizes: Sizes,
    /// The line of each instruction, by slot.
    pub lines: HashMap<usize, usize>,
}

impl Assembly {
    /// The request to run it.
    pub fn request(&self) -> Request {
        let request = Request::new(self.program_bytes(), self.data_bytes(), self.start);
        Request { sizes: self.sizes, ..request }
    }

    /// Instruction memory up to the last instruction, as the card has it.
    pub fn program_bytes(&self) -> Vec<u8> {
        let count = self.program.last_key_value().map_or(0, |(last, _)| last + 1);
        let at = |slot: usize| self.program.get(&slot).copied().unwrap_or_default();
        (0..count).flat_map(|slot| at(slot).to_bytes()).collect()
    }

    /// Data memory up to the last slot with a value, as the card has it.
    pub fn data_bytes(&self) -> Vec<u8> {
        let count = self.data.last_key_value().map_or(0, |(last, _)| last + 1);
        let at = |slot: usize| self.data.get(&slot).copied().unwrap_or_default();
        (0..count).flat_map(|slot| at(slot).to_bytes()).collect()
    }

    /// The name of a slot, if the text gives it one.
    pub fn name_of(&self, slot: usize) -> Option<&str> {
        self.names.iter().find(|(_, at)| *at == slot).map(|(name, _)| &name[..])
    }
}

impl FromStr for Assembly {
    type Err = AsmError;

    fn from_str(text: &str) -> Result<Self, AsmError> {
        let mut reader = Reader { next: FIRST, ..Reader::default() };
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.split_once('#').map_or(line, |(line, _)| line);
            let read = reader.line(number, line.trim());
            read.map_err(|problem| AsmError { line: number, problem })?;
        }
        reader.finish()
    }
}

/// The text parsed so far. Operands are resolved at the end, so a label may follow its use.
#[derive(Default)]
struct Reader<'a> {
    assembly: Assembly,
    labels: HashMap<&'a str, usize>,
    slots: HashMap<&'a str, usize>,
    instructions: Vec<(usize, usize, &'a str, Vec<&'a str>)>,
    next: usize,
}

type Parsed<T> = Result<T, String>;

impl<'a> Reader<'a> {
    fn line(&mut self, number: usize, mut line: &'a str) -> Parsed<()> {
        if !line.starts_with("slot ")
            && let Some((label, rest)) = line.split_once(':')
        {
            self.label(label.trim())?;
            line = rest.trim();
        }
        let mut words =
            line.split(|c: char| c == ',' || c.is_whitespace()).filter(|word| !word.is_empty());
        match words.next() {
            None => Ok(()),
            Some("slot") => self.slot(line["slot".len()..].trim()),
            Some("at") => {
                let place = words.next().ok_or("'at' needs the number of a slot")?;
                self.next = slot_number(place, self.assembly.sizes.instructions)?;
                end(words.next())
            }
            Some("memory") => {
                self.memory(words.next(), words.next())?;
                end(words.next())
            }
            Some(opcode) => {
                let slots = self.assembly.sizes.instructions;
                if self.next >= slots {
                    return Err(format!("no instruction slot is left: there are {slots}"));
                }
                if self.assembly.lines.insert(self.next, number).is_some() {
                    return Err(format!("instruction slot {} is taken", self.next));
                }
                self.instructions.push((number, self.next, opcode, words.collect()));
                self.next += 1;
                Ok(())
            }
        }
    }

    fn label(&mut self, label: &'a str) -> Parsed<()> {
        name(label)?;
        if self.labels.insert(label, self.next).is_some() {
            return Err(format!("label '{label}' is defined twice"));
        }
        Ok(())
    }

    /// `memory data 512`.
    fn memory(&mut self, memory: Option<&str>, slots: Option<&str>) -> Parsed<()> {
        let mut sizes = self.assembly.sizes;
        let size = match memory {
            Some("data") => &mut sizes.data,
            Some("instructions") => &mut sizes.instructions,
            _ => return Err("expected 'memory data NUMBER' or 'memory instructions NUMBER'".into()),
        };
        let number = slots.and_then(unsigned).and_then(|number| usize::try_from(number).ok());
        *size = number.ok_or("'memory' needs a number of slots")?;
        sizes.check().map_err(|error| error.to_string())?;
        self.assembly.sizes = sizes;
        Ok(())
    }

    /// `name = number [: type value ...]`.
    fn slot(&mut self, text: &'a str) -> Parsed<()> {
        let (said, rest) = text.split_once('=').ok_or("expected 'slot NAME = NUMBER'")?;
        let said = name(said.trim())?;
        let (at, value) = match rest.split_once(':') {
            Some((at, value)) => (slot_number(at.trim(), self.assembly.sizes.data)?, Some(value)),
            None => (slot_number(rest.trim(), self.assembly.sizes.data)?, None),
        };
        if self.slots.insert(said, at).is_some() {
            return Err(format!("slot '{said}' is defined twice"));
        }
        self.assembly.names.push((said.to_owned(), at));
        match value {
            Some(value) => self.value(at, value),
            None => Ok(()),
        }
    }

    fn value(&mut self, at: usize, text: &str) -> Parsed<()> {
        let mut words = text.split_ascii_whitespace();
        let kind = words.next().ok_or("a type is missing")?;
        let mut numbers = vec![];
        for word in words {
            match word {
                "g1" => numbers.extend(generator::<G1>()),
                "g2" => numbers.extend(generator::<G2>()),
                _ => numbers.push(number(word)?),
            }
        }
        if kind == "lines" {
            let point = numbers[..].try_into();
            let point = point.map_err(|_| format!("{} numbers, x and y have 4", numbers.len()))?;
            return self.put(at, &lines(point).map_err(|error| error.to_string())?);
        }
        let kind = Kind::from_name(kind).ok_or_else(|| {
            let all = Kind::ALL.map(Kind::name).join(", ");
            format!("'{kind}' is no type; expected one of {all}")
        })?;
        let (found, expected) = (numbers.len(), kind.slots());
        if found != expected {
            return Err(format!("{found} numbers, a value of type {} has {expected}", kind.name()));
        }
        let slot = |number| Slot::new(number, kind).expect("numbers have at most 381 bits");
        self.put(at, &numbers.into_iter().map(slot).collect::<Vec<_>>())
    }

    /// Slots that the program begins with.
    fn put(&mut self, at: usize, value: &[Slot]) -> Parsed<()> {
        let slots = self.assembly.sizes.data;
        if at + value.len() > slots {
            return Err(format!("the value extends beyond slot {}", slots - 1));
        }
        for (slot, content) in (at..).zip(value) {
            if self.assembly.data.insert(slot, *content).is_some() {
                return Err(format!("slot {slot} has a value already"));
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Assembly, AsmError> {
        let instructions = std::mem::take(&mut self.instructions);
        self.assembly.start = instructions.first().map_or(FIRST, |(_, at, ..)| *at);
        for (line, at, opcode, operands) in instructions {
            let made = self.instruction(opcode, &operands);
            let made = made.map_err(|problem| AsmError { line, problem })?;
            self.assembly.program.insert(at, made);
        }
        Ok(self.assembly)
    }

    fn instruction(&self, opcode: &str, operands: &[&str]) -> Parsed<Instruction> {
        let Some(known) = Opcode::from_name(opcode) else {
            // An instruction by its number, with numeric operands: for opcodes without a name.
            if opcode.starts_with("0x") {
                return [&[opcode], operands].concat().join(" ").parse();
            }
            return Err(format!("'{opcode}' is no opcode"));
        };
        let roles = known.operands();
        if roles.len() != operands.len() {
            let names = roles.iter().map(|role| role.name()).collect::<Vec<_>>().join(", ");
            let (wanted, found) = (roles.len(), operands.len());
            let listed = if names.is_empty() { names } else { format!(" ({names})") };
            let plural = if wanted == 1 { "" } else { "s" };
            return Err(format!("{opcode} has {wanted} operand{plural}{listed}, not {found}"));
        }
        let mut numbers = [0; 3];
        for ((number, role), operand) in numbers.iter_mut().zip(roles).zip(operands) {
            *number = self.operand(*role, operand)?;
        }
        Ok(Instruction::new(known, numbers))
    }

    fn operand(&self, role: Role, text: &str) -> Parsed<u16> {
        if text.starts_with(|c: char| c.is_ascii_digit()) {
            let number = unsigned(text).and_then(|number| u16::try_from(number).ok());
            return number.ok_or_else(|| format!("'{text}' is no number from 0 to 65535"));
        }
        match role {
            Role::Index => Err(format!("'{text}' is no number")),
            Role::Target => {
                let found = self.labels.get(text);
                found.map(|at| *at as u16).ok_or_else(|| format!("no label '{text}'"))
            }
            _ => {
                let (said, further) = text.split_once('+').unwrap_or((text, "0"));
                let further = unsigned(further)
                    .filter(|further| *further < self.assembly.sizes.data as u64)
                    .ok_or_else(|| format!("'{text}': '{further}' is no number of slots"))?;
                let at = self.slots.get(said).ok_or_else(|| format!("no slot '{said}'"))?;
                Ok((*at + further as usize) as u16)
            }
        }
    }
}

fn end(word: Option<&str>) -> Parsed<()> {
    word.map_or(Ok(()), |word| Err(format!("'{word}' is too much")))
}

/// Letters, digits and underscores, a letter or an underscore first.
fn name(text: &str) -> Parsed<&str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let good = text.chars().all(is_part) && text.starts_with(|c: char| !c.is_ascii_digit());
    if good { Ok(text) } else { Err(format!("'{text}' is no name")) }
}

fn slot_number(text: &str, slots: usize) -> Parsed<usize> {
    let number = unsigned(text).filter(|number| *number < slots as u64);
    let number = number.ok_or_else(|| format!("'{text}' is no slot from 0 to {}", slots - 1))?;
    Ok(number as usize)
}

/// Decimal, or hexadecimal as `0x…`.
fn unsigned(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// A number of at most 381 bits, little-endian: decimal below 2^64, hexadecimal as `0x…`.
fn number(text: &str) -> Parsed<[u8; SLOT_BYTES]> {
    let mut bytes = [0; SLOT_BYTES];
    let message = || format!("'{text}' is no number of 381 bits");
    match text.strip_prefix("0x") {
        Some(digits) if !digits.is_empty() && digits.len() <= 2 * SLOT_BYTES => {
            hex::decode_to_slice(format!("{digits:0>96}"), &mut bytes).map_err(|_| message())?;
            bytes.reverse();
        }
        Some(_) => return Err(message()),
        None => {
            let value: u64 = text.parse().map_err(|_| message())?;
            bytes[..8].copy_from_slice(&value.to_le_bytes());
        }
    }
    if Slot::new(bytes, Kind::Scalar).is_some() { Ok(bytes) } else { Err(message()) }
}

/// x and y of a generator, a number for each slot.
fn generator<C: Curve<Base: Coordinate>>() -> Vec<[u8; SLOT_BYTES]> {
    pair::encode(&C::GENERATOR).as_chunks().0.to_vec()
}

/// A text that assembles to these instructions: of those that are not all zeros.
pub fn disassemble(program: &[Instruction]) -> String {
    let mut text = match program.len() {
        0..=SLOTS => String::new(),
        more => format!("memory instructions {}\n", more.next_power_of_two()),
    };
    let mut next = None;
    for (at, instruction) in program.iter().enumerate() {
        if *instruction == Instruction::default() {
            continue;
        }
        if next != Some(at) {
            text += &format!("at {at}\n");
        }
        let message = instruction.to_string();
        let (opcode, operands) = message.split_once(' ').unwrap_or((&message, ""));
        let line = format!("    {opcode} {}", operands.replace(' ', ", "));
        text += line.trim_end();
        text += "\n";
        next = Some(at + 1);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_becomes_instructions_and_data() {
        let assembly: Assembly = "
            # A loop.
            slot k = 0: scalar 3
            slot x = 10: fe2 1 0x1f   # two slots
            slot P = 20: fp_af g1
            at 7
            again: add x, x, x
                   jump_nonzero_sub again k
                   copy_reg x+1, 5
            last:  jump last
            at 1
                   jump 7
                   0x33 1 2
        "
        .parse()
        .unwrap();
        let message: Vec<_> =
            assembly.program.iter().map(|(at, message)| format!("{at} {message}")).collect();
        let wanted = [
            "1 jump 7",
            "2 0x33 1 2 0",
            "7 add 10 10 10",
            "8 jump_nonzero_sub 7 0",
            "9 copy_reg 11 5",
            "10 jump 10",
        ];
        assert_eq!(message, wanted);
        assert_eq!((assembly.start, assembly.lines[&8]), (7, 8));
        assert_eq!((assembly.data[&11].value()[0], assembly.data[&11].kind()), (0x1f, Kind::Fe2));
        assert_eq!((assembly.data.len(), assembly.name_of(10)), (5, Some("x")));
        assert_eq!((assembly.program_bytes().len(), assembly.data_bytes().len()), (88, 22 * 48));
        assert_eq!(assembly.data[&20].value()[0], 0xbb);
    }

    #[test]
    fn lines_of_a_point_are_slots() {
        let assembly: Assembly = "memory data 512\nslot Q = 240: lines g2".parse().unwrap();
        assert_eq!((assembly.data.len(), assembly.data[&511].kind()), (272, Kind::Fe2));
    }

    #[test]
    fn disassembled_text_assembles_to_the_same_program() {
        let text = "at 3\n    mul 1, 2, 3\n    inv 4, 5\n    0x33 1, 2, 3\nat 9\n    jump 3\n";
        let assembly: Assembly = text.parse().unwrap();
        let bytes = assembly.program_bytes();
        let program: Vec<_> =
            bytes.as_chunks().0.iter().map(|bytes| Instruction::from_bytes(*bytes)).collect();
        assert_eq!(disassemble(&program), text);

        let text = "memory instructions 512\nat 300\n    jump 300\n";
        let assembly: Assembly = text.parse().unwrap();
        assert_eq!(assembly.request().sizes, Sizes { data: 256, instructions: 512 });
        let bytes = assembly.program_bytes();
        let program: Vec<_> =
            bytes.as_chunks().0.iter().map(|bytes| Instruction::from_bytes(*bytes)).collect();
        assert_eq!(disassemble(&program), text);
    }

    #[test]
    fn errors_name_the_line() {
        let problem = |text: &str| text.parse::<Assembly>().unwrap_err().to_string();
        for (text, wanted) in [
            ("\nmull 1 2 3", "line 2: 'mull' is no opcode"),
            ("mul 1 2", "line 1: mul has 3 operands (element, element, to element), not 2"),
            ("jump 1 2", "line 1: jump has 1 operand (target), not 2"),
            ("noop_wait 1", "line 1: noop_wait has 0 operands, not 1"),
            ("jump away", "line 1: no label 'away'"),
            ("mul a, 1, 2", "line 1: no slot 'a'"),
            ("send_interrupt 1 65536", "line 1: '65536' is no number from 0 to 65535"),
            ("slot a = 256", "line 1: '256' is no slot from 0 to 255"),
            ("memory data 512\nslot a = 512", "line 2: '512' is no slot from 0 to 511"),
            ("memory instructions 512\nat 512", "line 2: '512' is no slot from 0 to 511"),
            (
                "memory data 300",
                "line 1: sizes: 300 slots of data; expected a power of two from 256 to 65536",
            ),
            (
                "memory slots 512",
                "line 1: expected 'memory data NUMBER' or 'memory instructions NUMBER'",
            ),
            ("memory data", "line 1: 'memory' needs a number of slots"),
            ("slot a 1", "line 1: expected 'slot NAME = NUMBER'"),
            (
                "slot a = 1: fp 1",
                "line 1: 'fp' is no type; expected one of scalar, fe, fe2, fe12, fp_af, fp_jb, fp2_af, fp2_jb",
            ),
            ("slot a = 1: fe2 1", "line 1: 1 numbers, a value of type fe2 has 2"),
            (
                "slot a = 1: fe 0x2000000000000000000000000000000000000000000000000000000000000000\
              00000000000000000000000000000000",
                "line 1: '0x200000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000' is no number of 381 bits",
            ),
            (
                "slot a = 250: fe12 1 2 3 4 5 6 7 8 9 10 11 12",
                "line 1: the value extends beyond slot 255",
            ),
            ("slot a = 1: lines 1 2 3", "line 1: 3 numbers, x and y have 4"),
            ("slot a = 1: lines g2", "line 1: the value extends beyond slot 255"),
            ("slot a = 1: lines 1 2 3 4", "line 1: point: not on the curve"),
            ("slot a = 1: fe 1\nslot b = 1: fe 2", "line 2: slot 1 has a value already"),
            ("slot a = 1\nslot a = 2", "line 2: slot 'a' is defined twice"),
            ("a:\na:", "line 2: label 'a' is defined twice"),
            ("1a: jump 1", "line 1: '1a' is no name"),
            ("jump 1\nat 1\njump 2", "line 3: instruction slot 1 is taken"),
            ("at 255\njump 1\njump 2", "line 3: no instruction slot is left: there are 256"),
            ("at 5 6", "line 1: '6' is too much"),
            ("slot a = 1\nmul a+x, 1, 1", "line 2: 'a+x': 'x' is no number of slots"),
        ] {
            assert_eq!(problem(text), wanted);
        }
    }
}

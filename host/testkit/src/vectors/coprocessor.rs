//! The cases of `coprocessor`: a program, its initial memory, and its results.

use proofmill_op::coprocessor::{
    Fault, Instruction, Interrupt, Kind, LOG2_SLOTS, Request, Response, SLOT_BYTES, SLOTS, Sizes,
    Slot, Stop,
};
use serde::Deserialize;

/// A case of `coprocessor`.
#[derive(Clone, Debug)]
pub struct CoprocessorCase {
    /// Unique in its file.
    pub id: String,
    /// The program with its data.
    pub request: Request,
    /// The expected response.
    pub response: Response,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "schema")]
    _schema: String,
    #[serde(rename = "op")]
    _op: String,
    #[serde(rename = "curve")]
    _curve: String,
    memory: Vec<String>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    #[serde(rename = "comment")]
    _comment: String,
    program: Vec<String>,
    start: usize,
    data: Vec<(usize, String)>,
    changed: Vec<(usize, String)>,
    pointer: usize,
    error: Option<(String, usize)>,
    sent: Vec<String>,
    limit: u64,
    steps: u64,
    #[serde(default = "published")]
    log2_data: u32,
    #[serde(rename = "tags")]
    _tags: Vec<String>,
}

fn published() -> u32 {
    LOG2_SLOTS
}

/// Returns every embedded case. An error names the file and the case.
pub fn cases() -> Result<Vec<CoprocessorCase>, String> {
    super::read_all("coprocessor/", parse)
}

/// Parses the cases of one file's text.
fn parse(text: &str) -> Result<Vec<CoprocessorCase>, String> {
    let file: File = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let memory = file.memory.iter().map(|text| bytes(text)).collect::<Result<Vec<_>, _>>()?;
    let read = |case: Case| {
        let (id, mut memory) = (case.id.clone(), memory.clone());
        memory.resize(1 << case.log2_data, [0; SLOT_BYTES]);
        case.read(memory).map_err(|problem| format!("{id}: {problem}"))
    };
    file.cases.into_iter().map(read).collect()
}

impl Case {
    fn read(self, mut memory: Vec<[u8; SLOT_BYTES]>) -> Result<CoprocessorCase, String> {
        let mut program = vec![Instruction::default(); SLOTS];
        for (slot, text) in program.iter_mut().skip(self.start).zip(&self.program) {
            *slot = text.parse()?;
        }
        let write = |memory: &mut Vec<[u8; SLOT_BYTES]>, changes: &[(usize, String)]| {
            for (at, text) in changes {
                *memory.get_mut(*at).ok_or_else(|| format!("no slot {at}"))? = bytes(text)?;
            }
            Ok::<_, String>(())
        };
        write(&mut memory, &self.data)?;
        let before = memory.as_flattened().to_vec();
        write(&mut memory, &self.changed)?;
        let program: Vec<u8> = program.iter().flat_map(|slot| slot.to_bytes()).collect();
        let waits = program[8 * self.pointer] == 0;
        let fault = |(name, at): (String, usize)| {
            let fault = Fault::ALL.into_iter().find(|fault| fault.name() == name);
            Ok::<_, String>((fault.ok_or_else(|| format!("no error {name}"))?, at))
        };
        let interrupts = self.sent.iter().map(|packet| interrupt(packet));
        let response = Response {
            data: memory.as_flattened().to_vec(),
            pointer: self.pointer,
            error: self.error.map(fault).transpose()?,
            interrupts: interrupts.collect::<Result<_, String>>()?,
            steps: self.steps,
            stop: if waits { Stop::Waits } else { Stop::Limit },
        };
        let sizes = Sizes { data: memory.len(), ..Sizes::default() };
        let request =
            Request { limit: self.limit, sizes, ..Request::new(program, before, self.start) };
        Ok(CoprocessorCase { id: self.id, request, response })
    }
}

fn bytes(text: &str) -> Result<[u8; SLOT_BYTES], String> {
    let mut bytes = [0; SLOT_BYTES];
    hex::decode_to_slice(text, &mut bytes).map_err(|error| format!("{text}: {error}"))?;
    Ok(bytes)
}

/// Parses the interrupt in a packet, whose header is 8 bytes.
fn interrupt(packet: &str) -> Result<Interrupt, String> {
    let bytes = hex::decode(packet).map_err(|error| format!("{packet}: {error}"))?;
    let body = bytes.get(8..).and_then(|body| body.split_at_checked(8));
    let (head, value) = body.ok_or_else(|| format!("{packet}: too short"))?;
    let kind = Kind::ALL.get(usize::from(head[4])).ok_or_else(|| format!("no type {}", head[4]))?;
    let (value, _) = value.as_chunks();
    let index = u16::from_le_bytes([head[0], head[1]]);
    Ok(Interrupt { index, kind: *kind, value: value.to_vec() })
}

/// Formats a slot as text: its type and its number.
pub(crate) fn text_of_slot(bytes: &[u8]) -> String {
    let slot = Slot::from_bytes(bytes.try_into().expect("a slot"));
    let number: Vec<u8> = slot.value().iter().rev().copied().collect();
    format!("{} 0x{}", slot.kind().name(), hex::encode(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_file_can_be_read() {
        let cases = cases().unwrap();
        assert!(cases.len() > 200, "{} cases", cases.len());
        assert!(cases.iter().any(|case| case.response.stop == Stop::Limit));
        for case in &cases {
            case.request.check().unwrap();
            assert_eq!(
                case.response.data.len(),
                case.request.sizes.data * SLOT_BYTES,
                "{}",
                case.id
            );
        }
        let start_up = &cases[0];
        assert_eq!((&start_up.id[..], start_up.response.pointer), ("start-up", 7));
        let sizes: Vec<_> =
            start_up.response.interrupts.iter().map(|sent| 8 + sent.to_bytes().len()).collect();
        assert_eq!(sizes, [64, 592]);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let text = r#"{"schema": "s", "op": "o", "curve": "c", "memory": [], "cases": [
            {"id": "one", "comment": "c", "program": ["PROGRAM"], "start": 1, "data": [], "changed": [], "pointer": 2,
             "error": ["ERROR", 1], "sent": [], "limit": 9, "steps": 1, "tags": []}]}"#;
        let with = |program: &str, error: &str| {
            parse(&text.replace("PROGRAM", program).replace("ERROR", error))
        };
        assert_eq!(with("mul 1 2 3", "not_reduced").unwrap().len(), 1);
        assert_eq!(with("mull 1 2 3", "not_reduced").unwrap_err(), "one: 'mull' is no opcode");
        assert_eq!(with("mul 1 2 3", "broken").unwrap_err(), "one: no error broken");
    }
}

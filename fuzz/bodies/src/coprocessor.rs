//! Coprocessor programs as text and as memory.

use proofmill::coprocessor::{Assembly, INSTRUCTION_BYTES, Instruction, disassemble};

/// Checks that the disassembler reproduces every program that assembles, and the start of any memory.
pub fn run(input: &[u8]) {
    if let Ok(text) = std::str::from_utf8(input)
        && let Ok(assembly) = text.parse::<Assembly>()
    {
        assembly.request().check().expect("slots within the limit");
        round_trips(&assembly.program_bytes());
    }
    let whole = input.len().min(8 * INSTRUCTION_BYTES) / INSTRUCTION_BYTES * INSTRUCTION_BYTES;
    round_trips(&input[..whole]);
}

fn round_trips(memory: &[u8]) {
    let (program, _) = memory.as_chunks();
    let program: Vec<_> = program.iter().map(|bytes| Instruction::from_bytes(*bytes)).collect();
    let again: Assembly = disassemble(&program).parse().expect("its own text");
    let found = again.program_bytes();
    let (again, _) = found.as_chunks::<INSTRUCTION_BYTES>();
    for (at, instruction) in program.iter().enumerate() {
        let found = again.get(at).copied().unwrap_or_default();
        assert_eq!(found, instruction.to_bytes(), "slot {at}");
    }
}

/// Returns a program that uses every feature, and a memory.
pub fn seeds() -> Vec<Vec<u8>> {
    let text = "slot k = 0: scalar 3 # three\nslot P = 9: fp_af g1\nat 7\nagain: add k+1, 2, 0xf\njump_nonzero_sub again k\n0x33 1 2 3\n";
    let memory = [[0x12, 1, 0, 2, 0, 3, 0, 0], [0; 8], [0x02, 7, 0, 0, 0, 1, 0, 0]];
    vec![text.into(), memory.as_flattened().to_vec()]
}

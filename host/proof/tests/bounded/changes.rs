//! Changes of keys and witnesses: truncation, bit flips, and other values of every count and length.

use proofmill_testkit::random::Random;

use crate::small::{Place, places};

/// Receives a change: its name, and the changed file.
pub type Emit<'a> = dyn FnMut(&str, &[u8]) + 'a;

/// Number of files with several changes at once.
const MIXED: u64 = 400;

/// A bit is flipped once in this many bytes; another test flips one of every byte, for readers alone.
const STEP: usize = 5;

/// A little-endian number in a file.
struct Field {
    name: String,
    at: usize,
    bytes: usize,
}

impl Field {
    fn new(name: impl Into<String>, at: usize, bytes: usize) -> Self {
        Self { name: name.into(), at, bytes }
    }

    fn get(&self, file: &[u8]) -> u64 {
        let mut bytes = [0; 8];
        bytes[..self.bytes].copy_from_slice(&file[self.at..self.at + self.bytes]);
        u64::from_le_bytes(bytes)
    }

    /// Returns other values for the field.
    fn others(&self, file: &[u8]) -> Vec<u64> {
        extremes(self.get(file), self.bytes).collect()
    }

    fn set(&self, file: &mut [u8], value: u64) {
        file[self.at..self.at + self.bytes].copy_from_slice(&value.to_le_bytes()[..self.bytes]);
    }
}

/// Changes a key, including lengths and counts that agree with each other and not with the file. Uses one of `every` bit flips and mixtures,
/// because most of these are only detected by a proof.
pub fn of_key(file: &[u8], every: usize, emit: &mut Emit) {
    let places = places(file);
    let content = |number: u32| place(&places, number).content.start;
    let n8 = u32_at(file, content(2)) as usize;
    let counts = content(2) + 4 + n8 + 4 + 32;
    let mut fields = frame(&places);
    fields.push(Field::new("protocol", content(1), 4));
    fields.push(Field::new("bytes of q", content(2), 4));
    fields.push(Field::new("bytes of r", content(2) + 4 + n8, 4));
    fields.push(Field::new("entries", content(4), 4));
    for (i, name) in ["matrix", "constraint", "signal"].into_iter().enumerate() {
        fields.push(Field::new(name, content(4) + 4 + 4 * i, 4));
    }
    fields.push(Field::new("variables", counts, 4));
    fields.push(Field::new("public values", counts + 4, 4));
    fields.push(Field::new("domain", counts + 8, 4));
    all(file, &fields, every, emit);

    let field = |name: &str| fields.iter().find(|field| field.name == name).unwrap();
    let length = |number: u32| field(&format!("bytes of section {number}"));
    let (g1, g2) = (2 * n8 as u64, 4 * n8 as u64);
    let growing: [(&str, &[(u32, u64)]); 4] = [
        ("variables", &[(5, g1), (6, g1), (7, g2), (8, g1)]),
        ("public values", &[(3, g1)]),
        ("domain", &[(9, g1)]),
        ("entries", &[(4, 44)]),
    ];
    for (name, sections) in growing {
        let count = field(name);
        for value in count.others(file) {
            let mut changed = file.to_vec();
            count.set(&mut changed, value);
            for (number, each) in sections {
                let other = length(*number);
                let more = value.wrapping_sub(count.get(file)).wrapping_mul(*each);
                other.set(&mut changed, other.get(file).wrapping_add(more));
                emit(&format!("{value} {name} and as many bytes in section {number}"), &changed);
            }
        }
    }
}

/// Changes a key for PLONK or FFLONK, including counts that agree with the lengths of their sections. `lagrange` is the number of the section of
/// the Lagrange polynomials.
pub fn of_plonkish_key(file: &[u8], lagrange: u32, every: usize, emit: &mut Emit) {
    let places = places(file);
    let content = |number: u32| place(&places, number).content.start;
    let n8 = u32_at(file, content(2)) as usize;
    let counts = content(2) + 4 + n8 + 4 + 32;
    let names = ["variables", "public values", "domain", "additions", "constraints"];
    let mut fields = frame(&places);
    fields.push(Field::new("protocol", content(1), 4));
    fields.push(Field::new("bytes of q", content(2), 4));
    fields.push(Field::new("bytes of r", content(2) + 4 + n8, 4));
    fields.push(Field::new("variable of an addition", content(3), 4));
    fields.push(Field::new("variable of a wire", content(5), 4));
    fields.extend(names.into_iter().zip(0..).map(|(name, i)| Field::new(name, counts + 4 * i, 4)));
    all(file, &fields, every, emit);
    let field = |name: &str| fields.iter().find(|field| field.name == name).unwrap();
    let growing: [(&str, &[(u32, u64)]); 3] = [
        ("public values", &[(lagrange, 5 * 8 * 32)]),
        ("additions", &[(3, 72)]),
        ("constraints", &[(4, 4), (5, 4), (6, 4)]),
    ];
    for (name, sections) in growing {
        let count = field(name);
        for value in count.others(file) {
            let mut changed = file.to_vec();
            count.set(&mut changed, value);
            for (number, each) in sections {
                let length = field(&format!("bytes of section {number}"));
                let more = value.wrapping_sub(count.get(file)).wrapping_mul(*each);
                length.set(&mut changed, length.get(file).wrapping_add(more));
                emit(&format!("{value} {name} and as many bytes in section {number}"), &changed);
            }
        }
    }
}

/// Changes a witness.
pub fn of_witness(file: &[u8], emit: &mut Emit) {
    let places = places(file);
    let header = place(&places, 1).content.start;
    let mut fields = frame(&places);
    fields.push(Field::new("bytes of r", header, 4));
    fields.push(Field::new("values", header + 4 + 32, 4));
    all(file, &fields, 1, emit);
}

fn place(places: &[Place], number: u32) -> &Place {
    places.iter().find(|place| place.number == number).unwrap()
}

fn u32_at(file: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(file[at..at + 4].try_into().unwrap())
}

/// Returns the numbers of the container.
fn frame(places: &[Place]) -> Vec<Field> {
    let mut fields = vec![Field::new("version", 4, 4), Field::new("sections", 8, 4)];
    for Place { number, start, .. } in places {
        fields.push(Field::new(format!("number of section {number}"), *start, 4));
        fields.push(Field::new(format!("bytes of section {number}"), start + 4, 8));
    }
    fields
}

/// Returns small numbers, the neighbours of this one, powers of two and their neighbours.
fn extremes(value: u64, bytes: usize) -> impl Iterator<Item = u64> {
    let bits = 8 * bytes as u32;
    let near = [-1, 1].map(|by| value.wrapping_add_signed(by));
    let near = near.into_iter().chain([value << 1, value >> 1]);
    let powers = (0..bits).flat_map(|log| [(1 << log) - 1, 1 << log, (1u64 << log).wrapping_neg()]);
    let all = near.chain(powers).map(move |other| other & (u64::MAX >> (64 - bits)));
    all.filter(move |&other| other != value)
}

fn all(file: &[u8], fields: &[Field], every: usize, emit: &mut Emit) {
    for end in 0..file.len() {
        emit(&format!("the first {end} bytes"), &file[..end]);
    }
    for at in (0..file.len()).step_by(STEP * every) {
        let mut changed = file.to_vec();
        changed[at] ^= 1 << (at % 8);
        emit(&format!("a bit of byte {at}"), &changed);
    }
    for field in fields {
        for value in field.others(file) {
            let mut changed = file.to_vec();
            field.set(&mut changed, value);
            emit(&format!("{value:#x} as {}", field.name), &changed);
        }
    }
    let mut random = Random::new(0x626f_756e_6473);
    for number in 0..MIXED / every as u64 {
        let mut changed = file.to_vec();
        for _ in 0..=random.below(3) {
            change(&mut changed, fields, &mut random);
        }
        emit(&format!("mixed {number}"), &changed);
    }
}

fn change(file: &mut Vec<u8>, fields: &[Field], random: &mut Random) {
    let at = random.below(file.len() as u64) as usize;
    match random.below(6) {
        0 | 1 => {
            let field = random.pick(fields);
            if field.at + field.bytes <= file.len() {
                let value = *random.pick(&field.others(file));
                field.set(file, value);
            }
        }
        2 => file[at] ^= 1 << random.below(8),
        3 => file[at] = random.bits() as u8,
        4 => file.extend(random.bytes(at.min(200))),
        _ => {
            let end = file.len().min(at + 64);
            file[at..end].fill(*random.pick(&[0, 0xff]));
        }
    }
}

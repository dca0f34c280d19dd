//! Changes of keys and witnesses: ends, bits, and every number that says how much of something there is.

use proofmill_testkit::random::Random;

use crate::small::{Place, places};

/// What is told of a change: its name, and the file.
pub type Told<'a> = dyn FnMut(&str, &[u8]) + 'a;

/// Files with several changes at once.
const MIXED: u64 = 400;

/// A bit of each so many bytes is changed; another test changes one of every byte, for readers alone.
const STEP: usize = 5;

/// A number in a file: little-endian.
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

    /// What may stand there instead.
    fn others(&self, file: &[u8]) -> Vec<u64> {
        extremes(self.get(file), self.bytes).collect()
    }

    fn set(&self, file: &mut [u8], value: u64) {
        file[self.at..self.at + self.bytes].copy_from_slice(&value.to_le_bytes()[..self.bytes]);
    }
}

/// Of a key: also lengths and counts that agree with each other and not with the file. One of `every` changed bits and mixtures, as most
/// of these take a proof to be found out.
pub fn of_key(file: &[u8], every: usize, tell: &mut Told) {
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
    all(file, &fields, every, tell);

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
                tell(&format!("{value} {name} and as many bytes in section {number}"), &changed);
            }
        }
    }
}

/// Of a witness.
pub fn of_witness(file: &[u8], tell: &mut Told) {
    let places = places(file);
    let header = place(&places, 1).content.start;
    let mut fields = frame(&places);
    fields.push(Field::new("bytes of r", header, 4));
    fields.push(Field::new("values", header + 4 + 32, 4));
    all(file, &fields, 1, tell);
}

fn place(places: &[Place], number: u32) -> &Place {
    places.iter().find(|place| place.number == number).unwrap()
}

fn u32_at(file: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(file[at..at + 4].try_into().unwrap())
}

/// The numbers of the frame.
fn frame(places: &[Place]) -> Vec<Field> {
    let mut fields = vec![Field::new("version", 4, 4), Field::new("sections", 8, 4)];
    for Place { number, start, .. } in places {
        fields.push(Field::new(format!("number of section {number}"), *start, 4));
        fields.push(Field::new(format!("bytes of section {number}"), start + 4, 8));
    }
    fields
}

/// Numbers of so many bytes: small ones, this one's neighbours, powers of two, and what is next to them.
fn extremes(value: u64, bytes: usize) -> impl Iterator<Item = u64> {
    let bits = 8 * bytes as u32;
    let near = [-1, 1].map(|by| value.wrapping_add_signed(by));
    let near = near.into_iter().chain([value << 1, value >> 1]);
    let powers = (0..bits).flat_map(|log| [(1 << log) - 1, 1 << log, (1u64 << log).wrapping_neg()]);
    let all = near.chain(powers).map(move |other| other & (u64::MAX >> (64 - bits)));
    all.filter(move |&other| other != value)
}

fn all(file: &[u8], fields: &[Field], every: usize, tell: &mut Told) {
    for end in 0..file.len() {
        tell(&format!("the first {end} bytes"), &file[..end]);
    }
    for at in (0..file.len()).step_by(STEP * every) {
        let mut changed = file.to_vec();
        changed[at] ^= 1 << (at % 8);
        tell(&format!("a bit of byte {at}"), &changed);
    }
    for field in fields {
        for value in field.others(file) {
            let mut changed = file.to_vec();
            field.set(&mut changed, value);
            tell(&format!("{value:#x} as {}", field.name), &changed);
        }
    }
    let mut random = Random::new(0x626f_756e_6473);
    for number in 0..MIXED / every as u64 {
        let mut changed = file.to_vec();
        for _ in 0..=random.below(3) {
            change(&mut changed, fields, &mut random);
        }
        tell(&format!("mixed {number}"), &changed);
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

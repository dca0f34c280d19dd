//! SHA-256 (FIPS 180-4) as a circuit: "I know a preimage of this digest", with about 27 000 constraints for 64 bytes.
//!
//! The public inputs are the digest's first and second half, each as a big-endian integer. The preimage's length is part of
//! the circuit.

mod word;

use proofmill_algebra::field::PrimeField;

use super::r1cs::{Builder, Linear};
use word::Word;

/// Bytes of a block.
const BLOCK: usize = 64;
/// The padding is a one, zeros, and the length in this many bytes.
const LENGTH_BYTES: usize = 8;
/// Rounds of a block.
const ROUNDS: usize = 64;

/// Builds the circuit for this preimage and its digest.
pub fn sha256<F: PrimeField>(preimage: &[u8]) -> Builder<F> {
    let mut circuit = Builder::new(2);
    let message: Vec<Word<F>> = padded(preimage.len())
        .chunks_exact(4)
        .zip((0..).step_by(4))
        .map(|(padding, at)| {
            let known: Vec<u8> = preimage.iter().skip(at).take(4).copied().collect();
            Word::message(&mut circuit, &known, padding)
        })
        .collect();
    let [initial, round_constants] = [initial_hash(), round_constants()];
    let mut hash: Vec<_> = initial.iter().map(|&word| Word::constant(word)).collect();
    for block in message.chunks_exact(BLOCK / 4) {
        let compressed = compress(&mut circuit, &hash, block, &round_constants);
        for (hash, word) in hash.iter_mut().zip(compressed) {
            *hash = Word::sum(&mut circuit, &[hash.number(), word.number()]);
        }
    }
    for (public, half) in (1..).zip(hash.chunks_exact(4)) {
        let shift = F::from(1 << 32);
        let number = half.iter().fold(Linear::ZERO, |number, word| {
            Linear::ZERO.plus_times(shift, &number).plus_times(F::ONE, &word.number())
        });
        circuit.set_public(public, circuit.value(&number));
        // number = public, as a constraint without a product.
        let difference = number.plus(public, -F::ONE);
        circuit.constrain(&Linear::ZERO, &Linear::ZERO, &difference);
    }
    circuit
}

/// Computes a block (section 6.2.2): the new a to h.
fn compress<F: PrimeField>(
    circuit: &mut Builder<F>,
    hash: &[Word<F>],
    block: &[Word<F>],
    constants: &[u32],
) -> Vec<Word<F>> {
    let schedule = schedule(circuit, block);
    let mut letters = hash.to_vec();
    for (constant, expanded) in constants.iter().zip(&schedule) {
        let [a, b, c, d, e, f, g, h] = letters.try_into().expect("eight letters");
        let big_sigma1 = Word::xor(circuit, [&e.rotated(6), &e.rotated(11), &e.rotated(25)]);
        let chosen = Word::choose(circuit, &e, &f, &g);
        let constant = Word::<F>::constant(*constant);
        let t1 = [&h, &big_sigma1, &chosen, &constant, expanded].map(Word::number);
        let big_sigma0 = Word::xor(circuit, [&a.rotated(2), &a.rotated(13), &a.rotated(22)]);
        let t2 = [big_sigma0, Word::majority(circuit, &a, &b, &c)].map(|word| word.number());
        let new_a = Word::sum(circuit, &[&t1[..], &t2].concat());
        let new_e = Word::sum(circuit, &[&t1[..], &[d.number()]].concat());
        letters = vec![new_a, a, b, c, new_e, e, f, g];
    }
    letters
}

/// Computes the message schedule of a block.
fn schedule<F: PrimeField>(circuit: &mut Builder<F>, block: &[Word<F>]) -> Vec<Word<F>> {
    let mut words = block.to_vec();
    for t in words.len()..ROUNDS {
        let [before15, before2] = [words[t - 15].clone(), words[t - 2].clone()];
        let sigma0 = [&before15.rotated(7), &before15.rotated(18), &before15.shifted(3)];
        let sigma1 = [&before2.rotated(17), &before2.rotated(19), &before2.shifted(10)];
        let parts = [
            &Word::xor(circuit, sigma0),
            &Word::xor(circuit, sigma1),
            &words[t - 7],
            &words[t - 16],
        ];
        words.push(Word::sum(circuit, &parts.map(Word::number)));
    }
    words
}

/// Returns the padding of a message of this length, with zeros in place of the message (section 5.1.1).
fn padded(length: usize) -> Vec<u8> {
    let mut bytes = vec![0; (length + 1 + LENGTH_BYTES).next_multiple_of(BLOCK)];
    bytes[length] = 0x80;
    let end = bytes.len() - LENGTH_BYTES;
    bytes[end..].copy_from_slice(&(8 * length as u64).to_be_bytes());
    bytes
}

/// The first 32 bits of the fractions of the square roots of the first eight primes (section 5.3.3).
fn initial_hash() -> Vec<u32> {
    primes().take(8).map(|prime| (prime << 64).isqrt() as u32).collect()
}

/// The first 32 bits of the fractions of the cube roots of the first 64 primes (section 4.2.2).
fn round_constants() -> Vec<u32> {
    let cube_root = |n: u128| {
        (0..36).rev().fold(0, |root: u128, bit| {
            let more = root | 1 << bit;
            if more.pow(3) <= n { more } else { root }
        })
    };
    primes().take(ROUNDS).map(|prime| cube_root(prime << 96) as u32).collect()
}

fn primes() -> impl Iterator<Item = u128> {
    (2..).filter(|&n: &u128| (2..n).take_while(|d| d * d <= n).all(|d| n % d != 0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofmill_algebra::bn254::Fr;
    use proofmill_algebra::field::Field;
    use sha2::Digest;

    /// Tests messages whose padding is in the last block, fills it, and needs another one.
    const LENGTHS: [usize; 7] = [0, 1, 3, 55, 56, 64, 130];

    fn message(length: usize) -> Vec<u8> {
        (0..length).map(|i| (i * i * 7 + 3 * i + length) as u8).collect()
    }

    #[test]
    fn constants_are_those_of_the_standard() {
        assert_eq!((initial_hash()[0], initial_hash()[7]), (0x6a09e667, 0x5be0cd19));
        assert_eq!((round_constants()[0], round_constants()[63]), (0x428a2f98, 0xc67178f2));
    }

    #[test]
    fn public_are_the_digest_s_halves() {
        for length in LENGTHS {
            let circuit = sha256::<Fr>(&message(length));
            assert_eq!(circuit.first_unsatisfied(), None, "{length}");
            let digest = sha2::Sha256::digest(message(length));
            for (half, value) in digest.chunks_exact(16).zip(&circuit.values()[1..]) {
                assert_eq!(value.to_be_bytes()[..16], [0; 16], "{length}");
                assert_eq!(&value.to_be_bytes()[16..], half, "{length}");
            }
        }
    }

    #[test]
    fn the_circuit_depends_on_the_length_alone() {
        let [one, other] = [message(20), vec![0xff; 20]].map(|message| sha256::<Fr>(&message));
        assert_eq!(one.constraints(), other.constraints());
        for (one, other) in one.matrices().iter().zip(other.matrices()) {
            assert!(one.rows().eq(other.rows()));
        }
        assert_ne!(one.values(), other.values());
        let block = one.constraints();
        assert!((20_000..28_000).contains(&block), "{block} constraints for a block");
        // The second block consists of padding, and its schedule is constant.
        let two = sha256::<Fr>(&message(64)).constraints();
        assert!((block * 3 / 2..2 * block).contains(&two), "{two} constraints for two blocks");
    }

    /// Any other value of a single variable violates one of its constraints.
    #[test]
    fn no_variable_is_free() {
        let circuit = sha256::<Fr>(&message(40));
        let rows = circuit.matrices().each_ref().map(|matrix| matrix.rows().collect::<Vec<_>>());
        let mut places = vec![Vec::new(); circuit.values().len()];
        for row in 0..circuit.constraints() {
            for (variable, _) in rows.iter().flat_map(|matrix| matrix[row]) {
                places[*variable as usize].push(row);
            }
        }
        let mut values = circuit.values().to_vec();
        for (variable, places) in places.iter().enumerate().skip(1) {
            for wrong in [Fr::ONE, -Fr::ONE] {
                values[variable] += wrong;
                let sum = |terms: &[(u32, Fr)]| {
                    terms.iter().fold(Fr::ZERO, |sum, (i, k)| sum + values[*i as usize] * k)
                };
                let broken = |&row: &usize| {
                    let [a, b, c] = [0, 1, 2].map(|matrix: usize| sum(rows[matrix][row]));
                    a * b != c
                };
                assert!(places.iter().any(broken), "{variable}");
                values[variable] -= wrong;
            }
        }
    }

    #[test]
    fn the_digest_of_another_preimage_is_refused() {
        let mut circuit = sha256::<Fr>(&message(40));
        let digest = sha2::Sha256::digest(message(41));
        for (public, half) in (1..).zip(digest.chunks_exact(16)) {
            let number = half
                .iter()
                .fold(Fr::ZERO, |number, byte| number * Fr::from(256) + Fr::from(u64::from(*byte)));
            circuit.set_public(public, number);
        }
        assert!(circuit.first_unsatisfied().is_some());
    }
}

//! The points of a key as bases of MSMs.

use std::io;

use proofmill_op::msm::{Bases, Stream};

use crate::snarkjs::{Section, Zkey};

/// Returns the points of a section, one for every scalar: in C the identity replaces the points of 1 and of the public variables, so that every
/// section but H takes the whole witness. Reading checks that each point is on the curve; a point that is not is an error of the file. The
/// subgroup is not checked: the key is trusted, and [`Zkey::check`] checks it.
pub fn bases(key: &Zkey, section: Section) -> Bases {
    let points = key.points(section);
    let instance = points.instance();
    let zeros = if section == Section::C { key.public_inputs() + 1 } else { 0 };
    let stream = AfterZeros { zeros: (zeros * instance.point_bytes()) as u64, rest: points };
    Bases::streamed(instance, stream).unchecked()
}

/// Bytes after a number of zeros.
#[derive(Debug)]
struct AfterZeros<S> {
    zeros: u64,
    rest: S,
}

impl<S: Stream> Stream for AfterZeros<S> {
    fn bytes(&self) -> io::Result<u64> {
        Ok(self.zeros + self.rest.bytes()?)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let zeros = self.zeros.saturating_sub(offset).min(buffer.len() as u64);
        let (before, after) = buffer.split_at_mut(zeros as usize);
        before.fill(0);
        if after.is_empty() {
            return Ok(());
        }
        self.rest.read_at(offset + zeros - self.zeros, after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_come_first() {
        let stream = AfterZeros { zeros: 3, rest: vec![1, 2, 3] };
        let whole = [0, 0, 0, 1, 2, 3];
        assert_eq!(stream.bytes().unwrap(), 6);
        for start in 0..=6 {
            for end in start..=6 {
                let mut found = vec![9; end - start];
                stream.read_at(start as u64, &mut found).unwrap();
                assert_eq!(found, whole[start..end]);
            }
        }
    }
}

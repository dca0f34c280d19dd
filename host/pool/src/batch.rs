//! A request of items that are answered one by one, so that its parts may go to different cards.

use std::ops::Range;
use std::sync::Arc;

use proofmill_op::poseidon::{self, ELEMENT_BYTES, Wanted};
use proofmill_op::{Answer, Data, Error, Request, Result, ecdsa_verify, equihash_verify};

/// Parts a card, so that the faster one does more of them.
const PARTS: usize = 8;

/// Items, and what is asked of them.
pub struct Batch {
    request: Request,
    items: Arc<[u8]>,
    /// Bytes of an item.
    each: usize,
    parts: Vec<Range<usize>>,
}

/// So many even ranges of so many items, the longer ones first; one that is empty for no items.
pub fn ranges(items: usize, parts: usize) -> Vec<Range<usize>> {
    let parts = parts.min(items).max(1);
    let (least, longer) = (items / parts, items % parts);
    let start = |part: usize| part * least + part.min(longer);
    (0..parts).map(|part| start(part)..start(part + 1)).collect()
}

impl Batch {
    /// For so many cards; the request again if it cannot be divided. Its bytes are here.
    pub fn of(mut request: Request, cards: usize) -> Result<std::result::Result<Self, Request>> {
        let count = match &request {
            Request::EquihashVerify(request) => request.count()?,
            Request::EcdsaVerify(request) => request.count()?,
            Request::Poseidon(request) => request.count()?,
            Request::PoseidonLayers(request) => request.counts()?.pop().unwrap_or(0),
            _ => return Ok(Err(request)),
        };
        let items = match &mut request.data_mut()[..] {
            [Data::Here(items)] => items.clone(),
            _ => return Ok(Err(request)),
        };
        let each = items.len() / count.max(1);
        Ok(Ok(Self { request, items, each, parts: ranges(count, PARTS * cards) }))
    }

    /// How many.
    pub fn parts(&self) -> usize {
        self.parts.len()
    }

    /// Items of a part.
    pub fn items(&self, part: usize) -> usize {
        self.parts[part].len()
    }

    /// One part for a card.
    pub fn request(&self, part: usize) -> Request {
        let Range { start, end } = self.parts[part];
        let mut request = self.request.clone();
        for data in request.data_mut() {
            *data = self.items[start * self.each..end * self.each].into();
        }
        request
    }

    /// All of it for one card, which then numbers the items as the caller does.
    pub fn whole(&self) -> Request {
        self.request.clone()
    }

    /// The answer, of the answers to the parts.
    pub fn join(&self, answers: Vec<Answer>) -> Result<Answer> {
        let mut answers = answers.into_iter();
        let Some(mut all) = answers.next() else { return Err(other(&self.request)) };
        if let (Answer::Poseidon(first), Request::PoseidonLayers(asked)) = (&all, &self.request)
            && asked.wanted == Wanted::All
        {
            let mut layers = vec![first.digests.clone()];
            for answer in answers {
                let Answer::Poseidon(answer) = answer else { return Err(other(&self.request)) };
                layers.push(answer.digests);
            }
            let digests = self.woven(&asked.counts()?, &layers);
            return Ok(Answer::Poseidon(poseidon::Response { digests }));
        }
        for answer in answers {
            match (&mut all, answer) {
                (Answer::EquihashVerify(all), Answer::EquihashVerify(more)) => append(all, more),
                (Answer::EcdsaVerify(all), Answer::EcdsaVerify(more)) => append_counted(all, more),
                (Answer::Poseidon(all), Answer::Poseidon(more)) => all.digests.extend(more.digests),
                _ => return Err(other(&self.request)),
            }
        }
        Ok(all)
    }

    /// Layer by layer, of the layers of each part's trees.
    fn woven(&self, counts: &[usize], parts: &[Vec<u8>]) -> Vec<u8> {
        let trees = counts.last().copied().unwrap_or(1);
        let mut begun = vec![0; parts.len()];
        let mut all = Vec::with_capacity(parts.iter().map(Vec::len).sum());
        for count in &counts[1..] {
            for ((part, begun), range) in parts.iter().zip(&mut begun).zip(&self.parts) {
                let bytes = count / trees * range.len() * ELEMENT_BYTES;
                all.extend_from_slice(&part[*begun..][..bytes]);
                *begun += bytes;
            }
        }
        all
    }
}

fn append(all: &mut equihash_verify::Response, more: equihash_verify::Response) {
    all.verdicts.extend(more.verdicts);
}

/// Cycles are known when those of all parts are.
fn append_counted(all: &mut ecdsa_verify::Response, more: ecdsa_verify::Response) {
    all.verdicts.extend(more.verdicts);
    all.cycles = all.cycles.take().zip(more.cycles).map(|(all, more)| [all, more].concat());
}

fn other(request: &Request) -> Error {
    Error::argument("answer", format!("to another question than {}", request.capability()))
}

#[cfg(test)]
mod tests {
    use proofmill_op::poseidon::Layers;

    use super::*;

    #[test]
    fn ranges_are_even_and_cover_all() {
        assert_eq!(ranges(0, 3), vec![0..0]);
        assert_eq!(ranges(2, 5), vec![0..1, 1..2]);
        assert_eq!(ranges(8, 3), vec![0..3, 3..6, 6..8]);
    }

    #[test]
    fn layers_of_parts_are_woven_into_layers_of_all() {
        // Three trees of four leaves in parts of two trees and one: each node is its layer, its tree, its place.
        let node = |layer: u8, tree: u8, place: u8| {
            let mut node = [0; ELEMENT_BYTES];
            node[..3].copy_from_slice(&[layer, tree, place]);
            node
        };
        let layers = |trees: Range<u8>| {
            let layer = |layer: u8, nodes: u8| {
                let trees = trees.clone();
                trees.flat_map(move |tree| (0..nodes).flat_map(move |at| node(layer, tree, at)))
            };
            layer(1, 2).chain(layer(2, 1)).collect::<Vec<u8>>()
        };
        let request = Layers::new(2, 2, vec![0; 12 * ELEMENT_BYTES]);
        let mut batch = Batch::of(Request::PoseidonLayers(request), 1).unwrap().ok().unwrap();
        batch.parts = ranges(3, 2);
        assert_eq!(batch.request(0).data_mut()[0].len(), 8 * ELEMENT_BYTES);
        let answer = |trees| Answer::Poseidon(poseidon::Response { digests: layers(trees) });
        let Answer::Poseidon(all) = batch.join(vec![answer(0..2), answer(2..3)]).unwrap() else {
            panic!("another answer")
        };
        assert!(all.digests == layers(0..3));
    }
}

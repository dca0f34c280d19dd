//! Requests of independent items, whose parts go to different cards.

use std::ops::Range;

use proofmill_op::{AnyRequest, AnyResponse, Bytes, Data, Result};

/// Parts for each card, so that a faster card does more of them.
const PARTS: usize = 8;

/// The items of a request.
pub struct Batch {
    request: AnyRequest,
    items: Bytes,
    /// Bytes of an item.
    each: usize,
    parts: Vec<Range<usize>>,
}

/// Returns `parts` even ranges of `items` items, the longer ones first; a single empty one for no items.
pub fn ranges(items: usize, parts: usize) -> Vec<Range<usize>> {
    let parts = parts.min(items).max(1);
    let (least, longer) = (items / parts, items % parts);
    let start = |part: usize| part * least + part.min(longer);
    (0..parts).map(|part| start(part)..start(part + 1)).collect()
}

impl Batch {
    /// Divides a request, whose data are on the host, for `cards` cards; returns the request if it cannot be divided.
    pub fn of(
        mut request: AnyRequest,
        cards: usize,
    ) -> Result<std::result::Result<Self, AnyRequest>> {
        let Some(count) = request.items()? else { return Ok(Err(request)) };
        let items = match &mut request.data_mut()[..] {
            [Data::Host(items)] => items.clone(),
            _ => return Ok(Err(request)),
        };
        let each = items.len() / count.max(1);
        Ok(Ok(Self { request, items, each, parts: ranges(count, PARTS * cards) }))
    }

    /// Returns the number of parts.
    pub fn parts(&self) -> usize {
        self.parts.len()
    }

    /// Returns the number of items of a part.
    pub fn items(&self, part: usize) -> usize {
        self.parts[part].len()
    }

    /// Returns the request for a part.
    pub fn request(&self, part: usize) -> AnyRequest {
        let Range { start, end } = self.parts[part];
        let mut request = self.request.clone();
        for data in request.data_mut() {
            *data = Data::Host(self.items.copy_range(start * self.each..end * self.each));
        }
        request
    }

    /// Returns the whole request for one card, whose errors then number the items as the caller does.
    pub fn whole(&self) -> AnyRequest {
        self.request.clone()
    }

    /// Joins the responses to the parts.
    pub fn join(&self, responses: Vec<AnyResponse>) -> Result<AnyResponse> {
        self.request.join(responses)
    }
}

#[cfg(test)]
mod tests {
    use proofmill_op::poseidon::{ELEMENT_BYTES, HashLayers, Layers, LayersResponse};

    use super::*;

    #[test]
    fn ranges_are_even_and_cover_all() {
        assert_eq!(ranges(0, 3), vec![0..0]);
        assert_eq!(ranges(2, 5), vec![0..1, 1..2]);
        assert_eq!(ranges(8, 3), vec![0..3, 3..6, 6..8]);
    }

    #[test]
    fn layers_of_parts_are_joined_layer_by_layer() {
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
        let mut batch = Batch::of(request.into(), 1).unwrap().ok().unwrap();
        batch.parts = ranges(3, 2);
        assert_eq!(batch.request(0).data_mut()[0].len(), 8 * ELEMENT_BYTES);
        let response =
            |trees| AnyResponse::PoseidonLayers(LayersResponse { digests: layers(trees) });
        let all = batch.join(vec![response(0..2), response(2..3)]).unwrap();
        assert!(all.of::<HashLayers>().unwrap().digests == layers(0..3));
    }
}

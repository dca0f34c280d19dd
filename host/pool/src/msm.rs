//! MSMs, divided by ranges of the bases.

use std::ops::Range;
use std::sync::Arc;

use proofmill_algebra::curve::{Affine, Curve, Projective};
use proofmill_algebra::encoding::{Coordinate, pair};
use proofmill_op::msm::read::{self, Source};
use proofmill_op::msm::{
    Bases, Check, Cycles, LoadBases, Msm, Plan, PlanRequest, Points, Request, Response,
    SCALAR_BYTES,
};
use proofmill_op::{AnyResponse, Bytes, Capability, Data, Erased, ResidentData, Result, in_group};

use crate::batch::ranges;
use crate::resident::{Location, Resident, Terms};

/// The plan of an MSM for several cards.
pub struct PlanWork {
    /// The request for each card.
    pub request: PlanRequest,
    cards: usize,
}

impl PlanWork {
    /// Divides a request.
    pub fn new(request: PlanRequest, cards: usize) -> Self {
        let (points, max_bytes) = (request.points.div_ceil(cards), request.max_bytes / cards);
        Self { request: PlanRequest { points, max_bytes, ..request }, cards }
    }

    /// Returns the plan with the memory of all cards.
    pub fn join(self, response: AnyResponse) -> Result<AnyResponse> {
        let mut plan: Plan = response.of::<proofmill_op::msm::PlanMsm>()?;
        plan.memory = plan.memory.saturating_mul(self.cards);
        plan.resident = plan.resident.saturating_mul(self.cards);
        Ok(AnyResponse::PlanMsm(plan))
    }
}

/// Bases to be loaded, a range for each card.
pub struct LoadWork {
    terms: Terms,
    points: Source,
    ranges: Vec<Range<usize>>,
}

/// MSMs over the same bases, in parts.
pub struct MsmWork {
    /// The bases, if they are resident.
    pub resident: Option<Arc<Resident>>,
    terms: Terms,
    /// The points, if they are not.
    points: Option<Source>,
    ranges: Vec<Range<usize>>,
    /// The scalars of each list, for each part.
    scalars: Vec<Vec<Bytes>>,
}

fn terms(bases: &Bases, cards: usize) -> Terms {
    Terms { instance: bases.instance, check: bases.check, max_bytes: bases.max_bytes / cards }
}

/// Returns the scalars of a range of each list; not copied if the range is the whole list.
fn parts(lists: &[Bytes], range: &Range<usize>, count: usize) -> Vec<Bytes> {
    let part = |list: &Bytes| match range.len() == count {
        true => list.clone(),
        false => list.copy_range(range.start * SCALAR_BYTES..range.end * SCALAR_BYTES),
    };
    lists.iter().map(part).collect()
}

impl LoadWork {
    /// Divides the bases for `cards` cards of the pool with this identity.
    pub fn new(bases: Bases, identity: u64, cards: usize) -> Result<Self> {
        let points = Source::of(&bases.points, identity)?;
        let ranges = ranges(bases.count()?, cards);
        Ok(Self { terms: terms(&bases, cards), points, ranges })
    }

    /// Returns the ranges.
    pub fn ranges(&self) -> &[Range<usize>] {
        &self.ranges
    }

    /// Returns the request for a range.
    pub fn request(&self, part: usize) -> Bases {
        self.terms.bases(&self.points, self.ranges[part].clone())
    }

    /// Returns the pool's handle, from the handles of the members.
    pub fn join(self, responses: Vec<(usize, AnyResponse)>, identity: u64) -> Result<AnyResponse> {
        let location = |(member, response): (usize, AnyResponse)| {
            Ok(Location::On(member, response.of::<LoadBases>()?))
        };
        let locations = responses.into_iter().map(location).collect::<Result<_>>()?;
        let Self { terms, points, ranges } = self;
        let count = ranges.last().map_or(0, |range| range.end);
        let resident = Arc::new(Resident::new(terms, ranges, locations, &points));
        let (form, len) = (Capability::Msm(terms.instance), count * terms.instance.point_bytes());
        let handle = ResidentData::prepared(identity, form, len, resident);
        Ok(LoadBases::erase_response(handle))
    }
}

impl MsmWork {
    /// Divides a request for `cards` cards of the pool with this identity.
    pub fn new(request: Request, identity: u64, cards: usize) -> Result<Self> {
        let bases = &request.bases;
        let terms = terms(bases, cards);
        let resident = match &bases.points {
            Points::Data(Data::Resident(handle)) => {
                let form = Capability::Msm(bases.instance);
                let resident = handle.inside::<Arc<Resident>>(identity, &form)?;
                if bases.check != Check::None {
                    read::check_resident(resident.terms.check, bases.check)?;
                }
                Some(Arc::clone(&*resident))
            }
            _ => None,
        };
        let lists = request.scalars.iter().map(|list| list.on(identity).cloned());
        let lists = lists.collect::<Result<Vec<_>>>()?;
        let count = request.count()?;
        let (points, ranges) = match &resident {
            Some(resident) => (None, resident.ranges.clone()),
            None => (Some(Source::of(&bases.points, identity)?), ranges(count, cards)),
        };
        let scalars = ranges.iter().map(|range| parts(&lists, range, count)).collect();
        Ok(Self { resident, terms, points, ranges, scalars })
    }

    /// Returns the ranges of the parts.
    pub fn ranges(&self) -> &[Range<usize>] {
        &self.ranges
    }

    /// Returns the request for a part; over resident bases, with the handle of its card.
    pub fn request(&self, part: usize, handle: Option<ResidentData>) -> Request {
        let bases = match (handle, &self.points) {
            (Some(handle), _) => self.terms.resident(handle),
            (None, Some(points)) => self.terms.bases(points, self.ranges[part].clone()),
            (None, None) => Bases::new(self.terms.instance, vec![]),
        };
        Request::batch(bases, self.scalars[part].iter().cloned())
    }

    /// Adds the results of the parts.
    pub fn join(self, responses: Vec<AnyResponse>) -> Result<AnyResponse> {
        let mut partial = responses
            .into_iter()
            .map(|response| response.of::<Msm>())
            .collect::<Result<Vec<_>>>()?;
        if partial.len() == 1 {
            return Ok(AnyResponse::Msm(partial.remove(0)));
        }
        in_group!(self.terms.instance, added(partial)).map(AnyResponse::Msm)
    }
}

/// Adds the partial results of each list, and the cycles of all cards.
fn added<C: Curve<Base: Coordinate>>(partial: Vec<Response>) -> Result<Response> {
    let lists = partial.first().map_or(0, |part| part.points.len());
    let mut sums = vec![Projective::<C>::IDENTITY; lists];
    let mut counted = Some(vec![Cycles::default(); lists]);
    for Response { points, cycles, .. } in partial {
        for (sum, point) in sums.iter_mut().zip(&points) {
            *sum += read::point::<C>(0, point, Check::None)?;
        }
        counted = counted.zip(cycles).map(|(mut all, cycles)| {
            all.iter_mut().zip(cycles).for_each(|(all, more)| *all += more);
            all
        });
    }
    let points = sums.iter().map(|sum| pair::encode(&Affine::from(*sum))).collect();
    Ok(Response::new(points, counted))
}

//! MSMs, cut by ranges of the bases.

use std::ops::Range;
use std::sync::Arc;

use proofmill_algebra::curve::{Affine, Curve, Projective};
use proofmill_algebra::encoding::{Coordinate, pair};
use proofmill_op::msm::read::{self, Bytes};
use proofmill_op::msm::{
    Bases, Check, Cycles, Instance, Points, Request, Response, SCALAR_BYTES, Sums,
};
use proofmill_op::{Answer, Capability, Data, Error, Parked, Result, in_group};

use crate::batch::ranges;
use crate::resident::{Place, Resident, Terms};
use crate::task::Work;

/// Bases to be made resident, a range a card.
pub struct Parking {
    terms: Terms,
    bytes: Bytes,
    ranges: Vec<Range<usize>>,
}

/// Sums over the same bases, in parts.
pub struct Cut {
    /// The bases, if they are resident.
    pub resident: Option<Arc<Resident>>,
    terms: Terms,
    /// The points, if they are not.
    bytes: Option<Bytes>,
    ranges: Vec<Range<usize>>,
    /// For each part the scalars of each list.
    scalars: Vec<Vec<Arc<[u8]>>>,
}

/// The work that a request is for so many cards of the pool with this identity.
pub fn work(request: Request, identity: u64, cards: usize) -> Result<Work> {
    let terms = |bases: &Bases| Terms {
        instance: bases.instance,
        check: bases.check,
        room: bases.room / cards,
    };
    Ok(match request {
        Request::Plan { instance, points, parked, room } => {
            let (points, room) = (points.div_ceil(cards), room / cards);
            Work::Plan(Request::Plan { instance, points, parked, room }, cards)
        }
        Request::Park(bases) => {
            let bytes = Bytes::of(&bases.points, identity)?;
            let ranges = ranges(bases.count()?, cards);
            Work::Park(Parking { terms: terms(&bases), bytes, ranges })
        }
        Request::Sums(Sums { bases, scalars, .. }) => {
            let terms = terms(&bases);
            let resident = match &bases.points {
                Points::Data(Data::Parked(parked)) => {
                    let form = Capability::Msm(bases.instance);
                    let resident = parked.inside::<Arc<Resident>>(identity, &form)?;
                    read::checked(resident.terms.check, bases.check)?;
                    Some(Arc::clone(&*resident))
                }
                _ => None,
            };
            let lists = scalars
                .iter()
                .map(|list| list.on(identity).cloned())
                .collect::<Result<Vec<_>>>()?;
            let count = Sums { bases: bases.clone(), scalars, progress: None }.count()?;
            let (bytes, ranges) = match &resident {
                Some(resident) => (None, resident.ranges.clone()),
                None => (Some(Bytes::of(&bases.points, identity)?), ranges(count, cards)),
            };
            let scalars = ranges.iter().map(|range| parts(&lists, range, count)).collect();
            Work::Sums(Cut { resident, terms, bytes, ranges, scalars })
        }
        other => return Err(Error::argument("request", format!("{other:?} is not known here"))),
    })
}

/// Of each list the scalars of this range; not copied if it is all of them.
fn parts(lists: &[Arc<[u8]>], range: &Range<usize>, count: usize) -> Vec<Arc<[u8]>> {
    let part = |list: &Arc<[u8]>| match range.len() == count {
        true => list.clone(),
        false => list[range.start * SCALAR_BYTES..range.end * SCALAR_BYTES].into(),
    };
    lists.iter().map(part).collect()
}

impl Parking {
    /// The ranges.
    pub fn ranges(&self) -> &[Range<usize>] {
        &self.ranges
    }

    /// One of them.
    pub fn request(&self, part: usize) -> Request {
        Request::Park(self.terms.bases(&self.bytes, self.ranges[part].clone()))
    }

    /// The handle, of those of the members.
    pub fn join(self, answers: Vec<(usize, Answer)>, identity: u64) -> Result<Answer> {
        let place = |(member, answer)| match answer {
            Answer::Msm(Response::Parked(parked)) => Ok(Place::On(member, parked)),
            answer => Err(other(&answer)),
        };
        let places = answers.into_iter().map(place).collect::<Result<_>>()?;
        let Self { terms, bytes, ranges } = self;
        let points = ranges.last().map_or(0, |range| range.end);
        let resident = Arc::new(Resident::new(terms, ranges, places, &bytes));
        let (form, len) = (Capability::Msm(terms.instance), points * terms.instance.point_bytes());
        Ok(Answer::Msm(Response::Parked(Parked::prepared(identity, form, len, resident))))
    }
}

impl Cut {
    /// The parts' ranges.
    pub fn ranges(&self) -> &[Range<usize>] {
        &self.ranges
    }

    /// One part; over resident bases, with the handle of its card.
    pub fn request(&self, part: usize, parked: Option<Parked>) -> Request {
        let bases = match (parked, &self.bytes) {
            (Some(parked), _) => self.terms.parked(parked),
            (None, Some(bytes)) => self.terms.bases(bytes, self.ranges[part].clone()),
            (None, None) => Bases::new(self.terms.instance, vec![]),
        };
        let scalars = self.scalars[part].iter().cloned().map(Data::Here).collect();
        Request::Sums(Sums { bases, scalars, progress: None })
    }

    /// The sums, of the sums of the parts.
    pub fn join(self, answers: Vec<Answer>) -> Result<Answer> {
        let [_, _, ..] = answers[..] else { return answers.into_iter().next().ok_or_else(none) };
        let mut partial = Vec::new();
        for answer in answers {
            match answer {
                Answer::Msm(Response::Sums { points, cycles }) => partial.push((points, cycles)),
                answer => return Err(other(&answer)),
            }
        }
        let instance: Instance = self.terms.instance;
        in_group!(instance, added(partial))
    }
}

type Partial = (Vec<Vec<u8>>, Option<Vec<Cycles>>);

/// For each list the sum of its partial sums, and the cycles of all cards.
fn added<C: Curve<Base: Coordinate>>(partial: Vec<Partial>) -> Result<Answer> {
    let lists = partial[0].0.len();
    let mut sums = vec![Projective::<C>::IDENTITY; lists];
    let mut counted = Some(vec![Cycles::default(); lists]);
    for (points, cycles) in partial {
        for (sum, point) in sums.iter_mut().zip(&points) {
            *sum += read::point::<C>(0, point, Check::Nothing)?;
        }
        counted = counted.zip(cycles).map(|(mut all, cycles)| {
            all.iter_mut().zip(cycles).for_each(|(all, more)| *all += more);
            all
        });
    }
    let points = sums.iter().map(|sum| pair::encode(&Affine::from(*sum))).collect();
    Ok(Answer::Msm(Response::Sums { points, cycles: counted }))
}

fn other(answer: &Answer) -> Error {
    Error::argument("answer", format!("to another question: {answer:?}"))
}

fn none() -> Error {
    Error::argument("answer", "to no question")
}

//! An affine point in memory: whole vectors, see [`Base`](super::Base) and [`Quadratic`](super::Quadratic).
//!
//! The identity is (0, 0), which is on no curve with b != 0. Lanes and scalar code keep other points in different forms: a
//! point is good for levels of the same kind as the one that it was made with.

use std::fmt;

use super::coordinate::{Coordinate, Residue};
use crate::field::Field;
use crate::isa::Isa;
use crate::lanes::backend::WIDTH;
use crate::lanes::machine::{Machine, Task, perform};

/// An affine point with coordinates in F, or the identity.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct Point<F: Coordinate> {
    pub(super) rows: F::Rows,
}

impl<F: Coordinate> fmt::Debug for Point<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a point in {} bytes", size_of::<Self>())
    }
}

impl<F: Coordinate> Point<F> {
    /// The identity.
    pub const IDENTITY: Self = Self { rows: F::ZERO };

    /// Points from their coordinates, (0, 0) for the identity, for this level.
    pub fn from_coordinates(isa: Isa, coordinates: &[[F::Element; 2]]) -> Vec<Self> {
        let mut points = vec![Self::IDENTITY; coordinates.len()];
        match isa.machine() {
            Some(machine) => perform(machine, FromCoordinates(coordinates, &mut points)),
            None => {
                for (coordinates, point) in coordinates.iter().zip(&mut points) {
                    F::write(*coordinates, &mut point.rows);
                }
            }
        }
        points
    }

    /// The coordinates of points of this level, (0, 0) of the identity.
    pub fn to_coordinates(isa: Isa, points: &[Self]) -> Vec<[F::Element; 2]> {
        let Some(machine) = isa.machine() else {
            return points.iter().map(|point| F::read(&point.rows)).collect();
        };
        let mut coordinates = vec![[F::Element::ZERO; 2]; points.len()];
        perform(machine, ToCoordinates(points, &mut coordinates));
        coordinates
    }
}

struct FromCoordinates<'a, F: Coordinate>(&'a [[F::Element; 2]], &'a mut [Point<F>]);

impl<F: Coordinate> Task for FromCoordinates<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<M: Machine>(self, m: M) {
        for (from, to) in self.0.chunks(WIDTH).zip(self.1.chunks_mut(WIDTH)) {
            let mut each = [[F::Element::ZERO; WIDTH]; 2];
            for (lane, [x, y]) in from.iter().enumerate() {
                (each[0][lane], each[1][lane]) = (*x, *y);
            }
            let xy = each.map(|elements| F::Held::from_elements(m, &elements));
            let count = to.len();
            F::scatter(m, &xy, to, &[0, 1, 2, 3, 4, 5, 6, 7][..count]);
        }
    }
}

struct ToCoordinates<'a, F: Coordinate>(&'a [Point<F>], &'a mut [[F::Element; 2]]);

impl<F: Coordinate> Task for ToCoordinates<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<M: Machine>(self, m: M) {
        for (from, to) in self.0.chunks(WIDTH).zip(self.1.chunks_mut(WIDTH)) {
            let eight = std::array::from_fn(|lane| &from.get(lane).unwrap_or(&from[0]).rows);
            let [mut x, mut y] = [F::Held::zero(m); 2];
            F::gather(m, eight, [&mut x, &mut y]);
            let [x, y] = [x.to_elements(), y.to_elements()];
            for (lane, to) in to.iter_mut().enumerate() {
                *to = [x[lane], y[lane]];
            }
        }
    }
}

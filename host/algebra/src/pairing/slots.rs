//! Elements of lanes by their places in memory.
//!
//! Eight elements of Fp2 are up to a kilobyte, and the formulas pass elements by value: in this module a value is an index, and
//! its element is written once. Slots are taken and released as on a stack ([`Slots::release`]).

use std::cell::{Cell, RefCell};

use super::{Coefficient, Linear};

/// Memory for elements.
pub struct Slots<W> {
    room: RefCell<Vec<W>>,
    taken: Cell<usize>,
}

/// Operations on eight elements of Fp2 that write their result in place. As for a [`Coefficient`], all functions are `#[inline(always)]`, and
/// long ones call a separate function.
pub trait Wide: Copy {
    /// Eight elements of Fp.
    type Base: Copy;
    /// Eight answers of yes or no.
    type Choice: Copy;
    /// a + b.
    fn plus(to: &mut Self, a: &Self, b: &Self);
    /// a - b.
    fn less(to: &mut Self, a: &Self, b: &Self);
    /// -a.
    fn negative(to: &mut Self, a: &Self);
    /// a b.
    fn times(to: &mut Self, a: &Self, b: &Self);
    /// a^2.
    fn squared(to: &mut Self, a: &Self);
    /// N a, for small N.
    fn small<const N: u32>(to: &mut Self, a: &Self);
    /// The product with the tower's xi.
    fn times_xi(to: &mut Self, a: &Self);
    /// The product with elements of Fp.
    fn scaled(to: &mut Self, a: &Self, by: &Self::Base);
    /// The p-th power.
    fn conjugate(to: &mut Self, a: &Self);
    /// Writes b where `choice` is true, and a otherwise.
    fn select(to: &mut Self, a: &Self, b: &Self, choice: Self::Choice);
}

/// Of values that are handed on, a copy is written.
impl<C: Coefficient> Wide for C {
    type Base = C::Base;
    type Choice = C::Choice;

    #[inline(always)]
    fn plus(to: &mut Self, a: &Self, b: &Self) {
        *to = a.plus(b);
    }
    #[inline(always)]
    fn less(to: &mut Self, a: &Self, b: &Self) {
        *to = a.less(b);
    }
    #[inline(always)]
    fn negative(to: &mut Self, a: &Self) {
        *to = a.negative();
    }
    #[inline(always)]
    fn times(to: &mut Self, a: &Self, b: &Self) {
        *to = a.times(b);
    }
    #[inline(always)]
    fn squared(to: &mut Self, a: &Self) {
        *to = a.squared();
    }
    #[inline(always)]
    fn small<const N: u32>(to: &mut Self, a: &Self) {
        *to = a.small::<N>();
    }
    #[inline(always)]
    fn times_xi(to: &mut Self, a: &Self) {
        *to = a.times_xi();
    }
    #[inline(always)]
    fn scaled(to: &mut Self, a: &Self, by: &Self::Base) {
        *to = a.scaled(by);
    }
    #[inline(always)]
    fn conjugate(to: &mut Self, a: &Self) {
        *to = a.conjugate();
    }
    #[inline(always)]
    fn select(to: &mut Self, a: &Self, b: &Self, choice: Self::Choice) {
        *to = a.or_if(choice, b);
    }
}

impl<W: Wide> Slots<W> {
    /// Allocates `count` slots.
    pub fn new(count: usize, blank: W) -> Self {
        Self { room: RefCell::new(vec![blank; count]), taken: Cell::new(0) }
    }

    /// A new element.
    #[inline(always)]
    pub fn put(&self, value: W) -> Slot<'_, W> {
        self.make(|to, _| *to = value)
    }

    /// Copies of these, in new places.
    #[inline(always)]
    pub fn copies<const N: usize>(&self, values: [Slot<'_, W>; N]) -> [Slot<'_, W>; N] {
        let mut copies = [Slot { slots: self, at: 0 }; N];
        for (copy, value) in copies.iter_mut().zip(values) {
            *copy = self.make(|to, old| *to = old[value.at]);
        }
        copies
    }

    /// Writes values to places that they are not in.
    #[inline(always)]
    pub fn write<const N: usize>(&self, to: [Slot<'_, W>; N], values: [Slot<'_, W>; N]) {
        let room = &mut *self.room.borrow_mut();
        for (to, value) in to.into_iter().zip(values) {
            room[to.at] = room[value.at];
        }
    }

    /// The next place.
    #[inline(always)]
    fn make(&self, write: impl FnOnce(&mut W, &[W])) -> Slot<'_, W> {
        let at = self.taken.get();
        self.taken.set(at + 1);
        let room = &mut *self.room.borrow_mut();
        let (old, new) = room.split_at_mut(at);
        write(&mut new[0], old);
        Slot { slots: self, at }
    }

    /// Returns the position of the next slot.
    pub fn mark(&self) -> usize {
        self.taken.get()
    }

    /// Gives all places from there on back.
    pub fn release(&self, mark: usize) {
        self.taken.set(mark);
    }

    /// Returns the element of a slot.
    pub fn get(&self, slot: Slot<'_, W>) -> W {
        self.room.borrow()[slot.at]
    }
}

/// An element.
pub struct Slot<'s, W> {
    slots: &'s Slots<W>,
    at: usize,
}

impl<W> Clone for Slot<'_, W> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<W> Copy for Slot<'_, W> {}

impl<W: Wide> Linear for Slot<'_, W> {
    type Choice = W::Choice;

    #[inline(never)]
    fn plus(&self, other: &Self) -> Self {
        self.slots.make(|to, old| W::plus(to, &old[self.at], &old[other.at]))
    }
    #[inline(never)]
    fn less(&self, other: &Self) -> Self {
        self.slots.make(|to, old| W::less(to, &old[self.at], &old[other.at]))
    }
    #[inline(never)]
    fn negative(&self) -> Self {
        self.slots.make(|to, old| W::negative(to, &old[self.at]))
    }
    #[inline(never)]
    fn small<const N: u32>(&self) -> Self {
        self.slots.make(|to, old| W::small::<N>(to, &old[self.at]))
    }
    #[inline(never)]
    fn times_xi(&self) -> Self {
        self.slots.make(|to, old| W::times_xi(to, &old[self.at]))
    }
    #[inline(never)]
    fn or_if(&self, choice: Self::Choice, other: &Self) -> Self {
        self.slots.make(|to, old| W::select(to, &old[self.at], &old[other.at], choice))
    }
}

impl<W: Wide> Coefficient for Slot<'_, W> {
    type Base = W::Base;

    #[inline(never)]
    fn times(&self, other: &Self) -> Self {
        self.slots.make(|to, old| W::times(to, &old[self.at], &old[other.at]))
    }
    #[inline(never)]
    fn squared(&self) -> Self {
        self.slots.make(|to, old| W::squared(to, &old[self.at]))
    }
    #[inline(never)]
    fn scaled(&self, by: &Self::Base) -> Self {
        self.slots.make(|to, old| W::scaled(to, &old[self.at], by))
    }
    #[inline(never)]
    fn conjugate(&self) -> Self {
        self.slots.make(|to, old| W::conjugate(to, &old[self.at]))
    }
}

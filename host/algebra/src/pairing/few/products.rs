//! Products that do not wait for each other, made a few at a time.

use crate::lanes::WIDTH;

/// Up to N products.
pub struct Products<C, const N: usize> {
    factors: [[C; N]; 2],
    made: [C; N],
    count: usize,
    done: usize,
    /// The first of the next eight that is computed for these, and their number.
    first: usize,
    taken: usize,
}

impl<C: Copy, const N: usize> Products<C, N> {
    #[inline(always)]
    pub fn none(blank: C) -> Self {
        let factors = [[blank; N]; 2];
        Self { factors, made: [blank; N], count: 0, done: 0, first: 0, taken: 0 }
    }

    /// Requests the products of these factors.
    #[inline(always)]
    pub fn request<const M: usize>(&mut self, [x, y]: &[[C; M]; 2]) {
        self.factors[0][..M].copy_from_slice(x);
        self.factors[1][..M].copy_from_slice(y);
        (self.count, self.done) = (M, 0);
    }

    /// Takes as many of the next eight as are requested, while lanes are free.
    #[inline(always)]
    pub fn take(&mut self, free: &mut usize) {
        let wanted = self.count - self.done;
        self.first = WIDTH - *free;
        self.taken = if wanted < *free { wanted } else { *free };
        *free -= self.taken;
    }

    /// The factors of those that were taken, to their places.
    #[inline(always)]
    pub fn factors<'a>(&'a self, x: &mut [&'a C; WIDTH], y: &mut [&'a C; WIDTH]) {
        for i in 0..self.taken {
            x[self.first + i] = &self.factors[0][self.done + i];
            y[self.first + i] = &self.factors[1][self.done + i];
        }
    }

    /// Their products.
    #[inline(always)]
    pub fn give(&mut self, eight: &[C; WIDTH]) {
        for i in 0..self.taken {
            self.made[self.done + i] = eight[self.first + i];
        }
        self.done += self.taken;
    }

    /// Returns whether products were requested and all of them are computed.
    #[inline(always)]
    pub fn are_made(&self) -> bool {
        self.count > 0 && self.done == self.count
    }

    /// The products, which are none afterwards.
    #[inline(always)]
    pub fn made<const M: usize>(&mut self) -> [C; M] {
        debug_assert!(self.are_made() && self.count == M);
        (self.count, self.done) = (0, 0);
        let mut made = [self.made[0]; M];
        made.copy_from_slice(&self.made[..M]);
        made
    }
}

//! The interface of a CPU's lanes for an algorithm over field elements: eight of them in registers, and pairs of
//! them in memory.
//!
//! There are two kinds: limbs of 52 bits on a [`Backend`], and floating-point limbs with AVX2 and FMA.

use super::affine::Residue;
use super::affine::base::Pair;
use super::backend::{self, Backend, Kernel, Mask, Vectors, WIDTH, both};
#[cfg(target_arch = "x86_64")]
use super::doubles::Fma;
use super::limbs::Held;
use super::limbs::held::HeldPair;
use super::primes::Prime;
use crate::isa::Isa;
#[cfg(kernels_of_doubles)]
use crate::isa::Level;
use crate::tower::{Fp2, Tower};

/// Eight lanes of field elements. A value of this type is the proof that the processor has them.
pub trait Machine: Copy {
    /// Eight elements of P in registers.
    type Eight<P: Prime<L>, const L: usize>: Residue<Self, Element = P>;
    /// Eight elements of the extension at the bottom of a tower, where u^2 = -N.
    type EightPair<T: Tower<Base: Prime<L>>, const N: usize, const L: usize>: Residue<Self, Element = Fp2<T>>;
    /// Eight pairs of elements on their way to memory.
    type Rows: Copy;

    /// The first and the second of eight pairs, to where they are wanted.
    fn gather<P: Prime<L>, const L: usize, const K: usize>(
        self,
        pairs: [&Pair<K>; WIDTH],
        to: [&mut Self::Eight<P, L>; 2],
    );
    /// The argument of [`Machine::gather`].
    fn scatter<P: Prime<L>, const L: usize, const K: usize>(
        self,
        pairs: [&Self::Eight<P, L>; 2],
    ) -> Self::Rows;
    /// The pair of a lane to memory.
    fn store<const K: usize>(self, rows: &Self::Rows, lane: usize, pair: &mut Pair<K>);
    /// c0 and c1 of c0 + c1 u.
    fn coefficients_mut<T: Tower<Base: Prime<L>>, const N: usize, const L: usize>(
        self,
        pair: &mut Self::EightPair<T, N, L>,
    ) -> [&mut Self::Eight<T::Base, L>; 2];
    /// c0 and c1 of c0 + c1 u.
    fn coefficients<T: Tower<Base: Prime<L>>, const N: usize, const L: usize>(
        self,
        pair: &Self::EightPair<T, N, L>,
    ) -> [&Self::Eight<T::Base, L>; 2];
    /// The constants of [`Machine::take_word_form`], computed once.
    fn word_form<P: Prime<L>, const L: usize>(self) -> Self::Eight<P, L>;
    /// Twice eight elements in Montgomery form with R = 2^(64 W), each W rows of words, which become canonical; and where the
    /// elements are wanted. Lanes of the mask were not below the modulus: what comes of them is of no use.
    fn take_word_form<P: Prime<L>, const L: usize>(
        self,
        form: &Self::Eight<P, L>,
        rows: &mut [[u64; WIDTH]],
        to: [&mut Self::Eight<P, L>; 2],
    ) -> Mask;
    /// Runs a task out of line: for code that is rare, or long and used in many places.
    fn outline<T: Task>(self, task: T) -> T::Output;
    /// A hint that this line of memory is needed soon.
    fn prefetch<T>(self, line: &T);
}

/// Something to do on whatever machine there is; as for a [`Kernel`], `run` is `#[inline(always)]` and so is all that it
/// calls.
pub trait Task {
    /// The result.
    type Output;
    /// Executes the work.
    fn run<M: Machine>(self, machine: M) -> Self::Output;
}

/// A machine of this processor. There is one only where it has the instructions; [`Isa::machine`] makes it.
#[derive(Clone, Copy, Debug)]
pub struct AnyMachine(Kind);

#[derive(Clone, Copy, Debug)]
enum Kind {
    Limbs(Vectors),
    #[cfg(kernels_of_doubles)]
    Doubles(Fma),
}

impl From<Vectors> for AnyMachine {
    fn from(vectors: Vectors) -> Self {
        Self(Kind::Limbs(vectors))
    }
}

impl Isa {
    /// The machine that this level has. Where there is none, scalar code does the work.
    pub fn machine(self) -> Option<AnyMachine> {
        if let Some(vectors) = self.vectors() {
            return Some(vectors.into());
        }
        #[cfg(kernels_of_doubles)]
        if matches!(self.0, Level::Avx2 | Level::Avx512) {
            return Some(AnyMachine(Kind::Doubles(Fma::new())));
        }
        None
    }
}

/// Executes the task with this machine.
pub fn perform<T: Task>(machine: AnyMachine, task: T) -> T::Output {
    match machine.0 {
        Kind::Limbs(vectors) => backend::run(vectors, OnBackend(task)),
        #[cfg(kernels_of_doubles)]
        Kind::Doubles(fma) => fma.run(task),
    }
}

/// Work with one implementation for limbs and another for floating-point limbs. As for a [`Kernel`], both are `#[inline(always)]`.
pub trait Choice {
    /// The result.
    type Output;
    /// Executes the work with limbs.
    fn on_limbs<B: Backend>(self, backend: B) -> Self::Output;
    /// Executes the work with floating-point limbs.
    #[cfg(target_arch = "x86_64")]
    fn on_doubles(self, fma: Fma) -> Self::Output;
}

/// Executes the work with this machine.
pub fn choose<C: Choice>(machine: AnyMachine, choice: C) -> C::Output {
    match machine.0 {
        Kind::Limbs(vectors) => backend::run(vectors, OnLimbs(choice)),
        #[cfg(kernels_of_doubles)]
        Kind::Doubles(fma) => fma.choose(choice),
    }
}

/// A choice as a kernel.
struct OnLimbs<C>(C);

impl<C: Choice> Kernel for OnLimbs<C> {
    type Output = C::Output;

    #[inline(always)]
    fn run<B: Backend>(self, b: B) -> C::Output {
        self.0.on_limbs(b)
    }
}

/// A task as a kernel.
struct OnBackend<T>(T);

impl<T: Task> Kernel for OnBackend<T> {
    type Output = T::Output;

    #[inline(always)]
    fn run<B: Backend>(self, b: B) -> T::Output {
        self.0.run(b)
    }
}

impl<B: Backend> Machine for B {
    type Eight<P: Prime<L>, const L: usize> = Held<B, P, L>;
    type EightPair<T: Tower<Base: Prime<L>>, const N: usize, const L: usize> = HeldPair<B, T, N, L>;
    /// Both vectors of eight pairs; of pairs of one vector they are the same.
    type Rows = [[B::V; WIDTH]; 2];

    #[inline(always)]
    fn gather<P: Prime<L>, const L: usize, const K: usize>(
        self,
        pairs: [&Pair<K>; WIDTH],
        [first, second]: [&mut Held<B, P, L>; 2],
    ) {
        [*first, *second] = Held::gather_pairs(self, pairs);
    }
    #[inline(always)]
    fn scatter<P: Prime<L>, const L: usize, const K: usize>(
        self,
        pairs: [&Held<B, P, L>; 2],
    ) -> Self::Rows {
        Held::scatter_pairs::<K>(self, both!(n => *pairs[n]))
    }
    #[inline(always)]
    fn store<const K: usize>(self, rows: &Self::Rows, lane: usize, pair: &mut Pair<K>) {
        for (row, words) in pair.iter_mut().zip(rows) {
            Backend::store(self, words[lane], row);
        }
    }
    #[inline(always)]
    fn coefficients_mut<T: Tower<Base: Prime<L>>, const N: usize, const L: usize>(
        self,
        HeldPair { c0, c1 }: &mut HeldPair<B, T, N, L>,
    ) -> [&mut Held<B, T::Base, L>; 2] {
        [c0, c1]
    }
    #[inline(always)]
    fn coefficients<T: Tower<Base: Prime<L>>, const N: usize, const L: usize>(
        self,
        HeldPair { c0, c1 }: &HeldPair<B, T, N, L>,
    ) -> [&Held<B, T::Base, L>; 2] {
        [c0, c1]
    }
    #[inline(always)]
    fn word_form<P: Prime<L>, const L: usize>(self) -> Held<B, P, L> {
        Held::from_word_form(self)
    }
    #[inline(always)]
    fn take_word_form<P: Prime<L>, const L: usize>(
        self,
        form: &Held<B, P, L>,
        rows: &mut [[u64; WIDTH]],
        to: [&mut Held<B, P, L>; 2],
    ) -> Mask {
        form.take_word_form(self, rows, to)
    }
    #[inline(always)]
    fn outline<T: Task>(self, task: T) -> T::Output {
        Backend::outline(self, OnBackend(task))
    }
    #[inline(always)]
    fn prefetch<T>(self, line: &T) {
        Backend::prefetch(self, line);
    }
}

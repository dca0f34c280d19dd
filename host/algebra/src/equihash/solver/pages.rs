//! Tables and trees in pages: a page of a bucket that has been read is filled again with another bucket, or with a tree.

use super::prefetch::prefetch;

/// Words of a page.
pub(super) const PAGE: usize = 1024;

/// Words of a cache line.
const WORDS_OF_LINE: usize = 16;
/// Cache lines of a page that are requested before it is read.
const REQUESTED_LINES: usize = 8;

/// A page. It belongs to one list, tree or list of free pages at a time.
pub(super) type Page<'a> = &'a mut [u32; PAGE];

/// Returns the elements of `width` words that a page has space for.
pub(super) const fn elements_of_page(width: usize) -> usize {
    PAGE / width
}

/// The elements of one part in one bucket.
pub(super) struct List<'a> {
    pub(super) pages: Vec<Page<'a>>,
    /// Used words of the last page.
    used: usize,
}

impl List<'_> {
    /// Returns the number of elements of `width` words.
    pub(super) fn len(&self, width: usize) -> usize {
        let full = self.pages.len().saturating_sub(1);
        full * elements_of_page(width) + self.used / width
    }

    /// Returns the elements of W words, in the order in which they were written, a page at a time. The first cache lines of
    /// the page behind it are requested: the processor does not guess where that is.
    #[inline(always)]
    pub(super) fn elements<const W: usize>(&self) -> impl Iterator<Item = &[[u32; W]]> {
        self.pages.iter().enumerate().map(|(number, page)| {
            if let Some(next) = self.pages.get(number + 1) {
                (0..REQUESTED_LINES).for_each(|line| prefetch(&next[..], WORDS_OF_LINE * line));
            }
            let used = if number + 1 < self.pages.len() { PAGE } else { self.used };
            page[..used].as_chunks().0
        })
    }
}

/// What one part writes of a table: elements for each bucket.
pub(super) struct Output<'a> {
    /// The page that each bucket's elements are written to, and its used words.
    current: Vec<Option<Page<'a>>>,
    used: Vec<u16>,
    full: Vec<Vec<Page<'a>>>,
    pub(super) free: Vec<Page<'a>>,
    /// Whether an element was dropped because no page was free.
    pub(super) is_short: bool,
}

impl<'a> Output<'a> {
    /// Returns an output without elements, for `buckets` buckets of about `pages` pages each.
    pub(super) fn new(buckets: usize, pages: usize, free: Vec<Page<'a>>) -> Self {
        Self {
            current: (0..buckets).map(|_| None).collect(),
            used: vec![PAGE as u16; buckets],
            full: (0..buckets).map(|_| Vec::with_capacity(pages)).collect(),
            free,
            is_short: false,
        }
    }

    /// Returns the number of buckets, a power of two.
    #[inline(always)]
    pub(super) fn buckets(&self) -> usize {
        self.used.len()
    }

    /// Writes an element to its bucket, if a page is free.
    #[inline(always)]
    pub(super) fn write<const V: usize>(&mut self, bucket: usize, element: [u32; V]) {
        let mut used = usize::from(self.used[bucket]);
        if used + V > PAGE {
            if !self.next_page(bucket) {
                return;
            }
            used = 0;
        }
        if let Some(page) = &mut self.current[bucket] {
            prefetch(&page[..], used + 2 * V);
            page[used..used + V].copy_from_slice(&element);
            self.used[bucket] = (used + V) as u16;
        }
    }

    /// Gives a bucket an empty page. Returns false if none is free.
    #[cold]
    fn next_page(&mut self, bucket: usize) -> bool {
        let Some(page) = self.free.pop() else {
            self.is_short = true;
            return false;
        };
        prefetch(&page[..], 0);
        self.full[bucket].extend(self.current[bucket].replace(page));
        true
    }

    /// Returns the elements of each bucket, and the free pages.
    pub(super) fn finish(self) -> (Vec<List<'a>>, Vec<Page<'a>>) {
        let buckets = self.full.into_iter().zip(self.current).zip(self.used);
        let lists = buckets.map(|((mut pages, current), used)| {
            let used = if current.is_some() { used.into() } else { 0 };
            pages.extend(current);
            List { pages, used }
        });
        (lists.collect(), self.free)
    }
}

/// One part's references of a tree: those of its buckets.
pub(super) struct Branch<'a> {
    /// The position of its first reference in the tree.
    pub(super) start: u32,
    pages: Vec<Page<'a>>,
    len: usize,
}

impl<'a> Branch<'a> {
    pub(super) fn new(start: u32) -> Self {
        Self { start, pages: Vec::new(), len: 0 }
    }

    /// Appends references, as far as pages are free. Returns whether all were appended.
    pub(super) fn append(&mut self, mut references: &[u32], free: &mut Vec<Page<'a>>) -> bool {
        while !references.is_empty() {
            let used = self.len % PAGE;
            if used == 0 {
                let Some(page) = free.pop() else { return false };
                self.pages.push(page);
            }
            let count = references.len().min(PAGE - used);
            let (now, later) = references.split_at(count);
            let Some(page) = self.pages.last_mut() else { return false };
            page[used..used + count].copy_from_slice(now);
            self.len += count;
            references = later;
        }
        true
    }
}

/// The references of the elements of a table, sorted by bucket and key.
pub(super) struct Tree<'a> {
    branches: Vec<Branch<'a>>,
}

impl<'a> Tree<'a> {
    /// Puts the parts' branches together, which are in the order of their positions.
    pub(super) fn new(branches: Vec<Branch<'a>>) -> Self {
        Self { branches }
    }

    /// Returns the reference at a position; `None` if there was no space for it.
    pub(super) fn get(&self, position: u32) -> Option<u32> {
        let branch = self.branches.partition_point(|branch| branch.start <= position);
        let branch = &self.branches[branch.checked_sub(1)?];
        let at = (position - branch.start) as usize;
        (at < branch.len).then(|| branch.pages[at / PAGE][at % PAGE])
    }
}

//! Measurements of proofmill and its peers.
//!
//! A figure is data: a list of rows ([`row`]) in a file, and the same rows as a table ([`report`]). Each row contains the
//! machine and build ([`place`]). Compared programs run alternately in the same minutes ([`timing`]), so that a busy machine
//! affects all of them.

pub mod cycles;
pub mod gpu;
pub mod ours;
pub mod peers;
pub mod place;
pub mod report;
pub mod row;
pub mod signatures;
pub mod software;
pub mod timing;

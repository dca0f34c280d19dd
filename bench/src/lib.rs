//! What is measured, against whom and how.
//!
//! A figure is data: a list of rows ([`row`]) in a file, and the same rows as a table ([`report`]); each row says where it was
//! taken ([`place`]). Whatever is compared runs in turns in the same minutes ([`timing`]), so that a busy machine is busy for all.

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

//! What this crate shows from outside, in one program, so that it is compiled and linked once.

mod driver;
mod faults;
mod msm;
mod pcie;

//! Tests of the public interface, in one program, so that it is compiled and linked once.

mod boards;
mod driver;
mod f2;
mod faults;
mod msm;
mod pcie;

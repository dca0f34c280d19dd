//! Other people's software, made to do the same work as ours.

pub mod algebra;
pub mod ecdsa;
pub mod equihash;
pub mod msm;
pub mod ntt;
pub mod pairing;
pub mod program;
pub mod prove;

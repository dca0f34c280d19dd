//! What is said of a device whose answer does not fit the question.

use std::fmt::Debug;

use crate::{Device, Error};

/// It has not answered what was asked.
pub fn lost(device: &dyn Device, problem: impl Into<String>) -> Error {
    Error::Lost { device: device.caps().uri.clone(), problem: problem.into() }
}

/// It has answered something else.
pub fn other_answer(device: &dyn Device, answer: &impl Debug) -> Error {
    lost(device, format!("an answer to another question: {answer:?}"))
}

//! The conformance suite of devices: the vectors, and the guarantees of the trait [`Device`] itself.
//!
//! Every check ends on any device, because devices have time-outs. If a check loses the device, it fails and the suite
//! ends.

mod hashes;
mod msm;
mod programs;
mod promises;
mod solutions;
mod squarings;
mod subject;
mod transforms;

use proofmill_op::equihash_verify::Params;
use proofmill_op::msm::Instance;
use proofmill_op::{
    AnyRequest, AnyTicket, Argument, Capability, Device, Erased as _, Error, Submit, ntt, poseidon,
};

use subject::{Subject, Verification};

use crate::vectors;

/// Result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The check passed.
    Passed,
    /// The check failed, with the observed values.
    Failed(String),
}

/// A check with its result.
#[derive(Clone, Debug)]
pub struct Check {
    /// Operation, instance and case.
    pub name: String,
    /// The result.
    pub outcome: Outcome,
}

/// Results of a run of the suite.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The checks in the order of execution.
    pub checks: Vec<Check>,
    /// The error of a device that was lost in the last check, which ended the suite early.
    pub lost: Option<Error>,
}

impl Report {
    /// Returns the number of checks that passed.
    pub fn passed(&self) -> usize {
        self.checks.iter().filter(|check| check.outcome == Outcome::Passed).count()
    }

    /// Returns the checks that failed.
    pub fn failures(&self) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(|check| check.outcome != Outcome::Passed)
    }

    /// Returns whether at least one check ran and none failed.
    pub fn is_success(&self) -> bool {
        !self.checks.is_empty() && self.failures().next().is_none()
    }
}

/// Runs every check that the device's capabilities require and whose name contains `filter`; an empty filter selects all.
pub fn conformance(device: &dyn Device, filter: &str) -> Report {
    let mut suite = Suite { device, filter, nothing: None, report: Report::default() };
    for capability in &device.caps().capabilities {
        if let Capability::Msm(instance) = *capability {
            suite.nothing.get_or_insert_with(|| msm::nothing(instance));
            suite.msms(instance);
            continue;
        }
        if let Capability::Poseidon(instance) = *capability {
            suite.nothing.get_or_insert_with(hashes::nothing);
            suite.hashes(instance);
            continue;
        }
        if let Capability::Ntt(field) = *capability {
            suite.nothing.get_or_insert_with(|| transforms::nothing(field));
            suite.transforms(field);
            suite.quotients(field);
            continue;
        }
        if *capability == Capability::Keccak256 {
            suite.check("keccak256: batches", hashes::keccak256);
            continue;
        }
        if let Capability::EquihashSolve(params) = *capability {
            suite.nothing.get_or_insert_with(|| solutions::nothing(params));
            suite.solutions(params);
            continue;
        }
        if *capability == Capability::Vdf {
            suite.check("vdf: repeated squaring", squarings::vectors);
            suite.check("vdf: wrong arguments are named", squarings::wrong_arguments);
            suite.check("vdf: a request of centuries is cancelled", squarings::cancelled);
            continue;
        }
        if *capability == Capability::Coprocessor {
            suite.nothing.get_or_insert_with(programs::nothing);
            suite.programs();
            continue;
        }
        match *capability {
            Capability::EquihashVerify(params) => match subject::equihash(params) {
                Ok(subject) => {
                    suite.verification(&subject);
                    if !subject.cases.is_empty() {
                        let name = format!("{capability}: requests with other settings do not mix");
                        suite.check(&name, |device| promises::settings(device, &subject));
                    }
                }
                Err(problem) => suite.record(format!("{capability}: vectors"), Err(problem)),
            },
            Capability::EcdsaVerify => match subject::ecdsa() {
                Ok(subject) => suite.verification(&subject),
                Err(problem) => suite.record(format!("{capability}: vectors"), Err(problem)),
            },
            _ => {}
        }
    }
    suite.check("device: what is not offered is refused", promises::refuses_the_unknown);
    suite.report
}

struct Suite<'a> {
    device: &'a dyn Device,
    filter: &'a str,
    /// A request without items, to detect a lost device.
    nothing: Option<AnyRequest>,
    report: Report,
}

impl Suite<'_> {
    fn record(&mut self, name: String, result: Result<(), String>) {
        let outcome = result.map_or_else(Outcome::Failed, |()| Outcome::Passed);
        if outcome != Outcome::Passed {
            self.report.lost = self.loss();
        }
        self.report.checks.push(Check { name, outcome });
    }

    /// Returns the error of a lost device. Such a device returns it for every request, including one without items.
    fn loss(&self) -> Option<Error> {
        let response = self.device.submit_any(self.nothing.clone()?).and_then(AnyTicket::wait);
        response.err().filter(|error| matches!(error, Error::Lost { .. } | Error::TimedOut { .. }))
    }

    fn is_over(&self) -> bool {
        self.report.lost.is_some()
    }

    fn check(&mut self, name: &str, body: impl FnOnce(&dyn Device) -> Result<(), String>) {
        if name.contains(self.filter) && !self.is_over() {
            let result = body(self.device);
            self.record(name.to_owned(), result);
        }
    }

    /// Runs every case as a request of its own, all outstanding at once.
    fn vectors<R: Verification>(&mut self, subject: &Subject<R>) {
        let named =
            subject.cases.iter().map(|case| (format!("{}: {}", subject.name, case.id), case));
        let chosen: Vec<_> =
            named.filter(|(name, _)| name.contains(self.filter) && !self.is_over()).collect();
        let tickets: Vec<_> =
            chosen.iter().map(|(_, case)| self.device.submit(case.request.clone())).collect();
        for ((name, case), ticket) in chosen.into_iter().zip(tickets) {
            let result = ticket.and_then(promises::masks::<R>).map_err(|error| error.to_string());
            self.record(name, result.and_then(|masks| subject.expect(&masks, &[case.mask])));
            if self.is_over() {
                return;
            }
        }
    }

    /// Runs the vectors of `msm`, all outstanding at once.
    fn msms(&mut self, instance: Instance) {
        let cases = match msm::cases(instance) {
            Ok(cases) => cases,
            Err(problem) => return self.record(format!("{instance}: vectors"), Err(problem)),
        };
        let chosen = cases.iter().filter(|case| msm::name(case).contains(self.filter));
        let tickets: Vec<_> = chosen
            .filter(|_| !self.is_over())
            .map(|case| (case, self.device.submit(case.request())))
            .collect();
        for (case, ticket) in tickets {
            let result = ticket.map_err(|error| error.to_string());
            self.record(msm::name(case), result.and_then(|ticket| msm::judge(ticket, case)));
            if self.is_over() {
                return;
            }
        }
    }

    /// Runs the vectors of `poseidon`, all outstanding at once, and checks its guarantees.
    fn hashes(&mut self, instance: poseidon::Instance) {
        let cases = match hashes::cases(self.device, instance) {
            Ok(cases) => cases,
            Err(problem) => return self.record(format!("{instance}: vectors"), Err(problem)),
        };
        let named = cases.iter().map(|case| (hashes::name(instance, case), case));
        let chosen: Vec<_> =
            named.filter(|(name, _)| name.contains(self.filter) && !self.is_over()).collect();
        let ask = |case: &vectors::PoseidonCase| case.request(case.preimage.clone());
        let submit = |case| self.device.submit(ask(case));
        let tickets: Vec<_> = chosen.iter().map(|(_, case)| submit(case)).collect();
        for ((name, case), ticket) in chosen.into_iter().zip(tickets) {
            let result = ticket.map_err(|error| error.to_string());
            self.record(name, result.and_then(|ticket| hashes::judge(ticket, &case.digest)));
            if self.is_over() {
                return;
            }
        }
        for (what, promise) in hashes::PROMISES {
            let name = format!("{}: {what}", Capability::Poseidon(instance));
            self.check(&name, |device| promise(device, &cases[0]));
        }
    }

    /// Runs the vectors of `ntt`, all outstanding at once, and checks its guarantees. Skips fields without vectors.
    fn transforms(&mut self, field: ntt::Field) {
        let cases = match transforms::cases(self.device, field) {
            Ok(cases) => cases,
            Err(problem) => return self.record(format!("{field}: vectors"), Err(problem)),
        };
        let named = cases.iter().map(|case| (transforms::name(case), case));
        let chosen: Vec<_> =
            named.filter(|(name, _)| name.contains(self.filter) && !self.is_over()).collect();
        let submit =
            |case: &vectors::NttCase| transforms::submit(self.device, case, &case.elements[..]);
        let tickets: Vec<_> = chosen.iter().map(|(_, case)| submit(case)).collect();
        for ((name, case), ticket) in chosen.into_iter().zip(tickets) {
            let result = ticket.map_err(|error| error.to_string());
            let judged = result.and_then(|it| transforms::judge(it, field, &case.result));
            self.record(name, judged);
            if self.is_over() {
                return;
            }
        }
        let Some(case) = cases.iter().find(|case| case.id == "6-forward") else { return };
        for (what, promise) in transforms::PROMISES {
            let name = format!("{}: {what}", Capability::Ntt(field));
            self.check(&name, |device| promise(device, case));
        }
    }

    /// Runs the vectors of quotients one after the other, since a device may hold few at a time.
    fn quotients(&mut self, field: ntt::Field) {
        let cases = match transforms::quotients(self.device, field) {
            Ok(cases) => cases,
            Err(problem) => return self.record(format!("{field}: quotients"), Err(problem)),
        };
        for case in cases {
            self.check(&transforms::quotient_name(&case), |device| {
                let ticket = transforms::submit_quotient(device, &case);
                let ticket = ticket.map_err(|error| error.to_string())?;
                transforms::judge_quotient(ticket, field, &case.result)
            });
        }
    }

    /// Checks the solutions of small parameter sets: larger ones take seconds and gigabytes.
    fn solutions(&mut self, params: Params) {
        type Promise = fn(&dyn Device, Params) -> Result<(), String>;
        let arguments: (&str, Promise) = ("wrong arguments are named", solutions::wrong_arguments);
        let empty: (&str, Promise) = ("a request without headers", solutions::empty);
        let verified: (&str, Promise) = ("verified", solutions::verified);
        let vectors: (&str, Promise) = ("vectors", solutions::vectors);
        let promises = match params {
            Params::N48_K5 => vec![vectors, verified, empty, arguments],
            _ if params.n() <= 96 => vec![verified, empty, arguments],
            _ => vec![arguments],
        };
        for (what, promise) in promises {
            let name = format!("{}: {what}", Capability::EquihashSolve(params));
            self.check(&name, |device| promise(device, params));
        }
    }

    /// Runs the vectors of `coprocessor`, all outstanding at once, and checks its guarantees.
    fn programs(&mut self) {
        let cases = match vectors::coprocessor() {
            Ok(cases) => cases,
            Err(problem) => {
                return self.record(format!("{}: vectors", Capability::Coprocessor), Err(problem));
            }
        };
        let named = cases.iter().map(|case| (programs::name(case), case));
        let chosen: Vec<_> =
            named.filter(|(name, _)| name.contains(self.filter) && !self.is_over()).collect();
        let submit = |case: &vectors::CoprocessorCase| self.device.submit(case.request.clone());
        let tickets: Vec<_> = chosen.iter().map(|(_, case)| submit(case)).collect();
        for ((name, case), ticket) in chosen.into_iter().zip(tickets) {
            if ticket.as_ref().is_err_and(|error| programs::is_too_large(case, error)) {
                continue;
            }
            let result = ticket.map_err(|error| error.to_string());
            self.record(name, result.and_then(|ticket| programs::judge(ticket, &case.response)));
            if self.is_over() {
                return;
            }
        }
        for (what, promise) in programs::PROMISES {
            let name = format!("{}: {what}", Capability::Coprocessor);
            self.check(&name, |device| promise(device, &cases[0]));
        }
    }

    /// Runs the vectors of a verification, and checks its guarantees.
    fn verification<R: Verification>(&mut self, subject: &Subject<R>) {
        self.nothing.get_or_insert_with(|| R::Operation::erase_request(subject.request(vec![])));
        self.vectors(subject);
        let with_vectors = promises::with_vectors::<R>();
        let with_vectors = with_vectors.iter().filter(|_| !subject.cases.is_empty());
        for (what, promise) in promises::always::<R>().iter().chain(with_vectors) {
            self.check(&format!("{}: {what}", subject.name), |device| promise(device, subject));
        }
    }
}

/// Checks that a request was refused because of this argument.
fn refused<T>(result: Result<T, Error>, argument: impl Into<Argument>) -> Result<(), String> {
    let argument = argument.into();
    match result {
        Err(error) if error.is_about(argument) => Ok(()),
        Err(error) => Err(format!("{error}, where an error about '{argument}' was expected")),
        Ok(_) => Err("it was accepted".into()),
    }
}

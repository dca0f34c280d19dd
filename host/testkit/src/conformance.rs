//! The suite that every device passes: the vectors, and the promises of the trait [`Device`] itself.
//!
//! Every check ends, on any device: devices have time-outs of their own. A device that is lost fails the check
//! that noticed, and the suite ends there.

use proofmill_op::equihash_verify::{Network, Params, Request as Equihash, Response, Verdict};
use proofmill_op::{Answer, Capability, Data, Device, Error, Parked, Request, Ticket};

use crate::vectors::{self, EquihashCase};

/// How a check ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// As it should be.
    Passed,
    /// Not as it should be: what was seen.
    Failed(String),
}

/// One check.
#[derive(Clone, Debug)]
pub struct Check {
    /// Operation, instance and case.
    pub name: String,
    /// Its end.
    pub outcome: Outcome,
}

/// All checks that were made.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// In the order of running.
    pub checks: Vec<Check>,
    /// Why the suite ended early: the device was lost in the last check.
    pub lost: Option<Error>,
}

impl Report {
    /// How many passed.
    pub fn passed(&self) -> usize {
        self.checks.iter().filter(|check| check.outcome == Outcome::Passed).count()
    }

    /// Those that failed.
    pub fn failures(&self) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(|check| check.outcome != Outcome::Passed)
    }

    /// True when something was checked and nothing failed.
    pub fn is_success(&self) -> bool {
        !self.checks.is_empty() && self.failures().next().is_none()
    }
}

type Answered = Result<Response, Error>;

/// Runs every check whose name contains `filter` (empty: all) and that the device's capabilities call for.
pub fn conformance(device: &dyn Device, filter: &str) -> Report {
    let mut suite = Suite { device, filter, report: Report::default() };
    let cases = match vectors::equihash_verify() {
        Ok(cases) => cases,
        Err(problem) => {
            suite.record("vectors".into(), Err(problem));
            return suite.report;
        }
    };
    for capability in &device.caps().capabilities {
        let name = capability.to_string();
        if let Capability::EquihashVerify(params) = capability {
            let cases: Vec<_> = cases.iter().filter(|case| case.params == *params).collect();
            suite.vectors(&name, &cases);
            suite.promises(&name, *params, &cases);
        }
    }
    suite.check("device: what is not offered is refused", refuses_the_unknown);
    suite.report
}

struct Suite<'a> {
    device: &'a dyn Device,
    filter: &'a str,
    report: Report,
}

impl Suite<'_> {
    fn record(&mut self, name: String, result: Result<(), String>) {
        let outcome = result.map_or_else(Outcome::Failed, |()| Outcome::Passed);
        if outcome != Outcome::Passed {
            self.report.lost = loss(self.device);
        }
        self.report.checks.push(Check { name, outcome });
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

    /// Every case as a request of its own, all outstanding at once.
    fn vectors(&mut self, name: &str, cases: &[&EquihashCase]) {
        let named = cases.iter().map(|case| (format!("{name}: {}", case.id), *case));
        let chosen: Vec<_> =
            named.filter(|(name, _)| name.contains(self.filter) && !self.is_over()).collect();
        let tickets: Vec<_> = chosen
            .iter()
            .map(|(_, case)| self.device.submit(Request::EquihashVerify(case.request())))
            .collect();
        for ((name, case), ticket) in chosen.into_iter().zip(tickets) {
            let result = ticket.and_then(finish).map_err(|error| error.to_string());
            self.record(name, result.and_then(|response| expect(&response, &[case.verdict])));
            if self.is_over() {
                return;
            }
        }
    }

    fn promises(&mut self, name: &str, params: Params, cases: &[&EquihashCase]) {
        let name = |what: &str| format!("{name}: {what}");
        self.check(&name("no header, no verdict"), |device| {
            expect(&ask(device, Equihash::new(params, Network::Main, vec![]))?, &[])
        });
        self.check(&name("part of a header is refused"), |device| {
            let part = vec![0; params.header_bytes() * 2 - 1];
            refused(
                device.submit(Request::EquihashVerify(Equihash::new(params, Network::Main, part))),
                "headers",
            )
        });
        self.check(&name("bytes parked elsewhere are refused"), |device| {
            let elsewhere =
                Parked::new(Parked::fresh_identity(), vec![0; params.header_bytes()].into());
            let request = Equihash::new(params, Network::Main, Data::Parked(elsewhere));
            refused(device.submit(Request::EquihashVerify(request)), "data")
        });
        let Some(first) = cases.first().copied() else { return };
        let like_first: Vec<_> = cases
            .iter()
            .filter(|case| {
                case.network == first.network && case.personalisation == first.personalisation
            })
            .copied()
            .collect();
        self.check(&name("verdicts keep the order of the headers"), |device| {
            in_order(device, &like_first)
        });
        self.check(&name("parked headers are verified"), |device| {
            let parked =
                device.park(first.header.clone().into()).map_err(|error| error.to_string())?;
            let request = Equihash { headers: Data::Parked(parked), ..first.request() };
            expect(&ask(device, request)?, &[first.verdict])
        });
        self.check(&name("requests with other settings do not mix"), |device| {
            settings(device, first)
        });
        self.check(&name("a cancelled request disturbs nobody"), |device| cancelled(device, first));
        self.check(&name("requests are counted"), |device| {
            let before = device.metrics().requests;
            ask(device, first.request())?;
            let counted = device.metrics().requests - before;
            if counted >= 1 { Ok(()) } else { Err(format!("{counted} counted for 1")) }
        });
    }
}

/// Why the device is no more, if it is: a lost device says so to every request, were it one of no headers.
fn loss(device: &dyn Device) -> Option<Error> {
    let params = device.caps().capabilities.iter().find_map(|capability| match capability {
        Capability::EquihashVerify(params) => Some(*params),
        _ => None,
    })?;
    let nothing = Equihash::new(params, Network::None, vec![]);
    let answer = device.submit(Request::EquihashVerify(nothing)).and_then(finish);
    answer.err().filter(|error| matches!(error, Error::Lost { .. } | Error::TimedOut { .. }))
}

/// All headers in one request, twice over.
fn in_order(device: &dyn Device, cases: &[&EquihashCase]) -> Result<(), String> {
    let twice = || cases.iter().chain(cases);
    let headers: Vec<u8> = twice().flat_map(|case| case.header.iter().copied()).collect();
    let verdicts: Vec<Verdict> = twice().map(|case| case.verdict).collect();
    expect(&ask(device, Equihash { headers: headers.into(), ..cases[0].request() })?, &verdicts)
}

/// The same header under three difficulty rules in turn. Limit 0 allows no target at all.
fn settings(device: &dyn Device, case: &EquihashCase) -> Result<(), String> {
    let others = case.verdict.mask() & !Verdict::DIFFICULTY_FAIL;
    let rules = [
        (case.network, case.verdict.mask()),
        (Network::None, others),
        (Network::Limit([0; 32]), others | Verdict::DIFFICULTY_FAIL),
    ];
    let questions: Vec<_> = rules.iter().cycle().take(2 * rules.len()).collect();
    let submit =
        |network| device.submit(Request::EquihashVerify(Equihash { network, ..case.request() }));
    let tickets: Vec<_> = questions.iter().map(|(network, _)| submit(*network)).collect();
    for (ticket, (network, mask)) in tickets.into_iter().zip(questions) {
        let response = ticket.and_then(finish).map_err(|error| error.to_string())?;
        expect(&response, &[Verdict::from_mask(*mask)])
            .map_err(|problem| format!("{network:?}: {problem}"))?;
    }
    Ok(())
}

fn cancelled(device: &dyn Device, case: &EquihashCase) -> Result<(), String> {
    let ticket = device
        .submit(Request::EquihashVerify(case.request()))
        .map_err(|error| error.to_string())?;
    ticket.cancel();
    // The answer may have been faster than the cancellation; nothing else is allowed.
    match finish(ticket) {
        Err(Error::Cancelled) => {}
        Ok(response) => expect(&response, &[case.verdict])?,
        Err(error) => return Err(error.to_string()),
    }
    expect(&ask(device, case.request())?, &[case.verdict])
}

fn refuses_the_unknown(device: &dyn Device) -> Result<(), String> {
    let sets = [(200, 9), (144, 5), (48, 5), (96, 5), (96, 3), (192, 7), (32, 3)];
    for params in sets.into_iter().filter_map(|(n, k)| Params::new(n, k).ok()) {
        if device.caps().offers(&Capability::EquihashVerify(params)) {
            continue;
        }
        let request = Equihash::new(params, Network::None, vec![0; params.header_bytes()]);
        match device.submit(Request::EquihashVerify(request)) {
            Err(Error::Unsupported { .. }) => {}
            Err(error) => {
                return Err(format!("({params}): {error}, where Unsupported was expected"));
            }
            Ok(_) => {
                return Err(format!("({params}) is not among its capabilities, and was taken"));
            }
        }
    }
    Ok(())
}

fn ask(device: &dyn Device, request: Equihash) -> Result<Response, String> {
    device
        .submit(Request::EquihashVerify(request))
        .and_then(finish)
        .map_err(|error| error.to_string())
}

fn finish(ticket: Ticket) -> Answered {
    match ticket.wait()? {
        Answer::EquihashVerify(response) => Ok(response),
        other => Err(Error::argument("answer", format!("to another question: {other:?}"))),
    }
}

fn refused(result: Result<Ticket, Error>, name: &str) -> Result<(), String> {
    match result {
        Err(Error::Argument { argument, .. }) if argument == name => Ok(()),
        Err(error) => Err(format!("{error}, where an error about '{name}' was expected")),
        Ok(_) => Err("it was taken".into()),
    }
}

fn expect(response: &Response, verdicts: &[Verdict]) -> Result<(), String> {
    let found = &response.verdicts;
    if found.len() != verdicts.len() {
        return Err(format!("{} verdicts for {} headers", found.len(), verdicts.len()));
    }
    match found.iter().zip(verdicts).position(|(found, wanted)| found != wanted) {
        None => Ok(()),
        Some(at) => {
            Err(format!("header {at}: {}, where the vector says {}", found[at], verdicts[at]))
        }
    }
}

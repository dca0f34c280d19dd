//! The query of a request for a job.

use std::time::Duration;

use crate::queue::Priority;

/// The longest deadline: a day.
const MAX_DEADLINE: Duration = Duration::from_secs(86_400);

/// The options of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobOptions {
    /// `priority=low|normal|high`
    pub priority: Priority,
    /// `deadline_ms=N`, counted from acceptance.
    pub deadline: Option<Duration>,
    /// `wait=false`: the result is fetched later.
    pub wait: bool,
}

impl JobOptions {
    /// Parses a query string. An error names the option, and never contains the client's text.
    pub fn parse(query: &str) -> Result<Self, String> {
        let (mut priority, mut deadline, mut wait) = (None, None, None);
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            let is_first = match &*name {
                "priority" => {
                    let named = Priority::ALL.into_iter().find(|it| it.name() == value);
                    priority
                        .replace(named.ok_or("priority: must be low, normal or high")?)
                        .is_none()
                }
                "deadline_ms" => deadline.replace(parse_deadline(&value)?).is_none(),
                "wait" => {
                    let value = value.parse().map_err(|_| "wait: must be true or false")?;
                    wait.replace(value).is_none()
                }
                _ => return Err("unknown option: use priority, deadline_ms and wait".into()),
            };
            if !is_first {
                return Err(format!("{name}: given twice"));
            }
        }
        Ok(Self { priority: priority.unwrap_or_default(), deadline, wait: wait.unwrap_or(true) })
    }
}

fn parse_deadline(value: &str) -> Result<Duration, String> {
    let deadline = value.parse().ok().map(Duration::from_millis);
    let is_valid = |it: &Duration| (Duration::from_millis(1)..=MAX_DEADLINE).contains(it);
    deadline.filter(is_valid).ok_or_else(|| {
        format!("deadline_ms: must be a number from 1 to {}", MAX_DEADLINE.as_millis())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_parsed_or_named() {
        let options = JobOptions::parse("priority=high&deadline_ms=1500&wait=f%61lse").unwrap();
        let deadline = Some(Duration::from_millis(1500));
        assert_eq!(options, JobOptions { priority: Priority::High, deadline, wait: false });
        let options = JobOptions::parse("").unwrap();
        assert_eq!(options, JobOptions { priority: Priority::Normal, deadline: None, wait: true });
        for (wrong, name) in [
            ("priority=urgent", "priority: must"),
            ("deadline_ms=0", "deadline_ms: must"),
            ("deadline_ms=-1", "deadline_ms: must"),
            ("deadline_ms=99999999999999999999", "deadline_ms: must"),
            ("wait", "wait: must"),
            ("secret=1", "unknown option"),
            ("wait=true&wait=false", "wait: given twice"),
        ] {
            let error = JobOptions::parse(wrong).unwrap_err();
            assert!(error.starts_with(name) && !error.contains("secret"), "{error}");
        }
    }
}

//! What stands after the `?` of a request for work.

use std::time::Duration;

use crate::turns::Priority;

/// The longest deadline: a day.
const LONGEST: Duration = Duration::from_secs(86_400);

/// How a job is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Query {
    /// `priority=low|normal|high`
    pub priority: Priority,
    /// `deadline_ms=N`: from now.
    pub deadline: Option<Duration>,
    /// `wait=false`: the answer is fetched later.
    pub wait: bool,
}

impl Query {
    /// An error names the option.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut query = Self { priority: Priority::default(), deadline: None, wait: true };
        for option in text.split('&').filter(|option| !option.is_empty()) {
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            match name {
                "priority" => {
                    let named = Priority::ALL.into_iter().find(|it| it.name() == value);
                    query.priority = named.ok_or("priority: low, normal or high")?;
                }
                "deadline_ms" => {
                    let given = value.parse().ok().map(Duration::from_millis);
                    let given =
                        given.filter(|it| (Duration::from_millis(1)..=LONGEST).contains(it));
                    let most = LONGEST.as_millis();
                    query.deadline =
                        Some(given.ok_or(format!("deadline_ms: a number from 1 to {most}"))?);
                }
                "wait" => query.wait = value.parse().map_err(|_| "wait: true or false")?,
                _ => return Err("there are the options priority, deadline_ms and wait".into()),
            }
        }
        Ok(query)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_or_named() {
        let query = Query::parse("priority=high&deadline_ms=1500&wait=false").unwrap();
        let deadline = Some(Duration::from_millis(1500));
        assert_eq!(query, Query { priority: Priority::High, deadline, wait: false });
        let query = Query::parse("").unwrap();
        assert_eq!(query, Query { priority: Priority::Normal, deadline: None, wait: true });
        for (wrong, name) in [
            ("priority=urgent", "priority"),
            ("deadline_ms=0", "deadline_ms"),
            ("deadline_ms=-1", "deadline_ms"),
            ("deadline_ms=99999999999999999999", "deadline_ms"),
            ("wait", "wait"),
            ("secret=1", "options"),
        ] {
            let error = Query::parse(wrong).unwrap_err();
            assert!(error.contains(name) && !error.contains("secret"), "{error}");
        }
    }
}

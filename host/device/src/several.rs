//! The devices that a list names, such as `pcie:0,1` or `cuda:0,1`.

use proofmill_op::{Device, Error, Result};
use proofmill_pool::Pool;

use crate::{Confirmation, Uri};

/// Returns the URI of each device that a path names, in a list joined by commas. `what` is the noun for one of them; `repeats` is true for a name that may be in
/// the list more than once.
pub fn each(uri: &Uri, what: &str, repeats: impl Fn(&str) -> bool) -> Result<Vec<Uri>> {
    let names: Vec<_> = uri.path().split(',').collect();
    let wrong = |problem: String| Error::argument("device", format!("'{uri}': {problem}"));
    if names.len() > 1 && names.iter().any(|name| name.is_empty()) {
        let form = format!("a list is of the form {}:0,1", uri.scheme());
        return Err(wrong(format!("a {what} has no name; {form}")));
    }
    let again = |(at, name): &(usize, &&str)| names[..*at].contains(*name) && !repeats(name);
    match names.iter().enumerate().find(again) {
        Some((_, name)) => Err(wrong(format!("{what} {name} is named twice"))),
        None => Ok(names.iter().map(|name| uri.clone().with_path(name)).collect()),
    }
}

/// Opens the device, or the devices as one under this URI.
pub fn open(
    uri: &Uri,
    each: &[Uri],
    open_one: impl Fn(&Uri) -> Result<Box<dyn Device>>,
) -> Result<Box<dyn Device>> {
    let confirmation = Confirmation::of(uri)?;
    let open_one = |uri: &Uri| confirmation.wrap(open_one(uri)?);
    if let [one] = each {
        return open_one(one);
    }
    let members = each.iter().map(open_one).collect::<Result<_>>()?;
    Ok(Box::new(Pool::new(uri.to_string(), members)?))
}

/// Parses a path that is a number. `what` is the plural noun for the devices.
pub fn number(uri: &Uri, what: &str) -> Result<u32> {
    let (scheme, path) = (uri.scheme(), uri.path());
    path.parse().ok().filter(|_| path.bytes().all(|it| it.is_ascii_digit())).ok_or_else(|| {
        let such = format!("such as {scheme}:0 or {scheme}:0,1");
        let problem = format!("'{uri}': {scheme}: needs the numbers of {what}, {such}");
        Error::argument("device", problem)
    })
}

/// Returns URI and description of devices by their numbers, and of all of them as one device. `what` is the plural noun for them.
pub fn numbered(scheme: &str, what: &str, found: Vec<(u32, String)>) -> Vec<(String, String)> {
    let all: Vec<_> = found.iter().map(|(number, _)| number.to_string()).collect();
    let all = (all.len() > 1).then(|| {
        (format!("{scheme}:{}", all.join(",")), format!("these {} {what} as one device", all.len()))
    });
    let found = found.into_iter().map(|(number, about)| (format!("{scheme}:{number}"), about));
    found.chain(all).collect()
}

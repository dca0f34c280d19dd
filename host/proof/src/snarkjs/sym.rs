//! `.sym`: the names of a circuit's signals, as circom writes them.
//!
//! A line is `label,variable,component,name`. The variable is -1 if the compiler removed the signal. Several signals may have
//! one variable; the first name is kept, which is the outermost in circom's order.

use std::path::Path;

use proofmill_op::Bytes;

use super::R1cs;
use super::source::Source;
use crate::{FileError, Result};

/// Names of variables; clones share the file's bytes.
#[derive(Clone, Debug)]
pub struct Symbols {
    source: Source,
    /// The offset of the name of each variable, which lasts to the end of its line; 0 if it has none.
    starts: Vec<usize>,
}

impl Symbols {
    /// Maps the file of a constraint system. It must not be shortened while it is used: the system would end the process. If its content
    /// changes, names are other ones or missing.
    pub fn open(path: impl AsRef<Path>, system: &R1cs) -> Result<Self> {
        Self::read(Source::open(path.as_ref())?, system)
    }

    /// Reads bytes in memory, under a name for errors.
    pub fn from_bytes(
        name: impl Into<String>,
        bytes: impl Into<Bytes>,
        system: &R1cs,
    ) -> Result<Self> {
        Self::read(Source::new(name, bytes.into()), system)
    }

    fn read(source: Source, system: &R1cs) -> Result<Self> {
        let mut starts = vec![0; system.variables()];
        let (mut start, mut copy) = (0, Vec::new());
        let lines = source.bytes().split_inclusive(|&byte| byte == b'\n');
        for (number, line) in (1..).zip(lines) {
            let wrong =
                |problem: String| source.wrong(format_args!("line {number}"), start, problem);
            copy.clear();
            copy.extend_from_slice(line);
            if let Some((variable, name)) = parse(copy.trim_ascii_end(), system, wrong)? {
                let known = &mut starts[variable];
                if *known == 0 {
                    *known = start + copy.trim_ascii_end().len() - name.len();
                }
            }
            start += line.len();
        }
        Ok(Self { source, starts })
    }

    /// Returns the name of a variable, if it has one.
    pub fn name(&self, variable: u32) -> Option<String> {
        let start = *self.starts.get(variable as usize)?;
        if start > 0 { name_at(&self.source, start) } else { None }
    }
}

/// Returns the name that starts at this offset, to the end of its line; `None` if the file changed to one that is not printable.
fn name_at(source: &Source, start: usize) -> Option<String> {
    let bytes = &source.bytes()[start..];
    let end = bytes.iter().position(|&byte| byte == b'\n').unwrap_or(bytes.len());
    let line = bytes[..end].to_vec();
    let name = std::str::from_utf8(line.trim_ascii_end()).ok().filter(|name| is_printable(name));
    name.map(str::to_owned)
}

fn is_printable(text: &str) -> bool {
    !text.chars().any(char::is_control)
}

/// Reads a line: a variable and its name. Returns `None` for a signal without a variable, and for an empty line.
fn parse<'a>(
    line: &'a [u8],
    system: &R1cs,
    wrong: impl Fn(String) -> FileError,
) -> Result<Option<(usize, &'a str)>> {
    if line.is_empty() {
        return Ok(None);
    }
    let line = std::str::from_utf8(line).ok();
    let line = line.filter(|line| is_printable(line));
    let line = line.ok_or_else(|| wrong("not printable UTF-8".into()))?;
    let mut fields = line.splitn(4, ',');
    let [label, variable, component, name] = [(); 4].map(|()| fields.next().unwrap_or(""));
    let is_whole = label.parse::<u64>().is_ok() && component.parse::<i64>().is_ok();
    let variable = variable.parse::<i64>().ok().filter(|&it| it >= -1);
    let (true, Some(variable), false) = (is_whole, variable, name.is_empty()) else {
        return Err(wrong("not label,variable,component,name".into()).into());
    };
    let Ok(variable) = usize::try_from(variable) else { return Ok(None) };
    if variable >= system.variables() {
        let problem =
            format!("variable {variable}, where {} has {}", system.name(), system.variables());
        return Err(wrong(problem).into());
    }
    Ok(Some((variable, name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snarkjs::r1cs::tests::small;

    fn read(text: &str) -> Result<Symbols> {
        let system = R1cs::from_bytes("small", small()).unwrap();
        Symbols::from_bytes("names", text.as_bytes().to_vec(), &system)
    }

    #[test]
    fn of_several_names_the_first_is_kept() {
        let names = "1,1,1,main.out\n2,2,1,main.x\r\n3,2,0,main.sub.in\n4,2,0,main.sub.out\n5,-1,0,main.gone\n6,2,1,main.y";
        let names = read(names).unwrap();
        assert_eq!(names.name(1).as_deref(), Some("main.out"));
        assert_eq!(names.name(2).as_deref(), Some("main.x"));
        assert_eq!([0, 3, 99].map(|it| names.name(it)), [None, None, None]);
        assert_eq!(read("").unwrap().name(1), None);
    }

    #[test]
    fn a_bad_line_is_named() {
        let refuses = |text: &str, parts: &[&str]| {
            let error = read(text).unwrap_err().to_string();
            parts.iter().for_each(|part| assert!(error.contains(part), "{part}: {error}"));
        };
        let form = "not label,variable,component,name";
        let good = "1,1,1,main.out\n";
        for bad in ["x", "1,2,3", "1,2,3,", "a,2,3,b", "1,-2,3,b", "1,x,3,b", "1,2,,b"] {
            refuses(&format!("{good}{bad}\n"), &["names: line 2, byte 15: ", form]);
        }
        refuses(&format!("{good}2,4,1,x"), &["line 2, byte 15", "variable 4, where small has 4"]);
        refuses("1,1,1,a\u{1b}[2J", &["line 1, byte 0: not printable UTF-8"]);
    }
}

//! Our own code, built in several profiles or run on several code paths, side by side: programs of this bench that take turns.

use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use proofmill_algebra::{ISA_VARIABLE, Isa};
use serde_json::{Map, Value, json};

use crate::peers::program::Program;
use crate::place::Place;
use crate::report;
use crate::software::{TASKS, Task, task};
use crate::timing::{Contestant, Pick, interleaved};

/// Rounds of every task.
const ROUNDS: usize = 15;

/// One of those that are compared.
struct Side {
    name: String,
    program: Program,
}

/// Compares builds in these profiles.
pub fn profiles(profiles: &[String]) -> Result<()> {
    let sides = profiles.iter().map(|profile| {
        let program = build(profile)?;
        Ok(Side { name: profile.clone(), program: start(Command::new(program))? })
    });
    compare("profiles", sides.collect::<Result<_>>()?)
}

/// Compares all code paths that this processor has, as this program has them.
pub fn paths() -> Result<()> {
    let sides = Isa::present().into_iter().map(|level| {
        let mut command = Command::new(std::env::current_exe()?);
        command.env(ISA_VARIABLE, level.name());
        Ok(Side { name: level.name().into(), program: start(command)? })
    });
    compare("paths", sides.collect::<Result<_>>()?)
}

/// A program's side: answers each line with the seconds of the task that it names, until there is none.
pub fn serve(lines: impl BufRead, mut answers: impl Write) -> Result<()> {
    let mut tasks: HashMap<String, Task> = HashMap::new();
    for line in lines.lines() {
        let name: String = serde_json::from_str(&line?)?;
        if !tasks.contains_key(&name) {
            tasks.insert(name.clone(), task(&name)?);
        }
        let seconds = tasks.get_mut(&name).context("the task was made")?.seconds()?;
        writeln!(answers, "{seconds:e}")?;
        answers.flush()?;
    }
    Ok(())
}

fn start(mut command: Command) -> Result<Program> {
    Program::start(command.arg("serve"))
}

/// This bench in a profile; gives the program's path.
fn build(profile: &str) -> Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .args(["build", "--quiet", "--package", "proofmill-bench", "--profile", profile])
        .args(["--target-dir".as_ref(), report::checkout().join("target").as_os_str()])
        .current_dir(report::checkout())
        .status()
        .context("cannot start cargo")?;
    ensure!(built.success(), "profile: cargo cannot build the bench in '{profile}'");
    Ok(report::checkout().join("target").join(profile).join("proofmill-bench"))
}

/// A row a task: milliseconds of each side, and how many times faster than the first one the others are.
fn compare(name: &str, mut sides: Vec<Side>) -> Result<()> {
    let mut rows = Vec::new();
    for task in TASKS {
        let mut turns: Vec<_> =
            sides.iter_mut().map(|side| || side.program.seconds(&task).context(task)).collect();
        let mut contestants: Vec<&mut dyn Contestant> = Vec::new();
        for turn in &mut turns {
            contestants.push(turn);
        }
        let seconds = interleaved(ROUNDS, Pick::Median, &mut contestants)?;
        drop(turns);
        let names = || sides.iter().map(|side| &side.name);
        let mut row = Map::from_iter([("task".to_string(), json!(task))]);
        row.extend(names().zip(&seconds).map(|(name, s)| (format!("{name}, ms"), json!(s * 1e3))));
        let ratios = names().zip(&seconds).skip(1);
        row.extend(ratios.map(|(name, s)| (format!("{name}, times"), json!(seconds[0] / s))));
        rows.push(Value::Object(row));
    }
    print!("{}\n{}", Place::here()?.line(), report::table(&rows)?);
    println!("written to {}", report::write(&format!("ours/{name}"), &rows)?.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_is_answered_with_seconds() {
        let lines: String = TASKS.iter().map(|task| format!("{}\n", json!(task))).collect();
        let mut answers = Vec::new();
        serve(lines.as_bytes(), &mut answers).unwrap();
        let answers = String::from_utf8(answers).unwrap();
        let seconds = answers.lines().map(|line| line.parse::<f64>().unwrap());
        assert_eq!(seconds.filter(|&seconds| seconds > 0.0).count(), TASKS.len());
        assert!(serve(&b"\"nothing\"\n"[..], Vec::new()).is_err());
    }
}

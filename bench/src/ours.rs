//! Comparisons of our own code, built in several profiles or run on several code paths: programs of this bench that run alternately.

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
use crate::row::SoftwareRow;
use crate::software::{self, TASKS, Task, task};
use crate::timing::{Contestant, Pick, interleaved};

/// Rounds of every task, and of those for the plot, which take up to seconds.
const ROUNDS: usize = 15;
const ROUNDS_OF_PLOT: usize = 3;

/// MSMs whose rate is plotted against the size for each path: groups, and logarithms of the sizes.
const PLOT: ([&str; 2], [u32; 5]) = (["bn254_g1", "bls12_381_g1"], [10, 12, 14, 16, 18]);

/// A compared program.
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
    let mut sides: Vec<_> = sides.collect::<Result<_>>()?;
    let mut rows = Vec::new();
    for task in TASKS {
        let seconds = seconds(&mut sides, task, ROUNDS)?;
        let names = || sides.iter().map(|side| &side.name);
        let mut row = Map::from_iter([("task".to_string(), json!(task))]);
        row.extend(names().zip(&seconds).map(|(name, s)| (format!("{name}, ms"), json!(s * 1e3))));
        let ratios = names().zip(&seconds).skip(1);
        row.extend(ratios.map(|(name, s)| (format!("{name}, times"), json!(seconds[0] / s))));
        rows.push(Value::Object(row));
    }
    print!("{}\n{}", Place::current()?.line(), report::table(&rows)?);
    println!("written to {}", report::write("ours/profiles", &rows)?.display());
    Ok(())
}

/// Compares all code paths of this processor in this program: the best one as ours, the others as its peers.
pub fn paths() -> Result<()> {
    let sides = Isa::present().into_iter().map(|level| {
        let mut command = Command::new(std::env::current_exe()?);
        command.env(ISA_VARIABLE, level.name());
        Ok(Side { name: level.name().into(), program: start(command)? })
    });
    let mut sides: Vec<_> = sides.collect::<Result<_>>()?;
    let (groups, sizes) = PLOT;
    let drawn = groups.into_iter().flat_map(|group| {
        sizes.map(|size| (format!("msm {group}, 2^{size} points (plot)"), ROUNDS_OF_PLOT))
    });
    let tasks = TASKS.into_iter().map(|task| (task.to_owned(), ROUNDS));
    let mut rows = Vec::new();
    for (task, rounds) in tasks.chain(drawn) {
        let seconds = seconds(&mut sides, &task, rounds)?;
        let (best, others) = seconds.split_last().context("there is a path at least")?;
        for (side, other) in sides.iter().zip(others) {
            rows.push(row(&task, *best, &side.name, *other)?);
        }
    }
    software::write("paths", &rows)
}

/// Returns the row of a task on the best path and another one.
fn row(task: &str, best: f64, name: &str, other: f64) -> Result<SoftwareRow> {
    let (subject, metric) = task.split_once(", ").context("a task without a metric")?;
    let (op, instance) = subject.split_once(' ').context("a task has an instance")?;
    Ok(SoftwareRow {
        op: op.into(),
        instance: instance.into(),
        metric: metric.into(),
        unit: "ms".into(),
        threads: 1,
        ours: best * 1e3,
        peer_name: name.into(),
        peer: other * 1e3,
        ratio: other / best,
        absent: None,
    })
}

/// Serves one side: answers each line with the seconds of the task with this name.
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

/// Builds this bench in a profile and returns the program's path.
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

/// Measures the seconds of a task on all sides alternately.
fn seconds(sides: &mut [Side], task: &str, rounds: usize) -> Result<Vec<f64>> {
    let mut turns: Vec<_> = sides
        .iter_mut()
        .map(|side| || side.program.seconds(&task).with_context(|| task.to_owned()))
        .collect();
    let mut contestants: Vec<&mut dyn Contestant> = Vec::new();
    for turn in &mut turns {
        contestants.push(turn);
    }
    interleaved(rounds, Pick::Median, &mut contestants)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_rows() {
        for task in TASKS {
            let row = row(task, 0.5, "avx2", 1.0).unwrap();
            assert_eq!(format!("{} {}, {}", row.op, row.instance, row.metric), task);
            assert_eq!((row.ours, row.peer, row.ratio), (500.0, 1000.0, 2.0));
        }
        assert!(row("nothing", 1.0, "avx2", 1.0).is_err());
    }

    #[test]
    fn every_task_is_answered_with_seconds() {
        let lines: String = TASKS.iter().map(|task| format!("{}\n", json!(task))).collect();
        let mut answers = Vec::new();
        serve(lines.as_bytes(), &mut answers).unwrap();
        let answers = String::from_utf8(answers).unwrap();
        let seconds = answers.lines().map(|line| line.parse::<f64>().unwrap());
        assert_eq!(seconds.filter(|&seconds| seconds > 0.0).count(), TASKS.len());
        for wrong in
            ["nothing", "msm bn254_g1", "msm bn254_g2, 2^4 points", "msm bn254_g1, 2^x points"]
        {
            let line = json!(wrong).to_string() + "\n";
            assert!(serve(line.as_bytes(), Vec::new()).is_err(), "{wrong}");
        }
    }
}

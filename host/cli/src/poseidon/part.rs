//! A tree that may be interrupted: its rows and its last checkpoint, under names of their own until it is whole.

use std::fs::{self, File};
use std::io::{self, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, ensure};
use proofmill::poseidon::tree::{Build, Checkpoint, Node};
use proofmill::{Device, json_error};

use crate::new_file::NewFile;

/// More than any checkpoint has.
const MOST_CHECKPOINT_BYTES: u64 = 1 << 20;

/// The paths of the rows and of the checkpoint.
pub struct Part {
    pub rows: PathBuf,
    pub checkpoint: PathBuf,
}

impl Part {
    /// Returns the paths for the tree with this name.
    pub fn of(tree: &Path) -> Self {
        let with = |ending: &str| {
            let mut name = tree.as_os_str().to_owned();
            name.push(ending);
            PathBuf::from(name)
        };
        Self { rows: with(".part"), checkpoint: with(".part.json") }
    }

    /// Builds the tree, or resumes from the last checkpoint, and renames it.
    pub fn build(
        &self,
        plan: &Build,
        device: &dyn Device,
        from: &mut File,
        tree: &Path,
    ) -> anyhow::Result<Node> {
        let place = || format!("--resume: {}", self.rows.display());
        let known = self.known(from).with_context(|| self.advice())?;
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(known.is_none());
        // The name is predictable: in a shared folder another user may have made a link to a file of the caller.
        #[cfg(target_os = "linux")]
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NOFOLLOW);
        let mut rows = options.open(&self.rows).with_context(place)?;
        let keep = |checkpoint| self.keep(&checkpoint).map_err(|source| self.failed(source));
        let root = plan.resume(device, from, &mut rows, known.as_ref(), keep);
        let root = if known.is_some() { root.with_context(|| self.advice())? } else { root? };
        fs::rename(&self.rows, tree).with_context(|| format!("TREE: {}", tree.display()))?;
        let _ = fs::remove_file(&self.checkpoint);
        Ok(root)
    }

    /// The last checkpoint, if there is one with rows.
    fn known(&self, from: &File) -> anyhow::Result<Option<Checkpoint>> {
        let file = match File::open(&self.checkpoint) {
            Err(problem) if problem.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        if !self.rows.exists() {
            return Ok(None);
        }
        // What was not read before the interruption has no sum.
        let is_older = from.metadata()?.modified()? <= file.metadata()?.modified()?;
        ensure!(is_older, "FROM was changed since");
        serde_json::from_reader(BufReader::new(file.take(MOST_CHECKPOINT_BYTES)))
            .map(Some)
            .map_err(|error| anyhow!("JSON: {}", json_error::problem(&error)))
    }

    /// Whole, or the one before.
    fn keep(&self, checkpoint: &Checkpoint) -> io::Result<()> {
        let mut new = NewFile::create(&self.checkpoint)?;
        new.write_all(&serde_json::to_vec(checkpoint)?)?;
        new.finish()
    }

    fn failed(&self, source: io::Error) -> proofmill::Error {
        let context = self.checkpoint.display().to_string();
        proofmill::Error::Io { context, source: source.into() }
    }

    fn advice(&self) -> String {
        format!("--resume: {} (without it, the tree begins anew)", self.checkpoint.display())
    }
}

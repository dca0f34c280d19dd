//! Files that are there whole or not at all: written under another name in the same folder and renamed at the end.

use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once, PoisonError};

use anyhow::{Context as _, bail};

/// What has to go when the command is interrupted.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
/// How the shell reports a program that SIGINT ended.
const INTERRUPTED: i32 = 128 + 2;

/// A file that is being written. What was there under its name stays until [`NewFile::finish`]; dropped before, it
/// leaves nothing behind.
pub struct NewFile {
    writer: BufWriter<File>,
    /// The name during writing; `None` for what is not a file, such as /dev/null, which is written as it is.
    scratch: Option<PathBuf>,
    target: PathBuf,
}

impl NewFile {
    /// Begins.
    pub fn create(target: &Path) -> io::Result<Self> {
        // Where a link stands, it stays, and what it leads to is replaced.
        let target = fs::canonicalize(target).unwrap_or_else(|_| target.to_owned());
        let special = fs::metadata(&target).is_ok_and(|it| !it.is_file() && !it.is_dir());
        if special {
            let writer = BufWriter::new(File::options().write(true).open(&target)?);
            return Ok(Self { writer, scratch: None, target });
        }
        let name = target.file_name().filter(|_| !target.is_dir());
        let name = name.ok_or(io::ErrorKind::IsADirectory)?.to_string_lossy();
        let scratch = target.with_file_name(format!(".{name}.{}.part", std::process::id()));
        let writer = BufWriter::with_capacity(1 << 20, begin(&scratch)?);
        Ok(Self { writer, scratch: Some(scratch), target })
    }

    /// Gives the file its name.
    pub fn finish(mut self) -> io::Result<()> {
        self.writer.flush()?;
        let Some(scratch) = &self.scratch else { return Ok(()) };
        fs::rename(scratch, &self.target)?;
        forget(scratch);
        self.scratch = None;
        Ok(())
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

impl Seek for NewFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.writer.seek(to)
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if let Some(scratch) = &self.scratch {
            let _ = fs::remove_file(scratch);
            forget(scratch);
        }
    }
}

/// Makes a file that is removed when the command is interrupted.
fn begin(scratch: &Path) -> io::Result<File> {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Without a handler an interrupted command leaves the file; that is no reason not to work.
        let _ = ctrlc::set_handler(|| {
            let unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
            unfinished.iter().for_each(|file| drop(fs::remove_file(file)));
            std::process::exit(INTERRUPTED);
        });
    });
    let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    let file = File::create_new(scratch)?;
    unfinished.push(scratch.to_owned());
    Ok(file)
}

fn forget(scratch: &Path) {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).retain(|file| file != scratch);
}

/// Writes files, all of them or, as far as that can be known before, none: `(argument, file, content)` each.
pub fn write_all(files: &[(&str, &Path, &[u8])]) -> anyhow::Result<()> {
    let place = |argument: &str, file: &Path| format!("{argument}: {}", file.display());
    let mut written = Vec::new();
    for (argument, file, content) in files {
        let write = || {
            let mut new = NewFile::create(file)?;
            new.write_all(content)?;
            new.flush()?;
            Ok::<_, io::Error>(new)
        };
        written.push(write().with_context(|| place(argument, file))?);
    }
    for (new, (argument, file, _)) in written.into_iter().zip(files) {
        new.finish().with_context(|| place(argument, file))?;
    }
    Ok(())
}

/// Refuses an output that is one of the inputs, or another output: `(argument, file)` each.
pub fn keep_apart(outputs: &[(&str, &PathBuf)], inputs: &[(&str, &PathBuf)]) -> anyhow::Result<()> {
    for (number, (argument, output)) in outputs.iter().enumerate() {
        let others = inputs.iter().chain(&outputs[..number]);
        for (other, file) in others {
            if is_same(output, file) {
                bail!("{argument}: {} is {other} too", output.display());
            }
        }
    }
    Ok(())
}

/// Do two names lead to one file, or would they?
fn is_same(a: &Path, b: &Path) -> bool {
    let place = |path: &Path| {
        fs::canonicalize(path).ok().or_else(|| {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            let folder = fs::canonicalize(folder.unwrap_or(Path::new("."))).ok()?;
            Some(folder.join(path.file_name()?))
        })
    };
    match (place(a), place(b)) {
        (Some(a), Some(b)) => a == b && !a.starts_with("/dev"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_there_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "old").unwrap();
        let begun = |content: &str| {
            let mut new = NewFile::create(&path).unwrap();
            new.write_all(content.as_bytes()).unwrap();
            new.flush().unwrap();
            assert_eq!(fs::read(&path).unwrap(), b"old");
            new
        };
        drop(begun("given up"));
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        begun("new").finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    }

    #[test]
    fn one_that_cannot_be_made_leaves_the_others_unmade() {
        let folder = tempfile::tempdir().unwrap();
        let (good, bad) = (folder.path().join("good"), folder.path().join("no folder/bad"));
        let problem = write_all(&[("--one", &good, b"1"), ("--two", &bad, b"2")]).unwrap_err();
        assert!(problem.to_string().starts_with("--two: "), "{problem}");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn links_and_devices_stay() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write_all(&[("--one", &link, b"new"), ("--two", Path::new("/dev/null"), b"2")]).unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        assert!(is_same(&file, &link) && !is_same(&file, &folder.path().join("other")));
        let twice = keep_apart(&[("-o", &link)], &[("ZKEY", &file)]).unwrap_err();
        assert!(twice.to_string().ends_with("link is ZKEY too"), "{twice}");
    }
}

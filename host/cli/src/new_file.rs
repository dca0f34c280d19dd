//! Files that are there whole or not at all: written under another name in the same folder and renamed at the end.

use std::fs::{self, File};
use std::io::{self, BufWriter, IntoInnerError, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once, PoisonError};

use anyhow::{Context as _, bail};
use tempfile::NamedTempFile;

use crate::source::is_stdin;

/// Temporary files to remove when the command is interrupted.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
/// The exit code with which a shell reports a program that SIGINT ended.
const INTERRUPTED: i32 = 128 + 2;
/// Names of standard output.
const STDOUT: [&str; 4] = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];

/// A file that is being written. An existing file of its name is replaced by [`NewFile::finish`]; a drop before that removes the new one.
pub struct NewFile(BufWriter<Content>);

enum Content {
    /// Written under a temporary name in the folder of `target`. The file is dropped before its registration.
    File { file: NamedTempFile, target: PathBuf, _registered: Registered },
    /// A pipe or a device such as /dev/null, which is never replaced.
    Stream(File),
}

impl NewFile {
    /// Begins.
    pub fn create(target: &Path) -> io::Result<Self> {
        // A link is kept, and the file that it leads to is replaced.
        let target = fs::canonicalize(target).unwrap_or_else(|_| target.to_owned());
        if is_special(&target) {
            let stream = File::options().write(true).open(&target)?;
            return Ok(Self(BufWriter::new(Content::Stream(stream))));
        }
        let name = target.file_name().filter(|_| !target.is_dir());
        let name = name.ok_or(io::ErrorKind::IsADirectory)?.to_string_lossy();
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
        let (file, registered) = begin(folder.unwrap_or(Path::new(".")), &name)?;
        let content = Content::File { file, target, _registered: registered };
        Ok(Self(BufWriter::with_capacity(1 << 20, content)))
    }

    /// Gives the file its name.
    pub fn finish(self) -> io::Result<()> {
        match self.0.into_inner().map_err(IntoInnerError::into_error)? {
            Content::File { file, target, _registered } => {
                file.persist(target).map(drop).map_err(|failed| failed.error)
            }
            Content::Stream(_) => Ok(()),
        }
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Seek for NewFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

impl Content {
    fn file(&mut self) -> &mut File {
        match self {
            Self::File { file, .. } => file.as_file_mut(),
            Self::Stream(stream) => stream,
        }
    }
}

impl Write for Content {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file().flush()
    }
}

impl Seek for Content {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file().seek(to)
    }
}

/// A temporary file that is removed when the command is interrupted.
struct Registered(PathBuf);

impl Drop for Registered {
    fn drop(&mut self) {
        let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
        unfinished.retain(|file| *file != self.0);
    }
}

/// Creates a temporary file in `folder` with the permissions of an ordinary file, and registers it.
fn begin(folder: &Path, name: &str) -> io::Result<(NamedTempFile, Registered)> {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Without a handler an interrupted command leaves the file; that is no reason not to work.
        let _ = ctrlc::set_handler(|| {
            let unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
            unfinished.iter().for_each(|file| drop(fs::remove_file(file)));
            std::process::exit(INTERRUPTED);
        });
    });
    let prefix = format!(".{name}.");
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(".part");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666)); // less the umask
    let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    let file = builder.tempfile_in(folder)?;
    let path = file.path().to_owned();
    unfinished.push(path.clone());
    Ok((file, Registered(path)))
}

/// Returns whether this name is that of standard output.
pub fn is_stdout(file: &Path) -> bool {
    STDOUT.iter().any(|name| file == Path::new(name))
}

/// Returns whether this is a pipe or a device.
fn is_special(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|it| !it.is_file() && !it.is_dir())
}

/// Writes files, all of them or, as far as that can be known before, none: `(argument, file, content)` each. `-` is standard output. Streams are
/// written one after the other and closed at once, since a reader may open the second at the end of the first.
pub fn write_all(files: &[(&str, &Path, &[u8])]) -> anyhow::Result<()> {
    let place = |argument: &str, file: &Path| format!("{argument}: {}", file.display());
    let (streams, files): (Vec<_>, Vec<_>) =
        files.iter().partition(|(_, file, _)| is_stdout(file) || is_special(file));
    let mut written = Vec::new();
    for (argument, file, content) in &files {
        let write = || {
            let mut new = NewFile::create(file)?;
            new.write_all(content)?;
            new.flush()?;
            Ok::<_, io::Error>(new)
        };
        written.push(write().with_context(|| place(argument, file))?);
    }
    for (argument, file, content) in streams {
        let write = || {
            if is_stdout(file) {
                let mut stdout = io::stdout().lock();
                stdout.write_all(content)?;
                return stdout.flush();
            }
            let mut new = NewFile::create(file)?;
            new.write_all(content)?;
            new.finish()
        };
        write().with_context(|| place(argument, file))?;
    }
    for (new, (argument, file, _)) in written.into_iter().zip(files) {
        new.finish().with_context(|| place(argument, file))?;
    }
    Ok(())
}

/// Refuses an output that is one of the inputs, or another output: `(argument, file)` each. Standard input and output are two.
pub fn keep_apart(outputs: &[(&str, &PathBuf)], inputs: &[(&str, &PathBuf)]) -> anyhow::Result<()> {
    for (number, (argument, output)) in outputs.iter().enumerate() {
        let others = outputs[..number].iter();
        let clash = match is_stdout(output) {
            true => others.clone().find(|(_, file)| is_stdout(file)),
            false => {
                let others = others.filter(|(_, file)| !is_stdout(file));
                let inputs = inputs.iter().filter(|(_, file)| !is_stdin(file));
                inputs.chain(others).find(|(_, file)| is_same(output, file))
            }
        };
        if let Some((other, _)) = clash {
            bail!("{argument}: {} is {other} too", output.display());
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
    fn a_new_file_has_the_permissions_of_an_ordinary_one() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let [ordinary, new] = ["ordinary", "new"].map(|name| folder.path().join(name));
        fs::write(&ordinary, "1").unwrap();
        write_all(&[("--new", &new, b"1")]).unwrap();
        let mode = |file: &Path| fs::metadata(file).unwrap().permissions().mode();
        assert_eq!(mode(&new), mode(&ordinary));
    }

    #[test]
    fn standard_input_and_output_are_two() {
        let [dash, device, file] = ["-", "/dev/stdout", "file"].map(PathBuf::from);
        keep_apart(&[("-o", &dash)], &[("WTNS", &dash)]).unwrap();
        keep_apart(&[("-o", &file)], &[("WTNS", &dash)]).unwrap();
        let twice = keep_apart(&[("-o", &dash), ("--public", &device)], &[]).unwrap_err();
        assert_eq!(twice.to_string(), "--public: /dev/stdout is -o too");
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

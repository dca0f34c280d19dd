//! Files whose content this process executes: simulation libraries and compiled kernels.
//!
//! Whoever can change such a file, or replace it, runs code with the rights of this process. [`CodeFile::open`] accepts a file if no
//! other user can do either:
//!
//! 1. The file and its folders belong to the caller or to root, and group and others have no right to write.
//! 2. A folder with the sticky bit, such as /tmp, may be writable: others cannot rename what is the caller's in it.
//! 3. The rules end at the first folder above the file that is the caller's and has no rights for others (mode 700). No other user passes
//!    it, so files below it may be writable by the group, which is usual with the umask 002; they still belong to the caller or to root.
//!
//! If the path is a link, the folder that contains it is held to the same rules.
//!
//! There is no time between check and use. The path is walked from the root by descriptors, no link is followed on the way, and the rules
//! are applied to the descriptors; the content is read from the last one, and on Linux the dynamic loader opens it too.
//! Systems other than Unix have no such rights: the file is opened without a check.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// A file whose content only the caller and root can change.
#[derive(Debug)]
pub struct CodeFile {
    file: File,
    path: PathBuf,
}

impl CodeFile {
    /// Opens a file and checks that no other user can change it.
    ///
    /// # Errors
    /// `PermissionDenied` names the file or folder that breaks a rule, and the command that changes it. Other errors are those of the system.
    pub fn open(path: &Path) -> io::Result<Self> {
        if fs::symlink_metadata(path)?.is_symlink() {
            check_folder(parent(path))?;
        }
        let path = fs::canonicalize(path)?;
        let file = walk::open(&path)?;
        if !file.metadata()?.is_file() {
            let problem = format!("{} is not a regular file", path.display());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, problem));
        }
        Ok(Self { file, path })
    }

    /// Returns the opened file.
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Returns its path without links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the content.
    pub fn read(mut self) -> io::Result<Vec<u8>> {
        let mut content = Vec::new();
        self.file.read_to_end(&mut content)?;
        Ok(content)
    }

    /// Returns the name to give to the dynamic loader. On Linux it leads to this file, even if another file has taken its path since.
    ///
    /// The loader returns a library that is loaded already to a second request with the same name, so a name must never lead to another file:
    /// the first descriptor of each file stays open until the process ends.
    pub fn loader_name(self) -> PathBuf {
        walk::loader_name(self)
    }
}

/// Checks that no other user can add or replace files in a folder, by the rules for [`CodeFile::open`].
pub fn check_folder(folder: &Path) -> io::Result<()> {
    walk::check_folder(&fs::canonicalize(folder)?)
}

/// Creates a folder, and those above it that are missing, which no other user can enter (mode 700). An existing folder is not changed.
pub fn create_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

fn parent(path: &Path) -> &Path {
    path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(unix)]
mod walk {
    use std::fs::File;
    use std::io;
    use std::os::fd::OwnedFd;
    use std::os::unix::fs::MetadataExt as _;
    use std::path::{Component, Path, PathBuf};

    use rustix::fs::{Mode, OFlags, open as open_at_root, openat};

    use super::{CodeFile, parent};

    /// Rights of the group and of others, and of them those to write.
    const OTHERS: u32 = 0o077;
    const OTHERS_WRITE: u32 = 0o022;
    const STICKY: u32 = 0o1000;

    /// A descriptor that only leads to what is below a folder. It needs no right to list the folder.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    const PASSED: OFlags = OFlags::PATH.union(OFlags::DIRECTORY);
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    const PASSED: OFlags = OFlags::DIRECTORY;

    /// An entry of a path.
    #[derive(Clone, Debug)]
    pub struct Entry {
        pub path: PathBuf,
        pub owner: u32,
        pub mode: u32,
        pub is_folder: bool,
    }

    /// Opens a file or folder by its canonical path, and applies the rules to every entry on the way.
    pub fn open(path: &Path) -> io::Result<File> {
        let flags = OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut at = PathBuf::from("/");
        let mut file: File = open_at_root(&at, PASSED | flags, Mode::empty())?.into();
        let mut entries = vec![entry(&at, &file)?];
        let mut names = path
            .components()
            .filter_map(|part| match part {
                Component::Normal(name) => Some(name),
                _ => None,
            })
            .peekable();
        while let Some(name) = names.next() {
            at.push(name);
            // A pipe without a writer would block.
            let kind = if names.peek().is_some() { PASSED } else { OFlags::NONBLOCK };
            let opened: OwnedFd = openat(&file, name, kind | flags, Mode::empty())?;
            file = opened.into();
            entries.push(entry(&at, &file)?);
        }
        match problem(&entries, rustix::process::geteuid().as_raw()) {
            None => Ok(file),
            Some(problem) => Err(io::Error::new(io::ErrorKind::PermissionDenied, problem)),
        }
    }

    pub fn check_folder(path: &Path) -> io::Result<()> {
        open(path).map(drop)
    }

    fn entry(path: &Path, file: &File) -> io::Result<Entry> {
        let found = file.metadata()?;
        let (owner, mode) = (found.uid(), found.mode() & 0o7777);
        Ok(Entry { path: path.to_owned(), owner, mode, is_folder: found.is_dir() })
    }

    /// Returns the rule that the entries of a path break, from the root on, for this user.
    pub fn problem(entries: &[Entry], user: u32) -> Option<String> {
        let is_private = |it: &Entry| it.is_folder && it.owner == user && it.mode & OTHERS == 0;
        let private = entries.iter().rposition(is_private);
        let foreign = |it: &&Entry| it.owner != user && it.owner != 0;
        let writable =
            |it: &&Entry| it.mode & OTHERS_WRITE != 0 && !(it.is_folder && it.mode & STICKY != 0);
        let below = &entries[private.unwrap_or(0)..];
        let last = entries.last()?;
        let folder = if last.is_folder { &last.path } else { parent(&last.path) };
        let refused = |it: &Entry, what: String| {
            format!(
                "{} {what}. Another user could change the code that is loaded, so {} is refused",
                it.path.display(),
                last.path.display()
            )
        };
        if let Some(it) = below.iter().rev().find(foreign) {
            let what = format!(
                "belongs to the user {}, not to you (user {user}) or root: make a copy in a folder of yours that has the mode 700",
                it.owner
            );
            return Some(refused(it, what));
        }
        let it = below.iter().rev().find(writable).filter(|_| private.is_none())?;
        let what = format!(
            "is writable by other users (mode {:o}): run `chmod go-w {}`, or `chmod 700 {}`",
            it.mode,
            it.path.display(),
            folder.display()
        );
        Some(refused(it, what))
    }

    #[cfg(target_os = "linux")]
    pub fn loader_name(code: CodeFile) -> PathBuf {
        use std::os::fd::AsRawFd as _;
        use std::sync::{Mutex, PoisonError};

        /// Device and number of each file that was loaded, and its descriptor.
        static LOADED: Mutex<Vec<((u64, u64), File)>> = Mutex::new(Vec::new());

        let Ok(found) = code.file.metadata() else { return code.path };
        let identity = (found.dev(), found.ino());
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        let known = loaded.iter().position(|(known, _)| *known == identity);
        let index = known.unwrap_or_else(|| {
            loaded.push((identity, code.file));
            loaded.len() - 1
        });
        let name = PathBuf::from(format!("/proc/self/fd/{}", loaded[index].1.as_raw_fd()));
        // Without /proc the path is used: then there is a time between check and use.
        if name.exists() { name } else { code.path }
    }

    #[cfg(not(target_os = "linux"))]
    pub fn loader_name(code: CodeFile) -> PathBuf {
        code.path
    }
}

#[cfg(not(unix))]
mod walk {
    use std::fs::File;
    use std::io;
    use std::path::{Path, PathBuf};

    use super::CodeFile;

    pub fn open(path: &Path) -> io::Result<File> {
        File::open(path)
    }

    pub fn check_folder(_: &Path) -> io::Result<()> {
        Ok(())
    }

    pub fn loader_name(code: CodeFile) -> PathBuf {
        code.path
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, symlink};

    use super::walk::{Entry, problem};
    use super::*;

    const USER: u32 = 1000;

    /// Returns what is wrong with a path of `(owner, mode)`, from the root to the file.
    fn wrong(entries: &[(u32, u32)]) -> Option<String> {
        let mut path = PathBuf::from("/");
        let last = entries.len() - 1;
        let entry = |(index, &(owner, mode)): (usize, &(u32, u32))| {
            if index > 0 {
                path.push(format!("{index}"));
            }
            Entry { path: path.clone(), owner, mode, is_folder: index < last }
        };
        problem(&entries.iter().enumerate().map(entry).collect::<Vec<_>>(), USER)
    }

    #[test]
    fn a_path_that_only_the_caller_and_root_can_change_is_accepted() {
        for entries in [
            &[(0, 0o755), (0, 0o755), (USER, 0o755), (USER, 0o644)][..],
            &[(0, 0o755), (0, 0o644)],
            // a sticky folder above a folder of the caller
            &[(0, 0o755), (0, 0o1777), (USER, 0o755), (USER, 0o755)],
            // umask 002 below and above a private folder
            &[(0, 0o755), (USER, 0o775), (USER, 0o700), (USER, 0o775), (USER, 0o664)],
            // a home of another user above a private folder of the caller, as in containers
            &[(0, 0o755), (7, 0o777), (USER, 0o700), (USER, 0o755), (USER, 0o644)],
            // root's file below
            &[(0, 0o755), (USER, 0o700), (0, 0o755), (0, 0o644)],
        ] {
            assert_eq!(wrong(entries), None, "{entries:?}");
        }
    }

    #[test]
    fn a_path_that_another_user_can_change_is_refused_with_the_entry_and_the_command() {
        for (entries, entry, text) in [
            (&[(0, 0o755), (USER, 0o755), (USER, 0o664)][..], "/1/2", "chmod go-w /1/2"),
            (&[(0, 0o755), (USER, 0o755), (USER, 0o646)], "/1/2", "`chmod 700 /1`"),
            (&[(0, 0o755), (USER, 0o775), (USER, 0o644)], "/1", "mode 775"),
            (&[(0, 0o777), (USER, 0o755), (USER, 0o644)], "/", "mode 777"),
            // The sticky bit of a file protects nothing.
            (&[(0, 0o755), (USER, 0o755), (USER, 0o1666)], "/1/2", "mode 1666"),
            (&[(0, 0o755), (USER, 0o755), (7, 0o644)], "/1/2", "belongs to the user 7"),
            (&[(0, 0o755), (7, 0o755), (USER, 0o644)], "/1", "belongs to the user 7"),
            // Also below a private folder: the owner may hold a descriptor.
            (&[(0, 0o755), (USER, 0o700), (7, 0o755), (USER, 0o644)], "/1/2", "user 7"),
            // A private folder of another user is not the caller's.
            (&[(0, 0o755), (7, 0o700), (USER, 0o644)], "/1", "user 7"),
            // The private folder is below the loose one, but not above the file: the file is not shielded.
            (&[(0, 0o755), (USER, 0o710), (USER, 0o664)], "/1/2", "mode 664"),
        ] {
            let found = wrong(entries).unwrap_or_default();
            assert!(found.starts_with(&format!("{entry} ")), "{entries:?}: {found}");
            assert!(found.contains(text), "{entries:?}: {found}");
        }
    }

    /// Files below a folder that is not private, so that each file counts.
    struct Place {
        _outer: tempfile::TempDir,
        folder: PathBuf,
    }

    impl Place {
        fn new() -> Self {
            let outer = tempfile::tempdir().unwrap();
            set_mode(outer.path(), 0o755);
            let folder = outer.path().canonicalize().unwrap().join("cache");
            fs::create_dir(&folder).unwrap();
            set_mode(&folder, 0o755);
            Self { _outer: outer, folder }
        }

        fn file(&self, name: &str) -> PathBuf {
            let file = self.folder.join(name);
            fs::write(&file, "code").unwrap();
            set_mode(&file, 0o644);
            file
        }
    }

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    fn refused(path: &Path) -> String {
        let error = CodeFile::open(path).expect_err("another user can change it");
        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied, "{error}");
        error.to_string()
    }

    #[test]
    fn rights_of_files_and_folders_are_those_of_the_file_system() {
        let place = Place::new();
        let file = place.file("card.so");
        assert_eq!(CodeFile::open(&file).unwrap().read().unwrap(), b"code");
        set_mode(&file, 0o664);
        assert!(refused(&file).contains("card.so is writable by other users (mode 664)"));
        set_mode(&place.folder, 0o700);
        assert_eq!(CodeFile::open(&file).unwrap().path(), file);
        set_mode(&file, 0o644);
        set_mode(&place.folder, 0o777);
        assert!(refused(&file).contains("cache is writable by other users (mode 777)"));
        assert!(check_folder(&place.folder).is_err());
        set_mode(&place.folder, 0o1777);
        CodeFile::open(&file).unwrap();
        let missing = CodeFile::open(&place.folder.join("none")).unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
        assert!(CodeFile::open(&place.folder).is_err());
    }

    #[test]
    fn a_link_is_held_to_the_rules_at_both_ends() {
        let (current, store) = (Place::new(), Place::new());
        let (link, file) = (current.folder.join("card.so"), store.file("card.so"));
        symlink(&file, &link).unwrap();
        CodeFile::open(&link).unwrap();
        set_mode(&current.folder, 0o777);
        assert!(refused(&link).contains(&*current.folder.to_string_lossy()));
        set_mode(&current.folder, 0o755);
        set_mode(&store.folder, 0o777);
        assert!(refused(&link).contains(&*store.folder.to_string_lossy()));
    }

    #[test]
    fn a_file_of_another_user_is_refused() {
        let place = Place::new();
        let file = place.file("card.so");
        if chown(&file, Some(4242), None).is_err() {
            println!("SKIPPED: only root can give a file to another user");
            return;
        }
        assert!(refused(&file).contains("card.so belongs to the user 4242"));
        chown(&file, Some(0), None).unwrap();
        chown(&place.folder, Some(4242), None).unwrap();
        assert!(refused(&file).contains("cache belongs to the user 4242"));
    }

    #[test]
    fn created_folders_are_private() {
        let place = Place::new();
        let inner = place.folder.join("proofmill/sim");
        create_private_folder(&inner).unwrap();
        create_private_folder(&inner).unwrap();
        for folder in [inner.parent().unwrap(), &inner] {
            assert_eq!(fs::metadata(folder).unwrap().mode() & 0o777, 0o700);
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_name_for_the_loader_leads_to_the_checked_file_after_it_was_replaced() {
        let place = Place::new();
        let (file, other) = (place.file("card.so"), place.file("other.so"));
        let name = CodeFile::open(&file).unwrap().loader_name();
        assert_eq!(CodeFile::open(&file).unwrap().loader_name(), name);
        assert_ne!(CodeFile::open(&other).unwrap().loader_name(), name);
        fs::write(&other, "other").unwrap();
        fs::rename(&other, &file).unwrap();
        assert_eq!(fs::read(&name).unwrap(), b"code");
        assert_ne!(CodeFile::open(&file).unwrap().loader_name(), name);
    }
}

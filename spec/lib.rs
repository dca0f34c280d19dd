//! The files of `spec` that programs read, by name and unchanged: build scripts turn the tables into constants, and tests use
//! the vectors. The crate does not parse the files. It exists so that no crate reads files outside its own folder.

/// A file's name without its extension, and its text.
pub type File = (&'static str, &'static str);

include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// Returns the text of the file with this name, if it exists.
pub fn text(files: &[File], name: &str) -> Option<&'static str> {
    files.iter().find(|file| file.0 == name).map(|file| file.1)
}

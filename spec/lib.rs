//! The files of `spec` that programs read, by their names and as they stand: build scripts turn the tables into constants, tests
//! take the vectors. Nothing here parses or knows what a file says; the crate exists so that none reads outside its own folder.

/// A file's name without its ending, and its text.
pub type File = (&'static str, &'static str);

include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// The text of the file of this name, if there is one.
pub fn text(files: &[File], name: &str) -> Option<&'static str> {
    files.iter().find(|file| file.0 == name).map(|file| file.1)
}

//! A board's top in simulation in emulated slots of an F2 instance, for another process: `f2 LIBRARY...` puts each library's card into the next slot,
//! prints the folder that shows the slots, and serves until its input ends.

use std::error::Error;
use std::io::{Read as _, Write as _};
use std::path::Path;

use proofmill_card::{SimLibrary, SimSlot};
use proofmill_testkit::f2::Top;

fn main() -> Result<(), Box<dyn Error>> {
    let mut slots: Vec<Top> = Vec::new();
    for (number, library) in (0..).zip(std::env::args().skip(1)) {
        let card = SimSlot::new(&SimLibrary::load(Path::new(&library))?)?;
        slots.push(match slots.first() {
            None => Top::new(card)?,
            Some(first) => first.beside(number, card)?,
        });
    }
    let Some(first) = slots.first() else { return Err("which LIBRARY?".into()) };
    println!("{}", first.folder().display());
    std::io::stdout().flush()?;
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}

//! Simulated cards behind files like those of the XDMA driver, for another process: `xdma LIBRARY...` puts each library's card behind the files of
//! the next number, prints what their names begin with, and serves until its input ends.

use std::error::Error;
use std::io::{Read as _, Write as _};
use std::path::Path;

use proofmill_card::{SimLibrary, SimTransport};
use proofmill_testkit::xdma::Xdma;

fn main() -> Result<(), Box<dyn Error>> {
    let mut cards: Vec<Xdma> = Vec::new();
    for (number, library) in (0..).zip(std::env::args().skip(1)) {
        let card = Box::new(SimTransport::new(&SimLibrary::load(Path::new(&library))?)?);
        cards.push(match cards.first() {
            None => Xdma::new(card)?,
            Some(first) => first.beside(number, card)?,
        });
    }
    let Some(first) = cards.first() else { return Err("which LIBRARY?".into()) };
    println!("{}", first.prefix());
    std::io::stdout().flush()?;
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}

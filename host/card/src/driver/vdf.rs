//! `vdf` on a card: the constants of the modulus, one command each, then commands of many squarings, each from the state of
//! the one before. A card has a largest modulus. A state in a reply is a few bits longer than that; the driver reduces it.

use proofmill_algebra::modulus::Modulus;
use proofmill_op::vdf::{Request, Response};
use proofmill_op::{Argument, Capability, Error, Result, SecretBytes};

use super::chain::Chain;
use super::job::{self, Engine, Exchange, Lane, Respond, Settings};
use crate::Transport;
use crate::wire::constants::shell::capabilities::VDF;
use crate::wire::constants::vdf::commands::{load, square};
use crate::wire::constants::vdf::{block, status};
use crate::wire::{self, Header};

/// The capability and its bit.
pub const KNOWN: [(Capability, u32); 1] = [(Capability::Vdf, VDF)];

/// Squarings of a command at most: some tenths of a millisecond on a card, which is busy with the outstanding ones of a cancelled
/// request.
const CHUNK: u64 = 1 << 14;
/// Outstanding commands at most: the card squares while a reply and the next command are on their way.
const QUEUE: usize = 4;
/// The bits of a digit of the card, which separate its constants.
const RADIX: usize = 16;
/// The largest number of constants and of words of a state that the registers of a card may claim.
const MOST: u32 = 1024;

/// The numbers of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// The bits of the largest modulus.
    bits: u32,
    /// The constants of a modulus.
    constants: u32,
    /// The words of 64 bits of a state.
    state_words: u32,
}

impl Geometry {
    fn of(bits: u32, constants: u32, state_words: u32) -> std::result::Result<Self, String> {
        if bits == 0 || !bits.is_multiple_of(64) || bits / 64 > MOST {
            return Err(format!("moduli of {bits} bits"));
        }
        if !(1..=MOST).contains(&constants) {
            return Err(format!("{constants} constants"));
        }
        if !(bits / 64..=MOST).contains(&state_words) {
            return Err(format!("states of {state_words} words"));
        }
        Ok(Self { bits, constants, state_words })
    }

    /// The bytes of an input and of a constant.
    fn bytes(self) -> usize {
        self.bits as usize / 8
    }

    fn exchanges(self) -> Vec<Exchange> {
        let reply_len = square::BARE_REPLY_LEN + 8 * self.state_words;
        let commands = [
            (load::BARE_LEN, load::NUMBER, load::REPLY_LEN, load::REPLY),
            (square::BARE_LEN, square::NUMBER, reply_len, square::REPLY),
        ];
        let exchange = |(bare, number, len, reply)| Exchange {
            command: Header { len: bare + self.bits / 8, cmd: number },
            reply: Header { len, cmd: reply },
        };
        commands.map(exchange).to_vec()
    }
}

/// Finds this operation's engine among the blocks; there is at most one.
pub fn find(
    transport: &mut dyn Transport,
    chain: &Chain,
    uri: &str,
) -> Result<Option<(Engine, Geometry)>> {
    use block::registers as at;
    chain.engine("vdf", (block::TYPE, block::VERSION), uri, |it| {
        let bits = it.read(transport, at::bits::OFFSET)?;
        let constants = it.read(transport, at::constants::OFFSET)?;
        let state_words = it.read(transport, at::state_words::OFFSET)?;
        let geometry =
            Geometry::of(bits, constants, state_words).map_err(|problem| it.broken(problem))?;
        let queue = it.queue(transport, at::queue::OFFSET)?;
        let lane = Lane {
            block: it.address,
            exchanges: geometry.exchanges(),
            queue: queue.min(QUEUE),
            progress: &[at::squarings::OFFSET],
        };
        let engine = Engine { capability: Capability::Vdf, lane };
        Ok(Some((engine, geometry)))
    })
}

/// The squarings of a request, divided into commands: those between two states are of [`CHUNK`] squarings, but the last one.
#[derive(Clone, Copy, Debug)]
struct Division {
    squarings: u64,
    stride: u64,
}

impl Division {
    fn commands(self) -> u64 {
        let whole = (self.squarings - 1) / self.stride;
        let last = self.squarings - whole * self.stride;
        // Both products are at most `squarings`.
        whole * self.stride.div_ceil(CHUNK) + last.div_ceil(CHUNK)
    }

    /// The squarings of a command, and whether a state of the response follows it.
    fn command(self, number: u64) -> (u64, bool) {
        let each = self.stride.div_ceil(CHUNK);
        let (segment, chunk) = (number / each, number % each);
        let length = self.stride.min(self.squarings - segment * self.stride);
        let done = chunk * CHUNK;
        ((length - done).min(CHUNK), length - done <= CHUNK)
    }
}

/// A request: its constants and squarings, and the states that have arrived.
pub struct Job {
    request: Request,
    modulus: Modulus,
    geometry: Geometry,
    constants: Vec<Vec<u8>>,
    division: Division,
    settings: Settings,
    states: Vec<u8>,
    done: u64,
    /// The status of a command that the card did not execute, because it ignored one before.
    refused: Option<u64>,
    sent: usize,
    uri: String,
}

impl Job {
    /// Checks the request and returns its job.
    pub fn new(request: Request, geometry: Geometry, uri: &str) -> Result<Self> {
        request.state_count()?;
        let wrong = |error| Error::argument(Argument::Named("modulus"), format!("{error}"));
        let modulus = Modulus::new(&request.modulus).map_err(wrong)?;
        let bits = modulus.bits();
        if bits > geometry.bits as usize {
            let what = format!(
                "vdf with a modulus of {bits} bits; it has moduli of at most {} bits",
                geometry.bits
            );
            return Err(Error::Unsupported { device: uri.to_owned(), what });
        }
        let constants = constants(&modulus, geometry);
        let division = Division { squarings: request.squarings, stride: request.stride };
        Ok(Self {
            request,
            modulus,
            geometry,
            constants,
            division,
            settings: Settings::new(),
            states: Vec::new(),
            done: 0,
            refused: None,
            sent: 0,
            uri: uri.to_owned(),
        })
    }

    fn squaring(&self, position: usize) -> Option<(u64, bool)> {
        let number = position.checked_sub(self.constants.len())?;
        Some(self.division.command(number as u64))
    }
}

/// Returns 2^(bits + 16 j) modulo N for each constant.
fn constants(modulus: &Modulus, geometry: Geometry) -> Vec<Vec<u8>> {
    let step = modulus.power_of_two(RADIX);
    let first = modulus.power_of_two(geometry.bits as usize);
    let next = |constant: &_| Some(modulus.multiply(constant, &step));
    let all = std::iter::successors(Some(first), next).take(geometry.constants as usize);
    all.map(|constant| modulus.to_bytes(&constant)).collect()
}

impl job::Job for Job {
    fn commands(&self) -> usize {
        if self.refused.is_some() {
            return self.sent;
        }
        let squarings = usize::try_from(self.division.commands()).unwrap_or(usize::MAX);
        squarings.saturating_add(self.constants.len())
    }

    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn command(&mut self, position: usize, index: u64) -> SecretBytes {
        self.sent = position + 1;
        let padded = |bytes: &[u8]| {
            let mut padded = bytes.to_vec();
            padded.resize(self.geometry.bytes(), 0);
            padded
        };
        match self.squaring(position) {
            None => wire::vdf_load(index, position as u32, &padded(&self.constants[position])),
            Some((squarings, _)) => {
                let resumes = position > self.constants.len();
                let input = if resumes { &[][..] } else { &self.request.input };
                wire::vdf_square(index, squarings as u32, resumes, &padded(input))
            }
        }
        .into()
    }

    fn accept(&mut self, position: usize, reply: &[u8]) -> std::result::Result<(), String> {
        use square::reply_fields as at;
        let found = wire::u64_at(reply, at::status::OFFSET).ok_or("a reply without its status")?;
        let refusals = [status::INVALID, status::MISSING].map(u64::from);
        if refusals.contains(&found) {
            self.refused.get_or_insert(found);
            return Ok(());
        }
        if found != status::DONE.into() {
            return Err(format!("status {found}"));
        }
        let Some((squarings, ends)) = self.squaring(position) else { return Ok(()) };
        if ends {
            let state = reply.get(at::state::OFFSET as usize..).ok_or("a reply without a state")?;
            self.states.extend(self.modulus.remainder(state));
        }
        self.done += squarings;
        let fraction = self.done as f64 / self.request.squarings as f64;
        self.request.progress.iter().for_each(|progress| progress.report(fraction));
        Ok(())
    }
}

impl Respond<Response> for Job {
    fn respond(self: Box<Self>) -> Result<Response> {
        if let Some(status) = self.refused {
            let problem = format!("it refused a command with status {status}");
            return Err(Error::Failed { device: self.uri, problem });
        }
        Ok(Response { state_bytes: self.modulus.byte_count(), states: self.states })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_out_of_range_are_refused() {
        let geometry = Geometry::of(64, 7, 2).unwrap();
        assert_eq!(geometry.bytes(), 8);
        let lengths = geometry.exchanges().into_iter().map(|it| (it.command.len, it.reply.len));
        assert!(lengths.eq([(32, 24), (32, 40)]));
        assert_eq!(Geometry::of(0, 7, 2), Err("moduli of 0 bits".into()));
        assert_eq!(Geometry::of(100, 7, 2), Err("moduli of 100 bits".into()));
        assert_eq!(Geometry::of(1 << 20, 7, 2), Err("moduli of 1048576 bits".into()));
        assert_eq!(Geometry::of(64, 0, 2), Err("0 constants".into()));
        assert_eq!(Geometry::of(64, u32::MAX, 2), Err(format!("{} constants", u32::MAX)));
        assert_eq!(Geometry::of(128, 7, 1), Err("states of 1 words".into()));
    }

    #[test]
    fn commands_add_up_to_the_squarings() {
        for squarings in [1, 2, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 5 * CHUNK + 7] {
            for stride in [1, 2, 7, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK + 3, squarings] {
                let division = Division { squarings, stride };
                let (mut total, mut states) = (0, 0);
                for number in 0..division.commands() {
                    let (count, ends) = division.command(number);
                    assert!((1..=CHUNK).contains(&count), "{division:?}");
                    total += count;
                    assert_eq!(ends, total % stride == 0 || total == squarings, "{division:?}");
                    states += u64::from(ends);
                }
                assert_eq!((total, states), (squarings, squarings.div_ceil(stride)));
            }
        }
        let centuries = Division { squarings: u64::MAX, stride: u64::MAX };
        assert_eq!(centuries.commands(), 1 << 50);
        assert_eq!(centuries.command((1 << 50) - 1), (CHUNK - 1, true));
        let states = Division { squarings: u64::MAX, stride: 1 };
        assert_eq!(states.commands(), u64::MAX);
    }

    #[test]
    fn longer_moduli_are_refused_by_their_bits() {
        let geometry = Geometry::of(64, 7, 2).unwrap();
        let job = |modulus: &[u8]| Job::new(Request::new(modulus, [2], 5), geometry, "sim:x");
        assert!(job(&[255; 8]).is_ok());
        let Err(error) = job(&[1, 0, 0, 0, 0, 0, 0, 0, 1]) else { panic!("accepted") };
        let problem = error.to_string();
        let wanted = "vdf with a modulus of 65 bits; it has moduli of at most 64 bits";
        assert!(problem.contains(wanted), "{problem}");
    }

    #[test]
    fn replies_without_a_state_are_errors() {
        use job::Job as _;
        let geometry = Geometry::of(64, 7, 2).unwrap();
        let start = |squarings| {
            let mut job = Job::new(Request::new([35], [2], squarings), geometry, "sim:x").unwrap();
            for position in 0..8 {
                job.command(position, position as u64);
            }
            job
        };
        let reply =
            |status: u64, state: &[u8]| [&[0; 16], &status.to_le_bytes()[..], state].concat();
        let mut job = start(5);
        assert_eq!(job.commands(), 8);
        assert_eq!(job.accept(0, &reply(9, &[])), Err("status 9".into()));
        assert_eq!(job.accept(0, &[0; 20]), Err("a reply without its status".into()));
        for position in 0..7 {
            job.accept(position, &reply(0, &[])).unwrap();
        }
        // A state is reduced: 2^32 mod 35 and 70 more.
        job.accept(7, &reply(0, &[74, 0, 0, 0, 0, 0, 0, 0, 0, 0])).unwrap();
        let response = Box::new(job).respond().unwrap();
        assert_eq!((response.state_bytes, response.states), (1, vec![4]));
        // The card ignored a command before; no further one is sent.
        let mut job = start(1 << 40);
        job.accept(1, &reply(1, &[])).unwrap();
        assert_eq!(job.commands(), 8);
        let error = Box::new(job).respond().unwrap_err().to_string();
        assert!(error.contains("refused a command with status 1"), "{error}");
    }

    #[test]
    fn constants_are_powers_of_two() {
        let geometry = Geometry::of(64, 7, 2).unwrap();
        let modulus = Modulus::new(&[35]).unwrap();
        let wanted = (0..7).map(|j| vec![(0..64 + 16 * j).fold(1, |power, _| 2 * power % 35)]);
        assert!(constants(&modulus, geometry).into_iter().eq(wanted));
    }
}

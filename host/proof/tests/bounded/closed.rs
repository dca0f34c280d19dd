//! Runs a test in a process with a limited address space: exceeding it ends the process.

use std::io::Read as _;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, setrlimit};
use rustix::time::{ClockId, Timespec, clock_gettime};

/// The environment variable that marks the process with the limit.
const INSIDE: &str = "PROOFMILL_CLOSED_SPACE";

/// Bytes that a process may allocate after the limit is set: thousands of times the size of the files.
const MAX_GROWTH: u64 = 32 << 20;

/// Maximum processor time of one call. A call takes milliseconds.
const ONE_ANSWER: Duration = Duration::from_secs(5);

/// Maximum time of all calls, on a busy machine.
const ALL_ANSWERS: Duration = Duration::from_secs(3600);

/// Runs the body of the test of this name in a process of its own, which must succeed in time.
pub fn in_closed_space(test: &str, body: impl FnOnce()) {
    if std::env::var_os(INSIDE).is_some() {
        body();
        return told(test);
    }
    let mut inside = Command::new(std::env::current_exe().unwrap());
    inside.args(["--exact", test, "--include-ignored", "--nocapture"]).env(INSIDE, "1");
    // One thread of the pool and one arena: each thread's own arena would take address space.
    inside.env("RAYON_NUM_THREADS", "1").env("MALLOC_ARENA_MAX", "1").env("RUST_BACKTRACE", "0");
    // The report of the inner test must not appear in this program's own report.
    let mut inside = inside.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let end = Instant::now() + ALL_ANSWERS;
    let status = loop {
        if let Some(status) = inside.try_wait().unwrap() {
            break status;
        }
        if Instant::now() > end {
            inside.kill().unwrap();
            inside.wait().unwrap();
            panic!("{test}: no end in {ALL_ANSWERS:?}");
        }
        sleep(Duration::from_millis(20));
    };
    let mut report = String::new();
    inside.stdout.take().unwrap().read_to_string(&mut report).unwrap();
    // A test name that does not exist succeeds too, so that the report is checked.
    assert!(status.success() && report.contains("1 passed"), "{test}: {status}: {report}");
}

/// Limits the address space of this process to [`MAX_GROWTH`] bytes more than now.
pub fn close() {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmSize:")).unwrap();
    let kib: u64 = line.trim().strip_suffix("kB").unwrap().trim().parse().unwrap();
    let most = Some(1024 * kib + MAX_GROWTH);
    setrlimit(Resource::As, Rlimit { current: most, maximum: most }).unwrap();
    let more = Vec::<u8>::new().try_reserve_exact(2 * MAX_GROWTH as usize);
    assert!(more.is_err(), "the space is closed");
}

/// The number of calls, and microseconds of processor time of the longest.
static ANSWERS: [AtomicU64; 2] = [const { AtomicU64::new(0) }; 2];

/// Calls a function, which must return in time.
pub fn answered<T>(case: &str, ask: impl FnOnce() -> T) -> T {
    let start = processor_time();
    let answer = ask();
    let time = processor_time() - start;
    assert!(time <= ONE_ANSWER, "{case}: {time:?}");
    ANSWERS[0].fetch_add(1, Relaxed);
    ANSWERS[1].fetch_max(time.as_micros() as u64, Relaxed);
    answer
}

/// Returns the processor time of this process, which does not depend on other processes.
fn processor_time() -> Duration {
    let Timespec { tv_sec, tv_nsec } = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(tv_sec as u64, tv_nsec as u32)
}

fn told(test: &str) {
    let [count, longest] = ANSWERS.each_ref().map(|number| number.load(Relaxed));
    assert!(count > 1000, "{test}: {count} answers");
    eprintln!("{test}: {count} answers, the longest after {:.1} ms", longest as f64 / 1e3);
}

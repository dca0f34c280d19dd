//! Protection of secrets in the memory of this process, besides overwriting them: no core dumps, no reading by other processes of the user,
//! no swap.

use clap::Args;

/// The option `--allow-core-dumps`.
#[derive(Args, Clone, Copy, Default)]
pub struct Hardening {
    /// Allows core dumps and debuggers; by default the memory of this process, which holds secrets, is protected from both on Linux
    #[arg(long)]
    allow_core_dumps: bool,
}

impl Hardening {
    /// Protects this process before it reads a secret: disables core dumps, makes its memory unreadable for other processes of the user (as
    /// for ptrace), and locks the pages of large secrets as far as the limit allows.
    pub fn apply(self) {
        if !self.allow_core_dumps {
            #[cfg(target_os = "linux")]
            protect();
        }
        proofmill::lock_memory(true);
    }
}

/// Failures are ignored: a system that forbids this forbids the dump as well, or `doctor` shows the limit.
#[cfg(target_os = "linux")]
fn protect() {
    use rustix::process::{
        DumpableBehavior, Resource, Rlimit, getrlimit, set_dumpable_behavior, setrlimit,
    };
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    let maximum = getrlimit(Resource::Core).maximum;
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum });
}

/// Ends the process with a message and the status of a wrong file when a mapped file, such as a key, is truncated while it is read. The system
/// signals this as SIGBUS; its default action prints nothing that names a cause.
#[cfg(target_os = "linux")]
pub fn explain_truncated_files() {
    extern "C" fn explain(_: libc::c_int) {
        const MESSAGE: &[u8] =
            b"proofmill: a key or another file became shorter while it was read: \
            another program has truncated it; replace such files by renaming a new one\n";
        // SAFETY: both functions may be called in a signal handler (POSIX, async-signal-safe).
        unsafe {
            libc::write(libc::STDERR_FILENO, MESSAGE.as_ptr().cast(), MESSAGE.len());
            libc::_exit(crate::output::Exit::Input as libc::c_int)
        }
    }
    let handler = explain as extern "C" fn(libc::c_int);
    // SAFETY: the handler calls functions for signal handlers only, and does not return.
    unsafe { libc::signal(libc::SIGBUS, handler as libc::sighandler_t) };
}

/// Returns the bytes that this process may lock; `None` for no limit.
#[cfg(target_os = "linux")]
pub fn lock_limit() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::Memlock).current
}

/// Returns the bytes that this process may lock for certain: none, since the limit of this system is unknown.
#[cfg(not(target_os = "linux"))]
pub fn lock_limit() -> Option<u64> {
    Some(0)
}

/// Describes how secrets in memory are protected, for the limit that [`lock_limit`] returned. Names what this system lacks.
pub fn protection(lock_limit: Option<u64>) -> String {
    let locked = match lock_limit {
        _ if cfg!(not(unix)) => "not locked in memory, which needs a Unix system".to_owned(),
        _ if cfg!(not(target_os = "linux")) => {
            "locked in memory up to the system's limit".to_owned()
        }
        None => "locked in memory".to_owned(),
        Some(0) => "not locked in memory: the limit (ulimit -l) is 0".to_owned(),
        Some(bytes) => format!("locked in memory up to {} KiB (ulimit -l)", bytes >> 10),
    };
    let dumps = match cfg!(target_os = "linux") {
        true => "core dumps disabled in prove, msm, serve, device-server",
        false => "core dumps not disabled, which needs Linux",
    };
    format!("overwritten after use, {locked}; {dumps}")
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use rustix::process::{DumpableBehavior, Resource, dumpable_behavior, getrlimit};

    use super::*;

    #[test]
    fn core_dumps_are_disabled_unless_allowed() {
        let limit = getrlimit(Resource::Core).current;
        Hardening { allow_core_dumps: true }.apply();
        assert_eq!(getrlimit(Resource::Core).current, limit);
        Hardening::default().apply();
        assert_eq!(getrlimit(Resource::Core).current, Some(0));
        assert_eq!(dumpable_behavior().unwrap(), DumpableBehavior::NotDumpable);
    }
}

//! Turns events of `tracing` into records of Python's `logging`, of the logger `proofmill`.
//!
//! An event occurs on any thread, which waits for the lock of the interpreter to make the record. A thread that has that lock must therefore
//! not wait for another one: calls that wait go through [`unlocked`], and devices and provers are dropped there. The logger's level is read
//! when a call begins; below it an event costs a comparison.

use std::cell::Cell;
use std::fmt::{self, Write as _};
use std::ops::Deref;
use std::sync::atomic::{AtomicU8, Ordering};

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id};
use tracing::subscriber::Interest;
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};
use tracing_subscriber::registry::{LookupSpan, Registry};

/// `logging.getLogger("proofmill")`.
static LOGGER: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
/// The lowest enabled level of `logging`.
static LEAST: AtomicU8 = AtomicU8::new(u8::MAX);

/// Subscribes to the library's events. A second module in the same process changes nothing.
pub fn start(py: Python<'_>) -> PyResult<()> {
    let logger = py.import("logging")?.call_method1("getLogger", ("proofmill",))?;
    if LOGGER.set(py, logger.unbind()).is_ok() {
        let _ = tracing::subscriber::set_global_default(Registry::default().with(Bridge));
    }
    look(py);
    Ok(())
}

/// Runs work without the lock of the interpreter, after it has read which levels are enabled.
pub fn unlocked<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> T {
    look(py);
    py.detach(work)
}

/// A value that is dropped without the lock of the interpreter: a device waits for its threads.
pub struct Unlocked<T: Send>(Option<T>);

impl<T: Send> Unlocked<T> {
    pub fn new(value: T) -> Self {
        Self(Some(value))
    }
}

impl<T: Send> Deref for Unlocked<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_ref().expect("it is taken when it is dropped")
    }
}

impl<T: Send> Drop for Unlocked<T> {
    fn drop(&mut self) {
        let value = self.0.take();
        // While the interpreter ends there are no records, so no thread has to be waited for.
        Python::try_attach(|py| py.detach(|| drop(value)));
    }
}

/// Reads which levels are enabled: none, if the logger fails.
fn look(py: Python<'_>) {
    let wanted = |level: &u8| {
        let asked = LOGGER.get(py).map(|logger| logger.call_method1(py, "isEnabledFor", (*level,)));
        let said =
            asked.transpose().and_then(|said| said.map_or(Ok(false), |said| said.is_truthy(py)));
        said.unwrap_or_else(|error| {
            keep_interrupt(py, &error);
            false
        })
    };
    let least = [5, 10, 20, 30, 40].into_iter().find(wanted).unwrap_or(u8::MAX);
    LEAST.store(least, Ordering::Relaxed);
}

/// Sets the interrupt again that became an exception in Python's code, so that the next check for signals finds it.
fn keep_interrupt(py: Python<'_>, error: &PyErr) {
    if error.is_instance_of::<pyo3::exceptions::PyKeyboardInterrupt>(py) {
        // SAFETY: it sets a flag, and may be called at any time.
        unsafe { pyo3::ffi::PyErr_SetInterrupt() };
    }
}

/// A level of `logging`; TRACE is 5.
fn number(level: Level) -> u8 {
    match level {
        Level::TRACE => 5,
        Level::DEBUG => 10,
        Level::INFO => 20,
        Level::WARN => 30,
        Level::ERROR => 40,
    }
}

/// Fields, as a text and for `record.proofmill`.
#[derive(Default)]
struct Fields {
    message: String,
    others: Vec<(&'static str, String)>,
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.keep(field, format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.keep(field, value.into());
    }
}

impl Fields {
    fn keep(&mut self, field: &Field, text: String) {
        match field.name() {
            "message" => self.message = text,
            name => self.others.push((name, text)),
        }
    }
}

impl fmt::Display for Fields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        self.others.iter().try_for_each(|(name, text)| write!(f, " {name}={text}"))
    }
}

thread_local! {
    /// True while this thread makes a record.
    static REPORTING: Cell<bool> = const { Cell::new(false) };
}

struct Bridge;

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Bridge {
    /// Levels change.
    fn register_callsite(&self, _: &'static Metadata<'static>) -> Interest {
        Interest::sometimes()
    }

    fn enabled(&self, metadata: &Metadata<'_>, _: Context<'_, S>) -> bool {
        number(*metadata.level()) >= LEAST.load(Ordering::Relaxed)
    }

    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        if let Some(span) = context.span(id) {
            span.extensions_mut().insert(fields);
        }
    }

    /// Ignores events of calls that a handler itself makes, which would call the same handler without end.
    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        if REPORTING.replace(true) {
            return;
        }
        let mut fields = Fields::default();
        event.record(&mut fields);
        let (mut text, mut spans) = (String::new(), Vec::new());
        for span in context.event_scope(event).into_iter().flat_map(|scope| scope.from_root()) {
            let extensions = span.extensions();
            let of_span = extensions.get::<Fields>();
            let said = of_span.map(Fields::to_string).unwrap_or_default();
            let _ = write!(text, "{}{said}: ", span.name());
            spans.push((span.name(), of_span.map(|it| it.others.clone()).unwrap_or_default()));
        }
        let _ = write!(text, "{fields}");
        // While the interpreter ends there are no records.
        Python::try_attach(|py| {
            if let Err(error) = record(py, event.metadata(), &text, &fields, spans) {
                keep_interrupt(py, &error);
                error.write_unraisable(py, None);
            }
        });
        REPORTING.set(false);
    }
}

/// Makes a record for an event.
fn record(
    py: Python<'_>,
    metadata: &Metadata<'_>,
    text: &str,
    fields: &Fields,
    spans: Vec<(&str, Vec<(&str, String)>)>,
) -> PyResult<()> {
    let Some(logger) = LOGGER.get(py) else { return Ok(()) };
    let level = number(*metadata.level());
    if !logger.call_method1(py, "isEnabledFor", (level,))?.is_truthy(py)? {
        return Ok(());
    }
    let values = |fields: &[(&str, String)]| -> PyResult<Bound<'_, PyDict>> {
        let dict = PyDict::new(py);
        fields.iter().try_for_each(|(name, value)| dict.set_item(name, value))?;
        Ok(dict)
    };
    let structured = values(&fields.others)?;
    structured.set_item("target", metadata.target())?;
    let spans = spans.iter().map(|(name, fields)| Ok((*name, values(fields)?)));
    structured.set_item("spans", spans.collect::<PyResult<Vec<_>>>()?)?;
    let extra = PyDict::new(py);
    extra.set_item("proofmill", structured)?;
    let (file, line) = (metadata.file().unwrap_or("proofmill"), metadata.line().unwrap_or(0));
    let none = py.None();
    let of = ("proofmill", level, file, line, "%s", (text,), &none, metadata.target(), &extra);
    let record = logger.call_method1(py, "makeRecord", of)?;
    logger.call_method1(py, "handle", (record,))?;
    Ok(())
}

use std::fmt;
use std::sync::Arc;

/// A callback for progress. It is called now and then, from any thread, with the fraction of the work that is done, 0 to 1.
#[derive(Clone)]
pub struct Progress(pub Arc<dyn Fn(f64) + Send + Sync>);

impl Progress {
    /// Returns a callback.
    pub fn new(callback: impl Fn(f64) + Send + Sync + 'static) -> Self {
        Self(Arc::new(callback))
    }

    /// Reports the fraction that is done.
    pub fn report(&self, done: f64) {
        (self.0)(done);
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Progress")
    }
}

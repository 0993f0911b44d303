//! What the device has to say when it stops: one shape for every finding.

use std::fmt;

/// What went wrong, in the classes that the driver front turns into CUDA error codes.
#[non_exhaustive]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReportKind {
    /// The PTX text cannot be read, or holds a form that the device does not know.
    InvalidPtx,
    /// A symbol is undefined where it is needed.
    UndefinedSymbol,
    /// An argument of the caller is invalid (grid, block, address, size, environment variable).
    InvalidArgument,
    /// No memory left.
    OutOfMemory,
    /// An access outside of every live allocation, or of the variable or frame.
    OutOfBounds,
    /// An access that is not aligned to its size.
    Misaligned,
    /// An operation that the memory at an address does not have.
    AddressSpace,
    /// No thread can run any more.
    Deadlock,
    /// The launch has used up what [`crate::Limits`] allow.
    Limit,
    /// Barriers used in a way that hangs or is undefined on hardware.
    Barrier,
    /// A warp operation used in a way that is undefined on hardware.
    WarpOperation,
    /// `__assertfail`.
    Assert,
    /// `trap`, `abort`.
    Trap,
    /// Anything else that a kernel did and must not: a call through a bad pointer, a bad free, a stack overflow.
    Execution,
}

/// One finding, with everything known about where it happened.
#[derive(Clone, Debug, thiserror::Error)]
pub struct Report {
    /// Class of the finding.
    pub kind: ReportKind,
    /// One sentence: what happened, with addresses and names.
    pub message: String,
    /// Where and in what state, one line each; may be empty.
    pub context: Vec<String>,
}

impl Report {
    /// A report without context.
    pub fn new(kind: ReportKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), context: Vec::new() }
    }

    /// The same report with one more line of context.
    #[must_use]
    pub fn with(mut self, line: impl Into<String>) -> Self {
        self.context.push(line.into());
        self
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        self.context.iter().try_for_each(|line| write!(f, "\n  {line}"))
    }
}

//! What an instruction did wrong, before it is known where.

use crate::report::ReportKind;

/// A finding without its place, which [`super::place`] adds.
#[derive(Debug)]
pub struct Fault {
    /// Class.
    pub kind: ReportKind,
    /// What happened.
    pub message: String,
    /// Lane that it happened in; none if it concerns all active lanes.
    pub lane: Option<usize>,
}

impl Fault {
    /// A fault of all active lanes.
    #[cold]
    pub fn new(kind: ReportKind, message: impl Into<String>) -> Box<Self> {
        Box::new(Self { kind, message: message.into(), lane: None })
    }

    /// A fault of one lane.
    #[cold]
    pub fn at_lane(kind: ReportKind, lane: usize, message: impl Into<String>) -> Box<Self> {
        Box::new(Self { kind, message: message.into(), lane: Some(lane) })
    }
}

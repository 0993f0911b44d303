//! What a launch may use: a kernel that never ends is stopped, with a report of where its threads stand.
//!
//! Nothing is limited unless the user asks: a kernel may rightly run for hours, and nobody can tell it from one that hangs.
//! The scheduler looks after each turn of a warp, which ends after some thousand backward branches and calls at the
//! latest, so the instructions counted may be a little more than allowed.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What a launch may use at most; nothing: no limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Instructions of all its warps together.
    pub instructions: Option<u64>,
    /// Wall time.
    pub time: Option<Duration>,
}

/// What is left of the limits of a launch.
pub struct Budget {
    limits: Limits,
    used: AtomicU64,
    start: Instant,
}

impl Budget {
    /// The budget of a launch that begins now; none without limits.
    pub fn new(limits: Limits) -> Option<Self> {
        (limits != Limits::default()).then(|| Self { limits, used: AtomicU64::new(0), start: Instant::now() })
    }

    /// Counts instructions. The message if there are too many now, or if it has taken too long.
    pub fn exceeded(&self, instructions: u64) -> Option<String> {
        self.used.fetch_add(instructions, Ordering::Relaxed);
        self.reached()
    }

    /// The message if a limit is reached.
    pub fn reached(&self) -> Option<String> {
        let used = self.used.load(Ordering::Relaxed);
        let what = match self.limits {
            Limits { instructions: Some(most), .. } if used > most => format!("{most} instructions of warps"),
            Limits { time: Some(most), .. } if self.start.elapsed() > most => {
                format!("{} s", most.as_secs_f64())
            }
            _ => return None,
        };
        Some(format!("the kernel has not ended within the limit of {what} ({})", crate::env::LIMIT))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_limits_there_is_nothing_to_look_at() {
        assert!(Budget::new(Limits::default()).is_none());
    }

    #[test]
    fn instructions_add_up_and_time_passes() {
        let budget = Budget::new(Limits { instructions: Some(100), time: None }).unwrap();
        assert_eq!(budget.exceeded(60), None);
        assert_eq!(budget.exceeded(40), None);
        assert!(budget.exceeded(1).unwrap().contains("100 instructions"));
        let budget =
            Budget::new(Limits { instructions: None, time: Some(Duration::from_millis(1)) }).unwrap();
        std::thread::sleep(Duration::from_millis(2));
        assert!(budget.exceeded(0).unwrap().contains("0.001 s"));
    }
}

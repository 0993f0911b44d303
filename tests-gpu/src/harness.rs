//! The main function of test programs whose device code runs on the device that the environment chooses.

use libtest_mimic::{Arguments, Trial};

/// Set to 1, a test run without a GPU fails.
const REQUIRE: &str = "REQUIRE_GPU";

/// Runs the trials. On a GPU that is all; without one they run on the SIMT device, and one more tells that a GPU is missing,
/// and why: as ignored, or with `REQUIRE_GPU=1` as failed.
pub fn run(mut trials: Vec<Trial>) -> ! {
    let required = std::env::var(REQUIRE).is_ok_and(|value| value == "1");
    let device = std::env::var("OMPTARGET_DEVICE").unwrap_or_default();
    let missing = missing(&device, cuda_shim::why_no_gpu);
    trials.extend(missing.map(|reason| gpu_trial(reason, required)));
    libtest_mimic::run(&Arguments::from_args(), trials).exit()
}

/// The main function of a test program whose trials are these functions, each of which panics if it fails.
#[macro_export]
macro_rules! trials {
    ($($name:ident),+ $(,)?) => {
        fn main() {
            $crate::harness::run(vec![$($crate::harness::trial(stringify!($name), $name)),+])
        }
    };
}

/// A trial that fails if `test` panics.
pub fn trial(name: &str, test: impl FnOnce() + Send + 'static) -> Trial {
    Trial::test(name, move || {
        test();
        Ok(())
    })
}

/// Why the tests do not run on a GPU.
fn missing(device: &str, why_no_gpu: impl FnOnce() -> Option<String>) -> Option<String> {
    match device {
        "" | "auto" | "cuda" => why_no_gpu(),
        other => Some(format!("OMPTARGET_DEVICE={other}")),
    }
}

/// Its name has the reason, so that it stands in the list of tests.
fn gpu_trial(reason: String, required: bool) -> Trial {
    let message = format!("{REQUIRE}=1, but there is no GPU: {reason}");
    let name = format!("all_of_these_on_a_gpu ({reason})");
    Trial::test(name, move || Err(message.into())).with_ignored_flag(!required)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_gpu_is_ignored_with_the_reason_or_fails() {
        let none = || Some("no driver".to_owned());
        assert_eq!(missing("auto", none).as_deref(), Some("no driver"));
        assert_eq!(missing("cuda", || None), None);
        assert_eq!(missing("simt", || None).as_deref(), Some("OMPTARGET_DEVICE=simt"));
        let ignored = |required| gpu_trial("no driver".into(), required).has_ignored_flag();
        assert!(ignored(false) && !ignored(true));
        assert_eq!(gpu_trial("no driver".into(), false).name(), "all_of_these_on_a_gpu (no driver)");
    }
}

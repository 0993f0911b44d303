//! Kernels that never end are stopped, and the report says where every thread stands.

use crate::{Bench, kernel, shape};
use simt::{DeviceConfig, Limits, ReportKind};
use std::time::{Duration, Instant};

/// Warp 0 waits in a barrier for warp 1, which spins; in CTA 1 thread 0 is out of the loop already.
const ENDLESS: &str = ".loc 1 10 3
    setp.lt.u32 %p1, %r2, 32;
    @%p1 bra wait;
    .loc 1 20 5
    spin: ld.volatile.global.u32 %r5, [%rd1];
    setp.eq.u32 %p2, %r5, 0;
    @%p2 bra spin;
    .loc 1 30 3
    wait: bar.sync 0;";

fn limited(limits: Limits, threads: usize) -> Bench {
    let body = kernel(".file 1 \"wait.c\"\n", ENDLESS);
    Bench::configured(&body, DeviceConfig { limits, threads, ..DeviceConfig::default() })
}

#[test]
fn a_limit_of_instructions_stops_a_kernel_and_shows_where_it_stands() {
    let b = limited(Limits { instructions: Some(100_000), time: None }, 1);
    let out = b.u32s(&[0]);
    let report = b.fail(shape(3, 64), &[out]);
    assert_eq!(report.kind, ReportKind::Limit);
    let text = report.to_string();
    for part in [
        "limit of 100000 instructions of warps (OMPTARGET_SIMT_LIMIT)",
        "kernel k, grid (3,1,1), block (64,1,1), CTA (0,0,0)",
        "warp 0, all lanes: waits at barrier 0",
        "warp 1, all lanes: can run; in k, PTX line",
        "(wait.c:20:5)",
        "1 of 3 CTAs had begun",
    ] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
}

#[test]
fn a_limit_of_time_stops_a_kernel_on_all_os_threads() {
    let b = limited(Limits { instructions: None, time: Some(Duration::from_millis(50)) }, 2);
    let out = b.u32s(&[0]);
    let started = Instant::now();
    let report = b.fail(shape(2, 64), &[out]);
    assert!(started.elapsed() < Duration::from_secs(20));
    let text = report.to_string();
    assert!(text.contains("limit of 0.05 s") && text.contains("2 of 2 CTAs had begun"), "{text}");
    assert!(text.contains("CTA (0,0,0)") && text.contains("CTA (1,0,0)"), "{text}");
}

#[test]
fn a_kernel_within_its_limits_is_not_touched() {
    let limits = Limits { instructions: Some(10_000), time: Some(Duration::from_secs(60)) };
    let b = limited(limits, 1);
    let out = b.u32s(&[1]);
    // The limit holds for each launch.
    for _ in 0..100 {
        assert!(b.run(shape(8, 64), &[out]).warp_instructions > 100);
    }
}

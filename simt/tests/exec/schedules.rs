//! Planted ordering bugs that round robin does not show: how many of [`SEEDS`] schedules show them, at random and by PCT.

use crate::{Bench, kernel, shape};
use simt::{DeviceConfig, Schedule};

const SEEDS: u64 = 200;

/// A kernel of [`crate::kernel`] with a bug.
struct Planted {
    name: &'static str,
    threads: u32,
    body: &'static str,
    /// Word 0 of the array at the end when nothing goes wrong.
    right: u32,
    /// Of the seeds, how many have to show it by PCT at least.
    pct: usize,
    /// The same of plain random turns. They are better at short ways to and fro, PCT at orders that must be kept up.
    random: usize,
}

const PLANTED: &[Planted] = &[
    Planted {
        name: "the last warp reads what the first one writes, without a barrier",
        threads: 128,
        body: "setp.eq.u32 %p1, %r2, 0;
               setp.eq.u32 %p2, %r2, 96;
               @%p1 st.volatile.global.u32 [%rd1+4], 42;
               mov.u32 %r5, 0;
               work: add.u32 %r5, %r5, 1;
               setp.lt.u32 %p3, %r5, 100;
               @%p3 bra work;
               @%p2 ld.volatile.global.u32 %r6, [%rd1+4];
               @%p2 st.volatile.global.u32 [%rd1], %r6;",
        right: 42,
        pct: 60,
        random: 0,
    },
    Planted {
        name: "eight warps: the last one ends before the first one begins",
        threads: 256,
        body: "setp.eq.u32 %p1, %r2, 0;
               setp.eq.u32 %p2, %r2, 224;
               mov.u32 %r7, 2000;
               @%p1 mov.u32 %r7, 20;
               mov.u32 %r5, 0;
               work: add.u32 %r5, %r5, 1;
               setp.lt.u32 %p3, %r5, %r7;
               @%p3 bra work;
               @%p1 st.volatile.global.u32 [%rd1+4], 42;
               @%p2 ld.volatile.global.u32 %r6, [%rd1+4];
               @%p2 st.volatile.global.u32 [%rd1], %r6;",
        right: 42,
        pct: 60,
        random: 0,
    },
    Planted {
        name: "an update is lost between a load and a store",
        threads: 64,
        body: "and.b32 %r7, %r2, 31;
               setp.eq.u32 %p1, %r7, 0;
               mov.u32 %r5, 0;
               work: add.u32 %r5, %r5, 1;
               setp.lt.u32 %p3, %r5, 50;
               @%p3 bra work;
               @%p1 ld.volatile.global.u32 %r6, [%rd1];
               add.u32 %r6, %r6, 1;
               @%p1 st.volatile.global.u32 [%rd1], %r6;",
        right: 2,
        pct: 3,
        random: 0,
    },
    Planted {
        name: "one warp looks three times while another one is half done at the second",
        threads: 64,
        body: "setp.eq.u32 %p1, %r2, 0;
               setp.eq.u32 %p2, %r2, 32;
               @%p2 st.volatile.global.u32 [%rd1+4], 1;
               @%p1 ld.volatile.global.u32 %r10, [%rd1+4];
               mov.u32 %r5, 0;
               one: add.u32 %r5, %r5, 1;
               setp.lt.u32 %p3, %r5, 60;
               @%p3 bra one;
               @%p1 ld.volatile.global.u32 %r11, [%rd1+4];
               mov.u32 %r5, 0;
               two: add.u32 %r5, %r5, 1;
               setp.lt.u32 %p3, %r5, 60;
               @%p3 bra two;
               @%p2 st.volatile.global.u32 [%rd1+4], 0;
               @%p1 ld.volatile.global.u32 %r12, [%rd1+4];
               not.b32 %r13, %r10;
               and.b32 %r13, %r13, %r11;
               not.b32 %r14, %r12;
               and.b32 %r13, %r13, %r14;
               and.b32 %r13, %r13, 1;
               @%p1 st.volatile.global.u32 [%rd1], %r13;",
        right: 0,
        pct: 0,
        random: 3,
    },
    Planted {
        name: "lanes of one warp: the else branch reads what the then branch writes",
        threads: 32,
        body: "setp.ne.u32 %p1, %r2, 0;
               @%p1 bra other;
               st.volatile.global.u32 [%rd1+4], 42;
               bra join;
               other: setp.ne.u32 %p2, %r2, 31;
               @%p2 bra join;
               ld.volatile.global.u32 %r6, [%rd1+4];
               st.volatile.global.u32 [%rd1], %r6;
               join: bar.warp.sync 0xffffffff;",
        right: 42,
        pct: 50,
        random: 0,
    },
];

/// Word 0 after a run, and what it executed.
fn run(bug: &Planted, seed: u64, schedule: Schedule) -> (u32, u64) {
    let config = DeviceConfig { seed: Some(seed), schedule, ..DeviceConfig::default() };
    let b = Bench::configured(&kernel("", bug.body), config);
    let out = b.u32s(&[0, 0]);
    let stats = b.run(shape(1, bug.threads), &[out]);
    (b.read(out, 1)[0], stats.warp_instructions)
}

const PCT: Schedule = Schedule::Pct { depth: Schedule::DEPTH, steps: None };

#[test]
fn pct_shows_planted_bugs_that_round_robin_hides() {
    for bug in PLANTED {
        let shown = |schedule| (0..SEEDS).filter(|&seed| run(bug, seed, schedule).0 != bug.right).count();
        let [fair, random, pct] = [Schedule::Fair, Schedule::Random, PCT].map(shown);
        println!("{pct:3} by PCT, {random:3} at random, {fair} round robin of {SEEDS}: {}", bug.name);
        assert_eq!(fair, 0, "{}", bug.name);
        assert!(pct >= bug.pct && random >= bug.random, "{}: {pct}, {random} at random", bug.name);
    }
}

#[test]
fn a_seed_that_shows_a_bug_shows_it_again() {
    let mut failing = 0;
    for bug in PLANTED {
        for schedule in [Schedule::Random, PCT] {
            let Some(seed) = (0..SEEDS).find(|&seed| run(bug, seed, schedule).0 != bug.right) else {
                continue;
            };
            failing += 1;
            let first = run(bug, seed, schedule);
            assert!((0..5).all(|_| run(bug, seed, schedule) == first), "{} seed {seed}", bug.name);
        }
    }
    assert!(failing >= PLANTED.len());
}

/// A kernel that is launched again runs under another schedule, and a seed repeats all of them.
#[test]
fn each_launch_has_a_schedule_of_its_own() {
    for schedule in [Schedule::Random, PCT] {
        let launches = |bug: &Planted| {
            let config = DeviceConfig { seed: Some(1), schedule, ..DeviceConfig::default() };
            let b = Bench::configured(&kernel("", bug.body), config);
            let launch = |_| {
                let out = b.u32s(&[0, 0]);
                b.run(shape(1, bug.threads), &[out]);
                b.read(out, 1)[0]
            };
            (0..50).map(launch).collect::<Vec<_>>()
        };
        let found: Vec<_> = PLANTED.iter().map(launches).collect();
        assert!(found.iter().any(|results| results.iter().any(|result| *result != results[0])), "{found:?}");
        assert_eq!(found, PLANTED.iter().map(launches).collect::<Vec<_>>());
    }
}

/// With strict priorities a lane that spins would keep the lane with the lock from running.
#[test]
fn a_spin_lock_ends_under_every_priority() {
    let body = "again: atom.global.cas.b32 %r5, [%rd1], 0, 1;
        setp.ne.u32 %p1, %r5, 0;
        @%p1 bra again;
        ld.volatile.global.u32 %r6, [%rd1+4];
        add.u32 %r6, %r6, 1;
        st.volatile.global.u32 [%rd1+4], %r6;
        atom.global.exch.b32 %r5, [%rd1], 0;
        bar.sync 0;";
    for seed in 0..20 {
        let schedule = Schedule::Pct { depth: 5, steps: Some(5000) };
        let config = DeviceConfig { seed: Some(seed), schedule, ..DeviceConfig::default() };
        let b = Bench::configured(&kernel("", body), config);
        let out = b.u32s(&[0, 0]);
        b.run(shape(2, 96), &[out]);
        assert_eq!(b.read(out, 2), [0, 192], "seed {seed}");
    }
}

/// Without a seed: so a clock that the first warp reads behind two barriers tells the work of all warps between them.
#[test]
fn behind_a_barrier_warps_go_in_their_order() {
    let order = "bar.sync 0;
         @%p1 atom.shared.add.u32 %r6, [turn], 1;
         @%p1 st.global.u32 [%rd2], %r6;
         add.s64 %rd2, %rd2, 512;";
    let body = format!(
        "and.b32 %r5, %r2, 31; setp.eq.u32 %p1, %r5, 0;
         setp.eq.u32 %p2, %r2, 0; @%p2 st.shared.u32 [turn], 0;
         {}",
        order.repeat(3)
    );
    let b = Bench::new(&kernel(".shared .b32 turn;", &body));
    let out = b.u32s(&[0; 3 * 128]);
    b.run(shape(1, 128), &[out]);
    let turns: Vec<u32> = b.read(out, 3 * 128).into_iter().step_by(32).collect();
    assert_eq!(turns, (0..12).collect::<Vec<_>>());
}

/// Two warps that meet again and again until a third one has done something do not keep it from running.
#[test]
fn warps_that_meet_leave_turns_to_the_others() {
    let body = "setp.lt.u32 %p1, %r2, 64;
         @%p1 bra meet;
         st.volatile.global.u32 [%rd1], 1;
         bra done;
         meet: ld.volatile.global.u32 %r5, [%rd1];
         setp.ne.u32 %p2, %r5, 0;
         barrier.red.or.pred %p3, 1, 64, %p2;
         @!%p3 bra meet;
         done:";
    let b = Bench::new(&kernel("", body));
    let out = b.u32s(&[0]);
    b.run(shape(1, 96), &[out]);
    assert_eq!(b.read(out, 1), [1]);
}

//! Copies between two devices, which only tests have everywhere.

use super::*;
use crate::testing::Fixture;

fn two() -> (Fixture, Fixture) {
    (Fixture::new(), Fixture::with_id(1))
}

fn matrix_part(to: usize, from: usize) -> Copy {
    // A 2 x 2 box at (1, 1) of a 3 x 4 matrix of bytes, to (0, 0) of a 2 x 2 one.
    let rows = rows(
        1,
        &[2, 2],
        RectangularBox { offsets: &[0, 0], dimensions: &[2, 2] },
        RectangularBox { offsets: &[1, 1], dimensions: &[3, 4] },
    );
    let end = |address| End { address, device: 0 };
    Copy { to: end(to), from: end(from), rows: rows.unwrap().unwrap() }
}

#[test]
fn without_peer_access_a_copy_goes_through_the_host() {
    let (first, second) = two();
    let (from, to) = (first.recorder_block(12), second.recorder_block(4));
    first.recorder.write(from, &(0..12).collect::<Vec<u8>>());
    let copy = matrix_part(to.0 as usize, from.0 as usize);
    // SAFETY: blocks of the two devices.
    let outcome = unsafe { copy.between(Place::Device(&second.offload), Place::Device(&first.offload)) };
    assert_eq!(outcome, Some(Ok(())));
    assert_eq!(second.recorder.read(to, 4), [5, 6, 9, 10]);
    assert_eq!((first.recorder.count("retrieve"), second.recorder.count("submit")), (2, 2));
}

#[test]
fn a_failing_side_ends_the_copy() {
    for (call, device) in [("retrieve", 0), ("submit", 1), ("bind", 0), ("bind", 1)] {
        let (first, second) = two();
        let (from, to) = (first.recorder_block(12), second.recorder_block(4));
        [&first, &second][device].recorder.fail(call);
        let copy = matrix_part(to.0 as usize, from.0 as usize);
        // SAFETY: blocks of the two devices.
        let outcome = unsafe { copy.between(Place::Device(&second.offload), Place::Device(&first.offload)) };
        assert!(outcome.unwrap().unwrap_err().to_string().contains("made to fail"), "{call}");
    }
}

#[test]
fn no_device_no_copy() {
    let copy = matrix_part(8, 8);
    for (to, from) in [(Place::Nowhere, Place::Host), (Place::Host, Place::Nowhere)] {
        // SAFETY: nothing is copied.
        assert_eq!(unsafe { copy.between(to, from) }, None);
    }
}

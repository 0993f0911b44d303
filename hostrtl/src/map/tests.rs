//! The rules of mapping, one by one, on a device that keeps memory of its own.

use crate::arrays::OwnedArrays;
use crate::device::recorder::Recorder;
use crate::env::Settings;
use crate::error::{Error, PresentOn};
use crate::info::captured;
use crate::region::Region;
use crate::testing::{Fixture, addr, addr_mut, location, owned};

const TO: u64 = 0x1;
const FROM: u64 = 0x2;
const TOFROM: u64 = 0x3;
const ALLOC: u64 = 0x0;
const ALWAYS: u64 = 0x4;
const DELETE: u64 = 0x8;
const PTR_AND_OBJ: u64 = 0x10;
const RETURN_PARAM: u64 = 0x40;
const IMPLICIT: u64 = 0x200;
const PRESENT: u64 = 0x1000;
const HOLD: u64 = 0x2000;
const ATTACH: u64 = 0x4000;
const MEMBER_OF_0: u64 = 1 << 48;

#[test]
fn to_copies_in_from_copies_out() {
    let fixture = Fixture::new();
    let mut data = [1_u64, 2, 3];
    let map = |kind, data: &mut [u64; 3]| (addr_mut(data), addr_mut(data), 24, kind);
    fixture.begin(&[map(TOFROM, &mut data)]).unwrap();
    let begin = addr(&data);
    assert_eq!((fixture.device_u64(begin), fixture.device_u64(begin + 16)), (1, 3));
    fixture.set_device_u64(begin + 8, 20);
    fixture.end(&[map(TOFROM, &mut data)]).unwrap();
    assert_eq!(data, [1, 20, 3]);
    assert_eq!(fixture.count(begin), "-");
}

#[test]
fn alloc_copies_nothing() {
    let fixture = Fixture::new();
    let data = [7_u64];
    let map = (addr(&data), addr(&data), 8, ALLOC);
    fixture.begin(&[map]).unwrap();
    fixture.end(&[map]).unwrap();
    for call in ["submit", "retrieve", "synchronize"] {
        assert_eq!(fixture.recorder.count(call), 0, "{call}");
    }
    assert_eq!(fixture.count(addr(&data)), "-");
}

#[test]
fn only_the_first_begin_and_the_last_end_copy() {
    let fixture = Fixture::new();
    let mut data = [1_u64];
    let begin = addr_mut(&mut data);
    let map = [(begin, begin, 8, TOFROM)];
    fixture.begin(&map).unwrap();
    data[0] = 2;
    fixture.begin(&map).unwrap();
    assert_eq!((fixture.count(begin).as_str(), fixture.device_u64(begin)), ("2", 1));
    fixture.set_device_u64(begin, 9);
    fixture.end(&map).unwrap();
    assert_eq!((fixture.count(begin).as_str(), data[0]), ("1", 2));
    fixture.end(&map).unwrap();
    assert_eq!((fixture.count(begin).as_str(), data[0]), ("-", 9));
}

#[test]
fn always_copies_in_between_too() {
    let fixture = Fixture::new();
    let mut data = [1_u64];
    let begin = addr_mut(&mut data);
    fixture.begin(&[(begin, begin, 8, TO)]).unwrap();
    data[0] = 2;
    fixture.begin(&[(begin, begin, 8, TO | ALWAYS)]).unwrap();
    assert_eq!(fixture.device_u64(begin), 2);
    fixture.set_device_u64(begin, 3);
    fixture.end(&[(begin, begin, 8, FROM | ALWAYS)]).unwrap();
    assert_eq!((data[0], fixture.count(begin).as_str()), (3, "1"));
}

#[test]
fn delete_ends_all_uses() {
    let fixture = Fixture::new();
    let data = [1_u64];
    let begin = addr(&data);
    for _ in 0..3 {
        fixture.begin(&[(begin, begin, 8, TO)]).unwrap();
    }
    fixture.end(&[(begin, begin, 8, DELETE)]).unwrap();
    assert_eq!(fixture.count(begin), "-");
}

#[test]
fn delete_with_from_copies_first() {
    let fixture = Fixture::new();
    let mut data = [1_u64];
    let begin = addr_mut(&mut data);
    fixture.begin(&[(begin, begin, 8, TO)]).unwrap();
    fixture.begin(&[(begin, begin, 8, TO)]).unwrap();
    fixture.set_device_u64(begin, 5);
    fixture.end(&[(begin, begin, 8, DELETE | FROM)]).unwrap();
    assert_eq!(data[0], 5);
}

#[test]
fn ending_what_is_not_mapped_does_nothing() {
    let fixture = Fixture::new();
    let data = [1_u64];
    fixture.end(&[(addr(&data), addr(&data), 8, FROM)]).unwrap();
    assert_eq!(data[0], 1);
    assert_eq!(fixture.recorder.count("retrieve"), 0);
}

#[test]
fn part_of_a_mapping_uses_it() {
    let fixture = Fixture::new();
    let data = [1_u64, 2, 3];
    let begin = addr(&data);
    fixture.begin(&[(begin, begin, 24, TO)]).unwrap();
    fixture.begin(&[(begin, begin + 8, 8, TO)]).unwrap();
    assert_eq!(fixture.count(begin), "2");
    assert_eq!(fixture.device(begin + 8), fixture.device(begin).offset(8));
}

#[test]
fn explicit_overlap_is_an_error() {
    let fixture = Fixture::new();
    let data = [1_u64, 2, 3];
    let begin = addr(&data);
    fixture.begin(&[(begin, begin, 16, TO)]).unwrap();
    for (present, kind) in [(false, TO), (true, TO | PRESENT)] {
        let (begin, mapped_begin) = (begin + 8, begin);
        let expected = Error::ExplicitExtension { begin, size: 16, mapped_begin, mapped_size: 16, present };
        assert_eq!(fixture.begin(&[(mapped_begin, begin, 16, kind)]), Err(expected), "extends after");
    }

    let other = Fixture::new();
    other.begin(&[(begin, begin + 8, 16, TO)]).unwrap();
    assert!(matches!(other.begin(&[(begin, begin, 16, TO)]), Err(Error::ExplicitExtension { size: 16, .. })));
}

#[test]
fn implicit_overlap_uses_the_mapping() {
    let fixture = Fixture::new();
    let data = [1_u64, 2, 3];
    let begin = addr(&data);
    fixture.begin(&[(begin, begin, 16, TO)]).unwrap();
    fixture.begin(&[(begin, begin + 8, 16, TO | IMPLICIT)]).unwrap();
    assert_eq!(fixture.count(begin), "2");
    fixture.end(&[(begin, begin + 8, 16, TO | IMPLICIT)]).unwrap();
    assert_eq!(fixture.count(begin), "1");
}

#[test]
fn present_fails_at_begin_end_and_update() {
    let fixture = Fixture::new();
    let data = [1_u64];
    let begin = addr(&data);
    let map = [(begin, begin, 8, TO | PRESENT)];
    let missing = |on| Err(Error::NotPresent { on, begin, size: 8 });
    assert_eq!(fixture.begin(&map), missing(PresentOn::Begin));
    assert_eq!(fixture.end(&map), missing(PresentOn::End));
    assert_eq!(fixture.update(&map), missing(PresentOn::Update));
    fixture.begin(&[(begin, begin, 8, TO)]).unwrap();
    fixture.begin(&map).unwrap();
    fixture.update(&map).unwrap();
    fixture.end(&map).unwrap();
    assert_eq!(fixture.count(begin), "1");
}

#[test]
fn zero_size_maps_nothing_and_uses_what_is_there() {
    let fixture = Fixture::new();
    let data = [1_u64, 2];
    let begin = addr(&data);
    fixture.begin(&[(begin, begin, 0, TO)]).unwrap();
    assert_eq!((fixture.recorder.count("alloc"), fixture.count(begin).as_str()), (0, "-"));
    fixture.begin(&[(begin, begin, 16, TO)]).unwrap();
    fixture.begin(&[(begin, begin, 0, TO)]).unwrap();
    assert_eq!(fixture.count(begin), "2");
    fixture.end(&[(begin, begin, 0, TO)]).unwrap();
    assert_eq!(fixture.count(begin), "1");
}

#[test]
fn null_with_a_size_is_refused_before_anything_happens() {
    let fixture = Fixture::new();
    let data = [1_u64];
    let begin = addr(&data);
    let error = fixture.begin(&[(begin, begin, 8, TO), (0, 0, 80, TOFROM)]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot map a null pointer: argument 1, 'v', has size 80 bytes but a null address, at t.c:7:3"
    );
    assert_eq!(fixture.recorder.count("alloc"), 0);
}

#[test]
fn literals_and_private_variables_are_not_mapped() {
    let fixture = Fixture::new();
    let data = [1_u64];
    let begin = addr(&data);
    let maps = [(5, 5, 8, 0x120), (begin, begin, 8, 0xa1)];
    fixture.begin(&maps).unwrap();
    fixture.end(&maps).unwrap();
    assert_eq!(fixture.recorder.count("alloc"), 0);
}

#[test]
fn hold_counts_apart() {
    let fixture = Fixture::new();
    let data = [1_u64];
    let begin = addr(&data);
    fixture.begin(&[(begin, begin, 8, TO | HOLD)]).unwrap();
    fixture.begin(&[(begin, begin, 8, TO)]).unwrap();
    fixture.end(&[(begin, begin, 8, DELETE)]).unwrap();
    assert_eq!(fixture.count(begin), "0", "held");
    fixture.end(&[(begin, begin, 8, HOLD)]).unwrap();
    assert_eq!(fixture.count(begin), "-");
}

#[test]
fn globals_stay() {
    let fixture = Fixture::new();
    let mut data = [4_u64];
    let begin = addr_mut(&mut data);
    let block = fixture.recorder_block(8);
    crate::lock(&fixture.offload.table).insert_permanent(begin, 8, block);
    let map = [(begin, begin, 8, TOFROM)];
    fixture.begin(&map).unwrap();
    fixture.end(&map).unwrap();
    fixture.end(&[(begin, begin, 8, DELETE)]).unwrap();
    assert_eq!(fixture.count(begin), "INF");
    assert_eq!(fixture.recorder.count("submit"), 0, "it has its value already");
    fixture.end(&[(begin, begin, 8, TO | ALWAYS)]).unwrap();
    fixture.begin(&[(begin, begin, 8, TO | ALWAYS)]).unwrap();
    assert_eq!(fixture.device_u64(begin), 4);
}

/// `struct { long n; long *p; }` with clang's older maps: parent, member, member with pointee.
#[test]
fn struct_with_pointer_and_pointee() {
    #[repr(C)]
    struct S {
        n: u64,
        p: *mut u64,
    }
    let fixture = Fixture::new();
    let mut array = [10_u64, 11, 12];
    let mut s = S { n: 5, p: array.as_mut_ptr() };
    let (base, slot, pointee) = (addr_mut(&mut s), addr(&s.p), addr_mut(&mut array));
    let maps = [
        (base, base, 16, 0x20),
        (base, base, 8, TOFROM | MEMBER_OF_0),
        (slot, pointee + 8, 16, TOFROM | PTR_AND_OBJ | MEMBER_OF_0),
    ];
    fixture.begin(&maps).unwrap();
    assert_eq!(fixture.device_u64(base), 5);
    assert_eq!(
        fixture.device_u64(slot),
        fixture.device(pointee + 8).0 - 8,
        "points to the base of the section"
    );
    assert_eq!((fixture.count(base).as_str(), fixture.count(pointee + 8).as_str()), ("1", "1"));

    fixture.set_device_u64(base, 50);
    fixture.set_device_u64(pointee + 16, 120);
    fixture.end(&maps).unwrap();
    assert_eq!((s.n, array), (50, [10, 11, 120]));
    assert_eq!(s.p, array.as_mut_ptr());
    assert_eq!((fixture.count(base).as_str(), fixture.count(pointee + 8).as_str()), ("-", "-"));
}

/// The maps that clang-22 writes for `map(to: s) map(tofrom: s.p[0:2])`: struct, pointee, attachment.
#[test]
fn attach_of_a_new_pointer_and_pointee() {
    let fixture = Fixture::new();
    let mut array = [10_u64, 11];
    let mut s = [5_u64, addr_mut(&mut array) as u64];
    let (base, slot, pointee) = (addr_mut(&mut s), addr(&s[1]), addr_mut(&mut array));
    let maps = [(base, base, 16, TOFROM), (pointee, pointee, 16, TOFROM), (slot, pointee, 8, ATTACH)];
    fixture.begin(&maps).unwrap();
    assert_eq!(fixture.device_u64(slot), fixture.device(pointee).0);
    fixture.end(&maps).unwrap();
    assert_eq!(s[1], pointee as u64, "the host keeps its own pointer");
}

#[test]
fn attach_only_where_something_is_new_or_always() {
    let fixture = Fixture::new();
    let mut array = [10_u64, 11];
    let s = [addr_mut(&mut array) as u64];
    let (slot, pointee) = (addr(&s), addr(&array));
    fixture.begin(&[(slot, slot, 8, TO)]).unwrap();
    fixture.begin(&[(pointee, pointee, 16, TO)]).unwrap();
    let maps = [(slot, slot, 8, TO), (pointee, pointee, 16, TO), (slot, pointee, 8, ATTACH)];
    fixture.begin(&maps).unwrap();
    assert_eq!(fixture.device_u64(slot), pointee as u64, "both were mapped before");
    fixture.begin(&[(slot, pointee, 8, ATTACH | ALWAYS)]).unwrap();
    assert_eq!(fixture.device_u64(slot), fixture.device(pointee).0);
}

#[test]
fn attach_needs_both_sides() {
    let fixture = Fixture::new();
    let array = [10_u64];
    let s = [addr(&array) as u64];
    let (slot, pointee) = (addr(&s), addr(&array));
    // The pointer itself is on the stack of the host and not mapped: what clang-22 writes for `map(p[0:1])`.
    fixture.begin(&[(pointee, pointee, 8, TO), (slot, pointee, 8, ATTACH)]).unwrap();
    assert_eq!(fixture.recorder.count("submit"), 1);
}

#[test]
fn attach_of_a_descriptor_keeps_its_rest() {
    let fixture = Fixture::new();
    let array = [10_u64];
    let descriptor = [addr(&array) as u64, 77, 88];
    let (slot, pointee) = (addr(&descriptor), addr(&array));
    let maps = [(slot, slot, 24, ALLOC), (pointee, pointee, 8, TO), (slot, pointee, 24, ATTACH)];
    fixture.begin(&maps).unwrap();
    assert_eq!(fixture.device_u64(slot), fixture.device(pointee).0);
    assert_eq!((fixture.device_u64(slot + 8), fixture.device_u64(slot + 16)), (77, 88));
}

/// The pointer of the device copy survives `update to` and `always, to`; that of the host survives `update from`.
#[test]
fn attached_pointers_survive_copies() {
    let fixture = Fixture::new();
    let array = [10_u64, 11];
    let other = [12_u64];
    let mut s = [5_u64, addr(&array) as u64];
    let (base, slot, pointee) = (addr_mut(&mut s), addr(&s[1]), addr(&array));
    let maps = [(base, base, 16, TOFROM), (pointee, pointee, 16, TO), (slot, pointee, 8, ATTACH)];
    fixture.begin(&maps).unwrap();
    let attached = fixture.device(pointee).0;

    s[0] = 6;
    fixture.update(&[(base, base, 16, TO)]).unwrap();
    assert_eq!((fixture.device_u64(base), fixture.device_u64(slot)), (6, attached));
    fixture.begin(&[(base, base, 16, TO | ALWAYS)]).unwrap();
    assert_eq!(fixture.device_u64(slot), attached);

    // The program moves its own pointer in the meantime: that value stays.
    s[1] = addr(&other) as u64;
    fixture.set_device_u64(base, 60);
    fixture.update(&[(base, base, 16, FROM)]).unwrap();
    assert_eq!(s, [60, addr(&other) as u64]);
}

#[test]
fn parent_is_padded_to_the_alignment_of_its_base() {
    #[repr(C, align(16))]
    struct Aligned([u64; 4]);
    let fixture = Fixture::new();
    let s = Aligned([1, 2, 3, 4]);
    let base = addr(&s);
    // The combined entry starts at the second member.
    let maps = [(base, base + 8, 16, 0x20), (base, base + 8, 8, TO | MEMBER_OF_0)];
    fixture.begin(&maps).unwrap();
    assert_eq!(fixture.device(base + 8).0 % 16, 8);
    assert!(fixture.recorder.take_calls().contains(&"alloc 32 Device".to_owned()), "24 bytes, rounded up");
}

#[test]
fn members_do_not_count_and_do_not_remove_their_parent() {
    let fixture = Fixture::new();
    let mut s = [1_u64, 2];
    let base = addr_mut(&mut s);
    let parent = (base, base, 16, 0x20);
    let member = (base, base + 8, 8, TOFROM | MEMBER_OF_0);
    fixture.begin(&[parent, member, member]).unwrap();
    assert_eq!(fixture.count(base), "1");
    fixture.begin(&[parent, member, member]).unwrap();
    fixture.set_device_u64(base + 8, 20);
    fixture.end(&[parent, member, member]).unwrap();
    assert_eq!((fixture.count(base).as_str(), s[1]), ("1", 2));
    fixture.end(&[parent, member, member]).unwrap();
    assert_eq!((fixture.count(base).as_str(), s[1]), ("-", 20));
}

#[test]
fn use_device_ptr_writes_the_base_back() {
    let fixture = Fixture::new();
    let data = [1_u64, 2, 3];
    let base = addr(&data);
    let unmapped = fixture.begin(&[(base, base, 0, RETURN_PARAM)]).unwrap();
    assert_eq!(unmapped, [base], "not mapped: the host pointer stays");
    fixture.begin(&[(base, base + 8, 16, TO)]).unwrap();
    let device_base = fixture.device(base + 8).0 as usize - 8;
    assert_eq!(fixture.begin(&[(base, base + 8, 16, RETURN_PARAM)]).unwrap(), [device_base]);
    assert_eq!(fixture.begin(&[(base, base, 0, RETURN_PARAM)]).unwrap(), [device_base], "found by its base");
}

#[test]
fn update_copies_parts_both_ways_and_ignores_what_is_not_mapped() {
    let fixture = Fixture::new();
    let mut data = [1_u64, 2, 3];
    let base = addr_mut(&mut data);
    fixture.update(&[(base, base, 24, TO)]).unwrap();
    fixture.begin(&[(base, base, 24, TO)]).unwrap();
    data[1] = 20;
    data[2] = 30;
    fixture.update(&[(base, base + 8, 8, TO)]).unwrap();
    assert_eq!((fixture.device_u64(base + 8), fixture.device_u64(base + 16)), (20, 3));
    fixture.set_device_u64(base + 8, 21);
    fixture.set_device_u64(base + 16, 31);
    fixture.update(&[(base, base + 16, 8, FROM)]).unwrap();
    assert_eq!(data, [1, 20, 31]);
    assert_eq!(fixture.count(base), "1");
}

#[test]
fn strided_update() {
    let fixture = Fixture::new();
    let mut data = [0_u64; 8];
    let base = addr_mut(&mut data);
    fixture.begin(&[(base, base, 64, TO)]).unwrap();
    data = [1, 2, 3, 4, 5, 6, 7, 8];
    std::hint::black_box(&data);
    // data[1:3:2]: offset, count and stride of the vector, then of the element.
    let section = [[1_u64, 3, 16], [0, 1, 8]];
    fixture.update(&[(base, addr(&section), 2, TO | 1 << 44)]).unwrap();
    let device: Vec<u64> = (0..8).map(|index| fixture.device_u64(base + index * 8)).collect();
    assert_eq!(device, [0, 0, 3, 0, 5, 0, 7, 0]);
}

#[test]
fn user_defined_mapper() {
    /// Maps two elements and the third apart, as `declare mapper(T v) map(v[0:2], v[2])` would.
    unsafe extern "C" fn mapper(
        handle: *mut core::ffi::c_void,
        base: *mut core::ffi::c_void,
        begin: *mut core::ffi::c_void,
        _size: i64,
        kind: i64,
        name: *const core::ffi::c_void,
    ) {
        // SAFETY: the handle comes from the runtime.
        unsafe {
            crate::mapper::push(handle, base, begin, 16, kind, name);
            crate::mapper::push(handle, base, begin.byte_add(24), 8, kind, name);
            assert_eq!(crate::mapper::count(handle), 2);
        }
    }
    let fixture = Fixture::new();
    let mut data = [1_u64, 2, 3, 4];
    let base = addr_mut(&mut data);
    let run = |construct| fixture.run_mapped(construct, (base, base, 32, TOFROM), mapper);
    use crate::api::tgt::DataConstruct::*;
    run(Begin).unwrap();
    assert_eq!((fixture.device_u64(base + 8), fixture.device_u64(base + 24)), (2, 4));
    assert!(fixture.offload.mapped_address(base + 16).is_none());
    data[3] = 40;
    assert_eq!(data[3], 40);
    run(Update).unwrap();
    assert_eq!(fixture.device_u64(base + 24), 40);
    run(End).unwrap();
    assert_eq!(fixture.count(base + 24), "-");
}

#[test]
fn data_of_another_queue_is_waited_for() {
    let fixture = Fixture::new();
    let (first, second) = ([1_u64], [2_u64]);
    let map = |data: &[u64; 1]| [(addr(data), addr(data), 8, TO)];
    // A construct that has mapped but not yet synchronized, as another thread would be.
    let mut waiting = crate::region::Region::start(&fixture.offload, crate::testing::location()).unwrap();
    let mut arrays = crate::testing::owned(&map(&first));
    // SAFETY: the memory lives through the construct.
    waiting.begin(&mut unsafe { arrays.view() }).unwrap();

    fixture.begin(&map(&second)).unwrap();
    assert_eq!(fixture.recorder.count("wait"), 0, "other data");
    fixture.begin(&map(&first)).unwrap();
    assert_eq!((fixture.recorder.count("record"), fixture.recorder.count("wait")), (1, 1));
    waiting.finish().unwrap();
    fixture.begin(&map(&first)).unwrap();
    assert_eq!(fixture.recorder.count("wait"), 1, "complete now");
}

/// A construct that maps at its begin and has not come to its end.
fn started<'f>(fixture: &'f Fixture, arrays: &mut OwnedArrays) -> Region<'f> {
    let mut region = Region::start(&fixture.offload, location()).unwrap();
    // SAFETY: the tests keep the memory through the construct.
    region.begin(&mut unsafe { arrays.view() }).unwrap();
    region
}

/// Its end, with work that may still run.
fn ended(region: &mut Region<'_>, arrays: &mut OwnedArrays) {
    // SAFETY: as above.
    region.end_of_own(&unsafe { arrays.view() }).unwrap();
}

/// The copy of the last user, which somebody overtakes who maps the data again.
#[test]
fn data_on_its_way_back_is_waited_for() {
    let fixture = Fixture::new();
    let mut data = [1_u64];
    let map = [(addr_mut(&mut data), addr_mut(&mut data), 8, TO | FROM)];
    let (mut one, mut two) = (owned(&map), owned(&map));
    let mut first = started(&fixture, &mut one);
    ended(&mut first, &mut one);
    let waits = fixture.recorder.count("wait");
    let mut second = started(&fixture, &mut two);
    assert_eq!(fixture.recorder.count("wait"), waits + 1);
    first.finish().unwrap();
    assert_eq!(fixture.count(map[0].0), "1", "it stays");
    ended(&mut second, &mut two);
    second.finish().unwrap();
    assert_eq!(fixture.count(map[0].0), "-");
}

/// Two constructs share data; the one whose kernel is done first must not copy it back.
#[test]
fn the_copy_back_comes_behind_all_kernels() {
    let fixture = Fixture::new();
    let mut data = [1_u64];
    let map = [(addr_mut(&mut data), addr_mut(&mut data), 8, TO | FROM)];
    let (mut one, mut two) = (owned(&map), owned(&map));
    let (mut first, mut second) = (started(&fixture, &mut one), started(&fixture, &mut two));
    ended(&mut first, &mut one);
    ended(&mut second, &mut two);
    second.finish().unwrap();
    assert_eq!(fixture.recorder.count("retrieve"), 0, "the first one's kernel still runs");
    fixture.set_device_u64(map[0].0, 7);
    first.finish().unwrap();
    assert_eq!((data, fixture.recorder.count("retrieve")), ([7], 1));
    assert_eq!(fixture.count(map[0].0), "-");
}

/// Several entries of one construct, each needed and copied again: the queue waits once.
#[test]
fn a_queue_waits_once_for_each_construct() {
    let fixture = Fixture::new();
    let data = [[1_u64], [2]];
    let maps = |kind| [0, 1].map(|index: usize| (addr(&data[index]), addr(&data[index]), 8, kind));
    let mut waiting = crate::region::Region::start(&fixture.offload, crate::testing::location()).unwrap();
    let mut arrays = crate::testing::owned(&maps(TO));
    // SAFETY: the memory lives through the construct.
    waiting.begin(&mut unsafe { arrays.view() }).unwrap();
    fixture.begin(&maps(TO | ALWAYS)).unwrap();
    assert_eq!((fixture.recorder.count("record"), fixture.recorder.count("wait")), (1, 1));
    waiting.finish().unwrap();
}

/// The construct that copies has marked where its copies end.
#[test]
fn a_kernel_behind_the_copies_is_not_waited_for() {
    let fixture = Fixture::new();
    let data = [1_u64];
    let map = [(addr(&data), addr(&data), 8, TO)];
    let mut first = crate::region::Region::start(&fixture.offload, crate::testing::location()).unwrap();
    let mut arrays = crate::testing::owned(&map);
    // SAFETY: the memory lives through the construct.
    first.begin(&mut unsafe { arrays.view() }).unwrap();
    let shape = crate::launch::Shape { grid: [1; 3], block: [1; 3] };
    first.launch(crate::device::FunctionHandle(1), shape, 0).unwrap();
    assert_eq!(fixture.recorder.count("record"), 1, "before the launch");
    fixture.begin(&map).unwrap();
    assert_eq!((fixture.recorder.count("record"), fixture.recorder.count("wait")), (1, 1));
    first.finish().unwrap();
    // What is mapped already is not copied, and there is nothing to mark.
    let mut again = crate::region::Region::start(&fixture.offload, crate::testing::location()).unwrap();
    // SAFETY: as above.
    again.begin(&mut unsafe { arrays.view() }).unwrap();
    again.launch(crate::device::FunctionHandle(1), shape, 0).unwrap();
    assert_eq!(fixture.recorder.count("record"), 1);
    again.finish().unwrap();
}

/// `LIBOMPTARGET_MAP_FORCE_ATOMIC=false`: programs that order their threads themselves save the waiting.
#[test]
fn data_of_another_queue_is_not_waited_for_on_request() {
    let settings = Settings { map_force_atomic: false, ..Settings::default() };
    let fixture = Fixture::with(Recorder::new(), &settings);
    let data = [1_u64];
    let map = [(addr(&data), addr(&data), 8, TO)];
    let mut first = crate::region::Region::start(&fixture.offload, crate::testing::location()).unwrap();
    let mut arrays = crate::testing::owned(&map);
    // SAFETY: the memory lives through the construct.
    first.begin(&mut unsafe { arrays.view() }).unwrap();
    fixture.begin(&map).unwrap();
    assert_eq!((fixture.recorder.count("record"), fixture.recorder.count("wait")), (0, 0));
    first.finish().unwrap();
}

/// Two regions end at the same time: the second to complete removes the entry.
#[test]
fn the_last_region_to_complete_removes_the_entry() {
    let fixture = Fixture::new();
    let data = [1_u64];
    let map = [(addr(&data), addr(&data), 8, TO)];
    fixture.begin(&map).unwrap();
    let end = |maps: &[crate::testing::Map]| {
        let mut region = crate::region::Region::start(&fixture.offload, crate::testing::location()).unwrap();
        let mut arrays = crate::testing::owned(maps);
        // SAFETY: the memory lives through the construct.
        region.end(&unsafe { arrays.view() }).unwrap();
        region
    };
    let first = end(&map);
    // Mapped again before the first end is complete.
    fixture.begin(&map).unwrap();
    first.finish().unwrap();
    assert_eq!(fixture.count(addr(&data)), "1", "in use again");
    let (second, third) = (end(&map), end(&map));
    second.finish().unwrap();
    assert_eq!(fixture.count(addr(&data)), "0");
    third.finish().unwrap();
    assert_eq!(fixture.count(addr(&data)), "-");
}

#[test]
fn messages_of_a_data_region() {
    let fixture = Fixture::with_info(0x6f);
    let mut data = [1_u64];
    let begin = addr_mut(&mut data);
    let map = [(begin, begin, 8, TOFROM)];
    captured::take();
    fixture.begin(&map).unwrap();
    let device = fixture.device(begin).0;
    let prefix = "omptarget device 0 info: ";
    let lines = |expected: &[String]| {
        let expected: Vec<String> = expected.iter().map(|line| format!("{prefix}{line}")).collect();
        assert_eq!(captured::take(), expected);
    };
    let arguments = "tofrom(v)[8] ".to_owned();
    lines(&[
        "Entering OpenMP data region with being_mapper at t.c:7:3 with 1 arguments:".into(),
        arguments.clone(),
        format!(
            "Creating new map entry with HstPtrBase={begin:#018x}, HstPtrBegin={begin:#018x}, \
             TgtAllocBegin={device:#018x}, TgtPtrBegin={device:#018x}, Size=8, DynRefCount=1, HoldRefCount=0, Name=v"
        ),
        format!(
            "Copying data from host to device, HstPtr={begin:#018x}, TgtPtr={device:#018x}, Size=8, Name=v"
        ),
        // of this test's question for the address
        format!(
            "Mapping exists with HstPtrBegin={begin:#018x}, TgtPtrBegin={device:#018x}, Size=1, DynRefCount=1 (update \
             suppressed), HoldRefCount=0"
        ),
    ]);
    fixture.begin(&map).unwrap();
    lines(&[
        "Entering OpenMP data region with being_mapper at t.c:7:3 with 1 arguments:".into(),
        arguments.clone(),
        format!(
            "Mapping exists with HstPtrBegin={begin:#018x}, TgtPtrBegin={device:#018x}, Size=8, DynRefCount=2 \
             (incremented), HoldRefCount=0, Name=v"
        ),
    ]);
    fixture.end(&[(begin, begin, 8, DELETE | FROM)]).unwrap();
    lines(&[
        "Exiting OpenMP data region with end_mapper at t.c:7:3 with 1 arguments:".into(),
        "from(v)[8] ".into(),
        format!(
            "Mapping exists with HstPtrBegin={begin:#018x}, TgtPtrBegin={device:#018x}, Size=8, DynRefCount=0 (reset, \
             delayed deletion), HoldRefCount=0"
        ),
        format!(
            "Copying data from device to host, TgtPtr={device:#018x}, HstPtr={begin:#018x}, Size=8, Name=v"
        ),
        format!(
            "Removing map entry with HstPtrBegin={begin:#018x}, TgtPtrBegin={device:#018x}, Size=8, Name=v"
        ),
    ]);
    fixture.begin(&[(begin, begin, 0, TO)]).unwrap();
    assert_eq!(
        captured::take().last().map(String::as_str),
        Some("omptarget device 0 info: variable v does not have a valid device counterpart")
    );
}

#[test]
fn memory_is_given_back() {
    let fixture = Fixture::new();
    let data = vec![0_u64; 4096];
    let begin = data.as_ptr().expose_provenance();
    for _ in 0..3 {
        let map = [(begin, begin, 32768, TO)];
        fixture.begin(&map).unwrap();
        assert_eq!(fixture.recorder.live_blocks(), 1);
        fixture.end(&map).unwrap();
        assert_eq!(fixture.recorder.live_blocks(), 0);
    }
}

#[test]
fn a_failed_copy_is_an_error_and_the_queue_survives() {
    let fixture = Fixture::new();
    let data = [1_u64];
    fixture.recorder.fail("submit");
    let error = fixture.begin(&[(addr(&data), addr(&data), 8, TO)]).unwrap_err();
    assert_eq!(error.to_string(), "error in submit: made to fail");
    fixture.recorder.fail("nothing");
    fixture.begin(&[(addr(&data), addr(&data), 8, TO)]).unwrap();
    assert_eq!(fixture.recorder.count("create_queue"), 1);
}

//! Memory: bounds, use again, heap, descriptions.

use super::*;

fn event(place: &str) -> Event {
    Event { place: place.into(), cta: [1, 0, 0], thread: [2, 3, 4] }
}

fn memory() -> Memory {
    Memory::new(1 << 20).unwrap()
}

#[test]
fn bounds_are_exact_to_the_byte() {
    let m = memory();
    let a = m.alloc(4000, Origin::Host).unwrap();
    assert_eq!(a % GRANULE, 0);
    assert!(m.allows(a, 8) && m.allows(a + 3996, 4) && m.allows(a + 3999, 1));
    assert!(!m.allows(a + 4000, 1) && !m.allows(a + 3997, 4) && !m.allows(a - 1, 1) && !m.allows(0, 1));
    assert!(m.allows_range(a, 4000) && m.allows_range(a + 10, 3990) && m.allows_range(a + 4000, 0));
    assert!(!m.allows_range(a, 4001) && !m.allows_range(a - 1, 2) && !m.allows_range(a, u64::MAX));
}

#[test]
fn neighbours_are_separated() {
    let m = memory();
    let a = m.alloc(256, Origin::Host).unwrap();
    let b = m.alloc(256, Origin::Host).unwrap();
    assert!(a.abs_diff(b) >= 512);
    assert!(!m.allows_range(a.min(b), a.abs_diff(b) + 1));
}

#[test]
fn freed_memory_is_closed_and_used_again_late() {
    let m = memory();
    let a = m.alloc(100, Origin::Host).unwrap();
    m.free(a, None).unwrap();
    assert!(!m.allows(a, 1));
    assert_ne!(m.alloc(100, Origin::Host).unwrap(), a);
    assert_eq!(m.free(a, None).unwrap_err(), format!("double free of {a:#x}; freed by the host program"));
    assert!(
        m.free(a + 8, None)
            .unwrap_err()
            .starts_with(&format!("free of {:#x}, which was not allocated: 8 bytes into", a + 8))
    );
    assert_eq!(m.info().0, m.info().1 - 512);
}

#[test]
fn everything_can_be_allocated_again_after_free() {
    let m = memory();
    for _ in 0..3 {
        let blocks: Vec<u64> = std::iter::from_fn(|| m.malloc(1000, event("k"))).collect();
        assert_eq!(blocks.len(), 4096 / 5);
        blocks.iter().for_each(|&a| m.free(a, None).unwrap());
        assert_eq!(m.info(), (1 << 20, 1 << 20));
        let all = m.alloc((1 << 20) - 256, Origin::Host).unwrap();
        m.free(all, None).unwrap();
    }
    assert_eq!(m.alloc(u64::MAX, Origin::Host), None);
}

#[test]
fn fresh_memory_holds_the_pattern() {
    let m = memory();
    let a = m.alloc(10, Origin::Host).unwrap();
    let mut b = [0; 10];
    m.read(a, &mut b).unwrap();
    assert_eq!(b, [PATTERN; 10]);
}

#[test]
fn copies_move_the_bytes_at_every_alignment() {
    let m = memory();
    let a = m.alloc(600, Origin::Host).unwrap();
    let bytes: Vec<u8> = (0..=255).collect();
    for shift in 0..9 {
        m.write(a + shift, &bytes).unwrap();
        m.copy(a + 300, a + shift, 256).unwrap();
        m.copy(a + 303, a + 300, 256).unwrap();
        let mut back = vec![0; 256];
        m.read(a + 303, &mut back).unwrap();
        assert_eq!(back, bytes);
    }
    let error = m.write(a + 599, &[0; 2]).unwrap_err();
    assert_eq!(error.kind, ReportKind::OutOfBounds);
    let place = format!("599 bytes into the 600-byte allocation at {a:#x}, 1 byte past its end");
    assert_eq!(
        error.message,
        format!("copy to the device of 2 bytes at device address {:#x}: {place}", a + 599)
    );
}

#[test]
fn places_are_described() {
    let m = memory();
    let a = m.alloc(4000, Origin::Host).unwrap();
    assert_eq!(
        m.describe(a + 4004, 4),
        format!("4 bytes past the end of the 4000-byte allocation at {a:#x}")
    );
    assert_eq!(m.describe(a + 4000, 4), format!("just past the end of the 4000-byte allocation at {a:#x}"));
    assert_eq!(m.describe(a - 8, 4), format!("8 bytes before the 4000-byte allocation at {a:#x}"));
    assert_eq!(m.describe(8, 4), "8 bytes from a null pointer");
    let far = m.describe(1 << 60, 4);
    assert!(
        far.starts_with("not near any allocation: ") && far.contains(" past the end of the 4000-byte"),
        "{far}"
    );
    let far = m.describe(1 << 20, 4);
    assert!(far.starts_with("not near any allocation: ") && far.contains(" before the 4000-byte"), "{far}");
    assert_eq!(memory().describe(1 << 60, 4), "not near any allocation");
    let of_host = m.describe(&raw const m as u64, 4);
    assert!(of_host.starts_with("a pointer of the host program, to "), "{of_host}");
    m.free(a, None).unwrap();
    assert_eq!(
        m.describe(a + 4, 4),
        format!(
            "4 bytes into the 4000-byte allocation at {a:#x}, which has been freed; freed by the host program"
        )
    );
}

#[test]
fn variables_of_a_module_are_named_and_cannot_be_freed() {
    let m = memory();
    let a = m.alloc(64, Origin::Module("the variables of the module".into())).unwrap();
    assert_eq!(
        m.describe(a + 64, 1),
        format!("just past the end of the variables of the module (64 bytes at {a:#x})")
    );
    assert!(m.free(a, None).is_err());
    m.free_module(a);
    assert!(!m.allows(a, 1));
}

#[test]
fn the_heap_has_a_limit_to_the_byte() {
    let m = memory();
    assert!(m.set_heap_limit(100));
    // 33 bytes take 48.
    let blocks = [33, 33, 4].map(|bytes| m.malloc(bytes, event("k")));
    assert!(blocks[0].is_some() && blocks[1].is_some() && blocks[2].is_none());
    assert_eq!(m.heap(), Heap { limit: 100, used: 96, peak: 96, refused: 1, touched: true });
    assert!(!m.set_heap_limit(200), "too late");
    m.free(blocks[0].unwrap(), Some(event("k"))).unwrap();
    assert!(m.malloc(49, event("k")).is_none() && m.malloc(48, event("k")).is_some());
    assert_eq!(m.heap(), Heap { limit: 100, used: 96, peak: 96, refused: 2, touched: true });
    assert!(m.alloc(1000, Origin::Host).is_some(), "the limit is not that of the host");
    assert_eq!(m.malloc(u64::MAX, event("k")), None);
}

#[test]
fn who_allocated_and_freed_is_told() {
    let m = memory();
    let a = m.malloc(40, event("kernel k, function f, PTX line 3")).unwrap();
    let made = "; allocated by thread (2,3,4) of CTA (1,0,0) in kernel k, function f, PTX line 3";
    let name = format!("the 40-byte allocation of the kernel's malloc at {a:#x}");
    assert_eq!(m.describe(a + 44, 4), format!("4 bytes past the end of {name}{made}"));
    m.free(a, Some(event("g"))).unwrap();
    let freed = "; freed by thread (2,3,4) of CTA (1,0,0) in g";
    assert_eq!(m.describe(a, 4), format!("0 bytes into {name}, which has been freed{made}{freed}"));
    assert_eq!(m.free(a, None).unwrap_err(), format!("double free of {a:#x}{made}{freed}"));
}
